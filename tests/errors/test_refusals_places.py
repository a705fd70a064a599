"""What files, processes, executors, commands and the explorer refuse or leave out."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import Pipe, get_context

import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from tests.helpers.runs import VALUES
from theorycalc.cli import main
from theorycalc.cli.explore import _browse
from theorycalc.documents.report import versions
from theorycalc.explorer import workers as lanes
from theorycalc.explorer.answers import answer
from theorycalc.explorer.fields import FIELDS, case_of
from theorycalc.explorer.server import Explorer, _file
from theorycalc.running import journal
from theorycalc.running.crew import TaskError, WorkError
from theorycalc.running.executors import blas_pools, on_executor
from theorycalc.running.files import lock
from theorycalc.simulation import settings as memory
from theorycalc.simulation.records import check_record

TASKS = [(0, 0), (0, 1)]


class Cancels(Executor):
    """Cancels what it is given, as a cluster that is shut down does."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_what_an_executor_cancels_is_named():
    with pytest.raises(WorkError, match="cancelled its tasks: it was closed, or is a Dask cluster without its"):
        list(on_executor(max, TASKS, Cancels(), 1))


def test_an_executor_that_was_shut_down():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(TaskError) as failure:
        list(on_executor(max, TASKS, pool, 1))
    assert "shutdown" in str(failure.value.__cause__)


def dies(*_):
    os._exit(1)


@pytest.mark.slow
def test_an_executor_whose_worker_dies(monkeypatch):
    monkeypatch.setattr("theorycalc.simulation.experiment.replicate", dies)
    failure = pytest.raises(tc.SimulationError, match="a worker of the executor died and broke it")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, failure:
        tc.simulate(problem(activation="tanh"), n=20, eta=1, replicates=2, executor=pool)


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    import fcntl

    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    path = tmp_path / "run.json"
    with open(path, "wb", buffering=0) as file:
        assert lock(file, path) is None


def test_a_journal_with_an_endless_line(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "_LONGEST_LINE", 100)
    path = tmp_path / "run.json.journal"
    path.write_bytes(b"x" * 200)
    failure = pytest.raises(
        tc.DomainError, match="has a line of more than 100 bytes: it is not a journal of theorycalc"
    )
    with failure, journal.open_journal(path, {"seed": 0}, True, lambda data: data):
        pass
    assert path.read_bytes() == b"x" * 200


def test_a_system_that_does_not_say_its_memory(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert memory.machine_memory() is None


def test_traces_that_were_not_asked_for():
    row = {"model": "network", "ridge": 0.1} | dict.fromkeys(VALUES, 0.5)
    traces = [{"ridge": 0.1, "m1": 1.0, "m2": 1.0}]
    record = {"alpha": None, "eta": 1.0, "replicate": 0, "rows": [row], "traces": traces}
    with pytest.raises(tc.DomainError, match="it has traces, which the settings do not ask for"):
        check_record(record, models=["network"], ridges=[0.1], traces=False)


def test_an_installation_without_records(monkeypatch):
    def unknown(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("theorycalc.documents.report.version", unknown)
    assert versions() == f"theorycalc {tc.__version__}, Python {sys.version.split()[0]}"


def test_formulas_without_latex2mathml(monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    with pytest.raises(tc.ArgumentError, match="HTML with formulas needs latex2mathml: pip install"):
        _ = tc.sheet(problem(), ell=1).html


def test_dask_that_is_not_installed(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    case = ["--activation", "tanh", "--teacher", "H1", "--phi", "1", "--psi", "1", "--ridge", "1"]
    assert main(["simulate", *case, "--n", "20", "--eta", "1", "--dask", "tcp://127.0.0.1:1"]) == 2
    assert "--dask needs Dask: pip install 'theorycalc[dask]'" in capsys.readouterr().err


def test_a_picture_where_a_folder_is(tmp_path, capsys):
    (tmp_path / "gelu.svg").mkdir()
    assert main(["coefficients", "gelu", "--plot", str(tmp_path / "gelu.svg")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_coefficients_in_latex_have_powers_of_ten(capsys):
    assert main(["coefficients", "tanh/10**9", "-k", "1", "--latex"]) == 0
    assert r"\cdot 10^{-10}" in capsys.readouterr().out


def test_step_samples_of_a_sweep(capsys):
    case = ["--activation", "tanh", "--teacher", "H1", "--phi", "1/2", "--psi", "1/2", "--ridge", "1", "--ell", "1"]
    assert main(["sweep", *case, "--step-samples", "1,2"]) == 0
    rows = capsys.readouterr().out.splitlines()
    wanted = [tc.Problem("tanh", "H1", "1/2", "1/2", 1, step_samples=samples) for samples in (1, 2)]
    header = rows[0].split(",")
    for row, case_of_row in zip(rows[1:], wanted, strict=True):
        found = float(row.split(",")[header.index("test_gain")])
        assert found == pytest.approx(float(tc.predict(case_of_row, ell=1).test_gain), rel=1e-12)


def test_a_browser_that_opens_needs_no_word(monkeypatch, capsys):
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    _browse("http://127.0.0.1:1/#token=x")
    assert capsys.readouterr().err == ""


def test_explore_opens_the_browser_and_ends(monkeypatch, capsys):
    opened = threading.Event()
    monkeypatch.setattr("webbrowser.open", lambda address: opened.set() or True)
    monkeypatch.setattr(Explorer, "warm", lambda self: None)
    monkeypatch.setattr(Explorer, "serve_forever", lambda self: opened.wait(10))
    assert main(["explore", "--port", "0"]) == 0
    assert opened.is_set()


def test_the_first_values_of_the_page():
    kind, content = _file("/first.json")
    assert kind == "application/json"
    assert json.loads(content) == FIELDS


def test_a_browser_that_has_gone_away_is_no_error(capsys):
    explorer = Explorer(0)
    try:
        for error, shown in ((ConnectionResetError(), False), (ValueError("ours"), True)):
            try:
                raise error
            except (ConnectionError, ValueError):
                explorer.handle_error(None, ("127.0.0.1", 1))
            assert ("ours" in capsys.readouterr().err) == shown
    finally:
        explorer.server_close()


@pytest.mark.slow
def test_the_outliers_of_the_page():
    found = answer("outliers", {"activation": "tanh", "teacher": "H1", "n": "200", "alpha": "0.2"})
    wanted = tc.spectrum(case_of({"activation": "tanh", "teacher": "H1"}).problem, n=200, alpha="1/5")
    assert wanted.outliers.size
    assert found["places"] == pytest.approx(wanted.outliers.tolist(), rel=1e-6)


def test_formulas_of_high_windows_are_not_shown():
    found = answer("formulas", {"activation": "tanh(x + 1)", "alpha": "0.4643"})
    assert "formulas are shown up to ℓ = 12; this is window ℓ = 14" in str(found)


def test_a_lane_has_room_for_so_many(monkeypatch):
    monkeypatch.setattr(lanes, "_MOST_WAITING", 0)
    lane = lanes.Lane(seconds=3, grace=0.2)
    try:
        assert "too many pages are waiting" in str(lane.ask("page", "now", {}))
    finally:
        lane.close()


def test_the_worker_of_a_lane_answers_until_its_pipe_ends(monkeypatch):
    here, there = Pipe()
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda status: ended.set())
    with blas_pools().limit(limits=1, user_api="blas"):
        threading.Thread(target=lanes.serve, args=(there,), daemon=True).start()  # in a process of its own it would end
        assert here.recv() == "ready"
        here.send(("now", {"activation": "tanh", "alpha": "0.2"}))
        assert here.recv() == answer("now", {"activation": "tanh", "alpha": "0.2"})
    here.close()
    ended.wait()

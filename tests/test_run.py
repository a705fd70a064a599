"""simulate() and the run it returns: the same numbers however they are computed, and none of them lost."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import theorycalc as tc
from theorycalc.blas import one_blas_thread
from theorycalc.simulation import experiment, threads
from theorycalc.simulation.settings import read_settings

PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
SMALL = {"n": 30, "alpha": [0.1, 0.3], "replicates": 4, "seed": 5}
VALUES = ("train_loss_initial", "test_loss_initial", "train_gain", "test_gain", "train_loss", "test_loss")


def timeless(run: tc.Run) -> list[dict]:
    """The records without the one thing that is not repeated."""
    return [{name: value for name, value in record.items() if name != "seconds"} for record in run.records]


@pytest.fixture(scope="module")
def run():
    return tc.simulate(PROBLEM, **SMALL, ridge=[0.1, 1], traces=True)


def test_rows_are_flat_and_complete(run):
    assert run.complete
    assert run.problem.phi == run.settings.problem.phi
    assert [(row["cell"], row["replicate"], row["ridge"]) for row in run.rows] == [
        (cell, index, ridge) for cell in (0, 1) for index in range(4) for ridge in (0.1, 1.0)
    ]
    for row in run.rows:
        assert row["eta"] == 30 ** row["alpha"]
        assert all(math.isfinite(row[name]) for name in (*VALUES, "m1", "m2"))
        assert row["train_gain"] == row["train_loss_initial"] - row["train_loss"]


def test_the_summary_has_paired_errors(run):
    summary = run.summary()
    assert [(row["cell"], row["ridge"], row["replicates"]) for row in summary] == [
        (cell, ridge, 4) for cell in (0, 1) for ridge in (0.1, 1.0)
    ]
    rows = [row for row in run.rows if row["cell"] == 1 and row["ridge"] == 0.1]
    gains = np.array([row["test_loss_initial"] - row["test_loss"] for row in rows])
    shown = summary[2]
    assert shown["test_gain"] == pytest.approx(gains.mean(), rel=1e-14)
    assert shown["test_gain_se"] == pytest.approx(np.std(gains, ddof=1) / 2, rel=1e-12)
    unpaired = math.hypot(shown["test_loss_initial_se"], shown["test_loss_se"])
    assert shown["test_gain_se"] < unpaired  # common random numbers


def test_a_run_is_shown(run):
    text = repr(run)
    assert text.startswith("Run of n = 30, d = 15, N = 23, seed 5: 8 of 8 replicates")
    assert len(text.splitlines()) == 6
    assert "<th>test gain</th>" in run._repr_html_()
    html = replace(run, notes=("<script>",))._repr_html_()
    assert "<script>" not in html


def test_a_saved_run_comes_back(run, tmp_path):
    run.save(tmp_path / "run.json")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    again = tc.load_run(tmp_path / "run.json")
    assert again.to_dict() == run.to_dict()
    assert again.settings == run.settings
    assert again.provenance["blas_threads"] == 1


def edited(data: dict, *path, value) -> bytes:
    data = json.loads(json.dumps(data))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data).encode()


def test_bad_run_files_are_refused(run, tmp_path):
    data = run.to_dict()
    good = json.dumps(data).encode()
    contents = {
        b"": "not JSON",
        good[:-100]: "not JSON",
        b"\xff\x00": "not JSON",
        b"[" * 10**6: "nested too deeply",
        b"NaN": "not JSON",
        b"3": "theorycalc_run",
        edited(data, "theorycalc_run", value=99): "theorycalc_run",
        edited(data, "settings", value="x"): "settings",
        edited(data, "settings", "n", value=10**12): "d=15 contradicts",
        edited(data, "settings", "problem", value=[]): "problem",
        edited(data, "settings", "problem", "activation", "text", value="__import__('os')"): "not known",
        edited(data, "records", value={}): "records",
        edited(data, "records", 3, "cell", value=7): "record 3: its cell 7",
        edited(data, "records", 3, "rows", 0, "test_gain", value=None): "record 3: test_gain",
        edited(data, "records", 3, "replicate", value=0): "record 3: replicate 0 of cell 0 is there twice",
        edited(data, "records", 3, "replicate", value=9): "record 3: replicate 9 of cell 0",
        edited(data, "numpy", value=[1]): "numpy",
    }
    path = tmp_path / "run.json"
    for content, message in contents.items():
        path.write_bytes(content)
        with pytest.raises(tc.TheoryError) as error:
            tc.load_run(path)
        assert str(error.value).startswith(f"{path} is not a run that can be read"), content[:50]
        assert message in str(error.value)


def test_a_record_without_traces_where_none_were_asked_for():
    plain = tc.simulate(PROBLEM, **SMALL)
    bare = replace(plain, records=tuple({k: v for k, v in r.items() if k != "traces"} for r in plain.records))
    assert bare.rows == plain.rows


def leaves(data, path=()):
    """Every place in nested data."""
    yield path
    if isinstance(data, (dict, list)):
        for key in data if isinstance(data, dict) else range(min(len(data), 2)):
            yield from leaves(data[key], (*path, key))


STRANGE = [None, True, -1, 0.5, 1e300, 10**30, "", "x", "1/0", [], [[]], {}, {"a": 1}]


def test_no_value_anywhere_in_a_file_breaks_the_reader(run, tmp_path):
    data = run.to_dict()
    path = tmp_path / "run.json"
    places = [place for place in leaves({name: data[name] for name in ("settings", "records", "notes")}) if place]
    assert len(places) > 60
    for i, place in enumerate(places * 2):  # every place is given two of the values
        path.write_bytes(edited(data, *place, value=STRANGE[i % len(STRANGE)]))
        with contextlib.suppress(tc.TheoryError):  # anything else, a warning included, is a failure
            assert repr(tc.load_run(path))


def test_huge_files_are_not_read(tmp_path):
    path = tmp_path / "run.json"
    with open(path, "wb") as file:
        file.truncate(1 << 40)  # sparse
    with pytest.raises(tc.DomainError, match="run files are read up to"):
        tc.load_run(path)


def test_processes_threads_and_this_process_give_the_same_bits():
    here = tc.simulate(PROBLEM, **SMALL)
    assert timeless(tc.simulate(PROBLEM, **SMALL, workers=2)) == timeless(here)
    with ThreadPoolExecutor(3) as pool:
        assert timeless(tc.simulate(PROBLEM, **SMALL, executor=pool)) == timeless(here)


def test_blas_is_held_to_one_thread_while_any_replicate_runs():
    before = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    def now() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    outer, inner = one_blas_thread(), one_blas_thread()
    outer.__enter__()
    inner.__enter__()
    assert now() == {1}
    outer.__exit__(None, None, None)  # the first to come is not always the last to go
    assert now() == {1}
    inner.__exit__(None, None, None)
    assert [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"] == before


def test_replicates_do_not_depend_on_how_many_there_are():
    few = tc.simulate(PROBLEM, **SMALL)
    more = tc.simulate(PROBLEM, **SMALL | {"replicates": 6})
    assert [r for r in timeless(more) if r["replicate"] < 4] == timeless(few)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workers": 0}, "workers=0"),
        ({"workers": 1.5}, "workers=1.5"),
        ({"workers": 4000, "n": 2000}, "workers=4000 replicates at a time need"),
        ({"executor": 3}, "not a concurrent.futures.Executor"),
        ({"resume": True}, "resume=True needs output="),
        ({"output": "no/such/folder/run.json"}, "does not exist; make it first"),
        ({"output": "/tmp"}, "is a folder"),
        ({"replicats": 3}, "did you mean 'replicates'"),
        ({"replicates": 1}, "replicates=1"),
        ({"eta": 1}, "alpha"),
        ({"n": 10**7}, "GiB"),
    ],
)
def test_bad_input_is_refused_before_any_work(changes, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.simulate(PROBLEM, **SMALL | changes)


def test_only_regular_files_are_read_and_written(run, tmp_path):
    """A device or a pipe would be replaced by a file, or waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, tmp_path, "", "a\0b", b"run.json", 3, 3.5, None, []):
        with pytest.raises(tc.ArgumentError, match=r"is a device or a pipe|is a folder|is not the name of a file"):
            run.save(name)
        with pytest.raises(tc.ArgumentError, match="path="):
            tc.load_run(name)
        if name is not None:
            with pytest.raises(tc.ArgumentError, match="output="):
                tc.simulate(PROBLEM, **SMALL, output=name)
    pipe.rename(tmp_path / "run.json.journal")
    with pytest.raises(tc.ArgumentError, match=r"journal .* is a device or a pipe"):
        tc.simulate(PROBLEM, **SMALL, output=tmp_path / "run.json")
    assert (tmp_path / "run.json.journal").is_fifo()
    with pytest.raises(tc.ArgumentError, match="File name too long"):
        tc.simulate(PROBLEM, **SMALL, output="a" * 5000)


def test_a_link_stays_a_link(run, tmp_path):
    link, place = tmp_path / "link.json", tmp_path / "run.json"
    link.symlink_to(place)
    run.save(link)
    assert link.is_symlink()
    assert tc.load_run(place).complete


class Elsewhere(Executor):
    """Stands for a cluster: the work is not done by the pools of this machine."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_memory_is_that_of_the_machine_that_computes(monkeypatch):
    needed = tc.simulate(PROBLEM, **SMALL).settings.memory
    monkeypatch.setattr(experiment, "machine_memory", lambda: needed - 1)
    for options in ({}, {"workers": 2}, {"executor": ThreadPoolExecutor(1)}):
        with pytest.raises(tc.DomainError, match=r"n=30, d=15, N=23 need .* GiB for one replicate"):
            tc.simulate(PROBLEM, **SMALL, **options)
    assert tc.simulate(PROBLEM, **SMALL, executor=Elsewhere()).complete
    monkeypatch.setattr(experiment, "machine_memory", lambda: 2 * needed - 1)
    with pytest.raises(tc.DomainError, match=r"workers=2 replicates at a time .* take 1 or fewer"):
        tc.simulate(PROBLEM, **SMALL, workers=2)
    monkeypatch.setattr(experiment, "machine_memory", lambda: None)
    assert tc.simulate(PROBLEM, **SMALL).complete


def test_a_small_machine_may_look_at_a_large_run(tmp_path):
    large = read_settings(PROBLEM, n=10**7, alpha=0.1)
    tc.Run(large, ()).save(tmp_path / "run.json")
    assert tc.load_run(tmp_path / "run.json").settings == large


def test_a_lambda_is_not_sent_to_processes():
    activation = tc.Activation.from_callable(lambda x: np.tanh(x) + x, derivative=lambda x: 2 - np.tanh(x) ** 2)
    problem = tc.Problem(activation, ["1"], "1/2", "2/3", "1/10")
    with pytest.raises(tc.ArgumentError, match=r"cannot be sent to worker processes .*workers=1"):
        tc.simulate(problem, **SMALL, workers=2)
    assert tc.simulate(problem, **SMALL).complete


def interrupt_after(count: int, error: BaseException, monkeypatch) -> None:
    """Let the real replicate run so many times, and then raise."""
    real = threads.replicate
    calls = iter(range(10**6))

    def fake(settings, cell, index):
        if next(calls) == count:
            raise error
        return real(settings, cell, index)

    monkeypatch.setattr(threads, "replicate", fake)


def test_ctrl_c_keeps_what_was_done(monkeypatch):
    whole = tc.simulate(PROBLEM, **SMALL)
    interrupt_after(5, KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted; 5 of 8 replicates are done") as stop:
        tc.simulate(PROBLEM, **SMALL)
    partial = stop.value.run
    assert not partial.complete
    assert timeless(partial) == timeless(whole)[:5]
    assert "5 of 8 replicates (incomplete)" in repr(partial)
    assert partial.summary()[1]["test_gain_se"] is None  # one replicate has no error bar


def test_resume_goes_on_where_it_was_interrupted(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    whole = tc.simulate(PROBLEM, **SMALL)
    with monkeypatch.context() as patch:
        interrupt_after(5, KeyboardInterrupt(), patch)
        with pytest.raises(tc.SimulationInterrupted, match=r"resume=True \(--resume\) goes on with"):
            tc.simulate(PROBLEM, **SMALL, output=output)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json.journal"]
    with pytest.raises(tc.ArgumentError, match="resume=True"):
        tc.simulate(PROBLEM, **SMALL, output=output)
    with pytest.raises(tc.DomainError, match="seed is 5 there and 6 here"):
        tc.simulate(PROBLEM, **SMALL | {"seed": 6}, output=output, resume=True)
    with pytest.raises(tc.DomainError, match=r"problem.noise is '1/2' there and '0' here"):
        tc.simulate(replace(PROBLEM, noise=0), **SMALL, output=output, resume=True)
    with monkeypatch.context() as patch:
        interrupt_after(3, RuntimeError("more was computed than was missing"), patch)
        run = tc.simulate(PROBLEM, **SMALL, output=output, resume=True)
    assert timeless(run) == timeless(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert timeless(tc.load_run(output)) == timeless(whole)


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed")
def test_the_journal_is_removed_before_another_can_go_on_with_it(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    real = Path.unlink
    refused = []

    def unlink(path, missing_ok=False):
        if path.suffix == ".journal":
            with pytest.raises(tc.ArgumentError, match="another process is computing") as error:
                tc.simulate(PROBLEM, **SMALL, output=output, resume=True)
            refused.append(error)
        real(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    tc.simulate(PROBLEM, **SMALL, output=output)
    assert len(refused) == 1
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_saved_run_is_extended(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    tc.simulate(PROBLEM, **SMALL, output=output)
    more = SMALL | {"replicates": 5}
    with monkeypatch.context() as patch:
        interrupt_after(2, RuntimeError("more was computed than was missing"), patch)
        run = tc.simulate(PROBLEM, **more, output=output, resume=True)
    assert timeless(run) == timeless(tc.simulate(PROBLEM, **more))
    with pytest.raises(tc.DomainError, match="is of another simulation: n is 30 there and 31 here"):
        tc.simulate(PROBLEM, **SMALL | {"n": 31}, output=output, resume=True)


@pytest.mark.parametrize("finished", [True, False])
def test_fewer_replicates_do_not_lose_what_is_there(monkeypatch, tmp_path, finished):
    output = tmp_path / "run.json"
    with monkeypatch.context() as patch:
        interrupt_after(99 if finished else 7, KeyboardInterrupt(), patch)
        with contextlib.suppress(KeyboardInterrupt):
            tc.simulate(PROBLEM, **SMALL, output=output)
    with pytest.raises(tc.DomainError, match="has 4 replicates of a cell, and replicates=2 would lose some"):
        tc.simulate(PROBLEM, **SMALL | {"replicates": 2}, output=output, resume=True)
    with monkeypatch.context() as patch:
        interrupt_after(0 if finished else 1, RuntimeError("something was lost"), patch)
        assert tc.simulate(PROBLEM, **SMALL, output=output, resume=True).complete


def test_a_failing_replicate_is_named_and_the_others_kept(monkeypatch):
    interrupt_after(6, MemoryError("no room"), monkeypatch)
    with pytest.raises(
        tc.SimulationError,
        match=r"replicate 2 of cell 1 \(alpha=0.3, seed 5\) failed: MemoryError: no room; 6 of 8 replicates are done",
    ) as failure:
        tc.simulate(PROBLEM, **SMALL)
    assert len(failure.value.run.records) == 6
    assert isinstance(failure.value.__cause__, MemoryError)


def test_a_full_disk_keeps_what_was_written(tmp_path):
    output = tmp_path / "run.json"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, before[1]))
    try:
        with pytest.raises(tc.SimulationError, match="cannot write to the journal") as failure:
            tc.simulate(PROBLEM, **SMALL | {"replicates": 40}, output=output)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    kept = len(failure.value.run.records)
    assert kept > 1
    assert len((tmp_path / "run.json.journal").read_text().splitlines()) == kept  # a header, and all but the last
    run = tc.simulate(PROBLEM, **SMALL | {"replicates": 40}, output=output, resume=True)
    assert run.complete


def test_a_spoilt_line_is_noted(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    with monkeypatch.context() as patch:
        interrupt_after(5, KeyboardInterrupt(), patch)
        with pytest.raises(KeyboardInterrupt):
            tc.simulate(PROBLEM, **SMALL, output=output)
    journal = tmp_path / "run.json.journal"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines[:2], "spoilt\n", *lines[3:]]))
    run = tc.simulate(PROBLEM, **SMALL, output=output, resume=True)
    assert timeless(run) == timeless(tc.simulate(PROBLEM, **SMALL))
    assert "line 3 of" in run.notes[0]


def fake_replicate(given_settings, cell, index):
    values = dict.fromkeys(VALUES, cell + index / 7)
    rows = [{"model": "network", "ridge": ridge, **values} for ridge in given_settings.ridges]
    return {"cell": cell, "replicate": index, "rows": rows, "traces": None}


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 600)), max_size=6), st.integers(2, 6))
def test_any_sequence_of_interruptions_ends_in_the_whole_run(interruptions, replicates):
    """Each time some replicates are done, Ctrl-C comes, and the end of the journal is torn off."""
    options = SMALL | {"replicates": replicates}
    computed = []

    def work(stop, settings, cell, index):
        if len(computed) == stop:
            raise KeyboardInterrupt
        computed.append((cell, index))
        return fake_replicate(settings, cell, index)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        output, journal = Path(folder) / "run.json", Path(folder) / "run.json.journal"
        for count, torn in interruptions:
            patch.setattr(threads, "replicate", functools.partial(work, len(computed) + count))
            try:
                tc.simulate(PROBLEM, **options, output=output, resume=True)
            except KeyboardInterrupt:
                os.truncate(journal, max(0, journal.stat().st_size - torn))
        patch.setattr(threads, "replicate", functools.partial(work, -1))
        run = tc.simulate(PROBLEM, **options, output=output, resume=True)
        assert os.listdir(folder) == ["run.json"]
    assert run.complete
    assert list(run.records) == [
        json.loads(json.dumps(fake_replicate(run.settings, cell, index)))
        for cell in (0, 1)
        for index in range(replicates)
    ]
    if all(torn == 0 for _, torn in interruptions):
        assert len(computed) == 2 * replicates  # nothing was computed twice


SCRIPT = """
import sys
import theorycalc as tc

if __name__ == "__main__":
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    tc.simulate(problem, n=100, alpha=0.2, replicates=20000, workers=int(sys.argv[1]), output="run.json")
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_leaves_a_journal(tmp_path, workers):
    """Ctrl-C as a terminal sends it: to every process of the group."""
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(
        [sys.executable, "script.py", str(workers)],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    journal = tmp_path / "run.json.journal"
    end = time.monotonic() + 30
    while (not journal.exists() or len(journal.read_bytes().splitlines()) < 10) and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "SimulationInterrupted: interrupted; " in errors.splitlines()[-1]
    assert errors.count("Traceback") == 1  # not one a worker
    assert len(journal.read_bytes().splitlines()) >= 10

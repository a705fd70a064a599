"""A simulation that is stopped keeps what was done, and goes on to the same run."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.processes import started, wait_until
from tests.helpers.runs import PROBLEM, SMALL, VALUES
from theorycalc.simulation import experiment


def interrupt_after(count: int, error: BaseException, monkeypatch) -> None:
    """Let the real replicate run so many times, and then raise."""
    real = experiment.replicate
    calls = iter(range(10**6))

    def fake(settings, index, cells):
        if next(calls) == count:
            raise error
        return real(settings, index, cells)

    monkeypatch.setattr(experiment, "replicate", fake)


def first(run: tc.Run, replicates: int) -> tuple:
    """The records of the first replicates."""
    return tuple(record for record in run.records if record["replicate"] < replicates)


def test_ctrl_c_keeps_what_was_done(monkeypatch):
    whole = tc.simulate(PROBLEM, **SMALL)
    interrupt_after(3, KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted; 3 of 4 replicates are done") as stop:
        tc.simulate(PROBLEM, **SMALL)
    partial = stop.value.run
    assert not partial.complete
    assert partial.records == first(whole, 3)
    assert "3 of 4 replicates (incomplete)" in repr(partial)
    interrupt_after(1, KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt) as stop:
        tc.simulate(PROBLEM, **SMALL)
    assert [row["test_gain_se"] for row in stop.value.run.rows] == [None, None]  # one replicate has no error bar


def test_resume_goes_on_where_it_was_interrupted(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    whole = tc.simulate(PROBLEM, **SMALL)
    with monkeypatch.context() as patch:
        interrupt_after(3, KeyboardInterrupt(), patch)
        with pytest.raises(tc.SimulationInterrupted, match=r"resume=True continues"):
            tc.simulate(PROBLEM, **SMALL, output=output)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json.journal"]
    with pytest.raises(tc.ArgumentError, match="resume=True"):
        tc.simulate(PROBLEM, **SMALL, output=output)
    with pytest.raises(tc.DomainError, match="seed is 5 there and 6 here"):
        tc.simulate(PROBLEM, **SMALL | {"seed": 6}, output=output, resume=True)
    with pytest.raises(tc.DomainError, match=r"problem.noise is '1/2' there and '0' here"):
        tc.simulate(replace(PROBLEM, noise=0), **SMALL, output=output, resume=True)
    with monkeypatch.context() as patch:
        interrupt_after(1, RuntimeError("more was computed than was missing"), patch)
        run = tc.simulate(PROBLEM, **SMALL, output=output, resume=True)
    assert run == whole
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert tc.load_run(output) == whole


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed")
def test_the_journal_is_removed_before_another_can_go_on_with_it(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    real = Path.unlink
    refused = []

    def unlink(path, missing_ok=False):
        if path.suffix == ".journal":
            with pytest.raises(tc.ArgumentError, match="another process is writing") as error:
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
        interrupt_after(1, RuntimeError("more was computed than was missing"), patch)
        run = tc.simulate(PROBLEM, **more, output=output, resume=True)
    assert run == tc.simulate(PROBLEM, **more)
    with pytest.raises(tc.DomainError, match="belongs to another simulation: n is 30 there and 31 here"):
        tc.simulate(PROBLEM, **SMALL | {"n": 31}, output=output, resume=True)


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_run_is_extended_by_steps_and_replicates_at_once(monkeypatch, tmp_path, interrupted):
    """Only what is missing is computed, also where a journal was begun with fewer steps, and the bits are the same."""
    output = tmp_path / "run.json"
    computed = []

    def counted(settings, index, cells):
        if interrupted and len(computed) == stop:
            raise KeyboardInterrupt
        computed.extend((settings.steps_taken[cell].alpha, index) for cell in cells)
        return real(settings, index, cells)

    real, stop = experiment.replicate, 6  # after three replicates of two steps
    monkeypatch.setattr(experiment, "replicate", counted)
    with contextlib.suppress(KeyboardInterrupt):
        tc.simulate(PROBLEM, **SMALL, output=output)
    more = SMALL | {"alpha": [0.2, 0.3, 0.1], "replicates": 5}
    stop = len(computed) + 2  # after two more steps
    with contextlib.suppress(KeyboardInterrupt):
        tc.simulate(PROBLEM, **more, output=output, resume=True)
    stop = None
    run = tc.simulate(PROBLEM, **more, output=output, resume=True)
    assert sorted(computed) == [(alpha, index) for alpha in (0.1, 0.2, 0.3) for index in range(5)]
    monkeypatch.undo()
    assert run == tc.load_run(output) == tc.simulate(PROBLEM, **more)
    assert [row["alpha"] for row in run.rows] == [0.2, 0.3, 0.1]


def test_steps_that_are_there_are_not_lost(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    run = tc.simulate(PROBLEM, **SMALL, output=output)
    for other in ({"alpha": 0.1}, {"alpha": [0.1, 0.2]}):
        with pytest.raises(tc.DomainError, match=r"has the step alpha=0.3, which is not among the steps of this call"):
            tc.simulate(PROBLEM, **SMALL | other, output=output, resume=True)
    by_size = SMALL | {"alpha": None, "eta": [step.eta for step in run.settings.steps_taken]}
    with pytest.raises(tc.DomainError, match=r"has the step alpha=0.1"):
        tc.simulate(PROBLEM, **by_size, output=output, resume=True)
    assert tc.load_run(output) == run
    output.unlink()
    interrupt_after(2, KeyboardInterrupt(), monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        tc.simulate(PROBLEM, **SMALL, output=output)
    kept = (tmp_path / "run.json.journal").read_bytes()
    with pytest.raises(tc.DomainError, match=r"or its journal has the step alpha=0.3"):
        tc.simulate(PROBLEM, **SMALL | {"alpha": 0.1}, output=output, resume=True)
    assert (tmp_path / "run.json.journal").read_bytes() == kept


def test_another_gradient_is_another_simulation(tmp_path):
    output = tmp_path / "run.json"
    run = tc.simulate(PROBLEM, **SMALL, output=output)
    assert run.settings.gradient == "residual"
    with pytest.raises(tc.DomainError, match="gradient is 'residual' there and 'labels' here"):
        tc.simulate(PROBLEM, **SMALL, gradient="labels", output=output, resume=True)
    labels = tc.simulate(PROBLEM, **SMALL, gradient="labels", output=output)
    assert tc.load_run(output) == labels != run
    assert labels.rows[0]["test_loss_initial"] == run.rows[0]["test_loss_initial"]
    assert labels.rows[0]["test_loss"] != run.rows[0]["test_loss"]


def test_what_was_noted_of_a_saved_run_is_kept_and_what_a_killed_process_left_is_not(tmp_path):
    output = tmp_path / "run.json"
    replace(tc.simulate(PROBLEM, **SMALL), notes=("line 3 of its journal was spoilt",)).save(output)
    (tmp_path / "run.json.1234.part").write_text("half of a run")
    run = tc.simulate(PROBLEM, **SMALL | {"replicates": 5}, output=output, resume=True)
    assert run.notes == tc.load_run(output).notes == ("line 3 of its journal was spoilt",)
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_link_to_a_run_has_the_journal_of_the_run(monkeypatch, tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real" / "run.json", tmp_path / "link.json")
    interrupt_after(2, KeyboardInterrupt(), monkeypatch)
    with pytest.raises(tc.SimulationInterrupted):
        tc.simulate(PROBLEM, **SMALL, output=tmp_path / "link.json")
    assert os.listdir(tmp_path / "real") == ["run.json.journal"]


@pytest.mark.parametrize("finished", [True, False])
def test_fewer_replicates_do_not_lose_what_is_there(monkeypatch, tmp_path, finished):
    output = tmp_path / "run.json"
    with monkeypatch.context() as patch:
        interrupt_after(99 if finished else 3, KeyboardInterrupt(), patch)
        with contextlib.suppress(KeyboardInterrupt):
            tc.simulate(PROBLEM, **SMALL, output=output)
    with pytest.raises(tc.DomainError, match=r"has replicate 2, and replicates=2 would lose it; give 3 or more"):
        tc.simulate(PROBLEM, **SMALL | {"replicates": 2}, output=output, resume=True)
    with monkeypatch.context() as patch:
        interrupt_after(0 if finished else 1, RuntimeError("something was lost"), patch)
        assert tc.simulate(PROBLEM, **SMALL, output=output, resume=True).complete


def test_a_failing_replicate_is_named_and_the_others_kept(monkeypatch):
    interrupt_after(3, MemoryError("no room"), monkeypatch)
    message = r"replicate 3 \(seed 5\) failed: MemoryError: no room; 3 of 4 replicates are done"
    with pytest.raises(tc.SimulationError, match=message) as failure:
        tc.simulate(PROBLEM, **SMALL)
    assert len(failure.value.run.records) == 6
    assert isinstance(failure.value.__cause__, MemoryError)


def test_a_failing_step_is_named():
    message = r"replicate 0 \(seed 0\) failed: DomainError: eta=1e\+200: .*; 0 of 2 replicates are done"
    with pytest.raises(tc.SimulationError, match=message):
        tc.simulate(replace(PROBLEM, activation="relu"), n=30, eta=[1, 1e200], replicates=2)


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
    assert kept > 2
    lines = (tmp_path / "run.json.journal").read_text().splitlines()
    assert len(lines) == 1 + kept - 2  # a header, and all but the steps of the last replicate
    run = tc.simulate(PROBLEM, **SMALL | {"replicates": 40}, output=output, resume=True)
    assert run.complete


def test_a_spoilt_line_is_noted(monkeypatch, tmp_path):
    output = tmp_path / "run.json"
    with monkeypatch.context() as patch:
        interrupt_after(3, KeyboardInterrupt(), patch)
        with pytest.raises(KeyboardInterrupt):
            tc.simulate(PROBLEM, **SMALL, output=output)
    journal = tmp_path / "run.json.journal"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([*lines[:2], "spoilt\n", *lines[3:]]))
    run = tc.simulate(PROBLEM, **SMALL, output=output, resume=True)
    assert run.records == tc.simulate(PROBLEM, **SMALL).records
    assert "line 3 of" in run.notes[0]


def fake_record(given_settings, cell, index):
    values = dict.fromkeys(VALUES, cell + index / 7)
    rows = [{"model": "network", "ridge": ridge, **values} for ridge in given_settings.ridges]
    step = given_settings.steps_taken[cell]
    return {"alpha": step.alpha, "eta": step.eta, "replicate": index, "rows": rows, "traces": None}


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1200)), max_size=6), st.integers(2, 6))
def test_any_sequence_of_interruptions_ends_in_the_whole_run(interruptions, replicates):
    """Each time some replicates are done, Ctrl-C comes, and the end of the journal is torn off."""
    options = SMALL | {"replicates": replicates}
    called, computed = [], []

    def work(stop, settings, index, cells):
        if len(called) == stop:
            raise KeyboardInterrupt
        called.append(index)
        computed.extend((cell, index) for cell in cells)
        return [fake_record(settings, cell, index) for cell in cells]

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        output, journal = Path(folder) / "run.json", Path(folder) / "run.json.journal"
        for count, torn in interruptions:
            patch.setattr(experiment, "replicate", functools.partial(work, len(called) + count))
            try:
                tc.simulate(PROBLEM, **options, output=output, resume=True)
            except KeyboardInterrupt:
                os.truncate(journal, max(0, journal.stat().st_size - torn))
        patch.setattr(experiment, "replicate", functools.partial(work, -1))
        run = tc.simulate(PROBLEM, **options, output=output, resume=True)
        assert os.listdir(folder) == ["run.json"]
    assert run.complete
    assert list(run.records) == [
        json.loads(json.dumps(fake_record(run.settings, cell, index))) for cell in (0, 1) for index in range(replicates)
    ]
    if all(torn == 0 for _, torn in interruptions):
        assert len(computed) == 2 * replicates  # no step was computed twice


SCRIPT = """
import sys
import theorycalc as tc

if __name__ == "__main__":
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    tc.simulate(problem, n=100, alpha=0.2, replicates=20000, workers=int(sys.argv[1]), output="run.json")
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_leaves_a_journal(tmp_path, workers):
    """Ctrl-C as a terminal sends it: to every process of the group."""
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    command = [sys.executable, "script.py", str(workers)]
    journal = tmp_path / "run.json.journal"
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8") as process:
        wait_until(lambda: journal.exists() and len(journal.read_bytes().splitlines()) >= 10, process)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode != 0
    assert "SimulationInterrupted: interrupted; " in errors.splitlines()[-1]
    assert errors.count("Traceback") == 1  # not one a worker
    assert len(journal.read_bytes().splitlines()) >= 10

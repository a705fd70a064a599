"""Any sequence of work, interruptions, damage and mistakes: the end is the uninterrupted result, bit for bit."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import theorycalc as tc
from tests.helpers.problems import NETWORK as PROBLEM
from theorycalc.running.journal import open_journal
from theorycalc.simulation import experiment
from theorycalc.simulation.records import record_check
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings, settings_from_dict
from theorycalc.sweeps import evaluation, grid, sweeping
from theorycalc.sweeps import writing as output

pytestmark = pytest.mark.slow

SMALL = {"n": 20, "alpha": [0.1, 0.3], "seed": 5}
GARBAGE = st.one_of(
    st.binary(min_size=1, max_size=40), st.sampled_from([b"\n", b"{}\n", b"[" * 3000 + b"\n", b"\xff\n"])
)
STEPS = settings(max_examples=max(15, settings.default.max_examples // 4), stateful_step_count=14, deadline=None)


@functools.cache
def whole(alphas: tuple[float, ...], replicates: int) -> str:
    """The records of the run that nothing disturbed."""
    return as_text(tc.simulate(PROBLEM, **SMALL | {"alpha": list(alphas)}, replicates=replicates).records)


def as_text(records) -> str:
    """Return records as text, every bit of every number in it."""
    return json.dumps(records)


@functools.cache
def once(settings_text: str, index: int, cells: tuple[int, ...]) -> str:
    """A real replicate, computed once for all examples."""
    return json.dumps(replicate(settings_from_dict(json.loads(settings_text)), index, cells))


def remembered(settings_here, index: int, cells: tuple[int, ...]):
    text = json.dumps(settings_here.to_dict() | {"replicates": 2})
    return json.loads(once(text, index, cells))


def stopping_after(count: int, work):
    """Return the work, which Ctrl-C ends when ``count`` calls are done."""
    calls = []

    def stopped(*arguments):
        if len(calls) == count:
            raise KeyboardInterrupt
        calls.append(arguments)
        return work(*arguments)

    return stopped


class Files(RuleBasedStateMachine):
    """What a journal and the part of a sweep share: a folder, and damage to the growing file."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def damaged(self, path: Path, change) -> None:
        if path.exists():
            path.write_bytes(change(path.read_bytes()))


class Simulation(Files):
    """A run into a file with its journal: real networks of twenty samples."""

    def __init__(self) -> None:
        super().__init__()
        self.output, self.journal = self.folder / "run.json", self.folder / "run.json.journal"
        self.replicates, self.alphas = 2, tuple(SMALL["alpha"])
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(experiment, "replicate", remembered)

    def simulate(self, **changes):
        given = self.given | {"output": self.output, "resume": True} | changes
        return tc.simulate(PROBLEM, **given)

    @property
    def given(self) -> dict:
        return SMALL | {"alpha": list(self.alphas), "replicates": self.replicates}

    @property
    def whole(self) -> str:
        return whole(self.alphas, self.replicates)

    @property
    def has_work(self) -> bool:
        """Whether there are whole records, so that other settings must be refused."""
        return self.journal.exists() and self.journal.read_bytes().count(b"\n") > 1

    @rule(count=st.integers(0, 6))
    def work_until_interrupted(self, count):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(experiment, "replicate", stopping_after(count, remembered))
            try:
                run = self.simulate()
            except tc.SimulationInterrupted as interrupted:
                run = interrupted.run
        kept = [as_text([record])[1:-1] for record in run.records]
        assert len(set(kept)) == len(kept)
        assert all(record in self.whole for record in kept)

    @rule()
    def resume(self):
        run = self.simulate()
        assert run.complete
        assert as_text(run.records) == self.whole
        assert os.listdir(self.folder) == ["run.json"]

    @precondition(lambda self: self.replicates < 5)
    @rule()
    def ask_for_more(self):
        self.replicates += 1

    @precondition(lambda self: len(self.alphas) < 4)
    @rule(place=st.integers(0, 3))
    def ask_for_another_step(self, place):
        new = (0.2, 0.4)[len(self.alphas) - 2]
        self.alphas = (*self.alphas[:place], new, *self.alphas[place:])

    @rule(share=st.floats(0, 1))
    def truncate(self, share):
        self.damaged(self.journal, lambda data: data[: int(share * len(data))])

    @precondition(lambda self: self.has_work)
    @rule(garbage=GARBAGE)
    def append_garbage(self, garbage):
        self.damaged(self.journal, lambda data: data + garbage)

    @precondition(lambda self: self.has_work)
    @rule(line=st.integers(1, 20))
    def duplicate_a_line(self, line):
        def change(data):
            lines = data.splitlines(keepends=True)
            return b"".join([*lines, lines[1 + line % (len(lines) - 1)]])

        self.damaged(self.journal, change)

    @precondition(lambda self: self.has_work)
    @rule(place=st.floats(0, 1), byte=st.integers(0, 255))
    def change_a_byte_of_a_record(self, place, byte):
        def change(data):
            begin = data.index(b"\n") + 1
            at = begin + int(place * (len(data) - begin - 1))
            return data[:at] + bytes([byte]) + data[at + 1 :]

        self.damaged(self.journal, change)

    @precondition(lambda self: self.has_work)
    @rule(place=st.floats(0, 0.999), byte=st.integers(32, 126))
    def change_a_byte_of_the_settings(self, place, byte):
        """Either it does not matter, or the journal is refused and left as it is."""
        before = self.journal.read_bytes()
        at = int(place * before.index(b"\n"))
        self.journal.write_bytes(before[:at] + bytes([byte]) + before[at + 1 :])
        spoilt = self.journal.read_bytes()
        try:
            run = self.simulate()
        except tc.DomainError:
            assert self.journal.read_bytes() == spoilt
            self.journal.write_bytes(before)
        else:
            assert as_text(run.records) == self.whole

    @precondition(lambda self: self.has_work or self.output.exists())
    @rule(changes=st.sampled_from([{"seed": 6}, {"n": 22}, {"gradient": "labels"}, {"traces": True}, {"ridge": 1.0}]))
    def resume_with_other_settings(self, changes):
        files = {path: path.read_bytes() for path in (self.journal, self.output) if path.exists()}
        with pytest.raises(tc.DomainError, match="belongs to another simulation"):
            self.simulate(**changes)
        for path, content in files.items():
            if path == self.output or content.count(b"\n") > 1:
                assert path.read_bytes() == content

    @precondition(lambda self: self.has_work)
    @rule()
    def forget_to_resume(self):
        before = self.journal.read_bytes()
        with pytest.raises(tc.ArgumentError, match="resume=True"):
            self.simulate(resume=False)
        assert self.journal.read_bytes() == before

    @precondition(lambda self: self.has_work)
    @rule()
    def write_at_the_same_time(self):
        settings_here = read_settings(PROBLEM, **self.given)
        with open_journal(self.journal, settings_here.to_dict(), True, record_check(settings_here)):
            before = self.journal.read_bytes()
            with pytest.raises(tc.ArgumentError, match="another process"):
                self.simulate()
            assert self.journal.read_bytes() == before

    @invariant()
    def a_saved_run_is_whole(self):
        if self.output.exists():
            run = tc.load_run(self.output)
            assert run.complete
            alphas = tuple(step.alpha for step in run.settings.steps_taken)
            assert as_text(run.records) == whole(alphas, run.settings.replicates)

    def teardown(self) -> None:
        self.resume()
        self.patch.undo()
        super().teardown()


OVER = {"alpha": ["0.1", "0.25", "0.3"], "ridge": "1e-3:10:7:log"}


@functools.cache
def whole_grid(ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"grid.{ending}"
        tc.sweep(PROBLEM, OVER, quantities=["test_gain", "test_loss"], output=path)
        return path.read_bytes()


class Grid(Files):
    """A sweep into a file, five points at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.ending = "csv"
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(grid, "_LIMITS_AT_ONCE", 5)
        self.patch.setattr(output, "_OFTEN", 0.0)

    @property
    def path(self) -> Path:
        return self.folder / f"grid.{self.ending}"

    @property
    def part(self) -> Path:
        return output.beside(self.path, "part")

    @property
    def note(self) -> Path:
        return output.beside(self.path, "progress")

    def sweep(self, **changes):
        given = {"quantities": ["test_gain", "test_loss"], "output": self.path, "resume": True} | changes
        return tc.sweep(PROBLEM, given.pop("over", OVER), **given)

    @rule(ending=st.sampled_from(["csv", "json", "nc"]))
    def take_another_format(self, ending):
        self.ending = ending

    @rule(count=st.integers(0, 6))
    def work_until_interrupted(self, count):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sweeping, "evaluate", stopping_after(count, evaluation.evaluate))
            try:
                self.sweep()
            except tc.SweepInterrupted:
                assert not self.part.stat().st_size < json.loads(self.note.read_text())["length"]

    @rule()
    def resume(self):
        self.sweep()
        assert self.path.read_bytes() == whole_grid(self.ending)
        assert not self.part.exists()
        assert not self.note.exists()

    @precondition(lambda self: self.note.exists())
    @rule(share=st.floats(0, 1))
    def truncate(self, share):
        self.damaged(self.part, lambda data: data[: int(share * len(data))])

    @property
    def has_a_part(self) -> bool:
        return self.note.exists() and self.part.stat().st_size > 0

    @precondition(lambda self: self.note.exists())
    @rule(garbage=GARBAGE)
    def append_garbage(self, garbage):
        self.damaged(self.part, lambda data: data + garbage)

    @precondition(lambda self: self.has_a_part)
    @rule(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
    def change_a_byte_of_the_part(self, place, bit):
        """It is noticed, or it does not matter: the end is the same."""

        def change(data):
            at = int(place * len(data))
            return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]

        self.damaged(self.part, change)

    @precondition(lambda self: self.note.exists())
    @rule(share=st.floats(0, 0.99), garbage=GARBAGE)
    def spoil_the_note(self, share, garbage):
        """It is refused and left as it is; put right, the sweep goes on."""
        before = self.note.read_bytes()
        self.note.write_bytes(before[: int(share * len(before))] + garbage)
        spoilt = self.note.read_bytes()
        with pytest.raises(tc.DomainError, match="does not belong to a sweep of this version, or was changed"):
            self.sweep()
        assert self.note.read_bytes() == spoilt
        self.note.write_bytes(before)

    @precondition(lambda self: self.has_a_part and json.loads(self.note.read_text())["points"] > 0)
    @rule(over=st.sampled_from([OVER | {"alpha": ["0.1", "0.3"]}, OVER | {"ridge": "1e-3:9:7:log"}]))
    def resume_with_another_grid(self, over):
        before = self.part.read_bytes()
        with pytest.raises(tc.DomainError, match="belongs to another grid"):
            self.sweep(over=over)
        assert self.part.read_bytes() == before

    @invariant()
    def what_has_its_name_is_complete(self):
        for ending in ("csv", "json", "nc"):
            path = self.folder / f"grid.{ending}"
            assert not path.exists() or path.read_bytes() == whole_grid(ending)

    def teardown(self) -> None:
        self.resume()
        self.patch.undo()
        super().teardown()


TestSimulation = Simulation.TestCase
TestSimulation.settings = STEPS
TestGrid = Grid.TestCase
TestGrid.settings = STEPS

"""A sweep that is stopped goes on to the same bytes, and never with the files of another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy.io import netcdf_file

import theorycalc as tc
from tests.helpers.problems import problem
from tests.helpers.processes import started, wait_until
from tests.helpers.sweeps import ENDINGS, NAMES, OVER, PROBLEM, begun, cut_small, stop_after, swept, written_whole
from theorycalc.running.files import with_checksum
from theorycalc.sweeps import formats, grid
from theorycalc.sweeps import writing as output

small_pieces = pytest.fixture(autouse=True)(cut_small)
whole = pytest.fixture(scope="module")(written_whole)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_an_interruption_is_gone_on_with_to_the_same_bytes(monkeypatch, tmp_path, whole, ending, count):
    path = tmp_path / f"grid.{ending}"
    with monkeypatch.context() as patch:
        stop_after(patch, count, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted, match=r"interrupted; \d+ of 42 points are in .*part; resume=True"):
            swept(path)
    assert sorted(os.listdir(tmp_path)) == [f"grid.{ending}.part", f"grid.{ending}.progress"]
    if count:
        with pytest.raises(tc.ArgumentError, match="points of an earlier sweep; continue it with resume=True") as kept:
            swept(path)
        assert kept.value.argument == "resume"
    done = swept(path, resume=True)
    assert os.listdir(tmp_path) == [f"grid.{ending}"]
    assert path.read_bytes() == whole[ending]
    assert done.missing == 14
    assert str(path) in repr(done)


def test_the_part_that_is_done_can_be_read(monkeypatch, tmp_path, whole):
    for ending in ENDINGS:
        with monkeypatch.context() as patch:
            stop_after(patch, 5, KeyboardInterrupt())
            with pytest.raises(tc.SweepInterrupted):
                swept(tmp_path / f"grid.{ending}")
    points = json.loads((tmp_path / "grid.nc.progress").read_text())["points"]
    assert 0 < points < 42
    part = (tmp_path / "grid.csv.part").read_bytes()
    assert whole["csv"].startswith(part)
    assert part.count(b"\n") == 1 + points
    assert whole["json"].startswith((tmp_path / "grid.json.part").read_bytes())
    with netcdf_file(tmp_path / "grid.nc.part", mmap=False) as file:
        flat = file.variables["test_gain"][:].ravel()
    wanted = np.ma.filled(tc.sweep(PROBLEM, OVER, quantities=NAMES)["test_gain"], np.nan).ravel()
    assert np.array_equal(flat[:points], wanted[:points], equal_nan=True)
    assert np.isnan(flat[points:]).all()  # what is not done is no number


def test_what_fails_keeps_what_is_done(monkeypatch, tmp_path, whole):
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, MemoryError("no room"))
        with pytest.raises(tc.SweepError, match=r"begins at activation=relu.*: no room; 10 of 42 points are in"):
            swept(path)
    swept(path, resume=True)
    assert path.read_bytes() == whole["csv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"over": OVER | {"ridge": "1e-3:10:8:log"}}, r"axes.ridge.length is 7 there and 8 here"),
        ({"over": OVER | {"ridge": "1e-3:11:7:log"}}, r"axes.ridge.sha256 is"),
        ({"over": OVER | {"alpha": ["0.1", "0.25", "0.31"]}}, r"axes.alpha.sha256 is"),
        ({"over": dict(reversed(OVER.items()))}, "order is"),
        ({"quantities": ["test_loss", "test_gain"]}, "quantities is"),
        ({"problem": tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10")}, "problem.noise is '1/2'"),
    ],
)
def test_another_grid_is_refused_and_left_as_it_is(tmp_path, change, message):
    path = tmp_path / "grid.csv"
    begun(path)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    options = {"problem": PROBLEM, "over": OVER, "quantities": NAMES} | change
    with pytest.raises(tc.DomainError, match=f"belongs to another grid: {message}"):
        tc.sweep(**options, output=path, resume=True)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_a_fixed_parameter_that_varies_is_no_part_of_the_problem(tmp_path, whole):
    """The ridge of the problem plays no role when ridges are swept."""
    path = tmp_path / "grid.csv"
    begun(path)
    other = problem("tanh", "H1 + H2/2", ridge="7")
    tc.sweep(other, OVER, quantities=NAMES, output=path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_a_note_that_cannot_be_true_is_refused(monkeypatch, tmp_path):
    path, note = tmp_path / "grid.nc", tmp_path / "grid.nc.progress"
    begun(path)
    data = json.loads(note.read_text())
    del data["crc32"]
    for changes in ({"points": data["points"] + 1}, {"length": 0}, {"stretches": [[0, 1]]}, {"grid": []}):
        note.write_text(json.dumps(with_checksum(data | changes)))
        with pytest.raises(tc.DomainError, match="does not belong to a sweep of this version"):
            swept(path, resume=True)
    note.write_text(json.dumps(with_checksum(data)))
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 6)  # as another version may cut it
    with pytest.raises(tc.DomainError, match="points_at_once is 5 there and 6 here"):
        swept(path, resume=True)


def test_a_netcdf_of_another_layout_is_refused(monkeypatch, tmp_path):
    """The header of another version may be longer: its values stand elsewhere."""
    path = tmp_path / "grid.nc"
    begun(path)
    monkeypatch.setattr(formats, "__version__", "100.0.0.dev12345")
    with pytest.raises(tc.DomainError, match="does not belong to a sweep of this version") as refused:
        swept(path, resume=True)
    assert refused.value.argument == "output"


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_byte_of_a_note_is_checked(tmp_path, ending):
    """A number that still could be true, such as another end of a piece, is not believed."""
    path, note = tmp_path / f"grid.{ending}", tmp_path / f"grid.{ending}.progress"
    begun(path)
    before = note.read_text()
    data = json.loads(before)
    for changes in ({"points": 7}, {"missing": data["missing"] + 1}, {"length": data["length"] - 1}):
        note.write_text(json.dumps(data | changes))
        assert note.read_text() != before
        with pytest.raises(tc.DomainError, match="or was changed; it is left unchanged"):
            swept(path, resume=True)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_any_byte_that_changed_in_the_part_is_noticed(tmp_path, whole, ending):
    """Of what counts; what does not, such as the values of NetCDF still to come, is written again anyway."""
    path, part = tmp_path / f"grid.{ending}", tmp_path / f"grid.{ending}.part"
    begun(path)
    note, before = (tmp_path / f"grid.{ending}.progress").read_bytes(), part.read_bytes()
    counted = {i for begin, end, _ in json.loads(note)["stretches"] for i in range(begin, end)}
    assert (len(counted) == len(before)) == (ending != "nc")
    for at in range(0, len(before), max(1, len(before) // 60)):
        part.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1 :])
        (tmp_path / f"grid.{ending}.progress").write_bytes(note)
        done = swept(path, resume=True)
        assert path.read_bytes() == whole[ending]
        assert ("was changed or cut since it was written, and is started again" in repr(done)) == (at in counted)


def test_what_counts_of_netcdf_is_what_is_done(tmp_path, whole):
    """The header but for a note that is blank, the axes, and of every quantity the points that are done."""
    path = tmp_path / "grid.nc"
    begun(path)
    note = json.loads((tmp_path / "grid.nc.progress").read_text())
    left = (42 - note["points"]) * len(NAMES) * 8
    assert sum(end - begin for begin, end, _ in note["stretches"]) == len(whole["nc"]) - left


@pytest.mark.slow
def test_a_blank_note_on_missing_values_is_written_again(monkeypatch, tmp_path):
    """It does not count, since a killed process may have written it after the last note of how far it was."""
    path, over = tmp_path / "grid.nc", {"n": 40, "alpha": 0.1, "ridge": "1e-3:10:130:log"}
    tc.sweep(PROBLEM, over, quantities=NAMES, output=path)
    wanted = path.read_bytes()
    with monkeypatch.context() as patch:
        stop_after(patch, 1, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            tc.sweep(PROBLEM, over, quantities=NAMES, output=path)
    part = tmp_path / "grid.nc.part"
    assert part.read_bytes().count(b" " * 1024) == 1
    part.write_bytes(part.read_bytes().replace(b" " * 1024, b"spoilt" + b" " * 1018))
    tc.sweep(PROBLEM, over, quantities=NAMES, output=path, resume=True)
    assert path.read_bytes() == wanted


def test_a_part_that_cannot_be_read_is_left(monkeypatch, tmp_path):
    path = tmp_path / "grid.csv"
    begun(path)
    before = (tmp_path / "grid.csv.part").read_bytes()

    def failing(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(output.State, "is_in", failing)
        with pytest.raises(tc.ArgumentError, match=r"cannot read .*grid.csv.part: Input/output error"):
            swept(path, resume=True)
    assert (tmp_path / "grid.csv.part").read_bytes() == before


def test_a_note_without_its_part_is_begun_anew(tmp_path, whole):
    path = tmp_path / "grid.csv"
    begun(path)
    (tmp_path / "grid.csv.part").unlink()
    swept(path)
    assert path.read_bytes() == whole["csv"]


def test_an_older_file_stays_until_the_new_one_is_complete(tmp_path, whole):
    path = tmp_path / "grid.csv"
    path.write_text("the old one")
    begun(path)
    assert path.read_text() == "the old one"
    swept(path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_what_a_process_left_that_was_killed_while_it_took_a_note_is_removed(tmp_path, whole):
    path = tmp_path / "grid.csv"
    begun(path)
    (tmp_path / "grid.csv.progress.12345.part").write_text('{"theorycalc_sw')
    swept(path, resume=True)
    assert os.listdir(tmp_path) == ["grid.csv"]
    assert path.read_bytes() == whole["csv"]


def test_another_version_is_noted(monkeypatch, tmp_path):
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        patch.setitem(output._VERSIONS, "numpy", "1.0")
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    assert "begun with numpy 1.0, this is" in repr(swept(path, resume=True))


def test_of_a_disk_too_full_for_the_note_the_last_note_counts(monkeypatch, tmp_path, whole):
    path, real, notes = tmp_path / "grid.json", output.write_atomically, []

    def failing(place, text):
        notes.append(json.loads(text)["points"])
        if len(notes) > 3:
            raise tc.ArgumentError(f"cannot write {place}: No space left on device")
        real(place, text)

    with monkeypatch.context() as patch:
        patch.setattr(output, "write_atomically", failing)
        with pytest.raises(tc.SweepError, match=r"No space left on device; 7 of 42 points are in"):
            swept(path)
    assert notes[:3] == [0, 3, 7]
    swept(path, resume=True)
    assert path.read_bytes() == whole["json"]


SCRIPT = """
    import sys, time
    import theorycalc as tc
    from theorycalc.sweeps import evaluation
    from theorycalc.sweeps import grid
    from theorycalc.sweeps import writing as output
    from theorycalc.sweeps import sweeping
    from tests.helpers.sweeps import NAMES, OVER, PROBLEM

    grid._LIMITS_AT_ONCE, output._OFTEN = 5, 0.0

    def slowly(*task):
        time.sleep(0.05)
        return evaluation.evaluate(*task)

    sweeping.evaluate = slowly
    tc.sweep(PROBLEM, OVER, quantities=NAMES, output=sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_is_gone_on_with_to_the_same_bytes(tmp_path, whole, ending, blow):
    path, note = tmp_path / f"grid.{ending}", tmp_path / f"grid.{ending}.progress"
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), path]
    with started(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        wait_until(lambda: note.exists() and json.loads(note.read_text())["points"] >= 10, process)
        process.send_signal(blow)
        _, words = process.communicate()
    assert not path.exists()
    if blow == signal.SIGINT:
        assert "SweepInterrupted: interrupted; " in words
    swept(path, resume=True)
    assert path.read_bytes() == whole[ending]
    assert os.listdir(tmp_path) == [path.name]

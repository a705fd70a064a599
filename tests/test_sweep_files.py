"""Grids in files: their formats, interruptions, and what is done by whom."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from scipy.io import netcdf_file

import theorycalc as tc
from theorycalc.grids import evaluation, grid, output, sweeping

PROBLEM = tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
OVER = {"activation": ["relu", "where(x > 0, x, x/10)"], "alpha": ["0.1", "0.25", "0.3"], "ridge": "1e-3:10:7:log"}
NAMES = ["test_gain", "test_loss"]
ENDINGS = ("csv", "json", "nc")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    monkeypatch.setattr(output, "_OFTEN", 0.0)


def swept(path, **options):
    return tc.sweep(PROBLEM, OVER, quantities=NAMES, output=path, **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of every format, written without interruption in this process."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_LIMITS_AT_ONCE", 5)
        for ending in ENDINGS:
            swept(folder / f"grid.{ending}")
    assert sorted(os.listdir(folder)) == ["grid.csv", "grid.json", "grid.nc"]
    return {ending: (folder / f"grid.{ending}").read_bytes() for ending in ENDINGS}


def test_text_has_the_rows_of_the_sweep_in_memory(whole):
    memory = tc.sweep(PROBLEM, OVER, quantities=NAMES)
    assert whole["csv"].decode() == memory.to_csv()
    assert json.loads(whole["json"]) == memory.to_dict()
    rows = list(csv.DictReader(whole["csv"].decode().splitlines()))
    assert len(rows) == 42
    assert [row["activation"] for row in rows[20:22]] == ["relu", "where(x > 0, x, x/10)"]


def test_netcdf_is_read_by_scipy_and_by_xarray(whole, tmp_path):
    import xarray

    path = tmp_path / "grid.nc"
    path.write_bytes(whole["nc"])
    memory = tc.sweep(PROBLEM, OVER, quantities=NAMES)
    with netcdf_file(path, mmap=False) as file:
        assert file.version_byte == 2
        assert file.theorycalc.decode() == tc.__version__
        assert json.loads(file.problem.decode())["phi"] == "1/2"
        assert "activation=relu, alpha=0.25, ridge=0.001: alpha=1/4 is on the boundary" in file.missing.decode()
        assert np.array_equal(file.variables["ridge"][:], memory.axes["ridge"])
        for name in NAMES:
            read = file.variables[name][:]
            assert np.array_equal(np.isnan(read), memory[name].mask)
            assert np.array_equal(read[~memory[name].mask], memory[name].compressed())
    with xarray.open_dataset(path) as dataset:
        assert dataset.sizes == {"activation": 2, "alpha": 3, "ridge": 7}
        assert list(dataset["activation"].values) == OVER["activation"]
        xarray.testing.assert_equal(dataset.load(), memory.to_dataset())
        assert dataset["ridge"].attrs["long_name"] == "λ in (1/n)‖y − Fa‖² + λ‖a‖²"


def test_netcdf_of_one_number_and_of_letters_beyond_ascii(tmp_path):
    import xarray

    named = tc.Activation.from_callable(np.tanh, name="σ, my own")
    tc.sweep(PROBLEM, {"activation": [named], "ell": ["inf"]}, quantities="m1", output=tmp_path / "one.nc")
    with xarray.open_dataset(tmp_path / "one.nc") as dataset:
        assert dataset["m1"].shape == (1, 1)
        assert list(dataset["activation"].values) == ["σ, my own"]
        assert list(dataset["ell"].values) == [np.inf]


def stop_after(monkeypatch, count, error):
    real, calls = evaluation.evaluate, []

    def stopping(block):
        calls.append(block)
        if len(calls) > count:
            raise error
        return real(block)

    monkeypatch.setattr(sweeping, "evaluate", stopping)


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
        with pytest.raises(tc.ArgumentError, match="points of an earlier sweep; go on with it by resume=True"):
            swept(path)
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
def test_another_grid_is_refused_and_left_as_it_is(monkeypatch, tmp_path, change, message):
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    options = {"problem": PROBLEM, "over": OVER, "quantities": NAMES} | change
    with pytest.raises(tc.DomainError, match=f"is of another grid: {message}"):
        tc.sweep(**options, output=path, resume=True)
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_a_fixed_parameter_that_varies_is_no_part_of_the_problem(monkeypatch, tmp_path, whole):
    """The ridge of the problem plays no role when ridges are swept."""
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    other = tc.Problem("tanh", "H1 + H2/2", phi="1/2", psi="2/3", ridge="7", noise="1/2")
    tc.sweep(other, OVER, quantities=NAMES, output=path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_files_of_others_are_left_alone(tmp_path):
    path = tmp_path / "grid.csv"
    (tmp_path / "grid.csv.part").write_text("mine")
    with pytest.raises(tc.ArgumentError, match=r"grid.csv.part is there, and is not of a sweep of ours"):
        swept(path)
    (tmp_path / "grid.csv.part").unlink()
    for text in ("mine", "[]", '{"theorycalc_sweep": 1}', '{"theorycalc_sweep": 1, "grid": {}, "points": -1}'):
        (tmp_path / "grid.csv.progress").write_text(text)
        with pytest.raises(tc.DomainError, match="is not of a sweep of this version; it is left as it is"):
            swept(path)
        assert (tmp_path / "grid.csv.progress").read_text() == text


def test_a_note_that_cannot_be_true_is_refused(monkeypatch, tmp_path):
    path, note = tmp_path / "grid.nc", tmp_path / "grid.nc.progress"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    data = json.loads(note.read_text())
    note.write_text(json.dumps(data | {"points": data["points"] + 1}))
    with pytest.raises(tc.DomainError, match="is not of a sweep of this version"):
        swept(path, resume=True)
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 6)  # as another version may cut it
    with pytest.raises(tc.DomainError, match="points_at_once is 5 there and 6 here"):
        swept(path, resume=True)


def test_a_note_without_its_part_is_begun_anew(monkeypatch, tmp_path, whole):
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    (tmp_path / "grid.csv.part").unlink()
    swept(path)
    assert path.read_bytes() == whole["csv"]


def test_an_older_file_stays_until_the_new_one_is_complete(monkeypatch, tmp_path, whole):
    path = tmp_path / "grid.csv"
    path.write_text("the old one")
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    assert path.read_text() == "the old one"
    swept(path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_another_version_is_noted(monkeypatch, tmp_path):
    path = tmp_path / "grid.csv"
    with monkeypatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        patch.setitem(output._VERSIONS, "numpy", "1.0")
        with pytest.raises(tc.SweepInterrupted):
            swept(path)
    assert "begun with numpy 1.0, this is" in repr(swept(path, resume=True))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("grid.txt", r"must end in \.csv, \.json or \.nc"),
        ("grid", r"must end in \.csv"),
        ("nowhere/grid.csv", "does not exist; make it first"),
        (3, "not the name of a file"),
        ("", "not the name of a file"),
        ("a\0b.csv", "not the name of a file"),
    ],
)
def test_bad_names_are_refused_before_any_work(monkeypatch, tmp_path, name, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweeping, "check_cells", None)
    with pytest.raises(tc.ArgumentError, match=message):
        swept(name)
    assert os.listdir(tmp_path) == []


def test_too_many_points_for_a_format_are_told_the_way_out(tmp_path):
    many = {"ell": 1, "ridge": np.linspace(1, 2, 4000), "phi": np.linspace(1, 2, 4000)}
    with pytest.raises(tc.ArgumentError, match=r"16000000 points, and text is written up to 10000000; .*grid.nc"):
        tc.sweep(PROBLEM, many, output=tmp_path / "grid.csv")
    many["psi"] = np.linspace(1, 2, 40)
    with pytest.raises(tc.ArgumentError, match=r"NetCDF holds 536870911 of a quantity; sweep parts of it"):
        tc.sweep(PROBLEM, many, output=tmp_path / "grid.nc")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_an_error_of_ours(monkeypatch, tmp_path):
    class Full(output.FileIO):
        def write(self, data):
            if self.tell() > 1000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    monkeypatch.setattr(output, "FileIO", Full)
    with pytest.raises(tc.SweepError, match=r"grid.nc.part: No space left on device$"):
        swept(tmp_path / "grid.nc")
    assert os.listdir(tmp_path) == []  # nothing was done
    with pytest.raises(tc.SweepError, match=r"grid.csv.part: No space left on device; 1\d of 42 points are in .*part"):
        swept(tmp_path / "grid.csv")
    note = json.loads((tmp_path / "grid.csv.progress").read_text())
    assert (tmp_path / "grid.csv.part").read_bytes().count(b"\n") == 1 + note["points"]
    monkeypatch.undo()
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    swept(tmp_path / "grid.csv", resume=True)


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


def test_a_folder_one_may_not_write_to(monkeypatch, tmp_path):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(output.os, "open", denied)
    with pytest.raises(tc.ArgumentError, match=r"cannot write .*part: Permission denied"):
        swept(tmp_path / "grid.csv")


def test_two_do_not_write_the_same_file(monkeypatch, tmp_path):
    path = tmp_path / "grid.csv"
    real, refused = evaluation.evaluate, []

    def meanwhile(block):
        with pytest.raises(tc.ArgumentError, match="another process is computing into") as error:
            swept(path, resume=True)
        refused.append(error)
        return real(block)

    monkeypatch.setattr(sweeping, "evaluate", meanwhile)
    swept(path)
    assert refused


def test_a_link_stays_a_link(tmp_path, whole):
    (tmp_path / "there").mkdir()
    link = tmp_path / "grid.csv"
    link.symlink_to(tmp_path / "there" / "real.csv")
    swept(link)
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.csv").read_bytes() == whole["csv"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_threads_and_processes_write_the_same_bytes(tmp_path, whole, ending):
    path = tmp_path / f"grid.{ending}"
    with ThreadPoolExecutor(3) as pool:
        swept(path, executor=pool)
    assert path.read_bytes() == whole[ending]
    if ending == "nc":
        swept(path, workers=2)
        assert path.read_bytes() == whole[ending]
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            swept(path, executor=pool)
        assert path.read_bytes() == whole[ending]


def test_finite_steps_write_the_same_bytes_in_processes(monkeypatch, tmp_path):
    monkeypatch.setattr(grid, "_STEPS_AT_ONCE", 3)
    problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    over = {"n": [100, 150], "alpha": "0:0.4:4"}
    tc.sweep(problem, over, output=tmp_path / "one.csv")
    tc.sweep(problem, over, output=tmp_path / "two.csv", workers=2)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_broken_pool_keeps_what_is_done(tmp_path, whole):
    path = tmp_path / "grid.csv"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(os._exit, 1)
        with pytest.raises(tc.SweepError, match=r"a worker of the executor died.*; 0 of 42 points are in"):
            swept(path, executor=pool)
    swept(path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_what_cannot_be_sent_is_refused(tmp_path):
    own = tc.Activation.from_callable(lambda x: np.tanh(x) + x, name="own")
    with pytest.raises(tc.ArgumentError, match="cannot be sent to worker processes"):
        tc.sweep(PROBLEM, {"activation": [own], "ell": 1}, workers=2)


SCRIPT = """
    import sys, time
    import theorycalc as tc
    from theorycalc.grids import evaluation, grid, output, sweeping
    from tests.test_sweep_files import NAMES, OVER, PROBLEM

    grid._LIMITS_AT_ONCE, output._OFTEN = 5, 0.0

    def slowly(block):
        time.sleep(0.05)
        return evaluation.evaluate(block)

    sweeping.evaluate = slowly
    tc.sweep(PROBLEM, OVER, quantities=NAMES, output=sys.argv[1])
"""


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_process_is_gone_on_with_to_the_same_bytes(tmp_path, whole, ending, blow):
    path, note = tmp_path / f"grid.{ending}", tmp_path / f"grid.{ending}.progress"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), path], stderr=subprocess.PIPE, encoding="utf-8"
    )
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and process.poll() is None:
            if note.exists() and json.loads(note.read_text())["points"] >= 10:
                break
            time.sleep(0.005)
        process.send_signal(blow)
        _, words = process.communicate(timeout=30)
    finally:
        process.kill()
    assert not path.exists()
    if blow == signal.SIGINT:
        assert "SweepInterrupted: interrupted; " in words
    swept(path, resume=True)
    assert path.read_bytes() == whole[ending]
    assert os.listdir(tmp_path) == [path.name]

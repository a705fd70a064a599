"""The files of a sweep: what they hold, where they may be, and disks that are full."""

from __future__ import annotations

import json
import os

import pytest

import theorycalc as tc
from tests.helpers.sweeps import cut_small, swept, written_whole
from theorycalc.running import files
from theorycalc.sweeps import evaluation, grid, sweeping

small_pieces = pytest.fixture(autouse=True)(cut_small)
whole = pytest.fixture(scope="module")(written_whole)


def test_files_of_others_are_left_alone(tmp_path):
    path = tmp_path / "grid.csv"
    (tmp_path / "grid.csv.part").write_text("mine")
    with pytest.raises(tc.ArgumentError, match=r"grid.csv.part exists, and is not of a sweep of theorycalc"):
        swept(path)
    (tmp_path / "grid.csv.part").unlink()
    for text in ("mine", "[]", '{"theorycalc_sweep": 1}', '{"theorycalc_sweep": 1, "grid": {}, "points": -1}'):
        (tmp_path / "grid.csv.progress").write_text(text)
        with pytest.raises(
            tc.DomainError, match="does not belong to a sweep of this version, or was changed; it is left"
        ):
            swept(path)
        assert (tmp_path / "grid.csv.progress").read_text() == text


def test_a_full_disk_is_an_error_of_ours(monkeypatch, tmp_path):
    class Full(files.FileIO):
        def write(self, data):
            if self.tell() > 1000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    monkeypatch.setattr(files, "FileIO", Full)
    with pytest.raises(tc.SweepError, match=r"grid.nc.part: No space left on device$"):
        swept(tmp_path / "grid.nc")
    assert os.listdir(tmp_path) == []  # nothing was done
    told = r"grid.csv.part: No space left on device; 1\d of 42 points are in .*part"
    with pytest.raises(tc.SweepError, match=told) as failure:
        swept(tmp_path / "grid.csv")
    assert failure.value.argument == "output"
    note = json.loads((tmp_path / "grid.csv.progress").read_text())
    assert (tmp_path / "grid.csv.part").read_bytes().count(b"\n") == 1 + note["points"]
    monkeypatch.undo()
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    swept(tmp_path / "grid.csv", resume=True)


def test_a_folder_one_may_not_write_to(monkeypatch, tmp_path):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "open", denied)
    with pytest.raises(tc.ArgumentError, match=r"cannot write .*part: Permission denied"):
        swept(tmp_path / "grid.csv")


def test_two_do_not_write_the_same_file(monkeypatch, tmp_path):
    path = tmp_path / "grid.csv"
    real, refused = evaluation.evaluate, []

    def meanwhile(*task):
        with pytest.raises(tc.ArgumentError, match="another process is writing to") as error:
            swept(path, resume=True)
        refused.append(error)
        return real(*task)

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

"""Files are written whole or not at all, and have checksums."""

from __future__ import annotations

import os

import pytest

import theorycalc as tc
from theorycalc.running.files import has_its_checksum, write_atomically

pytestmark = pytest.mark.slow


def test_checksums_of_content_that_json_cannot_have():
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(tc.DomainError, match="too large or nested too deeply"):
        has_its_checksum({"a": nested, "crc32": 1})
    assert not has_its_checksum({"a": float("inf"), "crc32": 1})


def test_ctrl_c_while_a_file_is_written_leaves_the_old_one_and_nothing_beside_it(tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    path = tmp_path / "run.json"
    write_atomically(path, "old")
    monkeypatch.setattr("theorycalc.running.files.os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.json"]

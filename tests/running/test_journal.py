"""The journal: what was done is on disk, whatever happens next."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.runs import VALUES
from theorycalc.errors import ArgumentError, DomainError, SimulationError
from theorycalc.running.files import read_json
from theorycalc.running.journal import first_difference, open_journal
from theorycalc.simulation.records import check_record

SETTINGS = {"seed": 0, "n": 50, "replicates": 3, "problem": {"noise": "1/2"}}


def record(eta: float, index: int, **changes) -> dict:
    row = {"model": "network", "ridge": 0.1} | dict.fromkeys(VALUES, eta + index / 7)
    traces = [{"ridge": 0.1, "m1": 1 / 3, "m2": 0.25}]
    return {"alpha": None, "eta": eta, "replicate": index, "rows": [row], "traces": traces} | changes


def check(data):
    return check_record(data, models=["network"], ridges=[0.1], traces=True)


def write(path: Path, *steps: tuple[float, int], settings=SETTINGS, resume=False) -> None:
    """Append records of these η and replicates, each alone."""
    with open_journal(path, settings, resume, check) as journal:
        for step in steps:
            journal.append([record(*step)])


def read(path: Path, settings=SETTINGS):
    """The records that a journal holds, by η and replicate, and its notes."""
    with open_journal(path, settings, True, check) as journal:
        assert all(alpha is None for alpha, _, _ in journal.found)
        return {key[1:]: found for key, found in journal.found.items()}, journal.notes


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json.journal"


def test_every_record_is_one_line_and_comes_back_bit_by_bit(path):
    write(path, (0, 0), (2, 1))
    assert len(path.read_bytes().splitlines()) == 3
    assert read(path) == ({(0, 0): record(0, 0), (2, 1): record(2, 1)}, ())


def test_a_record_is_on_disk_before_the_next_is_computed(path):
    with open_journal(path, SETTINGS, False, check) as journal:
        journal.append([record(0, 0), record(1, 0)])
        assert len(path.read_bytes().splitlines()) == 3
    assert list(read(path)[0]) == [(0, 0), (1, 0)]


@pytest.mark.parametrize("cut", [1, 2, 30, 200])
def test_a_torn_last_line_is_dropped_and_written_over(path, cut):
    write(path, (0, 0), (0, 1))
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert list(read(path)[0]) == [(0, 0)]
    write(path, (0, 1), resume=True)
    assert path.read_bytes() == whole


def test_a_torn_header_is_begun_anew(path):
    write(path, (0, 0))
    whole = path.read_bytes()
    for cut in (0, 1, 10, 40):
        path.write_bytes(whole[:cut])
        write(path, (0, 0))
        assert path.read_bytes() == whole


@pytest.mark.parametrize("bad", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b'{"eta": -9}', b"[" * 10**5, b"9" * 5000])
def test_a_damaged_line_costs_that_replicate_only(path, bad):
    write(path, (0, 0), (0, 1), (0, 2))
    lines = path.read_bytes().splitlines()
    lines[2] = bad
    path.write_bytes(b"\n".join(lines) + b"\n")
    found, notes = read(path)
    assert list(found) == [(0, 0), (0, 2)]
    assert len(notes) == 1
    assert "line 3 of" in notes[0]


@pytest.mark.parametrize("digit", [b"0", b"7"])
def test_a_digit_that_changed_on_the_disk_is_no_result(path, digit):
    write(path, (0, 0), (1, 3))
    lines = path.read_bytes().splitlines(keepends=True)
    at = lines[2].index(b"1.4285714285714286") + 4  # 1 + 3/7
    lines[2] = lines[2][:at] + digit + lines[2][at + 1 :]
    path.write_bytes(b"".join(lines))
    found, notes = read(path)
    assert list(found) == [(0, 0)]
    assert "its checksum does not match its content" in notes[0]


def test_many_damaged_lines_are_counted(path):
    write(path, (0, 0))
    with open(path, "ab") as file:
        file.write(b"\n" * 1000)
    found, notes = read(path)
    assert list(found) == [(0, 0)]
    assert len(notes) == 11
    assert notes[-1].startswith("990 more lines of")


def test_a_replicate_counts_once(path):
    write(path, (0, 0), (0, 0), (0, 1))
    assert list(read(path)[0]) == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"problem": {"noise": "0"}}, "problem.noise is '1/2' there and '0' here"),
        ({"steps": 2}, "steps is None there and 2 here"),
    ],
)
def test_other_settings_are_refused_and_the_file_left_alone(path, changes, message):
    write(path, (0, 0))
    before = path.read_bytes()
    with pytest.raises(DomainError, match=message) as refused:
        read(path, SETTINGS | changes)
    assert refused.value.argument == "output"
    assert path.read_bytes() == before


def test_more_replicates_or_steps_are_the_same_simulation(path):
    write(path, (0, 0))
    for more in ({"replicates": 30}, {"steps_taken": [{"alpha": None, "eta": 1.0}]}):
        assert list(read(path, SETTINGS | more)[0]) == [(0, 0)]
        assert first_difference(SETTINGS, SETTINGS | more) is None


def test_work_is_not_overwritten_without_resume(path):
    write(path, (0, 0))
    with pytest.raises(ArgumentError, match="continue it with resume=True") as refused:
        write(path, (0, 1))
    assert refused.value.argument == "resume"
    assert list(read(path)[0]) == [(0, 0)]


@pytest.mark.parametrize(
    "content", [b"my notes", b"my notes\n", b'{"a": 1}\n', b"{}\n{}\n", b"{}", b'{"theorycalc": 1']
)
def test_what_is_no_journal_is_left_as_it_is(path, content):
    path.write_bytes(content)
    with pytest.raises(DomainError, match="left unchanged") as refused:
        read(path)
    assert refused.value.argument == "output"
    assert path.read_bytes() == content


def test_another_version_is_noted(path):
    write(path, (0, 0))
    lines = path.read_text().splitlines()
    lines[0] = json.dumps(json.loads(lines[0]) | {"numpy": "1.0"})
    path.write_text("\n".join(lines) + "\n")
    assert "begun with numpy '1.0'" in read(path)[1][0]


def test_a_second_process_is_refused(path):
    code = (
        "import sys; from pathlib import Path; from theorycalc.running.journal import open_journal\n"
        "with open_journal(Path(sys.argv[1]), {}, True, dict): pass"
    )
    with open_journal(path, {}, False, dict):
        done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, encoding="utf-8", check=False)
        assert "another process is writing to" in done.stderr
        with pytest.raises(ArgumentError, match="another process") as refused, open_journal(path, {}, True, dict):
            pass
    assert refused.value.argument == "output"
    subprocess.run([sys.executable, "-c", code, path], check=True)


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(ArgumentError, match="cannot open the journal") as refused:
        write(tmp_path)
    assert refused.value.argument == "output"
    with pytest.raises(ArgumentError, match="cannot open the journal"):
        write(tmp_path / "no" / "such" / "folder")


def test_a_full_disk_leaves_what_was_written(path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    write(path, (0, 0))
    whole = path.read_bytes()
    with open_journal(path, SETTINGS, True, check) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, before[1]))
        try:
            with pytest.raises(SimulationError, match=r"cannot write to the journal .*: File too large"):
                journal.append([record(0, 1), record(1, 1)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_bytes() == whole
        journal.append([record(0, 1), record(1, 1)])  # there is room again
    assert list(read(path)[0]) == [(0, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (record(0, -1), "replicate -1"),
        (record(-1, 0), "eta -1 is not a non-negative number"),
        (record(True, 0), "eta True"),
        (record(0, 0) | {"eta": None}, "eta None"),
        (record(0, 0) | {"eta": float("inf")}, "eta inf"),
        (record(0, 0, alpha="1"), "alpha '1' is not a number"),
        (record(0, 0, alpha=float("inf")), "alpha inf is not a number"),
        (record(0, 0, rows=[]), "it has 0 rows, not 1"),
        (record(0, 0, rows="x"), "not a list of rows"),
        (record(0, 0, rows=[{"model": "spiked", "ridge": 0.1}]), "not those of the models"),
        (record(0, 0, rows=[record(0, 0)["rows"][0] | {"test_gain": "1"}]), "test_gain in its rows is '1'"),
        (record(0, 0, rows=[record(0, 0)["rows"][0] | {"test_gain": 1e999}]), "test_gain in its rows is inf"),
        (record(0, 0, traces=None), "traces"),
        (record(0, 0, rows=[record(0, 0)["rows"][0] | {"cell": 9}]), r"its rows have \['cell'\], which are not ours"),
        (record(0, 0, traces=[record(0, 0)["traces"][0] | {"test_gain": "x"}]), "its traces have"),
        (record(0, 0, traces=[{"ridge": 0.1, "m1": 1.0}]), "m2 in its traces is None"),
        ([], "a list, not a record"),
    ],
)
def test_records_are_checked(data, message):
    with pytest.raises(DomainError, match=message):
        check(data)


def test_nothing_but_json_is_read():
    for text in ("NaN", "[Infinity]", "__import__('os')", "{'a': 1}", b"\xff", "[" * 10**5):
        with pytest.raises(DomainError, match="not JSON"):
            read_json(text)

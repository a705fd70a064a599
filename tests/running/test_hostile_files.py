"""Files that are read back — runs, journals, the notes of sweeps — with content that was made to do harm.

Each is read in a process with little memory: an error of ours, soon, and nothing executed.  Nothing else
is read back: grids are bytes that are not parsed, and there are no caches, archives or pickles.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import pytest

import theorycalc as tc
from tests.helpers.problems import NETWORK as PROBLEM
from tests.helpers.processes import started
from theorycalc.running.files import with_checksum
from theorycalc.running.journal import provenance
from theorycalc.simulation.settings import read_settings
from theorycalc.sweeps.writing import read_state

pytestmark = pytest.mark.slow
SMALL = {"n": 20, "alpha": [0.1], "replicates": 2, "seed": 5}
MEMORY = 1500 << 20  # bytes of addresses, of which Python and its libraries take the first 700 MB
MEGABYTE = 1 << 20
SCRIPT = f"""
    import json, resource, sys
    import theorycalc as tc
    from tests.running.test_hostile_files import PROBLEM, SMALL

    def read(kind, path):
        if kind == "run":
            return len(tc.load_run(path).records)
        if kind == "journal":
            run = tc.simulate(PROBLEM, **SMALL, output=path, resume=True)
            return [len(run.records), *run.notes]
        tc.sweep(PROBLEM, {{"ell": [1, 2]}}, quantities="m1", output=path, resume=True)
        return "whole"

    tc.simulate(PROBLEM, **SMALL)  # what is imported late is imported now
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
    for line in sys.stdin:
        try:
            found = read(*json.loads(line))
        except tc.TheoryError as error:
            found = f"{{type(error).__name__}}: {{error}}"
        print(json.dumps(found), flush=True)
"""


@pytest.fixture(scope="module")
def answer():
    """What reading a file comes to, in a process with little memory; anything but an answer is a failure."""
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT)]
    with started(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:

        def ask(kind: str, path: Path):
            print(json.dumps([kind, str(path)]), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield ask


class Payload:
    """Unpickled, it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (os.system, (f"touch {self.path}",))


def huge(piece: bytes, size: int = 100 * MEGABYTE) -> bytes:
    return piece * (size // len(piece))


HUGE = {
    "many lists": lambda: b"[" + huge(b"[],", 60 * MEGABYTE) + b"[]]",
    "one number": lambda: huge(b"9"),
    "one text": lambda: b'"' + huge(b"a") + b'"',
    "deep": lambda: huge(b"[", 10 * MEGABYTE),
}


@pytest.mark.parametrize("content", HUGE)
def test_a_huge_run_is_an_error_of_ours(answer, tmp_path, content):
    path = tmp_path / "run.json"
    path.write_bytes(HUGE[content]())
    assert answer("run", path).startswith("DomainError: ")


def test_a_sparse_run_beyond_memory_is_an_error_of_ours(answer, tmp_path):
    path = tmp_path / "run.json"
    with open(path, "wb") as file:
        file.truncate((1 << 31) - 1)
    assert "do not fit into memory" in answer("run", path)


def header(**changes) -> bytes:
    settings = read_settings(PROBLEM, **SMALL).to_dict() | changes
    return json.dumps({"theorycalc_journal": 3, **provenance(), "settings": settings}).encode() + b"\n"


def signed(text: bytes) -> bytes:
    """Return a line whose checksum is right: its author knows how."""
    return text[:-1] + b', "crc32": ' + str(zlib.crc32(text)).encode() + b"}\n"


JOURNALS = {
    "lines without end": lambda: huge(b"\n", MEGABYTE),
    "a long line": lambda: huge(b"[],") + b"\n",
    "a long line with its checksum": lambda: signed(b'{"eta": [' + huge(b"[],", 60 * MEGABYTE) + b"[]]}"),
    "a deep line with its checksum": lambda: signed(
        b'{"eta": 1, "replicate": 0, "rows": ' + huge(b"[", MEGABYTE) + b"}"
    ),
    "numbers that are none": lambda: signed(b'{"eta": 1, "replicate": NaN, "rows": []}'),
    "a replicate of 10^12": lambda: signed(b'{"eta": 1, "replicate": 1000000000000, "rows": []}'),
    "a step of 10^999": lambda: signed(b'{"eta": 1e999, "replicate": 0, "rows": []}'),
    "a pickle": lambda: pickle.dumps(["x"]) + b"\n",
}


@pytest.mark.parametrize("content", JOURNALS)
def test_hostile_lines_of_a_journal_cost_themselves_only(answer, tmp_path, content):
    output = tmp_path / "run.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        kept = json.dumps(tc.simulate(PROBLEM, **SMALL).records[0]).encode()
    Path(f"{output}.journal").write_bytes(header() + signed(kept) + JOURNALS[content]())
    count, *notes = answer("journal", output)
    assert count == 2
    assert notes
    assert len(notes) <= 11
    assert json.loads(output.read_text())["records"][0] == json.loads(kept)
    assert sorted(os.listdir(tmp_path)) == ["run.json"]


def test_a_line_without_end_is_refused_and_left(answer, tmp_path):
    output = tmp_path / "run.json"
    journal = Path(f"{output}.journal")
    journal.write_bytes(header())
    os.truncate(journal, 1 << 36)  # sparse: 64 GB of zeros
    assert "it is not a journal of theorycalc" in answer("journal", output)
    assert journal.stat().st_size == 1 << 36


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"n": 10**12}, "another simulation: n is"), ({"replicates": 10**12}, None), ({"seed": "1" * 10**6}, "seed is")],
)
def test_a_journal_that_claims_much(answer, tmp_path, changes, words):
    output = tmp_path / "run.json"
    Path(f"{output}.journal").write_bytes(header(**changes) + b"{}\n")
    found = answer("journal", output)
    assert found[0] == 2 if words is None else words in found


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"n": 10**12, "d": 5 * 10**11, "N": 75 * 10**10}, "contradict"), ({"replicates": 10**12}, "at most")],
)
def test_a_run_that_claims_much(answer, tmp_path, changes, words):
    path = tmp_path / "run.json"
    data = tc.simulate(PROBLEM, **SMALL).to_dict()
    path.write_text(json.dumps(data | {"settings": data["settings"] | changes}))
    assert words in answer("run", path)


SIGNED_RUNS = {
    "infinity": (lambda data: b'{"theorycalc_run": 2, "crc32": 1, "records": 1e999}', "it was changed"),
    "a text for a checksum": (lambda data: json.dumps(data | {"crc32": "x"}).encode(), "it was changed"),
    "nothing for a checksum": (lambda data: json.dumps(data | {"crc32": None}).encode(), "it was changed"),
    "another checksum": (lambda data: json.dumps(data | {"crc32": 1}).encode(), "it was changed"),
    "its checksum, and no records": (lambda data: json.dumps(with_checksum(data | {"records": 3})).encode(), "missing"),
    "many lists": (
        lambda data: b'{"theorycalc_run": 2, "crc32": 1, "records": [' + huge(b"[],", 60 * MEGABYTE) + b"[]]}",
        "",
    ),
    "deep": (lambda data: b'{"theorycalc_run": 2, "crc32": 1, "records": ' + b"[" * 900 + b"]" * 900 + b"}", ""),
}


@pytest.mark.parametrize("content", SIGNED_RUNS)
def test_a_run_with_a_checksum_that_is_not_its_own(answer, tmp_path, content):
    make, words = SIGNED_RUNS[content]
    path = tmp_path / "run.json"
    path.write_bytes(make(tc.simulate(PROBLEM, **SMALL).to_dict()))
    found = answer("run", path)
    assert found.startswith("DomainError: ")
    assert words in found


def note(**changes) -> bytes:
    """Return a note whose checksum is right, and its content not."""
    content = {"grid": {}, "points": 1, "length": 5, "missing": 0, "stretches": []} | changes
    return json.dumps(with_checksum({"theorycalc_sweep": 2} | content)).encode()


NOTES = {
    "many lists": lambda: b"[" + huge(b"[],", 60 * MEGABYTE) + b"[]]",
    "deep": lambda: huge(b"[", MEGABYTE),
    "numbers that are none": lambda: b'{"theorycalc_sweep": 2, "crc32": NaN}',
    "infinity": lambda: b'{"theorycalc_sweep": 2, "crc32": 0, "points": 1e999}',
    "many lists in it": lambda: b'{"theorycalc_sweep": 2, "crc32": 0, "a": [' + huge(b"[],", 60 * MEGABYTE) + b"[]]}",
    "10^12 points": lambda: note(points=10**12),
    "10^12 bytes": lambda: note(length=10**12, stretches=[[0, 10**12, 0]]),
    "many stretches": lambda: note(stretches=[[0, 5, 0]] * 10**6),
    "a pickle": lambda: pickle.dumps(["x"]),
}


@pytest.mark.parametrize("content", NOTES)
def test_hostile_notes_of_a_sweep_are_refused_and_left(answer, tmp_path, content):
    path, progress, part = (tmp_path / name for name in ("grid.csv", "grid.csv.progress", "grid.csv.part"))
    progress.write_bytes(NOTES[content]())
    part.write_bytes(b"mine\n")
    assert answer("sweep", path).startswith("DomainError: ")
    assert part.read_bytes() == b"mine\n"
    assert progress.read_bytes() == NOTES[content]()


def test_a_sparse_note_is_not_read(answer, tmp_path):
    with open(tmp_path / "grid.csv.progress", "wb") as file:
        file.truncate(1 << 40)
    assert "does not belong to a sweep of this version" in answer("sweep", tmp_path / "grid.csv")


def test_a_note_without_counts_is_no_state():
    assert read_state({"points": -1, "length": 9, "missing": 0, "stretches": []}) is None
    assert read_state({"points": 1, "length": 9, "missing": 0, "stretches": [[0, 9]]}) is None

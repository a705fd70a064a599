"""The journal of a simulation: a line for each step of a finished replicate, on disk before the next is waited for.

The first line has the settings.  A line is written at once and synchronised, so that Ctrl-C, a crash
or a full disk costs what was under way and nothing that was done.  What a file can be after that
— a last line torn, a line spoilt — is read with what is good in it kept.  Every record ends with its
checksum: a digit that changed on the disk costs that record, and is not taken for a result.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, DomainError, SimulationError, spelled
from theorycalc.running.checked_json import read_json
from theorycalc.running.files import lock

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[float | None, float, int]  # α, η and the number of the replicate

_MARK = "theorycalc_journal"
_FORMAT = 3
_LONGEST_LINE = 1 << 28  # bytes; a record is a few kilobytes, with spectra some megabytes
_MOST_NOTES = 10  # on spoilt lines; of others their number is said
_CHECKED = re.compile(rb'(\{.*), "crc32": (\d{1,10})\}\n', re.DOTALL)
_MAY_DIFFER = ("replicates", "steps_taken")  # a run with more of them is the same run


@dataclass(frozen=True)
class Journal:
    """An open journal: what it held, and where the next records go."""

    path: Path
    file: FileIO
    found: dict[Key, Record]
    notes: tuple[str, ...]  # what was wrong with it

    def append(self, records: Iterable[Record]) -> None:
        """Write each record as one line and wait until all are on disk; lines that do not fit are taken back."""
        self.write("".join(map(_line, records)))

    def write(self, text: str) -> None:
        """Write lines that end, wholly or not at all."""
        line = memoryview(text.encode())
        end = self.file.seek(0, os.SEEK_END)
        try:
            while line:  # one write, but where the disk fills up
                line = line[self.file.write(line) or 0 :]
            os.fsync(self.file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self.file.truncate(end)
            raise SimulationError(f"cannot write to the journal {self.path}: {error.strerror or error}") from None


def _any_record(data: object) -> Record:
    if not isinstance(data, dict):
        raise DomainError("it is not a record")
    return data


@contextlib.contextmanager
def open_journal(
    path: Path, settings: Mapping[str, object], resume: bool, check: Callable[[object], Record] = _any_record
) -> Iterator[Journal]:
    """Open a journal for these settings, alone; with ``resume`` go on with what it holds.

    ``check`` returns a record if it is one of the settings, and raises :class:`DomainError` if not.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.journal"
    >>> with open_journal(path, {"seed": 0}, resume=False) as journal:
    ...     journal.append([{"alpha": None, "eta": 1.0, "replicate": 3}])
    >>> with open_journal(path, {"seed": 0}, resume=True) as journal:
    ...     list(journal.found)
    [(None, 1.0, 3)]
    """
    try:
        file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
    except OSError as error:
        raise ArgumentError(f"cannot open the journal {path}: {error.strerror or error}") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ArgumentError(f"cannot open the journal {path}: it is a device or a pipe")
        lock(file, path)
        lines = _whole_lines(file, path)
        header = next(lines, b"")
        first = next(lines, None)
        found: dict[Key, Record] = {}
        notes: list[str] = []
        length = 0
        if not header:
            _check_torn(file, path)
        elif first is not None:
            if not resume:
                raise ArgumentError(
                    f"the journal {path} holds replicates of an earlier simulation; "
                    f"go on with it by {spelled('resume', True)} (--resume), or remove it"
                )
            notes += _check_header(header, settings, path)
            found, spoilt, length = _read_records(chain([first], lines), path, check, len(header))
            notes += spoilt
        else:
            _check_header(header, None, path)  # nothing was finished: it is begun anew
        file.truncate(length)
        journal = Journal(path, file, found, tuple(notes))
        if not length:
            journal.write(json.dumps({_MARK: _FORMAT, **provenance(), "settings": settings}, allow_nan=False) + "\n")
        yield journal


def key_of(record: Record) -> Key:
    """Return which step of which replicate a record is of; the step by its size, whatever others a run has.

    >>> key_of({"alpha": None, "eta": 2.0, "replicate": 7, "rows": []})
    (None, 2.0, 7)
    """
    return record["alpha"], record["eta"], record["replicate"]


def provenance() -> dict[str, str | int]:
    """Return what besides the settings decides the last bits of a result.

    >>> provenance()["blas_threads"]
    1
    """
    return {"theorycalc": __version__, "numpy": np.__version__, "blas_threads": 1}


def _whole_lines(file: FileIO, path: Path) -> Iterator[bytes]:
    """Yield the lines that end; a torn last one does not."""
    with open(file.fileno(), "rb", closefd=False) as reader:
        while line := reader.readline(_LONGEST_LINE + 1):
            if len(line) > _LONGEST_LINE:
                raise DomainError(f"{path} has a line of more than {_LONGEST_LINE} bytes: it is not a journal of ours")
            if line.endswith(b"\n"):
                yield line


def _check_torn(file: FileIO, path: Path) -> None:
    """Refuse a file without a whole line, unless it is empty or begins as a journal does."""
    mark = f'{{"{_MARK}": '.encode()
    file.seek(0)
    if not mark.startswith(file.read(len(mark)) or b""):
        raise DomainError(f"{path} is not a journal of theorycalc; it is left as it is")


def _check_header(line: bytes, settings: Mapping[str, object] | None, path: Path) -> list[str]:
    """Refuse what is no journal, or one of other settings; return notes on other versions."""
    try:
        header = read_json(line)
    except DomainError as error:
        raise DomainError(
            f"the first line of {path}, which has the settings, cannot be read ({error}); it is left as it is"
        ) from None
    if not isinstance(header, dict) or header.get(_MARK) != _FORMAT or not isinstance(header.get("settings"), dict):
        raise DomainError(f"{path} is not a journal of theorycalc, or one of another version; it is left as it is")
    difference = None if settings is None else first_difference(header["settings"], settings)
    if difference is not None:
        raise DomainError(
            f"the journal {path} is of another simulation: {difference}; "
            "give the settings it was started with, or another output"
        )
    return [
        f"the journal was begun with {name} {_short(header.get(name))}, this is {value}: last digits may differ"
        for name, value in provenance().items()
        if header.get(name) != value
    ]


def _read_records(
    lines: Iterable[bytes], path: Path, check: Callable[[object], Record], length: int
) -> tuple[dict[Key, Record], list[str], int]:
    """Return the good records, each once, what was bad, and the length up to the last whole line."""
    found: dict[Key, Record] = {}
    notes: list[str] = []
    spoilt = 0
    for number, line in enumerate(lines, start=2):
        length += len(line)
        try:
            record = check(_checked(line))
            found.setdefault(key_of(record), record)
        except DomainError as error:
            spoilt += 1
            if spoilt <= _MOST_NOTES:
                notes.append(f"line {number} of {path} is spoilt, and its step is computed again: {error}")
    if spoilt > _MOST_NOTES:
        notes.append(f"{spoilt - _MOST_NOTES} more lines of {path} are spoilt")
    return found, notes, length


def _line(record: Record) -> str:
    """Return a record as a line that ends with its checksum."""
    text = json.dumps(record, allow_nan=False)
    return f'{text[:-1]}, "crc32": {zlib.crc32(text.encode())}}}\n'


def _checked(line: bytes) -> object:
    """Return the data of a line whose checksum is right; no other is even read as JSON."""
    parts = _CHECKED.fullmatch(line)
    if parts is None:
        raise DomainError("it does not end with a checksum")
    text = parts[1] + b"}"
    if zlib.crc32(text) != int(parts[2]):
        raise DomainError("its checksum is not that of its content")
    return read_json(text)


def first_difference(there: Mapping[str, object], here: Mapping[str, object]) -> str | None:
    """Say which setting differs first, or return None; more replicates or steps are the same simulation.

    >>> first_difference({"problem": {"noise": "1/2"}}, {"problem": {"noise": "0"}})
    "problem.noise is '1/2' there and '0' here"
    """
    names = [*here, *(name for name in there if name not in here)]
    for name in sorted(names, key=lambda name: isinstance(here.get(name), dict)):  # n before the φ that follows from it
        one, other = there.get(name), json.loads(json.dumps(here.get(name)))
        if name in _MAY_DIFFER or one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            return f"{name}.{first_difference(one, other)}"
        return f"{name} is {_short(one)} there and {_short(other)} here"
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"

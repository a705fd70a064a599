"""The journal of a simulation: one line for each step of a finished replicate, on disk before the next is awaited.

The first line holds the settings.  Lines are synchronised as they are written, so that Ctrl-C, a crash or a full disk
costs the replicates under way and no finished one.  Every record ends with its checksum: a torn or damaged line costs
its own record only, and a digit that changed on the disk is not taken for a result.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
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
from theorycalc.running.files import open_locked, read_json, write_whole

Record: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[float | None, float, int]  # α, η and the number of the replicate

_MARK = "theorycalc_journal"
_FORMAT = 3
_LONGEST_LINE = 1 << 28  # bytes; a record is a few kilobytes, with spectra some megabytes
_MOST_NOTES = 10  # on damaged lines; further ones are counted
_CHECKED = re.compile(rb'(\{.*), "crc32": (\d{1,10})\}\n', re.DOTALL)
_MAY_DIFFER = ("replicates", "steps_taken")  # a run with more of them is the same run


@dataclass(frozen=True)
class Journal:
    """An open journal: the records it contained, and the file to which new ones are appended."""

    path: Path
    file: FileIO
    found: dict[Key, Record]
    notes: tuple[str, ...]  # on other versions and damaged lines

    def append(self, records: Iterable[Record]) -> None:
        """Append each record as one line and wait until all are on disk; remove lines that do not fit."""
        self.write("".join(map(_line, records)))

    def write(self, lines: str) -> None:
        """Write whole lines, either all of them or none."""
        end = self.file.seek(0, os.SEEK_END)
        try:
            write_whole(self.file, lines.encode())
            os.fsync(self.file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self.file.truncate(end)
            reason = error.strerror or error
            raise SimulationError(f"cannot write to the journal {self.path}: {reason}", argument="output") from None


@contextlib.contextmanager
def open_journal(
    path: Path, settings: Mapping[str, object], resume: bool, check: Callable[[object], Record]
) -> Iterator[Journal]:
    """Open and lock the journal for these settings; with ``resume``, keep the records it contains.

    ``check`` returns a record that fits the settings, and raises :class:`DomainError` for any other.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "run.journal"
    >>> with open_journal(path, {"seed": 0}, resume=False, check=dict) as journal:
    ...     journal.append([{"alpha": None, "eta": 1.0, "replicate": 3}])
    >>> with open_journal(path, {"seed": 0}, resume=True, check=dict) as journal:
    ...     list(journal.found)
    [(None, 1.0, 3)]
    """
    with open_locked(path, "cannot open the journal") as file:
        found, notes, length = _read(file, path, settings, resume, check)
        file.truncate(length)
        journal = Journal(path, file, found, tuple(notes))
        if not length:
            journal.write(json.dumps({_MARK: _FORMAT, **provenance(), "settings": settings}, allow_nan=False) + "\n")
        yield journal


def _read(
    file: FileIO, path: Path, settings: Mapping[str, object], resume: bool, check: Callable[[object], Record]
) -> tuple[dict[Key, Record], list[str], int]:
    """Return a journal's records, notes on it, and its length up to the last whole line, or 0 to start again."""
    lines = _whole_lines(file, path)
    header = next(lines, b"")
    first = next(lines, None)
    if not header:
        _check_torn(file, path)
        return {}, [], 0
    if first is None:
        _check_header(header, None, path)  # no replicate was finished: begin anew
        return {}, [], 0
    if not resume:
        reason = f"the journal {path} holds replicates of an earlier simulation"
        raise ArgumentError(f"{reason}; continue it with {spelled('resume', True)}, or remove it", argument="resume")
    notes = _check_header(header, settings, path)
    found, damaged, length = _read_records(chain([first], lines), path, check, len(header))
    return found, notes + damaged, length


def key_of(record: Record) -> Key:
    """Return α, η and the replicate of a record: its step is identified by size, not by its place in a list.

    >>> key_of({"alpha": None, "eta": 2.0, "replicate": 7, "rows": []})
    (None, 2.0, 7)
    """
    return record["alpha"], record["eta"], record["replicate"]


def provenance() -> dict[str, str | int]:
    """Return the versions and the number of BLAS threads, on which the last bits depend besides the settings.

    >>> provenance()["blas_threads"]
    1
    """
    return {"theorycalc": __version__, "numpy": np.__version__, "blas_threads": 1}


def _whole_lines(file: FileIO, path: Path) -> Iterator[bytes]:
    """Yield the complete lines, leaving out a torn last one."""
    with open(file.fileno(), "rb", closefd=False) as reader:
        while line := reader.readline(_LONGEST_LINE + 1):
            if len(line) > _LONGEST_LINE:
                reason = f"{path} has a line of more than {_LONGEST_LINE} bytes: it is not a journal of theorycalc"
                raise DomainError(reason, argument="output")
            if line.endswith(b"\n"):
                yield line


def _check_torn(file: FileIO, path: Path) -> None:
    """Refuse a file without a complete line, unless it is empty or starts like a journal."""
    mark = f'{{"{_MARK}": '.encode()
    file.seek(0)
    if not mark.startswith(file.read(len(mark)) or b""):
        raise DomainError(f"{path} is not a journal of theorycalc; it is left unchanged", argument="output")


def _check_header(line: bytes, settings: Mapping[str, object] | None, path: Path) -> list[str]:
    """Return notes on other versions; refuse other files and the journals of other settings."""
    try:
        header = read_json(line)
    except DomainError as error:
        reason = f"the first line of {path}, which has the settings, cannot be read ({error}); it is left unchanged"
        raise DomainError(reason, argument="output") from None
    if not isinstance(header, dict) or header.get(_MARK) != _FORMAT or not isinstance(header.get("settings"), dict):
        reason = f"{path} is not a journal of theorycalc, or one of another version; it is left unchanged"
        raise DomainError(reason, argument="output")
    difference = None if settings is None else first_difference(header["settings"], settings)
    if difference is not None:
        reason = f"the journal {path} belongs to another simulation: {difference}"
        raise DomainError(f"{reason}; give the settings it was started with, or another output", argument="output")
    return [
        f"the journal was begun with {name} {_short(header.get(name))}, this is {value}: last digits may differ"
        for name, value in provenance().items()
        if header.get(name) != value
    ]


def _read_records(
    lines: Iterable[bytes], path: Path, check: Callable[[object], Record], length: int
) -> tuple[dict[Key, Record], list[str], int]:
    """Return the distinct good records, notes on damaged lines, and the length up to the last complete line."""
    found: dict[Key, Record] = {}
    notes: list[str] = []
    damaged = 0
    for number, line in enumerate(lines, start=2):
        length += len(line)
        try:
            record = check(_checked(line))
            found.setdefault(key_of(record), record)
        except DomainError as error:
            damaged += 1
            if damaged <= _MOST_NOTES:
                notes.append(f"line {number} of {path} is damaged, and its step is computed again: {error}")
    if damaged > _MOST_NOTES:
        notes.append(f"{damaged - _MOST_NOTES} more lines of {path} are damaged")
    return found, notes, length


def _line(record: Record) -> str:
    """Return a record as a line that ends with its checksum."""
    text = json.dumps(record, allow_nan=False)
    return f'{text[:-1]}, "crc32": {zlib.crc32(text.encode())}}}\n'


def _checked(line: bytes) -> object:
    """Return the data of a line if its checksum is right; otherwise the line is not even read as JSON."""
    parts = _CHECKED.fullmatch(line)
    if parts is None:
        raise DomainError("it does not end with a checksum")
    text = parts[1] + b"}"
    if zlib.crc32(text) != int(parts[2]):
        raise DomainError("its checksum does not match its content")
    return read_json(text)


def first_difference(there: Mapping[str, object], here: Mapping[str, object]) -> str | None:
    """Return a text on the first setting that differs, or None; numbers of replicates and steps are allowed to differ.

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

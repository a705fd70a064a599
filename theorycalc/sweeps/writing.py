"""A grid's file as it grows: the finished part, a note on progress, and the final name at the end.

Beside ``grid.csv`` stand ``grid.csv.part``, the file so far, and ``grid.csv.progress``, a note that says which grid it
is, how much of the part counts, and its checksums.  Bytes written after the note was taken are written again; if a byte
that counts has changed since, the file is started again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, DomainError, SweepError, spelled
from theorycalc.running.files import (
    has_its_checksum,
    open_locked,
    read_json,
    remove_leftovers,
    sync_folder,
    with_checksum,
    write_atomically,
    write_whole,
)
from theorycalc.running.journal import first_difference
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.finished import check_grid
from theorycalc.sweeps.formats import Format, Places
from theorycalc.sweeps.grid import Grid, GridPiece

_MARK = "theorycalc_sweep"
_FORMAT = 2  # 1 had no checksums
_LONGEST_NOTE = 1 << 28  # bytes; it lists the values of the axes
_OFTEN = 1.0  # seconds between two notes
_READ_AT_ONCE = 1 << 20  # bytes
_VERSIONS = {"theorycalc": __version__, "numpy": np.__version__}


@dataclass(frozen=True)
class State:
    r"""A file's progress: finished points, length, points without a value, and the checksums of its stretches.

    A file is written in stretches that grow at their ends: one for text, one for each quantity of NetCDF.  A stretch
    is its beginning, its end and the CRC-32 of its bytes.

    >>> State().written(0, b"ell,").written(4, b"m1\n").stretches == State().written(0, b"ell,m1\n").stretches
    True
    """

    points: int = 0
    length: int = 0  # bytes
    missing: int = 0
    stretches: tuple[tuple[int, int, int], ...] = ()

    def written(self, offset: int, data: bytes) -> State:
        """Return the state with these bytes added to the stretch that ends where they begin, or as a new stretch."""
        before = next((stretch for stretch in self.stretches if stretch[1] == offset), (offset, offset, 0))
        grown = (before[0], offset + len(data), zlib.crc32(data, before[2]))
        others = [stretch for stretch in self.stretches if stretch is not before]
        return dataclasses.replace(self, length=max(self.length, grown[1]), stretches=tuple(sorted([*others, grown])))

    def is_in(self, file: FileIO) -> bool:
        """Return whether a file has the bytes that count, unchanged; it is read once, in small blocks."""
        if file.seek(0, os.SEEK_END) < self.length:
            return False
        for begin, end, checksum in self.stretches:
            found, left = 0, end - begin
            file.seek(begin)
            while left and (data := file.read(min(left, _READ_AT_ONCE))):
                found, left = zlib.crc32(data, found), left - len(data)
            if left or found != checksum:
                return False
        return True


def read_state(note: Mapping[str, object]) -> State | None:
    """Return the state in a note from outside, or None if it is invalid.

    >>> read_state({"points": 1, "length": 9, "missing": 0, "stretches": [[0, 9, 12345]]}).points
    1
    >>> read_state({"points": 1, "length": 9, "missing": 0, "stretches": [[0, 9, 12345], [5, 9, 1]]})  # they overlap
    """
    points, length, missing, stretches = (note.get(name) for name in ("points", "length", "missing", "stretches"))
    if not (_is_count(points) and _is_count(length) and _is_count(missing) and isinstance(stretches, list)):
        return None
    if not all(isinstance(one, list) and len(one) == 3 and all(map(_is_count, one)) for one in stretches):
        return None
    ends = [0, *(end for one in stretches for end in one[:2]), length]
    return State(points, length, missing, tuple(map(tuple, stretches))) if ends == sorted(ends) else None


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


@dataclass
class Output:
    """A grid's open file, to which pieces are added."""

    path: Path
    about: dict[str, object]  # everything that decides the numbers of the grid
    format: Format
    file: FileIO
    state: State
    kept: int  # points, by the note on disk
    notes: tuple[str, ...] = ()
    _noted: float = field(default_factory=time.monotonic)

    @property
    def place(self) -> str:
        """Where the finished points are, for the message after an interruption."""
        return f"are in {beside(self.path, 'part')}; {spelled('resume', True)} continues"

    def begin(self) -> None:
        """Write everything that precedes the first value."""
        with self._errors():
            self.file.truncate(0)
        self.note()
        length = 0
        for offset, data in self.format.blank():
            self._write(offset, data)
            length = max(length, offset + len(data))
        self.state = self._written(State(length=length), self.format.head())

    def add(self, piece: GridPiece, found: Evaluated) -> None:
        """Write a piece and, about once a second, a note on progress."""
        state = self.state
        state = self._written(state, self.format.piece(piece, found, state.length, state.missing))
        self.state = dataclasses.replace(state, points=piece.stop, missing=state.missing + len(found.reasons))
        if time.monotonic() - self._noted > _OFTEN:
            self.note()

    def note(self) -> None:
        """Write the note on progress, after the bytes that count are on disk."""
        note = with_checksum({_MARK: _FORMAT, **_VERSIONS, "grid": self.about, **dataclasses.asdict(self.state)})
        with self._errors():
            os.fsync(self.file.fileno())
            write_atomically(beside(self.path, "progress"), json.dumps(note, allow_nan=False) + "\n")
        self.kept, self._noted = self.state.points, time.monotonic()

    def keep(self) -> int:
        """Cut off the bytes that do not count, and return the number of points kept."""
        with contextlib.suppress(SweepError), self._errors():  # on a full disk the last note counts
            self.file.truncate(self.state.length)
            self.note()
        return self.kept

    def end(self) -> None:
        """Write everything that follows the last value."""
        with self._errors():
            self.file.truncate(self.state.length)
            for offset, data in self.format.tail(self.state.length, self.state.missing):
                self._write(offset, data)
            os.fsync(self.file.fileno())

    def publish(self) -> None:
        """Give the complete file its final name."""
        progress = beside(self.path, "progress")
        with self._errors():
            os.replace(beside(self.path, "part"), self.path)
            sync_folder(self.path)
            progress.unlink(missing_ok=True)
            remove_leftovers(progress)

    def _written(self, state: State, places: Places) -> State:
        for offset, data in places:
            self._write(offset, data)
            state = state.written(offset, data)
        return state

    def _write(self, offset: int, data: bytes) -> None:
        with self._errors():
            self.file.seek(offset)
            write_whole(self.file, data)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = f"cannot write {beside(self.path, 'part')}: {error.strerror or error}"
            raise SweepError(reason, argument="output") from None
        except ArgumentError as error:  # of the note
            raise SweepError(str(error), argument="output") from None


def beside(path: Path, ending: str) -> Path:
    """Return the path of an output with an ending added to its name.

    >>> beside(Path("grid.csv"), "part").name
    'grid.csv.part'
    """
    return path.with_name(f"{path.name}.{ending}")


@contextlib.contextmanager
def open_output(path: Path, grid: Grid, how: Format, resume: bool) -> Iterator[Output]:
    """Open and lock a grid's file; at the end of the block, complete it and give it its final name."""
    with open_locked(beside(path, "part"), "cannot write") as file:
        about = grid.to_dict()
        state, notes = _found(path, about, resume, file)
        output = Output(path, about, how, file, state or State(), state.points if state else 0, notes)
        if state is None:
            _begin(output, grid if resume and not notes else None)
        elif how.length not in (None, state.length) or all(state.points != piece.stop for piece in grid.pieces()):
            raise _not_ours(beside(path, "progress"))
        yield output
        output.end()
        if os.name == "posix":  # pragma: no branch - another operating system
            output.publish()  # while it is locked: another process may continue it as soon as it is not
    if os.name != "posix":  # Windows does not rename open files
        output.publish()  # pragma: no cover - another operating system


def _begin(output: Output, continued: Grid | None) -> None:
    """Begin the file; a complete file in its place must belong to the grid ``continued``, if one is given."""
    try:
        if continued is not None:
            check_grid(output.path, continued)
        output.begin()
    except (SweepError, DomainError):  # nothing is lost: there was nothing yet
        for ending in ("part", "progress"):
            beside(output.path, ending).unlink(missing_ok=True)
        raise


def _found(path: Path, here: dict[str, object], resume: bool, file: FileIO) -> tuple[State | None, tuple[str, ...]]:
    """Return the progress of an earlier sweep into this file, or None to start again; refuse other files."""
    part, progress, length = beside(path, "part"), beside(path, "progress"), os.fstat(file.fileno()).st_size
    if not progress.exists():
        if length:
            reason = f"{part} exists, and is not of a sweep of theorycalc; remove it, or choose another output"
            raise ArgumentError(reason, argument="output")
        return None, ()
    about, state = _read_note(progress)
    if state.points == 0 or length == 0:
        return None, ()  # no point was done, or the part was removed
    if not resume:
        reason = f"{part} holds {state.points} points of an earlier sweep"
        remedy = f"continue it with {spelled('resume', True)}, or remove it and {progress.name}"
        raise ArgumentError(f"{reason}; {remedy}", argument="resume")
    difference = first_difference(about["grid"], here)
    if difference is not None:
        reason = f"{part} belongs to another grid: {difference}; give that grid, or another output"
        raise DomainError(reason, argument="output")
    try:
        if not state.is_in(file):
            return None, (f"{part.name} was changed or cut since it was written, and is started again",)
    except OSError as error:
        raise ArgumentError(f"cannot read {part}: {error.strerror or error}", argument="output") from None
    notes = [
        f"the file was begun with {name} {about.get(name)}, this is {version}: last digits may differ"
        for name, version in _VERSIONS.items()
        if about.get(name) != version
    ]
    return state, tuple(notes)


def _not_ours(progress: Path) -> DomainError:
    return DomainError(
        f"{progress} does not belong to a sweep of this version, or was changed; it is left unchanged",
        argument="output",
    )


def _read_note(progress: Path) -> tuple[dict[str, Any], State]:
    wrong = _not_ours(progress)
    if not progress.is_file() or progress.stat().st_size > _LONGEST_NOTE:
        raise wrong
    try:
        about = read_json(progress.read_bytes())
        if not isinstance(about, dict) or about.get(_MARK) != _FORMAT or not has_its_checksum(about):
            raise wrong
    except (OSError, DomainError):
        raise wrong from None
    state = read_state(about)
    if state is None or not isinstance(about.get("grid"), dict):
        raise wrong
    return about, state

"""The file of a grid while it grows: the part that is done, how far it is, and the final name when it is complete.

Beside ``grid.csv`` stand ``grid.csv.part``, the file as far as it has come, and ``grid.csv.progress``, which says
of which grid it is, how much of it counts and the checksums of that.  What was written after that note was taken is
written again; if what counts has changed since, all of it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, DomainError, SweepError, spelled
from theorycalc.running.files import (
    has_its_checksum,
    lock,
    read_json,
    remove_leftovers,
    sync_folder,
    with_checksum,
    write_atomically,
)
from theorycalc.running.journal import first_difference
from theorycalc.sweeps import netcdf, text
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.grid import Grid, GridPiece
from theorycalc.sweeps.state import State, read_state

Places: TypeAlias = Iterable[tuple[int, bytes]]  # offsets, and what stands there
MOST_AS_TEXT = 10**7  # points
_MARK = "theorycalc_sweep"
_FORMAT = 2  # 1 had no checksums
_LONGEST_NOTE = 1 << 28  # bytes; it lists the values of the axes
_OFTEN = 1.0  # seconds between two notes of how far it is
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)  # a link is not ours
_VERSIONS = {"theorycalc": __version__, "numpy": np.__version__}


@dataclass(frozen=True)
class Format:
    """How a grid is written, every part as bytes with their places."""

    blank: Callable[[], Places]  # what is written over later
    head: Callable[[], Places]
    piece: Callable[[State, GridPiece, Evaluated], Places]
    tail: Callable[[State], Places]


def format_of(grid: Grid, path: Path) -> Format:
    """Return the format that the ending of a file asks for, or refuse it."""
    ending = path.suffix.lower()
    if ending == ".nc":
        where = netcdf.layout(grid)
        return Format(
            lambda: netcdf.blank(grid, where),
            lambda: netcdf.head(grid, where),
            lambda state, piece, found: netcdf.places(grid, where, piece, found, first=state.missing == 0),
            lambda state: netcdf.no_note(grid, where) if state.missing == 0 else (),  # blanks do not count: once more
        )
    if ending not in (".csv", ".json"):
        raise ArgumentError(f"output={str(path)!r} must end in .csv, .json or .nc (NetCDF)", argument="output")
    if grid.size > MOST_AS_TEXT:
        raise ArgumentError(
            f"the grid has {grid.size} points, and text is written up to {MOST_AS_TEXT}; "
            f"end the name in .nc: {str(path.with_suffix('.nc'))!r}",
            argument="output",
        )
    head, rows, tail = (
        (text.csv_head, text.csv_rows, b"") if ending == ".csv" else (text.json_head, text.json_rows, text.JSON_TAIL)
    )
    return Format(
        lambda: (),
        lambda: [(0, b"".join(head(grid)))],
        lambda state, piece, found: [(state.length, rows(grid, piece, found))],
        lambda state: [(state.length, tail)],
    )


@dataclass
class Output:
    """An open file: what is done of it, and how a piece is added."""

    path: Path
    about: dict[str, object]  # what decides every number of the grid
    format: Format
    file: FileIO
    state: State
    kept: int  # points, by the note on disk
    notes: tuple[str, ...] = ()
    _noted: float = field(default_factory=time.monotonic)

    @property
    def part(self) -> Path:
        """The file as far as it has come."""
        return part_of(self.path)

    def add(self, piece: GridPiece, found: Evaluated) -> None:
        """Write a piece, and now and then how far it is."""
        state = self.state
        for offset, data in self.format.piece(state, piece, found):
            self._write(offset, data)
            state = state.written(offset, data)
        self.state = dataclasses.replace(state, points=piece.stop, missing=state.missing + len(found.reasons))
        if time.monotonic() - self._noted > _OFTEN:
            self.note()

    def begin(self) -> None:
        """Write what stands before the first value."""
        with self._errors():
            self.file.truncate(0)
        self.note()
        state = State()
        for offset, data in self.format.blank():
            self._write(offset, data)
            state = State(length=max(state.length, offset + len(data)))
        for offset, data in self.format.head():
            self._write(offset, data)
            state = state.written(offset, data)
        self.state = state

    def note(self) -> None:
        """Write down how far it is, once what is done is on disk."""
        note = with_checksum({_MARK: _FORMAT, **_VERSIONS, "grid": self.about, **dataclasses.asdict(self.state)})
        with self._errors():
            os.fsync(self.file.fileno())
            write_atomically(progress_of(self.path), json.dumps(note, allow_nan=False) + "\n")
        self.kept, self._noted = self.state.points, time.monotonic()

    def keep(self) -> int:
        """Cut off what does not count, and return how many points are kept: it ends before its time."""
        with contextlib.suppress(SweepError), self._errors():  # of a full disk the last note counts
            self.file.truncate(self.state.length)
            self.note()
        return self.kept

    def end(self) -> None:
        """Write what stands behind the last value."""
        with self._errors():
            self.file.truncate(self.state.length)
            for offset, data in self.format.tail(self.state):
                self._write(offset, data)
            os.fsync(self.file.fileno())

    def publish(self) -> None:
        """Give the file, now complete, its name."""
        with self._errors():
            os.replace(self.part, self.path)
            sync_folder(self.path)
            progress_of(self.path).unlink(missing_ok=True)
            remove_leftovers(progress_of(self.path))

    def _write(self, offset: int, data: bytes) -> None:
        with self._errors():
            self.file.seek(offset)
            left = memoryview(data)
            while left:  # one write, but where the disk fills up
                left = left[self.file.write(left) or 0 :]

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SweepError(f"cannot write {self.part}: {error.strerror or error}") from None
        except ArgumentError as error:  # of the note
            raise SweepError(str(error)) from None


def part_of(path: Path) -> Path:
    """Return where a file stands until it is complete.

    >>> part_of(Path("grid.csv")).name
    'grid.csv.part'
    """
    return path.with_name(f"{path.name}.part")


def progress_of(path: Path) -> Path:
    """Return the note beside it that says how far it is.

    >>> progress_of(Path("grid.csv")).name
    'grid.csv.progress'
    """
    return path.with_name(f"{path.name}.progress")


@contextlib.contextmanager
def open_output(path: Path, grid: Grid, how: Format, resume: bool) -> Iterator[Output]:
    """Open the file of a grid, alone; when all is written, end it and give it its name."""
    part = part_of(path)
    try:
        file = FileIO(os.open(part, _FLAGS, 0o666), "r+")
    except OSError as error:
        raise ArgumentError(f"cannot write {part}: {error.strerror or error}", argument="output") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ArgumentError(f"cannot write {part}: it is a device or a pipe", argument="output")
        lock(file, part)
        about = grid.to_dict()
        state, notes = _found(path, about, resume, file)
        if state is not None and all(state.points != piece.stop for piece in grid.pieces()):
            raise _not_ours(progress_of(path))
        output = Output(path, about, how, file, state or State(), state.points if state else 0, notes)
        if state is None:
            _begin(output)
        yield output
        output.end()
        if os.name == "posix":  # pragma: no branch - another operating system
            output.publish()  # while it is locked: another may go on with it as soon as it is not
    if os.name != "posix":  # Windows does not rename what is open
        output.publish()  # pragma: no cover - another operating system


def _begin(output: Output) -> None:
    try:
        output.begin()
    except SweepError:  # nothing is lost: there was nothing yet
        output.part.unlink(missing_ok=True)
        progress_of(output.path).unlink(missing_ok=True)
        raise


def _found(path: Path, here: dict[str, object], resume: bool, file: FileIO) -> tuple[State | None, tuple[str, ...]]:
    """Return how far an earlier sweep into this file came, or None if there is none; refuse what is not ours."""
    part, progress, length = part_of(path), progress_of(path), os.fstat(file.fileno()).st_size
    if not progress.exists():
        if length:
            raise ArgumentError(
                f"{part} is there, and is not of a sweep of ours; remove it, or choose another output",
                argument="output",
            )
        return None, ()
    about, state = _read_note(progress)
    if state.points == 0 or length == 0:
        return None, ()  # nothing was done, or it was removed
    if not resume:
        raise ArgumentError(
            f"{part} holds {state.points} points of an earlier sweep; "
            f"go on with it by {spelled('resume', True)} (--resume), or remove it and {progress.name}",
            argument="resume",
        )
    difference = first_difference(about["grid"], here)
    if difference is not None:
        raise DomainError(
            f"{part} is of another grid: {difference}; give that grid, or another output", argument="output"
        )
    try:
        if not state.is_in(file):
            return None, (f"{part.name} was changed or cut since it was written, and is begun anew",)
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
        f"{progress} is not of a sweep of this version, or was changed; it is left as it is", argument="output"
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

"""Result files: checked names, locks, atomic writes, and JSON that carries its own checksum."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping
from io import FileIO
from pathlib import Path

from theorycalc.errors import ArgumentError, DomainError, given, spelled

CHECKSUM = "crc32"  # the name of the checksum beside the content
_FAR = 1 << 40  # a byte beyond the content of any file of ours
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)  # a link is not ours


def file_path(value: object, name: str) -> Path:
    """Return the path of a file to read or write; refuse directories, devices and pipes.

    Devices are refused because an atomic write to /dev/null would replace it, for those who have the permission.

    >>> file_path("run.json", "output").name
    'run.json'
    >>> file_path(3, "output")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: output=3 is not the name of a file
    """
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ArgumentError(f"{given(name, value)} is not the name of a file", argument=name)
    if os.path.isdir(text):
        raise ArgumentError(f"{spelled(name, text)} is a folder; give the name of a file", argument=name)
    if os.path.exists(text) and not os.path.isfile(text):
        raise ArgumentError(f"{spelled(name, text)} is a device or a pipe; give the name of a file", argument=name)
    return Path(text)


def output_path(value: object) -> Path:
    """Return the path of an output in an existing folder, with links resolved so that all of them share one lock."""
    path = file_path(value, "output")
    if not path.parent.is_dir():
        reason = f"the folder of {spelled('output', str(path))} does not exist; create it first"
        raise ArgumentError(reason, argument="output")
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def write_atomically(path: Path, data: str | bytes, argument: str | None = None) -> Path:
    """Write a temporary file, rename it to its final name and return the path: readers see the old file or the new one.

    A file that was there keeps its permissions, and a link its place.  Errors are about ``argument``.

    >>> import tempfile
    >>> write_atomically(Path(tempfile.mkdtemp()) / "run.json", "{}").read_text()
    '{}'
    """
    try:
        place = Path(os.path.realpath(path))  # the target of a link is replaced, and not the link
        temporary = place.with_name(f"{place.name}.{os.getpid()}.part")
        try:
            temporary.unlink(missing_ok=True)  # left by a crash, or a link planted there: neither is followed
            with open(temporary, "xb") as file:
                file.write(data.encode("utf-8") if isinstance(data, str) else data)
                file.flush()
                if place.exists():
                    os.chmod(temporary, stat.S_IMODE(place.stat().st_mode))
                os.fsync(file.fileno())
            os.replace(temporary, place)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(place)
    except (OSError, ValueError) as error:  # ValueError: a null character
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"cannot write {path}: {reason}", argument=argument) from None
    return path


def remove_leftovers(path: Path) -> None:
    """Remove temporary files that killed processes left next to a file; the caller must be its only writer.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "grid.csv.progress"
    >>> for name in ("grid.csv.progress.123.part", "grid.csv.progress.mine.part"):
    ...     path.with_name(name).touch()
    >>> remove_leftovers(path)
    >>> os.listdir(path.parent)
    ['grid.csv.progress.mine.part']
    """
    ours = re.compile(rf"{re.escape(path.name)}\.[0-9]+\.part")
    with contextlib.suppress(OSError):  # a leftover does no harm
        for name in filter(ours.fullmatch, os.listdir(path.parent)):
            path.with_name(name).unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Wait until the name of a file is on disk, if the file system can synchronise folders."""
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def open_locked(path: Path, cannot: str) -> Iterator[FileIO]:
    """Open a file for reading and writing, creating it if need be, and lock it until the block ends.

    ``cannot`` begins the message of an error, such as "cannot write".
    """
    try:
        file = FileIO(os.open(path, _OPEN, 0o666), "r+")
    except OSError as error:
        raise ArgumentError(f"{cannot} {path}: {error.strerror or error}", argument="output") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ArgumentError(f"{cannot} {path}: it is a device or a pipe", argument="output")
        lock(file, path)
        yield file


def lock(file: FileIO, path: Path) -> None:
    """Lock the file for this process until it is closed; refuse if another process is writing it."""
    try:
        if sys.platform == "win32":  # pragma: no cover - another operating system
            import msvcrt

            file.seek(_FAR)  # Windows lets nobody read locked bytes
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        replaced = not os.path.samestat(os.fstat(file.fileno()), os.stat(path))  # by a process that has just finished
    except (BlockingIOError, PermissionError, FileNotFoundError):
        replaced = True
    except OSError:
        return  # a file system without locks, as some clusters have: better to compute than to refuse
    if replaced:
        reason = f"another process is writing to {path}; wait for it, or choose another output"
        raise ArgumentError(reason, argument="output")


def write_whole(file: FileIO, data: bytes) -> None:
    """Write all bytes at the position of an unbuffered file, or raise OSError if the disk is full."""
    left = memoryview(data)
    while left:  # a single write, except on a disk that fills up
        left = left[file.write(left) or 0 :]


def read_json(text: str | bytes) -> object:
    """Return the data of JSON text from outside; any fault in it raises a :class:`DomainError`.

    >>> read_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> read_json('[NaN]')
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: it is not JSON: NaN is not a number
    """
    try:
        found: object = json.loads(text, parse_constant=_no_constant)
    except MemoryError:
        raise DomainError("it is not JSON of theorycalc: it does not fit into memory") from None
    except RecursionError:
        raise DomainError("it is not JSON of theorycalc: it is nested too deeply") from None
    except ValueError as error:  # also text that is not UTF-8, and numbers with thousands of digits
        raise DomainError(f"it is not JSON: {error}") from None
    return found


def with_checksum(data: Mapping[str, object]) -> dict[str, object]:
    """Return plain data with a checksum of its content, which does not depend on key order or white space.

    >>> with_checksum({"a": 1})
    {'a': 1, 'crc32': 1444654255}
    """
    return {**data, CHECKSUM: _checksum(data)}


def has_its_checksum(data: Mapping[str, object]) -> bool:
    """Return whether data from a file has the checksum given by :func:`with_checksum`.

    >>> has_its_checksum({"crc32": 1444654255, "a": 1}), has_its_checksum({"crc32": 1444654255, "a": 2})
    (True, False)
    """
    try:
        return data.get(CHECKSUM) == _checksum({name: part for name, part in data.items() if name != CHECKSUM})
    except (MemoryError, RecursionError):
        raise DomainError("it is not JSON of theorycalc: it is too large or nested too deeply") from None
    except ValueError:  # infinity, as numbers such as 1e999 are read
        return False


def _checksum(data: Mapping[str, object]) -> int:
    text = json.dumps(dict(data), allow_nan=False, sort_keys=True, separators=(",", ":"))
    return zlib.crc32(text.encode())


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")

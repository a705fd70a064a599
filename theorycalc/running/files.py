"""Files of results: their names checked, locked while they grow, and written wholly or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from io import FileIO
from pathlib import Path

from theorycalc.errors import ArgumentError

_FAR = 1 << 40  # a byte behind the content of any file of ours


def file_path(value: object, name: str) -> Path:
    """Return the path of a file to be read or written, or say why there can be none.

    What exists and is not a regular file is refused: to write /dev/null would replace it, for one who may.

    >>> file_path("run.json", "output").name
    'run.json'
    >>> file_path(3, "output")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: output=3 is not the name of a file
    """
    text = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ArgumentError(f"{name}={value!r} is not the name of a file", argument=name)
    if os.path.isdir(text):
        raise ArgumentError(f"{name}={text!r} is a folder; give the name of a file", argument=name)
    if os.path.exists(text) and not os.path.isfile(text):
        raise ArgumentError(f"{name}={text!r} is a device or a pipe; give the name of a file", argument=name)
    return Path(text)


def write_atomically(path: Path, data: str | bytes) -> Path:
    """Write a file beside its place, move it there and return the path: whoever reads it finds the old one or the new.

    A file that was there keeps its permissions, and a link its place.

    >>> import tempfile
    >>> write_atomically(Path(tempfile.mkdtemp()) / "run.json", "{}").read_text()
    '{}'
    """
    try:
        place = Path(os.path.realpath(path))  # the target of a link is replaced, and not the link
        temporary = place.with_name(f"{place.name}.{os.getpid()}.part")
        try:
            temporary.unlink(missing_ok=True)  # of a crash, or a link that somebody put in the way: neither is followed
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
        raise ArgumentError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
    return path


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left beside a file while they wrote it; only for one who writes it alone.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "grid.csv.progress"
    >>> for name in ("grid.csv.progress.123.part", "grid.csv.progress.mine.part"):
    ...     path.with_name(name).touch()
    >>> remove_leftovers(path)
    >>> os.listdir(path.parent)
    ['grid.csv.progress.mine.part']
    """
    ours = re.compile(rf"{re.escape(path.name)}\.[0-9]+\.part")
    with contextlib.suppress(OSError):  # what cannot be cleared is in nobody's way
        for name in filter(ours.fullmatch, os.listdir(path.parent)):
            path.with_name(name).unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Wait until the name of a file is on disk, too; where folders cannot be synchronised, nothing is waited for."""
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def lock(file: FileIO, path: Path) -> None:
    """Lock the file for this process until it is closed, or refuse: two writers would do the work twice."""
    try:
        if sys.platform == "win32":  # pragma: no cover - another operating system
            import msvcrt

            file.seek(_FAR)  # Windows would not let anyone read what is locked
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        replaced = not os.path.samestat(os.fstat(file.fileno()), os.stat(path))  # by one that finished meanwhile
    except (BlockingIOError, PermissionError, FileNotFoundError):
        replaced = True
    except OSError:
        return  # a file system without locks, as some clusters have: better to compute than to refuse
    if replaced:
        raise ArgumentError(f"another process is computing into {path}; wait for it, or choose another output")

"""How far the file of a grid is, and the checksums of the bytes that count.

A file is written in a few stretches, each of which grows at its end: text in one, NetCDF in one a quantity.  Each
has a running checksum, so that a byte that changes on the disk while a sweep is stopped is not taken for a result.
"""

from __future__ import annotations

import dataclasses
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import FileIO
from typing import TypeGuard

_READ_AT_ONCE = 1 << 20  # bytes


@dataclass(frozen=True)
class State:
    r"""How far a file is: points done, its length, how many points had no value, and what was written.

    ``stretches`` are the beginning, the end and the CRC-32 of each.

    >>> State().written(0, b"ell,").written(4, b"m1\n").stretches == State().written(0, b"ell,m1\n").stretches
    True
    """

    points: int = 0
    length: int = 0  # bytes
    missing: int = 0
    stretches: tuple[tuple[int, int, int], ...] = ()

    def written(self, offset: int, data: bytes) -> State:
        """Return the state with these bytes counted: they go on with a stretch that ends there, or begin one."""
        before = next((stretch for stretch in self.stretches if stretch[1] == offset), (offset, offset, 0))
        grown = (before[0], offset + len(data), zlib.crc32(data, before[2]))
        others = [stretch for stretch in self.stretches if stretch is not before]
        return dataclasses.replace(self, length=max(self.length, grown[1]), stretches=tuple(sorted([*others, grown])))

    def is_in(self, file: FileIO) -> bool:
        """Whether a file has the bytes that count, unchanged; it is read once, a little at a time."""
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
    """Return the state that a note from outside has, or None if it is none.

    >>> read_state({"points": 1, "length": 9, "missing": 0, "stretches": [[0, 9, 12345]]}).points
    1
    >>> read_state({"points": 1, "length": 9, "missing": 0, "stretches": [[0, 9, 12345], [5, 9, 1]]})  # they overlap
    """
    points, length, missing, stretches = (note.get(name) for name in ("points", "length", "missing", "stretches"))
    if not (_is_count(points) and _is_count(length) and _is_count(missing) and isinstance(stretches, list)):
        return None
    last = 0
    for stretch in stretches:
        if not isinstance(stretch, list) or len(stretch) != 3 or not all(map(_is_count, stretch)):
            return None
        if not last <= stretch[0] <= stretch[1] <= length:
            return None
        last = stretch[1]
    counted = tuple((begin, end, checksum) for begin, end, checksum in stretches)
    return State(points, length, missing, counted)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0

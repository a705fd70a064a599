"""Sources of features: arrays, files that are mapped or read in pieces, or batches, all turned into blocks of rows.

A block has float64 numbers, and at most :data:`BLOCK_NUMBERS` of them, so that memory stays bounded.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike

from theorycalc.errors import ArgumentError, DomainError, TheoryError, called, spelled
from theorycalc.numbers.exact import Floats
from theorycalc.running.files import file_path

#: M × N features: an array, the path of a .npy or .npz file, or an iterable of batches.
FeaturesLike: TypeAlias = "ArrayLike | str | os.PathLike[str] | Iterable[tuple[ArrayLike, ArrayLike]]"
LabelsLike: TypeAlias = "ArrayLike | str | os.PathLike[str]"

BLOCK_NUMBERS = 1 << 22  # of a block: 32 MB
FEATURES, LABELS = "features", "labels"  # the arrays of a .npz file
_REAL = "fiub"  # kinds of numbers: floats, whole numbers, True and False


class LabelledRows(NamedTuple):
    """Some rows of features with their labels, one column for each output."""

    features: Floats
    labels: Floats


def rows_at_once(columns: int) -> int:
    """Return the number of rows in a block.

    >>> rows_at_once(2000), rows_at_once(10**7)
    (2097, 1)
    """
    return max(1, BLOCK_NUMBERS // max(1, columns))


def blocks(F: FeaturesLike, y: LabelsLike | None) -> Iterator[LabelledRows]:
    """Yield features and labels in blocks of bounded size, after checking them.

    >>> [block.labels.ravel().tolist() for block in blocks(np.ones((3, 2)), [1, 2, 3])]
    [[1.0, 2.0, 3.0]]
    >>> len(list(blocks([(np.ones((3, 2)), [1, 2, 3]), (np.ones((1, 2)), [4])], None)))
    2
    """
    done = 0
    for features, labels in _pairs(F, y):
        if features.ndim != 2:
            raise DomainError(
                f"features have {features.ndim} dimension{'' if features.ndim == 1 else 's'}; give M rows, one for "
                "each point, and N columns",
                argument="F",
            )
        columns = labels[:, None] if labels.ndim == 1 else labels
        if columns.ndim != 2 or len(columns) != len(features):
            raise DomainError(
                f"labels have the shape {labels.shape}, but features have {len(features)} rows; give one for each row",
                argument="y",
            )
        step = rows_at_once(features.shape[1])
        for start in range(0, len(features), step):
            here = slice(start, start + step)
            yield LabelledRows(_finite(features[here], "F", done + start), _finite(columns[here], "y", done + start))
        done += len(features)


def _pairs(F: FeaturesLike, y: LabelsLike | None) -> Iterator[tuple[Any, Any]]:
    """Yield arrays of features and labels: a single pair, one for each batch, or one for each piece of a file."""
    if isinstance(F, (str, os.PathLike)) and y is None:
        yield from _stored_together(F)
    elif y is not None:
        yield array_of(F, "F"), array_of(y, "y")
    elif isinstance(F, np.ndarray) or not isinstance(F, Iterable):
        raise ArgumentError(
            f"labels are missing: {called('features')} takes F and y, or batches (F, y) alone", argument="y"
        )
    else:
        for pair in F:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ArgumentError(
                    f"labels are missing, or a batch is not a pair (F, y) but {type(pair).__name__}", argument="y"
                )
            yield array_of(pair[0], "F"), array_of(pair[1], "y")


def array_of(value: object, name: str) -> np.ndarray[tuple[int, ...], np.dtype[Any]]:
    """Return real numbers as an array: the memory of an array or a mapped file itself rather than a copy.

    >>> array_of([[True, False]], "F").shape
    (1, 2)
    >>> array_of(["a"], "y")
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: y= has entries of the type <U1; real numbers are needed
    """
    if isinstance(value, (str, os.PathLike)):
        value = _mapped(value, name)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise DomainError(f"{spelled(name)} has masked entries: fill them, or leave these points out", argument=name)
    try:
        found = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # rows of different lengths, a tensor with a gradient
        raise DomainError(f"{spelled(name)} cannot be made an array: {error}", argument=name) from None
    if found.dtype.kind not in _REAL:
        raise DomainError(
            f"{spelled(name)} has entries of the type {found.dtype}; real numbers are needed", argument=name
        )
    return found


def _finite(rows: Any, name: str, first: int) -> Floats:
    """Return a copy in float64; refuse NaN and infinity, and say where they are."""
    found = np.array(rows, dtype=np.float64)
    if not np.isfinite(found).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(found))[0])
        raise DomainError(
            f"{spelled(name)} has {found[row, column]} in row {first + row}, column {column}: remove such "
            "rows, or replace such entries",
            argument=name,
        )
    return found


def _mapped(value: str | os.PathLike[str], name: str) -> object:
    path = file_path(value, name)
    if path.suffix != ".npy":
        raise ArgumentError(
            f"{spelled(name, str(path))}: separate labels need a .npy file; a .npz file contains both, as arrays "
            f"{FEATURES!r} and {LABELS!r}",
            argument=name,
        )
    with _reading(str(path), name):
        return np.load(path, mmap_mode="r", allow_pickle=False)


@contextmanager
def _reading(path: str, name: str) -> Iterator[None]:
    """Turn every error in reading a file into one kind; unknown zip compression raises NotImplementedError."""
    try:
        yield
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        if isinstance(error, TheoryError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(f"cannot read {path}: {reason}", argument=name) from None


def _stored_together(value: str | os.PathLike[str]) -> Iterator[tuple[Any, Any]]:
    """Yield features and labels from a .npz file, some rows at a time."""
    path = file_path(value, "F")
    if path.suffix != ".npz":
        raise ArgumentError(
            f"{spelled('F', str(path))} without labels: give y, or a .npz file with arrays {FEATURES!r} and {LABELS!r}",
            argument="y",
        )
    with _reading(str(path), "F"), zipfile.ZipFile(path) as archive:
        names = {name.removesuffix(".npy") for name in archive.namelist()}
        if not {FEATURES, LABELS} <= names:
            raise DomainError(
                f"{path} has the arrays {', '.join(sorted(names)) or 'none'}; it needs {FEATURES!r} and {LABELS!r}",
                argument="F",
            )
        with archive.open(f"{LABELS}.npy") as file:
            labels = array_of(npy.read_array(file, allow_pickle=False), "y")
        with archive.open(f"{FEATURES}.npy") as file:
            yield from _rows_beside(file, labels)


def _rows_beside(file: IO[bytes], labels: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the rows of a matrix in a file with their labels; a matrix stored by columns must be read at once."""
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
    shape, by_columns, dtype = read_header(file)
    array_of(np.empty(0, dtype), "F")  # its type is that of real numbers
    if len(shape) != 2 or by_columns or len(labels) != shape[0]:
        whole = np.frombuffer(file.read(), dtype).reshape(shape, order="F" if by_columns else "C")
        yield whole, labels
        return
    step = rows_at_once(shape[1])
    for start in range(0, shape[0], step):
        count = min(step, shape[0] - start)
        content = file.read(count * shape[1] * dtype.itemsize)
        yield np.frombuffer(content, dtype).reshape(count, shape[1]), labels[start : start + count]

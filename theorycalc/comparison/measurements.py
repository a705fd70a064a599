"""Your own measurements: a table of losses and gains, read into the same rows as a simulated run."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, TheoryError, about, suggestion
from theorycalc.model.sizes import Sizes
from theorycalc.numbers.exact import read
from theorycalc.results.quantities import OBSERVED
from theorycalc.results.table import Row, columns_of, number_or_none
from theorycalc.running.files import file_path

KNOWN = ("alpha", "eta", "ridge", "replicates", *OBSERVED, *(f"{name}_se" for name in OBSERVED))

#: Words in the names of columns elsewhere, and here; an empty one says what is meant without it.
_WORDS = {
    **dict.fromkeys(("val", "valid", "validation"), "test"),
    **dict.fromkeys(("before", "init", "start"), "initial"),
    **dict.fromkeys(("after", "final", "mean", "avg"), ""),
    **dict.fromkeys(("sem", "stderr"), "se"),
    **dict.fromkeys(("sd", "stdev"), "std"),
    "training": "train",
}
_RATES = ("lr", "learning_rate", "step_size")
_SEPARATORS = (";", "\t", "|")

#: How a learning rate becomes our step.
STEP = "η = 2·lr for torch's MSELoss, by tc.conventions.eta_from"


def check_columns(columns: Collection[str], measured: Iterable[str]) -> None:
    """Refuse columns that go by another name here, and a table without any loss or gain.

    >>> check_columns(["eta", "val_loss"], [])
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: the table has a column 'val_loss'; did you mean 'test_loss'?
    """
    _check_separator(columns)
    for name in columns:
        hint = "" if name in KNOWN else _hint(name, columns)
        if hint:
            raise ArgumentError(f"the table has a column {name!r}{hint}")
    if not list(measured):
        raise ArgumentError(f"the table has no column of a loss or a gain; their names are {', '.join(OBSERVED)}")


def _check_separator(columns: Collection[str]) -> None:
    """Refuse a table read as one column because its separator is not a comma."""
    name, *others = columns or [""]
    separator = next((one for one in _SEPARATORS if one in name), None)
    if separator is not None and not others:
        raise ArgumentError(f"the only column is {name!r}: read it by pandas.read_csv(…, sep={separator!r})")


def _hint(name: str, columns: Collection[str]) -> str:
    """Return a hint with our name for a column, or nothing if the table also has a column of that name."""
    if name.lower().replace(" ", "_") in _RATES:
        return "" if {"eta", "alpha"} & set(columns) else f"; give the learning rate as eta: {STEP}"
    words = {_WORDS.get(word, word) for word in re.findall(r"[^\W_]+", name.lower())} - {""}
    spread = words & {"se", "std"}
    words -= spread
    remark = ""
    if "mse" in words:  # it has no penalty
        words = words - {"mse"} | {"error" if "train" in words else "loss"}
    elif {"test", "error", "rate"} <= words:
        words -= {"test"}
    elif {"test", "error"} <= words:
        words, remark = words - {"error"} | {"loss"}, " ('error_rate' is the share of wrong signs)"
    found = next((known for known in OBSERVED if set(known.split("_")) == words), None)
    if found is None:
        return suggestion(name, KNOWN)
    target = f"{found}_se" if spread else found
    if target in columns:
        return ""
    if "std" in spread:
        how = f"divide it by the root of the number of runs, and call it {target!r}"
        return f"; a standard deviation is not a standard error: {how}"
    return f"; did you mean {target!r}?{remark}"


@runtime_checkable
class DataFrame(Protocol):
    """A data frame of any library: the names of its columns, and each column by its name."""

    @property
    def columns(self) -> Iterable[object]:
        """The names of the columns."""

    def __getitem__(self, name: object, /) -> Iterable[object]:
        """Return a column."""


Measurements: TypeAlias = str | os.PathLike[str] | Mapping[str, object] | Iterable[Mapping[str, object]] | DataFrame
_Numbers: TypeAlias = dict[str, float | None]
_Place: TypeAlias = tuple[float | None, float | None, float | None]  # α, η and λ

MODEL = "measured"
_LARGEST_FILE = 1 << 28  # bytes
#: Gains that follow from two losses of the same draw: gain, before, after.
_GAINS = (
    ("train_gain", "train_loss_initial", "train_loss"),
    ("test_gain", "test_loss_initial", "test_loss"),
    ("test_gain_clean", "test_loss_clean_initial", "test_loss_clean"),
    ("error_rate_gain", "error_rate_initial", "error_rate"),
)


@about("observed")
def read_measurements(table: Measurements, sizes: Sizes | None = None) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return the means and standard errors of a table, one row for each step and ridge, and notes on the reading.

    Parameters
    ----------
    table : data frame, mapping, sequence or path
        A data frame, a dict of columns, a list of dicts, or the path of a CSV file.  Its columns are ``eta`` or
        ``alpha``, ``ridge`` (if there are several), and any of the losses and gains by their names here.  A column
        ``NAME_se`` has standard errors, with one row for each step and ridge and the number of draws as
        ``replicates``; without it several rows of a step and ridge are its draws.
    sizes : Sizes, optional
        The sizes of the network, which columns ``n``, ``d`` and ``N`` must not contradict.

    Returns
    -------
    tuple
        The rows, as :attr:`Run.rows` has them, and the notes.

    Raises
    ------
    TheoryError
        A file cannot be read, a value is not a number, or a standard error is missing.

    >>> rows, _ = read_measurements({"eta": [20, 20, 20], "test_loss": [0.14, 0.15, 0.16]})
    >>> rows[0]["replicates"], round(rows[0]["test_loss"], 3), round(rows[0]["test_loss_se"], 4)
    (3, 0.15, 0.0058)
    """
    columns = _columns(table)
    length = max(map(len, columns.values()), default=0)
    if any(len(values) != length for values in columns.values()):
        raise ArgumentError("the columns of the table have different lengths")
    measured = [name for name in OBSERVED if name in columns]
    check_columns(columns, measured)
    if not length:
        raise ArgumentError("the table has no rows")
    rows = [
        {name: _number(values[i], name, i) for name, values in columns.items() if name in KNOWN} for i in range(length)
    ]
    counted = () if sizes is None else _checked_sizes(columns, sizes)
    groups: dict[_Place, list[_Numbers]] = {}
    for i, row in enumerate(rows):
        _check_step(row, i)
        groups.setdefault((row.get("alpha"), row.get("eta"), row.get("ridge")), []).append(row)
    unused = [name for name in columns if name not in (*KNOWN, *counted)]
    notes = [f"columns that are not used: {', '.join(unused)}"] if unused else []
    cells = tuple(_cell(number, place, group) for number, (place, group) in enumerate(groups.items()))
    for place, cell in zip(groups, cells, strict=True):
        missing = [name for name in measured if name not in cell]
        if len(missing) == len(measured):
            raise ArgumentError(f"{_where(place)} has no number of any loss or gain; leave out its rows, or measure it")
        notes += [f"{_where(place)}: {name} is missing, and not judged" for name in missing]
    return cells, tuple(notes)


def eta_of(alpha: float | None, eta: float | None, n: int) -> float:
    """Return the step η, computed from its exponent if that was given.

    >>> eta_of(0.5, None, 100), eta_of(None, 3.0, 100)
    (10.0, 3.0)
    """
    if eta is not None:
        return eta
    assert alpha is not None
    return math.pow(n, alpha)


def steps_of(rows: Iterable[Row], n: int) -> list[float]:
    """Return the distinct steps η of the rows, in order.

    >>> steps_of([{"alpha": None, "eta": 2.0}, {"alpha": 0.5, "eta": None}, {"alpha": None, "eta": 2.0}], 100)
    [2.0, 10.0]
    """
    given = ((number_or_none(row, "alpha"), number_or_none(row, "eta")) for row in rows)
    return list(dict.fromkeys(eta_of(*one, n) for one in given))


def _columns(table: Measurements) -> dict[str, list[object]]:
    if isinstance(table, (str, os.PathLike)):
        return _of_file(table)
    if isinstance(table, Mapping):
        return {str(name): _listed(values) for name, values in table.items()}
    if isinstance(table, DataFrame):
        return {str(name): list(table[name]) for name in table.columns}
    if isinstance(table, Iterable):
        rows = list(table)
        if all(isinstance(row, Mapping) for row in rows):
            return columns_of(rows)
    raise ArgumentError(
        "observations are a Run or measurements: a data frame, a dict of columns, a list of dicts or the path of a CSV "
        f"file, not {type(table).__name__}"
    )


def _listed(values: object) -> list[object]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        return [values]
    return list(values)


def _of_file(path: str | os.PathLike[str]) -> dict[str, list[object]]:
    try:
        place = Path(file_path(path, "measurements"))
        if place.stat().st_size > _LARGEST_FILE:
            raise DomainError(f"{path} is larger than {_LARGEST_FILE} bytes; average the draws of each step first")
        text = place.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DomainError(f"{path} is not text in UTF-8; save it as CSV") from None
    try:
        heads, *lines = list(csv.reader(io.StringIO(text), strict=True)) or [[]]
    except csv.Error as error:
        raise DomainError(f"{path} is not CSV: {error}") from None
    heads = [head.strip() for head in heads]
    _check_separator(heads)
    if len(set(heads)) != len(heads):
        raise DomainError(f"{path} has a column twice")
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    for number, line in enumerate(lines, start=2):
        if len(line) != len(heads):
            raise DomainError(f"line {number} of {path} has {len(line)} cells, but the first line has {len(heads)}")
    return {head: [line[i].strip() for line in lines] for i, head in enumerate(heads)}


def _checked_sizes(columns: Mapping[str, list[object]], sizes: Sizes) -> tuple[str, ...]:
    """Return the columns of sizes; refuse rows of another network."""
    for name, size in sizes._asdict().items():
        for i, value in enumerate(columns.get(name, ())):
            found = _number(value, name, i)
            if found not in (None, size):
                raise ArgumentError(
                    f"row {i + 1} of the table has {name} = {found:g}, while the problem has {size}: compare rows "
                    "of each network with its own problem, or rename the column if it is something else"
                )
    return sizes._fields


def _check_step(row: _Numbers, index: int) -> None:
    eta, alpha = row.get("eta"), row.get("alpha")
    if eta is None and alpha is None:
        reason = f"row {index + 1} of the table has no step"
        raise ArgumentError(f"{reason}: give the learning rate as eta ({STEP}), or alpha (the step is n^alpha)")
    if eta is not None and alpha is not None:
        raise ArgumentError(f"row {index + 1} of the table has two steps, eta and alpha: leave one of them out")
    if alpha is not None and alpha >= 1:
        raise ArgumentError(
            f"row {index + 1} of the table has alpha = {alpha:g}: alpha is the exponent of the step η = n^alpha, below "
            "1; that of scikit-learn's Ridge(alpha=…) belongs in ridge, by tc.ridge_from('sum', alpha, n=…)"
        )


def _number(value: object, name: str, index: int) -> float | None:
    """Return the number in one cell, or None if it is empty."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    try:
        return float(read(value, name))
    except (TheoryError, OverflowError):
        raise ArgumentError(f"row {index + 1} of the table: {name} is {value!r}, not a number") from None


def _cell(number: int, place: _Place, rows: list[_Numbers]) -> Row:
    """Return the means over the rows of one step and ridge; a single row must give its own standard errors."""
    alpha, eta, ridge = place
    shown: dict[str, object] = {"cell": number, "alpha": alpha, "eta": eta, "model": MODEL, "ridge": ridge}
    where = _where(place)
    if any(name.endswith("_se") for name in rows[0]):
        if len(rows) > 1:
            reason = f"{where} has {len(rows)} rows with standard errors"
            raise ArgumentError(f"{reason}; give one row for each step and ridge")
        return shown | {"replicates": rows[0].get("replicates")} | _given(rows[0], where)
    if len(rows) == 1:
        raise ArgumentError(f"{where} has one row and no standard error; give several draws, or columns NAME_se")
    draws = [row | _paired(row) for row in rows]
    for name in OBSERVED:
        values = np.array([row[name] for row in draws if row.get(name) is not None])
        if len(values) not in (0, len(draws)):
            raise ArgumentError(f"{where}: {name} is missing in {len(draws) - len(values)} of {len(draws)} rows")
        if len(values) and values[0] != 0 and np.all(values == values[0]):
            reason = f"{where}: {name} is {values[0]:g} in all {len(values)} rows: the runs are identical"
            raise ArgumentError(f"{reason}; was the seed fixed? Draw data and weights anew for each")
        if len(values):
            shown |= {name: float(values.mean()), f"{name}_se": float(values.std(ddof=1) / math.sqrt(len(values)))}
    return shown | {"replicates": len(draws)}


def _where(place: _Place) -> str:
    alpha, eta, _ = place
    return f"the step {'α' if eta is None else 'η'} = {alpha if eta is None else eta:g}"


def _given(row: _Numbers, where: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in OBSERVED:
        if row.get(name) is None:
            continue
        error = row.get(f"{name}_se")
        if error is None or error < 0:
            raise ArgumentError(f"{where}: {name} has no standard error; give {name}_se, not negative")
        found |= {name: row[name], f"{name}_se": error}
    return found


def _paired(row: _Numbers) -> _Numbers:
    """Return the gains missing from a draw, computed from its losses before and after the step."""
    found: _Numbers = {}
    for gain, *names in _GAINS:
        before, after = (row.get(name) for name in names)
        if row.get(gain) is None and before is not None and after is not None:
            found[gain] = before - after
    return found

"""The names of columns in a table of measurements, and hints where logs and libraries call them otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from theorycalc.errors import ArgumentError, suggestion
from theorycalc.results.quantities import OBSERVED

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
    """Refuse columns that are called otherwise here, and a table without a loss or a gain.

    >>> check_columns(["eta", "val_loss"], [])
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: the table has a column 'val_loss'; did you mean 'test_loss'?
    """
    check_separator(columns)
    for name in columns:
        hint = "" if name in KNOWN else _hint(name, columns)
        if hint:
            raise ArgumentError(f"the table has a column {name!r}{hint}")
    if not list(measured):
        raise ArgumentError(f"the table has no column of a loss or a gain; their names are {', '.join(OBSERVED)}")


def check_separator(columns: Collection[str]) -> None:
    """Refuse a table whose only column is a line that another character than the comma separates.

    >>> check_separator(["eta;test_loss"])
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: the only column is 'eta;test_loss': read it by pandas.read_csv(…, sep=';')
    """
    name, *others = columns or [""]
    separator = next((one for one in _SEPARATORS if one in name), None)
    if separator is not None and not others:
        raise ArgumentError(f"the only column is {name!r}: read it by pandas.read_csv(…, sep={separator!r})")


def _hint(name: str, columns: Collection[str]) -> str:
    """Return the name here of a column, unless the table has that, too: then the column is simply not used."""
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
        return f"; a standard deviation is no standard error: {how}"
    return f"; did you mean {target!r}?{remark}"

"""The record of a replicate in a file: its required content, and the check for it, since files may hold anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from reprlib import repr as short
from typing import TypeGuard

from theorycalc.errors import DomainError
from theorycalc.results.quantities import CLEAN, RATES, WEIGHTS
from theorycalc.running.journal import Record
from theorycalc.simulation.settings import Settings

#: The losses, errors and gains of a row, as :class:`theorycalc.Prediction` names them.
VALUES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial", "train_gain", "test_gain"),
    *("train_loss", "train_error", "test_loss"),
)
TRACES = ("m1", "m2")
_WEIGHT_LISTS = ("top", "quantiles")
_LARGEST = 1e150  # so that its square is a number, too


def record_check(settings: Settings) -> Callable[[object], Record]:
    """Return the function that checks a file's record against the settings."""
    more = (*(() if settings.fit_channel.is_clean else CLEAN), *(RATES if settings.has_sign_labels else ()))
    models, ridges, values = settings.models, settings.ridges, (*VALUES, *more)
    return partial(check_record, models=models, ridges=ridges, traces=settings.traces, values=values)


def check_record(
    record: object,
    models: Sequence[str],
    ridges: Sequence[float],
    traces: bool = False,
    values: tuple[str, ...] = VALUES,
) -> Record:
    """Return a record from a file if it has these models and ridges; otherwise raise :class:`DomainError`.

    >>> check_record({"alpha": 0.1, "eta": "2"}, models=["network"], ridges=[0.1])
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: its eta '2' is not a non-negative number
    """
    if not isinstance(record, dict):
        raise DomainError(f"it is a {type(record).__name__}, not a record")
    alpha, eta, index = (record.get(name) for name in ("alpha", "eta", "replicate"))
    if not _is_number(eta) or eta < 0:
        raise DomainError(f"its eta {short(eta)} is not a non-negative number")
    if alpha is not None and not _is_number(alpha):
        raise DomainError(f"its alpha {short(alpha)} is not a number")
    if type(index) is not int or index < 0:
        raise DomainError(f"its replicate {short(index)} is not one of 0, 1, 2, …")
    wanted = [{"model": model, "ridge": ridge} for model in models for ridge in ridges]
    _check_rows(record.get("rows"), "rows", wanted, values)
    if traces:
        _check_rows(record.get("traces"), "traces", [{"ridge": ridge} for ridge in ridges], TRACES)
    elif record.get("traces") is not None:
        raise DomainError("it has traces, which the settings do not ask for")
    weights_of(record)
    return record


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < math.inf


def _check_rows(rows: object, name: str, wanted: Sequence[Mapping[str, object]], values: tuple[str, ...]) -> None:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DomainError(f"its {name} are not a list of rows")
    if len(rows) != len(wanted):
        raise DomainError(f"it has {len(rows)} {name}, not {len(wanted)}")
    if [{key: row.get(key) for key in want} for row, want in zip(rows, wanted, strict=True)] != wanted:
        raise DomainError(f"its {name} are not those of the models and ridges of the settings")
    for row in rows:
        if others := sorted(set(row).difference(wanted[0], values)):  # a "cell" would hide that of the record
            raise DomainError(f"its {name} have {others}, which are not ours")
        for value in values:
            number = row.get(value)
            if type(number) not in (int, float) or not abs(number) < _LARGEST:
                raise DomainError(f"{value} in its {name} is {short(number)}, not a number below {_LARGEST:g}")


def weights_of(record: Mapping[str, object]) -> Mapping[str, object]:
    """Return the singular values in a record, or nothing if it has none; a file may hold anything.

    >>> weights_of({"spectrum": {"weights": {"top": "3"}}})
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: its singular values of the weights are not those of a simulation
    """
    spectrum = record.get("spectrum")
    found = spectrum.get("weights") if isinstance(spectrum, Mapping) else None
    if found is None:  # no spectrum was asked for, or an earlier version recorded it
        return {}
    if isinstance(found, Mapping) and all(_numbers(found.get(name)) for name in _WEIGHT_LISTS):
        overlaps = [found.get(name) for name in WEIGHTS]
        if _numbers(overlaps) and max(overlaps[1:]) <= 1:
            return found
    raise DomainError("its singular values of the weights are not those of a simulation")


def _numbers(values: object) -> TypeGuard[list[float]]:
    """Return whether these are non-negative finite numbers, at least one."""
    return (
        isinstance(values, list)
        and len(values) > 0
        and all(isinstance(x, (int, float)) and not isinstance(x, bool) and 0 <= x < math.inf for x in values)
    )

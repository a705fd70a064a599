"""When a deviation counts: critical values for many looks, and the deviation that so many draws would show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypedDict

FEWEST_DRAWS = 8  # below, the standard error itself is too uncertain for a verdict
POWER = 0.9  # the chance with which a deviation of the detectable size shows


class PredictedRow(TypedDict):
    """One quantity at one place, observed and predicted."""

    theory: str
    cell: int
    alpha: float | None
    eta: float | None
    model: str
    ridge: float
    replicates: float | None
    quantity: str
    predicted: float
    observed: float
    standard_error: float
    z: float
    judged: bool


class ComparedRow(PredictedRow):
    """The same with p, the critical |z| of the level, and the deviation that would have shown."""

    p: float
    critical: float
    detectable: float


def judged(rows: Iterable[PredictedRow], level: float) -> tuple[ComparedRow, ...]:
    """Return the rows with p, the critical |z| of the level, and the deviation that they would have shown.

    >>> row = {"z": 1.0, "standard_error": 0.1, "replicates": 21, "judged": True}
    >>> found = judged([row], level=0.05)[0]
    >>> round(found["p"], 3), round(found["critical"], 3), round(found["detectable"], 3)
    (0.329, 2.086, 0.341)
    """
    listed = list(rows)
    looks = max(1, sum(row["judged"] for row in listed))
    return tuple(_judged(row, level / looks) for row in listed)


def _judged(row: PredictedRow, level: float) -> ComparedRow:
    draws, critical = row["replicates"], _quantile(row["replicates"], 1 - level / 2)
    detectable = (critical + _quantile(draws, POWER)) * row["standard_error"]
    return {**row, "p": _probability(draws, row["z"]), "critical": critical, "detectable": detectable}


def _probability(draws: float | None, z: float) -> float:
    """Return the chance of a larger |z|: by Student's t, or by the normal law where the draws were not counted."""
    from scipy.special import ndtr, stdtr

    return float(2 * (ndtr(-abs(z)) if draws is None else stdtr(draws - 1, -abs(z))))


def _quantile(draws: float | None, probability: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if draws is None else stdtrit(draws - 1, probability))


def sensitivity(rows: Iterable[ComparedRow], quantity: str) -> tuple[float, float]:
    """Return the detectable deviations of a quantity in per cent of its prediction: the median, and the largest.

    >>> rows = [{"quantity": "test_gain", "detectable": 0.01, "predicted": 0.2}]
    >>> sensitivity(rows, "test_gain")
    (5.0, 5.0)
    """
    shares = sorted(
        100 * row["detectable"] / abs(row["predicted"]) if row["predicted"] else math.inf
        for row in rows
        if row["quantity"] == quantity
    )
    return shares[len(shares) // 2], shares[-1]

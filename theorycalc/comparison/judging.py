"""When a deviation counts: critical values for many looks, and the deviation that so many draws would show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

FEWEST_DRAWS = 8  # below, the standard error itself is too uncertain for a verdict
POWER = 0.9  # the chance with which a deviation of the detectable size shows


def judged(rows: Iterable[dict[str, Any]], level: float) -> tuple[dict[str, Any], ...]:
    """Return the rows with p, the critical |z| of the level, and the deviation that they would have shown.

    >>> row = {"z": 1.0, "standard_error": 0.1, "replicates": 21, "judged": True}
    >>> found = judged([row], level=0.05)[0]
    >>> round(found["p"], 3), round(found["critical"], 3), round(found["detectable"], 3)
    (0.329, 2.086, 0.341)
    """
    listed = list(rows)
    looks = max(1, sum(row["judged"] for row in listed))
    return tuple(row | _judgement(row, level / looks) for row in listed)


def _judgement(row: dict[str, Any], level: float) -> dict[str, float]:
    critical = _quantile(row["replicates"], 1 - level / 2)
    return {
        "p": _probability(row["replicates"], row["z"]),
        "critical": critical,
        "detectable": (critical + _quantile(row["replicates"], POWER)) * row["standard_error"],
    }


def _probability(draws: float | None, z: float) -> float:
    """Return the chance of a larger |z|: by Student's t, or by the normal law where the draws were not counted."""
    from scipy.special import ndtr, stdtr

    return float(2 * (ndtr(-abs(z)) if draws is None else stdtr(draws - 1, -abs(z))))


def _quantile(draws: float | None, probability: float) -> float:
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability) if draws is None else stdtrit(draws - 1, probability))


def sensitivity(rows: Iterable[dict[str, Any]], quantity: str) -> tuple[float, float]:
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

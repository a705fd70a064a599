"""The deviations that draws show, and the number of draws that show a deviation: by Student's t, nine times in ten."""

from __future__ import annotations

import math

FEWEST_DRAWS = 8  # with fewer, the standard error itself is too uncertain for a verdict
POWER = 0.9  # the probability with which a deviation of the detectable size shows


def thresholds(draws: float | None, level: float) -> tuple[float, float]:
    """Return the critical |z| of a level and the detectable deviation, both in standard errors.

    They are those of Student's t with one degree of freedom fewer than draws, or of the normal law if the draws were
    not counted.

    >>> [round(value, 3) for value in thresholds(21, 0.05)], [round(value, 3) for value in thresholds(None, 0.01)]
    ([2.086, 3.411], [2.576, 3.857])
    """
    from scipy.special import ndtri, stdtrit

    shares = 1 - level / 2, POWER
    critical, more = (float(ndtri(p) if draws is None else stdtrit(draws - 1, p)) for p in shares)
    return critical, critical + more


def draws_to_show(deviations: float, level: float) -> int:
    """Return the number of draws that show a difference from theory, whose inverse is given in deviations of one draw.

    Parameters
    ----------
    deviations : float
        Standard deviation of one draw, divided by the difference.
    level : float
        Largest probability with which a right theory is called different.

    >>> draws_to_show(1.0, 0.01), draws_to_show(0.01, 0.01)  # the normal law has 14.9 for 1
    (18, 8)
    """
    few, many = FEWEST_DRAWS - 1, FEWEST_DRAWS
    while thresholds(many, level)[1] * deviations > math.sqrt(many):
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        enough = thresholds(middle, level)[1] * deviations <= math.sqrt(middle)
        few, many = (few, middle) if enough else (middle, many)
    return many

"""Agreement of two predictions to most of their proven digits."""

from __future__ import annotations

import mpmath

import theorycalc as tc
from theorycalc.theory.limits import Values

CLOSE = mpmath.mpf("1e-28")


def agree(one: tc.Prediction, other: tc.Prediction, names=Values._fields) -> bool:
    with mpmath.workdps(40):
        return all(
            abs(mpmath.mpf(getattr(one, n)) - mpmath.mpf(getattr(other, n))) <= CLOSE * abs(mpmath.mpf(getattr(one, n)))
            for n in names
        )

"""Squared overlaps of unit vectors, which lie between 0 and 1: others are lost to rounding, and are refused.

See docs/theory/outliers.md#outliers-after-a-step and docs/theory/weights.md#overlaps.
"""

from __future__ import annotations

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.systems import Array

_ROUNDED = 1e-6


def of_unit_vectors(overlaps: Array) -> Array:
    """Return squared overlaps with orthonormal functions, a row for each vector, or refuse those of no unit vector.

    >>> bool(of_unit_vectors(np.array([[0.25, 0.75 + 1e-9]])).sum() <= 1)
    True
    """
    whole = overlaps.sum(axis=1, keepdims=True)
    if not (np.all(overlaps >= -_ROUNDED) and np.all(whole <= 1 + _ROUNDED)):
        raise PrecisionError(
            "rounding hides the outliers: in float64 their overlaps are not those of unit vectors; take a smaller "
            "step, or sizes that differ less",
            argument="eta",
        )
    kept: Array = np.maximum(overlaps, 0.0)
    return kept / np.maximum(kept.sum(axis=1, keepdims=True), 1.0)


def of_pairs(*overlaps: float) -> tuple[float, ...]:
    """Return squared overlaps of pairs of unit vectors, or refuse those of none.

    >>> of_pairs(0.5, 1 + 1e-9, 1.0)
    (0.5, 1.0, 1.0)
    """
    return tuple(of_unit_vectors(np.array(overlaps)[:, None])[:, 0].tolist())

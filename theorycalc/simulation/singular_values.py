"""The singular values of the weights W, and the vectors of the largest one (docs/theory/weights.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeGuard

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.results.quantities import WEIGHTS
from theorycalc.simulation.eigenvalues import TOP, quantiles

_LISTS = ("top", "quantiles")


def weights_record(weights: Floats, second_layer: Floats, direction: Floats, teacher: Floats) -> dict[str, object]:
    """Return the singular values of W, small enough to keep for every replicate.

    ``top``: the 10 largest.  ``quantiles``: the N square roots of the eigenvalues of WWᵀ, zeros included, at 201
    equally spaced ranks.  ``top_singular_value``, and the squared cosines of its left vector with a, ``overlap_a``,
    and of its right vector with the direction of the step, ``overlap_direction``, and with β⋆, ``overlap_teacher``.

    >>> x, y = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    >>> record = weights_record(np.diag([3.0, 2.0]), x, y, x)
    >>> [round(record[name], 12) for name in WEIGHTS], record["top"]
    ([3.0, 1.0, 0.36, 1.0], [3.0, 2.0])
    """
    values, left, right = _decomposed(weights)
    overlaps = _cosine(left, second_layer), _cosine(right, direction), _cosine(right, teacher)
    return {
        "top": values[::-1][:TOP].tolist(),
        "quantiles": quantiles(values),
        **dict(zip(WEIGHTS, (float(values[-1]), *overlaps), strict=True)),
    }


def _decomposed(weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the N singular values in rising order, and the vectors of the largest one."""
    N, d = weights.shape
    tall = d < N
    squares, vectors = linalg.eigh(weights.T @ weights if tall else weights @ weights.T, check_finite=False)
    values = np.concatenate([np.zeros(N - len(squares)), np.sqrt(np.maximum(squares, 0.0))])
    found = vectors[:, -1]
    other = weights @ found if tall else found @ weights
    return (values, other, found) if tall else (values, found, other)


def _cosine(one: Floats, other: Floats) -> float:
    """Return the squared cosine of two vectors, or 0 if one of them is 0."""
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return min(1.0, (float(one @ other) / norm) ** 2) if norm else 0.0


def weights_of(record: Mapping[str, object]) -> Mapping[str, object]:
    """Return the singular values of a record, or nothing if it has none; a file may hold anything.

    >>> weights_of({"spectrum": {"weights": {"top": "3"}}})
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: its singular values of the weights are not those of a simulation
    """
    spectrum = record.get("spectrum")
    found = spectrum.get("weights") if isinstance(spectrum, Mapping) else None
    if found is None:  # no spectrum was asked for, or an earlier version recorded it
        return {}
    if isinstance(found, Mapping) and all(_numbers(found.get(name)) for name in _LISTS):
        overlaps = [found.get(name) for name in WEIGHTS]
        if _numbers(overlaps) and max(overlaps[1:]) <= 1:
            return found
    raise DomainError("its singular values of the weights are not those of a simulation")


def _numbers(values: object) -> TypeGuard[list[float]]:
    """Say whether these are finite numbers from 0, at least one."""
    return (
        isinstance(values, list)
        and len(values) > 0
        and all(isinstance(x, (int, float)) and not isinstance(x, bool) and 0 <= x < math.inf for x in values)
    )

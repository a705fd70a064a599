"""Levels of the inputs' covariance, as given, from a power law or estimated from data: eigenvalues, weights, shares.

See docs/theory/inputs.md#the-inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.numbers.exact import Floats, NumberLike, Scalar, read_rational, spell

Share: TypeAlias = "Fraction | float"

MOST_EIGENVALUES = 100_000
_ROUNDING = 1e-12  # eigenvalues of data below this part of the largest are 0


class ExactLevel(NamedTuple):
    """One eigenvalue τ of Σ, the weight of its inputs, and the teacher's share (v·u)² in it."""

    eigenvalue: Share
    weight: Share
    share: Share


class PowerLaw(NamedTuple):
    """τ_j ∝ j^−a and shares ∝ j^−b, j = 1, 2, …, d."""

    decay: Share  # a
    share_decay: Share  # b


def read_levels(given: Sequence[tuple[NumberLike, NumberLike, NumberLike | None]]) -> tuple[ExactLevel, ...]:
    """Return levels by decreasing eigenvalue, equal ones merged; eigenvalues have mean 1, weights and shares the sum 1.

    >>> read_levels([(1, 3, None), (3, 1, None)])[0]
    ExactLevel(eigenvalue=Fraction(2, 1), weight=Fraction(1, 4), share=Fraction(1, 2))
    """
    if not 1 <= len(given) <= MOST_EIGENVALUES:
        raise DomainError(f"inputs: {len(given)} eigenvalues; 1 to {MOST_EIGENVALUES} are computed", argument="inputs")
    known: dict[Share, list[Share]] = {}
    for one, many, part in given:
        eigenvalue, weight = read_part(one, "the eigenvalue"), read_part(many, "the weight")
        if weight == 0:
            raise DomainError(f"inputs: the weight of the eigenvalue {one} must be positive", argument="inputs")
        share = weight * eigenvalue if part is None else read_part(part, "the share")
        if eigenvalue == 0 and share > 0:
            reason = "inputs: the teacher has a share in an eigenvalue of 0: inputs that do not vary"
            raise DomainError(reason, argument="inputs")
        both = known.setdefault(eigenvalue, [Fraction(0), Fraction(0)])
        both[0] += weight
        both[1] += share
    weights, shares = (_total(column) for column in zip(*known.values(), strict=True))
    mean = _total([eigenvalue * (both[0] / weights) for eigenvalue, both in known.items()])
    if mean == 0 or shares == 0:
        what = "eigenvalues" if mean == 0 else "shares of the teacher"
        raise DomainError(f"inputs: all {what} are 0", argument="inputs")
    return tuple(
        ExactLevel(eigenvalue / mean, known[eigenvalue][0] / weights, known[eigenvalue][1] / shares)
        for eigenvalue in sorted(known, reverse=True)
    )


def _total(values: Sequence[Share]) -> Share:
    """Return a sum; a sum of floats that is 1 up to rounding is 1, so that normalised levels do not change."""
    if not any(isinstance(value, float) for value in values):
        return sum(values, Fraction(0))
    total = math.fsum(values)
    return Fraction(1) if abs(total - 1) < 1e-15 else total


def read_part(value: NumberLike, what: str, negative: bool = False) -> Share:
    """Return a rational number or a float, by default non-negative; ``what`` names it in an error."""
    number = read_rational(value.strip() if isinstance(value, str) else value, "inputs")
    if number < 0 and not negative:
        raise DomainError(f"inputs: {what} {value} must not be negative", argument="inputs")
    return number


def written(value: Scalar) -> str:
    """Return a number as text that reads back as the same number, a float by its exact value.

    >>> written(0.5), written(Fraction(1, 3))
    ('1/2', '1/3')
    """
    return str(spell(Fraction(value) if isinstance(value, float) else value))


def powers(count: int, decay: Share) -> list[float]:
    """Return j^−decay for j = 1, …, count, divided by their sum.

    >>> powers(2, 1)
    [0.6666666666666666, 0.3333333333333333]
    """
    logs = -float(decay) * np.log(np.arange(1, count + 1, dtype=np.float64))
    scaled = np.exp(logs - np.max(logs))
    found: list[float] = (scaled / np.sum(scaled)).tolist()
    return found


def estimated(X: object, y: object = None) -> tuple[list[float], list[float] | None]:
    """Return the eigenvalues and, given labels, the shares of v = Σ^−½E[xy] (docs/theory/inputs.md#from-data).

    >>> [round(value, 2) for value in estimated([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]] * 100)[0]]
    [1.99, 0.51]
    """
    points = _floats(X, "X", 2)
    count, d = points.shape
    if count <= d:
        reason = f"inputs: {count} points in {d} dimensions do not determine the covariance"
        raise ArgumentError(f"{reason}; give more points than columns", argument="X")
    points = points - np.mean(points, axis=0)
    eigenvalues, vectors = np.linalg.eigh(points.T @ points / count)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    if eigenvalues[0] <= 0:
        raise DomainError("inputs: the columns of X are constant", argument="X")
    eigenvalues = np.where(eigenvalues > _ROUNDING * eigenvalues[0], eigenvalues, 0.0)
    found = eigenvalues > 0
    shown = shrunk(eigenvalues, count)
    if y is None:
        return shown.tolist(), None
    labels = _floats(y, "y", 1)
    if len(labels) != count:
        raise ArgumentError(f"inputs: {count} points and {len(labels)} labels; each needs one", argument="y")
    labels = labels - np.mean(labels)
    seen = np.zeros(d)
    along = vectors.T @ (points.T @ labels) / count
    seen[found] = along[found] ** 2 / eigenvalues[found]
    rest = max(float(np.mean(labels**2)) - float(np.sum(seen)), 0.0)
    chance = rest / (count - 1 - np.count_nonzero(found))  # what noise, or a function that is not linear, adds to each
    shares = np.maximum(seen - np.where(found, chance, 0.0), 0.0)
    if not np.sum(shares) > 0:
        raise DomainError("inputs: the labels y follow no direction of X beyond chance", argument="y")
    return shown.tolist(), shares.tolist()


def shrunk(eigenvalues: Floats, count: int) -> Floats:
    """Return a sample's eigenvalues drawn towards their mean, such that their second moment is that of the covariance.

    The sample adds ⟨τ⟩²d/M to ⟨τ²⟩; directions that do not vary at all stay as they are.

    >>> shrunk(np.array([1.5, 0.5]), 16).tolist()
    [1.3535533905932737, 0.6464466094067263]
    """
    varying = eigenvalues > 0
    mean, spread = float(np.mean(eigenvalues[varying])), float(np.var(eigenvalues[varying]))
    excess = mean**2 * np.count_nonzero(varying) / count
    factor = np.sqrt(max(spread - excess, 0.0) / spread) if spread > 0 else 0.0
    return np.where(varying, mean + factor * (eigenvalues - mean), 0.0)


def _floats(given: object, name: str, dimensions: int) -> Floats:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"inputs: {name} is not an array of numbers", argument=name) from None
    if found.ndim != dimensions or found.size == 0:
        wanted = "one row for each point" if dimensions == 2 else "one label for each point"
        raise ArgumentError(f"inputs: {name} has the shape {found.shape}; {wanted} is needed", argument=name)
    if not np.all(np.isfinite(found)):
        raise DomainError(f"inputs: {name} has values that are not finite", argument=name)
    return found

"""Levels of the inputs' covariance: eigenvalues of mean 1 with their weights, and the teacher's shares in them.

See docs/theory/inputs.md#the-inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import NumberLike, read_rational, spell

if TYPE_CHECKING:
    import flint

    from theorycalc.numbers.exact import Floats

Share: TypeAlias = "Fraction | float"

MOST_EIGENVALUES = 100_000


class ExactLevel(NamedTuple):
    """One eigenvalue τ of Σ, the weight of the inputs that have it, and the teacher's share (v·u)² in it."""

    eigenvalue: Share
    weight: Share
    share: Share


class PowerLaw(NamedTuple):
    """τ_j ∝ j^−a and shares ∝ j^−b, j = 1, 2, …, d."""

    decay: Share  # a
    share_decay: Share  # b


def read_levels(given: Sequence[tuple[NumberLike, NumberLike, NumberLike | None]]) -> tuple[ExactLevel, ...]:
    """Return levels by falling eigenvalue, those of equal eigenvalue as one, with mean eigenvalue 1 and sums 1.

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
            raise DomainError(
                "inputs: the teacher has a share in an eigenvalue of 0: inputs that do not vary", argument="inputs"
            )
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
    """Return a sum; one of floats that is 1 up to rounding is 1, so that normalised levels stay as they are."""
    if not any(isinstance(value, float) for value in values):
        return sum(values, Fraction(0))
    total = math.fsum(values)
    return Fraction(1) if abs(total - 1) < 1e-15 else total


def read_part(value: NumberLike, what: str, negative: bool = False) -> Share:
    """Return a rational number or a float, by default not negative; ``what`` names it in a refusal."""
    number = read_rational(value.strip() if isinstance(value, str) else value, "inputs")
    if number < 0 and not negative:
        raise DomainError(f"inputs: {what} {value} must not be negative", argument="inputs")
    return number


def written(value: Share) -> str:
    """Return a number as a text that is read as the same number: a float by its exact value."""
    return str(spell(Fraction(value) if isinstance(value, float) else value))


def power_law_levels(law: PowerLaw, count: int) -> tuple[ExactLevel, ...]:
    """Return the levels of a power law in float64.

    >>> power_law_levels(PowerLaw(Fraction(1), Fraction(2)), 1)
    (ExactLevel(eigenvalue=1.0, weight=Fraction(1, 1), share=1.0),)
    """
    places = np.arange(1, count + 1, dtype=np.float64)
    eigenvalues, shares = (_powers(places, decay) for decay in law)
    weight = Fraction(1, count)
    return tuple(
        ExactLevel(eigenvalue, weight, share)
        for eigenvalue, share in zip((count * eigenvalues).tolist(), shares.tolist(), strict=True)
    )


def _powers(places: Floats, decay: Share) -> Floats:
    """Return j^−decay divided by their sum."""
    logs = -float(decay) * np.log(places)
    powers = np.exp(logs - np.max(logs))
    return np.asarray(powers / np.sum(powers))


def enclosed_power_law(law: PowerLaw, count: int) -> tuple[tuple[flint.arb, flint.arb, flint.arb], ...]:
    """Return the levels of a power law as balls of the current precision.

    >>> [round(float(value), 9) for value in enclosed_power_law(PowerLaw(Fraction(1), Fraction(2)), 2)[0]]
    [1.333333333, 0.5, 0.8]
    """
    eigenvalues, shares = ([ball(Fraction(j)) ** -ball(decay) for j in range(1, count + 1)] for decay in law)
    trace, whole_share = sum(eigenvalues[1:], eigenvalues[0]), sum(shares[1:], shares[0])
    weight = ball(Fraction(1, count))
    return tuple(
        (count * eigenvalue / trace, weight, share / whole_share)
        for eigenvalue, share in zip(eigenvalues, shares, strict=True)
    )

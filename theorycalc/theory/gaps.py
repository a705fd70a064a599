"""Missing coefficients: the span of x^k, k ∈ K, when K has gaps (docs/theory/missing_coefficients.md#with-gaps).

x = H_1 is always in the span, and all other H_j weigh j! s both in the train and in the test
metric; so the projection does not depend on m_1, m_2, and an orthogonal basis of the span and of
its complement is a table of rational numbers.  Even and odd powers are orthogonal to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import TypeAlias

from theorycalc.errors import DomainError
from theorycalc.functions.algebra import xi
from theorycalc.numbers.systems import Number, NumberSystem

_LARGEST_DEGREE = 200


@dataclass(frozen=True)
class SpikeDirection:
    """A polynomial Σ_j coefficients[j] H_j, and the factor S that divides its square."""

    coefficients: dict[int, Number]
    norm: Number
    odd: bool

    @property
    def degree(self) -> int:
        """The largest index with a nonzero coefficient."""
        return max(self.coefficients)


#: Directions that span the spikes, and those that complete them.
Basis: TypeAlias = tuple[tuple[SpikeDirection, ...], tuple[SpikeDirection, ...]]


@lru_cache(maxsize=128)
def gap_directions(spikes: tuple[int, ...], free_constant: bool = False) -> Basis:
    """Return orthogonal directions that span x^k (k ∈ K, k > 1), and directions that complete them.

    A constant that costs nothing is itself in the span, and is left out of both.  Otherwise the first even direction
    of the complement is what is missing of the constant, scaled so that its coefficient of H_0 is 1: then its squared
    norm is S, as S_M in the closed form.

    >>> inside, outside = gap_directions((1, 4))
    >>> inside[0].norm, outside[0].norm  # E Z^8, and 1 over the distance² of 1 from x^4
    (Fraction(105, 1), Fraction(35, 32))
    >>> gap_directions((1, 4), free_constant=True)[0][0].norm  # Var Z^4
    Fraction(96, 1)
    """
    return _directions(spikes, lambda k, j: Fraction(xi(k, j)), Fraction(1), free_constant)


def lengthened_directions(ns: NumberSystem, spikes: Iterable[int], tau: Number, free_constant: bool = False) -> Basis:
    """Return the directions of :func:`gap_directions` for spikes E_z(h + √τz)^k = Σ_j ξ_{k,j}(1 + τ)^{(k−j)/2} H_j.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> inside, outside = lengthened_directions(FLOATS, (1, 4), 1.0)
    >>> inside[0].norm, outside[0].norm  # E(h⁴ + 6h² + 3)², and 1 over the distance² of 1 from it
    (456.0, 1.4615384615384615)
    """
    one = ns.rational(Fraction(1))
    return _directions(tuple(spikes), lambda k, j: one * xi(k, j) * (1 + tau) ** ((k - j) // 2), one, free_constant)


def shape_directions(ns: NumberSystem, shapes: Iterable[Sequence[Number]], tau: Number) -> Basis:
    """Return the directions for polynomials Σ_j s_j τ^{(D−j)/2} h^j, D = 1, …, of distinct degrees, besides a constant.

    A polynomial is given by s_0, …, s_D with s_D = 1, where D − j is even (docs/theory/kinds.md#literal-networks).

    >>> from theorycalc.numbers.systems import FLOATS
    >>> shape_directions(FLOATS, [(0, 1), (0, 0, 6, 0, 1)], 1.0)[0][0].norm  # Var(h⁴ + 6h²)
    312.0
    """
    one, given = ns.rational(Fraction(1)), {len(shape) - 1: shape for shape in shapes}

    def coefficient(degree: int, i: int) -> Number:
        terms = given[degree]
        return one * sum(terms[j] * xi(j, i) * tau ** ((degree - j) // 2) for j in range(degree, max(i, 1) - 1, -2))

    return _directions(tuple(sorted(given)), coefficient, one, free_constant=True)


def _directions(
    spikes: tuple[int, ...], coefficient: Callable[[int, int], Number], one: Number, free_constant: bool
) -> Basis:
    if spikes[-1] > _LARGEST_DEGREE:
        raise DomainError(
            f"spikes with gaps are computed up to k = {_LARGEST_DEGREE}; K reaches {spikes[-1]}", argument="ell"
        )
    inside: list[SpikeDirection] = []
    outside: list[SpikeDirection] = []
    for odd in (False, True):
        present = [k for k in spikes if k % 2 == odd and k > 1]
        if not present:
            continue
        first = 3 if odd else 2 if free_constant else 0  # x is in the span, and so is a free constant
        indices = range(first, present[-1] + 1, 2)
        powers = [{j: coefficient(k, j) for j in indices if j <= k} for k in present]
        absent = [{j: one} for j in indices if j not in present]
        basis: list[dict[int, Number]] = []
        for vector in powers + absent:
            basis.append(_orthogonal_to(basis, vector))
        inside += [SpikeDirection(v, _inner(v, v), odd) for v in basis[: len(powers)]]
        for v, missing in zip(basis[len(powers) :], absent, strict=True):
            # Only the first of the even ones has a constant: the others are orthogonal to it and to the span, so to 1.
            scale = one / _inner(v, v) if 0 in missing else one
            scaled = {j: scale * value for j, value in v.items() if j or 0 in missing}
            outside.append(SpikeDirection(scaled, _inner(scaled, scaled), odd))
    return tuple(inside), tuple(outside)


def _inner(f: dict[int, Number], g: dict[int, Number]) -> Number:
    return sum(factorial(j) * value * g[j] for j, value in f.items() if j in g)


def _orthogonal_to(basis: list[dict[int, Number]], vector: dict[int, Number]) -> dict[int, Number]:
    rest = dict(vector)
    for v in basis:
        share = _inner(vector, v) / _inner(v, v)
        for j, value in v.items():
            rest[j] = rest.get(j, 0) - share * value
    return {j: value for j, value in rest.items() if not (isinstance(value, Fraction) and not value)}

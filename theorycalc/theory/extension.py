"""Missing coefficients: the span of x^k, k ∈ K, when K has gaps (theory section 8).

x = H_1 is always in the span, and all other H_j weigh j! s both in the train and in the test
metric; so the projection does not depend on m_1, m_2, and an orthogonal basis of the span and of
its complement is a table of rational numbers.  Even and odd powers are orthogonal to each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial

from theorycalc.errors import DomainError
from theorycalc.hermite.polynomials import xi

_LARGEST_DEGREE = 200


@dataclass(frozen=True)
class Direction:
    """A polynomial Σ_j coefficients[j] H_j, and the factor S by which its square is divided."""

    coefficients: dict[int, Fraction]
    norm: Fraction
    odd: bool

    @property
    def degree(self) -> int:
        """The largest index with a coefficient."""
        return max(self.coefficients)


def has_gaps(spikes: Sequence[int]) -> bool:
    """Say whether K, even and odd apart, leaves out a power below its largest.

    >>> has_gaps((1, 2, 4, 6)), has_gaps((1, 3, 5)), has_gaps((1, 4))
    (False, False, True)
    """
    even = [k for k in spikes if k % 2 == 0]
    odd = [k for k in spikes if k % 2]
    return even != list(range(2, 2 * len(even) + 1, 2)) or odd != list(range(1, 2 * len(odd), 2))


def gap_directions(spikes: Iterable[int]) -> tuple[tuple[Direction, ...], tuple[Direction, ...]]:
    """Return orthogonal directions that span x^k (k ∈ K, k > 1), and those that complete them.

    The first even direction of the complement is what is missing of the constant, scaled so that its
    coefficient of H_0 is 1: then its squared norm is S, as S_M in the closed form.

    >>> inside, outside = gap_directions((1, 4))
    >>> [direction.norm for direction in inside + outside]
    [Fraction(105, 1), Fraction(35, 32), Fraction(1, 2)]
    """
    return _gap_directions(tuple(spikes))


@lru_cache(maxsize=128)
def _gap_directions(spikes: tuple[int, ...]) -> tuple[tuple[Direction, ...], tuple[Direction, ...]]:
    if spikes[-1] > _LARGEST_DEGREE:
        raise DomainError(f"spikes with gaps are computed up to k = {_LARGEST_DEGREE}; K reaches {spikes[-1]}")
    inside: list[Direction] = []
    outside: list[Direction] = []
    for odd in (False, True):
        present = [k for k in spikes if k % 2 == odd and k > 1]
        if not present:
            continue
        indices = range(3 if odd else 0, present[-1] + 1, 2)
        powers = [{j: Fraction(xi(k, j)) for j in indices if xi(k, j)} for k in present]
        absent = [{j: Fraction(1)} for j in indices if j not in present]
        basis: list[dict[int, Fraction]] = []
        for vector in powers + absent:
            basis.append(_orthogonal_to(basis, vector))
        inside += [Direction(v, _inner(v, v), odd) for v in basis[: len(powers)]]
        for v in basis[len(powers) :]:
            scale = 1 / _inner(v, v) if 0 in v else Fraction(1)
            scaled = {j: scale * value for j, value in v.items()}
            outside.append(Direction(scaled, _inner(scaled, scaled), odd))
    return tuple(inside), tuple(outside)


def _inner(f: dict[int, Fraction], g: dict[int, Fraction]) -> Fraction:
    return sum((factorial(j) * value * g[j] for j, value in f.items() if j in g), Fraction(0))


def _orthogonal_to(basis: list[dict[int, Fraction]], vector: dict[int, Fraction]) -> dict[int, Fraction]:
    rest = dict(vector)
    for v in basis:
        share = _inner(vector, v) / _inner(v, v)
        for j, value in v.items():
            rest[j] = rest.get(j, Fraction(0)) - share * value
    return {j: value for j, value in rest.items() if value}

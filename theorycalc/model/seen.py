"""The numbers of a teacher of several directions: û, c_{û,k}, and the energy along û and beside it.

See docs/theory/several_directions.md#the-direction-that-the-step-sees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import NamedTuple

from theorycalc.functions.directions import Powers
from theorycalc.functions.tree import Rational, Tree
from theorycalc.model.cubature import DirectionMoments
from theorycalc.model.seen_part import SeenEnergy
from theorycalc.numbers.exact import EnclosedNumber, Exact, Scalar, is_zero, read, root
from theorycalc.numbers.systems import Number


class Numbers(NamedTuple):
    """The numbers of a teacher of several directions."""

    coefficients: tuple[Exact, ...]
    second_moment: Exact | None
    mean: Exact
    seen: tuple[Exact, ...]
    hessian: tuple[tuple[float, ...], ...]
    seen_energy: Scalar
    unseen_energy: Scalar


def exact_numbers(series: Mapping[Powers, Tree], directions: int) -> Numbers:
    """Return the numbers of Σ_α b_α H_α: c_{û,k} = Σ_{|α|=k} b_α û^α with û = E∇g/|E∇g|, and E∇g = (b_{e_1}, …).

    See docs/theory/several_directions.md#polynomials.

    >>> series = {(1, 0): Rational(Fraction(3)), (0, 1): Rational(Fraction(4)), (2, 0): Rational(Fraction(1))}
    >>> exact_numbers(series, 2).coefficients
    (Fraction(5, 1), Fraction(9, 25))
    """
    b = _same_kind({powers: _constant(c) for powers, c in series.items()})
    zero: Scalar = Fraction(0)
    mean = b.pop((0,) * directions, zero)
    gradient = [b.get(unit, zero) for unit in _units(directions)]
    first: list[Scalar] = [Fraction(1)] + [zero] * (directions - 1)
    seen = first if all(map(is_zero, gradient)) else gradient
    square = sum((u**2 for u in seen), zero)
    tops = {k: zero + top for k, top in along_direction(b, seen).items()}
    energy = zero + series_energy(b)
    along = sum((factorial(k) * top**2 / square**k for k, top in tops.items()), zero)
    unseen = _read(energy - along, "the energy that the step does not see")
    coefficients = [_over_root(top, square, k) for k, top in tops.items()]
    while len(coefficients) > 1 and is_zero(coefficients[-1]):
        coefficients.pop()
    return Numbers(
        coefficients=tuple(coefficients),
        second_moment=None if is_zero(unseen) else read(_expanded(energy + mean**2), "second_moment"),
        mean=read(mean, "mean"),
        seen=tuple(_over_root(u, square, 1) for u in seen),
        hessian=_hessian(b, directions),
        seen_energy=_read(along, "the energy that the step sees"),
        unseen_energy=unseen,
    )


def along_direction(b: Mapping[Powers, Number], u: Sequence[Number]) -> dict[int, Number]:
    """Return c_{u,k} = Σ_{|α|=k} b_α u^α for k = 1, …, the degree of Σ_α b_α H_α.

    Where u is no unit vector, they are |u|^k times as large.  See docs/theory/several_directions.md#polynomials.

    >>> along_direction({(1, 0): 1, (1, 1): 2}, (3, 4))
    {1: 3, 2: 24}
    """
    found: dict[int, Number] = dict.fromkeys(range(1, max([1, *map(sum, b)]) + 1), 0)
    for powers, c in b.items():
        found[sum(powers)] += c * prod(x**p for x, p in zip(u, powers, strict=True))
    return found


def series_energy(b: Mapping[Powers, Number]) -> Number:
    """Return c_⋆² = Σ_α α! b_α², the variance of Σ_{α≠0} b_α H_α (docs/theory/several_directions.md#polynomials).

    >>> series_energy({(1, 0): 1, (2, 3): 1})
    13
    """
    return sum(prod(map(factorial, powers)) * c**2 for powers, c in b.items())


def _units(directions: int) -> list[Powers]:
    return [tuple(int(i == j) for i in range(directions)) for j in range(directions)]


def _hessian(b: Mapping[Powers, Scalar], directions: int) -> tuple[tuple[float, ...], ...]:
    """Return E[g(ttᵀ − 1)]: b_{e_i + e_j}, twice on the diagonal."""
    units = _units(directions)
    rows = [[tuple(map(sum, zip(one, other, strict=True))) for other in units] for one in units]
    return tuple(tuple(float(b.get(powers, 0)) * max(powers) for powers in row) for row in rows)


def _constant(tree: Tree) -> Scalar:
    """Return a tree without t as an exact number."""
    if isinstance(tree, Rational):
        return tree.value
    from theorycalc.functions.evaluate import to_sympy

    return _read(to_sympy(tree), "a coefficient of the teacher")


def _read(value: Scalar, name: str) -> Scalar:
    """Return a number in its simplest form: 0 where it is zero, a Fraction where it is rational."""
    found = read(_expanded(value), name)
    assert not isinstance(found, EnclosedNumber)
    return found


def _same_kind(b: dict[Powers, Scalar]) -> dict[Powers, Scalar]:
    """Return rational coefficients as they are, and others with all rational ones as numbers of sympy, too."""
    if all(isinstance(c, Fraction) for c in b.values()):
        return b
    import sympy

    return {
        powers: sympy.Rational(c.numerator, c.denominator) if isinstance(c, Fraction) else c for powers, c in b.items()
    }


def _expanded(value: Scalar) -> Scalar:
    return value if isinstance(value, (Fraction, float)) else value.expand()


def _over_root(top: Scalar, square: Scalar, k: int) -> Exact:
    """Return top/√square^k exactly."""
    whole_power, odd = divmod(k, 2)
    value = _expanded(top) / square**whole_power
    if odd and not is_zero(read(value, "c_⋆")):
        value = value / root(square)
    return read(value, f"teacher c_⋆{k}")


def estimated_numbers(found: DirectionMoments, along: SeenEnergy) -> Numbers:
    """Return the numbers of a function that quadrature knows; an unseen energy within the error of the seen one is 0.

    >>> import numpy as np
    >>> moments = DirectionMoments(0.0, 3.0, np.zeros((1, 1)), np.ones(1), np.array([1.0, 0.5]), 0.0)
    >>> estimated_numbers(moments, SeenEnergy(2.0, 1e-12)).unseen_energy
    1.0
    """
    coefficients = [float(c) for c in found.coefficients]
    energies = sum(factorial(k) * Fraction(c) ** 2 for k, c in enumerate(coefficients, start=1))
    least = math.nextafter(float(energies + Fraction(found.mean) ** 2), math.inf)  # but for the rounding of a sum
    seen = max(along.value, float(energies))  # Bessel's inequality
    unseen = found.variance - seen
    return Numbers(
        coefficients=tuple(coefficients),
        second_moment=max(found.variance + found.mean**2, least),
        mean=found.mean,
        seen=tuple(map(float, found.seen)),
        hessian=tuple(tuple(map(float, row)) for row in found.hessian),
        seen_energy=seen,
        unseen_energy=unseen if unseen > along.error else 0.0,
    )

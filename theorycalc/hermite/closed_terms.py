"""Which expressions have Hermite coefficients in closed form: sums of p(x) e^{αx+βx²} cos(ωx+δ) erf(sx+t).

``parts_of`` expands a tree without Where into such :class:`Part` s or says that it is not one.  Every product of
two of them is one again, but for a product of two erf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic

from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, is_constant
from theorycalc.hermite.closed_numbers import ClosedNumbers, N, is_zero

_MOST_PARTS = 400
_HIGHEST_DEGREE = 400


class NotClosed(Exception):  # noqa: N818 - not an error: another method is tried
    """The expression is not of the form that has closed coefficients."""


@dataclass(frozen=True)
class Part(Generic[N]):
    """polynomial(x) · e^{alpha x + beta x²} · cos(omega x + delta) · erf(slope x + shift); no erf if slope is None."""

    polynomial: tuple[N, ...]
    alpha: N
    beta: N
    omega: N
    delta: N
    slope: N | None = None
    shift: N | None = None

    def exponents(self) -> tuple[N | None, ...]:
        """Return all but the polynomial: parts that agree in it can be added."""
        return (self.alpha, self.beta, self.omega, self.delta, self.slope, self.shift)

    def is_polynomial(self) -> bool:
        """Whether nothing but the polynomial is there."""
        return self.slope is None and all(is_zero(value) for value in (self.alpha, self.beta, self.omega, self.delta))


def parts_of(ns: ClosedNumbers[N], tree: Tree) -> list[Part[N]]:
    """Expand a tree into parts with numbers of ``ns``; raise :class:`NotClosed` if it is not such a sum.

    >>> from theorycalc.hermite.closed_numbers import CLOSED_BALLS
    >>> [part.polynomial for part in parts_of(CLOSED_BALLS, Power(Sum((Variable(), Variable())), Fraction(2)))]
    [(0, 0, 4)]
    """
    if is_constant(tree):
        return [_polynomial(ns, ns.constant(tree))]
    if isinstance(tree, Variable):
        return [_polynomial(ns, ns.rational(Fraction(0)), ns.rational(Fraction(1)))]
    if isinstance(tree, Sum):
        return merged(ns, [part for term in tree.terms for part in parts_of(ns, term)])
    if isinstance(tree, Product):
        total = parts_of(ns, tree.factors[0])
        for factor in tree.factors[1:]:
            total = product(ns, total, parts_of(ns, factor))
        return total
    if isinstance(tree, Power):
        return _power(ns, parts_of(ns, tree.base), tree.exponent)
    if isinstance(tree, Call):
        return _call(ns, tree.function, tree.argument)
    raise NotClosed  # pragma: no cover - pieces() resolves where() first


def _polynomial(ns: ClosedNumbers[N], *coefficients: N) -> Part[N]:
    zero = ns.rational(Fraction(0))
    return Part(tuple(coefficients), zero, zero, zero, zero)


def merged(ns: ClosedNumbers[N], parts: Sequence[Part[N]]) -> list[Part[N]]:
    """Add the polynomials of parts that agree in everything else."""
    result: list[Part[N]] = []
    for part in parts:
        for i, other in enumerate(result):
            if all(a is b or a == b for a, b in zip(part.exponents(), other.exponents(), strict=True)):
                result[i] = replace(other, polynomial=_add(ns, part.polynomial, other.polynomial))
                break
        else:
            result.append(part)
    if len(result) > _MOST_PARTS:
        raise NotClosed
    return result


def _add(ns: ClosedNumbers[N], left: tuple[N, ...], right: tuple[N, ...]) -> tuple[N, ...]:
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    return tuple(ns.tidy(a + shorter[i]) if i < len(shorter) else a for i, a in enumerate(longer))


def product(ns: ClosedNumbers[N], left: Sequence[Part[N]], right: Sequence[Part[N]]) -> list[Part[N]]:
    """Multiply two sums of parts."""
    if len(left) * len(right) > _MOST_PARTS:
        raise NotClosed
    return merged(ns, [part for a in left for b in right for part in _product_of_two(ns, a, b)])


def _product_of_two(ns: ClosedNumbers[N], a: Part[N], b: Part[N]) -> list[Part[N]]:
    if a.slope is not None and b.slope is not None:
        raise NotClosed
    if len(a.polynomial) + len(b.polynomial) > _HIGHEST_DEGREE + 2:
        raise NotClosed
    coefficients = [ns.rational(Fraction(0))] * (len(a.polynomial) + len(b.polynomial) - 1)
    for i, x in enumerate(a.polynomial):
        for j, y in enumerate(b.polynomial):
            coefficients[i + j] = coefficients[i + j] + x * y
    erf = a if a.slope is not None else b
    base = Part(
        tuple(ns.tidy(c) for c in coefficients),
        ns.tidy(a.alpha + b.alpha),
        ns.tidy(a.beta + b.beta),
        ns.tidy(a.omega + b.omega),
        ns.tidy(a.delta + b.delta),
        erf.slope,
        erf.shift,
    )
    if _is_plain(a) or _is_plain(b):
        return [base]
    # cos A cos B = (cos(A + B) + cos(A − B))/2
    half = tuple(c / 2 for c in base.polynomial)
    difference = replace(base, polynomial=half, omega=ns.tidy(a.omega - b.omega), delta=ns.tidy(a.delta - b.delta))
    return [replace(base, polynomial=half), difference]


def _is_plain(part: Part[N]) -> bool:
    return is_zero(part.omega) and is_zero(part.delta)


def _power(ns: ClosedNumbers[N], base: list[Part[N]], exponent: Fraction) -> list[Part[N]]:
    if exponent.denominator != 1:
        raise NotClosed
    if exponent < 0:
        base = [_reciprocal(base)]
    total = [_polynomial(ns, ns.rational(Fraction(1)))]
    for _ in range(abs(exponent.numerator)):
        total = product(ns, total, base)
    return total


def _reciprocal(parts: list[Part[N]]) -> Part[N]:
    """Return 1/(c e^{αx+βx²}); a denominator of any other form is not closed."""
    if len(parts) != 1 or len(parts[0].polynomial) != 1 or not _is_plain(parts[0]) or parts[0].slope is not None:
        raise NotClosed
    part = parts[0]  # pragma: no cover - no known formula reaches it
    return replace(  # pragma: no cover - no known formula reaches it
        part, polynomial=(1 / part.polynomial[0],), alpha=-part.alpha, beta=-part.beta
    )


def _call(ns: ClosedNumbers[N], name: str, argument: Tree) -> list[Part[N]]:
    if name not in ("exp", "sinh", "cosh", "sin", "cos", "erf", "erfc"):
        raise NotClosed
    inner = merged(ns, parts_of(ns, argument))
    if len(inner) != 1 or not inner[0].is_polynomial():
        raise NotClosed
    zero, one = ns.rational(Fraction(0)), ns.rational(Fraction(1))
    low, middle, high, *rest = (*inner[0].polynomial, zero, zero, zero)
    if not all(is_zero(value) for value in rest):
        raise NotClosed
    if name in ("exp", "sinh", "cosh"):
        growing = Part((ns.exp(low),), middle, high, zero, zero)
        if name == "exp":
            return [growing]
        sign = 1 if name == "cosh" else -1
        falling = Part((sign * ns.exp(-low) / 2,), -middle, -high, zero, zero)
        return [replace(growing, polynomial=(growing.polynomial[0] / 2,)), falling]
    if not is_zero(high):
        raise NotClosed
    if name in ("sin", "cos"):
        return [Part((one,), zero, zero, middle, low if name == "cos" else low - ns.pi() / 2)]
    error_function = Part((one if name == "erf" else -one,), zero, zero, zero, zero, middle, low)
    return [error_function] if name == "erf" else [_polynomial(ns, one), error_function]

"""Expressions with Hermite coefficients in closed form: sums of p(x) e^{αx+βx²} cos(ωx+δ) erf(sx+t).

``parts_of`` expands a tree without Where into such :class:`Part` s or raises :class:`NotClosed`.  Every product of
two of them is one again, except a product of two erf.  Their numbers are sympy expressions, or rationals and Arb balls:
both keep rationals exact, so that a zero of the structure is exactly zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import acb, arb, fmpq

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.evaluate import to_sympy
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, Variable, is_constant
from theorycalc.numbers.systems import Number

_MOST_PARTS = 400
_HIGHEST_DEGREE = 400


class NotClosed(Exception):  # noqa: N818 - not an error: another method is tried
    """The expression is not of the form that has closed coefficients."""


@dataclass(frozen=True)
class ClosedNumbers:
    """The operations beyond arithmetic that the recurrences need, for one kind of number."""

    rational: Callable[[Fraction], Number]
    constant: Callable[[Tree], Number]  # of a tree without x that is not rational
    pi: Callable[[], Number]
    exp: Callable[[Number], Number]
    sqrt: Callable[[Number], Number]
    erf: Callable[[Number], Number]
    erfc: Callable[[Number], Number]
    complex: Callable[[Number, Number], Number]
    real: Callable[[Number], Number]
    tidy: Callable[[Number], Number]
    has_complex_erf: bool

    @property
    def zero(self) -> Number:
        """The exact number 0."""
        return self.rational(Fraction(0))

    @property
    def one(self) -> Number:
        """The exact number 1."""
        return self.rational(Fraction(1))


def _method(name: str) -> Callable[[Number], arb | acb]:
    """Return a function of rationals, real balls and complex balls."""
    return lambda x: getattr(x if isinstance(x, acb) else arb(x), name)()


#: Rationals, real balls and complex balls: operations among them give the widest of their kinds.
CLOSED_BALLS = ClosedNumbers(
    rational=lambda value: fmpq(value.numerator, value.denominator),
    constant=lambda tree: compiled(tree)(arb(0)),
    pi=arb.pi,
    exp=_method("exp"),
    sqrt=_method("sqrt"),
    erf=_method("erf"),
    erfc=_method("erfc"),
    complex=lambda real, imaginary: acb(arb(real), arb(imaginary)),
    real=lambda x: x.real if isinstance(x, acb) else arb(x),
    tidy=lambda x: x,
    has_complex_erf=True,
)


@functools.cache
def closed_symbols() -> ClosedNumbers:
    """Return sympy expressions as closed numbers; only exact forms import sympy, which is slow to load.

    >>> closed_symbols().pi()
    pi
    """
    import sympy

    return ClosedNumbers(
        rational=lambda value: sympy.Rational(value.numerator, value.denominator),
        constant=lambda tree: sympy.expand(to_sympy(tree)),
        pi=lambda: sympy.pi,
        exp=sympy.exp,
        sqrt=sympy.sqrt,
        erf=sympy.erf,
        erfc=sympy.erfc,
        complex=lambda real, imaginary: real + sympy.I * imaginary,
        real=lambda x: x.as_real_imag()[0] if x.has(sympy.I) else x,
        tidy=lambda x: x if x.is_Rational else sympy.expand(x),
        has_complex_erf=False,  # readers do not call erf of a complex number closed
    )


def is_zero(number: Number) -> bool:
    """Return whether a number is certainly zero: for a ball, == 0 means "certainly" and != 0 "certainly not".

    >>> is_zero(fmpq(0)), is_zero(arb(0, 1))
    (True, False)
    """
    return bool(number == 0)


@dataclass(frozen=True)
class Part:
    """polynomial(x) · e^{alpha x + beta x²} · cos(omega x + delta) · erf(slope x + shift); no erf if slope is None."""

    polynomial: tuple[Number, ...]
    alpha: Number
    beta: Number
    omega: Number
    delta: Number
    slope: Number | None = None
    shift: Number | None = None

    @property
    def exponents(self) -> tuple[Number | None, ...]:
        """Everything but the polynomial: parts that agree in it can be added."""
        return (self.alpha, self.beta, self.omega, self.delta, self.slope, self.shift)

    @property
    def is_wave(self) -> bool:
        """True if the cosine may differ from 1."""
        return not (is_zero(self.omega) and is_zero(self.delta))

    @property
    def is_polynomial(self) -> bool:
        """True if all factors but the polynomial are 1."""
        return self.slope is None and not self.is_wave and is_zero(self.alpha) and is_zero(self.beta)


def parts_of(ns: ClosedNumbers, tree: Tree) -> list[Part]:
    """Return a tree expanded into parts with numbers of ``ns``; raise :class:`NotClosed` if it is not such a sum.

    >>> [part.polynomial for part in parts_of(CLOSED_BALLS, Power(Sum((Variable(), Variable())), Fraction(2)))]
    [(0, 0, 4)]
    """
    if is_constant(tree):
        return [_polynomial(ns, constant_of(ns, tree))]
    match tree:
        case Variable():
            return [_polynomial(ns, ns.zero, ns.one)]
        case Sum(terms):
            return _merged(ns, [part for term in terms for part in parts_of(ns, term)])
        case Product((first, *others)):
            total = parts_of(ns, first)
            for factor in others:
                total = product(ns, total, parts_of(ns, factor))
            return total
        case Power(base, exponent):
            return _power(ns, parts_of(ns, base), exponent)
        case Call(name, argument):
            return _call(ns, name, argument)
    raise NotClosed  # pragma: no cover - pieces() resolves where() first


def constant_of(ns: ClosedNumbers, tree: Tree) -> Number:
    """Return a tree without x as a number of ``ns``."""
    return ns.rational(tree.value) if isinstance(tree, Rational) else ns.constant(tree)


def _polynomial(ns: ClosedNumbers, *coefficients: Number) -> Part:
    return Part(coefficients, *[ns.zero] * 4)


def _merged(ns: ClosedNumbers, parts: Sequence[Part]) -> list[Part]:
    """Return the parts with polynomials added where everything else agrees."""
    result: list[Part] = []
    for part in parts:
        for i, other in enumerate(result):
            if all(a is b or a == b for a, b in zip(part.exponents, other.exponents, strict=True)):
                result[i] = replace(other, polynomial=_add(ns, part.polynomial, other.polynomial))
                break
        else:
            result.append(part)
    if len(result) > _MOST_PARTS:
        raise NotClosed
    return result


def _add(ns: ClosedNumbers, left: tuple[Number, ...], right: tuple[Number, ...]) -> tuple[Number, ...]:
    longer, shorter = (left, right) if len(left) >= len(right) else (right, left)
    return tuple(ns.tidy(a + shorter[i]) if i < len(shorter) else a for i, a in enumerate(longer))


def product(ns: ClosedNumbers, left: Sequence[Part], right: Sequence[Part]) -> list[Part]:
    """Return the product of two sums of parts as another such sum."""
    if len(left) * len(right) > _MOST_PARTS:
        raise NotClosed
    return _merged(ns, [part for a in left for b in right for part in _product_of_two(ns, a, b)])


def _product_of_two(ns: ClosedNumbers, a: Part, b: Part) -> list[Part]:
    both_erf = a.slope is not None and b.slope is not None
    if both_erf or len(a.polynomial) + len(b.polynomial) > _HIGHEST_DEGREE + 2:
        raise NotClosed
    coefficients = [ns.zero] * (len(a.polynomial) + len(b.polynomial) - 1)
    for i, x in enumerate(a.polynomial):
        for j, y in enumerate(b.polynomial):
            coefficients[i + j] = coefficients[i + j] + x * y
    erf = a if a.slope is not None else b
    added = {name: ns.tidy(getattr(a, name) + getattr(b, name)) for name in ("alpha", "beta", "omega", "delta")}
    base = replace(erf, polynomial=tuple(map(ns.tidy, coefficients)), **added)
    if not (a.is_wave and b.is_wave):
        return [base]
    # cos A cos B = (cos(A + B) + cos(A − B))/2
    half = tuple(c / 2 for c in base.polynomial)
    difference = replace(base, polynomial=half, omega=ns.tidy(a.omega - b.omega), delta=ns.tidy(a.delta - b.delta))
    return [replace(base, polynomial=half), difference]


def _power(ns: ClosedNumbers, base: list[Part], exponent: Fraction) -> list[Part]:
    if exponent.denominator != 1:
        raise NotClosed
    if exponent < 0:
        base = [_reciprocal(base)]
    total = [_polynomial(ns, ns.one)]
    for _ in range(abs(exponent.numerator)):
        total = product(ns, total, base)
    return total


def _reciprocal(parts: list[Part]) -> Part:
    """Return 1/(c e^{αx+βx²}); other denominators have no closed form."""
    part = parts[0]
    if len(parts) != 1 or len(part.polynomial) != 1 or part.is_wave or part.slope is not None:
        raise NotClosed
    return replace(  # pragma: no cover - no known formula reaches it
        part, polynomial=(1 / part.polynomial[0],), alpha=-part.alpha, beta=-part.beta
    )


def _call(ns: ClosedNumbers, name: str, argument: Tree) -> list[Part]:
    if name not in ("exp", "sinh", "cosh", "sin", "cos", "erf", "erfc"):
        raise NotClosed
    inner = _merged(ns, parts_of(ns, argument))
    if len(inner) != 1 or not inner[0].is_polynomial:
        raise NotClosed
    zero, one = ns.zero, ns.one
    low, middle, high, *rest = (*inner[0].polynomial, zero, zero, zero)
    if not all(map(is_zero, rest)):
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

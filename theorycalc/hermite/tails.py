"""Bounds of f He_k far out on the real line, and the point beyond which its integral may be cut off.

|f(x)| ≤ C (1+|x|)^d e^{l|x| + qx²} for |x| ≥ X, with an explicit constant, from the structure of the expression on one
side of the line; |He_k(z)| ≤ P_k(|z|), the polynomial with the coefficients of He_k without their signs.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import flint
from flint import arb

from theorycalc.errors import DomainError
from theorycalc.functions.algebra import polynomial_trees
from theorycalc.functions.bounds import growth
from theorycalc.functions.build import negative
from theorycalc.functions.enclosures import ball_of, beyond, compiled, range_of
from theorycalc.functions.primitives import PRIMITIVES, Grows
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable
from theorycalc.numbers.balls import ball
from theorycalc.running.budget import check

_SAMPLES = 64


class UnboundedError(DomainError):
    """The structure of the expression shows no growth bound of this form."""


class TailGrowth(NamedTuple):
    """|f(x)| ≤ constant · (1 + |x|)^degree · e^{linear |x| + quadratic x²} on one tail."""

    constant: flint.arb
    degree: flint.arb
    linear: flint.arb
    quadratic: flint.arb

    def times(self, other: TailGrowth) -> TailGrowth:
        """Return a bound of the product."""
        return TailGrowth(self.constant * other.constant, *map(operator.add, self[1:], other[1:]))

    def plus(self, other: TailGrowth) -> TailGrowth:
        """Return a bound of the sum."""
        return TailGrowth(self.constant + other.constant, *map(arb.max, self[1:], other[1:]))

    def to_power(self, exponent: Fraction) -> TailGrowth:
        """Return a bound of a positive power."""
        power = ball(exponent)
        return TailGrowth(self.constant**power, *(bound * power for bound in self[1:]))

    def logarithm(self) -> TailGrowth:
        """Return a bound of max(0, log |f|): with p = 1 or 2, log |f| ≤ (log⁺C + d + l + q⁺)(1 + |x|)^p."""
        quadratic = self.quadratic.max(arb(0))
        constant = self.constant.max(arb(1)).log() + self.degree + self.linear + quadratic
        return TailGrowth(constant, arb(1 if quadratic == 0 else 2), arb(0), arb(0))


def _constant(value: flint.arb) -> TailGrowth:
    return TailGrowth(arb(value).max(arb(0)), arb(0), arb(0), arb(0))


def tail_growth(tree: Tree, side: int, start: flint.arb) -> TailGrowth:
    """Return a bound of a tree without Where on side·x ≥ start > 0, side ±1, or raise :class:`UnboundedError`.

    >>> tail = tail_growth(Call("softplus", Variable()), 1, arb(10))
    >>> print(tail.degree, tail.linear)
    1.00000000000000 0
    """
    check()
    values = range_of(tree, beyond(side, start), is_real=True)
    if values.is_bounded():
        return _constant(values.magnitude())
    match tree:
        case Variable():
            return TailGrowth(arb(1), arb(1), arb(0), arb(0))
        case Sum(terms):
            return reduce(TailGrowth.plus, (tail_growth(term, side, start) for term in terms))
        case Product(factors):
            return reduce(TailGrowth.times, (tail_growth(factor, side, start) for factor in factors))
        case Power(base, exponent) if exponent > 0:
            return tail_growth(base, side, start).to_power(exponent)
        case Power(Call("sigmoid", argument), exponent):  # 1/sigmoid u = 1 + e^{−u}
            reciprocal = tail_growth(Call("exp", negative(argument)), side, start).plus(_constant(arb(1)))
            return reciprocal.to_power(-exponent)
        case Call(name, argument):
            return _call_growth(name, argument, side, start)
    # pieces() resolves where(), and a denominator away from 0 far out would have been bounded
    raise UnboundedError("no growth bound far out")  # pragma: no cover - no known formula reaches it


def _call_growth(name: str, inner: Tree, side: int, start: flint.arb) -> TailGrowth:
    row = PRIMITIVES[name]
    if row.grows is Grows.EXPONENTIAL:
        return _exponential_growth(inner, side, start, both=row.parity is not None)
    bound = tail_growth(inner, side, start)
    if row.grows is Grows.LINEAR:
        return bound.plus(_constant(row.ball(arb(0))))
    if name == "log" and isinstance(inner, Call) and inner.function in ("sigmoid", "softplus"):
        # Both logarithms are at most |u| + log 2: softplus u ≥ sigmoid u ≥ e^{−|u|}/2 and softplus u ≤ |u| + log 2.
        return tail_growth(inner.argument, side, start).plus(_constant(arb(2).log()))
    if name == "log":
        distance = range_of(inner, beyond(side, start), is_real=True).distance_from_zero()
        if distance > 0:
            return bound.logarithm().plus(_constant(abs(distance.min(arb(1)).log())))
    raise UnboundedError(f"no growth bound of {name}")  # pragma: no cover - no known formula reaches it


def _exponential_growth(inner: Tree, side: int, start: flint.arb, both: bool) -> TailGrowth:
    """Bound e^u, or cosh u and sinh u when ``both``: u a quadratic polynomial, or |u| ≤ C(1+|x|)^d with d ≤ 1."""
    coefficients = polynomial_trees(inner)
    if coefficients is not None and len(coefficients) <= 3:
        low, middle, high = [*map(ball_of, coefficients), arb(0), arb(0)][:3]
        if both:
            return TailGrowth(abs(low).exp(), arb(0), abs(middle), abs(high))
        return TailGrowth(low.exp(), arb(0), (side * middle).max(arb(0)), high)
    bound = tail_growth(inner, side, start)
    if bound.linear == 0 and bound.quadratic == 0 and bound.degree <= 1:
        return TailGrowth(bound.constant.exp(), arb(0), bound.constant, arb(0))
    raise UnboundedError("no growth bound of an exponential")


def sampled_growth(tree: Tree, side: int, start: float) -> TailGrowth:
    """Return an estimate of the growth on one tail: its constant is four times the largest seen at sampled points."""
    function = compiled(tree)
    degree, linear, quadratic = map(ball, growth(tree))
    constant = arb(0)
    for x in (arb(start) + i for i in range(_SAMPLES)):
        value = abs(function(side * x)) / ((1 + x) ** degree * (linear * x + quadratic * x * x).exp())
        if value.is_finite():
            constant = constant.max(value)
    return TailGrowth(4 * constant.upper(), degree, linear, quadratic)


def tail_integral(tail: TailGrowth, end: flint.arb, power: int) -> flint.arb:
    """Return a bound of ∫_X^∞ C(1+x)^d e^{lx+qx²} (x/X)^power φ(x) dx, X = ``end``, for one side.

    Minus the logarithmic derivative of the integrand is at least the rate r = X(1 − 2q) − l − (d + power)/X for
    x ≥ X, so the integral is at most (integrand at X)/r.
    """
    rate = end * (1 - 2 * tail.quadratic) - tail.linear - (tail.degree + power) / end
    if not rate > 0:
        return arb.pos_inf()
    exponent = tail.linear * end + (tail.quadratic - arb(1) / 2) * end**2
    value = tail.constant * (1 + end) ** tail.degree * exponent.exp() / (2 * arb.pi()).sqrt()
    return value / rate


def hermite_majorants(radius: flint.arb, K: int) -> list[flint.arb]:
    """Return P_0, …, P_K with |He_k(z)| ≤ P_k(|z|), by P_{k+1} = r P_k + k P_{k−1}.

    >>> [int(float(p)) for p in hermite_majorants(arb(2), 3)]
    [1, 2, 5, 14]
    """
    values = [arb(1), radius]
    for k in range(1, K):
        values.append(radius * values[k] + k * values[k - 1])
    return values[: K + 1]


def cut_errors(tails: Sequence[TailGrowth], end: flint.arb, K: int) -> tuple[list[flint.arb], flint.arb]:
    """Return bounds of the integrals of f He_k φ, k ≤ K, and f²φ beyond ±end, by P_k(x) ≤ P_k(X)(x/X)^k for x ≥ X."""
    majorants = hermite_majorants(end, K)
    errors = [sum((tail_integral(g, end, k) for g in tails), arb(0)) * p for k, p in enumerate(majorants)]
    return errors, sum((tail_integral(g.times(g), end, 0) for g in tails), arb(0))


def cut_off(tails: Sequence[TailGrowth], start: float, K: int, bits: int) -> float:
    """Return some X ≥ start beyond which the integrals of f He_k φ, k ≤ K, and of f²φ are below 2^{−bits}/√k!."""
    low, high = start, 2 * start
    while not _is_negligible(tails, high, K, bits):
        low, high = high, 2 * high
    while high - low > 0.25:
        middle = (low + high) / 2
        low, high = (low, middle) if _is_negligible(tails, middle, K, bits) else (middle, high)
    return high


def _is_negligible(tails: Sequence[TailGrowth], length: float, K: int, bits: int) -> bool:
    end, small = arb(length), arb(2) ** (-bits)
    highest = hermite_majorants(end, K)[K] / arb(K).fac().sqrt()
    return all(
        tail_integral(tail, end, K) * highest < small and tail_integral(tail.times(tail), end, 0) < small
        for tail in tails
    )

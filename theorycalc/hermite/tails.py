"""How large an expression can be far out on the real line: |f(x)| ≤ C (1+|x|)^d e^{l|x| + q x²} for |x| ≥ X.

Two structural analyses of a tree, each on one side of the line: the range of values (an interval whose ends
may be infinite) and the growth with an explicit constant.  Together they bound what a quadrature on [−X, X]
leaves out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint
from flint import arb

from theorycalc.errors import DomainError
from theorycalc.functions.enclosures import beyond, compiled, range_of
from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable


class UnboundedError(DomainError):
    """No growth bound of the kind looked for can be read off the expression."""


@dataclass(frozen=True)
class TailGrowth:
    """|f(x)| ≤ constant · (1 + |x|)^degree · e^{linear |x| + quadratic x²} on one tail."""

    constant: flint.arb
    degree: flint.arb
    linear: flint.arb
    quadratic: flint.arb

    def times(self, other: TailGrowth) -> TailGrowth:
        """Bound the product."""
        return TailGrowth(
            self.constant * other.constant,
            self.degree + other.degree,
            self.linear + other.linear,
            self.quadratic + other.quadratic,
        )

    def plus(self, other: TailGrowth) -> TailGrowth:
        """Bound the sum."""
        return TailGrowth(
            self.constant + other.constant,
            self.degree.max(other.degree),
            self.linear.max(other.linear),
            self.quadratic.max(other.quadratic),
        )

    def to_power(self, exponent: Fraction) -> TailGrowth:
        """Bound a positive power."""
        power = _ball(exponent)
        return TailGrowth(self.constant**power, self.degree * power, self.linear * power, self.quadratic * power)

    def logarithm(self) -> TailGrowth:
        """Bound max(0, log |f|): log C + d log(1+|x|) + l|x| + q⁺x² ≤ (log⁺C + d + l + q⁺)(1+|x|)^{1 or 2}."""
        quadratic = self.quadratic.max(arb(0))
        constant = self.constant.max(arb(1)).log() + self.degree + self.linear + quadratic
        return TailGrowth(constant, arb(1 if quadratic == 0 else 2), arb(0), arb(0))


def _constant(value: flint.arb) -> TailGrowth:
    return TailGrowth(arb(value).max(arb(0)), arb(0), arb(0), arb(0))


def _ball(value: Fraction) -> flint.arb:
    return arb(flint.fmpq(value.numerator, value.denominator))


def tail_growth(tree: Tree, side: int, start: flint.arb) -> TailGrowth:
    """Bound a tree without Where on side·x ≥ start > 0, side ±1, or raise :class:`UnboundedError`.

    >>> from theorycalc.functions.tree import Call, Variable
    >>> growth = tail_growth(Call("softplus", Variable()), 1, arb(10))
    >>> print(growth.degree, growth.linear)
    1.00000000000000 0
    """
    values = range_of(tree, beyond(side, start), is_real=True)
    if values.is_bounded():
        return _constant(values.magnitude())
    if isinstance(tree, Variable):
        return TailGrowth(arb(1), arb(1), arb(0), arb(0))
    if isinstance(tree, Sum):
        return _fold([tail_growth(term, side, start) for term in tree.terms], TailGrowth.plus)
    if isinstance(tree, Product):
        return _fold([tail_growth(factor, side, start) for factor in tree.factors], TailGrowth.times)
    if isinstance(tree, Power):
        return _power_growth(tree, side, start)
    if isinstance(tree, Call):
        return _call_growth(tree, side, start)
    raise UnboundedError(  # pragma: no cover - pieces() resolves where() first
        f"no growth bound of {type(tree).__name__}"
    )


def _fold(parts: list[TailGrowth], combine: Callable[[TailGrowth, TailGrowth], TailGrowth]) -> TailGrowth:
    total = parts[0]
    for part in parts[1:]:
        total = combine(total, part)
    return total


def _power_growth(tree: Power, side: int, start: flint.arb) -> TailGrowth:
    if tree.exponent > 0:
        return tail_growth(tree.base, side, start).to_power(tree.exponent)
    if isinstance(tree.base, Call) and tree.base.function == "sigmoid":  # 1/sigmoid u = 1 + e^{−u}
        opposite = Product((Rational(Fraction(-1)), tree.base.argument))
        reciprocal = tail_growth(Call("exp", opposite), side, start).plus(_constant(arb(1)))
        return reciprocal.to_power(-tree.exponent)
    # away from 0 it would have been bounded
    raise UnboundedError("the denominator comes near 0 far out")  # pragma: no cover - no known formula reaches it


def _call_growth(tree: Call, side: int, start: flint.arb) -> TailGrowth:
    name, inner = tree.function, tree.argument
    if name in ("exp", "sinh", "cosh"):
        return _exponential_growth(inner, side, start, both=name != "exp")
    growth = tail_growth(inner, side, start)
    if name == "asinh":  # |asinh u| ≤ |u|
        return growth
    if name == "softplus":  # 0 ≤ softplus u ≤ |u| + log 2
        return growth.plus(_constant(arb(2).log()))
    if name == "log" and isinstance(inner, Call) and inner.function in ("sigmoid", "softplus"):
        # Both logarithms are at most |u| + log 2: softplus u ≥ sigmoid u ≥ e^{−|u|}/2 and softplus u ≤ |u| + log 2.
        return tail_growth(inner.argument, side, start).plus(_constant(arb(2).log()))
    if name == "log":
        distance = range_of(inner, beyond(side, start), is_real=True).distance_from_zero()
        if distance > 0:
            return growth.logarithm().plus(_constant(abs(distance.min(arb(1)).log())))
    raise UnboundedError(f"no growth bound of {name}")  # pragma: no cover - no known formula reaches it


def _exponential_growth(inner: Tree, side: int, start: flint.arb, both: bool) -> TailGrowth:
    """Bound e^u, or cosh u and sinh u when ``both``: u a quadratic polynomial, or |u| ≤ C(1+|x|)^d with d ≤ 1."""
    coefficients = quadratic_coefficients(inner)
    if coefficients is not None:
        low, middle, high = coefficients
        if both:
            return TailGrowth(abs(low).exp(), arb(0), abs(middle), abs(high))
        return TailGrowth(low.exp(), arb(0), (side * middle).max(arb(0)), high)
    growth = tail_growth(inner, side, start)
    if growth.linear == 0 and growth.quadratic == 0 and growth.degree <= 1:
        return TailGrowth(growth.constant.exp(), arb(0), growth.constant, arb(0))
    raise UnboundedError("no growth bound of an exponential")


def quadratic_coefficients(tree: Tree) -> tuple[flint.arb, flint.arb, flint.arb] | None:
    """Return u_0, u_1, u_2 of a polynomial u of degree at most 2 in x; None for anything else."""
    if isinstance(tree, Variable):
        return arb(0), arb(1), arb(0)
    if isinstance(tree, Rational | Constant):
        return compiled(tree)(arb(0)), arb(0), arb(0)
    if isinstance(tree, Sum):
        parts = [quadratic_coefficients(term) for term in tree.terms]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return sum(p[0] for p in known), sum(p[1] for p in known), sum(p[2] for p in known)  # type: ignore[return-value]
    if isinstance(tree, Product):
        total: tuple[flint.arb, flint.arb, flint.arb] | None = (arb(1), arb(0), arb(0))
        for factor in tree.factors:
            total = _quadratic_product(total, quadratic_coefficients(factor))
        return total
    if isinstance(tree, Power) and tree.exponent == 2:
        base = quadratic_coefficients(tree.base)
        return _quadratic_product(base, base)
    if isinstance(tree, Power | Call):  # pragma: no branch - pieces() resolves where() first
        inner = tree.base if isinstance(tree, Power) else tree.argument
        coefficients = quadratic_coefficients(inner)
        if coefficients is not None and coefficients[1] == 0 and coefficients[2] == 0:
            return compiled(tree)(arb(0)), arb(0), arb(0)
    return None


def _quadratic_product(
    left: tuple[flint.arb, flint.arb, flint.arb] | None, right: tuple[flint.arb, flint.arb, flint.arb] | None
) -> tuple[flint.arb, flint.arb, flint.arb] | None:
    if left is None or right is None:
        return None
    product = [arb(0)] * 5
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return (product[0], product[1], product[2]) if product[3] == 0 and product[4] == 0 else None


def tail_integral(growth: TailGrowth, end: flint.arb, power: int) -> flint.arb:
    """Bound ∫_X^∞ C(1+x)^d e^{lx+qx²} (x/X)^power φ(x) dx, X = ``end``, for one side.

    Minus the logarithmic derivative of the integrand is at least the rate r = X(1 − 2q) − l − (d + power)/X for
    x ≥ X, so the integral is at most (integrand at X)/r.
    """
    rate = end * (1 - 2 * growth.quadratic) - growth.linear - (growth.degree + power) / end
    if not rate > 0:
        return arb.pos_inf()
    exponent = growth.linear * end + (growth.quadratic - arb(1) / 2) * end**2
    value = growth.constant * (1 + end) ** growth.degree * exponent.exp() / (2 * arb.pi()).sqrt()
    return value / rate

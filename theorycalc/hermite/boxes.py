"""Evaluating an expression with Arb: at real balls, and on complex boxes where it must be analytic.

On a complex box every function below is either analytic on the whole box and enclosed, or the result is not
finite: a finite value therefore *proves* that the expression is analytic there.  (Arb's own log, sqrt, atan
and asinh are finite across their cuts, so the cuts are tested here.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import flint
from flint import acb, arb, fmpq

from theorycalc.errors import DomainError
from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable

#: A real ball or a complex box; what goes in decides what comes out.
Ball: TypeAlias = Any
Evaluator: TypeAlias = Callable[[Ball], Ball]

_NAN = arb.nan()


def compiled(tree: Tree) -> Evaluator:
    """Return a function that evaluates a tree without Where at the precision of now.

    >>> from theorycalc.functions.tree import Call, Variable
    >>> print(compiled(Call("tanh", Variable()))(arb(1)).str(10))
    [0.7615941560 +/- 4.43e-11]
    """
    if isinstance(tree, Variable):
        return lambda z: z
    if isinstance(tree, Rational | Constant):
        value = arb(fmpq(*tree.value.as_integer_ratio())) if isinstance(tree, Rational) else _CONSTANTS[tree.name]()
        return lambda z: value
    if isinstance(tree, Sum):
        return _sum([compiled(term) for term in tree.terms])
    if isinstance(tree, Product):
        return _product([compiled(factor) for factor in tree.factors])
    if isinstance(tree, Power):
        base, exponent = compiled(tree.base), tree.exponent
        if exponent.denominator == 1:
            whole = exponent.numerator
            return lambda z: _integer_power(base(z), whole)
        ratio = arb(fmpq(*exponent.as_integer_ratio()))
        return lambda z: (off_cut(base(z)).log() * ratio).exp()
    if isinstance(tree, Call):
        function, argument = FUNCTIONS[tree.function], compiled(tree.argument)
        return lambda z: function(argument(z))
    raise DomainError(  # pragma: no cover - pieces() resolves where() first
        "a piecewise expression is evaluated piece by piece"
    )


def _sum(parts: list[Evaluator]) -> Evaluator:
    def value(z: Ball) -> Ball:
        total = parts[0](z)
        for part in parts[1:]:
            total = total + part(z)
        return total

    return value


def _product(parts: list[Evaluator]) -> Evaluator:
    def value(z: Ball) -> Ball:
        total = parts[0](z)
        for part in parts[1:]:
            total = total * part(z)
        return total

    return value


def _integer_power(z: Ball, exponent: int) -> Ball:
    return z**exponent if exponent >= 0 else 1 / z**-exponent


def off_cut(z: Ball) -> Ball:
    """Return ``z`` if it avoids (−∞, 0], the cut of log and sqrt; else something not finite."""
    if isinstance(z, arb):
        return z if z > 0 else _NAN
    return z if z.real > 0 or not z.imag.contains(0) else acb(_NAN, _NAN)


def _off_imaginary_cut(z: Ball) -> Ball:
    """Return ``z`` if it avoids ±i[1, ∞), the cuts of atan and asinh; else something not finite."""
    if isinstance(z, arb) or not z.real.contains(0) or abs(z.imag) < 1:
        return z
    return acb(_NAN, _NAN)


def _sigmoid(z: Ball) -> Ball:
    if z.real.mid() >= 0:
        return 1 / (1 + (-z).exp())
    power = z.exp()
    return power / (1 + power)


def _tanh(z: Ball) -> Ball:
    return z.tanh() if isinstance(z, arb) else 2 * _sigmoid(2 * z) - 1


def _softplus(z: Ball) -> Ball:
    if isinstance(z, acb) and not abs(z.imag) < arb.pi():
        return acb(_NAN, _NAN)
    if z.real.mid() > 0:
        return z + _log_one_plus((-z).exp())
    return _log_one_plus(z.exp())


def _log_one_plus(z: Ball) -> Ball:
    return z.log1p() if off_cut(1 + z).is_finite() else off_cut(1 + z)


def _asinh(z: Ball) -> Ball:
    if isinstance(z, arb):
        return z.asinh()
    if z.real.mid() < 0:
        return -_asinh(-z)
    # Arb's own is not finite on wide boxes.  Off the cuts 1 + z² is not in (−∞, 0] and z + √(1 + z²) is in Re > 0.
    return off_cut(z + off_cut(1 + _off_imaginary_cut(z) ** 2).sqrt()).log()


def _tan(z: Ball) -> Ball:
    return z.sin() / z.cos()


_CONSTANTS: dict[str, Callable[[], flint.arb]] = {"pi": arb.pi, "e": arb.const_e}

#: What a smooth piece can call: abs, sign and step are resolved into pieces, and a square root is a power.
FUNCTIONS: dict[str, Evaluator] = {
    "exp": lambda z: z.exp(),
    "log": lambda z: off_cut(z).log(),
    "sin": lambda z: z.sin(),
    "cos": lambda z: z.cos(),
    "tan": _tan,
    "sinh": lambda z: z.sinh(),
    "cosh": lambda z: z.cosh(),
    "tanh": _tanh,
    "atan": lambda z: _off_imaginary_cut(z).atan(),
    "asinh": _asinh,
    "erf": lambda z: z.erf(),
    "erfc": lambda z: z.erfc(),
    "sigmoid": _sigmoid,
    "softplus": _softplus,
}

"""The functions that formulas are made of: one table of primitives, and one of activations named after a formula.

A row of the first table has every fact about a primitive that the package uses: to add one is to add a row.  (A square
root is a power, and max and min are ``Where``.)

A row of the second table has a formula in the grammar, with torch's names and defaults.  Where it could be written in
several ways, the one that keeps its digits in float64 is chosen (gelu by erfc, gelu_tanh by sigmoid).  softplus is the
function itself, without torch's ``threshold=20`` beyond which it returns x.  rrelu is that of evaluation mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import flint
import numpy as np
from flint import acb, arb

#: A real ball or a complex box; the argument decides which of them the value is.
Ball: TypeAlias = Any
BallFunction: TypeAlias = Callable[[Ball], Ball]

_NAN = arb.nan()
_INF = math.inf
_LINE = (-_INF, _INF)
_HALF_PI = math.nextafter(math.pi / 2, _INF)  # not below π/2


class Grows(StrEnum):
    """How fast |f(u)| grows with |u|."""

    BOUNDED = "bounded"  # also tan, whose argument is shown to stay away from the poles
    LINEAR = "linear"  # |f(u)| ≤ f(0) + |u|
    EXPONENTIAL = "exponential"  # |f(u)| ≤ e^u, or e^|u| for an odd or even f
    LOGARITHM = "logarithm"


@dataclass(frozen=True)
class Primitive:
    """One row of the table.

    name
        In the grammar.
    array
        Values in float64, of a numpy array.
    ball
        An enclosure of the values on a real ball, or on a complex box.  A finite value on a box *proves* that f is
        analytic there.  (Arb's log, sqrt, atan and asinh are finite across their cuts, so the cuts are tested here.)
    derivative
        f'(x) in the grammar, jumps left out.
    values
        The infimum and the supremum of f on the real line; an infimum 0 of an analytic f is not attained.
    monotone
        1 if f increases, -1 if it decreases, else 0; for an even f on x > 0, for tan and log on their domain.
    parity
        ``"odd"``, ``"even"`` or None.
    mirrored
        f(−x) in the grammar, by f(x), where that is known and f is neither odd nor even.
    grows
        See :class:`Grows`.
    domain
        The open interval on which f is real and finite.
    sides
        (a, b) with f(x) = a + bx for x < 0, and for x > 0, of a function with a kink or jump at 0.
    sympy
        The name of sympy's function, or f in the grammar where it has none; the name by default.
    activation
        Whether f is listed among the activations.
    """

    name: str
    array: Callable[[Any], Any]
    ball: BallFunction
    derivative: str
    values: tuple[float, float]
    monotone: int
    parity: str | None = None
    mirrored: str | None = None
    grows: Grows = Grows.BOUNDED
    domain: tuple[float, float] = _LINE
    sides: tuple[tuple[int, int], tuple[int, int]] | None = None
    sympy: str = ""
    activation: bool = False

    @cached_property
    def at_zero(self) -> Fraction | None:
        """Return f(0) where it is rational."""
        value = self.ball(arb(0))
        return dyadic(value) if value.is_exact() and value.is_finite() else None

    @property
    def is_partial(self) -> bool:
        """True if f is undefined for some x."""
        return self.domain != _LINE

    @property
    def is_stepwise(self) -> bool:
        """True if f is constant on either side of a jump."""
        return self.sides is not None and self.derivative == "0"

    @property
    def is_never_negative(self) -> bool:
        """True if f ≥ 0."""
        return self.values[0] >= 0

    @property
    def is_positive(self) -> bool:
        """True if f > 0."""
        return self.is_never_negative and self.sides is None

    @property
    def vanishes_with_argument(self) -> bool:
        """True if f(u) = 0 for u = 0 and no other u."""
        return self.parity == "odd" and self.monotone == 1 and not self.is_partial

    @property
    def bound(self) -> Fraction | None:
        """Return a whole number that |f| never exceeds, or None."""
        largest = max(map(abs, self.values))
        return Fraction(math.ceil(largest)) if math.isfinite(largest) else None


def dyadic(ball: flint.arb) -> Fraction:
    """Return the midpoint of a ball.

    >>> dyadic(arb(0.75))
    Fraction(3, 4)
    """
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def off_cut(z: Ball) -> Ball:
    """Return ``z`` if it avoids (−∞, 0], the cut of log and of roots; else NaN."""
    if isinstance(z, arb):
        return z if z > 0 else _NAN
    return z if z.real > 0 or not z.imag.contains(0) else acb(_NAN, _NAN)


def _off_imaginary_cut(z: Ball) -> Ball:
    """Return ``z`` if it avoids ±i[1, ∞), the cuts of atan and asinh; else NaN."""
    if isinstance(z, arb) or not z.real.contains(0) or abs(z.imag) < 1:
        return z
    return acb(_NAN, _NAN)


def _sigmoid(z: Ball) -> Ball:
    if z.real.mid() >= 0:
        return 1 / (1 + (-z).exp())
    power = z.exp()
    return power / (1 + power)


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


def _special(name: str) -> Callable[[Any], Any]:
    """Return a function of scipy.special; scipy is loaded by its first call, which takes a tenth of a second."""

    def function(u: Any) -> Any:
        from scipy import special

        return getattr(special, name)(u)

    return function


_LINEAR, _EXPONENTIAL = Grows.LINEAR, Grows.EXPONENTIAL

_PRIMITIVES = (
    Primitive(
        "tanh", np.tanh, lambda z: z.tanh() if isinstance(z, arb) else 2 * _sigmoid(2 * z) - 1, "1/cosh(x)**2",
        (-1, 1), 1, "odd", activation=True,
    ),
    Primitive(
        "sigmoid", _special("expit"), _sigmoid, "sigmoid(x)*sigmoid(-x)",
        (0, 1), 1, mirrored="1 - sigmoid(x)", sympy="1/(1 + exp(-x))", activation=True,
    ),
    Primitive("erf", _special("erf"), lambda z: z.erf(), "2/sqrt(pi)*exp(-x**2)", (-1, 1), 1, "odd", activation=True),
    Primitive("sin", np.sin, lambda z: z.sin(), "cos(x)", (-1, 1), 0, "odd", activation=True),
    Primitive("cos", np.cos, lambda z: z.cos(), "-sin(x)", (-1, 1), 0, "even", activation=True),
    Primitive(
        "atan", np.arctan, lambda z: _off_imaginary_cut(z).atan(), "1/(1 + x**2)",
        (-_HALF_PI, _HALF_PI), 1, "odd", activation=True,
    ),
    Primitive("asinh", np.arcsinh, _asinh, "(1 + x**2)**(-1/2)", _LINE, 1, "odd", grows=_LINEAR, activation=True),
    Primitive("exp", np.exp, lambda z: z.exp(), "exp(x)", (0, _INF), 1, grows=_EXPONENTIAL, activation=True),
    Primitive(
        "abs", np.abs, abs, "sign(x)",
        (0, _INF), 1, "even", grows=_LINEAR, sides=((0, -1), (0, 1)), sympy="Abs", activation=True,
    ),
    Primitive("sign", np.sign, lambda z: z.sgn(), "0", (-1, 1), 1, "odd", sides=((-1, 0), (1, 0)), activation=True),
    Primitive(
        "step", lambda u: np.heaviside(u, 0.5), lambda z: (1 + z.sgn()) / 2, "0",
        (0, 1), 1, mirrored="1 - step(x)", sides=((0, 0), (1, 0)), sympy="Heaviside", activation=True,
    ),
    Primitive(
        "erfc", _special("erfc"), lambda z: z.erfc(), "-2/sqrt(pi)*exp(-x**2)", (0, 2), -1, mirrored="2 - erfc(x)"
    ),
    Primitive(
        "softplus", lambda u: np.logaddexp(0.0, u), _softplus, "sigmoid(x)",
        (0, _INF), 1, mirrored="softplus(x) - x", grows=_LINEAR, sympy="log(1 + exp(x))",
    ),
    Primitive("sinh", np.sinh, lambda z: z.sinh(), "cosh(x)", _LINE, 1, "odd", grows=_EXPONENTIAL),
    Primitive("cosh", np.cosh, lambda z: z.cosh(), "sinh(x)", (1, _INF), 1, "even", grows=_EXPONENTIAL),
    Primitive(
        "tan", np.tan, lambda z: z.tan() if isinstance(z, arb) else z.sin() / z.cos(), "1 + tan(x)**2",
        _LINE, 1, "odd", domain=(-1.57, 1.57),
    ),
    Primitive("log", np.log, lambda z: off_cut(z).log(), "1/x", _LINE, 1, grows=Grows.LOGARITHM, domain=(0, _INF)),
)  # fmt: skip

#: The rows by name, those that are activations in their own right first.
PRIMITIVES: dict[str, Primitive] = {row.name: row for row in _PRIMITIVES}


@dataclass(frozen=True)
class Named:
    """One row: a formula in the grammar, and its parameters with their defaults (None: must be given).

    One number a stands for both parameters −a and a of a ``symmetric`` one.
    """

    name: str
    formula: str
    parameters: tuple[tuple[str, str | None], ...] = ()
    symmetric: bool = False


def _row(name: str, formula: str, symmetric: bool = False, **parameters: str | None) -> Named:
    return Named(name, formula, tuple(parameters.items()), symmetric)


_ACTIVATIONS = (
    _row("identity", "x"),
    _row("relu", "where(x > 0, x, 0)"),
    _row("leaky_relu", "where(x > 0, x, negative_slope*x)", negative_slope="0.01"),
    _row("prelu", "where(x > 0, x, weight*x)", weight="0.25"),
    _row("rrelu", "where(x >= 0, x, (lower + upper)/2*x)", lower="1/8", upper="1/3"),
    _row("relu6", "min(max(0, x), 6)"),
    _row("threshold", "where(x > threshold, x, value)", threshold=None, value=None),
    _row("elu", "where(x > 0, x, alpha*(exp(x) - 1))", alpha="1"),
    _row("selu", "1.0507009873554804934193349852946*elu(x, 1.6732632423543772848170429916717)"),
    _row("celu", "where(x > 0, x, alpha*(exp(x/alpha) - 1))", alpha="1"),
    _row("gelu", "x*erfc(-x/sqrt(2))/2"),
    _row("gelu_tanh", "x*sigmoid(2*sqrt(2/pi)*(x + 0.044715*x**3))"),
    _row("silu", "x*sigmoid(beta*x)", beta="1"),
    _row("mish", "x*tanh(softplus(x))"),
    _row("softplus", "softplus(beta*x)/beta", beta="1"),
    _row("softsign", "x/(1 + abs(x))"),
    _row("tanhshrink", "x - tanh(x)"),
    _row("logsigmoid", "-softplus(-x)"),
    _row("hardtanh", "min(max(x, min_val), max_val)", symmetric=True, min_val="-1", max_val="1"),
    _row("hardsigmoid", "relu6(x + 3)/6"),
    _row("hardswish", "x*relu6(x + 3)/6"),
    _row("hardshrink", "where(x > lambd, x, where(x < -lambd, x, 0))", lambd="0.5"),
    _row("softshrink", "where(x > lambd, x - lambd, where(x < -lambd, x + lambd, 0))", lambd="0.5"),
    _row("gaussian", "exp(-x**2/2)"),
    _row("square", "x**2"),
    _row("cube", "x**3"),
)

#: Other spellings.
ALIASES = {
    "swish": "silu", "hard_sigmoid": "hardsigmoid", "hard_swish": "hardswish", "hard_tanh": "hardtanh",
    "log_sigmoid": "logsigmoid", "logistic": "sigmoid", "expit": "sigmoid", "heaviside": "step", "arctan": "atan",
    "arcsinh": "asinh", "sgn": "sign", "linear": "identity", "leakyrelu": "leaky_relu",
}  # fmt: skip

#: What gelu(approximate=…) means.
GELU_FORMS = {"none": "gelu", "tanh": "gelu_tanh"}

NAMED: dict[str, Named] = {row.name: row for row in _ACTIVATIONS}


def activation_names() -> tuple[str, ...]:
    """Return the names of the activations, without aliases and Hermite polynomials.

    >>> "relu" in activation_names(), "arctan" in activation_names()
    (True, False)
    """
    return (*(row.name for row in PRIMITIVES.values() if row.activation), *NAMED)


def usual_name(name: str) -> str:
    """Return the name of an activation in lower case, and any other text unchanged.

    >>> usual_name("ReLU"), usual_name("X")
    ('relu', 'X')
    """
    lower = name.lower()
    return lower if lower in ALIASES or lower in activation_names() else name


def formula_of(name: str) -> str:
    """Return the formula of a named activation, with the names of its parameters.

    >>> formula_of("silu"), formula_of("tanh")
    ('x*sigmoid(beta*x)', 'tanh(x)')
    """
    return NAMED[name].formula if name in NAMED else f"{name}(x)"

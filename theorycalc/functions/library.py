"""The named activations, as data: each formula is text in the grammar, with torch's names and defaults.

Where a formula could be written in several ways, the one that keeps its digits in float64 is chosen
(gelu by erfc, gelu_tanh by sigmoid).  softplus is the function itself: torch's ``threshold=20``, beyond
which it returns x, is a matter of its rounding and is left out.  rrelu is the one of evaluation mode.
"""

from __future__ import annotations

from dataclasses import dataclass

from theorycalc.functions.primitives import PRIMITIVES


@dataclass(frozen=True)
class Named:
    """One line of the table: parameters with their defaults (None: must be given) and the formula.

    One number a stands for the ``symmetric`` two parameters −a and a.
    """

    name: str
    formula: str
    parameters: tuple[tuple[str, str | None], ...] = ()
    symmetric: bool = False


def _row(name: str, formula: str, symmetric: bool = False, **parameters: str | None) -> Named:
    return Named(name, formula, tuple(parameters.items()), symmetric)


_TABLE = (
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
    "swish": "silu",
    "hard_sigmoid": "hardsigmoid",
    "hard_swish": "hardswish",
    "hard_tanh": "hardtanh",
    "log_sigmoid": "logsigmoid",
    "logistic": "sigmoid",
    "expit": "sigmoid",
    "heaviside": "step",
    "arctan": "atan",
    "arcsinh": "asinh",
    "sgn": "sign",
    "linear": "identity",
}

#: What gelu(approximate=…) means.
GELU_FORMS = {"none": "gelu", "tanh": "gelu_tanh"}

NAMED: dict[str, Named] = {row.name: row for row in _TABLE}


def activation_names() -> tuple[str, ...]:
    """Return the names of the activations, without aliases and Hermite polynomials.

    >>> "relu" in activation_names(), "arctan" in activation_names()
    (True, False)
    """
    return (*(row.name for row in PRIMITIVES.values() if row.activation), *NAMED)


def formula_of(name: str) -> str:
    """Return the formula of a named activation, with its parameters' names.

    >>> formula_of("silu"), formula_of("tanh")
    ('x*sigmoid(beta*x)', 'tanh(x)')
    """
    return NAMED[name].formula if name in NAMED else f"{name}(x)"

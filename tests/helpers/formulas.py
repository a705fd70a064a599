"""Formulas of functions that several tests read."""

from __future__ import annotations

import numpy as np
import sympy

from theorycalc.functions.enclosures import ball_of
from theorycalc.functions.grammar import parse
from theorycalc.functions.primitives import activation_names
from theorycalc.numbers.balls import ball_precision

SYMBOL = sympy.Symbol("x", real=True)
NAMES = [name for name in activation_names() if name != "threshold"]
SMOOTH = [
    "tanh(x + 1)*exp(-x**2/2)",
    "x**3*sin(2*x) - cos(x)/3",
    "log(1 + x**2)",
    "sqrt(1 + x**2)",
    "(2 + sin(x))**(-3/2)",
    "asinh(x)*atan(x/2)",
    "sigmoid(x)**3 + softplus(2*x)",
    "erf(x)*erfc(x/3)",
    "sinh(x)/cosh(x)**2",
    "tan(tanh(x)/2)",
    "H5/7 + 2**x",
    "gelu_tanh",
    "mish",
]


def exact_value(tree, x):
    with ball_precision(300):
        return ball_of(tree, ball_of(parse(str(x))))


CLOSED = [
    *("relu", "leaky_relu(0.1)", "elu", "selu", "hardtanh", "relu6", "hardswish", "softshrink", "gelu", "exp(x/2)"),
    *(
        "erf(x/3 + 1)",
        "sin(2*x + 1)",
        "x**2*cos(x)",
        "exp(x/2)*sin(x)",
        "gaussian",
        "exp(-abs(x))",
        "x*erf(x)*exp(x/3 - x**2/5)",
    ),
]


def shifted(x):
    return np.tanh(x + 1)


def wavy(x):
    return np.sin(x) + x**2

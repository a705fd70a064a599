"""Formulas as nobody would choose them: their coefficients by another quadrature, or a refusal.

They are looked for where ``functions/`` and ``hermite/`` have rare ways out; what none of them reaches says so there.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from theorycalc.errors import TheoryError
from theorycalc.functions.grammar import parse
from theorycalc.functions.properties import is_bounded, is_lipschitz, is_smooth
from theorycalc.hermite.coefficients import coefficients_balls, second_moment_ball

TOP, DIGITS = 5, 15

#: Where panels must end, so that they are narrow about 0.
NARROW = tuple(sign * 2.0**-j for sign in (-1, 1) for j in range(6, 20))

#: Each with the ends of panels it needs beside the multiples of 1/32: its kinks.
DEFINED: dict[str, tuple[float, ...]] = {
    # a pole that is elsewhere
    "where(x > 1/2, where(x < 1, 1/(x**3 - 3*x + 1), 0), 0)": (),
    # compositions
    "tanh(sinh(x))": (),
    "atan(x**3)": (),
    "erf(x**2 - 1)": (),
    "erf(exp(x)/4)": (),
    "sin(tanh(3*x))": (),
    "cos(x**2)": (),
    "tan(tanh(x))": (),
    "sigmoid(sin(x)*4)": (),
    "softplus(softplus(x))": (),
    "softplus(x**2 - x)": (),
    "asinh(exp(x))": (),
    "asinh(sinh(x)*2)": (),
    "exp(sin(x) + cos(2*x))": (),
    "exp(atan(x))*x": (),
    "exp(-cosh(x))": (),
    "exp(asinh(x))": (),
    "exp(x**2/6 + sin(x))": (),  # of which only an estimate is found
    "cosh(sqrt(1 + x**2))": (),
    "sinh(softplus(x)/2)": (),
    "erfc(softplus(-x))": (),
    # pieces
    "where(x > 1/2, x**2, where(x < -1/2, -x, 1/4))": (),
    "where(x**2 > 2, x, x**3/2)": (-math.sqrt(2), math.sqrt(2)),
    "where(exp(x) >= 2, log(1 + x**2), 0)": (math.log(2),),
    "abs(x + abs(x - 1) - 2)": (1.5,),
    "abs(abs(abs(x) - 1) - 1/2)": (),
    "sign(x - 1)*sign(x + 1)*x": (),
    "step(x**2 - 1)*exp(x)": (),
    "sign(x)*sqrt(abs(x) + 1)": (),
    "where(x < 0, sin(x), x*exp(-x))": (),
    "where(x >= 0, erf(x), x)": (),
    "where(x > 1, cos(x)*erf(x), 0)": (),
    "step(x - 12)": (),
    "abs(x - 20)": (),
    "where(x > 6, x**2, 0)": (),
    "step(x)*step(1 - x)*x*(1 - x)": (),
    # powers
    "(1 + x**2)**(1/3)": (),
    "(1 + x**2)**(-5/2)": (),
    "(x**2 + x + 1)**(3/2)": (),
    "abs(x)**(5/2)": (),
    "where(x > 1, (x - 1)**(5/2), 0)": (),
    "1/(1 + exp(x))**3": (),
    "1/sigmoid(x)": (),
    "1/(2 + sin(x))": (),
    "1/(1 + abs(x)) + 1/(2 + cos(3*x))**2": (),
    "x/(1/10 + x**2)": (),
    "sqrt(x**2 + 1/100000000)": NARROW,
    "1/(exp(x) + exp(-x))": (),
    "1/cosh(x)**2": (),
    "1/(softplus(x) + 1)": (),
    "(x + sqrt(1 + x**2))**3": (),
    "(1 + exp(x))**(1/2)": (),
    # logarithms and roots
    "log(2 + sin(x))": (),
    "log(cosh(x))": (),
    "log(1 + exp(x)) - softplus(x) + x**2": (),
    "log(sigmoid(x))": (),
    "log(softplus(x))": (),
    "log(1 + exp(x**2))": (),
    "log(1 + log(1 + x**2))": (),
    "sqrt(1 + sin(x)/2)": (),
    "sqrt(x**4 + 1)": (),
    "sqrt(exp(x))": (),
    "log(x**2 + 1/100)": (),
    "x*log(1 + x**2)/sqrt(1 + x**2)": (),
    # waves
    "sin(5*x)": (),
    "sin(x)**3*cos(2*x)": (),
    "x**2*sin(x + 1)*exp(x/2)": (),
    "abs(x)*cos(3*x)": (),
    "exp(cos(4*x))": (),
    "atan(sin(x))*cos(x)": (),
    "cos(pi*x)*exp(-x**2)": (),
    # tails
    "exp(x**2/5)": (),
    "exp(x**2/5 - x/2)*x**3": (),
    "x**2*exp(-x**4)": (),
    "exp(2*x) - exp(-2*x)": (),
    "exp(-exp(x))": (),
    "exp(-abs(x))": (),
    "x**9/1000 + tanh(x)": (),
    "exp(x)*erf(x)": (),
    "erf(x)*erf(x + 1)": (),
    "erf(x)*sin(x)": (),
    "sinh(x)*tanh(x)": (),
    "exp(x**2/10)*erf(x - 1)": (),
    "exp(x - softplus(x))": (),
    "tanh(x)/(1 + x**2) + sinh(x)/cosh(x)": (),
}

REFUSED = [
    "exp(x**2/4)", "exp(x**2/2)*sin(x)", "cosh(x**2/3)", "exp(x**3)", "exp(exp(x))", "exp(x**4 - x**2)",
    "exp(abs(x)**3)", "sinh(x)**2*exp(x**2/4)", "1/x", "1/sin(x)", "1/(x**2 - 2)", "x**(-1/2)", "1/(1 - cos(x))",
    "log(x)", "log(x**2)", "log(sin(x))", "log(abs(x))", "sqrt(x)", "sqrt(x**2 - 1)", "sqrt(sin(x))", "(x - 1)**(1/3)",
    "tan(x)", "tan(2*tanh(x))", "where(tan(x) > 1, 1, 0)", "where(log(x) > 0, 1, 0)", "abs(sin(x))", "step(cos(x))",
    "where(sin(x) > x/3, 1, 0)", "where(1/x > 1, x, 0)", "sign(log(x))", "log(-1 - x**2)", "sqrt(-1 - x**2)",
    "log(1 - tanh(x))", "1/(1 - tanh(x)**2)", "1/erfc(x)**3", "abs(x)**(-1/2)", "log(1 + x)", "log(erfc(x))",
    "1/(exp(x) + exp(2*x))", "1/(exp(x + 1) + exp(x))", "log(x + sin(x))", "sqrt(exp(x) - 1 - x)", "1/0*x", "0**(-1)",
    "abs(x**3 - 3*x + 1)", "abs(tanh(x) - 1/2)", "1/sigmoid(x - x**2/8)", "cosh(x**2/8)",
    "where(x > 1, 1/(x**3 - 3*x + 1), 0)", "1/(H94(x)**2 + x)",
]  # fmt: skip

NAMES = {
    **{name: getattr(np, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: getattr(np, name) for name in ("where", "abs", "sign", "pi", "e")},
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "erf": special.erf,
    "erfc": special.erfc,
    "sigmoid": special.expit,
    "softplus": lambda u: np.logaddexp(0, u),
    "step": lambda u: np.heaviside(u, 0.5),
}


def values_of(text: str, x: np.ndarray) -> np.ndarray:
    """Evaluate a formula as Python reads it."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of branches that where() leaves out
        return np.broadcast_to(eval(text, {"__builtins__": {}}, {**NAMES, "x": x}), x.shape)


def by_gauss_legendre(text: str, kinks: tuple[float, ...]) -> tuple[list[float], float]:
    """Return c_0, …, c_5 and E f² by ten nodes in each of many panels."""
    ends = np.unique([*np.arange(-26, 26 + 1 / 64, 1 / 32), *kinks])
    nodes, weights = np.polynomial.legendre.leggauss(10)
    half = np.diff(ends)[:, None] / 2
    x = (ends[:-1, None] + half * (1 + nodes)).ravel()
    mass = (half * weights).ravel() * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    values = values_of(text, x)
    hermite = [np.polynomial.hermite_e.hermeval(x, [0] * k + [1]) / math.factorial(k) for k in range(TOP + 1)]
    return [float(np.sum(mass * values * h)) for h in hermite], float(np.sum(mass * values**2))


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients", "second_moment")
@pytest.mark.parametrize("text", DEFINED)
def test_the_coefficients_are_those_of_another_quadrature(text):
    tree = parse(text)
    found, _ = coefficients_balls(tree, TOP, DIGITS)
    expected, square = by_gauss_legendre(text, DEFINED[text])
    assert float(second_moment_ball(tree, DIGITS)) == pytest.approx(square, rel=1e-10)
    for k, (ball, value) in enumerate(zip(found, expected, strict=True)):
        assert abs(float(ball) - value) <= 1e-11 * math.sqrt(square / math.factorial(k)), k


def steepest(text: str, reach: int, step: float) -> float:
    return float(np.max(np.abs(np.diff(values_of(text, np.arange(-reach, reach, step)))))) / step


@pytest.mark.parametrize("text", DEFINED)
def test_what_is_said_of_the_whole_line_is_seen_on_a_part_of_it(text):
    """No bound grows with the distance, and no slope with it or on a finer grid, as it does at a jump."""
    tree = parse(text)
    assert not (is_smooth(tree) and not is_lipschitz(tree))
    if is_bounded(tree):
        far, near = (np.max(np.abs(values_of(text, np.linspace(-reach, reach, 4001)))) for reach in (80, 12.5))
        assert far <= 1.5 * near
    if is_lipschitz(tree):
        assert steepest(text, 80, 0.001) <= 1.5 * steepest(text, 13, 0.01)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_shown_to_be_defined_is_refused(text):
    with pytest.raises(TheoryError):
        coefficients_balls(parse(text), TOP, DIGITS)

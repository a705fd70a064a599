"""Growth of functions, and refusals of those that are not real or not square-integrable."""

from __future__ import annotations

import mpmath
import pytest

from tests.helpers.formulas import NAMES, SMOOTH
from theorycalc.errors import DomainError, ExpressionError
from theorycalc.functions.bounds import check_real, growth
from theorycalc.functions.enclosures import ball_of
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import check_defined
from theorycalc.numbers.balls import ball_precision


@pytest.mark.parametrize(
    ("text", "degree", "linear", "quadratic"),
    [
        ("x**3", 3, 0, 0),
        ("x*tanh(x)", 1, 0, 0),
        ("exp(2*x)", 0, 2, 0),
        ("exp(-x**2/2)", 0, 0, -0.5),
        ("x*exp(x**2/5)", 1, 0, 0.2),
        ("cosh(x)**2", 0, 2, 0),
        ("sqrt(1 + x**2)", 1, 0, 0),
        ("exp(softplus(x))", 0, 1, 0),
        ("1/(1 + x**2)", -2, 0, 0),
        ("where(x > 1, 1/x, x**2)", 2, 0, 0),
        ("log(1 + x**2)", 1, 0, 0),
    ],
)
def test_growth(text, degree, linear, quadratic):
    assert [float(b) for b in growth(parse(text))] == pytest.approx([degree, linear, quadratic], abs=1e-9)


@pytest.mark.parametrize("text", [*SMOOTH, *NAMES, "exp(sqrt(1 + x**2))", "x/sigmoid(x)", "1/(2 + cos(x))"])
def test_growth_bounds_the_function(text):
    """|f|/bound does not grow between |x| = 20 and |x| = 60."""
    tree = parse(text)
    bound = growth(tree)
    context = mpmath.MPContext()
    context.dps = 30

    def ratio(x):
        with ball_precision(200):
            value = abs(ball_of(tree, ball_of(parse(str(x)))))
            shown = context.mpf(value.abs_upper().str(20, radius=False))
        size = abs(x)
        scale = (1 + context.mpf(size)) ** context.mpf(float(bound.degree))
        return (
            shown / scale / context.exp(float(bound.exponent_linear) * size + float(bound.exponent_quadratic) * size**2)
        )

    for side in (-1, 1):
        assert ratio(60 * side) <= 3 * max(ratio(20 * side), ratio(5 * side), context.mpf("1e-30"))


@pytest.mark.parametrize(
    "text", ["exp(x**2)", "exp(x**2/4)", "cosh(x)*exp(x**2/3)", "exp(x**3)", "exp(exp(x))", "exp(x*x*tanh(x))"]
)
def test_what_is_not_shown_to_be_square_integrable_is_refused(text):
    with pytest.raises(DomainError, match=r"square-integrable|grows too fast"):
        check_defined(parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x)", "log(x)", "1/x", "tan(x)", "1/(x**2 - 2)", "log(sin(x) + 1/2)", "x/x", "sqrt(x)**2", "(x**3)**(1/3)",
        "where(x > 0, 1/x, 0)", "where(x > -1, sqrt(x), 0)", "where(1/x > 0, 1, 0)", "where(log(x) > 0, 1, 0)",
        "sign(1/x)", "step(log(x))", "1/(exp(x) - 1)", "1/(1 - abs(x))", "log(abs(x))", "1/tanh(x)",
    ],
)  # fmt: skip
def test_what_is_not_shown_to_be_real_is_refused(text):
    with pytest.raises(ExpressionError, match="is not shown to be"):
        check_real(parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "1/(1 + x**2)", "log(1 + exp(x))", "log(x**2 + x + 1)", "sqrt(x**2)", "abs(x)**(1/2)", "tan(tanh(x))",
        "where(x > 0, sqrt(x), 0)", "where(abs(x) < 1, sqrt(1 - x**2), 0)", "where(x > 1, 1/x, x)", "1/(2 + sin(x))",
        "x/(1 + abs(x))", "1/cosh(x)", "log(2 + cos(x) + sin(3*x)/2)", "1/(x**4 + x + 1)", "(1 + exp(-x))**(-1/3)",
    ],
)  # fmt: skip
def test_what_is_real_is_accepted(text):
    check_real(parse(text))

"""Derivatives, pieces, parity, growth and refusals of trees."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb

from theorycalc.errors import DomainError, ExpressionError
from theorycalc.functions.algebra import expand, polynomial
from theorycalc.functions.bounds import check_real, growth
from theorycalc.functions.enclosures import WHOLE, Interval, ball_of, range_of
from theorycalc.functions.evaluate import compile_numpy, to_sympy
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import kinks_of, pieces
from theorycalc.functions.primitives import activation_names
from theorycalc.functions.properties import derivative, is_lipschitz, is_smooth, parity, parity_modulo_polynomial
from theorycalc.functions.tree import show
from theorycalc.hermite.coefficients import check_defined
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


@pytest.mark.parametrize("text", [*SMOOTH, "relu(x)**3", "abs(x - 1/7)**3", "where(x > 2, x**2, sin(x))"])
def test_derivative_is_the_limit_of_differences(text):
    tree = parse(text)
    slope = derivative(tree)
    step = Fraction(1, 10**25)
    for x in (Fraction(-13, 5), Fraction(-1, 3), Fraction(2, 7), Fraction(31, 10)):
        with ball_precision(300):
            difference = (exact_value(tree, x + step) - exact_value(tree, x - step)) * 10**25 / 2
            assert abs(difference - exact_value(slope, x)) < 1e-40


@pytest.mark.parametrize("text", SMOOTH)
def test_derivative_is_sympys(text):
    tree = parse(text)
    other = sympy.diff(to_sympy(tree), SYMBOL)
    for x in (-1.7, 0.3, 2.2):
        expected = float(other.evalf(20, subs={SYMBOL: sympy.Float(x, 20)}))
        assert float(compile_numpy(derivative(tree))(x)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", [*SMOOTH, *NAMES])
def test_numpy_sympy_and_balls_agree(text):
    tree = parse(text)
    function, symbolic = compile_numpy(tree), to_sympy(tree)
    assert symbolic.free_symbols <= {SYMBOL}
    for x in ("-2.25", "-0.5", "0.375", "4.5"):
        value = exact_value(tree, x)
        assert value.rel_accuracy_bits() > 100 or abs(value) < 1e-60
        assert float(function(float(x))) == pytest.approx(float(value.mid()), rel=1e-14, abs=1e-16)
        sampled = sympy.N(symbolic.subs(SYMBOL, sympy.Rational(x)), 30)
        assert float(sampled) == pytest.approx(float(value.mid()), rel=1e-14, abs=1e-16)


@pytest.mark.parametrize(
    "text", [*NAMES, "max(x, -x, 1)", "max(x**2 - 2, 0)", "relu(x/sqrt(2) - pi)", "hardswish(2*x)"]
)
def test_pieces_are_the_function_between_its_kinks(text):
    tree = parse(text)
    found = pieces(tree)
    assert found[0].low is None
    assert found[-1].high is None
    function = compile_numpy(tree)
    for piece, following in zip(found, [*found[1:], None], strict=True):
        assert following is None or piece.high == following.low
        assert not any(word in show(piece.tree) for word in ("where", "abs", "sign(", "step"))
    for x in np.linspace(-9.03, 9.01, 301):
        inside = [p for p in found if _end(p.low, -np.inf) < x < _end(p.high, np.inf)]
        assert len(inside) == 1
        expected = float(compile_numpy(inside[0].tree)(x))
        assert float(function(x)) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def _end(end, infinite):
    if end is None or isinstance(end, Fraction):
        return infinite if end is None else float(end)
    return float(compile_numpy(end)(0.0))


@pytest.mark.parametrize(
    ("text", "kinks"),
    [
        ("relu", ["0"]),
        ("relu6", ["0", "6"]),
        ("hardswish", ["-3", "3"]),
        ("tanh", []),
        ("max(x, -x, 1)", ["-1", "1"]),
        ("max(x**2 - 2, 0)", ["-sqrt(2)", "sqrt(2)"]),
        ("relu(x/sqrt(2) - pi)", ["pi*sqrt(2)"]),
        ("where(exp(x) > 2, 1, 0)", ["log(2)"]),
        ("where(x**3 - x > 0, x, 1)", ["-1", "0", "1"]),
        ("where(x**2 - x - 1 > 0, x, 1)", ["1/2 - sqrt(5)/2", "1/2 + sqrt(5)/2"]),
        ("sign(tanh(2*x - 1))", ["1/2"]),
        ("max(x**2 + 1, 0)", []),
        ("max(x**4 + x + 1, 0)", []),
        ("where(x*(x + 1)*exp(x) > 0, 0, 1)", ["-1", "0"]),
        ("abs(x)*0 + abs(x - 1)", ["1"]),
    ],
)
def test_kinks_are_exact(text, kinks):
    found = kinks_of(parse(text))
    expected = [parse(kink) for kink in kinks]
    assert [parse(str(k)) if isinstance(k, Fraction) else k for k in found] == expected


@pytest.mark.parametrize("text", ["abs(sin(x))", "max(x**3 + x + 1, 0)", "where(exp(x) > x + 2, 1, 0)", "sign(H7)"])
def test_kinks_that_cannot_be_found_exactly_are_refused(text):
    with pytest.raises(ExpressionError, match="cannot be found exactly"):
        pieces(parse(text))


PARITIES = {
    "tanh": "odd", "sin(x)*abs(x)": "odd", "x**3 - x": "odd", "softsign": "odd", "hardshrink": "odd", "H7": "odd",
    "2*sigmoid(x) - 1": "odd", "erfc(x) - 1": "odd", "softplus(x) - softplus(-x)": "odd", "step(x) - 1/2": "odd",
    "cos(3*x)": "even", "gaussian": "even", "abs(x)**3": "even", "x*erf(x)": "even", "H8": "even",
    "softplus(x) - x/2": "even", "max(x, -x, 1)": "even", "exp(x) + exp(-x)": "even", "1": "even",
    "relu(x) + relu(-x)": "even", "hardtanh(-2, 2)": "odd", "log(1 + x**2)*atan(x)": "odd",
    "relu": None, "tanh(x + 1)": None, "exp": None, "hardtanh(-1, 2)": None, "tanh(x) + cos(x)": None,
    "relu6": None, "sigmoid": None,
}  # fmt: skip


@pytest.mark.parametrize("text", PARITIES)
def test_parity(text):
    assert parity(parse(text)) == PARITIES[text]


POLYNOMIALS = {
    "relu": ("even", [0, Fraction(1, 2)]),
    "leaky_relu(0.1)": ("even", [0, Fraction(11, 20)]),
    "gelu": ("even", [0, Fraction(1, 2)]),
    "gelu_tanh": ("even", [0, Fraction(1, 2)]),
    "silu": ("even", [0, Fraction(1, 2)]),
    "hardswish": ("even", [0, Fraction(1, 2)]),
    "softplus": ("even", [0, Fraction(1, 2)]),
    "softplus(beta=3)": ("even", [0, Fraction(1, 2)]),
    "logsigmoid": ("even", [0, Fraction(1, 2)]),
    "sigmoid": ("odd", [Fraction(1, 2)]),
    "hardsigmoid": ("odd", [Fraction(1, 2)]),
    "step": ("odd", [Fraction(1, 2)]),
    "relu(x)**2": ("odd", [0, 0, Fraction(1, 2)]),
    "tanh": ("odd", [0]),
    "cos": ("even", [0]),
    "erf(x) + x**4": ("odd", [0, 0, 0, 0, 1]),
    "elu": None,
    "mish": None,
    "relu6": None,
    "relu(x - 1)": None,
    "tanh(x) + cos(x)": None,
    "leaky_relu(x + 1)": None,
}


@pytest.mark.parametrize("text", POLYNOMIALS)
def test_parity_modulo_polynomial(text):
    assert parity_modulo_polynomial(parse(text)) == POLYNOMIALS[text]


@pytest.mark.parametrize("text", [*NAMES, *(t for t in POLYNOMIALS if POLYNOMIALS[t]), "leaky_relu(1/sqrt(2))"])
def test_parity_is_true_in_numbers(text):
    """What is claimed of the structure holds at points: a wrong claim would make a wrong exact zero."""
    found = parity_modulo_polynomial(parse(text))
    if found is None:
        return
    name, coefficients = found
    x = np.linspace(0.013, 7.9, 97)
    constants = [float(c) if isinstance(c, Fraction) else float(compile_numpy(c)(0.0)) for c in coefficients]
    function = compile_numpy(parse(text))
    right = function(x) - np.polynomial.polynomial.polyval(x, constants)
    left = function(-x) - np.polynomial.polynomial.polyval(-x, constants)
    np.testing.assert_allclose(left, right if name == "even" else -right, rtol=1e-9, atol=1e-9)


def test_irrational_slopes_are_exact_too():
    name, (constant, slope) = parity_modulo_polynomial(parse("leaky_relu(1/sqrt(2))"))
    assert (name, constant) == ("even", 0)
    assert slope == parse("1/2 + sqrt(2)/4")


def test_polynomial():
    assert polynomial(parse("(x - 1)**2/4 + x")) == [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    assert polynomial(parse("sqrt(2)*x")) is None
    assert polynomial(parse("x*tanh(x)")) is None
    assert polynomial(parse("(x + 1)**100*(x - 1)**100"))[::2] == polynomial(parse("(x**2 - 1)**100"))[::2]
    assert polynomial(parse("0*x")) == [0]


def test_expand_keeps_the_value():
    tree = parse("(x + sin(x) + 1)**3*(exp(x) - x)")
    for x in (-1.2, 0.7):
        assert float(compile_numpy(expand(tree))(x)) == pytest.approx(float(compile_numpy(tree)(x)), rel=1e-13)


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


def test_ranges_contain_the_values():
    rng = np.random.default_rng(5)
    for text in [*SMOOTH, *NAMES]:
        tree = parse(text)
        function = compile_numpy(tree)
        for _ in range(10):
            low, high = np.sort(rng.normal(0, 3, 2))
            found = range_of(tree, Interval(arb(low), arb(high)))
            values = function(np.linspace(low, high, 50))
            assert found.low <= values.min() + 1e-12 * abs(values.min())
            assert found.high >= values.max() - 1e-12 * abs(values.max())


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("log(x)", -2, -1), ("log(x)", -1, 0), ("tan(x)", -2, 1), ("tan(x)", 1, 4), ("sqrt(x)", -1, 4)],
)
def test_a_range_is_the_whole_line_where_the_function_may_be_undefined(text, low, high):
    assert range_of(parse(text), Interval(arb(low), arb(high))) == WHOLE


def test_a_range_begins_at_the_limit_of_the_domain():
    values = range_of(parse("log(x)"), Interval(arb(0), arb(1)))
    assert (values.low, values.high) == (WHOLE.low, 0)


def test_smoothness():
    assert [is_smooth(parse(t)) for t in ("relu", "tanh", "gelu", "elu", "sign", "x**2")] == [True] * 4 + [False] * 2
    assert [is_lipschitz(parse(t)) for t in ("softsign", "hardswish", "step", "H2", "exp")] == [
        True,
        True,
        False,
        False,
        None,
    ]

"""Texts of several directions: how they are read, their Hermite series, their kinks."""

from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorycalc.errors import ExpressionError
from theorycalc.functions.directions import Plane, components, hermite_series, kink_planes, parse_teacher
from theorycalc.functions.evaluate import compile_numpy, to_sympy
from theorycalc.functions.grammar import parse
from theorycalc.functions.tree import Rational


def values(text, points):
    return compile_numpy(parse_teacher(text).tree, axes=1)(np.array(points, dtype=float))


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("t1 + t1*t2 + H2(t2)/2", lambda a, b: a + a * b + (b**2 - 1) / 2),
        ("tanh(t1 + t2)", lambda a, b: np.tanh(a + b)),
        ("where(t1 > 0, t2, 0)", lambda a, b: np.where(a > 0, b, 0)),
        ("leaky_relu(t1 - t2, 0.1)", lambda a, b: np.where(a > b, a - b, (a - b) / 10)),
        ("max(t1, t2, 1)", lambda a, b: np.maximum(np.maximum(a, b), 1)),
        ("(t1 + 2*t2)^2/3 - 7", lambda a, b: (a + 2 * b) ** 2 / 3 - 7),
        ("gelu(t2, approximate=tanh) - gelu(t2, approximate=tanh) + t1", lambda a, b: a),
    ],
)
def test_values_are_those_of_numpy(text, formula):
    points = np.random.default_rng(0).standard_normal((7, 3, 2))
    assert values(text, points) == pytest.approx(formula(points[..., 0], points[..., 1]), abs=1e-12)


def test_one_direction_is_x():
    assert parse_teacher("t1 + t1**2") == (parse("x + x**2"), 1)
    assert parse_teacher("x + x**2") == (parse("x + x**2"), 1)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("t1 + x", 5, "do not mix"),
        ("t1 + H2", 5, "a name alone is a function of x"),
        ("t1 + relu", 5, "a name alone is a function of x"),
        ("t2*leaky_relu(0.1) + t1", 3, "a name alone is a function of x"),
        ("t1 + tanh(x)", 10, "do not mix"),
        ("t1 + t5", 5, "at most 4"),
        ("t0", 0, "at most 4"),
        ("t1 + t01", 5, "at most 4"),
        ("t1 + t3", 5, "t3 without t2"),
        ("t2", 0, "t2 without t1"),
        ("2t1 + t2", 1, "write 2*t1"),
        ("t1(t2)", 2, "write t1*(…)"),
        ("t1 t2", 3, "write t1*t2"),
        ("t1 + tt2", 5, "'tt2' is not known"),
        ("t1**t2", 2, "an exponent must be a rational number"),
        ("1/(t1*t2 - t1*t2)", 1, "division by zero"),
        ("t1/t2 - t1/t2", 0, "cancels a part"),
        ("leaky_relu(t1, t2)", 0, "must not depend on x"),
        ("__import__(t1)", 0, "not known"),
        ("t1 + lambda: t2", 11, "not understood"),
        ("t" * 3000, None, "characters"),
        ("t1+" * 1500 + "t2", None, "characters"),
        ("(" * 60 + "t1+t2" + ")" * 60, None, "nested"),
        ("t1**99**99 + t2", None, "exponent"),
        ("H99(t1*t2 + t1 + t2**2 + tanh(t1) + cos(t2*t1) + sin(t1) + exp(t2) + t1**7)", None, "too large"),
    ],
)
def test_refusals_point_at_their_column(text, column, words):
    with pytest.raises(ExpressionError) as refusal:
        parse_teacher(text)
    message = str(refusal.value)
    assert words in message
    if column is not None:
        *_, caret = message.splitlines()
        assert caret.index("^") == column + 2


@pytest.mark.parametrize("text", ["t1", "relu(t1)", "x + t2"])
def test_a_function_of_x_has_no_directions(text):
    with pytest.raises(ExpressionError, match="is a direction, which a teacher of several has"):
        parse(text)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(-5, 5)), min_size=1, max_size=5))
def test_the_series_is_the_polynomial(terms):
    text = " + ".join(f"({c})*t1**{p}*t2**{q}" for p, q, c in terms) + " + 0*t1*t2"
    series = hermite_series(parse_teacher(text).tree, 2)
    t = np.array([[0.3, -1.2], [2.0, 0.7]])
    one = [np.polynomial.hermite_e.hermeval(t, [0] * k + [1]) for k in range(9)]
    sums = sum((float(b.value) * one[i][:, 0] * one[j][:, 1] for (i, j), b in series.items()), np.zeros(2))
    assert sums == pytest.approx(sum(c * t[:, 0] ** p * t[:, 1] ** q for p, q, c in terms), rel=1e-9, abs=1e-9)


def test_a_series_by_hand():
    tree = parse_teacher("t1**2*t2 + 3*t2 + 1").tree
    assert hermite_series(tree, 2) == {
        (2, 1): Rational(Fraction(1)),
        (0, 1): Rational(Fraction(4)),
        (0, 0): Rational(Fraction(1)),
    }
    assert hermite_series(parse_teacher("tanh(t1) + t2").tree, 2) is None
    assert hermite_series(parse_teacher("(t1 + t2)**61").tree, 2) is None


def test_parseval_of_a_series():
    series = hermite_series(parse_teacher("(t1 + 2*t2 - t3)**3 + t1*t2").tree, 3)
    energy = sum(prod(map(factorial, powers)) * b.value**2 for powers, b in series.items())
    x, w = np.polynomial.hermite_e.hermegauss(6)
    points = np.array(list(product(x, repeat=3)))
    weights = np.prod(np.array(list(product(w, repeat=3))), axis=1) / (2 * np.pi) ** 1.5
    g = (points @ [1, 2, -1]) ** 3 + points[:, 0] * points[:, 1]
    assert float(energy) == pytest.approx(weights @ g**2, rel=1e-12)


def test_planes_of_kinks():
    def of(text):
        tree, directions = parse_teacher(text)
        return kink_planes(tree, directions)

    assert of("relu(t1 - 2*t2) + abs(t2 - 1)") == ((Plane((1, -2), 0), Plane((0, 1), -1)), True)
    assert [plane.offset for plane in of("relu(t1**2 - 4)*t2")[0]] == pytest.approx([2, -2], rel=1e-14)
    assert of("abs(t1*t2)") == ((Plane((1, 0), 0), Plane((0, 1), 0)), True)
    assert set(of("max(t1, t2, t3)")[0]) == {Plane((1, -1, 0), 0), Plane((-1, 0, 1), 0), Plane((0, -1, 1), 0)}
    assert of("where(t1**2 + t2**2 > 1, t1, 0)") == ((), False)
    assert of("relu(tanh(t1) - t2)") == ((), False)
    assert of("where(t1**2 + 1 > 0, t2, t1)") == ((), True)
    assert of("tanh(t1*t2)") == ((), True)


def test_a_sum_falls_into_components():
    found = components(parse_teacher("t1*t3 + relu(t2) + 5 + cos(t4)*t3").tree)
    assert [(str(part), at) for part, at in found] == [
        ("5 + cos(t3)*t2 + t1*t2", (1, 3, 4)),
        ("where(t1 > 0, t1, 0)", (2,)),
    ]


def test_symbols():
    assert str(to_sympy(parse_teacher("t1*t2 + sqrt(2)").tree)) == "t_1*t_2 + sqrt(2)"

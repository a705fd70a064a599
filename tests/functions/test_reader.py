"""Errors of the reader point at their column."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.errors import DomainError, ExpressionError
from theorycalc.functions.grammar import parse, parse_activation


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("tanh(x) + rellu(x)", "did you mean 'relu'", 10),
        ("1 + 1/0", "division by zero", 5),
        ("x**1000", "exponent", 1),
        ("(x + 1", "')' is missing", 6),
        ("2x", "write 2*x", 1),
        ("2 x", "write 2*x", 2),
        ("3tanh(x)", "write 3*tanh", 1),
        ("2(x + 1)", "write 2*(…)", 1),
        ("x(1 + x)", "write x*(…)", 1),
        ("pi x", "write pi*x", 3),
        ("(x + 1)(x + 2)", "write (…)*(…)", 7),
        ("(x + 1)x", "write (…)*x", 7),
        ("tanh(2x)", "write 2*x", 6),
        ("1 + (3x)", "write 3*x", 6),
        ("where(2x > 0, x, 1)", "write 2*x", 7),
        ("tanh x", "write tanh(x)", 5),
        ("x 2", "write x*2", 2),
        ("x if x", "operator missing", 2),
        ("1 000*x", "operator missing", 2),
        ("x + $", "not understood", 4),
        ("x < 1", "allowed only inside where", 2),
        ("0*log(x)", "not defined for all x", 0),
        ("1/(pi - pi)", "division by zero", 1),
        ("1/sin(pi)", "may be zero", 1),
        ("sqrt(-2)", "negative", 0),
        ("x + relu(3)", "relu has no parameter, and relu(3) is a constant; write relu(3*x) or 3*relu(x)", 4),
        ("gelu(1/2)", "write gelu((1/2)*x) or (1/2)*gelu(x)", 0),
        ("relu(1, 2)", "relu takes x alone; it has no parameter", 0),
        ("elu(1, 2)", "elu takes x and alpha, no more", 0),
        ("swish(1, 2, 3)", "silu takes x and beta, no more", 0),
        ("hardtanh(-2)", "hardtanh(a) ends at -a and a, so a must be positive", 0),
        ("hardtanh(1, 2, 3)", "hardtanh takes x and min_val and max_val, no more", 0),
        ("threshold(1)", "threshold needs value=", 0),
        ("elu(x - x)", "x cancels here, and a constant remains", 4),
        ("elu(x, relu - relu)", "x cancels here, and a constant remains", 7),
        ("celu(0)", "celu: division by zero", 0),
        ("elu(x, beta=2)", "no parameter 'beta'", 0),
        ("softplus(x, betta=2)", "did you mean 'beta'", 0),
        ("x**x", "exponent must be", 1),
        ("log(0)", "log of", 0),
    ],
)
def test_errors_point_at_the_column(text, message, column):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    first, shown, caret = str(caught.value).splitlines()
    assert message in first
    assert shown == "  " + text
    assert caret == " " * (2 + column) + "^"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("tanh(2)", "tanh has no parameter, and tanh(2) is a constant; write tanh(2*x) or 2*tanh(x)", 0),
        ("  sin(0.5)", "write sin(0.5*x) or 0.5*sin(x)", 2),
        ("3", "this is a constant; an activation is a function of x", 0),
        ("pi*tanh(1)", "this is a constant", 0),
        ("x - x", "this is a constant", 0),
        ("H3(2)", "H3 has no parameter, and H3(2) is a constant", 0),
    ],
)
def test_an_activation_that_is_a_constant_is_refused_at_its_column(text, message, column):
    for read in (parse_activation, tc.activation, lambda text: tc.Problem(text, "H1", 1, 1, 1)):
        with pytest.raises(ExpressionError) as caught:
            read(text)
        first, shown, caret = str(caught.value).splitlines()
        assert message in first
        assert shown == "  " + text
        assert caret == " " * (2 + column) + "^"


def test_what_is_not_text_is_refused():
    with pytest.raises(DomainError, match="is text"):
        parse(3)

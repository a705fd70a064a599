"""Hermite coefficients of every activation and of drawn expressions (theory section 2)."""

from __future__ import annotations

import functools

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import invariant
from tests.properties.drawing import EVEN_NAMES, NAMES, expressions
from theorycalc.balls import ball_precision
from theorycalc.expressions.grammar import parse
from theorycalc.expressions.parity import parity
from theorycalc.hermite.coefficients import coefficients_balls, second_moment_ball, variance_rest_ball

TEXTS = st.one_of(st.sampled_from([*NAMES, *EVEN_NAMES]), expressions())
TOP, DIGITS = 16, 20


@functools.cache
def known(text):
    """Return c_0, …, c_16 as proven balls."""
    found, guarantee = coefficients_balls(parse(text), TOP, DIGITS)
    assert guarantee == "enclosed", text
    return found


@pytest.mark.checks("H")
@invariant("Parseval", share=0.5)
@given(text=TEXTS)
def test_parseval(text):
    """Σ k! c_k² grows towards E σ(Z)², and is c_0² + c_1² + c_{>1}² in full."""
    tree = parse(text)
    with ball_precision(160):
        total = sum((arb(k).fac() * c * c for k, c in enumerate(known(text))), arb(0))
        whole = second_moment_ball(tree, DIGITS)
        assert not total > whole
        parts = known(text)[0] ** 2 + known(text)[1] ** 2 + variance_rest_ball(tree, DIGITS)
        assert (whole - parts).contains(0)
        assert (whole - parts).rad() < whole * arb(10) ** -15


@invariant("parity zeros", share=0.5)
@given(text=TEXTS)
def test_parity_zeros(text):
    """An odd function has no even c_k and an even one no odd; and σ(−x) has c_k times (−1)^k."""
    kind = parity(parse(text))
    wrong = {"odd": 0, "even": 1}.get(kind)
    mirrored = known(f"{mirror(text)}")
    for k, (c, other) in enumerate(zip(known(text), mirrored, strict=True)):
        if k % 2 == wrong:
            assert c == 0
        with ball_precision(160):
            assert (other - (-1) ** k * c).contains(0)


def mirror(text):
    """Return the text of σ(−x): x stands for itself in expressions, and a name takes it as its argument."""
    if "x" in text.replace("exp", "").replace("max_val", ""):
        return text.replace("*x", "*(-x)").replace("+ x/3", "- x/3")
    name, _, parameters = text.partition("(")
    return f"{name}(-x, {parameters}" if parameters else f"{name}(-x)"

"""Hermite coefficients of every activation and of drawn expressions.

See docs/theory/hermite.md#coefficients-of-a-function.

What is asked of them is computed here by another quadrature: the formula at nodes of Gauss and Legendre in float64.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from math import factorial, sqrt
from typing import NamedTuple

import numpy as np
import pytest
import sympy as sp
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.properties import BALLS, FLOATS, SYMPY, invariant
from tests.properties.drawing import EVEN_NAMES, NAMES, SMALL, each, expressions
from theorycalc.functions.enclosures import compiled
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import pieces
from theorycalc.functions.properties import parity
from theorycalc.hermite.coefficients import (
    coefficients_balls,
    has_closed_form,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.numbers.balls import ball, ball_precision

ALL_NAMES = (*NAMES, *EVEN_NAMES)
TOP, TOP_EXACT, DIGITS = 16, 8, 20
END, NODES = 40, 16  # e^{2x+1} and the like are gone there, times the Gaussian
#: Of f, and of Σ c_k H_k by the recurrence, beside the sum of their absolute terms: what float64 may be wrong by.
ROUNDING = 32 * np.finfo(float).eps


@functools.cache
def known(text):
    """Return c_0, …, c_16 as proven balls."""
    found, guarantee = coefficients_balls(parse(text), TOP, DIGITS)
    assert guarantee == "enclosed", text
    return found


def coefficients_in(system, text):
    """Return the c_k of a system as balls, or None where it has none: there is not always a closed form."""
    if system == BALLS:
        return known(text)
    if system == FLOATS:
        return [arb(c) for c in tc.coefficients(text, TOP).tolist()]
    if not has_closed_form(parse(text)):
        return None
    try:
        with ball_precision(160):
            return [ball(c) for c in tc.coefficients(text, TOP_EXACT, exact=True)]
    except tc.DomainError:  # of a wave that ends at a kink: closed in balls, not in what a reader calls closed
        return None


class Sampled(NamedTuple):
    """Values at nodes, whose weights are those of the Gaussian, and H_k/√k! there."""

    values: np.ndarray
    weights: np.ndarray
    hermite: np.ndarray


@functools.lru_cache(maxsize=128)
def sampled(text, width):
    """Take panels of at most ``width``, which end at the kinks."""
    tree = parse(text)
    kinks = [float(compiled(p.low)(arb(0)).mid()) for p in pieces(tree) if p.low is not None]
    ends = np.unique([*np.arange(-END, END + width / 2, width), *kinks])
    t, w = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(ends)[:, None] / 2
    x = (ends[:-1, None] + half * (1 + t)).ravel()
    weights = (half * w).ravel() * np.exp(-(x**2) / 2) / sqrt(2 * np.pi)
    hermite = [np.ones_like(x), x]
    for k in range(1, TOP):
        hermite.append((x * hermite[k] - sqrt(k) * hermite[k - 1]) / sqrt(k + 1))
    return Sampled(compile_numpy(tree)(x), weights, np.array(hermite))


def parts_of(text, c, width):
    """Return E f², E(f − Σ c_kH_k)², E[(f − Σ c_kH_k)H_k]/√k!, and what rounding may do to the latter."""
    at = sampled(text, width)
    scaled = np.array([float(value) * sqrt(factorial(k)) for k, value in enumerate(c)])
    basis = at.hermite[: len(c)]
    rest = at.values - scaled @ basis
    size = sqrt(at.weights @ (np.abs(at.values) + np.abs(scaled) @ np.abs(basis)) ** 2)
    return np.array([at.weights @ at.values**2, at.weights @ rest**2]), basis @ (at.weights * rest), ROUNDING * size


def not_parseval(text, c):
    """Yield in words what of Parseval the numbers c do not have.

    That what is left is orthogonal to each H_k says that none is missing; the squares say that none counts twice.
    """
    (squares, shadows, rounding), (coarse, coarse_shadows, _) = (parts_of(text, c, width) for width in (1 / 8, 1 / 4))
    explained = sum(factorial(k) * float(value) ** 2 for k, value in enumerate(c))
    size = rounding / ROUNDING
    allowed = np.abs(squares - coarse).sum() + 2 * rounding * size
    if not abs(squares[1] - (squares[0] - explained)) <= allowed:
        yield f"E(f − Σ)² is {squares[1]}, and E f² − Σ k!c_k² is {squares[0] - explained}"
    for k, (shadow, other) in enumerate(zip(shadows, coarse_shadows, strict=True)):
        if not abs(shadow) <= abs(shadow - other) + rounding:
            yield f"c_{k}: what is left has {shadow} of H_{k}/√{k}!"


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients")
@invariant("Parseval", share=0.5)
@each("text", ALL_NAMES)
@given(text=expressions())
def test_parseval(system, text):
    c = coefficients_in(system, text)
    if c is not None:
        assert not list(not_parseval(text, c))


@pytest.mark.parametrize("text", ["relu", "elu(alpha=2)", "tanh(2*x + 1)", "erf"])
@pytest.mark.parametrize("factor", [Fraction(0), Fraction(1, 2), Fraction(10**9 - 1, 10**9)])
def test_parseval_is_not_blind(text, factor):
    """It notices each c_k that is missing, halved or wrong by a billionth, where that is above 1e-11 of √(E f²/k!)."""
    plain = [float(c) for c in known(text)]
    assert not list(not_parseval(text, plain))
    scale = sqrt(float(second_moment_ball(parse(text), DIGITS)))
    for k, c in enumerate(plain):
        if abs(c) * sqrt(factorial(k)) * float(1 - factor) > 1e-11 * scale:
            assert list(not_parseval(text, [*plain[:k], float(factor) * c, *plain[k + 1 :]])), k


@pytest.mark.slow
@pytest.mark.checks("second_moment", "variance_rest")
@invariant("E f² and c_{>1}² are those of another quadrature", share=0.5)
@each("text", ALL_NAMES)
@given(text=expressions())
def test_second_moments(text):
    tree = parse(text)
    c = [float(value) for value in known(text)]
    linear = parts_of(text, c[:2], 1 / 8)
    coarse = parts_of(text, c[:2], 1 / 4)[0]
    allowed = np.abs(linear[0] - coarse) + 2 * linear[2] ** 2 / ROUNDING
    found = [float(second_moment_ball(tree, DIGITS)), float(variance_rest_ball(tree, DIGITS))]
    assert np.all(np.abs(linear[0] - found) <= allowed)


@pytest.mark.checks("hermite_coefficients", "second_moment", "variance_rest")
@invariant("Parseval of polynomials, exactly", share=0.5)
@given(coefficients=st.lists(SMALL, min_size=2, max_size=9).filter(lambda c: any(c[1:])))
def test_parseval_of_polynomials(system, coefficients):
    """Σ k! c_k² is E p², and from k = 2 on c_{>1}²: both from E Z^{2j} = (2j − 1)!!."""
    text = " + ".join(f"({value})*x**{j}" for j, value in enumerate(coefficients))
    top = len(coefficients) - 1
    if system == SYMPY:
        c = tc.coefficients(text, top, exact=True)
        assert sum(factorial(k) * value**2 for k, value in enumerate(c)) == sp.Rational(*_square(coefficients))
        return
    found, _ = coefficients_balls(parse(text), top, DIGITS)
    with ball_precision(160):
        parts = [arb(factorial(k)) * c * c for k, c in enumerate(found)]
        ratio = arb(_square(coefficients)[0]) / _square(coefficients)[1]
        whole = second_moment_ball(parse(text), DIGITS)
        for sum_of_parts, expected in ((sum(parts, arb(0)), ratio), (whole, ratio)):
            assert abs(sum_of_parts - expected) <= ratio * arb(10) ** (1 - DIGITS)
        rest = variance_rest_ball(parse(text), DIGITS)
        assert abs(sum(parts[2:], arb(0)) - rest) <= rest * arb(10) ** (1 - DIGITS)


def _square(coefficients):
    """Return E p² as a fraction's numerator and denominator."""
    total = Fraction(0)
    for i, a in enumerate(coefficients):
        for j, b in enumerate(coefficients):
            if (i + j) % 2 == 0:
                half = (i + j) // 2
                total += a * b * Fraction(factorial(i + j), 2**half * factorial(half))
    return total.numerator, total.denominator


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients")
@invariant("parity zeros", share=0.5)
@each("text", ALL_NAMES)
@given(text=expressions())
def test_parity_zeros(system, text):
    """An odd function has no even c_k and an even one no odd; and σ(−x) has c_k times (−1)^k."""
    found, mirrored = (coefficients_in(system, which) for which in (text, mirror(text)))
    if found is None or mirrored is None:
        assert found is mirrored
        return
    wrong = {"odd": 0, "even": 1}.get(parity(parse(text)))
    for k, (c, other) in enumerate(zip(found, mirrored, strict=True)):
        if k % 2 == wrong:
            assert c == 0
        with ball_precision(160):
            difference = other - (-1) ** k * c
            if system == FLOATS:  # the nearest floats to one number, by two enclosures
                assert abs(difference) <= np.spacing(abs(float(c)))
            else:
                assert difference.contains(0)


def mirror(text):
    """Return the text of σ(−x): x stands for itself in expressions, and a name takes it as its argument."""
    if "x" in text.replace("exp", "").replace("max_val", ""):
        return text.replace("*x", "*(-x)").replace("+ x/3", "- x/3")
    name, _, parameters = text.partition("(")
    return f"{name}(-x, {parameters}" if parameters else f"{name}(-x)"


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients")
@invariant("c_k: float64 and exact are the proven ones", share=0.5)
@each("text", ALL_NAMES)
@given(text=expressions())
def test_coefficients_of_every_kind_are_the_proven_ones(system, text):
    found = coefficients_in(system, text)
    if found is None:
        return
    for c, proven in zip(found, known(text), strict=False):
        with ball_precision(160):
            if (
                system == FLOATS
            ):  # a zero that structure does not show, such as c_0 of silu(x − 1/2), is a ball around 0
                assert proven.contains(c) or abs(c - proven) <= np.spacing(abs(float(proven)))
            else:
                assert (c - proven).contains(0)

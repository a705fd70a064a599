"""Finite steps and literal limits beside the stairs and the windows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, artist
from theorycalc import plots


def test_finite_steps_and_literal_limits_stand_beside_the_stairs():
    stairs = tc.staircase(PROBLEM, 4)
    curve = tc.step(PROBLEM, n=300, alpha=[0.42, 0.05, 0.3])
    figure = stairs.plot(step=curve, literal=stairs)
    for name in ("test_gain", "train_gain"):
        line = artist(figure, f"{name}:n=300")
        np.testing.assert_array_equal(line.get_ydata(), getattr(curve, name)[[1, 2, 0]])
        places = np.asarray(line.get_xdata())
        assert [tc.window(a) for a in ("0.05", "0.3", "0.42")] == list(np.round(places))
        dashed = artist(figure, f"{name}:literal")
        assert list(dashed.get_ydata()) == [getattr(p, name) for p in stairs.predictions]
        assert dashed.is_dashed()
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["limit of literal networks", r"$n$ = 300"]


def test_limits_of_literal_networks_differ_from_the_theorems_by_their_dashes():
    """Both gains of both theories have their own line, and the legend's is in the colour of neither gain."""
    stairs = tc.staircase(PROBLEM, 3)
    figure = stairs.plot(literal=tc.staircase(PROBLEM, 3, network="literal"))
    for name in ("test_gain", "train_gain"):
        theorem, literal = artist(figure, name), artist(figure, f"{name}:literal")
        assert theorem.get_color() == literal.get_color()
        assert theorem._dash_pattern != literal._dash_pattern
        assert artist(figure, f"{name}:ceiling")._dash_pattern != literal._dash_pattern
    key = figure.legends[0].get_lines()[0]
    assert key.get_color() not in {artist(figure, name).get_color() for name in ("test_gain", "train_gain")}
    assert key._unscaled_dash_pattern == artist(figure, "test_gain:literal")._unscaled_dash_pattern


def test_finite_steps_and_literal_limits_stand_beside_the_windows():
    stairs = tc.staircase(PROBLEM, 2)
    curves = [tc.step(PROBLEM, n=n, eta=[0, 1, 3, 2]) for n in (100, 300)]
    figure = plots.gain_against_alpha(PROBLEM, steps=curves, literal=stairs)
    line = artist(figure, "test_gain:n=300")
    np.testing.assert_allclose(line.get_xdata(), np.log([1, 2, 3]) / np.log(300))  # η = 0 is n^−∞
    np.testing.assert_array_equal(line.get_ydata(), curves[1].test_gain[[1, 3, 2]])
    dashed = artist(figure, "test_gain:literal")
    assert dashed.is_dashed()
    heights = np.reshape(dashed.get_ydata(), (-1, 3))[:, 0]
    assert list(heights) == [p.test_gain for p in stairs.predictions[1:]]
    assert dashed.get_label() == "limit of literal networks"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tc.staircase(PROBLEM, 1).plot(step=3), "a curve is a FiniteStep, as step() returns, not int"),
        (
            lambda: tc.staircase(PROBLEM, 1).plot(step=tc.step(PROBLEM, n=100, alpha=0.1)),
            "a curve over α needs a FiniteStep of a list of steps, at one ridge",
        ),
        (
            lambda: tc.staircase(PROBLEM, 1).plot(step=tc.step(PROBLEM, n=100, alpha=[0.1, 0.2], ridge=1)),
            "the limits and the finite step describe different problems: ridge is 0.1 and 1",
        ),
        (
            lambda: tc.staircase(PROBLEM, 1).plot(literal=3),
            "literal must be a Staircase, as tc.staircase(problem, network='literal') returns, not int",
        ),
        (
            lambda: tc.staircase(PROBLEM, 1).plot(literal=tc.staircase(tc.Problem("relu", "H1", 1, 1, 1), 1)),
            "the limits of literal networks belong to another problem",
        ),
        (lambda: plots.gain_against_alpha(PROBLEM, literal="stairs"), "literal must be a Staircase"),
        (
            lambda: plots.gain_against_alpha(PROBLEM, n=100, steps=tc.step(PROBLEM, n=100, alpha=ALPHAS)),
            "give n, whose curves are computed, or steps, which are drawn as they are, not both",
        ),
        (lambda: plots.gain_against_alpha(PROBLEM, steps=[]), "steps has 0 curves"),
        (
            lambda: plots.gain_against_alpha(
                PROBLEM, steps=tc.step(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=100, alpha=ALPHAS)
            ),
            "the limits and the finite step describe different problems: activation is",
        ),
        (
            lambda: plots.gain_against_alpha(
                tc.Problem("tanh", "H1", 1, 1, "1/10"),
                steps=tc.step(tc.Problem("tanh", "H1", 1, 1, "1/10"), n=1, eta=[1, 2]),
            ),
            "the finite step has n = 1: a step has an exponent α for n ≥ 2 only",
        ),
    ],
)
def test_what_cannot_stand_beside_is_refused(call, message):
    with pytest.raises(tc.ArgumentError, match=re.escape(message)):
        call()

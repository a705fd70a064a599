"""Options that go together, and options that a theory does not know."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.supported import (
    UNKNOWN,
    check_steps_of_inputs,
    check_supported,
    fidelity,
    option_words,
    unit_step,
)


def problem(**options: object) -> tc.Problem:
    return tc.Problem("relu", "H1 + H2/2 + 1", "1/2", "2/3", "1/10", **options)


@pytest.mark.parametrize(
    ("options", "argument", "words"),
    [
        ({"centred_labels": False}, "centred_labels", "need a constant in the fit"),
        ({"corrupt_fit": "11/10"}, "corrupt_fit", "must not be more than 1"),
        ({"flip_step": -1}, "flip_step", "must not be negative"),
        ({"first_scale": 0}, "first_scale", "must be positive"),
        ({"intercept": 1}, "intercept", "must be True or False"),
        ({"steps": 0}, "steps", "positive whole number"),
        ({"second_scale": "x"}, "second_scale", "is not a number"),
        ({"inputs": "two_level(4)", "biases": {0: 1, 1: 1}, "intercept": True}, "biases", "without a covariance"),
    ],
)
def test_options_that_are_refused(options, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        problem(**options)
    assert caught.value.argument == argument


@pytest.mark.parametrize("theory", UNKNOWN)
def test_an_option_that_a_theory_does_not_know_is_refused(theory):
    values = {"biases": {0: 1, 1: 1}, "centred_labels": False, "inputs": "two_level(4)"}
    for name, value in values.items():
        described = problem(**{name: value}, intercept=True)
        if name not in UNKNOWN[theory]:
            check_supported(described, theory)
            continue
        with pytest.raises(tc.ArgumentError, match=f"is not part of {theory}: {UNKNOWN[theory][name]}") as caught:
            check_supported(described, theory)
        assert caught.value.argument == name


def test_weights_before_a_step_are_those_of_every_network():
    biased = problem(biases={0: 1, 1: 1}, centred_labels=False, intercept=True)
    assert tc.weight_spectrum(biased).edges == tc.weight_spectrum(problem()).edges


def test_options_in_words():
    changed = problem(centred=False, second_scale="1/sqrt(3)", second_layer="uniform")
    assert option_words(problem()) == []
    words = ["the activation keeps its mean", "standard deviation of √N a of the second layer g_a = sqrt(3)/3"]
    assert option_words(changed) == words


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"steps": 2}, "steps"),
        ({"second_layer": "constant"}, "second_layer"),
        ({"centred": False}, "centred"),
        ({"centred_labels": False, "intercept": True}, "centred_labels"),
    ],
)
def test_options_that_finite_steps_do_not_know_beside_a_covariance(options, argument):
    described = problem(**options, inputs="two_level(4)")
    with pytest.raises(tc.TheoryError, match="is not derived for finite steps with inputs=") as caught:
        check_steps_of_inputs(described)
    assert caught.value.argument == argument
    check_steps_of_inputs(problem(**options))
    check_steps_of_inputs(problem(inputs="two_level(4)", intercept=True, corrupt_step="1/4", second_layer="sign"))


def test_a_label_keeps_its_share():
    assert fidelity(Fraction(3, 10), Fraction(1, 10)) == Fraction(7, 10) * Fraction(4, 5)
    assert problem(corrupt_step=1).step_fidelity == 0
    assert problem(flip_fit=1).fit_fidelity == -1


def test_a_step_in_two_scales_is_one_of_unit_scales():
    """A gradient step of f(x) = a·tanh(Wx) with rows and a of other lengths, by numbers."""
    rng, (g_w, g_a, eta) = np.random.default_rng(0), (1.7, 0.6, 0.9)
    x, y, rows, a = rng.standard_normal((5, 3)), rng.standard_normal(5), rng.standard_normal((4, 3)), np.ones(4) / 2

    def moved(W: np.ndarray, second: np.ndarray, scale: float, step: float) -> np.ndarray:
        slopes = scale / np.cosh(scale * x @ W.T) ** 2
        return W + step * (y[:, None] * slopes * second).T @ x / len(x)

    unit = moved(rows, a, g_w, eta * float(unit_step(1, g_w, g_a)))
    np.testing.assert_allclose(moved(g_w * rows, g_a * a, 1.0, eta), g_w * unit, rtol=1e-12)

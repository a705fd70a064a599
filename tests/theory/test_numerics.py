"""The pencil in floats and in balls."""

from __future__ import annotations

import math
from dataclasses import replace

import flint
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import RATIOS, problem
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.pencil.numerics import ball_gains, float_gains, pencil_of


@pytest.mark.checks("pencil_gains")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("psi", ["1e-17", "2/3", "1e17"])
@pytest.mark.parametrize("phi", RATIOS)
def test_the_pencil_has_its_proven_digits(phi, psi, gradient):
    """At steps of which the first spike is 30 at most: many times stronger ones are refused."""
    pencil = pencil_of(problem("tanh(x + 1)", "H1 + H2/2", phi, psi), 10**6, gradient)
    eta, ridge = np.array([30 / math.sqrt(1 + pencil.case.kappa)]), np.array([0.1])
    rounded = float_gains(pencil, eta, ridge)
    proven = ball_gains(pencil, lambda: flint.arb(float(eta[0])), int(rounded.top[0]), 15)
    for x, truth in zip((rounded.train, rounded.test), proven, strict=True):
        assert abs(float((flint.arb(x[0]) - truth) / truth)) < 1e-9


BIASED = {"teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}
GAINS = ("train_gain", "test_gain")


def gains_of(known: tc.Problem, **how: object) -> list[float]:
    found = tc.step(known, **how)
    return [float(getattr(found, name)) for name in GAINS]


@pytest.mark.checks("pencil_gains", "pencil_blocks", "mid")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform", "sign", "constant"])
@pytest.mark.parametrize("gradient", GradientTarget)
def test_one_kind_of_neuron_is_the_shifted_activation(gradient, second_layer):
    """And so are two kinds that are nearly one, to the digits by which they differ."""
    layer = {"second_layer": second_layer}
    how = {"n": 1000, "eta": 6, "gradient": gradient, "method": "pencil"}
    wanted = gains_of(tc.Problem("tanh(x + 1)", **BIASED, **layer), **how)
    for biases in ({1: 1}, {1: 1, "1 + 1e-12": 2}):
        assert gains_of(tc.Problem("tanh", **BIASED, **layer, biases=biases), **how) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.checks("pencil_gains", "pencil_blocks", "mid")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_kinds_have_their_proven_digits(gradient):
    known = tc.Problem("relu", **BIASED, biases={-1: 1, 0: 1, 1: 2})
    how = {"n": 1000, "eta": "6", "gradient": gradient, "method": "pencil"}
    assert gains_of(known, **how) == pytest.approx(gains_of(known, **how, digits=15), rel=1e-11)


@pytest.mark.slow
@pytest.mark.checks("pencil_gains", "pencil_blocks", "mid")
@pytest.mark.parametrize(
    ("activation", "biases", "n", "alpha", "room"),
    [("relu", {-1: 1, 1: 1}, 10**12, 0.3, 3e-4), ("tanh", {0: 1, 2: 1}, 10**14, 0.2, 2e-5)],
)
@pytest.mark.parametrize("gradient", GradientTarget)
def test_small_steps_of_neurons_with_biases(activation, biases, n, alpha, room, gradient):
    """Dressed features up to η²/N; without the coupling of the residual they are refuted."""
    known = tc.Problem(activation, **BIASED, biases=biases)
    how = {"n": n, "alpha": alpha, "gradient": gradient}
    wanted = gains_of(known, **how)
    assert gains_of(known, **how, method="pencil") == pytest.approx(wanted, rel=room)
    if gradient == "residual":
        pencil = pencil_of(known, 3 * n // 4, gradient)
        alone = replace(pencil, case=replace(pencil.case, output_scale=0.0))
        uncoupled = float_gains(alone, np.array([n**alpha]), np.array([0.1]))
        assert abs(uncoupled.train[0] / wanted[0] - 1) > 100 * room


@pytest.mark.slow
@pytest.mark.checks("pencil_gains")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_networks_with_biases_follow_the_pencil(gradient):
    """A small step, by standard errors; neurons without biases are refuted."""
    known = tc.Problem("relu", **BIASED, biases={-1: 1, 1: 1})
    how = {"n": 400, "eta": 2, "gradient": gradient}
    rows = tc.simulate(known, **how, replicates=24, seed=4).draws
    values = np.array([[row[name] for name in GAINS] for row in rows])
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert np.all(np.abs(mean - gains_of(known, **how, method="pencil")) < 3.5 * error)
    plain = gains_of(replace(known, biases=None), **how, method="pencil")
    assert np.abs((mean - plain) / error).max() > 5


@pytest.mark.slow
def test_strengths_of_several_kinds_are_root_mean_squares():
    known = tc.Problem("relu", **BIASED, biases={-1: 1, 1: 3})
    how = {"n": 1000, "eta": 4, "gradient": "labels", "method": "pencil"}
    sizes = [tc.step(tc.Problem(f"relu(x + {b})", **BIASED), **how).strengths for b in (-1, 1)]
    found = tc.step(known, **how).strengths
    assert found[2] == pytest.approx(math.sqrt(sizes[0][2] ** 2 / 4 + 3 * sizes[1][2] ** 2 / 4))

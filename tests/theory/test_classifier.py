"""The law of the fit after a finite step: against the losses, the limit, and simulated networks."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.spikes import NONE
from theorycalc.theory.dressed.classifier import dressed_fit, linear_parts, step_rates
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.forms import losses
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.learned import learned_fit
from theorycalc.theory.signs import sign_labels

RESOLUTION = Resolution(u_step=0.5, h_step=0.42)


def described(activation="tanh(x + 1)", teacher="sign(H1 + H2/2)", gradient="residual", **more):
    problem = tc.Problem(activation, teacher, n=600, d=300, N=450, ridge="1/10", **more)
    return step_of(problem, 450, gradient)


@pytest.mark.parametrize("gradient", ["residual", "labels"])
@pytest.mark.parametrize("eta", [1.0, 12.0])
def test_losses_at_every_h_add_up_to_the_test_loss(gradient, eta):
    step = described(gradient=gradient)
    fit = dressed_fit(step, eta, 0.1, RESOLUTION)
    network = network_after(step, np.array([eta]), RESOLUTION)
    ridge = np.array([0.1])
    solution = solve(network, ridge, RESOLUTION.s_accuracy, RESOLUTION.r_level)
    labels = labels_given(network, RESOLUTION.z_level)
    (expected,) = losses(network, labels, ridge, solution)[1]
    assert fit.loss @ fit.h_weights == pytest.approx(expected, rel=1e-10)
    assert np.all(fit.law.variance[np.abs(fit.h) < 5] > 0)
    near = np.abs(fit.h) < 3
    assert np.ptp(fit.loss[near]) > 0.1  # the loss does depend on h
    assert np.all(linear_parts(network, labels) ** 2 <= 1)  # of a label ±1


def test_without_a_step_it_is_the_limit():
    step = described(activation="tanh", teacher="sign(x)")
    fit = dressed_fit(step, 0.0, 0.1, RESOLUTION)
    expected = learned_fit(step.case, NONE, Function(np.sign, (0.0,)), 0.1)
    near = np.abs(fit.h) < 4
    h, (mean, slope, variance) = fit.h[near], (part[near] for part in fit.law)
    np.testing.assert_allclose(mean, expected.slope * step.case.rho * h, atol=1e-7)
    np.testing.assert_allclose(slope, expected.slope * step.case.off_teacher, rtol=1e-7)
    np.testing.assert_allclose(variance, expected.variance, rtol=1e-6)


@pytest.mark.slow
def test_huge_networks_reach_the_limit():
    problem = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")
    limit = tc.error_rate(problem, ell=1, network="literal").error_rate
    rates = [tc.error_rate(problem, n=10**k, alpha="1/5").error_rate for k in (4, 8, 14)]
    distances = np.abs(np.array(rates) - limit)
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 2e-4


def test_rates_are_accurate():
    step = described()
    found = step_rates(
        step, sign_labels(tc.Problem("relu", "sign(H1 + H2/2)", 1, 1, 1)), *np.array([[10.0], [0.1], [0.6]])
    )
    assert found.error[0] < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("teacher", ["sign(x)", "sign(H1 + H2/2)"])
def test_mirrored_teachers_have_the_same_rate(teacher):
    """σ⋆(−x) has the rate of σ⋆(x), since h and −h are alike."""
    mirrored = teacher.replace("x", "-x").replace("H1", "-H1")
    first, second = (
        tc.error_rate(tc.Problem("relu", t, n=400, d=200, N=300, ridge="1/10"), eta=5) for t in (teacher, mirrored)
    )
    assert first.error_rate == pytest.approx(second.error_rate, abs=1e-9)


@functools.cache
def run_of(activation):
    problem = tc.Problem(activation, "sign(x)", n=320, d=160, N=240, ridge="1/10")
    return problem, tc.simulate(problem, alpha=[0, 0.2, 0.4], replicates=24, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_simulated_networks_have_these_rates(activation):
    problem, run = run_of(activation)
    found = tc.compare(run, tc.error_rate(problem, alpha=[0, 0.2, 0.4]), quantities="error_rate_gain")
    assert found.verdict == "agree"
    limit = tc.compare(run, tc.error_rate(problem, ell=1, network="literal"), quantities="error_rate_gain")
    assert limit.verdict == "differ"


@pytest.mark.slow
def test_a_fit_without_its_noise_is_rejected():
    """The same law with a third of the variance is far from what is simulated."""
    problem, run = run_of("tanh")
    step, labels = step_of(problem, 240, "residual"), sign_labels(problem)
    for row in run.rows:
        eta, losses_ = np.array([row["eta"]]), tc.step(problem, eta=row["eta"]).test_loss
        right = step_rates(step, labels, eta, np.array([0.1]), np.array([losses_])).rate[0]
        fit = dressed_fit(step, row["eta"], 0.1, RESOLUTION)
        less = losses_ - 2 / 3 * float(fit.law.variance @ fit.h_weights)
        wrong = step_rates(step, labels, eta, np.array([0.1]), np.array([less])).rate[0]
        error = row["error_rate_se"]
        assert abs(row["error_rate"] - right) < 3.5 * error
        assert abs(row["error_rate"] - wrong) > 5 * error


@pytest.mark.slow
def test_a_mean_that_the_fit_learns_is_counted_once():
    """With an intercept, or by a raw activation, whose constant costs a penalty of order 1/N."""
    how = {"n": 400, "d": 200, "N": 300, "ridge": "1/10", "centred_labels": False}
    free, raw = (
        tc.error_rate(tc.Problem("relu", "sign(H1 + H2/2)", **how, **more), eta=5, gradient="labels")
        for more in ({"intercept": True}, {"centred": False})
    )
    mean = abs(float(tc.Teacher.from_text("sign(H1 + H2/2)").mean))
    assert abs(free.error_rate - raw.error_rate) < 0.02 < 0.1 * mean
    assert free.error_rate_gain > 0.02


@pytest.mark.slow
def test_flipped_labels_of_simulated_networks():
    problem = tc.Problem("relu", "sign(x)", n=300, d=150, N=225, ridge="1/10", flip_step="1/5", flip_fit="1/5")
    run = tc.simulate(problem, alpha=[0.2, 0.4], replicates=16, seed=8)
    found = tc.compare(run, tc.error_rate(problem, alpha=[0.2, 0.4]), quantities="error_rate_gain")
    assert found.verdict == "agree"
    clean = tc.error_rate(tc.Problem("relu", "sign(x)", n=300, d=150, N=225, ridge="1/10"), alpha=[0.2, 0.4])
    for row in run.rows:
        (place,) = np.flatnonzero(np.isclose(clean.alpha, row["alpha"]))
        assert abs(row["error_rate"] - clean.error_rate[place]) > 5 * row["error_rate_se"]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [False, True])
def test_networks_whose_unbalanced_labels_are_flipped(kept):
    """Gains, losses on clean labels and rates; clean losses of flips of labels less their mean are rejected."""
    options = {"intercept": True, "centred_labels": False} if kept else {}
    sizes = {"n": 400, "d": 200, "N": 300, "ridge": "1/10", "flip_step": "1/4", "flip_fit": "1/4"}
    problem = tc.Problem("tanh(x + 1)", "sign(x + 1)", **sizes, corrupt_fit="1/10", **options)
    run = tc.simulate(problem, eta=[4.0, 12.0], replicates=30, seed=11)
    losses, rates = tc.step(problem, eta=[4.0, 12.0]), tc.error_rate(problem, eta=[4.0, 12.0])
    shares = []
    for i, row in enumerate(run.rows):
        for found, names in ((losses, ("train_gain", "test_gain", "test_gain_clean")), (rates, ("error_rate_gain",))):
            shares += [(row[name] - getattr(found, name)[i]) / row[f"{name}_se"] for name in names]
        for name in ("test_loss_clean", "test_loss"):
            shares.append((row[name] - getattr(losses, name)[i]) / (2 * row[f"{name}_se"]))  # but for order 1/n
    assert np.abs(shares).max() < 3.5
    if kept:
        lost = (0.5 * float(problem.teacher.mean)) ** 2  # which a fit to flipped labels lacks
        row = run.rows[0]
        assert abs(row["test_loss_clean"] - losses.test_loss_clean[0] + lost) > 5 * row["test_loss_clean_se"]

"""Options of a problem in finite steps: labels with a mean, corrupted labels, and several steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.lengths import residual_moments
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.options import CLEAN, PLAIN, LabelChannel, fit_of, step_channel
from theorycalc.theory.dressed.residual import bulk_reach, bulk_transform, residual_of, resolvent, spikes_of_S

RATIOS = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}


def problem(**options):
    return tc.Problem("tanh(x + 1)", "3*H0/2 + H1 + H2/sqrt(2)", **(RATIOS | options))


def test_channels_of_a_problem():
    assert fit_of(problem()) == PLAIN
    assert step_channel(problem()) == CLEAN
    found = problem(corrupt_step="1/4", flip_step="1/8", corrupt_fit="1/2", intercept=True)
    assert step_channel(found) == LabelChannel(0.25, 0.125, mean=1.5)
    assert step_channel(found).fidelity == float(found.step_fidelity)
    assert fit_of(found) == (LabelChannel(0.5), True, 0.0, 0.0)


def sampled(rng, channel, mean, n0, d):
    X = rng.standard_normal((n0, d))
    t, other = X[:, 0], rng.standard_normal(n0)
    t = np.where(rng.random(n0) < channel.corrupt, other, t)
    raw = t + (t**2 - 1) / np.sqrt(2) + channel.mean
    label = raw * np.where(rng.random(n0) < channel.flip, -1, 1) - channel.sign * channel.mean
    r = label + mean + rng.standard_normal(n0) / 2
    return X, r


OPTIONS = [
    ({"intercept": True, "centred_labels": False}, LabelChannel(), 1.5),
    ({"corrupt_step": "1/2", "flip_step": "1/5"}, LabelChannel(0.5, 0.2, mean=1.5), 0.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("options", "channel", "mean"), OPTIONS)
def test_the_law_of_S_is_that_of_sampled_residuals(options, channel, mean):
    law = residual_of(step_of(problem(**options), 600, "labels"), 0)
    n0, d, draws, z = 600, 300, 12, np.array([0.4 + 1.5j])
    seen = []
    for seed in range(draws):
        X, r = sampled(np.random.default_rng([3, seed]), channel, mean, n0, d)
        at = np.linalg.inv((X.T * r) @ X / n0 - (mean + z[0]) * np.eye(d))
        b = X.T @ r / n0
        seen.append(
            [np.trace(at) / d, at[0, 0], at[0] @ b, b @ at @ b, np.mean(r**3) + 0j, np.mean(r**2 * X[:, 0]) + 0j]
        )
    found, moments = resolvent(law, z), residual_moments(law)
    case = step_of(problem(**options), 600, "labels").case
    first, cross = found.directions[0, 0, 0], found.directions[0, 1, 0]
    off = np.sqrt(case.kappa) * case.off_teacher
    with_b = case.step_linear * first + off * cross
    of_b = case.step_linear**2 * first + 2 * case.step_linear * off * cross + off**2 * found.directions[1, 1, 0]
    wanted = np.array([found.bulk[0], first, with_b, of_b, moments.third, moments.square_direction[0]])
    off = np.mean(seen, axis=0) - wanted
    error = np.std(np.real(seen), axis=0, ddof=1) + 1j * np.std(np.imag(seen), axis=0, ddof=1)
    error = error / np.sqrt(draws)
    assert np.all(np.abs(off.real) < 4 * error.real + 3 / n0)
    assert np.all(np.abs(off.imag) < 4 * error.imag + 3 / n0)


@pytest.mark.parametrize("mean", ["1", "6"])
def test_residuals_of_one_sign_have_a_spectrum_within_its_bounds(mean):
    lifted = tc.Problem("relu", f"{mean}*H0 + tanh(x)", "1/3", "1/2", "1/10", intercept=True, centred_labels=False)
    step = replace(step_of(lifted, 600, "labels"), one_draw=True)
    law = residual_of(step, 0)
    rng, d, n0 = np.random.default_rng(1), 400, 1200
    X = rng.standard_normal((n0, d))
    values = np.linalg.eigvalsh((X.T * (float(mean) + np.tanh(X[:, 0]))) @ X / n0 - float(mean) * np.eye(d))
    assert np.abs(values).max() < 1.1 * bulk_reach(law)
    assert np.abs(values).max() > 0.9 * bulk_reach(law)
    assert len(spikes_of_S(law, 1.05 * bulk_reach(law))[0]) == 0
    assert bulk_transform(law, np.array([0.1 + 1j]))[0].imag > 0


@pytest.mark.slow
@pytest.mark.parametrize("rows", ["sphere", "gaussian"])
def test_neurons_are_lengthened_by_the_mean_of_the_labels(rows):
    """Sampled gradients: the mean and the variance of ‖w_i‖² beside the step, at u = 1.2 and −1.2."""
    options = {"intercept": True, "centred_labels": False, "second_layer": "sign", "first_layer": rows}
    case = tc.Problem("tanh(x + 1)", "3*H0/2 + H1", "1/2", "2/3", "1/10", "1/2", **options)
    N, d, n0 = 1500, 300, 600
    step = step_of(case, N, "labels")
    network = network_after(step, np.array([1.2 * np.sqrt(N)]), Resolution())
    lengths = solve(network, np.array([0.1])).turning.lengths
    seen = []
    for seed in range(12):
        rng = np.random.default_rng([5, seed])
        X, W = rng.standard_normal((n0, d)), rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True) if rows == "sphere" else np.sqrt(d)
        r = 1.5 + X[:, 0] + rng.standard_normal(n0) / 2
        rest = ((1 - np.tanh(X @ W.T + 1) ** 2 - step.case.c1) * r[:, None]).T @ X / n0
        squares = [np.sum((W + u * rest) ** 2, axis=1) for u in (-1.2, 1.2)]
        seen.append([f(x) for x in squares for f in (np.mean, np.var)])
    means, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / np.sqrt(12)
    scale = network.scale[0]
    variance = (lengths.variance + 2 * lengths.lean**2)[0] * 2 / d * scale**4
    wanted = np.stack([scale**2, variance], axis=1).ravel()
    assert np.all(np.abs(means - wanted) < 4 * error)
    assert abs(scale[0] - scale[1]) > 0.2  # without the mean of S they would be equal


def test_several_steps_on_the_residual_are_refused():
    with pytest.raises(tc.TheoryError, match="diverge") as caught:
        tc.step(problem(steps=2), n=600, alpha="0.3")
    assert caught.value.argument == "steps"


def test_several_small_steps_are_one_of_their_sum_on_all_points():
    """In wide networks: what remains of later steps in small ones is of order 1/d."""
    several, one = problem(steps=3, step_samples="1/3"), problem()
    for method, eta, same in (("pencil", 2, 1e-12), ("dressed", 0.01, 1e-4)):
        found = tc.step(several, n=600_000, eta=eta, gradient="labels", method=method)
        sum_of = tc.step(one, n=600_000, eta=3 * eta, gradient="labels", method=method)
        assert found.test_gain == pytest.approx(sum_of.test_gain, rel=same)
        assert any("3 steps" in note for note in found.notes) == (method == "pencil")


def test_without_a_step_the_mean_of_the_labels_changes_nothing():
    for method in ("dressed", "isotropic", "pencil"):
        found = tc.step(problem(intercept=True, centred_labels=False), n=600, eta=0, method=method)
        assert abs(found.train_gain) < 1e-9
        assert abs(found.test_gain) < 1e-9


def gains_of_networks(seed, draws, eta, mean=0.0, corrupt=0.0, n=400, d=200, N=300, ridge=0.1):
    """Gains of tanh(x + 1), step on the labels, with an intercept: in training and test loss, and on clean labels."""
    seen = []
    for draw in range(draws):
        rng = np.random.default_rng([seed, draw])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        (X, y), (fit_X, fit_y), (test_X, test_y) = (
            sampled(rng, LabelChannel(corrupt), mean, points, d) for points in (n, n, 4000)
        )
        after = W + eta * ((1 - np.tanh(X @ W.T + 1) ** 2) * np.outer(y, a)).T @ X / n
        clean = mean + test_X[:, 0] + (test_X[:, 0] ** 2 - 1) / np.sqrt(2)
        losses = []
        for weights in (W, after):
            F = np.tanh(fit_X @ weights.T + 1)
            middle = F.mean(axis=0)
            F, label = F - middle, fit_y - fit_y.mean()
            coefficients = np.linalg.solve(F.T @ F + ridge * n * np.eye(N), F.T @ label)
            left = label - F @ coefficients
            found = (np.tanh(test_X @ weights.T + 1) - middle) @ coefficients + fit_y.mean()
            train = left @ left / n + ridge * coefficients @ coefficients
            losses.append([train, np.mean((test_y - found) ** 2), np.mean((clean - found) ** 2)])
        seen.append(np.subtract(*losses))
    return np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / np.sqrt(draws)


@pytest.mark.slow
def test_networks_agree_with_labels_that_have_a_mean_and_reject_centred_ones():
    mean, error = gains_of_networks(seed=21, draws=30, eta=400**0.4, mean=1.5)
    sizes = {"n": 400, "d": 200, "N": 300, "phi": None, "psi": None, "intercept": True}
    found, centred = (
        tc.step(problem(**sizes, centred_labels=which), alpha="0.4", gradient="labels") for which in (False, True)
    )
    assert np.all(np.abs(mean[:2] - [found.train_gain, found.test_gain]) < 3 * error[:2])
    assert np.all(np.abs(mean[:2] - [centred.train_gain, centred.test_gain]) > 5 * error[:2])


@pytest.mark.slow
def test_networks_agree_with_corrupted_labels_also_on_clean_ones():
    mean, error = gains_of_networks(seed=22, draws=40, eta=400**0.35, corrupt=0.3)
    sizes = {"n": 400, "d": 200, "N": 300, "phi": None, "psi": None, "intercept": True}
    found = tc.step(problem(**sizes, corrupt_step="3/10", corrupt_fit="3/10"), alpha="0.35", gradient="labels")
    assert np.all(np.abs(mean - [found.train_gain, found.test_gain, found.test_gain_clean]) < 3 * error)
    assert abs(mean[2] - found.test_gain) > 4 * error[2]
    clean = tc.step(problem(**sizes), alpha="0.35", gradient="labels")
    assert np.all(np.abs(mean[:2] - [clean.train_gain, clean.test_gain]) > 5 * error[:2])

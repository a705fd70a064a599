"""Finite steps of raw activations: a constant feature, and an initial output whose mean differs between networks.

Of eigenvalues that differ between networks, means of a few numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory import over_networks as averaging
from theorycalc.theory.case import with_residual_mean
from theorycalc.theory.checks import checked_case
from theorycalc.theory.dressed.accuracy import evaluate, untrained_shift, with_constant_feature
from theorycalc.theory.dressed.neurons import Resolution, step_of
from theorycalc.theory.dressed.options import fit_of, output_mean
from theorycalc.theory.limits import float_untrained
from theorycalc.theory.over_networks import NetworkOutliers, draws_of, mean_outliers, output_rule
from theorycalc.theory.pencil.numerics import has_constant, pencil_of

RATIOS = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
MEAN = {"teacher": "H0 + H1 + H2/sqrt(2)", "centred_labels": False}


def raw(activation="tanh(x + 1)", **options):
    return tc.Problem(activation, options.pop("teacher", "H1 + H2/sqrt(2)"), **(RATIOS | options), centred=False)


def test_what_a_raw_activation_adds():
    assert fit_of(raw("x + 2", **MEAN)) == ((0.0, 0.0, 0.0), False, 2.0, 1.0)
    assert fit_of(raw("x + 2", **MEAN, intercept=True)) == ((0.0, 0.0, 0.0), True, 0.0, 0.0)
    assert output_mean(raw("x + 2", second_scale=3), "residual") == 6.0
    assert output_mean(raw("x + 2"), "labels") == 0.0
    assert has_constant(raw("x + 2"))
    assert not has_constant(raw("x + 2", intercept=True))
    assert pencil_of(raw("x + 2"), 300, "labels").spikes == (0, 1)


@pytest.mark.parametrize("method", ["dressed", "isotropic", "pencil"])
def test_with_an_intercept_raw_and_centred_activations_are_the_same_to_the_digit(method):
    how = {"n": 600, "alpha": "0.3", "gradient": "labels", "method": method}
    one, other = (tc.step(replace(raw(intercept=True), centred=centred), **how) for centred in (False, True))
    assert (one.train_gain, one.test_gain) == (other.train_gain, other.test_gain)


@pytest.mark.checks("constant_feature")
@pytest.mark.parametrize("options", [{}, MEAN, {"first_layer": "gaussian", **MEAN}, {"second_layer": "sign", **MEAN}])
@pytest.mark.parametrize("isotropic", [False, True])
def test_losses_before_the_step_contain_the_constant_feature(options, isotropic):
    problem = raw("tanh(x + 1/3)", **options)
    step, ridge = step_of(problem, 150, "labels", isotropic), np.array([0.1])
    _, known = float_untrained(checked_case(problem, "labels"), ridge)
    found = evaluate(step, np.zeros(1), ridge, Resolution(), with_error=True)[[0, 1, 3]]
    wanted = np.array(known) + untrained_shift(step, ridge)
    assert np.allclose(found, wanted, rtol=0, atol=4e-9)


@pytest.mark.checks("constant_feature")
def test_the_constant_feature_in_a_matrix():
    """Two functions, 1 and ‖x‖², with the right vector 1, and rows of different lengths."""
    s, theta, psi, d, c0, c2, mean, laplacian = 1.3, 0.4, 0.7, 50.0, 0.2, 0.6, 0.8, 1.1
    N, rows = d / psi, 2 * 0.6**2 * s * theta / psi
    P, q = np.diag([s, s * 2 / d * (1 + 1 / d)]), s * np.array([mean, laplacian / d])
    gram = N * theta * np.outer([c0, c2], [c0, c2]) + np.diag([rows / s, 0])
    direct = s * mean**2 - q @ np.linalg.solve(np.eye(2) + gram @ P, gram @ q)
    typed = with_constant_feature(s, s * theta / psi, c2, laplacian, d, rows, c0, mean)
    assert typed == pytest.approx(direct, rel=1e-12)


@pytest.mark.checks("constant_feature")
@pytest.mark.parametrize("method", ["dressed", "pencil"])
def test_a_large_constant_is_an_intercept_that_costs_the_sum_of_the_weights(method):
    """Right vectors of odd spikes are orthogonal to 1; that of h² loses a third of its square, which is along 1."""
    how = {"n": 600, "alpha": "0.3", "gradient": "labels", "method": method}
    odd, free = (tc.step(case, **how).test_gain for case in (raw("300 + erf"), raw("erf", intercept=True)))
    assert odd == pytest.approx(free, rel=1e-4)
    even, free = (tc.step(case, **how).test_gain for case in (raw("300 + tanh(x + 1)"), raw(intercept=True)))
    assert even < 0.95 * free


@pytest.mark.parametrize(("law", "accuracy"), [("gaussian", 5e-4), ("sign", 1e-6)])
def test_far_steps_tend_to_the_limit(law, accuracy):
    """With random signs the right vector of h² is along 1: nothing is left of it beside the constant."""
    problem = raw(second_layer=law)
    limit = tc.predict(problem, ell=2, network="literal", gradient="labels")
    found = tc.step(problem, n=10**22, alpha="0.3", gradient="labels", method="pencil")
    assert found.train_gain == pytest.approx(limit.train_gain, rel=accuracy)
    assert found.test_gain == pytest.approx(limit.test_gain, rel=accuracy)


@pytest.mark.slow
def test_a_vanishing_constant_changes_nothing():
    how = {"n": 600, "alpha": "0.3", "gradient": "residual"}
    tiny = raw("tanh(x + 1e-8)")
    assert tc.step(tiny, **how).test_gain == pytest.approx(
        tc.step(replace(tiny, centred=True), **how).test_gain, rel=1e-6
    )


def test_means_of_the_output_are_normal_and_change_the_direction():
    step = step_of(raw(**MEAN), 300, "residual")
    means, weights = output_rule(step.output_mean)
    c0 = float(raw().activation.mean)
    assert weights @ means == pytest.approx(0, abs=1e-12)
    assert weights @ means**2 == pytest.approx(c0**2)
    drawn = list(draws_of(step))
    assert [float(x.step.case.residual_mean) for x in drawn] == pytest.approx(list(1 - means))
    for one in drawn:
        case = one.step.case
        added = case.batch_ratio * (case.residual_mean**2 - 1)
        assert case.kappa == pytest.approx(step.case.kappa + added)
        assert one.step.spread / case.scatter == pytest.approx(step.spread / step.case.scatter)
    assert with_residual_mean(step.case, 1.0) == step.case
    assert list(draws_of(step_of(raw(), 300, "labels"))) == [(step_of(raw(), 300, "labels"), 1.0)]


@pytest.mark.slow
def test_more_nodes_for_the_mean_of_the_output_change_little(monkeypatch):
    used = tc.step(raw("relu"), n=600, alpha="0.45").test_gain
    monkeypatch.setattr(averaging, "NODES", 13)
    assert tc.step(raw("relu"), n=600, alpha="0.45").test_gain == pytest.approx(used, rel=2e-4)


@pytest.mark.slow
def test_a_random_mean_widens_the_spread():
    wide, narrow = (tc.step(raw("1 + relu", intercept=True), n=600, eta=8, gradient=g) for g in ("residual", "labels"))
    assert wide.spread.test_gain > narrow.spread.test_gain
    assert wide.spread.test_loss_initial == pytest.approx(narrow.spread.test_loss_initial, rel=1e-3)


def test_combinations_that_are_refused():
    with pytest.raises(tc.TheoryError, match="grows without limit") as caught:
        tc.step(raw(second_layer="constant"), n=600, eta=1)
    assert caught.value.argument == "second_layer"
    with pytest.raises(tc.TheoryError, match="random mean") as caught:
        tc.step(raw(), n=600, eta=1, method="pencil", digits=10)
    assert caught.value.argument == "digits"


@pytest.mark.parametrize("options", [{}, MEAN])
def test_digits_of_the_pencil_of_a_raw_activation(options):
    how = {"n": 600, "alpha": "1/4", "gradient": "labels", "method": "pencil"}
    proven, rounded = (tc.step(raw(**options), **how, digits=digits) for digits in (14, None))
    assert float(proven.train_gain) == pytest.approx(rounded.train_gain, rel=1e-11)
    assert float(proven.test_gain) == pytest.approx(rounded.test_gain, rel=1e-11)


@pytest.mark.slow
def test_raw_networks_agree_and_reject_the_centred_theory():
    """ReLU as it is written, a step on the residual, no intercept; labels of mean 2."""
    n, d, N, eta, draws, seen = 400, 200, 300, 400**0.4, 40, []
    for seed in range(draws):
        rng = np.random.default_rng([31, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        batches = []
        for points in (n, n, 4000):
            X = rng.standard_normal((points, d))
            batches.append((X, 2 + X[:, 0] + (X[:, 0] ** 2 - 1) / np.sqrt(2) + rng.standard_normal(points) / 2))
        (X, y), (fit, label), (test, fresh) = batches
        r = y - np.maximum(X @ W.T, 0) @ a
        losses = []
        for weights in (W, W + eta * ((X @ W.T > 0) * np.outer(r, a)).T @ X / n):
            F, G = (np.maximum(x @ weights.T, 0) for x in (fit, test))
            found = np.linalg.solve(F.T @ F + 0.1 * n * np.eye(N), F.T @ label)
            left = label - F @ found
            losses.append([left @ left / n + 0.1 * found @ found, np.mean((fresh - G @ found) ** 2)])
        seen.append(np.subtract(*losses))
    mean, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / np.sqrt(draws)
    problem = raw("relu", **MEAN | {"teacher": "2*H0 + H1 + H2/sqrt(2)"})
    found = tc.step(problem, n=n, alpha="0.4")
    other = tc.step(replace(problem, centred=True, centred_labels=True), n=n, alpha="0.4")
    assert np.all(np.abs(mean - [found.train_gain, found.test_gain]) < 3 * error)
    assert abs(mean[1] - other.test_gain) > 5 * error[1]


def network(weight, places, edge):
    return NetworkOutliers(weight, np.array(places, dtype=float), np.full((len(places), 1), 0.5), edge)


def test_a_value_that_few_networks_have_is_not_listed():
    found = mean_outliers([network(0.6, [4], 2), network(0.4, [5, 3], 2)])
    assert found.places == pytest.approx([4.4])
    assert found.deviations == pytest.approx([np.sqrt(0.24)])
    most = mean_outliers([network(0.4, [4], 2), network(0.6, [5, 3], 2.5)])
    assert most.places == pytest.approx([4.6, 0.4 * 2 + 0.6 * 3])
    assert most.overlaps == pytest.approx(np.array([[0.5], [0.3]]))
    assert most.edge == pytest.approx(2.3)
    none = mean_outliers([network(1, [], 2)])
    assert (len(none.places), none.edge) == (0, 2)

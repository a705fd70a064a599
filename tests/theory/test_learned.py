"""The law of the fit in the limit: against the losses, closed forms, limits of λ, and ridge with strong spikes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr

import theorycalc as tc
from theorycalc.model.spikes import NONE, Spikes
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.case import float_case
from theorycalc.theory.checks import checked_terms, plan_of
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.label_lines import SignLabels
from theorycalc.theory.learned import cases_of, learned_fit, limit_rate, spanned_polynomial
from theorycalc.theory.plans import lengthening_of
from theorycalc.theory.signs import FitLaw, sign_labels, wrong_share

SIGN = SignLabels((0.0,), (-1, 1), 0.0)
PROBLEM = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")


def fit_of(problem, ell, network="theorem", gradient="labels", ridge=None):
    """Return the fit in the limit, its case and its spikes."""
    plan = plan_of(problem, ell, "closed", False, network, gradient)
    case = float_case(problem, gradient)
    teacher = Function(problem.teacher.centered_values(), problem.teacher.kink_floats)
    tau = lengthening_of(checked_terms(plan), case)
    return learned_fit(case, plan.spikes, teacher, ridge or float(problem.ridge), tau), case, plan.spikes


@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu", "tanh", "H1 + H4", "H1 + H2/3 + H5 + H4/5"])
@pytest.mark.parametrize("first_layer", ["sphere", "gaussian"])
@pytest.mark.parametrize(("network", "gradient"), [("theorem", "labels"), ("literal", "residual")])
def test_it_has_the_test_loss(activation, first_layer, network, gradient):
    how = {"noise": "3/10", "first_layer": first_layer}
    problem = tc.Problem(activation, "sign(H1 + H2/2)", "1/2", "2/3", "1/10", **how)
    for ell in (0, 1, 2, 5, math.inf):
        fit, _, _ = fit_of(problem, ell, network, gradient)
        asked = "inf" if ell == math.inf else ell
        expected = tc.predict(problem, ell=asked, network=network, gradient=gradient).test_loss
        assert fit.loss == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ell", [1, 2, 4, math.inf])
def test_its_loss_is_that_of_its_law(ell):
    """E(y − f̂)² by the mean, the slope and the variance that the error rate is made of."""
    problem = tc.Problem("tanh(x + 1)", "sign(H1 + H2/2)", "1/2", "2/3", "1/10", first_layer="gaussian")
    fit, case, _ = fit_of(problem, ell)
    h, w = np.polynomial.hermite_e.hermegauss(80)
    law, labels = fit.law(h, float(case.off_teacher)), sign_labels(problem)
    edges = [(place - case.rho * h) / case.off_teacher for place in (-math.inf, *labels.places, math.inf)]
    parts = list(zip(labels.signs, *(itertools.islice(edges, i, None) for i in (0, 1)), strict=False))
    mean = sum(sign * (ndtr(high) - ndtr(low)) for sign, low, high in parts) - labels.offset
    along = sum(sign * (density(low) - density(high)) for sign, low, high in parts)
    square = 1 - labels.offset**2 - 2 * labels.offset * mean
    error = square - 2 * (law.mean * mean + law.slope * along) + law.mean**2 + law.slope**2 + law.variance
    assert error @ w / w.sum() == pytest.approx(fit.loss, rel=1e-9)


def density(x):
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@pytest.mark.checks("fit_noise")
def test_the_untrained_rate_has_a_closed_form():
    fit, case, spikes = fit_of(PROBLEM, 0)
    linear = fit.slope
    expected = math.acos(linear / math.hypot(linear, math.sqrt(fit.variance))) / math.pi
    assert limit_rate(fit, SIGN, case, spikes) == pytest.approx(expected, rel=1e-13)


@pytest.mark.checks("fit_noise")
def test_the_rates_that_were_simulated():
    """.2765 ± .0022, .1975 ± .0019 and .1908 ± .0018 were measured by other code."""
    for ell, seen, error in ((0, 0.2765, 0.0022), (1, 0.1975, 0.0019), (3, 0.1908, 0.0018)):
        fit, case, spikes = fit_of(PROBLEM, ell)
        assert abs(limit_rate(fit, SIGN, case, spikes) - seen) < 3 * error


def test_a_huge_ridge_leaves_the_spikes_alone():
    """λ → ∞: ridge on F₀ learns nothing, and with ℓ = 1 the sign is that of h."""
    fit, case, spikes = fit_of(PROBLEM, 1, ridge=1e15)
    assert limit_rate(fit, SIGN, case, spikes) == pytest.approx(math.acos(case.rho) / math.pi, abs=1e-6)
    assert fit.variance < 1e-12


@pytest.mark.parametrize("K", [(1, 2), (1, 2, 3, 4), (1, 4), (1, 2, 4, 7)])
def test_the_polynomial_is_in_the_span_and_nearest(K):
    """p = Σ b_k h^k, and what it leaves of E[y|h] is orthogonal to every power."""
    problem = tc.Problem("tanh(x + 1)", "sign(H1 + H2/2)", "1/2", "2/3", "1/10")
    case = float_case(problem, "labels")
    p, missed = map(np.array, spanned_polynomial(FLOATS, case, Spikes(K), 0.0, None))
    powers = np.polynomial.hermite_e.herme2poly(p)
    outside = [j for j in range(len(powers)) if j not in K]
    np.testing.assert_allclose(powers[outside], 0, atol=1e-13)
    weights = np.array([float(math.factorial(j)) for j in range(len(p))])
    for k in K:
        power = np.zeros(len(p))
        power[: k + 1] = np.polynomial.hermite_e.poly2herme([0.0] * k + [1.0])
        assert missed * weights @ power == pytest.approx(0, abs=1e-12 * weights[k])


@pytest.mark.parametrize("flip", [0.0, 0.2])
def test_flips_make_it_worse_and_half_of_them_hopeless(flip):
    clean, worse, none = (
        tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10", flip_fit=f, flip_step=f) for f in ("0", "1/5", "1/2")
    )
    rates = []
    for problem in (clean, worse, none):
        case, fidelity = float_case(problem, "labels"), float(problem.fit_fidelity)
        teacher = Function(lambda t, a=fidelity: a * np.sign(t), (0.0,))
        fit = learned_fit(case, Spikes((1,)), teacher, 0.1)
        rates.append(limit_rate(fit, sign_labels(problem), case, Spikes((1,))))
    assert rates[0] < rates[1] < rates[2] == pytest.approx(0.5)


def simulated(draws, n, d, N, ridge, flip, seed, shift=0.0):
    """Return rates of ridge on F₀ with h and h³ without a penalty, and before the step, for sign(t + shift).

    Signs are flipped first; then the mean of the labels is subtracted, and added to the fit again.
    """
    rng = np.random.default_rng(seed)
    grid = np.linspace(-10, 10, 20001)
    mean = np.trapezoid(np.tanh(grid + 1) * np.exp(-(grid**2) / 2), grid) / math.sqrt(2 * math.pi)
    offset = (1 - 2 * flip) * math.erf(shift / math.sqrt(2))
    found = []
    for _ in range(draws):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        X, fresh, batch = (rng.standard_normal((m, d)) for m in (n, 3000, n))
        labels = [np.sign(x[:, 0] + shift) * np.where(rng.random(len(x)) < flip, -1, 1) - offset for x in (X, batch)]
        beta = batch.T @ labels[1]
        h, h_fresh = (x @ beta / np.linalg.norm(beta) for x in (X, fresh))
        F, F_fresh = (np.tanh(x @ W.T + 1) - mean for x in (X, fresh))
        R = np.linalg.inv(F @ F.T + ridge * n * np.eye(n))
        row = []
        for powers in ((), (1,), (1, 2, 3)):
            V, V_fresh = (
                np.stack([x**k for k in powers], axis=-1) if powers else np.zeros((len(x), 0)) for x in (h, h_fresh)
            )
            b = np.linalg.solve(V.T @ R @ V, V.T @ R @ labels[0])
            f = V_fresh @ b + F_fresh @ (F.T @ (R @ (labels[0] - V @ b)))
            row.append(np.mean(np.sign(f + offset) != np.sign(fresh[:, 0] + shift)))
        found.append(row)
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(draws)


@pytest.mark.slow
def test_strong_spikes_of_flipped_labels_have_these_rates():
    problem = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10", flip_fit="1/5", flip_step="1/5")
    seen, error = simulated(24, 500, 250, 375, 0.1, 0.2, seed=7)
    case, teacher = float_case(problem, "labels"), Function(lambda t: 0.6 * np.sign(t), (0.0,))
    for spikes, rate, deviation in zip((NONE, Spikes((1,)), Spikes((1, 2, 3))), seen, error, strict=True):
        fit = learned_fit(case, spikes, teacher, 0.1)
        assert abs(limit_rate(fit, SIGN, case, spikes) - rate) < 3.5 * deviation
        silent = FitLaw(np.zeros(1), np.array([fit.slope]), np.array([fit.variance / 2]))
        if not spikes:  # half of the noise is rejected
            assert abs(float(wrong_share(SIGN, np.zeros(1), 1.0, silent)[0]) - rate) > 5 * deviation


@pytest.mark.slow
def test_strong_spikes_of_flipped_labels_with_a_mean_have_these_rates():
    """Labels keep 1 − 2q of their mean: the whole mean, as if flips came after it was subtracted, is rejected."""
    problem = tc.Problem("tanh(x + 1)", "sign(x + 1)", "1/2", "2/3", "1/10", flip_fit="1/4", flip_step="1/4")
    seen, error = simulated(24, 500, 250, 375, 0.1, 0.25, seed=8, shift=1.0)
    case, labels = float_case(problem, "labels"), sign_labels(problem)
    values = problem.teacher.centered_values()
    teacher, whole = Function(lambda t: 0.5 * values(t), (-1.0,)), labels._replace(offset=2 * labels.offset)
    for spikes, rate, deviation in zip((NONE, Spikes((1,)), Spikes((1, 2, 3))), seen, error, strict=True):
        fit = learned_fit(case, spikes, teacher, 0.1)
        assert abs(limit_rate(fit, labels, case, spikes) - rate) < 3.5 * deviation
        assert abs(limit_rate(fit, whole, case, spikes) - rate) > 8 * deviation


OPTIONS = [
    {"intercept": True},
    {"centred": False},
    {"intercept": True, "centred_labels": False, "first_layer": "gaussian"},
    {"corrupt_fit": "3/10", "corrupt_step": "1/10", "intercept": True, "centred_labels": False},
    {"first_scale": 2, "second_scale": "1/2"},
    {"intercept": True, "biases": {0: "1/2", 1: "1/2"}},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=", ".join)
def test_networks_as_people_build_them_have_their_test_loss(options):
    problem = tc.Problem("tanh(x + 1)", "sign(H1 + H2/2)", "1/2", "2/3", "1/10", "1/5", **options)
    fidelity, values = float(problem.fit_fidelity), problem.teacher.centered_values()
    teacher = Function(lambda t: fidelity * values(t), problem.teacher.kink_floats)
    plan = plan_of(problem, 2, "closed", False, "literal", "residual")
    terms = checked_terms(plan)
    cases = cases_of(terms, float_case(problem, "residual"))
    taus = [lengthening_of(terms, case) for _, case in cases]
    losses = [
        learned_fit(case, plan.spikes, teacher, 0.1, tau).loss for (_, case), tau in zip(cases, taus, strict=True)
    ]
    mean = sum(weight * loss for (weight, _), loss in zip(cases, losses, strict=True))
    assert mean == pytest.approx(tc.predict(problem, ell=2, network="literal").test_loss, rel=1e-11)
    assert len(cases) == 1 or options == {"centred": False}


@pytest.mark.slow
def test_with_an_intercept_means_do_not_matter():
    """Of the labels in the fit, and of the activation if the step is on the labels."""
    how = {"teacher": "sign(H1 + H2/2)", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "intercept": True}
    centred, raw = (tc.error_rate(tc.Problem("relu", **how, centred=x), ell=2) for x in (True, False))
    assert centred.error_rate == pytest.approx(raw.error_rate, abs=1e-13)
    kept = tc.error_rate(tc.Problem("relu", **how, centred_labels=False), ell=2)
    assert kept.error_rate_initial == centred.error_rate_initial
    assert kept.error_rate > centred.error_rate  # in the step the mean of labels is scatter

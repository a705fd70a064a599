"""Labels of several directions on lines along û, and the rates of limits and of finite steps with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

import theorycalc as tc
from theorycalc.theory.dressed.classifier import step_rates
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.label_lines import SignLabels, sections_of
from theorycalc.theory.signs import sections, sign_labels

SIZES = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
TEACHERS = ["sign(t1 + t1*t2)", "sign(t1 + t1*t2 + H2(t2)/2)", "sign(t1*(1 + t2)*(t3 + 1/2))", "sign(t1 + t2/2 + 1)"]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEACHERS)
def test_lines_have_the_means_of_the_teacher(text):
    """E y, E[y û·t] and E[y H_2(û·t)], whose coefficients come from a rule between planes."""
    teacher = tc.Teacher.from_text(text)
    lines = sections_of(teacher)
    assert lines.weights.sum() == pytest.approx(1, rel=1e-12)
    labels, accuracy = lines.seen(), 2e-4 if lines.is_sampled else 2e-6
    places, jumps = np.array(labels.places), np.diff(labels.signs)
    density = np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi)
    assert labels.signs[-1] - jumps @ ndtr(places) == pytest.approx(float(teacher.mean), abs=accuracy)
    assert jumps @ density == pytest.approx(float(teacher.coefficients[0]), abs=accuracy)
    assert jumps @ (places * density) / 2 == pytest.approx(float(teacher.coefficients[1]), abs=accuracy)


def test_directions_that_labels_do_not_know_change_nothing():
    """sign(t1 + t2) is the sign of one direction, and its rates are those of sign(x)."""
    several, one = (tc.Problem("tanh(x + 1)", teacher, **SIZES) for teacher in ("sign(t1 + t2)", "sign(x)"))
    for ell in (0, 1, 3):
        found, expected = (tc.error_rate(problem, ell=ell) for problem in (several, one))
        assert found.error_rate == pytest.approx(expected.error_rate, abs=1e-8)
        assert found.guarantee == "estimated"


@pytest.mark.slow
def test_so_it_is_after_a_finite_step():
    sizes = {"n": 400, "d": 200, "N": 300, "ridge": "1/10"}
    several, one = (tc.Problem("tanh(x + 1)", teacher, **sizes) for teacher in ("sign(t1 + t2)", "sign(x)"))
    found, expected = (tc.error_rate(problem, eta=6) for problem in (several, one))
    assert found.error_rate == pytest.approx(expected.error_rate, abs=1e-6)


def strong_spikes(draws, n, d, N, seed):
    """Return rates of ridge on F₀ with h and h² without a penalty, and before the step, for sign(t1 + t1 t2)."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        X, fresh, batch = (rng.standard_normal((m, d)) for m in (n, 6000, n))
        y, clean, first = (np.sign(x[:, 0] * (1 + x[:, 1])) for x in (X, fresh, batch))
        beta = batch.T @ first
        h, h_fresh = (x @ beta / np.linalg.norm(beta) for x in (X, fresh))
        F, F_fresh = (np.maximum(x @ W.T, 0) - 1 / math.sqrt(2 * math.pi) for x in (X, fresh))
        R = np.linalg.inv(F @ F.T + 0.1 * n * np.eye(n))
        row = []
        for powers in ((), (1,), (1, 2)):
            V, V_fresh = (
                np.stack([x**k for k in powers], axis=-1) if powers else np.zeros((len(x), 0)) for x in (h, h_fresh)
            )
            b = np.linalg.solve(V.T @ R @ V, V.T @ R @ y)
            f = V_fresh @ b + F_fresh @ (F.T @ (R @ (y - V @ b)))
            row.append(np.mean(np.sign(f) != clean))
        found.append(row)
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(draws)


@pytest.mark.slow
def test_strong_spikes_have_these_rates():
    """The rate as if the label were the sign of t1 alone, as noisy, is rejected."""
    seen, error = strong_spikes(30, 500, 250, 375, seed=4)
    problem = tc.Problem("relu", "sign(t1 + t1*t2)", **SIZES)
    kept = float(problem.teacher.coefficients[0]) * math.sqrt(math.pi / 2)  # E[y sign(t1)]
    alone = tc.Problem("relu", "sign(x)", **SIZES, flip_fit=(1 - kept) / 2, flip_step=(1 - kept) / 2)
    for ell, rate, deviation in zip((0, 1, 2), seen, error, strict=True):
        assert abs(tc.error_rate(problem, ell=ell).error_rate - rate) < 3.5 * deviation
        assert abs(tc.error_rate(alone, ell=ell).error_rate - rate) > 10 * deviation


@pytest.mark.slow
def test_finite_networks_have_these_rates():
    """Neurons learn h t2 beside û: labels in the mean over lines, which do not know of it, have another rate."""
    problem = tc.Problem("relu", "sign(t1 + t1*t2)", n=400, d=200, N=300, ridge="1/10")
    run = tc.simulate(problem, eta=[15.0], replicates=60, seed=21)
    found, row = tc.error_rate(problem, eta=15.0), run.rows[0]
    print(found.error_rate_gain, row["error_rate_gain"], row["error_rate_gain_se"])
    assert abs(found.error_rate_gain - row["error_rate_gain"]) < 3 * row["error_rate_gain_se"]
    step = step_of(problem, 300, "residual")
    how = np.array([15.0]), np.array([0.1]), np.array([tc.step(problem, eta=15.0).test_loss])
    (lines,), (mean,) = (step_rates(step, labels, *how).rate for labels in (sections(problem), sign_labels(problem)))
    assert lines == pytest.approx(found.error_rate, abs=1e-9)
    print(mean - lines)
    assert mean - lines > 1e-3


def test_labels_of_several_directions_that_are_no_signs_or_have_no_digits():
    with pytest.raises(tc.DomainError, match=r"write teacher='sign\(t1 \+ t1\*t2\)'") as e:
        sign_labels(tc.Problem("relu", "t1 + t1*t2", 1, 1, 1))
    assert e.value.argument == "teacher"
    with pytest.raises(tc.PrecisionError, match="is not a polynomial: its coefficients come from quadrature"):
        tc.error_rate(tc.Problem("relu", "sign(t1 + t1*t2)", **SIZES), ell=1, digits=20)


@pytest.mark.slow
def test_labels_are_means_over_lines():
    labels = sections_of(tc.Teacher.from_text("sign(t1)*sign(1 + t2)")).seen()
    assert isinstance(labels, SignLabels)
    assert labels.places == pytest.approx((0.0,), abs=1e-12)
    assert labels.signs == pytest.approx((1 - 2 * ndtr(1), 2 * ndtr(1) - 1), abs=1e-9)

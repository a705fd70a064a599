"""Neurons after several steps: one step, a quadratic activation by hand, sampled gradients, and real networks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.dressed.later_steps import (
    StepLabels,
    after_steps,
    displaced,
    labels_of_step,
    one_more,
    slopes_at,
    start_of,
)
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.options import LabelChannel
from theorycalc.theory.dressed.responses import Function, normal_rule

U = np.array([-1.5, -0.4, 0.0, 0.6, 1.2])
EVEN = np.full(len(U), 1 / len(U))


def problem(activation="tanh(x + 1)", teacher="H1 + H2/sqrt(2)", steps=1, **options):
    return tc.Problem(activation, teacher, n=600, d=300, N=400, ridge="1/10", noise="1/2", steps=steps, **options)


def labels_and_step(case):
    step = step_of(case, 400, "labels")
    return labels_of_step(step.case, step.teacher, step.channel, 0), step


@pytest.mark.checks("later_step", "displaced")
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu"])
def test_one_step_is_what_dressed_features_have(activation):
    labels, step = labels_and_step(problem(activation))
    found = after_steps(step.case, [step.slope_function], labels, 1, U[None], EVEN, 0)
    assert np.allclose(found.along[0], step.slope * U, rtol=1e-10)
    assert np.allclose(found.scale[0] ** 2, 1 + U**2 * step.spread, rtol=1e-9)
    assert np.allclose(found.spread[0], step.spread, rtol=1e-9)
    assert np.allclose(found.c2[0], step.c2, rtol=1e-9)
    assert np.allclose(found.kept, 1, rtol=1e-9)
    assert np.abs(found.beside).max() < 1e-5  # a root of rounding


@pytest.mark.checks("later_step")
def test_a_quadratic_activation_by_hand():
    """σ' = 1 + 2bz: step 2 moves a neuron by u(b_2 + 2bS_2(w + u b_1)), S_2b_1 = 2c_⋆1c_⋆2β⋆ and noise of φ₀κ₁E y²."""
    b, ratio = 0.3, 0.5
    case = problem(f"x + {b}*x**2", steps=2, step_samples=600)
    labels, step = labels_and_step(case)
    energy, c_star_2 = 2 + 0.25, 1 / math.sqrt(2)  # E y², and c_⋆1 = 1
    now = start_of(len(U))
    for _ in range(2):
        now = one_more(now, [step.slope_function], labels, U, ratio, 0)
    assert np.allclose(now.teacher[:-1], 2 + 4 * b * U * c_star_2, rtol=1e-10)
    # y has t⁴ in E[y²t²]: the noise of S_2 along β⋆'s part of b_1
    fourth = float(labels.weights @ (labels.square * labels.t**2))
    turned = ratio * (2 * b) ** 2 * np.outer(U, U) * (fourth + ratio * energy**2)
    cross = ratio * 2 * b * float(labels.weights @ (labels.square * labels.t)) * (U[:, None] + U)
    first = ratio * energy
    grow = 1 + 2 * b * 0 * U  # E y = 0
    wanted = np.outer(grow, grow) * first + first + cross + turned
    assert np.allclose(now.shared[:-1, :-1], wanted, rtol=1e-9)
    spread = ratio * energy * (2 * b) ** 2
    assert np.allclose(now.spread[:-1], spread + spread * (1 + U**2 * spread), rtol=1e-9)


def test_slopes_have_the_moments_of_a_fine_rule():
    """Near and far from the kinks, and with a scale that changes from row to row."""
    slope = Function(lambda z: 2 * np.maximum(z, 0), (0.0,))
    center, scale = np.array([[-1.0, 0.5], [2.0, 0.1]]), np.array([0.7, 3.0])
    found, square = slopes_at(slope, center, scale, 4, 0)
    z, weights = normal_rule(1e-4, 9.0)
    for (i, j), place in np.ndenumerate(center):
        values = slope.values(place + scale[i] * z)
        for k in range(4):
            hermite = np.polynomial.hermite_e.hermeval(z, np.eye(5)[k]) / math.sqrt(math.factorial(k))
            assert found[k, i, j] == pytest.approx(weights @ (hermite * values), abs=1e-7)
        assert square[i, j] == pytest.approx(weights @ values**2, rel=1e-7)


def test_corrupted_labels_have_their_moments():
    _, step = labels_and_step(problem())
    channel = LabelChannel(corrupt=0.3, flip=0.1, mean=0.5)
    case = replace(step.case, residual_mean=0.8 * 0.5)
    found = labels_of_step(case, step.teacher, channel, 0)
    signal = step.teacher.values(found.t)
    assert np.allclose(found.mean, 0.7 * 0.8 * signal + 0.4)
    assert found.weights @ found.square == pytest.approx(2 + 0.25 + 0.25)  # E y² is as it was, with noise and mean


@pytest.mark.checks("displaced")
def test_parts_of_neurons_add_up():
    labels, step = labels_and_step(problem("relu", steps=3))
    now = start_of(len(U))
    for _ in range(3):
        now = one_more(now, [step.slope_function], labels, U / 3, 0.5, 0)
    found = displaced(now, U / 3, EVEN, float(step.case.rho), float(step.case.off_teacher))
    parts = np.vstack([found.along, found.beside * found.scale])
    wanted = np.outer(U, U) / 9 * (np.outer(now.teacher, now.teacher) + now.shared)[:-1, :-1]
    assert np.allclose(parts.T @ parts, wanted, atol=1e-8)
    whole = np.diag(wanted) + found.alone * found.scale**2
    assert np.allclose(found.along**2 + found.scale**2, whole)
    assert np.allclose(found.alone * found.scale**2, now.kept[:-1] ** 2 + (U / 3) ** 2 * now.spread[:-1])


def test_neurons_of_two_equal_kinds_are_those_of_one():
    labels, step = labels_and_step(problem(steps=2))
    twice = after_steps(step.case, [step.slope_function] * 2, labels, 2, np.tile(U, 2)[None], np.tile(EVEN, 2) / 2, 0)
    once = after_steps(step.case, [step.slope_function], labels, 2, U[None], EVEN, 0)
    assert np.allclose(twice.of_kind(1, 2).along, once.along)
    assert np.allclose(twice.of_kind(0, 2).scale, once.scale, rtol=1e-6)


def test_neurons_that_overflow_are_refused():
    labels = StepLabels(np.zeros(1), np.ones(1), np.zeros(1), np.ones(1))
    _, step = labels_and_step(problem(steps=2))
    slope = Function(lambda z: np.full_like(z, 1e200), ())
    with pytest.raises(tc.TheoryError, match="overflow float64 in 2 steps"):
        after_steps(step.case, [slope], labels, 2, U[None], EVEN, 0)


@pytest.mark.parametrize(
    ("activation", "eta", "noise", "steps"),
    [("tanh", 1000, 0, 2), ("x + x**2/3", 1, 10_000, 2), ("x + x**2/3", 200, 0, 3)],
)
def test_lengths_whose_integrals_take_long_are_refused(activation, eta, noise, steps):
    options = {"n": 50, "d": 50, "N": 50, "ridge": "1/10", "noise": noise, "intercept": True, "steps": steps}
    with pytest.raises(tc.DomainError, match=f"in {steps} steps .* smaller η, less noise, fewer steps") as error:
        tc.weight_spectrum(tc.Problem(activation, "sign(x)", **options), eta=eta, gradient="labels")
    assert error.value.argument == "eta"


def test_activations_with_kinks_take_any_length():
    case = tc.Problem("relu", "sign(x)", n=50, d=50, N=50, ridge="1/10", steps=2)
    assert tc.weight_spectrum(case, eta=1000, gradient="labels").outlier > 100


@pytest.mark.slow
@pytest.mark.checks("later_step")
@pytest.mark.parametrize(
    ("activation", "slope"), [("tanh(x + 1)", lambda z: 1 - np.tanh(z + 1) ** 2), ("relu", lambda z: z > 0)]
)
def test_sampled_gradients_move_neurons_so(activation, slope):
    """Three steps of 200 neurons of each u: their mean is what they share, the rest is their own."""
    d, n0, count, draws = 300, 600, 200, 16
    case = problem(activation, steps=3)
    labels, step = labels_and_step(case)
    now = start_of(2)
    u = np.array([-0.5, 0.5])
    for _ in range(3):
        now = one_more(now, [step.slope_function], labels, u, d / n0, 0)
    shared = u**2 * np.diag(now.shared)[:2]
    own = now.kept[:2] ** 2 + u**2 * now.spread[:2]
    wanted = np.concatenate([u * now.teacher[:2], shared + own / count, own])
    seen = []
    for seed in range(draws):
        rng = np.random.default_rng([19, seed])
        W = rng.standard_normal((2, count, d))
        W /= np.linalg.norm(W, axis=2, keepdims=True)
        for _ in range(3):
            X = rng.standard_normal((n0, d))
            y = X[:, 0] + (X[:, 0] ** 2 - 1) / math.sqrt(2) + rng.standard_normal(n0) / 2
            W = W + np.stack([size * (slope(X @ w.T) * y[:, None]).T @ X / n0 for size, w in zip(u, W, strict=True)])
        mean = W.mean(axis=1)
        rest = W - mean[:, None]
        seen.append(
            np.concatenate([mean[:, 0], np.sum(mean[:, 1:] ** 2, axis=1), np.sum(rest**2, axis=(1, 2)) / (count - 1)])
        )
    found, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / math.sqrt(draws)
    assert np.all(np.abs(found - wanted) < 4 * error)
    one = 3 * u * step.case.c1  # c_⋆1 = 1: three steps as one
    assert np.all(np.abs(found[:2] - one) > 4 * error[:2])


@pytest.mark.slow
def test_networks_after_four_steps_gain_more_than_after_their_sum():
    """tanh(x + 1) with α = 0.4: the gains of four steps, and not those of one on all points."""
    case = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", n=300, d=150, N=200, ridge="1/10", noise="1/2", steps=4)
    eta = 300**0.42 / 4
    run = tc.simulate(case, eta=eta, replicates=60, seed=19, gradient="labels")
    rows = {row["quantity"]: row for row in tc.compare(run).rows}
    as_one = replace(case, steps=1, step_samples=4 * 300)
    one = tc.step(as_one, eta=4 * eta, gradient="labels")
    for name in ("train_gain", "test_gain"):
        assert abs(rows[name]["z"]) < 3
    row = rows["test_gain"]
    assert (row["observed"] - float(one.test_gain)) / row["standard_error"] > 3


def test_one_step_knows_nothing_of_later_ones():
    network = network_after(step_of(problem(), 400, "labels"), np.array([3.0]), Resolution())
    assert network.later is None
    assert network.beside is None
    assert np.all(network.alone == 1)

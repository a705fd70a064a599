"""Finite steps of fits with an intercept: the constant 1 without a penalty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.numbers.dual import Dual
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.forms import Forms, FreeConstant, Target, forms_of, free_constant, label_form
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.multi_index import LabelMoments
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of

PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", intercept=True)


@pytest.mark.checks("free_forms")
def test_taking_the_constant_out_is_a_resolvent_with_a_huge_constant_feature() -> None:
    rng, n, N, functions = np.random.default_rng(0), 40, 25, 4
    F, V, A = (rng.standard_normal(shape) for shape in ((n, N), (n, functions), (N, functions)))
    parts, y = rng.standard_normal(functions), rng.standard_normal(n)
    one = V @ parts

    def blocks(R: np.ndarray) -> list[np.ndarray]:
        return [V.T @ R @ V, V.T @ R @ F @ A, A.T @ (np.eye(N) - F.T @ R @ F) @ A]

    def dual(x: np.ndarray) -> Dual:
        return Dual(x[None], 0 * x[None])

    gram = F @ F.T + 0.3 * n * np.eye(n)
    P, E, G = blocks(np.linalg.inv(gram))
    nothing = dual(np.zeros(1))
    forms = Forms(dual(P), np.ones(1), dual(G), dual(E), *[nothing] * 6)
    free = FreeConstant(parts, dual(P @ parts), dual(parts @ E), dual(parts @ P @ parts))
    found = free.taken_out(forms)
    wanted = blocks(np.linalg.inv(gram + 1e9 * np.outer(one, one)))
    for typed, sampled in zip((found.P, found.coupling, found.gram), wanted, strict=True):
        assert np.allclose(typed.value[0], sampled, rtol=0, atol=1e-6)
    label = Target(nothing, dual(V.T @ np.linalg.solve(gram, y)), dual(A.T @ F.T @ np.linalg.solve(gram, y)))
    at_one, own = one @ np.linalg.solve(gram, y), one @ np.linalg.solve(gram, one)
    assert np.isclose(free.between(label, label).value[0], at_one**2 / own)
    left = np.linalg.solve(gram + 1e9 * np.outer(one, one), y)
    assert np.allclose(free.taken_off(label).functions.value[0], V.T @ left, rtol=0, atol=1e-6)
    assert np.allclose(free.taken_off(label).neurons.value[0], A.T @ F.T @ left, rtol=0, atol=1e-6)


@pytest.mark.checks("free_forms")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_the_form_is_that_without_an_intercept_less_its_part_along_1(gradient: str) -> None:
    """ỹᵀRỹ − (ỹᵀR1)²/1ᵀR1, with 1 as a second label."""
    step = step_of(replace(PROBLEM, intercept=False), 300, gradient)
    network = network_after(step, np.array([9.0]), Resolution())
    at = solve(network, np.array([0.1]))
    labels, h = labels_given(network, 0), network.h
    one = LabelMoments(np.ones_like(h), np.stack([d * h for d in step.toward]), 0 * h, np.ones_like(h))
    parts = labels.mean + 1, labels.along + one.along, labels.across, labels.square + 2 * labels.mean + 1
    forms = forms_of(network, at.turning, at.by_leverage)
    label, constant, both = (
        label_form(network, moments, forms, at.by_leverage.g) for moments in (labels, one, LabelMoments(*parts))
    )
    mixed = (both - label - constant) / 2
    wanted = label - mixed * mixed / constant
    free = replace(network, step=replace(step, fit=step.fit._replace(intercept=True)))
    found = label_form(free, labels, forms, at.by_leverage.g)
    assert np.allclose(found.value, wanted.value, rtol=1e-10)
    assert np.allclose(found.slope, wanted.slope, rtol=1e-9)


@pytest.mark.checks("free_forms")
def test_the_constant_has_the_form_of_1_without_a_step() -> None:
    network = network_after(step_of(PROBLEM, 750, "labels"), np.zeros(1), Resolution())
    at = solve(network, np.array([0.1]))
    square = free_constant(network, forms_of(network, at.turning, at.by_ridge)).square
    s = 4 / 3 * tc.predict(tc.Problem("tanh(x + 1)", "H1", "1/2", "2/3", "1/10"), ell=1).m1
    assert abs(square.value[0] / s - 1) < 1e-9


@pytest.mark.checks("free_forms")
@pytest.mark.parametrize("method", ["dressed", "isotropic", "pencil"])
@pytest.mark.parametrize("layers", [{}, {"first_layer": "gaussian"}, {"second_layer": "sign"}])
def test_nothing_is_gained_without_a_step(method: str, layers: dict[str, str]) -> None:
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", intercept=True, **layers)
    found = tc.step(problem, n=1000, eta=0, method=method)
    assert abs(found.train_gain) < 1e-9
    assert abs(found.test_gain) < 1e-9


def test_far_steps_gain_all_of_the_quadratic_part() -> None:
    """B_2 = 2c_⋆2²ρ⁴, without the share of the constant."""
    linear = tc.predict(replace(PROBLEM, intercept=False), ell=1)
    whole = linear.train_gain + 0.1 * 4 / 3 * linear.m1 * linear.rho**4
    found = tc.step(PROBLEM, n=10**24, alpha="0.3", gradient="labels", method="pencil")
    assert abs(found.train_gain / whole - 1) < 2e-4


@pytest.mark.checks("free_forms")
def test_pencil_and_dressed_features_agree_for_small_steps() -> None:
    """Without an intercept they are 8 % apart, as the pencil lacks the constant beside h²."""
    pencil, dressed = (
        tc.step(PROBLEM, n=10**12, alpha="0.3", gradient="labels", method=method) for method in ("pencil", "dressed")
    )
    assert abs(pencil.train_gain / dressed.train_gain - 1) < 2e-3
    assert abs(pencil.test_gain / dressed.test_gain - 1) < 2e-3


def test_digits_of_the_pencil_are_those_of_float64() -> None:
    proven, rounded = (tc.step(PROBLEM, n=1000, alpha="1/4", method="pencil", digits=d) for d in (15, None))
    assert abs(float(proven.train_gain) / rounded.train_gain - 1) < 1e-12
    assert abs(float(proven.test_gain) / rounded.test_gain - 1) < 1e-12


@pytest.mark.slow
def test_networks_agree_with_an_intercept_and_reject_its_absence() -> None:
    n, d, N, ridge, draws, seen = 400, 200, 300, 0.1, 40, []
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", n=n, d=d, N=N, ridge="1/10", noise="1/2", intercept=True)
    for seed in range(draws):
        rng = np.random.default_rng([11, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        batches = []
        for points in (n, n, 4000):
            X = rng.standard_normal((points, d))
            batches.append((X, X[:, 0] + (X[:, 0] ** 2 - 1) / np.sqrt(2) + rng.standard_normal(points) / 2))
        (X, y), fit, test = batches
        slope = 1 - np.tanh(X @ W.T + 1) ** 2
        after = W + n**0.45 * (slope * np.outer(y, a)).T @ X / n
        losses = []
        for weights in (W, after):
            F = np.tanh(fit[0] @ weights.T + 1)
            middle, mean = F.mean(axis=0), fit[1].mean()
            centred = F - middle
            coefficients = np.linalg.solve(centred.T @ centred + ridge * n * np.eye(N), centred.T @ (fit[1] - mean))
            left = fit[1] - mean - centred @ coefficients
            predicted = (np.tanh(test[0] @ weights.T + 1) - middle) @ coefficients + mean
            losses.append([left @ left / n + ridge * coefficients @ coefficients, np.mean((test[1] - predicted) ** 2)])
        seen.append(np.subtract(*losses))
    mean, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / np.sqrt(draws)
    with_it, without = (
        tc.step(each, alpha="0.45", gradient="labels") for each in (problem, replace(problem, intercept=False))
    )
    assert np.all(np.abs(mean - [with_it.train_gain, with_it.test_gain]) < 3 * error)
    assert np.all(np.abs(mean - [without.train_gain, without.test_gain]) > 4 * error)

"""Terms of order 1/n of losses before the step, against exact means, an independent derivation and sampled networks."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.independent.small_samples import Network, losses
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.finite_losses import (
    LARGEST,
    FittedSizes,
    FunctionMoments,
    NeuronMoments,
    neuron_moments,
    point_moments,
    shifts,
)

WHITE = FunctionMoments(0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
NOISE = NeuronMoments(WHITE, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0))
CUBIC, QUADRATIC = [-0.3, 1 - 0.6, 0.3, 0.2], [-0.5, 0.8, 0.5]
POLYNOMIALS = (
    Network(225, 75, 150, "0.1", CUBIC, QUADRATIC, "0.2"),
    Network(120, 150, 60, "0.01", CUBIC, QUADRATIC, "0", gaussian_rows=True),
    Network(120, 60, 200, "1", QUADRATIC, CUBIC, "0.5", intercept=True),
    Network(200, 100, 100, "0.3", CUBIC, CUBIC, "0.1", gaussian_rows=True, intercept=True),
    Network(100, 40, 70, "0.1", [0, 1], [0, 1, 0, 0.1], "0.25"),
)


@pytest.mark.checks("finite_losses")
@pytest.mark.parametrize(("n", "N"), [(100, 160), (160, 100)])
def test_the_mean_of_an_inverse_wishart_matrix_is_met(n, N):
    """E tr(ZZᵀ)⁻¹ = n/(N − n − 1), and as much of the noise of labels comes back at fresh points."""
    ridge = np.array([1e-9])
    wide = n < N
    q = np.array([n / (N - n) if wide else (1 - N / n) / ridge[0]])
    theta = 1 / (1 + q)
    found = shifts(FittedSizes(n, 1e9, N, False, False), NOISE, WHITE, ridge, q, theta)
    inside, wider = min(n, N), abs(N - n)
    assert found.test[0] == pytest.approx(inside / wider**2, rel=1e-5)
    if wide:
        assert found.train[0] / ridge[0] == pytest.approx(n / wider**2, rel=1e-5)
    else:
        assert abs(found.train[0]) < 1e-6


def of_package(given: Network):
    """The limits, and the terms of order 1/n, as the package has them."""
    activation, teacher = (
        Function(lambda z, c=c: np.polynomial.polynomial.polyval(z, c), ()) for c in (given.activation, given.teacher)
    )
    neurons, labels = neuron_moments(activation), point_moments(teacher, float(given.noise))
    ridge, (linear, rest) = np.array([float(given.ridge)]), neurons.moments[:2]
    q, theta = 1 / ridge, np.ones(1)
    for _ in range(3000):
        k = 1 / (1 + q * linear * given.N * theta / given.d)
        q = given.n / (given.n * ridge + (linear * k + rest) * given.N * theta)
        theta = 1 / (1 + (linear * k + rest) * q)
    sizes = FittedSizes(given.n, given.d, given.N, given.gaussian_rows, given.intercept)
    return shifts(sizes, neurons, labels, ridge, q, theta)


@pytest.mark.checks("finite_losses")
@pytest.mark.parametrize("network", POLYNOMIALS)
def test_all_terms_are_those_of_an_independent_derivation(network):
    found = of_package(network)
    _, (train, test) = losses(network)
    assert found.train[0] == pytest.approx(float(train), rel=1e-8)
    assert found.test[0] == pytest.approx(float(test), rel=1e-8)
    nearby = [losses(network._replace(ridge=str(float(network.ridge) * (1 + x))))[1][0] for x in (1e-5, -1e-5)]
    form = [float(loss) / (float(network.ridge) * (1 + x)) for loss, x in zip(nearby, (1e-5, -1e-5), strict=True)]
    slope = (form[0] - form[1]) / (2e-5 * float(network.ridge))
    assert found.error[0] == pytest.approx(-(float(network.ridge) ** 2) * slope, rel=1e-5)


def sampled(problem, draws, seed):
    """Losses before the step of networks as numpy draws them, and the standard errors of their means.

    The energies of labels, and their correlation with x·β⋆, differ from their means by chance: what losses owe to that
    is taken off by regression.
    """
    (n, d, N), ridge = map(int, (problem.n, problem.d, problem.N)), float(problem.ridge)
    rng, noise, fresh = np.random.default_rng(seed), float(problem.noise), 1000
    activation, teacher = problem.activation.centered(), problem.teacher.centered_values()
    found, known = [], []
    for _ in range(draws):
        W, x = rng.standard_normal((N, d)), rng.standard_normal((n + fresh, d))
        W /= np.sqrt(d) if problem.first_layer == "gaussian" else np.linalg.norm(W, axis=1, keepdims=True)
        F, signal = activation(x @ W.T), teacher(x[:, 0])
        y = signal[:n] + noise * rng.standard_normal(n)
        shift, middle = (F[:n].mean(axis=0), y.mean()) if problem.intercept else (0.0, 0.0)
        fit, labels = F[:n] - shift, y - middle
        a = np.linalg.solve(fit.T @ fit + n * ridge * np.eye(N), fit.T @ labels)
        error = signal[n:] - middle - (F[n:] - shift) @ a
        found.append([np.mean((labels - fit @ a) ** 2) + ridge * a @ a, np.mean(error**2) + noise**2])
        seen = [(label, point) for label, point in ((y, x[:n, 0]), (signal[n:], x[n:, 0]))]
        known.append([value for label, point in seen for value in (np.mean(label**2), np.mean(label * point))])
    z = np.linspace(-9, 9, 9001)
    weights = np.exp(-(z**2) / 2) / np.sum(np.exp(-(z**2) / 2))
    energy, along = weights @ teacher(z) ** 2, weights @ (z * teacher(z))
    off = np.array(known) - [energy + noise**2, along, energy, along]
    design = np.column_stack([np.ones(draws), off])
    fitted, *_ = np.linalg.lstsq(design, np.array(found), rcond=None)
    rest = np.array(found) - design @ fitted
    return fitted[0], rest.std(axis=0) * np.sqrt(np.linalg.pinv(design.T @ design)[0, 0])


@pytest.mark.slow
@pytest.mark.checks("finite_losses")
@pytest.mark.parametrize(
    ("activation", "teacher", "sizes", "ridge", "options"),
    [
        ("relu", "H1 + H2/sqrt(2)", (112, 55, 165), "1/100", {}),
        ("relu", "H1 + H2/sqrt(2)", (224, 110, 330), "1/100", {}),
        ("tanh", "sin(x)", (112, 55, 165), "1/100", {}),
        ("tanh", "sin(x)", (224, 75, 150), "1/100", {}),
        ("max(0, x)**2", "H1/2 + H2", (112, 90, 55), "1/100", {}),
        ("softplus", "H1 + H2/2", (112, 55, 165), "1/100", {"first_layer": "gaussian"}),
        ("relu", "H1 + H2/sqrt(2)", (112, 90, 55), "1", {"intercept": True}),
    ],
)
def test_networks_of_small_size(activation, teacher, sizes, ridge, options):
    n, d, N = sizes
    problem = tc.Problem(activation, teacher, n=n, d=d, N=N, ridge=ridge, noise="1/4", **options)
    found, error = sampled(problem, 60_000 // n, seed=3)
    new, limit = (tc.step(problem, eta=0, method=method) for method in ("dressed", "pencil"))
    z, before = ((found - [theory.train_loss_initial, theory.test_loss_initial]) / error for theory in (new, limit))
    assert np.abs(z).max() < 4
    assert np.abs(before).max() > 3.5


def test_gains_stay_and_losses_follow():
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", n=300, d=150, N=200, ridge="1/10", noise="1/2")
    found, limit = tc.step(problem, alpha="3/10"), tc.predict(problem, ell=1)
    assert found.test_loss_initial < 0.998 * limit.test_loss_initial
    for name in ("train_loss", "test_loss", "train_error"):
        initial = getattr(found, f"{name}_initial")
        assert abs(initial / getattr(limit, f"{name}_initial") - 1) < 0.05
    assert found.test_loss == found.test_loss_initial - found.test_gain
    isotropic = tc.step(problem, alpha="3/10", method="isotropic")
    assert isotropic.test_loss_initial == pytest.approx(limit.test_loss_initial, rel=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"biases": {-1: 1, 1: 1}, "intercept": True},
        {"inputs": "two_level(4, 1/4)"},
        {"corrupt_fit": "1/4"},
        {"centred": False},
        {"teacher": "t1 + t1*t2"},
    ],
)
def test_what_is_not_derived_is_left_as_it_is(options):
    given = {"teacher": "H1 + H2/2"} | options
    problem = tc.Problem("tanh(x + 1)", **given, n=300, d=150, N=200, ridge="1/10", noise="1/2")
    found = tc.step(problem, eta=2, gradient="labels")
    plain = tc.step(problem, eta=2, gradient="labels", method="isotropic")
    assert found.test_loss_initial == plain.test_loss_initial


def test_an_expansion_that_is_no_use_is_dropped():
    sizes = {"n": 100, "d": 50, "N": 100, "ridge": "1/10"}
    problem = tc.Problem("tanh", "H1", **sizes, noise="1/2")
    limit = tc.step(problem, eta=1, ridge=[1e-9, 0.1], method="pencil")
    found = tc.step(problem, eta=1, ridge=[1e-9, 0.1])
    assert found.test_loss_initial[0] == limit.test_loss_initial[0]
    assert 0 < abs(found.test_loss_initial[1] / limit.test_loss_initial[1] - 1) < LARGEST

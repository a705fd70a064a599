"""The theory against the matrices themselves, judged by standard errors; a wrong formula is rejected.

Small networks with true draws: F₀ = σ(X̃W₀ᵀ), and spikes so strong that the limit is reached.
"""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.matrices import Network, cubic, first_layer, mean_and_error, setting_2, strong_spikes
from tests.helpers.problems import CUBIC, SETTING_2, theorem_on_the_residual
from theorycalc.model.enums import GradientTarget
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.case import float_case
from theorycalc.theory.pencil.equations import Slice, blocks_of, slice_of
from theorycalc.theory.printed import metrics
from theorycalc.theory.solver import float_traces
from theorycalc.theory.traces import constant_spread, weights_of

pytestmark = pytest.mark.slow

n, d, N, LAM, DRAWS = 700, 350, 525, 0.1, 24


def network(rng, included: bool):
    """The initial losses and the gains of the strong-spike limit, from one draw."""
    small = Network(n, d, N, cubic, setting_2, noise=0.5, included=included)
    before, first, second = strong_spikes(rng, small, ((), (1,), (1, 2)), (LAM,))[0]
    return np.concatenate([before, before - first, before - second])


@pytest.fixture(scope="module", params=GradientTarget)
def evidence(request):
    """Means and standard errors of the draws, and the predictions for them."""
    rng = np.random.default_rng(7)
    mean, error = mean_and_error([network(rng, request.param == "residual") for _ in range(DRAWS)])
    case = tc.Problem(CUBIC, SETTING_2, n=n, d=d, N=N, ridge="1/10", noise="1/2")
    return mean, error, case, request.param


@pytest.mark.checks("Delta", "Lambda", "weights", "initial_identity")
def test_theory_and_matrices_agree_within_standard_errors(evidence):
    """The spikes drawn are h^k, those of the theorem, along the direction that the gradient has."""
    mean, error, case, gradient = evidence
    limit = theorem_on_the_residual if gradient == "residual" else tc.predict
    first, second = (limit(case, ell=ell) for ell in (1, 2))
    predicted = [first.train_loss_initial, first.test_loss_initial,
                 first.train_gain, first.test_gain, second.train_gain, second.test_gain]  # fmt: skip
    z = (mean - predicted) / error
    assert np.abs(z).max() < 4, z


def test_a_wrong_formula_is_rejected(evidence):
    """The slides' Λ_1, Λ_2 lack a factor: they are many standard errors away."""
    mean, error, case, gradient = evidence
    if gradient == "residual":
        wrong = tc.predict(case, ell=1)
        assert abs(mean[3] - wrong.test_gain) / error[3] > 4  # κ of the labels alone is wrong here
        return
    for ell, index in ((1, 3), (2, 5)):
        slides = tc.predict(case, ell=ell, as_printed=True)
        assert abs(mean[index] - slides.test_gain) / error[index] > 10


def simulated_traces(rng, n):
    """m_1, m_2 of one draw with φ = 1/2, ψ = 2/3."""
    d, N = n // 2, 3 * n // 4
    X = rng.standard_normal((n, d))
    F = cubic(X @ first_layer(rng, N, d).T)
    resolvent = np.linalg.inv(F @ F.T + LAM * n * np.eye(n))
    return N / n * np.array([np.trace(resolvent), np.sum((resolvent @ X) * X) / d])


@pytest.mark.checks("trace_equations")
def test_traces_are_the_limit():
    """m_1, m_2 hardly fluctuate, and are off by about 1/n: that is removed by doubling n."""
    rng = np.random.default_rng(3)
    small, large = (
        np.array([simulated_traces(rng, size) for _ in range(draws)]) for size, draws in ((240, 60), (480, 30))
    )
    mean, error = without_first_order(small, large)
    theory = tc.traces(phi=0.5, psi=2 / 3, ridge=LAM, c1=1.0, c_rest=float(CUBIC.c_rest))
    assert np.abs((mean - [theory.m1, theory.m2]) / error).max() < 4


def without_first_order(small, large):
    """Return mean and standard error at n = ∞ of what is off by about 1/n, from samples at n and at 2n."""
    variances = [sample.var(axis=0, ddof=1) / len(sample) for sample in (small, large)]
    return 2 * large.mean(axis=0) - small.mean(axis=0), np.sqrt(4 * variances[1] + variances[0])


def constant_form(rng, size):
    """1ᵀR₀1 of one draw with Gaussian rows, φ = 1/2, ψ = 2/3."""
    d, N = size // 2, 3 * size // 4
    F = cubic(rng.standard_normal((size, d)) @ rng.standard_normal((d, N)) / np.sqrt(d))
    return np.linalg.solve(F @ F.T + LAM * size * np.eye(size), np.ones(size)).sum()


@pytest.mark.checks("zeta", "constant_weight", "theta")
def test_rows_of_fluctuating_length_make_a_constant_feature():
    """1ᵀR₀1 is s/(1 + ζ); s, its value on the sphere, is rejected.  The pencil has the same weight, typed apart."""
    rng = np.random.default_rng(5)
    samples = (np.array([constant_form(rng, size) for _ in range(draws)]) for size, draws in ((300, 80), (600, 50)))
    mean, error = without_first_order(*samples)
    ratios, c_rest = (1 / 2, 2 / 3, LAM), float(CUBIC.c_rest)
    traces = float_traces(*ratios, 1.0, c_rest)
    weights = weights_of(traces, *ratios)
    train, _ = metrics(weights, constant_spread(0.5, weights.spread))
    assert abs(mean - train.constant / LAM) < 4 * error
    assert abs(mean - train.rest / LAM) > 10 * error
    case = float_case(tc.Problem(CUBIC, ["1"], "1/2", "2/3", "1/10", first_layer="gaussian"), "labels")
    blocks = blocks_of(FLOATS, 1, [Slice(*(part.value for part in slice_of(traces, case, LAM)))], case)
    assert train.constant / LAM == pytest.approx(blocks.weights[0], rel=1e-14)


@pytest.mark.checks("initial_scatter")
def test_equal_second_layer_weights_lengthen_the_direction():
    """With a constant a, f₀ follows ‖x‖²: κ has 2c_2²φ/ψ more. Without that term it is rejected."""
    rng = np.random.default_rng(11)
    lengths = []
    for _ in range(150):
        X, W = rng.standard_normal((n, d)), first_layer(rng, N, d)
        y = setting_2(X[:, 0]) + 0.5 * rng.standard_normal(n)  # β⋆ is the first axis: W is isotropic
        lengths.append(np.sum((X.T @ (y - cubic(X @ W.T).sum(axis=1) / np.sqrt(N)) / n) ** 2))
    mean, error = mean_and_error(lengths)
    constant, gaussian = (
        tc.predict(
            tc.Problem(CUBIC, SETTING_2, n=n, d=d, N=N, ridge="1/10", noise="1/2", second_layer=law),
            ell=1,
            network="literal",
        ).kappa
        for law in ("constant", "gaussian")
    )
    assert abs(mean - constant) / error < 4
    assert abs(mean - gaussian) / error > 6

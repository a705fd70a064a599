"""The traces of several kinds of neurons: other forms, one kind, a matrix, and proven digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.theory.kinds import KindMoments, fit_noise, kind_equations, kind_sums, mean_over
from theorycalc.theory.kinds_solver import float_kind_traces
from theorycalc.theory.solver import float_traces

SIZES = (0.5, 2 / 3, 0.1)
TWO = [KindMoments(1 / 3, 0.5, 0.2), KindMoments(2 / 3, 0.3, 0.7)]


def drawn(seed: int, kinds: int, points: int = 60) -> tuple[list[KindMoments], np.ndarray]:
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(kinds))
    sizes = 10 ** rng.uniform(-4, 4, (3, points))
    sizes[1, ::4] = sizes[0, ::4]  # N = n
    return [KindMoments(float(share), *map(float, 10 ** rng.uniform(-2, 1, 2))) for share in shares], sizes


@pytest.mark.checks("kind_equations")
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_one_kind_or_equal_kinds_are_section_three(seed):
    (kind,), sizes = drawn(seed, 1)
    wanted = float_traces(*sizes, kind.c1, kind.c_rest)
    for shares in ((1.0,), (0.25, 0.75)):
        found = float_kind_traces([kind._replace(share=share) for share in shares], *sizes)
        for name, value in found._asdict().items():
            np.testing.assert_allclose(value, getattr(wanted, name), rtol=1e-13, err_msg=name)


@pytest.mark.checks("kind_equations", "kind_slopes")
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_order_and_scale_change_nothing(seed):
    kinds, sizes = drawn(seed, 3)
    found = float_kind_traces(kinds, *sizes)
    other = float_kind_traces(kinds[::-1], *sizes)
    scaled = float_kind_traces(
        [kind._replace(c1=2 * kind.c1, c_rest=2 * kind.c_rest) for kind in kinds], sizes[0], sizes[1], 4 * sizes[2]
    )
    np.testing.assert_allclose(other, found, rtol=1e-13)
    np.testing.assert_allclose(4 * scaled.m1, found.m1, rtol=1e-13)
    np.testing.assert_allclose(16 * scaled.m2_slope, found.m2_slope, rtol=1e-13)
    assert np.all((found.m2 > 0) & (found.m2 < found.m1) & (found.m1_slope < found.m2_slope) & (found.m2_slope < 0))


@pytest.mark.checks("kind_equations")
def test_both_equations_vanish():
    found = float_kind_traces(TWO, *SIZES)
    s, t = (SIZES[1] / SIZES[0] * m for m in (found.m1, found.m2))
    assert kind_equations(TWO, s, t, *SIZES) == pytest.approx((0, 0), abs=1e-14)
    wrong = [kind._replace(share=1 - kind.share) for kind in TWO]
    assert max(map(abs, kind_equations(wrong, s, t, *SIZES))) > 0.01


@pytest.mark.checks("kind_slopes")
def test_slopes_are_those_of_differences():
    phi, psi, lam = SIZES
    step = 1e-4
    before, found, after = (float_kind_traces(TWO, phi, psi, lam + k * step) for k in (-1, 0, 1))
    assert found.m1_slope == pytest.approx((after.m1 - before.m1) / (2 * step), rel=1e-5)
    assert found.m2_slope == pytest.approx((after.m2 - before.m2) / (2 * step), rel=1e-5)


def matrix_traces(rng: np.random.Generator, n: int, d: int, c1: np.ndarray, c_rest: np.ndarray, lam: float) -> list:
    """Return m_1, m_2 and their slopes of one draw, with linear parts and Gaussian noise in each column."""
    N = len(c1)
    W = rng.standard_normal((N, d))
    X = rng.standard_normal((n, d))
    F = c1 * (X @ (W / np.linalg.norm(W, axis=1)[:, None]).T) + c_rest * rng.standard_normal((n, N))
    values, vectors = np.linalg.eigh(F @ F.T)
    inner, resolvent = np.sum((vectors.T @ X) ** 2, axis=1) / d, 1 / (values + lam * n)
    pairs = ((inner**0, resolvent), (inner, resolvent), (inner**0, -n * resolvent**2), (inner, -n * resolvent**2))
    return [N / n * np.sum(weight * value) for weight, value in pairs]


@pytest.mark.slow
@pytest.mark.checks("kind_equations", "kind_slopes")
@pytest.mark.parametrize(("n", "d", "N"), [(300, 150, 210), (200, 180, 390)])
def test_a_random_matrix_of_two_kinds(n, d, N):
    """One kind is strong and one nearly dead; one kind with the mean energies is another network."""
    rng, lam = np.random.default_rng(3), 0.1
    kinds = [KindMoments(1 / 3, 1.5, 1.0), KindMoments(2 / 3, 0.2, 0.1)]
    c1, c_rest = (np.repeat([kind[i] for kind in kinds], [N // 3, N - N // 3]) for i in (1, 2))
    draws = np.array([matrix_traces(rng, n, d, c1, c_rest, lam) for _ in range(20)])
    mean, error = draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert np.all(np.abs(np.array(float_kind_traces(kinds, d / n, d / N, lam)[:4]) - mean) < 4 * error)
    roots = (np.sqrt(mean_over(kinds, lambda kind, i=i: kind[i] ** 2)) for i in (1, 2))
    assert np.all(np.abs(np.array(float_traces(d / n, d / N, lam, *roots)[:4]) - mean) > 8 * error)


def ridge_losses(
    F: np.ndarray, y: np.ndarray, free: np.ndarray, lam: float, test: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[float, float]:
    """Return training and test loss of ridge on F with the columns of ``free`` unpenalised."""
    Q, R = np.linalg.qr(free)
    G, r = F - Q @ (Q.T @ F), y - Q @ (Q.T @ y)
    a = G.T @ np.linalg.solve(G @ G.T + lam * len(y) * np.eye(len(y)), r)
    b = np.linalg.solve(R, Q.T @ (y - F @ a))
    misfit, missed = y - F @ a - free @ b, test[1] - test[0] @ a - test[2] @ b
    return float(np.mean(misfit**2) + lam * a @ a), float(np.mean(missed**2))


def strong_spikes(rng: np.random.Generator, n: int, d: int, N: int, lam: float) -> list[float]:
    """Return losses before and gains by h and h², of neurons tanh(w·x + b) with b ~ N(0, 1), step on the labels."""

    def batch(count: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.standard_normal((count, d))
        return X, X[:, 0] + (X[:, 0] ** 2 - 1) / 2 + rng.standard_normal(count) / 2

    W, b = rng.standard_normal((N, d)), rng.standard_normal(N)
    W /= np.linalg.norm(W, axis=1)[:, None]
    (X0, y0), (X, y), (Z, z) = batch(n), batch(n), batch(3000)
    beta = X0.T @ y0
    powers = [np.stack([(points @ beta / np.linalg.norm(beta)) ** k for k in range(3)], axis=1) for points in (X, Z)]
    F, G = np.tanh(X @ W.T + b), np.tanh(Z @ W.T + b)
    before = ridge_losses(F, y, powers[0][:, :1], lam, (G, z, powers[1][:, :1]))
    after = ridge_losses(F, y, powers[0], lam, (G, z, powers[1]))
    return [*before, before[0] - after[0], before[1] - after[1]]


@pytest.mark.slow
@pytest.mark.checks("kind_equations", "kind_slopes")
@pytest.mark.parametrize(("n", "d", "N", "lam"), [(400, 200, 300, 0.1), (300, 360, 720, 0.05)])
def test_strong_spikes_of_neurons_with_normal_biases(n, d, N, lam):
    rng = np.random.default_rng(11)
    draws = np.array([strong_spikes(rng, n, d, N, lam) for _ in range(30)])
    mean, error = draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    scores = {}
    for biases in ("normal(1)", None):
        problem = tc.Problem("tanh", "H1 + H2/2", n=n, d=d, N=N, ridge=lam, noise="1/2", intercept=True, biases=biases)
        spikes = tc.predict(problem, ell=2)
        wanted = spikes.train_loss_initial, spikes.test_loss_initial, spikes.train_gain, spikes.test_gain
        scores[biases] = np.abs(mean - wanted) / error
    assert np.max(scores["normal(1)"]) < 3.5
    assert np.max(scores[None]) > 5


@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize("kinds", [TWO, TWO[:1]])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_the_scatter_of_the_fit_is_a_difference_of_slopes(kinds, ridge):
    phi, psi, _ = SIZES
    kinds = [kind._replace(share=1 / len(kinds)) for kind in kinds]
    found = float_kind_traces(kinds, phi, psi, ridge)
    s, k = found.m1 * psi / phi, found.m2 / found.m1
    wanted = -found.m2_slope / (found.m1 * s) - k**2, -found.m1_slope / (found.m1 * s) - 1
    np.testing.assert_allclose(fit_noise(kind_sums(kinds, s, k * s), s, k * s, phi, psi, ridge), wanted, rtol=1e-9)


@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize("ridge", [1e-8, 1.0, 1e8, 1e15])
def test_error_rates_with_one_bias_are_those_of_a_shifted_activation(ridge):
    """At a large λ the fit scatters by far less than the rounding of the slopes."""
    shape = {"teacher": "sign(x)", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "intercept": True}
    biased, shifted = tc.Problem("tanh", **shape, biases={1: 1}), tc.Problem("tanh(x + 1)", **shape)
    found, wanted = (tc.error_rate(problem, ell=1, ridge=ridge) for problem in (biased, shifted))
    assert found.error_rate_initial == pytest.approx(wanted.error_rate_initial, rel=1e-12)
    assert found.error_rate == pytest.approx(wanted.error_rate, rel=1e-12)


def test_a_constant_second_layer_of_kinds_needs_the_second_coefficient():
    known = tc.Activation.from_moments(1, 1)
    problem = tc.Problem(known, "H1", 1, 2, 1, biases="0:1", intercept=True, second_layer="constant")
    with pytest.raises(tc.TheoryError, match="needs c_2; make the activation"):
        tc.predict(problem, ell=1)

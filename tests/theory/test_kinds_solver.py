"""The solution for several kinds of neurons, with and without ridge: float64 against balls, and what balls prove."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest

import theorycalc as tc
from tests.theory.test_kinds import drawn
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.theory.kinds import KindMoments, kind_equations, kind_traces_at
from theorycalc.theory.kinds_solver import (
    ball_kind_traces,
    enclose_kinds,
    float_kind_limits,
    float_kind_traces,
    kept_without_ridge,
    stiffness_share,
)
from theorycalc.theory.solver import ball_traces

EXACT = [
    KindMoments(Fraction(1, 3), Fraction(1, 2), Fraction(1, 5)),
    KindMoments(Fraction(2, 3), Fraction(1, 7), Fraction(3, 2)),
]
SIZES = Fraction(1, 2), Fraction(2, 3), Fraction(1, 10)


def in_balls(kinds: list[KindMoments]) -> list[KindMoments]:
    return [KindMoments(*map(ball, kind)) for kind in kinds]


@pytest.mark.parametrize("seed", range(3))
def test_floats_are_as_good_as_their_type(seed):
    kinds, sizes = drawn(seed, 3, points=12)
    floats = np.array(float_kind_traces(kinds, *sizes))
    with ball_precision(300):
        for point, size in enumerate(sizes.T):
            exact = ball_kind_traces(in_balls(kinds), *(ball(float(x)) for x in size), 300)
            assert all(value.rel_accuracy_bits() > 200 for value in exact)
            assert floats[:, point] == pytest.approx([float(value.mid()) for value in exact], rel=1e-13)


@pytest.mark.parametrize("bits", [120, 1000])
def test_one_kind_has_the_digits_of_section_three(bits):
    with ball_precision(bits):
        kind = in_balls([EXACT[0]._replace(share=Fraction(1))])
        found = ball_kind_traces(kind, *map(ball, SIZES), bits)
        wanted = ball_traces(SIZES, kind[0].c1, kind[0].c_rest, bits)
        for one, other in zip(found, wanted, strict=True):
            assert one.overlaps(other)
            assert one.rel_accuracy_bits() > bits - 40


def test_sizes_beyond_float64():
    """λ = 10^-300: for N < n, p → 1 − φ/ψ, so m_1 → (1/4)(3/4)/λ."""
    tiny = Fraction(1, 10**300)
    with ball_precision(2200):
        found = ball_kind_traces(in_balls(EXACT), *map(ball, SIZES[:2]), ball(tiny), 2200)
        assert abs(found.m1 * ball(tiny) - ball(Fraction(3, 16))) < 1e-100


def test_a_ball_too_wide_proves_nothing():
    with ball_precision(100):
        wide = [kind._replace(c1=flint.arb(kind.c1, 0.1)) for kind in in_balls(EXACT)]
        assert all(x.is_nan() for x in enclose_kinds(wide, *map(ball, SIZES), 100))


SETTING = {"teacher": "H1 + H2/2", "noise": "1/2", "intercept": True}
RATIOS = [("1/2", "2/3"), ("2/3", "1/2"), ("3", "1/10"), ("1/10", "3")]
NAMES = ("train_gain", "test_gain", "train_loss", "test_loss", "train_error")
TWO = (KindMoments(0.5, 0.5, 0.3), KindMoments(0.5, 0.25, 0.5))


@pytest.mark.checks("kind_ridgeless")
@pytest.mark.parametrize(("phi", "psi"), RATIOS)
def test_it_is_the_limit_of_small_ridges(phi, psi):
    """Up to the order of λ, with biases of two kinds; one kind is the shifted activation."""
    sizes = SETTING | {"phi": phi, "psi": psi}
    for biases in ({-1: 1, 1: 1}, {1: 1}):
        zero, small = (tc.predict(tc.Problem("relu", **sizes, ridge=x, biases=biases), ell=2) for x in (0, "1e-9"))
        for name in NAMES:
            assert getattr(zero, name) == pytest.approx(getattr(small, name), rel=1e-5, abs=1e-7)
    shifted = tc.predict(tc.Problem("relu(x + 1)", **sizes, ridge=0), ell=2)
    assert [getattr(zero, name) for name in NAMES] == pytest.approx(
        [getattr(shifted, name) for name in NAMES], rel=1e-12
    )


@pytest.mark.checks("kind_ridgeless")
@pytest.mark.parametrize(("phi", "psi"), [*RATIOS, ("1", "1")])
def test_digits_are_proven(phi, psi):
    """At N = n test losses are infinite."""
    known = tc.Problem("relu", **SETTING, phi=phi, psi=psi, ridge=0, biases={-1: 1, 0: 1, 1: 1})
    exact, rounded = tc.predict(known, ell=2, digits=15), tc.predict(known, ell=2)
    for name in NAMES:
        assert getattr(rounded, name) == pytest.approx(float(getattr(exact, name)), rel=1e-12)
    assert np.isinf(rounded.test_loss) == (phi == psi)


@pytest.mark.checks("kind_ridgeless")
def test_traces_of_both_sides():
    """Where N > n they solve the equations at λ = 0; where N < n, k and λχ are those of tiny ridges."""
    traces, _ = float_kind_limits(TWO, np.array([2.0]), np.array([1.0]), np.array([0.0]))
    s, t = traces.m1[0] / 2, traces.m2[0] / 2
    assert max(map(abs, kind_equations(TWO, s, t, 2.0, 1.0, 0.0))) < 1e-12
    assert traces.m1_slope[0] == pytest.approx(kind_traces_at(TWO, s, t, 2.0, 1.0, 0.0).m1_slope)
    tiny = float_kind_traces(TWO, 0.5, 2.0, 1e-12)
    k = tiny.m2 / tiny.m1
    assert kept_without_ridge(TWO, k, 2.0)[0] == pytest.approx(0, abs=1e-9)
    first, chi = stiffness_share(TWO, k, 2.0)
    assert chi * (1 - 0.5 / 2) == pytest.approx(tiny.stiffness, rel=1e-9)
    assert first == pytest.approx(tiny.m1 * 4 * tiny.theta, rel=1e-9)  # sE θ
    step = 1e-6
    rise = (kept_without_ridge(TWO, k + step, 2.0)[0] - kept_without_ridge(TWO, k - step, 2.0)[0]) / (2 * step)
    assert kept_without_ridge(TWO, k, 2.0)[1] == pytest.approx(rise, rel=1e-8)


def test_points_with_and_without_ridge_in_one_array():
    known = tc.Problem("relu", **SETTING, phi="1/2", psi="2/3", ridge="1/10", biases={-1: 1, 1: 1})
    found = tc.predict(known, ell=2, ridge=[0, 0.1], psi=[[2 / 3], [1 / 3]])
    assert found.test_loss[0, 1] == pytest.approx(tc.predict(known, ell=2).test_loss, rel=1e-12)
    assert np.isfinite(found.test_loss).all()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d", "N"), [(400, 300, 200), (300, 300, 600)])
def test_a_fit_without_ridge(n, d, N):
    """Least squares, or the interpolating fit of least norm, by standard errors; one kind is refuted."""
    known = tc.Problem("tanh", **SETTING, n=n, d=d, N=N, ridge=0, biases={0: 1, 1: 1})
    rng, losses = np.random.default_rng(7), []
    for _ in range(30):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
        shift = np.repeat([0.0, 1.0], N // 2)
        X, fresh = rng.standard_normal((n, d)), rng.standard_normal((2000, d))

        def labels(points):
            return points[:, 0] + (points[:, 0] ** 2 - 1) / 2 + 0.5 * rng.standard_normal(len(points))

        F, G = (np.tanh(points @ W.T + shift) for points in (X, fresh))
        y = labels(X)
        a = np.linalg.lstsq(F - F.mean(axis=0), y - y.mean(), rcond=None)[0]
        losses.append(np.mean((labels(fresh) - y.mean() - (G - F.mean(axis=0)) @ a) ** 2))
    mean, error = np.mean(losses), np.std(losses, ddof=1) / np.sqrt(len(losses))
    found = tc.predict(known, ell=0).test_loss
    assert abs(mean - found) < 3.5 * error
    wrong = tc.predict(tc.Problem("tanh", **SETTING, n=n, d=d, N=N, ridge=0), ell=0).test_loss
    assert abs(mean - wrong) > 4 * error


@pytest.mark.checks("kind_ridgeless")
@pytest.mark.parametrize("biases", [{0: 1, 1: 1}, "normal(1)"])
@pytest.mark.parametrize(("phi", "psi"), [*RATIOS, ("1", "1"), ("1/2", "1/2"), ("2", "3")])
def test_linear_neurons_are_of_one_kind(phi, psi, biases):
    """Without ridge, with an intercept that takes their means up; F₀ has rank d where d < n and d < N."""
    sizes = SETTING | {"phi": phi, "psi": psi, "ridge": 0}
    plain, kinds = (tc.Problem("2*x + 1", **sizes, biases=b) for b in (None, biases))
    one, other = (tc.predict(known, ell=1) for known in (plain, kinds))
    for name in ("m1", "m2", *NAMES):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-12)
    mixed = tc.predict(kinds, ell=1, ridge=[0, 0.1])
    assert mixed.test_loss[0] == pytest.approx(one.test_loss, rel=1e-12)
    assert mixed.test_loss[1] == pytest.approx(tc.predict(plain, ell=1, ridge=0.1).test_loss, rel=1e-12)
    if biases != "normal(1)":
        assert float(tc.predict(kinds, ell=1, digits=15).test_loss) == pytest.approx(one.test_loss, rel=1e-12)


@pytest.mark.slow
def test_a_linear_fit_without_ridge():
    """Least norm on features of rank d, by standard errors."""
    n, d, N = 300, 150, 240
    known = tc.Problem("x", **SETTING, n=n, d=d, N=N, ridge=0, biases={0: 1, 1: 1})
    rng, losses = np.random.default_rng(8), []
    for _ in range(20):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
        X, fresh = rng.standard_normal((n, d)), rng.standard_normal((2000, d))
        y, z = (P[:, 0] + (P[:, 0] ** 2 - 1) / 2 + 0.5 * rng.standard_normal(len(P)) for P in (X, fresh))
        F, G = (P @ W.T + np.repeat([0.0, 1.0], N // 2) for P in (X, fresh))
        a = np.linalg.lstsq(F - F.mean(axis=0), y - y.mean(), rcond=None)[0]
        losses.append(np.mean((z - y.mean() - (G - F.mean(axis=0)) @ a) ** 2))
    mean, error = np.mean(losses), np.std(losses, ddof=1) / np.sqrt(len(losses))
    assert abs(mean - tc.predict(known, ell=0).test_loss) < 3.5 * error
    curved = tc.Problem("tanh", **SETTING, n=n, d=d, N=N, ridge=0, biases={0: 1, 1: 1})
    assert abs(mean - tc.predict(curved, ell=0).test_loss) > 5 * error

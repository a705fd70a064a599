"""features(): the pool as a result, the same from every source, in every order and every rotation."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law

F, Y = law(20).draw(400, np.random.default_rng(0))
POOL = tc.features(F, Y)
NAMES = ("test_loss", "train_loss", "train_error", "degrees_of_freedom")


def same(one, other, rel=1e-5):
    for name in NAMES:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rel)


GRID = [10, 50, 1000], [0.0, 0.01, 1.0]


def test_losses_do_not_depend_on_order_rotation_scale_or_place():
    rng = np.random.default_rng(1)
    expected = POOL.losses(*GRID)
    order = rng.permutation(400)
    turn = np.linalg.qr(rng.standard_normal((20, 20)))[0]
    same(tc.features(F[order], Y[order]).losses(*GRID), expected)
    same(tc.features((F + 5) @ turn, Y - 3).losses(*GRID), expected)
    same(tc.features(3 * F, Y).losses(GRID[0], [9 * ridge for ridge in GRID[1]]), expected)
    same(tc.features([(F[:10], Y[:10]), (F[10:], Y[10:])]).losses(*GRID), expected)


def test_dead_and_repeated_features_change_nothing():
    more = np.concatenate([F, np.ones((400, 2)), F[:, :1]], axis=1)
    pool = tc.features(more, Y)
    assert (pool.rank, pool.N) == (20, 23)
    assert "2 of 23 features are constant" in repr(pool)
    twice = F.copy()
    twice[:, 0] *= np.sqrt(2)  # a feature that is there twice is one that is √2 times as large
    same(pool.losses(*GRID), tc.features(twice, Y).losses(*GRID))


def test_outputs_are_added():
    labels = np.stack([Y, F[:, 3] ** 2], axis=1)
    both, first, second = (tc.features(F, y).losses(*GRID) for y in (labels, Y, F[:, 3] ** 2))
    for name in NAMES[:3]:
        np.testing.assert_allclose(getattr(both, name), getattr(first, name) + getattr(second, name), rtol=1e-5)
    np.testing.assert_allclose(both.degrees_of_freedom, first.degrees_of_freedom)


def test_eigenvalues_are_those_of_the_covariance():
    np.testing.assert_allclose(POOL.eigenvalues[::-1], np.linalg.eigvalsh(np.cov(F.T, bias=True)), rtol=1e-9)
    assert POOL.label_variance == pytest.approx(np.var(Y))
    weights = np.linalg.lstsq(F - F.mean(axis=0), Y - Y.mean(), rcond=None)[0]
    rest = Y - Y.mean() - (F - F.mean(axis=0)) @ weights
    assert POOL.noise == pytest.approx(rest @ rest / (400 - 21))
    assert np.sum(POOL.signal) == pytest.approx(POOL.label_variance - rest @ rest / 400)
    assert POOL.rows[0]["eigenvalue"] == POOL.eigenvalues[0]
    assert tc.features(F.astype(np.float64), Y, seed=0) == POOL


@pytest.mark.slow
def test_the_best_ridge_is_the_best():
    found = POOL.best_ridge([10, 50, 1000])
    around = POOL.losses([10, 50, 1000], np.geomspace(1e-6, 1e3, 400))
    # points change their classes along λ, and losses jump by parts of a thousand where they do
    assert np.all(found.test_loss <= around.test_loss.min(axis=1) * (1 + 1e-3))
    assert POOL.best_ridge(50).test_loss == pytest.approx(found.test_loss[1], rel=1e-5)
    exact = tc.features(F, F @ np.ones(20))
    assert exact.best_ridge(100).ridge == 0  # without noise any penalty is too much
    rng = np.random.default_rng(2)
    G = rng.standard_normal((500, 100))
    y = rng.standard_normal(500)
    unrelated = y - G @ np.linalg.lstsq(G, y, rcond=None)[0]
    nothing = tc.features(G, unrelated, intercept=False).best_ridge(10)
    assert "largest λ tried" in repr(nothing)


def test_a_learning_curve_falls():
    curve = POOL.learning_curve()
    assert np.all(np.diff(curve.test_loss) < 0)
    assert (curve.n[0], curve.n[-1]) == (10, 200)
    assert POOL.learning_curve([10, 20], [0.1, 1]).test_loss.shape == (2, 2)
    assert POOL.learning_curve(ridge=0.1).test_loss.shape == curve.n.shape


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"intercept": 1}, "must be True or False"),
        ({"seed": -1}, "a whole number from 0"),
        ({"bias": True}, "no argument 'bias'"),
    ],
)
def test_refusals(how, words):
    with pytest.raises(tc.TheoryError, match=words):
        tc.features(F, Y, **how)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda pool: pool.losses(alpha=10),
            r"FeaturePool.losses\(\) has no argument 'alpha'; give the ridge .* as ridge=",
        ),
        (lambda pool: pool.losses(10), "missing a required argument: 'ridge'"),
        (lambda pool: pool.best_ridge(samples=10), "give the number of samples as n="),
        (lambda pool: pool.learning_curve(lam=1), "as ridge="),
        (lambda pool: pool.gcv(ridges=1), "did you mean 'ridge'"),
        (lambda pool: pool.compare(1, 2, n=3), "missing a required argument: 'ridge'"),
    ],
)
def test_wrong_arguments_of_methods_are_told(call, message):
    rng = np.random.default_rng(0)
    F = rng.standard_normal((60, 3))
    with pytest.raises(tc.ArgumentError, match=message):
        call(tc.features(F, F[:, 0] + rng.standard_normal(60)))

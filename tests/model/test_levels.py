"""Levels of power laws: in float64 and as balls."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.model.levels import estimated
from theorycalc.numbers.balls import ball_precision


@pytest.mark.parametrize("text", ["power(1/3, 2, 12)", "power(2, -1, 12)", "power(1/2)"])
def test_a_power_law_follows_its_exponents(text):
    found = read_inputs(text, 12)
    places = np.arange(1, 13.0)
    a, b = map(float, found.law)
    eigenvalues, shares = (np.array([getattr(one, name) for one in found.levels]) for name in ("eigenvalue", "share"))
    assert eigenvalues == pytest.approx(places**-a / np.mean(places**-a), rel=1e-13)
    assert shares == pytest.approx(places**-b / np.sum(places**-b), rel=1e-13)
    with ball_precision(200):
        balls = ball_levels(found)
        assert all(one.rel_accuracy_bits() > 180 for level in balls for one in level)
    floats = np.array([[float(value) for value in level] for level in found.levels])
    assert np.array([[float(value) for value in level] for level in balls]) == pytest.approx(floats, rel=1e-13)


def data(M, seed=0, d=20):
    """Points of a known covariance in a rotated basis, with labels of a known direction and a quadratic part."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((d, d)))
    eigenvalues = np.linspace(4.0, 0.5, d)
    v = np.where(np.arange(d) % 5 == 0, 0.5, 0.0)  # four of twenty directions
    z = rng.standard_normal((M, d))
    t = z @ v
    return (z * np.sqrt(eigenvalues)) @ basis.T, t + (t**2 - 1) / 2, eigenvalues, v**2


def test_the_shares_of_chance_are_subtracted():
    # labels that are noise: M times each share is (χ² − 1)₊ of one degree of freedom, whose mean is 2φ(1)
    M, d, expected = 400, 40, 2 * np.exp(-0.5) / np.sqrt(2 * np.pi)
    rng = np.random.default_rng(1)
    found = [M * np.mean(estimated(rng.standard_normal((M, d)), rng.standard_normal(M))[1]) for _ in range(60)]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - expected) < 3 * error
    assert abs(np.mean(found) - 1) > 5 * error  # as it would be if nothing were subtracted


def test_eigenvalues_and_shares_are_found_in_any_basis():
    X, y, eigenvalues, shares = data(200_000)
    found, parts = map(np.array, estimated(X, y))
    assert found == pytest.approx(eigenvalues, rel=0.02)  # relative standard error √(2/M) = 0.003, and repulsion
    assert np.sum(np.abs(parts / parts.sum() - shares)) < 0.1
    inputs = tc.Inputs.from_data(X, y)
    assert inputs.count == 20
    assert not inputs.is_exact


def test_directions_without_variance_have_no_share():
    X, y, *_ = data(200)
    X = np.hstack([X, np.ones((200, 2))])
    found, shares = estimated(X, y)
    assert found[-2:] == [0.0, 0.0] == shares[-2:]
    assert tc.Inputs.from_data(X, y).levels[-1].eigenvalue == 0


@pytest.mark.parametrize(
    ("X", "y", "words", "argument"),
    [
        (np.ones((3, 4)), None, "3 points in 4 dimensions", "X"),
        (np.ones((5, 2)), None, "columns of X are constant", "X"),
        ([[1.0, np.nan], [0, 0], [0, 1]], None, "not finite", "X"),
        ([1.0, 2.0], None, "one row for each point", "X"),
        ("much", None, "not an array of numbers", "X"),
        (np.eye(5)[:, :2], np.ones(4), "5 points and 4 labels", "y"),
        (np.eye(5)[:, :2], np.ones(5), "follow no direction", "y"),
    ],
)
def test_what_is_refused(X, y, words, argument):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        tc.Inputs.from_data(X, y)
    assert caught.value.argument == argument


def test_isotropic_data_are_almost_isotropic():
    # without shrinking, ⟨τ²⟩ = 1 + d/M; its relative standard deviation is about 2/M
    found = np.array(estimated(np.random.default_rng(3).standard_normal((600, 300)))[0])
    assert abs(np.mean(found**2) / np.mean(found) ** 2 - 1) < 0.02

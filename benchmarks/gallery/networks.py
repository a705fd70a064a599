"""Untrained networks, drawn and fitted without theorycalc, for the points of the pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve
from threadpoolctl import threadpool_limits

from tests.helpers.matrices import first_layer, mean_and_error

Function = Callable[[Any], Any]


class Setting(NamedTuple):
    """Sizes, activation, teacher, standard deviation of the noise, and penalties in our convention."""

    n: int
    d: int
    N: int
    activation: Function
    teacher: Function
    noise: float
    ridge: float


class Seen(NamedTuple):
    """Numbers of one draw, each for two networks that share nothing: on fresh points, without noise in their labels."""

    test: float  # mean squared error
    train: float  # mean squared residual of the fit
    wrong: float  # share of wrong signs
    shared: float  # mean product of the two networks' errors: the squared bias


class Mean(NamedTuple):
    """A mean over draws, and its standard error."""

    value: float
    error: float


def fitted(rng: np.random.Generator, case: Setting, points: Any) -> tuple[Any, float]:
    """Return what one network, drawn and fitted anew, says of some points, and its training error."""
    W = first_layer(rng, case.N, case.d)
    X = rng.standard_normal((case.n, case.d))
    y = case.teacher(X[:, 0]) + case.noise * rng.standard_normal(case.n)
    F = case.activation(X @ W.T)
    a = coefficients(F, y, case.ridge * case.n)
    return case.activation(points @ W.T) @ a, float(np.mean((y - F @ a) ** 2))


def coefficients(F: Any, y: Any, penalty: float) -> Any:
    """Return the ridge fit, by the smaller of the two Gram matrices."""
    n, N = F.shape
    if n < N:
        return F.T @ solve(F @ F.T + penalty * np.eye(n), y, assume_a="pos")
    return solve(F.T @ F + penalty * np.eye(N), F.T @ y, assume_a="pos")


def draw(rng: np.random.Generator, case: Setting) -> Seen:
    """Return the numbers of one draw."""
    points = rng.standard_normal((2 * case.n, case.d))
    true = case.teacher(points[:, 0])
    (one, train_one), (two, train_two) = (fitted(rng, case, points) for _ in range(2))
    errors = np.array([one - true, two - true])
    wrong = np.mean([np.sign(said) != np.sign(true) for said in (one, two)])
    shared = np.mean(errors[0] * errors[1])
    return Seen(float(np.mean(errors**2)), (train_one + train_two) / 2, float(wrong), float(shared))


def means(case: Setting, draws: int, seed: int) -> dict[str, Mean]:
    """Return the mean and the standard error of every number over independent draws."""
    rng = np.random.default_rng(seed)
    with threadpool_limits(1):
        values, errors = mean_and_error([draw(rng, case) for _ in range(draws)])
    return {name: Mean(float(v), float(e)) for name, v, e in zip(Seen._fields, values, errors, strict=True)}

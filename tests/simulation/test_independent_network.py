"""The simulator against a network in plain NumPy that shares no line and no random number with it."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.independent.literal_network import Built, gains
from tests.independent.plain_network import tanh_network

pytestmark = pytest.mark.slow

SIZES = {"n": 120, "d": 40, "N": 80}
ETAS = (5.0, 20.0)
DRAWS = 150
NAMES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial"),
    *("train_loss", "train_error", "test_loss"),
)
PROBLEM = tc.Problem("tanh", "sin(x)", **SIZES, ridge="1/100", noise="1/10")


@pytest.fixture(scope="module")
def plain():
    """Losses of the plain network by the gradient's name: one row for each draw, step and name."""
    found = {}
    for seed, gradient in enumerate(("residual", "labels")):
        rng = np.random.default_rng(seed)
        draws = [tanh_network(rng, **SIZES, etas=ETAS, lam=0.01, noise=0.1, gradient=gradient) for _ in range(DRAWS)]
        found[gradient] = np.array([[[losses[name] for name in NAMES] for losses in draw] for draw in draws])
    return found


def simulated(**options) -> np.ndarray:
    """The same of the simulator."""
    run = tc.simulate(PROBLEM, n=120, eta=list(ETAS), replicates=DRAWS, seed=7, **options)
    values = [[row[name] for name in NAMES] for row in run.draws]
    return np.reshape(values, (len(ETAS), DRAWS, len(NAMES))).swapaxes(0, 1)


def scores(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far two sets of draws are apart, in standard errors of the difference, for each step and name."""
    errors = np.hypot(one.std(axis=0, ddof=1), other.std(axis=0, ddof=1)) / np.sqrt(DRAWS)
    return np.abs(one.mean(axis=0) - other.mean(axis=0)) / errors


@pytest.mark.parametrize("gradient", ["residual", "labels"])
def test_the_simulator_is_the_plain_network(plain, gradient):
    assert scores(simulated(gradient=gradient), plain[gradient]).max() < 4


def test_the_literal_network_is_the_default_and_the_check_tells_the_gradients_apart(plain):
    found = simulated()
    assert scores(found, plain["residual"]).max() < 4
    far = scores(found, plain["labels"])
    assert far[:, :3].max() < 4  # before the step they are the same
    assert far[1, 3:].min() > 4  # after it training loss, training error and test loss are others


def test_the_penalty_is_seen(plain):
    """Training loss and training error are not confused: each is far from the other's plain value."""
    found = simulated()
    swapped = found[:, :, [1, 0, 2, 4, 3, 5]]
    assert scores(swapped, plain["residual"])[:, [0, 1, 3, 4]].min() > 4


@pytest.mark.parametrize("gradient", ["residual", "labels"])
def test_a_network_as_libraries_build_it_is_the_plain_one(gradient):
    """Raw ReLU, uniform second layer, both scales, intercept: gains of independent draws of independent code."""
    scales = {"first_scale": 0.6, "second_scale": 0.7, "second_layer": "uniform"}
    problem = tc.Problem(
        "relu", "sin(x)", **SIZES, ridge="1/100", noise="1/10", centred=False, intercept=True, **scales
    )
    built = Built(lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0, 0.6, 0.7, "sphere", "uniform", False, True)
    rng = np.random.default_rng(4)
    plain = np.array(
        [gains(rng, built, np.sin, SIZES.values(), ETAS, (0.01,), 0.1, gradient)[:, 0] for _ in range(DRAWS)]
    )
    run = tc.simulate(problem, eta=list(ETAS), replicates=DRAWS, seed=8, gradient=gradient, test_samples=480)
    found = np.array([[row["train_gain"], row["test_gain"]] for row in run.draws])
    found = found.reshape(len(ETAS), DRAWS, 2).swapaxes(0, 1)
    assert scores(found, plain).max() < 4
    halved = tc.simulate(problem, eta=[eta / 2 for eta in ETAS], replicates=DRAWS, seed=8, gradient=gradient)
    other = np.array([[row["train_gain"], row["test_gain"]] for row in halved.draws])
    assert scores(other.reshape(len(ETAS), DRAWS, 2).swapaxes(0, 1), plain).max() > 4  # the check sees a wrong scale

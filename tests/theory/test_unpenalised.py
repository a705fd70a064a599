"""Limits with options by simulated features whose spikes cost nothing, judged by standard errors.

Nothing of the theory is used: networks and labels are drawn, the step direction comes from the true residual, and the
ridge fit leaves 1, h and h² + τ without a penalty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.matrices import first_layer, mean_and_error, setting_2, unit

SIZES = {"n": 600, "d": 300, "N": 450}
RIDGE = 0.1
NOISE = 0.5
RELU_MEAN = 1 / np.sqrt(2 * np.pi)
NAMES = ("train_gain", "test_gain", "test_gain_clean")


@dataclass(frozen=True)
class Cell:
    """A network: what is added to centred ReLU, the mean of labels, channels, and the functions without a cost."""

    options: dict
    shift: float = 0.0
    mean: float = 0.0
    corrupt: tuple[float, float] = (0.0, 0.0)  # shares of labels of other points, in the step and in the fit
    flip: tuple[float, float] = (0.0, 0.0)
    residual: bool = False
    constant: bool = True  # whether 1 is added; else the features have to do it
    lifted: float = 0.0  # τ

    @property
    def problem(self):
        """The same network for the theory."""
        raw = f"relu(x) + {self.shift - RELU_MEAN:.15f}"
        teacher = f"H1 + H2/sqrt(2) + {self.mean}"
        return tc.Problem(raw, teacher, ridge=RIDGE, noise=NOISE, **SIZES, **self.options)

    def batch(self, rng, size, beta_star, place):
        """Points, their clean labels, and those of the channel."""
        X = rng.standard_normal((size, SIZES["d"]))
        clean = self.mean + setting_2(X @ beta_star)
        others = self.mean + setting_2(rng.standard_normal(size))
        y = np.where(rng.random(size) < self.corrupt[place], others, clean)
        y = y * np.where(rng.random(size) < self.flip[place], -1, 1)
        noise = NOISE * rng.standard_normal(size)
        return X, clean + noise, y + noise

    def draw(self, rng):
        """Gains of one network: in training loss, and in test loss on labels of the channel and on clean ones."""
        n, d, N = SIZES.values()
        beta_star, W, a = unit(rng, d), first_layer(rng, N, d), rng.standard_normal(N) / np.sqrt(N)

        def features(X):
            return np.maximum(X @ W.T, 0) - RELU_MEAN + self.shift

        (X, _, y), (X2, _, y2) = (self.batch(rng, n, beta_star, place) for place in (0, 1))
        XT, clean, yT = self.batch(rng, 3 * n, beta_star, 1)
        beta = X.T @ (y - features(X) @ a if self.residual else y)
        beta /= np.linalg.norm(beta)
        F, FT = features(X2), features(XT)
        R = np.linalg.inv(F @ F.T + RIDGE * n * np.eye(n))
        losses = []
        for learned in (False, True):
            U, UT = (self.free(Z @ beta, learned) for Z in (X2, XT))
            b = np.linalg.solve(U.T @ R @ U, U.T @ R @ y2) if U.shape[1] else np.zeros(0)
            rest = y2 - U @ b
            fitted = UT @ b + FT @ (F.T @ (R @ rest))
            losses.append([RIDGE * rest @ R @ rest, np.mean((yT - fitted) ** 2), np.mean((clean - fitted) ** 2)])
        return np.subtract(*losses)

    def free(self, h, learned):
        """The functions without a penalty, before or after the step."""
        columns = [np.ones_like(h)] * self.constant + [h, h**2 + self.lifted] * learned
        return np.array(columns).reshape(-1, len(h)).T


def simulated(cell, draws, seed):
    rng = np.random.default_rng(seed)
    return mean_and_error([cell.draw(rng) for _ in range(draws)])


def predicted(cell, **changes):
    network = {"network": "literal", "gradient": "residual" if cell.residual else "labels"}
    problem = tc.Problem(**{**{f: getattr(cell.problem, f) for f in cell.problem.__dataclass_fields__}, **changes})
    found = tc.predict(problem, ell=2, **network)
    values = [getattr(found, name) for name in NAMES]
    return np.array([found.test_gain if value is None else value for value in values])


MEAN = {"intercept": True, "centred_labels": False}
CELLS = {
    "intercept": Cell(MEAN, mean=2.0, lifted=1.0),
    "raw": Cell({"centred": False, "centred_labels": False}, shift=RELU_MEAN, mean=2.0, constant=False, lifted=1.0),
    "corrupted": Cell({"intercept": True, "corrupt_step": "3/10", "corrupt_fit": "3/10"}, corrupt=(0.3, 0.3)),
    "flipped": Cell({"intercept": True, "flip_fit": "1/5"}, flip=(0.0, 0.2)),
    "raw residual": Cell({"centred": False}, shift=2.0, residual=True, constant=False),
}


@pytest.mark.slow
@pytest.mark.checks("free_constant", "Lambda_clean", "own_mean")
@pytest.mark.parametrize("name", CELLS)
def test_gains_of_networks_as_people_build_them(name):
    cell = CELLS[name]
    mean, error = simulated(cell, draws=40, seed=[19, list(CELLS).index(name)])
    assert np.all(np.abs(mean - predicted(cell)) < 3.5 * error)
    wrong = {
        "intercept": lambda: predicted(cell, centred_labels=True),
        "raw": lambda: predicted(cell, centred_labels=True),
        "corrupted": lambda: predicted(cell, corrupt_step=0),
        "flipped": lambda: predicted(cell)[[0, 1, 1]],  # the gain on flipped labels is not that on clean ones
        "raw residual": lambda: predicted(cell, centred=True, intercept=True),  # without the mean of f₀
    }[name]()
    assert np.any(np.abs(mean - wrong) > 4 * error)

"""What a step learns of several directions: ``python -m benchmarks.directions [draws]``.

Real networks with the true gradient, by numpy alone, against dressed features, the isotropic form, and dressed features
with all that û does not show as noise, which is right in the limit.  And what several steps gain beyond one of their
sum, as later ones find directions beside û.  Prints both tables of docs/theory/several_directions.md#finite-steps.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import expit

import theorycalc as tc
from benchmarks.pages import agreement, table
from tests.helpers.matrices import first_layer, mean_and_error
from theorycalc.numbers.systems import Array

SAMPLES, INPUTS, NEURONS = 800, 400, 600
RIDGE, NOISE = 0.1, 0.5
DRAWS = 20
ETAS = tuple(SAMPLES**alpha for alpha in (0.3, 0.4, 0.5))
GRADIENTS = ("labels", "residual")
GAINS = ("train_gain", "test_gain")


class Activation(NamedTuple):
    """An activation less its mean, and its slope."""

    values: Callable[[Array], Array]
    slope: Callable[[Array], Array]


class Teacher(NamedTuple):
    """A teacher of t = x_1, …, x_r as numpy has it, and the energy that û = e_1 does not show."""

    values: Callable[[Array], Array]
    unseen: float


ACTIVATIONS = {
    "tanh(x + 1)": Activation(lambda z: np.tanh(z + 1), lambda z: 1 - np.tanh(z + 1) ** 2),
    "softplus": Activation(lambda z: np.logaddexp(0, z), expit),
    "relu": Activation(lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0),
}
TEACHERS = {
    "t1 + t1*t2": Teacher(lambda x: x[:, 0] + x[:, 0] * x[:, 1], 1.0),
    "t1 + 7*t1*t2/10 + H2(t2)/2": Teacher(
        lambda x: x[:, 0] + 0.7 * x[:, 0] * x[:, 1] + 0.5 * (x[:, 1] ** 2 - 1), 0.49 + 0.5
    ),
    "t1 + t1*t2/2 + t2*t3/2 + tanh(t3)*t1": Teacher(
        lambda x: x[:, 0] + 0.5 * x[:, 0] * x[:, 1] + 0.5 * x[:, 1] * x[:, 2] + np.tanh(x[:, 2]) * x[:, 0],
        0.5 + 0.394294,  # E tanh(Z)²
    ),
}


class Cell(NamedTuple):
    """One network: names of its activation and teacher, the target of its gradient, and its step."""

    activation: str
    teacher: str
    gradient: str
    eta: float


def gains(cell: Cell, seed: list[int]) -> Array:
    """Return the training and the test gain of one draw."""
    rng = np.random.default_rng(seed)
    (sigma, slope), teacher = ACTIVATIONS[cell.activation], TEACHERS[cell.teacher].values
    W = first_layer(rng, NEURONS, INPUTS)
    a = rng.standard_normal(NEURONS) / math.sqrt(NEURONS)
    batches = [rng.standard_normal((count, INPUTS)) for count in (SAMPLES, SAMPLES, 2 * SAMPLES)]
    (X0, y0), (X, y), (there, answers) = ((x, teacher(x) + NOISE * rng.standard_normal(len(x))) for x in batches)
    z = np.linspace(-10, 10, 400001)
    mean = np.average(sigma(z), weights=np.exp(-(z**2) / 2))
    before = X0 @ W.T
    r = y0 - (sigma(before) - mean) @ a if cell.gradient == "residual" else y0
    moved = W + cell.eta * a[:, None] * ((slope(before) * r[:, None]).T @ X0) / SAMPLES
    losses = []
    for weights in (W, moved):
        F = sigma(X @ weights.T) - mean
        fit = np.linalg.solve(F.T @ F + SAMPLES * RIDGE * np.eye(NEURONS), F.T @ y)
        error = answers - (sigma(there @ weights.T) - mean) @ fit
        losses.append([np.mean((y - F @ fit) ** 2) + RIDGE * fit @ fit, np.mean(error**2)])
    return np.subtract(*losses)


def predictions(cell: Cell) -> Iterator[tuple[str, Array]]:
    """Yield the gains by each theory."""
    noisy = math.sqrt(NOISE**2 + TEACHERS[cell.teacher].unseen)
    for words, teacher, noise, method in (
        ("dressed features", cell.teacher, NOISE, "dressed"),
        ("isotropic features", cell.teacher, NOISE, "isotropic"),
        ("dressed features of û, the rest as noise", "x", noisy, "dressed"),
    ):
        sizes = {"n": SAMPLES, "d": INPUTS, "N": NEURONS}
        problem = tc.Problem(cell.activation, teacher, **sizes, ridge=RIDGE, noise=noise)
        found = tc.step(problem, eta=cell.eta, gradient=cell.gradient, method=method)
        yield words, np.array([found.train_gain, found.test_gain])


def main(draws: int = DRAWS) -> None:
    """Simulate all cells, and print the table."""
    z: dict[tuple[str, str], list[Array]] = {}
    for index, parts in enumerate(product(ACTIVATIONS, TEACHERS, GRADIENTS, ETAS), start=1):
        cell = Cell(*parts)
        mean, error = mean_and_error([gains(cell, [1, index, draw]) for draw in range(draws)])
        for words, found in predictions(cell):
            z.setdefault((words, cell.gradient), []).append((mean - found) / error)
    counted = "{} of {} | {:.2f} | {:.1f}"
    rows = [(*which, counted.format(*agreement(np.ravel(values)))) for which, values in z.items()]
    print("\n".join(table("theory | gradient | within 3 standard errors | rms z | largest", rows)))


def later_steps(replicates: int = 50) -> None:
    """Print by how much three steps on fresh batches gain more than predicted."""
    rows = []
    alphas = (0.2, 0.3, 0.42)
    etas = [400**alpha for alpha in alphas]
    for activation in ("relu", "tanh(x + 1)"):
        problem = tc.Problem(activation, "t1 + t1*t2", n=400, d=200, N=300, ridge="1/10", noise="1/2", steps=3)
        run = tc.simulate(problem, eta=etas, replicates=replicates, seed=123, gradient="labels")
        found = tc.step(problem, eta=etas, gradient="labels")
        for i, (alpha, row) in enumerate(zip(alphas, run.rows, strict=True)):
            parts = ((row[name], row[f"{name}_se"], getattr(found, name)[i]) for name in GAINS)
            more = (f"{100 * (seen / wanted - 1):.0f} ± {100 * error / wanted:.0f} %" for seen, error, wanted in parts)
            rows.append((activation, f"$n^{{{alpha}}}$", *more))
    print("\n".join(table("activation | each step | training | test", rows)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
    later_steps()

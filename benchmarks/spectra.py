"""Outliers of simulated networks against dressed features, with heavy tails, too, and the time of one spectrum.

``python -m benchmarks.spectra`` writes three tables into docs/spectrum_checks.md; it takes some minutes of one core.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import Ratio, against_networks, end, forget, machine, ratio_table
from tests.helpers.matrices import mean_and_error
from theorycalc.model.enums import GradientTarget
from theorycalc.simulation.settings import read_settings
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.dressed.outliers import dressed_outliers

ACTIVATIONS = ("relu", "tanh(x + 1)", "softplus", "silu", "x + x**2/3", "max(0, x)**2")
ALPHAS = (0.2, 0.3, 0.4, 0.5)
N_SAMPLES = 800
DRAWS = 24
HEAVY = ("relu", "x + x**2/3", "x*abs(x)", "max(0, x)**2", "x + x**3/10", "H1 + H3/6", "x**3")
HEAVY_SAMPLES = 600
#: Activation, teacher, φ, ψ and n of problems that had no part in the bounds of heavy tails.
HELD_OUT = (
    ("elu", "tanh", "1/3", "1", 400),
    ("x + max(0, x)**2", "H1 + H3/6", "1/2", "1/2", 400),
    ("gelu(x)*x + x", "H1", "1", "3/2", 500),
    ("x + x**3/6", "tanh", "1/3", "1", 500),
    ("max(0, x)**3", "H1 + H2/2", "1/2", "2/3", 500),
    ("softplus(x)**2", "sin(x) + H2/3", "2/3", "1/2", 700),
    ("max(0, x)**2", "tanh", "1/3", "1", 900),
)
TIMED = ("tanh(x + 1)", "relu")
_ERROR = 0.01  # standard error, relative to the largest eigenvalue
TARGET = 10


class Seen(NamedTuple):
    """Predicted outliers beside the mean of as many of the largest eigenvalues of the draws, and its standard error."""

    edge: float
    places: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    counted: float  # the share of draws with the predicted number of eigenvalues visibly above the edge


def problem_of(activation: str) -> tc.Problem:
    """Return the problem of the tables."""
    return tc.Problem(activation, "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")


def seen_by(activation: str) -> list[Seen]:
    """Return prediction and draws for every α."""
    problem = problem_of(activation)
    run = tc.simulate(problem, n=N_SAMPLES, alpha=list(ALPHAS), replicates=DRAWS, seed=11, spectrum=True)
    found = []
    for alpha in ALPHAS:
        tops = np.array([one["spectrum"]["top"] for one in run.records if one["alpha"] == alpha])
        expected = tc.spectrum(problem, n=N_SAMPLES, alpha=alpha)
        count, edge = len(expected.outliers), float(expected.edge_after or 0)
        above = (tops > edge * (1 + N_SAMPLES ** (-2 / 3))).sum(axis=1)
        mean, error = (part[:count] for part in mean_and_error(tops))
        found.append(Seen(edge, np.asarray(expected.outliers), mean, error, float(np.mean(above == count))))
    return found


def row(activation: str, alpha: float, seen: Seen) -> str:
    """Return one row of the table."""
    simulated = ", ".join(f"{m:.4g} ± {e:.2g}" for m, e in zip(seen.mean, seen.error, strict=True))
    predicted = ", ".join(f"{place:.4g}" for place in seen.places)
    cells = (f"`{activation}`", f"{alpha:g}", f"{seen.edge:.3f}", simulated, predicted)
    return " | ".join((*(cell or "none" for cell in cells), f"{seen.counted:.0%}"))


def verdict(everything: list[Seen]) -> str:
    """Return how many places are within three standard errors, or within 3 %."""
    _, places, mean, error, _ = map(np.hstack, zip(*everything, strict=True))
    off = mean - places
    within, near = np.abs(off) <= 3 * error, np.abs(off) <= 0.03 * places
    return (
        f"{int(within.sum())} of {len(off)} places are within three standard errors, {int((within | near).sum())} "
        "within that or 3 %."
    )


def heavy_row(problem: tc.Problem, n: int, gradient: str, alpha: float, draws: int, seed: int) -> str:
    """Return the share of rare values, and by how much the largest eigenvalue of draws is off, refused or not."""
    run = tc.simulate(problem, n=n, alpha=alpha, gradient=gradient, replicates=draws, seed=seed, spectrum=True)
    found = dressed_outliers(step_of(run.settings.problem, run.settings.N, gradient), n**alpha)
    case = f"`{problem.activation.name}`", gradient, f"{alpha:g}", f"{found.rare:.1%}"
    if not len(found.places):
        return " | ".join((*case, "none predicted", ""))
    off = np.array([one["spectrum"]["top"][0] for one in run.records]) / found.places[0] - 1
    return " | ".join((*case, "{:+.0%} ± {:.0%}".format(*mean_and_error(off)), f"{np.median(off):+.0%}"))


def write_heavy() -> None:
    """Write the table with which the bounds were chosen, and that of other problems."""
    head = "activation | gradient | α | rare values, beyond linear | mean of the largest, off by | median, off by"
    rows = [
        heavy_row(problem_of(name), HEAVY_SAMPLES, gradient, alpha, DRAWS, 3)
        for name, gradient, alpha in itertools.product(HEAVY, GradientTarget, (0.2, 0.4))
    ]
    write_between(DOCS / "spectrum_checks.md", "tails", table(head, rows))
    rows = [
        heavy_row(tc.Problem(name, teacher, phi, psi, "1/10", noise="1/3"), n, gradient, alpha, 20, 101)
        for (name, teacher, phi, psi, n), gradient, alpha in itertools.product(HELD_OUT, GradientTarget, (0.25, 0.45))
    ]
    write_between(DOCS / "spectrum_checks.md", "held out", table(head, rows))


def time_ratio(activation: str) -> list[Ratio]:
    """Time of a simulation that tells the largest eigenvalue to 1 % over the time of one spectrum."""
    problem = problem_of(activation)
    pilot = next(seen for alpha, seen in zip(ALPHAS, seen_by(activation), strict=True) if alpha == 0.3)
    draws = math.ceil(float((pilot.error[0] * math.sqrt(DRAWS) / pilot.mean[0] / _ERROR) ** 2))
    settings = read_settings(problem, n=N_SAMPLES, alpha=0.3, replicates=2, spectrum=True)
    steps = itertools.count(1)

    def fresh() -> None:
        forget()
        tc.spectrum(problem, n=N_SAMPLES, alpha=0.3 + 1e-6 * next(steps))

    return against_networks(f"one spectrum, {activation}", {"nothing remembered": fresh}, settings, draws, TARGET)


def main() -> None:
    """Measure, write all tables, and fail where the aim is missed."""
    with threadpool_limits(1):
        found = {activation: seen_by(activation) for activation in ACTIVATIONS}
        rows = [row(name, *pair) for name, each in found.items() for pair in zip(ALPHAS, each, strict=True)]
        lines = table("activation | α | edge after | simulated | predicted | draws with that number", rows)
        everything = [seen for each in found.values() for seen in each]
        write_between(DOCS / "spectrum_checks.md", "networks", [*lines, "", verdict(everything)])
        write_heavy()
        ratios = [one for activation in TIMED for one in time_ratio(activation)]
    write_between(DOCS / "spectrum_checks.md", "speed", [*ratio_table(ratios, "s"), "", machine()])
    end(ratios)


if __name__ == "__main__":
    main()

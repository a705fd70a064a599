"""Speed of finite steps: a curve of fifty steps against the simulation that it replaces, at the same n.

The simulation takes the same fifty steps on each draw, and as many draws as leave a standard error of 1 % of the test
gain; the spread of a pilot run tells how many.  One replicate is timed, and its time multiplied by the draws.

``python -m benchmarks.finite_step`` writes its table into docs/finite_steps.md; one BLAS thread for both.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, write_between
from benchmarks.timing import Ratio, against_networks, end, forget, machine, ratio_table
from theorycalc.simulation.settings import read_settings

ACTIVATIONS = ("tanh(x + 1)", "relu", "softplus")
ALPHAS = np.linspace(0, 0.55, 50)
N_SAMPLES = 1000
PILOT = 10  # draws, at five of the steps
TARGET = 1000
_ERROR = 0.01  # standard error, relative to the test gain


def draws_needed(problem: tc.Problem) -> int:
    """Return how many draws leave a standard error of 1 % of the test gain, in the median over five of the steps."""
    pilot = tc.simulate(problem, n=N_SAMPLES, alpha=ALPHAS[5::10].tolist(), replicates=PILOT, seed=5)
    spreads = [row["test_gain_se"] * math.sqrt(PILOT) / abs(row["test_gain"]) for row in pilot.rows]
    return math.ceil((float(np.median(spreads)) / _ERROR) ** 2)


def curve_ratios(activation: str) -> list[Ratio]:
    """Time of the simulation over the time of the curve, with nothing remembered and with the tables made."""
    problem = tc.Problem(activation, "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    settings = read_settings(problem, n=N_SAMPLES, alpha=ALPHAS.tolist(), replicates=2)
    draws = draws_needed(problem)
    ridges = itertools.count(1)

    def curve() -> None:
        tc.step(problem, n=N_SAMPLES, alpha=ALPHAS, ridge=0.1 + 0.001 * next(ridges))

    def fresh() -> None:
        forget()
        curve()

    works = {"nothing remembered": fresh, "another ridge": curve}
    return against_networks(f"fifty steps, {activation}", works, settings, draws, TARGET)


def main() -> None:
    """Measure, write the table, and fail where the aim is missed."""
    with threadpool_limits(1):
        found = [one for name in ACTIVATIONS for one in curve_ratios(name)]
    write_between(DOCS / "finite_steps.md", "speed", [*ratio_table(found), "", machine()])
    end(found)


if __name__ == "__main__":
    main()

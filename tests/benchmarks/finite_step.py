"""Speed of finite steps: a curve of fifty steps against one replicate of the simulation at the same n.

``python -m tests.benchmarks.finite_step`` writes its table into docs/finite_steps.md; one BLAS thread for both.
"""

from __future__ import annotations

import itertools

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from tests.benchmarks.pages import DOCS, write_between
from tests.benchmarks.timing import Ratio, forget, machine, ratio, table
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings

PAGE = DOCS / "finite_steps.md"
ACTIVATIONS = ("tanh(x + 1)", "relu", "softplus")
ALPHAS = np.linspace(0, 0.55, 50)


def curve_ratio(activation: str, tables: bool) -> Ratio:
    """Time of one replicate at n = 1000, one ridge, over the time of the curve, with or without the tables made."""
    problem = tc.Problem(activation, "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    settings = read_settings(problem, n=1000, alpha=0.3, replicates=2)
    ridges = itertools.count(1)

    def curve() -> None:
        if not tables:
            forget()
        tc.step(problem, n=1000, alpha=ALPHAS, ridge=0.1 + 0.001 * next(ridges))

    return ratio(
        f"fifty steps, {activation}, {'another ridge' if tables else 'nothing remembered'}",
        "one replicate at n = 1000",
        curve,
        lambda: replicate(settings, 0),
        rounds=5,
        target=3 if tables else 1,
    )


def main() -> None:
    """Measure, write the table, and fail where the aim is missed."""
    with threadpool_limits(1):
        found = [curve_ratio(name, tables) for name in ACTIVATIONS for tables in (False, True)]
    write_between(PAGE, "speed", [*table(found), "", machine()])
    missed = [r.name for r in found if r.missed]
    raise SystemExit(f"below target: {missed}" if missed else 0)


if __name__ == "__main__":
    main()

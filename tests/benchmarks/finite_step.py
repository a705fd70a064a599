"""Speed of finite steps: a curve of fifty steps against one replicate of the simulation at the same n.

``python -m tests.benchmarks.finite_step`` prints ratios; one BLAS thread for both.
"""

from __future__ import annotations

import itertools

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from tests.benchmarks.timing import Ratio, ratio
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings
from theorycalc.theory.dressed import network, setup

ALPHAS = np.linspace(0, 0.55, 50)


def curve_ratio(activation: str, tables: bool) -> Ratio:
    """Time of one replicate at n = 1000, one ridge, over the time of the curve, with or without the tables made."""
    problem = tc.Problem(activation, "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2", initial_output="included")
    settings = read_settings(problem, n=1000, alpha=0.3, replicates=2)
    ridges = itertools.count(1)

    def curve() -> None:
        if not tables:
            network._network_after.cache_clear()
            setup._step_of.cache_clear()
        tc.step(problem, n=1000, alpha=ALPHAS, ridge=0.1 + 0.001 * next(ridges))

    return ratio(
        f"fifty steps, {activation}, {'another ridge' if tables else 'nothing remembered'}",
        "one replicate at n = 1000",
        curve,
        lambda: replicate(settings, 0, 0),
        rounds=5,
        target=3 if tables else 1,
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        for name in ("tanh(x + 1)", "relu", "softplus"):
            curve_ratio(name, tables=False)
            curve_ratio(name, tables=True)

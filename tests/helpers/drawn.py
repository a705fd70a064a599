"""What the tests of plots draw: a problem, its staircase, and a simulation of it."""

from __future__ import annotations

from types import SimpleNamespace

import theorycalc as tc
from tests.helpers.problems import problem as example

PROBLEM = example("relu", "H1 + H2/2 + H3/6")
ALPHAS = [0.1, 0.3, 0.4]


def simulated() -> tc.Run:
    return tc.simulate(PROBLEM, n=100, alpha=ALPHAS, replicates=3, seed=1, spectrum=True)


def stairs(problem, top=4):
    predictions = [tc.predict(problem, ell=ell) for ell in range(top + 1)]
    return SimpleNamespace(problem=problem, predictions=predictions, ceiling=tc.predict(problem, ell="inf"))

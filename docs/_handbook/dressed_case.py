"""The case of which the examples of dressed features are: one network after one step (docs/theory/dressed.md)."""

from __future__ import annotations

import functools

import numpy as np

from docs._handbook.entry import PROBLEM, PROBLEM_TEXT
from theorycalc.theory.dressed.fixed_point import Solution, solve
from theorycalc.theory.dressed.neurons import Network, Resolution, network_after, step_of

ETA = 1000**0.3
CASE = f"n = 1000, N = 750, η = n^{{3/10}}, {PROBLEM_TEXT}, gradient on the residual"


@functools.cache
def solved() -> tuple[Network, Solution]:
    """Return the network and its fixed point."""
    described = step_of(PROBLEM, 750, "residual")
    network = network_after(described, np.array([ETA]), Resolution())
    return network, solve(network, np.array([0.1]))


def middle() -> tuple[int, int]:
    """Return one node of u and one of h, a little above 0."""
    network, _ = solved()
    return len(network.a) // 2 + 4, len(network.h) // 2 + 4

"""The fixed point of a network after a step, by the theory for its inputs: isotropic or with a covariance."""

from __future__ import annotations

from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed import fixed_point
from theorycalc.theory.dressed.fixed_point import Solution
from theorycalc.theory.dressed.level_turning import solve_levels
from theorycalc.theory.dressed.neurons import Network


def solve(network: Network, ridge: Array, accuracy: float = 1e-9, level: int = 0) -> Solution:
    """Return the solution for every η of the network, each at its own λ in ``ridge``."""
    step = network.step
    if step.case.levels and not step.isotropic and network.u.any():
        return solve_levels(network, ridge, level)
    return fixed_point.solve(network, ridge, accuracy, level)

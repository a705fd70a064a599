"""Cases of single formulas, made of their numbers or symbols, and one network for the examples of dressed features."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from docs._handbook.entry import PROBLEM, PROBLEM_TEXT
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.case import Case, Constants, case_at
from theorycalc.theory.dressed.fixed_point import Solution, solve
from theorycalc.theory.dressed.neurons import Network, Resolution, network_after, step_of
from theorycalc.theory.pencil.equations import Slice

ETA = 1000**0.3
CASE = f"n = 1000, N = 750, η = n^{{3/10}}, {PROBLEM_TEXT}, gradient on the residual"


def case_with(
    ns: NumberSystem,
    phi: Number,
    psi: Number,
    c1: Number,
    c_rest: Number,
    c_star: tuple[Number, ...],
    direction: tuple[Number, Number],
    included: bool = False,
    c2_gaussian: Number = 0,
) -> Case:
    """Return a case whose κ and ρ are given, where they would follow from the rest."""
    constants = Constants(
        c1=c1,
        c_rest=c_rest,
        c2_gaussian=c2_gaussian,
        c2_constant=0,
        c_star=c_star,
        tail=0,
        rest=0,
        hidden=0,
        linear=c_star[0],
        nonlinear=0,
        step_linear=c_star[0],
        step_quadratic=0,
        residual_mean=0,
        step_flipped=0,
        step_ratio=1,
        output_scale=1,
        included=included,
        gaussian_rows=bool(c2_gaussian),
        second_layer="gaussian",
        free_constant=False,
        kinds=(),
        levels=(),
    )
    kappa, rho = direction
    case = case_at(ns, constants, phi, psi, 0)
    return dataclasses.replace(case, kappa=kappa, rho=rho, without_own=kappa - c1**2 if included else kappa)


def slice_at(case: Case, m1: Number, m2: Number, theta: Number) -> Slice:
    """Return the slice of the pencil at one λ, of numbers or symbols without derivatives."""
    return Slice(m1, m2, theta, m1 * theta / case.phi, 1 - m2 / m1)


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

"""Cases made of their numbers or symbols, for the statements and examples of single formulas."""

from __future__ import annotations

import dataclasses

from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.case import Case, Constants, case_at
from theorycalc.theory.pencil.equations import Slice


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
        step_ratio=1,
        included=included,
        gaussian_rows=bool(c2_gaussian),
        second_layer="gaussian",
    )
    kappa, rho = direction
    case = case_at(ns, constants, phi, psi, 0)
    return dataclasses.replace(case, kappa=kappa, rho=rho, without_own=kappa - c1**2 if included else kappa)


def slice_at(case: Case, m1: Number, m2: Number, theta: Number) -> Slice:
    """Return what the pencil sees at one λ, of numbers or symbols without derivatives."""
    return Slice(m1, m2, theta, m1 * theta / case.phi, 1 - m2 / m1)

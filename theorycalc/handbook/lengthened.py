"""Neurons that the step lengthens: what a network shows in the place of the printed spikes (docs/theory/turning.md)."""

from __future__ import annotations

from fractions import Fraction

from theorycalc.handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.symbolic.symbols import c_star_of, rho
from theorycalc.theory.lengthened import lengthened_B, lengthened_floor, lengthened_norm, lengthening

_TAU = named(r"\tau")
_TEACHER = [c_star_of(k) for k in range(1, 5)]
_PRESENT = "τ ≥ 0; c_1, …, c_ℓ ≠ 0; spikes derived for every k, simulated for k = 2"


LENGTHENED = {
    "lengthening": HandbookEntry(
        "what the length of neurons adds to the second spike, h² + τ",
        "new",
        "9.4",
        NOT_IN_SOURCE,
        "v ≥ 0, c_1 ≠ 0, κ > 0; κ̃ with the initial output",
        ("theory.lengthened: lengthening",),
        lambda: lines((r"\tau", lengthening(named("v"), named("c_{1}"), named(r"\kappa")))),
        lambda: {"v = 1, c_1 = 1/2, κ = 2": lengthening(Fraction(1), Fraction(1, 2), 2)},
    ),
    "lengthened_S": HandbookEntry(
        "squared norm of the kernel that lengthened spikes leave out",
        "new",
        "9.4",
        NOT_IN_SOURCE,
        "M = ⌊ℓ/2⌋; S_M at τ = 0",
        ("theory.lengthened: lengthened_norm",),
        lambda: lines((r"S_{2}(\tau)", lengthened_norm(2, _TAU))),
        lambda: {"S_2 at τ = 1": lengthened_norm(2, Fraction(1))},
    ),
    "lengthened_T": HandbookEntry(
        "the teacher along what lengthened spikes leave out",
        "new",
        "9.4",
        NOT_IN_SOURCE,
        _PRESENT,
        ("theory.lengthened: lengthened_floor",),
        lambda: lines((r"T_{4}(\tau)", lengthened_floor(_TEACHER, rho**2, _TAU))),
        lambda: {
            "c_⋆ = (1, 1/2, 1/3, 1/5), ρ² = 1/2, τ = 1": lengthened_floor(
                [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)], Fraction(1, 2), 1
            )
        },
    ),
    "lengthened_B": HandbookEntry(
        "what lengthened spikes explain beside the linear part, in the place of B",
        "new",
        "9.4",
        NOT_IN_SOURCE,
        _PRESENT,
        ("theory.lengthened: lengthened_B",),
        lambda: lines((r"B_{2}(\tau)", lengthened_B(_TEACHER[:2], rho**2, _TAU))),
        lambda: {"c_⋆ = (1, 1/2), ρ² = 1/2, τ = 1": lengthened_B([1, Fraction(1, 2)], Fraction(1, 2), Fraction(1))},
    ),
}

"""Neurons that the step lengthens, and the spikes of real networks in place of the printed ones.

See docs/theory/turning.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import SYMBOLS, Number
from theorycalc.symbolic.symbols import c_star_of, rho
from theorycalc.theory.case import lengthening
from theorycalc.theory.gains import Shares, kernel_terms, parts_of, shares

_TAU = named(r"\tau")
_TEACHER = [c_star_of(k) for k in range(1, 5)]
_EXAMPLE = [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)]
_PRESENT = "τ ≥ 0; c_1, …, c_ℓ ≠ 0; spikes derived for every k, simulated for k = 2"


def _shares(c_star: Sequence[Number], t: Number, tau: Number) -> Shares:
    """Return the shares of spikes 1, …, ℓ with ℓ the number of coefficients."""
    parts = parts_of(SYMBOLS, c_star, 0, Spikes.up_to(len(c_star)))
    return shares(SYMBOLS, parts, t, 1 - t, 0, tau=tau)


def _floor(c_star: Sequence[Number], t: Number, tau: Number) -> Number:
    floor = parts_of(SYMBOLS, c_star, 0, Spikes.up_to(len(c_star))).floor
    assert floor is not None
    return SYMBOLS.polynomial(floor.coefficients, (1 + tau) * t)


LENGTHENED = {
    "lengthening": HandbookEntry(
        "addition of the neurons' length to the second spike, h² + τ",
        "new",
        "theory/windows.md#what-the-theorem-leaves-out",
        NOT_IN_SOURCE,
        "v ≥ 0, c_1 ≠ 0, κ > 0; κ̃ with the initial output",
        ("theory.case: lengthening",),
        lambda: lines((r"\tau", lengthening(named("v"), named("c_{1}"), named(r"\kappa")))),
        lambda: {"v = 1, c_1 = 1/2, κ = 2": lengthening(Fraction(1), Fraction(1, 2), 2)},
    ),
    "lengthened_S": HandbookEntry(
        "squared norm of the kernel that lengthened spikes leave out",
        "new",
        "theory/turning.md#every-ℓ",
        NOT_IN_SOURCE,
        "M = ⌊ℓ/2⌋; S_M at τ = 0",
        ("theory.gains: kernel_terms",),
        lambda: lines((r"S_{2}(\tau)", sum(kernel_terms(2, (1 + _TAU) ** 2)))),
        lambda: {"S_2 at τ = 1": sum(kernel_terms(2, Fraction(4)))},
    ),
    "lengthened_T": HandbookEntry(
        "the teacher along the kernel that lengthened spikes leave out",
        "new",
        "theory/turning.md#every-ℓ",
        NOT_IN_SOURCE,
        _PRESENT,
        ("theory.gains: shares", "theory.gains: stretched"),
        lambda: lines((r"T_{4}(\tau)", _floor(_TEACHER, rho**2, _TAU))),
        lambda: {"c_⋆ = (1, 1/2, 1/3, 1/5), ρ² = 1/2, τ = 1": _floor(_EXAMPLE, Fraction(1, 2), 1)},
    ),
    "lengthened_B": HandbookEntry(
        "share that lengthened spikes explain beside the linear part, in place of B",
        "new",
        "theory/turning.md#every-ℓ",
        NOT_IN_SOURCE,
        _PRESENT,
        ("theory.gains: shares", "theory.gains: even_share"),
        lambda: lines((r"B_{2}(\tau)", _shares(_TEACHER[:2], rho**2, _TAU).explained)),
        lambda: {"c_⋆ = (1, 1/2), ρ² = 1/2, τ = 1": _shares(_EXAMPLE[:2], Fraction(1, 2), Fraction(1)).explained},
    ),
}

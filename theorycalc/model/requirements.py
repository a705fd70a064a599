"""What the theorems ask of an activation, and whether it has it (docs/theory/hermite.md#what-the-theorems-ask-for)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from theorycalc.model.spikes import ALL
from theorycalc.numbers.exact import is_zero

if TYPE_CHECKING:
    from theorycalc.model.activation import Activation


SMOOTH = "the activation has three bounded derivatives almost everywhere and k! c_k² decays faster than k^(−3/2)"


@dataclass(frozen=True)
class Condition:
    """One condition of the theorems: True, False, or None where it is not known and is assumed."""

    statement: str
    holds: bool | None

    def __str__(self) -> str:
        mark = {True: "holds", False: "FAILS", None: "assumed"}[self.holds]
        return f"{mark}: {self.statement}"


def activation_conditions(activation: Activation, ell: int | float) -> tuple[Condition, ...]:
    """Return the conditions on the activation alone.

    >>> from theorycalc.model.activation import Activation
    >>> print(activation_conditions(Activation.from_text("sign"), 1)[2])
    FAILS: the activation has three bounded derivatives almost everywhere and k! c_k² decays faster than k^(−3/2)
    """
    window = "∞" if ell == math.inf else ell
    return (
        Condition("c_1 ≠ 0", not is_zero(activation.c1)),
        Condition(f"c_k ≠ 0 for all k ≤ ℓ = {window}", _all_present(activation, ell)),
        Condition(SMOOTH, activation.is_smooth),
    )


def _all_present(activation: Activation, ell: int | float) -> bool | None:
    if ell <= 1:
        return ell < 1 or not is_zero(activation.c1)
    if not activation.knows_zeros or (ell == math.inf and activation.infinite_spikes() == ALL):
        return None
    return ell != math.inf and len(activation.spikes(int(ell))) == ell

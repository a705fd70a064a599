"""Speed of the symbolic layer, part of ``make bench``: the closed form against Ω, and the waiting time for ℓ = 50."""

from __future__ import annotations

from sympy.core.cache import clear_cache

import theorycalc as tc
from benchmarks.timing import Ratio, forget, ratio, seconds


def fresh(ell: int, form: str) -> None:
    """Δ_ℓ with nothing remembered from before."""
    forget()
    clear_cache()
    tc.symbolic.Delta(ell, form=form)


def ratios() -> list[Ratio]:
    """The closed form of Δ_12 against the paper's, which solves with Ω."""
    return [
        ratio(
            "symbolic Δ_12",
            "the printed form through Ω",
            lambda: fresh(12, "closed"),
            lambda: fresh(12, "matrix"),
            rounds=3,
            target=1,
        )
    ]


def waiting() -> list[str]:
    """Seconds that a person waits for many features."""
    lines = []
    for quantity, letter in ((tc.symbolic.Delta, "Δ"), (tc.symbolic.Lambda, "Λ")):
        forget()
        clear_cache()
        made = seconds(lambda q=quantity: q(50))
        written = seconds(lambda q=quantity: tc.latex(q(50)))
        lines.append(f"symbolic {letter}_50: {made:.2f} s, its LaTeX another {written:.2f} s")
    return lines

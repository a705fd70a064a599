"""How often the sign of the fit is wrong (docs/theory/error_rate.md)."""

from __future__ import annotations

from typing import Any

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, of_symbolic
from docs._handbook.kinds import noise_lines
from theorycalc.model.problem import Problem
from theorycalc.results.error_rates import error_rate

_SIGN = Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")


def _initial() -> dict[str, Any]:
    return {"tanh(x + 1), φ = 1/2, ψ = 2/3, λ = 1/10": float(error_rate(_SIGN, ell=0).error_rate_initial)}


def _rates() -> dict[str, Any]:
    found = error_rate(_SIGN, ell=3)
    return {
        "before the step, and after it with ℓ = 3": (float(found.error_rate_initial), float(found.error_rate)),
    }


ERROR_RATE = {
    "error_rate_initial": of_symbolic(
        "error_rate_initial",
        None,
        NOT_IN_SOURCE,
        "λ > 0, labels of sign(t)",
        ("theory.learned: fit_of", "symbolic.folding: error_rate_initial"),
        _initial,
    ),
    "fit_noise": HandbookEntry(
        "scatter of the fit at a fresh point, by which its sign may be wrong",
        "new",
        "theory/error_rate.md#the-law-of-the-fit",
        NOT_IN_SOURCE,
        "λ > 0; s, t, G_t, t' and E_b as for the derivatives of m_1 and m_2 of neurons with biases; the variance of f̂ "
        "for each unit of energy that is left over, linear and of degree ≥ 2",
        ("theory.kinds: fit_noise", "theory.learned: learned_fit", "theory.signs: wrong_share"),
        noise_lines,
        _rates,
        "tanh(x + 1), teacher sign(x), φ = 1/2, ψ = 2/3, λ = 1/10",
    ),
}

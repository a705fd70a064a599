"""How often the sign of the fit is wrong (docs/theory/error_rate.md)."""

from __future__ import annotations

from typing import Any

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.model.problem import Problem
from theorycalc.results.error_rates import error_rate
from theorycalc.theory.learned import fit_noise

_SIGN = Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")


def _noise() -> str:
    symbols = map(named, ("k", "p", "u", "s", r"\chi p", "c_1", "c_{>1}"))
    linear, rest = fit_noise(*symbols)
    return lines((r"\frac{-m_2'}{m_1s}-k^2", linear), (r"\frac{-m_1'}{m_1s}-1", rest))


def _rates() -> dict[str, Any]:
    found = error_rate(_SIGN, ell=3)
    return {
        "before the step, and after it with ℓ = 3": (float(found.error_rate_initial), float(found.error_rate)),
    }


ERROR_RATE = {
    "fit_noise": HandbookEntry(
        "scatter of the fit at a fresh point, by which its sign may be wrong",
        "new",
        "theory/error_rate.md#the-law-of-the-fit",
        NOT_IN_SOURCE,
        "λ > 0, neurons of one kind; p = λs, s = lim tr R₀, k = m_2/m_1, u = p + φ/ψ − 1, χ as for the traces; the "
        "variance of f̂ for each unit of energy that is left over, linear and of degree ≥ 2",
        ("theory.learned: fit_noise", "theory.learned: learned_fit", "theory.signs: wrong_share"),
        _noise,
        _rates,
        "tanh(x + 1), teacher sign(x), φ = 1/2, ψ = 2/3, λ = 1/10",
    ),
}

"""The invariants of the theory, each a property of drawn problems, in every number system where it can be asked.

``INVARIANTS`` lists them; ``@invariant`` says which test checks which, and in which systems.  The profile "ci" draws
the same few examples every time; "hour" (``make properties``) draws many, and others each time.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

FLOATS, MPMATH, BALLS, SYMPY = "float64", "mpmath", "balls", "sympy"
NUMERIC = (FLOATS, MPMATH, BALLS)
EVERY = (*NUMERIC, SYMPY)

#: What must hold, and the number systems in which it is asked.
INVARIANTS: dict[str, tuple[str, ...]] = {
    "Δ_ℓ, Λ_ℓ ≥ 0": NUMERIC,
    "Δ_ℓ, Λ_ℓ are non-decreasing in ℓ": NUMERIC,  # Λ_ℓ on the sphere
    "Δ_ℓ ≤ L_tr(F₀)": NUMERIC,
    "Λ_ℓ ≤ L_te(F₀) − σ_ε²": NUMERIC,
    "before − gain = after": NUMERIC,
    "0 ≤ E_tr ≤ L_tr, and E_tr = (λs)² L_te": NUMERIC,
    "Ω is symmetric and positive definite": EVERY,
    "ξξ⁻¹ = I exactly": (SYMPY,),
    "matrix form = closed form": EVERY,
    "ℓ = 1, 2: general = special": EVERY,
    "y → sy multiplies every loss and gain by s²": EVERY,
    "σ → sσ, λ → s²λ changes no loss": NUMERIC,
    "σ⋆(z) → ±σ⋆(±z) changes nothing": EVERY,
    "λ → ∞: both losses tend to c_⋆² + σ_ε²": NUMERIC,
    "λ → 0⁺: finite but at N = n, and the limit of small λ": NUMERIC,
    "Λ_1, Λ_2 as printed lack φ/(ψm_1²) and φ/ψ, and change nothing else": EVERY,
    "pencil → Δ_ℓ, Λ_ℓ as spikes grow": (FLOATS, BALLS),
    "pencil: float64 has the proven digits": (FLOATS,),
    "pencil → 0 as η → 0": (FLOATS, BALLS),
    "the number systems agree": EVERY,
    "Parseval": (FLOATS, BALLS, SYMPY),
    "Parseval of polynomials, exactly": (BALLS, SYMPY),
    "E f² and c_{>1}² are those of another quadrature": (BALLS,),
    "parity zeros": (FLOATS, BALLS, SYMPY),
    "c_k: float64 and exact are the proven ones": (FLOATS, SYMPY),
    "0 < m_2 < m_1 < 1/γ, and m_1 > (1 − φ/ψ)/γ": NUMERIC,
    "m_1, m_2 solve the printed equations": (BALLS,),
    "m_1, m_2 are completely monotone in λ": (BALLS,),
    "γm_1 → 1 as λ → ∞, → max(0, 1 − φ/ψ) as λ → 0⁺": (BALLS,),
    "σ → sσ, λ → s²λ sends m to m/s²": NUMERIC,
    "finite step: none gains nothing": (FLOATS,),
    "finite step: no loss is negative": (FLOATS,),
    "finite step: y → sy, η → η/s multiplies losses by s²": (FLOATS,),
    "finite step: σ → sσ, η → η/s, λ → s²λ changes no loss": (FLOATS,),
    "finite step: the sign of the teacher changes nothing": (FLOATS,),
    "finite step: the pencil is its small-step limit": (FLOATS,),
    "options: float64 has the proven digits": (FLOATS,),
    "options: no gain is negative, no loss below the noise": (FLOATS,),
    "options: with an intercept raw activations are centred ones": (FLOATS,),
    "options: q → 1 − q in the fit changes no loss on its labels": (FLOATS,),
}

#: Filled by ``@invariant``: for each invariant the systems in which a test asks it, and the tests.
CHECKED: dict[str, set[str]] = defaultdict(set)
TESTS: dict[str, list[str]] = defaultdict(list)


def invariant(name: str, *systems: str, share: float = 0.3) -> Callable[[Any], Any]:
    """Mark a property as the test of an invariant in these systems; ``share`` of the profile's examples are drawn."""
    chosen = systems or INVARIANTS[name]

    def decorate(test: Any) -> Any:
        CHECKED[name].update(chosen)
        TESTS[name].append(f"{test.__module__.rpartition('.')[2]}.{test.__name__}")
        counted = settings(max_examples=max(2, round(settings.default.max_examples * share)))(test)
        if "system" in inspect.signature(test).parameters:
            return pytest.mark.parametrize("system", chosen)(counted)
        assert len(chosen) == 1, f"{test.__name__} takes no system and claims {chosen}"
        return counted

    return decorate

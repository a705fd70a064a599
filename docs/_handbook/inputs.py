"""Inputs with a covariance (docs/theory/inputs.md)."""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, SIZES, HandbookEntry, lines, named
from docs._handbook.stand_ins import symbols
from theorycalc.model.problem import Problem
from theorycalc.results.finite_step import step
from theorycalc.symbolic.averages import ANY_SPECTRUM, Average, TeacherAverage, tau
from theorycalc.symbolic.symbols import c_1, c_rest, c_star, c_star_of, lam, noise, phi, psi
from theorycalc.theory.alignment import aligned_shares, alignment
from theorycalc.theory.case import float_case, kappa, scatter
from theorycalc.theory.covariance import moments_of
from theorycalc.theory.dressed.input_levels import even_spread
from theorycalc.theory.dressed.level_turning import point_matrices
from theorycalc.theory.self_averaging import directions_of, equal_directions, teacher_directions
from theorycalc.theory.solver import float_weights
from theorycalc.theory.spectral_traces import spectral_equations, stiffening, unfitted
from theorycalc.theory.traces import Balance

_s, _theta, _x, _g = named("s"), named(r"\theta"), named("x"), named("g")
_PROBLEM = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4, 1/2)")
_SETTING = (
    "ReLU, teacher H_1 + H_2/2, φ = 1/2, ψ = 2/3, λ = 1/10, σ_ε = 1/2, a quarter of the inputs with 9 times the "
    "variance of the others, and half of the teacher in them"
)
_DOMAIN = f"{SIZES}, λ > 0, c_1 ≠ 0; ⟨τ⟩ = 1"


def _equations() -> str:
    load = c_1**2 * _theta / psi * _s
    shown = [
        side.subs(unfitted(tau, load), _g)
        for side in spectral_equations(ANY_SPECTRUM, _s, _theta, phi, psi, lam, c_1, c_rest)
    ]
    return lines(("0", shown[0]), ("0", shown[1]), ("g", unfitted(tau, _x)), ("x", load))


def _slopes() -> str:
    chi, p, stiff = named(r"\chi"), named("p"), named(r"\mathrm{stiffness}")
    zero = 0 * phi
    equation = Balance(zero, zero, zero, phi, c_rest**2 / lam, c_1**2 / lam, True)
    return lines(
        (r"\chi", stiffening(equation, ANY_SPECTRUM, _x).subs(unfitted(tau, _x), _g)),
        (r"-\frac{1}{s}\frac{\partial s}{\partial \lambda}", (1 + chi * p) / stiff),
        (r"-\frac{1}{s^{2}}\frac{\partial (sg)}{\partial \lambda}", (_g**2 + chi * p * _g) / (_s * stiff)),
    )


def _direction() -> str:
    moments = moments_of(ANY_SPECTRUM)
    along, sampled = c_star_of(1) * moments.aligned, scatter(c_star**2, noise**2, phi)
    off = sampled * moments.square + c_star_of(1) ** 2 * moments.across
    return lines((r"\kappa", kappa(along, off)), (r"\rho", along / sympy.sqrt(named(r"\kappa"))))


def _shares() -> str:
    names = named(r"\phi_{0}\mathbb{E}r^{2}"), named("c_{1}^{2}")
    found = aligned_shares(ANY_SPECTRUM, _x, 1 / named(r"\chi p"), c_star_of(1) ** 2, *names)
    crossed = TeacherAverage(tau * _g)
    middle, short = crossed / TeacherAverage(_g), named(r"\bar\tau")
    shown = [part.subs(unfitted(tau, _x), _g).subs(middle, short) for part in found[:2]]
    return lines(("t", shown[0]), ("1 - t", shown[1]), (r"\bar\tau", middle), ("g", unfitted(tau, _x)))


def _directions() -> str:
    d = named("d")
    return lines(
        ("D", equal_directions(ANY_SPECTRUM, d, 2)),
        (r"\tilde D", equal_directions(ANY_SPECTRUM, d, 3)),
        ("D_v", teacher_directions(ANY_SPECTRUM, d)),
    )


def _even_spread() -> str:
    first, second = even_spread(named("u"), named("v_0"), Average(tau**2))
    return lines((r"C(u)", first * tau + second * tau**2))


def _point() -> str:
    found = point_matrices(symbols([named("r")]), named(r"\phi_{0}"), symbols([[[named("B_T")]]]))
    return lines(("A_r", sympy.Matrix(found[0, 0].tolist())))


def _turned() -> dict[str, Any]:
    problem = Problem("relu", "H1 + H2/2", n=600, d=300, N=450, ridge="1/10", inputs="two_level(9, 1/4, 1/2)")
    return {
        f"Λ at η = 5, {method}": step(problem, eta=5, method=method).test_gain for method in ("dressed", "isotropic")
    }


def _case() -> Any:
    return float_case(_PROBLEM, "labels")


def _aligned() -> Any:
    return alignment(_case(), float_weights(_case(), 0.1)[1])


def _counted() -> dict[str, Any]:
    problem = Problem("relu", "H1", n=600, d=300, N=450, ridge="1/10", inputs="two_level(9, 1/4)")
    found = directions_of(problem, "labels")
    assert found is not None
    return {"300 inputs, a quarter of them with 9 times the variance of the others": found.step}


INPUTS = {
    "spectral_equations": HandbookEntry(
        "equations of s and θ for inputs with a covariance",
        "new",
        "theory/inputs.md#the-equations",
        NOT_IN_SOURCE,
        f"{_DOMAIN}; one positive solution; m_1 = (φ/ψ)s, m_2 = m_1⟨τg⟩",
        (
            "theory.spectral_traces: spectral_equations",
            "theory.spectral_traces: unfitted",
            "theory.spectral_traces: linear_load",
            "theory.spectral_traces: spectral_balance",
        ),
        _equations,
        lambda: dict(zip(("m_1", "m_2"), float_weights(_case(), 0.1)[0], strict=False)),
        _SETTING,
    ),
    "spectral_slopes": HandbookEntry(
        "derivatives in λ for inputs with a covariance",
        "new",
        "theory/inputs.md#derivatives",
        NOT_IN_SOURCE,
        f"{_DOMAIN}; p = λs, stiffness = λ(1 + χ(p + u)), u = p + φ/ψ − 1",
        (
            "theory.spectral_traces: stiffening",
            "theory.spectral_traces: spectral_traces_at",
            "theory.spectral_traces: spectral_weights",
        ),
        _slopes,
        lambda: dict(zip(("∂m_1/∂λ", "∂m_2/∂λ"), float_weights(_case(), 0.1)[0][2:], strict=False)),
        _SETTING,
    ),
    "kappa_of_inputs": HandbookEntry(
        "length and alignment of the step for inputs with a covariance",
        "new",
        "theory/inputs.md#the-direction",
        NOT_IN_SOURCE,
        "c_⋆1 ≠ 0 for ρ ≠ 0; with the residual, c_1²⟨τ³⟩ and the variance of f₀ more",
        ("theory.covariance: moments_of", "theory.case: lengths", "theory.alignment: noise_of_direction"),
        _direction,
        lambda: {"κ": _case().kappa, "ρ": _case().rho},
        _SETTING,
    ),
    "alignment_of_inputs": HandbookEntry(
        "shares of a linear teacher that the step explains for inputs with a covariance",
        "new",
        "theory/inputs.md#the-gains",
        NOT_IN_SOURCE,
        "times λs c_⋆1² ⟨g⟩_v in training; Δ_ℓ and Λ_ℓ contain B_ℓ as well",
        ("theory.alignment: aligned_shares", "theory.alignment: noise_of_direction"),
        _shares,
        lambda: dict(zip(("in training", "left in training", "in a test"), _aligned(), strict=False)),
        _SETTING,
    ),
    "directions_of_inputs": HandbookEntry(
        "number of directions of the inputs that count in a step",
        "new",
        "theory/inputs.md#validity",
        NOT_IN_SOURCE,
        "inputs whose number d is known; with the residual the least of this and d⟨τ³⟩²/⟨τ⁶⟩",
        ("theory.self_averaging: equal_directions", "theory.self_averaging: teacher_directions"),
        _directions,
        _counted,
    ),
    "even_spread_of_inputs": HandbookEntry(
        "spread of neurons after the step with even noise, for inputs with a covariance",
        "new",
        "theory/inputs.md#even-noise",
        NOT_IN_SOURCE,
        "v_0 = φ₀Var σ' E r²; along an eigenvector of the eigenvalue τ, beside the step",
        ("theory.dressed.input_levels: even_spread", "theory.dressed.input_levels: shares_of"),
        _even_spread,
        lambda: {"coefficient of τ at u = 1, v_0 = 2, ⟨τ²⟩ = 3/2": even_spread(1.0, 2.0, 1.5)[0]},
    ),
    "point_of_a_batch": HandbookEntry(
        "a point of the step's batch in the equations of inputs with a covariance",
        "new",
        "theory/inputs.md#all-of-the-rest",
        NOT_IN_SOURCE,
        "for one shape; on (Σx, q); Π = E_r[A_r(1 + φ₀GA_r)⁻¹], G = ⟨Pᵀ(L_0 + PΠPᵀ)⁻¹P⟩",
        (
            "theory.dressed.level_turning: point_matrices",
            "theory.dressed.level_turning: respond",
            "theory.dressed.level_turning: level_balance",
            "theory.dressed.level_forms: level_forms",
        ),
        _point,
        _turned,
        "ReLU, teacher H_1 + H_2/2, n = 600, d = 300, N = 450, λ = 1/10, inputs two_level(9, 1/4, 1/2)",
    ),
}

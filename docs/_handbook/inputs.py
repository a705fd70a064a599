"""Inputs with a covariance (docs/theory/inputs.md)."""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, SIZES, HandbookEntry, lines, named, of_symbolic
from docs._handbook.stand_ins import symbols
from theorycalc.model.problem import Problem
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import predict
from theorycalc.symbolic.input_formulas import ANY_SPECTRUM, Average, TeacherAverage
from theorycalc.symbolic.symbols import c_1, c_rest, c_star_of, lam, phi
from theorycalc.symbolic.symbols import tau_j as tau
from theorycalc.theory.case import float_case
from theorycalc.theory.covariance import directions_of, equal_directions, teacher_directions
from theorycalc.theory.dressed.input_levels import even_spread
from theorycalc.theory.dressed.level_turning import point_matrices
from theorycalc.theory.solver import float_weights
from theorycalc.theory.spectral_traces import aligned_shares, alignment, stiffening, unfitted
from theorycalc.theory.traces import Balance

_s, _x, _g = named("s"), named("x"), named("g")
_PROBLEM = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4, 1/2)")
_SETTING = (
    "ReLU, teacher H_1 + H_2/2, φ = 1/2, ψ = 2/3, λ = 1/10, σ_ε = 1/2, a quarter of the inputs with 9 times the "
    "variance of the others, and half of the teacher in them"
)
_DOMAIN = f"{SIZES}, λ > 0, c_1 ≠ 0; ⟨τ⟩ = 1"


def _slopes() -> str:
    chi, p, stiff = named(r"\chi"), named("p"), named(r"\mathrm{stiffness}")
    zero = 0 * phi
    equation = Balance(zero, zero, zero, phi, c_rest**2 / lam, c_1**2 / lam, True)
    return lines(
        (r"\chi", stiffening(equation, ANY_SPECTRUM, _x).subs(unfitted(tau, _x), _g)),
        (r"-\frac{1}{s}\frac{\partial s}{\partial \lambda}", (1 + chi * p) / stiff),
        (r"-\frac{1}{s^{2}}\frac{\partial (sg)}{\partial \lambda}", (_g**2 + chi * p * _g) / (_s * stiff)),
    )


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


def _solved() -> Any:
    return float_weights(_case(), 0.1)[0]


def _aligned() -> Any:
    return alignment(_case(), float_weights(_case(), 0.1)[1])


def _counted() -> dict[str, Any]:
    problem = Problem("relu", "H1", n=600, d=300, N=450, ridge="1/10", inputs="two_level(9, 1/4)")
    found = directions_of(problem, "labels")
    assert found is not None
    return {"300 inputs, a quarter of them with 9 times the variance of the others": found.step}


INPUTS = {
    "spectral_equations": of_symbolic(
        "spectral_equations",
        None,
        NOT_IN_SOURCE,
        f"{_DOMAIN}; one positive solution; m_1 = (φ/ψ)s, m_2 = m_1⟨τg⟩",
        (
            "theory.spectral_traces: spectral_equations",
            "theory.spectral_traces: unfitted",
            "theory.spectral_traces: linear_load",
            "theory.spectral_traces: spectral_load",
            "theory.spectral_traces: spectral_balance",
        ),
        lambda: {f"m_1, {_SETTING}": _solved().m1, "m_2": _solved().m2},
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
        lambda: {"∂m_1/∂λ": _solved().m1_slope, "∂m_2/∂λ": _solved().m2_slope},
        _SETTING,
    ),
    "inputs_direction": of_symbolic(
        "inputs_direction",
        None,
        NOT_IN_SOURCE,
        "ρ = 0 if c_⋆1 = 0; with the residual, c_1²⟨τ³⟩ and φ₀ Var f₀ ⟨τ²⟩ more",
        ("theory.covariance: moments_of", "theory.case: case_at"),
        lambda: {f"κ, {_SETTING}": _case().kappa, "ρ": _case().rho},
    ),
    "alignment_of_inputs": HandbookEntry(
        "shares of a linear teacher that the step explains and leaves for inputs with a covariance",
        "new",
        "theory/inputs.md#the-gains",
        NOT_IN_SOURCE,
        "times λs c_⋆1² ⟨g⟩_v in training; c_1² of a step on the residual, else 0",
        ("theory.spectral_traces: aligned_shares", "theory.spectral_traces: noise_of_direction"),
        _shares,
        lambda: dict(zip(("in training", "left in training", "in a test"), _aligned(), strict=False)),
        _SETTING,
    ),
    "inputs_Delta": of_symbolic(
        "inputs_Delta",
        2,
        NOT_IN_SOURCE,
        f"{_DOMAIN}; c_1, …, c_ℓ ≠ 0, rows on the sphere, a step on the labels and spikes h^k",
        ("theory.spectral_traces: alignment",),
        lambda: {f"Δ_2, {_SETTING}": predict(_PROBLEM, ell=2).train_gain},
    ),
    "inputs_Lambda": of_symbolic(
        "inputs_Lambda",
        2,
        NOT_IN_SOURCE,
        f"{_DOMAIN}; c_1, …, c_ℓ ≠ 0, rows on the sphere, a step on the labels and spikes h^k; Λ_1 may be negative",
        ("theory.spectral_traces: alignment",),
        lambda: {f"Λ_2, {_SETTING}": predict(_PROBLEM, ell=2).test_gain},
    ),
    "directions_of_inputs": HandbookEntry(
        "number of directions of the inputs that count",
        "new",
        "theory/inputs.md#validity",
        NOT_IN_SOURCE,
        "inputs whose number d is known: D in a step on the labels, D̃ on the residual, D_v for the teacher",
        ("theory.covariance: equal_directions", "theory.covariance: teacher_directions"),
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
            "theory.dressed.direction_forms: level_forms",
        ),
        _point,
        _turned,
        "ReLU, teacher H_1 + H_2/2, n = 600, d = 300, N = 450, λ = 1/10, inputs two_level(9, 1/4, 1/2)",
    ),
}

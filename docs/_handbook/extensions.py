"""Missing coefficients, the laws of the layers, and the initial output.

See docs/theory/missing_coefficients.md and docs/theory/options.md.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import sympy

from docs._handbook.cases import case_with, slice_at
from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, SIZES, HandbookEntry, lines, named
from theorycalc.numbers.systems import FLOATS, SYMBOLS
from theorycalc.results.prediction import predict
from theorycalc.symbolic.expressions import explained
from theorycalc.symbolic.printer import Line, display
from theorycalc.symbolic.symbols import c, c_1, c_rest, c_star_of, lam, m_1, m_2, phi, psi, rho
from theorycalc.theory import case, printed
from theorycalc.theory.gaps import gap_directions
from theorycalc.theory.pencil import equations as pencil
from theorycalc.theory.solver import float_traces
from theorycalc.theory.traces import HermiteWeights, Weights, constant_spread, in_resolvent

_UNIT = HermiteWeights(Fraction(1), Fraction(1, 2), Fraction(1))
_TEACHER = (Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5))
_POINT = (0.5, 2 / 3, 0.1, 0.5, 0.3)  # φ, ψ, λ, c_1, c_{>1}
_AT = "at φ = 1/2, ψ = 2/3, λ = 1/10, c_1 = 1/2, c_{>1} = 3/10, κ̃ = 2"


def _projection() -> str:
    """Return P, q, Δ and Λ of the spikes 1 and 2, for any weights."""
    spikes, w = (1, 2), HermiteWeights(named("w_{0}"), named("w_{1}"), named("w_{2}") / 2)
    g = HermiteWeights(named("g_{0}"), named("g_{1}"), named("g_{2}") / 2)
    teacher = c_star_of(1), c_star_of(2)
    q, b = printed.fit(SYMBOLS, spikes, w, teacher, rho)
    P = sympy.ImmutableMatrix(printed.Omega_inverse(spikes, w, 1))
    return lines(
        (r"P_{K = \{1, 2\}}", P),
        ("q", sympy.ImmutableMatrix(q)),
        ("b = P^{-1} q", sympy.ImmutableMatrix(b)),
        (r"\Delta / \lambda = q^{\top} b", printed.Delta(SYMBOLS, spikes, w, teacher, rho)),
        (r"\Lambda = 2 b^{\top} q_G - b^{\top} P_G b", printed.Lambda(SYMBOLS, spikes, w, g, teacher, rho)),
    )


def _gaps() -> str:
    """Return the directions in and out of K = {1, 4} with their squared norms, and B."""
    inside, outside = gap_directions((1, 4))
    made = []
    for name, side in (("v", inside), ("w", outside)):
        for i, direction in enumerate(side, start=1):
            letter = f"{name}_{{{i}}}"
            terms = direction.coefficients.items()
            vector = sympy.Add(*(SYMBOLS.rational(Fraction(value)) * named(f"H_{{{k}}}") for k, value in terms))
            norm = SYMBOLS.rational(Fraction(direction.norm))
            made += [(letter, vector), (rf"\langle {letter}, {letter} \rangle", norm)]
    return lines(*made, (r"B_{K = \{1, 4\}}", explained((1, 4))))


def _initial_identity() -> str:
    blocks = _blocks(True)
    left = blocks.weights[1] + blocks.couplings[0] ** 2 / named(r"\theta")
    return display([Line(left, in_resolvent(m_2, phi, psi))])


def _second_layer() -> str:
    """Return z^p in orthogonal polynomials, H_j for Gaussian z and π_j for uniform z."""
    made = []
    for law, letter in (("gaussian", "H_{%d}(z)"), ("uniform", r"\pi_{%d}(z)"), ("sign", "z"), ("constant", "z")):
        for p in (2, 3, 4):
            terms = pencil.law_in_polynomials(p, law).items()
            value = sympy.Add(
                *(SYMBOLS.rational(weight) * (named(letter.replace("%d", str(j))) if j else 1) for j, weight in terms)
            )
            made.append((rf"z^{{{p}}} \;(\text{{{law}}})", value))
    return lines(*made)


def _equal_entries(c2: Any, ratio: Any, s: Any, weight: Any, q: Any, size: Any, theta: Any) -> Any:
    """Return QᵀMid⁻¹Q of the first spike of a constant second layer, without a coupling."""
    blocks = pencil.Blocks([s, weight], [0, q], (0,))
    blocks, factors = pencil.with_norm(SYMBOLS, blocks, [[[0, 0], [size, 0]]], s, [c2], ratio)
    rows = pencil.matrix_of(blocks, [sympy.sqrt(theta)], factors, 0)
    vector = [*blocks.q, *([0] * (len(rows) - len(blocks.q)))]
    return sympy.factor(sympy.Matrix(vector).dot(sympy.Matrix(SYMBOLS.solve(rows, vector))))


def _equal_entries_statement() -> str:
    names = (named(name) for name in ("s", "w_{1}", "q_{1}", "d_{1}", r"\theta"))
    return lines((r"f = Q^{\top} \mathrm{Mid}^{-1} Q", _equal_entries(c(2), psi, *names)))


def _projection_example() -> dict[str, Any]:
    found = printed.Delta(SYMBOLS, (1, 4), _UNIT, _TEACHER, Fraction(1, 2))
    return {"K = {1, 4}, w = (1, 1/2, 2, 6, 24), c_⋆ = (1, 1/2, 1/3, 1/5), ρ = 1/2": found}


def _constant_weight_statement() -> str:
    zeta, names = named(r"\zeta"), [named(f"x_{{{i}}}") for i in range(8)]
    weights = Weights(*names)._replace(train_rest=lam * named("s"), test_rest=named("g"), test_constant=named("e"))
    train, test = printed.metrics(weights, zeta)
    return lines((r"\lambda w_0", train.constant), ("g_0", test.constant))


def _blocks(symbolic: bool) -> pencil.Blocks:
    """Return the blocks with the initial output, in symbols or at the numbers of the examples."""
    if symbolic:
        names = named(r"\tilde{\kappa}"), named(r"\tilde{\rho}")
        step = case_with(SYMBOLS, phi, psi, c_1, c_rest, (c_star_of(1),), names, included=True)
        return pencil.blocks_of(SYMBOLS, 1, [slice_at(step, m_1, m_2, named(r"\theta"))], step)
    step = case_with(FLOATS, *_POINT[:2], *_POINT[3:], (1.0,), (2.0, 0.5), included=True)
    found = float_traces(*_POINT)
    return pencil.blocks_of(FLOATS, 1, [slice_at(step, found.m1, found.m2, found.theta)], step)


def _identity() -> dict[str, Any]:
    blocks, found = _blocks(False), float_traces(*_POINT)
    left = blocks.weights[1] + blocks.couplings[0] ** 2 / found.theta
    return {f"left side {_AT}": float(left), "right side": _POINT[1] * found.m2 / _POINT[0]}


def _initial(first: Any, rest: Any, c2_constant: Any) -> Any:
    variance = case.initial_variance(first, rest, c2_constant, psi)
    return first**2 + case.scatter(0, variance, phi)


EXTENSIONS = {
    "projection": HandbookEntry(
        "gains of any set of spikes",
        "new",
        "theory/missing_coefficients.md#the-projection",
        NOT_IN_SOURCE,
        "K ⊂ {1, …, ℓ} with 1 ∈ K, shown for {1, 2}: P_{ij} is the sum of w_k ξ_{i,k} ξ_{j,k}, q_i that of w_k "
        "ξ_{i,k} c_{⋆,k} ρ^k, and P_G, q_G have g_k for w_k; w_0 = s, w_1 = (ψ/φ)m_2, w_k = k! s, s = (ψ/φ)m_1, g_k "
        "= −∂_λ w_k/s²",
        ("theory.printed: fit", "theory.printed: projections", "theory.printed: Delta", "theory.printed: Lambda"),
        _projection,
        _projection_example,
    ),
    "gaps": HandbookEntry(
        "directions that gaps in K leave out",
        "new",
        "theory/missing_coefficients.md#with-gaps",
        NOT_IN_SOURCE,
        "K with gaps among its even or its odd powers, up to k = 200, shown for {1, 4}: v span x^k − ξ_{k,1} x, k ∈ "
        "K, and w complete them; B is the sum of ⟨v, Σ_k c_{⋆,k} ρ^k H_k⟩²/⟨v, v⟩, with ⟨H_k, H_k⟩ = k!",
        (
            "theory.gaps: gap_directions",
            "theory.gains: row_of",
            "theory.gains: square_of",
        ),
        _gaps,
        lambda: {
            "squared norms for K = {1, 4}, of the directions in and out": tuple(
                direction.norm for side in gap_directions((1, 4)) for direction in side
            )
        },
    ),
    "zeta": HandbookEntry(
        "addition of a Gaussian first layer to S_M",
        "new",
        "theory/options.md#gaussian-first-layer",
        NOT_IN_SOURCE,
        "rows of W₀ of law N(0, I/d); 0 on the sphere",
        ("theory.traces: constant_spread", "theory.traces: weights_of"),
        lambda: lines((r"\zeta", constant_spread(c(2), named("s") * named(r"\theta") / psi))),
        lambda: {"c_2 = 1/2, s = 3, θ = 1/2, ψ = 2/3": constant_spread(Fraction(1, 2), Fraction(9, 4))},
    ),
    "constant_weight": HandbookEntry(
        "weights of the constant with a Gaussian first layer",
        "new",
        "theory/options.md#gaussian-first-layer",
        NOT_IN_SOURCE,
        "ζ ≥ 0; g is the test weight of the rest, e = 1/(s·stiffness); −∂_λ ζ = ζ/stiffness",
        ("theory.printed: metrics", "theory.gains: losses"),
        _constant_weight_statement,
        lambda: {
            f"Λ_2 with a Gaussian first layer ({PROBLEM_TEXT})": predict(
                dataclasses.replace(PROBLEM, first_layer="gaussian"), ell=2
            ).test_gain
        },
    ),
    "initial_scatter": HandbookEntry(
        "addition of the initial output to ‖β‖²",
        "new",
        "theory/options.md#the-initial-output",
        NOT_IN_SOURCE,
        'gradient="residual"; 2c_2²/ψ only where all entries of a are equal',
        ("theory.case: initial_variance", "theory.case: scatter", "theory.case: case_at"),
        lambda: lines(
            (r"\tilde{\kappa} - \kappa", _initial(c_1, c_rest, 0)),
            (r"\left( \tilde{\kappa} - \kappa \right)_{a = 1/\sqrt{N}}", _initial(c_1, c_rest, c(2))),
        ),
        lambda: {
            "c_1 = 1/2, c_{>1} = 3/10, φ = 1/2": Fraction(1, 4)
            + case.scatter(0, case.initial_variance(Fraction(1, 2), Fraction(3, 10), 0, Fraction(2, 3)), Fraction(1, 2))
        },
    ),
    "initial_weight": HandbookEntry(
        "the weight of H_1 with the initial output in the step",
        "new",
        "theory/options.md#the-initial-output",
        NOT_IN_SOURCE,
        'gradient="residual"; c_1² s_3 = ψ(1 + s c_{>1}²)(1 − m_2/m_1) is in it',
        ("theory.pencil.equations: blocks_of",),
        lambda: lines(("w_1", _blocks(True).weights[1]), ("q_1", _blocks(True).q[1])),
        lambda: {f"w_1 {_AT}": float(_blocks(False).weights[1])},
    ),
    "initial_coupling": HandbookEntry(
        "the coupling of the step direction to its own neurons",
        "new",
        "theory/options.md#the-initial-output",
        NOT_IN_SOURCE,
        'gradient="residual"; E_{pj} is this times ξ_{p,1}B_{1j}',
        ("theory.pencil.equations: blocks_of",),
        lambda: lines((r"E / (\xi_{p,1} B_{1j})", _blocks(True).couplings[0])),
        lambda: {f"factor of E {_AT}": float(_blocks(False).couplings[0])},
    ),
    "initial_identity": HandbookEntry(
        "with strong spikes the printed weight comes back",
        "new",
        "theory/options.md#the-initial-output",
        NOT_IN_SOURCE,
        f"{SIZES}, λ > 0, c_1 ≠ 0; so that only κ and ρ change in the limits",
        ("theory.pencil.equations: blocks_of",),
        _initial_identity,
        _identity,
    ),
    "second_layer": HandbookEntry(
        "powers of the second layer's entries in orthogonal polynomials",
        "new",
        "theory/options.md#other-second-layers",
        NOT_IN_SOURCE,
        "z = √N a_i of law N(0, 1), uniform on ±√3, ±1 or 1; z^p, p = 1, 2, 3, …, is the sum of ξ_{p,j} H_j(z), one of "
        "Legendre polynomials π_j in z/√3 with the leading coefficient 1, z^{p mod 2}, or 1",
        ("theory.pencil.equations: law_in_polynomials", "theory.pencil.equations: law_norm"),
        _second_layer,
        lambda: {f"z³, {law}": pencil.law_in_polynomials(3, law) for law in ("gaussian", "uniform", "sign")},
    ),
    "pencil_norm": HandbookEntry(
        "the norm of the inputs in the pencil of a constant second layer",
        "new",
        "theory/options.md#other-second-layers",
        NOT_IN_SOURCE,
        "shown for K = {1} and E = 0; the gains follow from f as in pencil_gains",
        ("theory.pencil.equations: with_norm",),
        _equal_entries_statement,
        lambda: {
            "c_2 = 1, ψ = 2, s = w_1 = q_1 = d_1 = θ = 1": _equal_entries(*map(sympy.Integer, (1, 2, 1, 1, 1, 1, 1)))
        },
    ),
}

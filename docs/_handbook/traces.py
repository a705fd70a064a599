"""Hermite polynomials, m_1 and m_2, the direction and the windows.

See docs/theory/hermite.md, docs/theory/traces.md, docs/theory/direction.md and docs/theory/windows.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from docs._handbook.entry import (
    NOT_IN_SOURCE,
    PROBLEM,
    PROBLEM_TEXT,
    SIZES,
    HandbookEntry,
    lines,
    of_symbolic,
)
from theorycalc.functions.algebra import double_factorial, kernel_norm, xi, xi_inverse
from theorycalc.numbers.systems import FLOATS, SYMBOLS
from theorycalc.results.prediction import predict
from theorycalc.symbolic import symbols
from theorycalc.symbolic.ingredients import SHORT, quartic, short_traces
from theorycalc.symbolic.symbols import c_star, c_star_of, lam, noise, phi, psi
from theorycalc.theory import case, gains, traces, windows
from theorycalc.theory.pencil import equations as pencil
from theorycalc.theory.solver import float_traces

_POSITIVE = f"{SIZES}, λ > 0, c_1 ≠ 0, c_{{>1}} ≥ 0"
_EXACT = tuple(map(Fraction, ("1/2", "2/3", "1/10", "1/2", "3/10")))  # φ, ψ, λ, c_1, c_{>1}
_POINT = tuple(map(float, _EXACT))
_AT = "at φ = 1/2, ψ = 2/3, λ = 1/10, c_1 = 1/2, c_{>1} = 3/10"
_PRINTED_TRACES = "the slides, the two equations of m_1 and m_2"


def _traces() -> dict[str, Any]:
    found = float_traces(*_POINT)
    residuals = traces.trace_equations(found.m1, found.m2, *_POINT)
    return {f"m_1 {_AT}": found.m1, "m_2": found.m2, "largest residual": max(map(abs, residuals))}


def _balance() -> dict[str, Any]:
    equation = traces.balance_of(FLOATS, *_POINT)
    u = float_traces(*_POINT).theta * _POINT[0] / _POINT[1]  # N < n: y is u
    value, slope = traces.balance(u, equation)
    return {f"y = u {_AT}": u, "G(y)": value, "G'(y)": slope}


def _quartic() -> dict[str, Any]:
    given = (phi, psi, lam, symbols.c_1, symbols.c_rest)
    polynomial = quartic().lhs.subs(dict(zip(given, _EXACT, strict=True)))
    value = polynomial.subs(symbols.m_1, float_traces(*_POINT).m1)
    return {f"its value at m_1 {_AT}": float(value)}


def _slopes() -> dict[str, Any]:
    found = float_traces(*_POINT)
    return {f"∂m_1/∂λ {_AT}": found.m1_slope, "∂m_2/∂λ": found.m2_slope}


def _theta_slope_statement() -> str:
    m_1, chi, u, D = (getattr(symbols, name) for name in ("m_1", "chi", "u", "D"))
    at = traces.Traces(m_1, 0, 0, 0, u * psi / phi, chi * lam * psi * m_1 / phi, lam * D)
    return lines((r"\frac{\partial \theta}{\partial \lambda}", pencil.theta_slope(at, phi, psi, lam)))


TRACES = {
    "H": of_symbolic(
        "H",
        4,
        "the slides, notation",
        "k = 0, 1, 2, …; any number x",
        ("functions.algebra: xi_inverse", "symbolic.ingredients: H"),
        lambda: {"H_4(2)": sum(xi_inverse(4, i) * 2**i for i in range(5))},
    ),
    "xi": of_symbolic(
        "xi",
        4,
        "the slides, with the training gain",
        "p, i = 0, 1, 2, …; zero where p − i is odd or negative",
        ("functions.algebra: xi",),
        lambda: {"ξ_{6,2}": xi(6, 2)},
    ),
    "xi_inverse": of_symbolic(
        "xi_inverse",
        4,
        "the slides, with the training gain",
        "p, i = 0, 1, 2, …",
        ("functions.algebra: xi_inverse",),
        lambda: {"coefficient of x² in H_6": xi_inverse(6, 2)},
    ),
    "gaussian_moment": HandbookEntry(
        "even moments of a standard normal number",
        "printed",
        "theory/hermite.md#powers-and-hermite-polynomials-ξ",
        "well known; stands in the source as ξ_{2j,0}, the constant of x^{2j}",
        "E Z^{2j} = (2j − 1)!! = (2j)!/(2^j j!), j = 0, 1, 2, …",
        ("functions.algebra: double_factorial",),
        lambda: lines(*((rf"\mathbb{{E}} Z^{{{2 * j}}}", double_factorial(2 * j - 1)) for j in range(1, 6))),
        lambda: {"E Z⁸": double_factorial(7)},
    ),
    "S": HandbookEntry(
        "squared norm of the kernel that the constant leaves",
        "new",
        "theory/training_gain.md#the-closed-form",
        NOT_IN_SOURCE,
        "S_M is the sum of binom(2j, j)/4^j over j = 0, …, M, which is (2M + 1) binom(2M, M)/4^M; M is half of the "
        "largest even spike",
        ("functions.algebra: kernel_norm",),
        lambda: lines(*((f"S_{{{M}}}", SYMBOLS.rational(kernel_norm(M))) for M in range(1, 6))),
        lambda: {"S_1": kernel_norm(1), "S_2": kernel_norm(2)},
    ),
    "trace_equations": of_symbolic(
        "trace_equations",
        None,
        _PRINTED_TRACES,
        f"{_POSITIVE}; one positive solution",
        ("theory.traces: trace_equations", "theory.traces: coupling"),
        _traces,
    ),
    "reduced_equation": of_symbolic(
        "reduced_equation",
        None,
        NOT_IN_SOURCE,
        f"{_POSITIVE}; 0 < p < 1, u > 0. Computed for y = min(p, u)",
        ("theory.traces: balance", "theory.traces: balance_of", "theory.traces: room_and_excess"),
        _balance,
    ),
    "quartic": of_symbolic(
        "quartic",
        None,
        NOT_IN_SOURCE,
        f"{_POSITIVE}; a cubic when c_{{>1}} = 0",
        ("symbolic.ingredients: quartic",),
        _quartic,
    ),
    "m2_of_m1": of_symbolic(
        "m2_of_m1",
        None,
        f"{_PRINTED_TRACES}: the second one, solved for m_2",
        _POSITIVE,
        ("theory.traces: kept", "theory.traces: traces_at"),
        lambda: {"k = m_2/m_1 at φ = 1, b = 2, w = 3": traces.kept(Fraction(1), 2, 3)},
    ),
    "slopes": of_symbolic(
        "slopes",
        None,
        f"{NOT_IN_SOURCE}, by implicit differentiation",
        _POSITIVE,
        ("theory.traces: slopes", "theory.traces: traces_of"),
        _slopes,
    ),
    "theta": HandbookEntry(
        "share of the neurons that the fit leaves free",
        "new",
        "theory/traces.md#where-the-equations-come-from",
        NOT_IN_SOURCE,
        f"{_POSITIVE}; 0 < θ < 1",
        ("theory.traces: traces_of",),
        lambda: lines((r"\theta", short_traces().theta), (r"u", SHORT[symbols.u])),
        lambda: {f"θ {_AT}": float_traces(*_POINT).theta},
    ),
    "theta_slope": HandbookEntry(
        "its derivative in λ, without a subtraction",
        "new",
        "theory/traces.md#slopes-in-λ",
        NOT_IN_SOURCE,
        f"{_POSITIVE}; D = 1 + χ(p + u), χ = (c_{{>1}}² + c_1²k²)/λ",
        ("theory.pencil.equations: theta_slope",),
        _theta_slope_statement,
        lambda: {f"∂θ/∂λ {_AT}": pencil.theta_slope(float_traces(*_POINT), *_POINT[:3])},
    ),
    "direction": of_symbolic(
        "direction",
        None,
        "the slides, limits of ‖β‖² and of the angle between β and β⋆",
        "φ > 0, σ_ε ≥ 0, 0 < c_⋆² < ∞; c_{⋆,1} = 0 gives ρ = 0 and no gain",
        ("theory.case: kappa", "theory.case: case_at"),
        lambda: {f"κ ({PROBLEM_TEXT})": predict(PROBLEM, ell=1).kappa, "ρ": predict(PROBLEM, ell=1).rho},
    ),
    "scatter": HandbookEntry(
        "part of the step that is not along the teacher",
        "printed",
        "theory/direction.md#κ-and-ρ",
        "the slides, the second term of κ; 1 − ρ² as a quotient is new",
        "φ > 0, σ_ε ≥ 0; with its own batch of n₀ points φn/n₀ stands for φ",
        ("theory.case: scatter", "theory.case: case_at"),
        lambda: lines((r"\kappa \left( 1 - \rho^{2} \right)", case.scatter(c_star**2, noise**2, phi))),
        lambda: {"c_⋆² = 2, σ_ε² = 1/4, φ = 1/2": case.scatter(2, Fraction(1, 4), Fraction(1, 2))},
    ),
    "energy": HandbookEntry(
        "energy of one Hermite coefficient",
        "printed",
        "theory/hermite.md#coefficients-of-a-function",
        "the slides, notation: c_⋆² is the sum of these",
        "k = 1, 2, 3, …",
        ("theory.gains: energy",),
        lambda: lines(
            *(
                (rf"\mathbb{{E}} \left( c_{{\star,{j}}} H_{j}(Z) \right)^{{2}}", gains.energy(j, c_star_of(j)))
                for j in (2, 3, 4)
            )
        ),
        lambda: {"k = 3, c_{⋆,3} = 2": gains.energy(3, 2)},
    ),
    "feature_expansion": of_symbolic(
        "feature_expansion",
        3,
        "the slides and the paper, the theorem on the features after the step",
        "inside window ℓ; a of independent N(0, 1/N) entries",
        ("theory.windows: amplitude", "symbolic.ingredients: feature_expansion"),
        lambda: {
            "factor of the second term, c_1 = 1/2, c_2 = 1/5, η = 8": windows.amplitude(
                2, Fraction(1, 2), Fraction(1, 5), 8
            )
        },
    ),
    "window": of_symbolic(
        "window",
        3,
        "the slides and the paper, the theorem on the features after the step",
        "ℓ = 1, 2, 3, …; on a boundary, for α ≤ 0 and for α ≥ 1/2 the theorem says nothing, and the call is refused",
        ("theory.windows: window_ends", "theory.windows: window"),
        lambda: {"window of α = 3/10": windows.window("3/10"), "its ends": windows.window_bounds(2)},
    ),
    "spike_order": of_symbolic(
        "spike_order",
        3,
        "the slides and the paper, after the theorem on the features",
        "k = 1, 2, 3, …; it leaves the bulk, of order n^{1/2}, when α > (k−1)/(2k)",
        ("theory.windows: spike_exponent",),
        lambda: {"exponent at k = 2, α = 3/10": windows.spike_exponent(2, Fraction(3, 10))},
    ),
}

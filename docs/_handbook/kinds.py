"""The traces of networks whose neurons have biases (docs/theory/kinds.md)."""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, SIZES, HandbookEntry, lines, named
from theorycalc.symbolic.symbols import lam, phi, psi
from theorycalc.theory import kind_bulk, kinds_solver
from theorycalc.theory.kind_spikes import spike_powers
from theorycalc.theory.kinds import (
    KindMoments,
    KindSums,
    bulk_load,
    fit_noise,
    kind_equations,
    kind_load,
    kind_sums,
    kind_theta,
    linear_balance,
    linear_load,
    linear_slope,
)
from theorycalc.theory.kinds_solver import float_kind_traces

_s, _t, _beta, _theta = named("s"), named("t"), named(r"\beta"), named(r"\theta_b")
_KIND = KindMoments(named(r" \mathbb{E}_b"), named("c_{1,b}"), named("c_{>1,b}"))  # its weight is written as the mean
_SUMS = KindSums(*(named(rf"S_{{{j}}}") for j in range(9)))
_DOMAIN = f"{SIZES}, λ > 0; c_1 ≠ 0 for one kind b at least; one positive solution"
_TWO = (KindMoments(0.5, 0.5, 0.3), KindMoments(0.5, 0.25, 0.5))
_AT = (
    "at φ = 1/2, ψ = 2/3, λ = 1/10 and two kinds of equal shares, c_1 = 1/2, c_{>1} = 3/10 and c_1 = 1/4, c_{>1} = 1/2"
)


def _short(expression: Any) -> sympy.Expr:
    """Return an expression with the name of θ_b."""
    return sympy.sympify(expression).subs(kind_theta(_KIND, _s, _t), _theta)


def _equations() -> str:
    beta = linear_load([_KIND], _s, _t, psi)
    first, second = (_short(side).subs(_short(beta), _beta) for side in kind_equations([_KIND], _s, _t, phi, psi, lam))
    bulk = _short(bulk_load([_KIND], _s, _t, phi, psi))
    loss = named("b")
    return lines(
        ("0", first.subs(bulk, loss)),
        ("0", second),
        (r"\theta_b", kind_theta(_KIND, _s, _t)),
        (r"\beta", _short(beta)),
        ("b", bulk),
    )


def _means(*names: str) -> list[tuple[str, sympy.Expr]]:
    """Return the symbols of means over the kinds, and these means."""
    means = kind_sums([_KIND], _s, _t)
    return [(getattr(_SUMS, name).name, _short(getattr(means, name))) for name in names]


def _slopes() -> str:
    slope = named("t'")
    _, in_t, _ = linear_balance(_SUMS, _s, _t, psi)
    return lines(
        ("t'", linear_slope(_SUMS, _s, _t, psi)),
        (r"-\frac{\partial s}{\partial \lambda}", _s / (lam + kind_load(_SUMS, slope, phi, psi))),
        ("G_t", in_t),
        *_means("linear_square", "rest_square", "mixed"),
    )


def noise_lines() -> str:
    """Return the scatter of the fit by means over the kinds."""
    steep, curved = linear_balance(_SUMS, _s, _t, psi)[1], named("G_t")
    slope, short = linear_slope(_SUMS, _s, _t, psi), named("t'")
    linear, rest = (part.subs(slope, short).subs(steep, curved) for part in fit_noise(_SUMS, _s, _t, phi, psi, lam))
    scatter = named("v")
    return lines(
        (r"\frac{-m_2'}{m_1s}-\frac{t^2}{s^2}", linear.subs(rest, scatter)),
        (r"v = \frac{-m_1'}{m_1s}-1", rest),
        *_means("linear_square", "rest_square", "mixed", "fourth", "taken_square"),
    )


def _bulk() -> str:
    """Return the curves outside the bulk, with L for σ + c_{>1}² + c_1²k."""
    sigma, k, load, ratio = named(r"\sigma"), named("k"), named("L_b"), named("r")
    whole = sigma + _KIND.c_rest**2 + _KIND.c1**2 * k
    found = kind_bulk.tightness([_KIND], sigma, k, ratio * psi, psi)
    steep = named("k'")
    slope = k**2 * _KIND.share * _KIND.c1**2 / (psi * (1 - found.rows) * whole**2)

    def short(expression: Any) -> sympy.Expr:
        return sympy.sympify(expression).subs(slope, steep).subs(whole, load).subs(whole - sigma, load - sigma)

    return lines(
        ("0", short(kind_bulk.linear_excess([_KIND], sigma, k, psi))),
        ("z", short(kind_bulk.place_at([_KIND], sigma, k, ratio))),
        ("T_1", short(found.rows)),
        ("T_2", short(found.points)),
        ("L_b", whole),
        ("k'", slope.subs(found.rows, named("T_1")).subs(whole, load)),
    )


def _ridgeless() -> str:
    """Return k and λχ without ridge, by L."""
    k, load = named("k"), named("L_b")
    whole = _KIND.c_rest**2 + _KIND.c1**2 * k
    excess, _ = kinds_solver.kept_without_ridge([_KIND], k, psi)
    first, chi = kinds_solver.stiffness_share([_KIND], k, psi)
    E = named(r" \mathbb{E}_b")
    parts = {name: named(name) for name in ("e_1", "e_2", "e_3", "e_4")}
    values = (E / whole, E / whole**2, E * _KIND.c1**2 / whole**2, E * _KIND.c1**2 * _KIND.c_rest**2 / whole**2)
    e_1, e_2, e_3, e_4 = parts.values()
    assert (
        sympy.simplify(chi - values[0] / (values[1] + k * values[2] ** 2 / (psi + values[3]))) == 0 == first - values[0]
    )
    return lines(
        ("0", sympy.sympify(excess).subs(whole, load)),
        (r"\lambda\chi", e_1 / (e_2 + k * e_3**2 / (psi + e_4))),
        *((name, value.subs(whole, load)) for name, value in zip(parts, values, strict=True)),
        ("L_b", whole),
    )


def _spike_series() -> str:
    """Return the series in ε of one kind of neuron, up to order 4, and its polynomials."""
    h, order, tau = named("h"), named(r"\epsilon"), named(r"\tau_b")
    first = named("c_{1,b}")
    polynomials = [named(f"p_{k}") for k in range(1, 5)]
    sizes = [named(f"c_{{{k},b}}") * first**k for k in range(1, 5)]
    series = sum(size * order**k * p for k, (size, p) in enumerate(zip(sizes, polynomials, strict=True), start=1))
    written = (sympy.Add(*(c * h**j for j, c in spike_powers(k, tau).items())) for k in range(1, 5))
    return lines(("F_b", series), *((p.name, value) for p, value in zip(polynomials, written, strict=True)))


def _found() -> Any:
    return float_kind_traces(_TWO, 0.5, 2 / 3, 0.1)


KINDS = {
    "kind_equations": HandbookEntry(
        "equations of m_1 and m_2 for neurons with biases",
        "new",
        "theory/kinds.md#the-equations",
        NOT_IN_SOURCE,
        f"{_DOMAIN}; m_1 = (φ/ψ)s, m_2 = (φ/ψ)t, E_b the mean over the kinds",
        (
            "theory.kinds: kind_equations",
            "theory.kinds: kind_theta",
            "theory.kinds: linear_load",
            "theory.kinds: bulk_load",
            "theory.kinds_solver: solve_kinds",
        ),
        _equations,
        lambda: {f"m_1 {_AT}": _found().m1, "m_2": _found().m2},
    ),
    "kind_slopes": HandbookEntry(
        "derivatives of m_1 and m_2 in λ for neurons with biases",
        "new",
        "theory/kinds.md#derivatives",
        NOT_IN_SOURCE,
        f"{_DOMAIN}; ∂t/∂λ = t' ∂s/∂λ",
        (
            "theory.kinds: kind_sums",
            "theory.kinds: linear_balance",
            "theory.kinds: linear_slope",
            "theory.kinds: kind_load",
            "theory.kinds: kind_traces_at",
        ),
        _slopes,
        lambda: {f"∂m_1/∂λ {_AT}": _found().m1_slope, "∂m_2/∂λ": _found().m2_slope},
    ),
    "kind_ridgeless": HandbookEntry(
        "neurons with biases without ridge, N ≤ n",
        "new",
        "theory/kinds.md#without-ridge",
        NOT_IN_SOURCE,
        f"{SIZES}, λ → 0⁺; c_{{>1}} > 0, else all kinds are one; k = lim m_2/m_1, E_b the mean over the kinds",
        ("theory.kinds_solver: kept_without_ridge", "theory.kinds_solver: stiffness_share"),
        _ridgeless,
        lambda: {"E[1/L], λχ at k = 1/2, ψ = 2/3, two kinds as above": kinds_solver.stiffness_share(_TWO, 0.5, 2 / 3)},
    ),
    "free_shapes": HandbookEntry(
        "polynomials that spikes of lengthened neurons with biases make free",
        "new",
        "theory/kinds.md#literal-networks",
        NOT_IN_SOURCE,
        "τ_b = Var σ_b'(Z) φ_0 E r²/(c_1²(b) κ); ε = u√κ → 0; constants are free",
        (
            "theory.kind_spikes: spike_powers",
            "theory.kind_spikes: free_polynomials",
            "theory.gaps: shape_directions",
        ),
        _spike_series,
        lambda: {"coefficients of h^j in p_4 at τ_b = 2": spike_powers(4, 2)},
    ),
    "kind_bulk": HandbookEntry(
        "the bulk of neurons with biases: its complement, by σ = 1/s and k = t/s",
        "new",
        "theory/kinds.md#the-spectrum",
        NOT_IN_SOURCE,
        f"{SIZES}; r = φ/ψ, k' = dk/dσ; outside the bulk T_1, T_2 < 1, and nowhere else; E_b: mean over the kinds",
        (
            "theory.kind_bulk: linear_excess",
            "theory.kind_bulk: place_at",
            "theory.kind_bulk: tightness",
        ),
        _bulk,
        lambda: {
            f"upper edge {_AT.replace(', λ = 1/10', '')}": kind_bulk.kind_bulk(_TWO, 0.5, 2 / 3).intervals[-1].high
        },
    ),
}

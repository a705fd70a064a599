"""Formulas with named parts: the traces with a, b, w, p, u, k, χ; the gains with B, T, S, ρ, κ, τ, or with Ω, r_p."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from theorycalc.symbolic import basis as hermite
from theorycalc.symbolic import expressions as gains
from theorycalc.symbolic import matrices
from theorycalc.symbolic import trace_symbols as traces
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.expressions import THEOREM, Options
from theorycalc.symbolic.statements import Formula, Line
from theorycalc.symbolic.symbols import (
    D,
    Omega_label,
    Psi,
    c_star,
    chi,
    indexed,
    k,
    kappa,
    lam,
    m_1,
    m_1_slope,
    m_2,
    m_2_slope,
    matrix_name,
    p,
    r_label,
    tau,
    theta,
    u,
    w,
    xi_label,
    zeta,
)
from theorycalc.symbolic.symbols import a as a_symbol
from theorycalc.symbolic.symbols import b as b_symbol

ZERO = sympy.Integer(0)
CHI = traces.short_traces().chi_p / p


def trace_equations() -> Formula:
    """Return the printed equations with Ψ named."""
    full = [equation.lhs for equation in traces.trace_equations()]
    folded = [side.xreplace({traces.coupling(): Psi}) for side in full]
    where = (Line(Psi, traces.coupling()),)
    return Formula("trace_equations", _vanish(folded), where, _vanish(full))


def _vanish(sides: Iterable[sympy.Expr]) -> tuple[Line, ...]:
    return tuple(Line(side, ZERO) for side in sides)


def reduced_equation() -> Formula:
    """Return the monotone equation with its short names."""
    return Formula(
        "reduced_equation",
        _vanish([traces.short_equation().lhs]),
        _short_lines(w, u, p, a_symbol, b_symbol),
        _vanish([traces.reduced_equation().lhs]),
    )


def _short_lines(*names: sympy.Symbol) -> tuple[Line, ...]:
    return tuple(Line(name, traces.SHORT[name]) for name in names)


def quartic() -> Formula:
    """Return the polynomial in m_1 with its coefficients named."""
    full = traces.quartic().lhs
    coefficients = enumerate(reversed(sympy.Poly(full, m_1).all_coeffs()))
    where = [Line(indexed("q", j), sympy.factor(value)) for j, value in coefficients]
    folded = sympy.Add(*(line.left * m_1**j for j, line in enumerate(where)))
    return Formula("quartic", _vanish([folded]), tuple(where), _vanish([full]))


def m2_of_m1() -> Formula:
    """Return m_2 as a function of m_1 with its short names."""
    folded, full = traces.short_m2(), traces.m2_of_m1()
    return Formula("m2_of_m1", (Line(m_2, folded),), _short_lines(w, u, p, b_symbol), (Line(m_2, full),))


def slopes() -> Formula:
    """Return the λ-derivatives of m_1 and m_2 with their short names."""
    stiffness = traces.short_traces().stiffness / lam
    folded = [slope.xreplace({stiffness: D}).xreplace({CHI: chi}) for slope in traces.short_slopes()]
    names = (m_1_slope, m_2_slope)
    where = (
        Line(D, stiffness.xreplace({CHI: chi})),
        Line(chi, CHI),
        *_short_lines(k, u, p, a_symbol, b_symbol),
    )
    statement = tuple(map(Line, names, folded))
    return Formula("slopes", statement, where, tuple(map(Line, names, traces.slopes())))


def direction_lines(options: Options = THEOREM) -> tuple[Line, ...]:
    """Return ρ and κ, in the order in which a reader asks for them."""
    step = gains.direction(options)
    return Line(options.rho, step.rho.xreplace({step.kappa: options.kappa})), Line(options.kappa, step.kappa)


def lengthening_lines(expression: sympy.Expr, options: Options) -> tuple[Line, ...]:
    """Return τ and v, where an expression contains τ."""
    return tuple(Line(*item) for item in gains.lengthening_parts(options).items()) if expression.has(tau) else ()


def slope_lines(expression: sympy.Expr) -> tuple[Line, ...]:
    """Return what m_1' and m_2' mean, where an expression contains them."""
    slopes = ((m_1_slope, m_1), (m_2_slope, m_2))
    return tuple(Line(slope, sympy.Derivative(m, lam)) for slope, m in slopes if expression.has(slope))


def trace_lines(expression: sympy.Expr) -> tuple[Line, ...]:
    """Return the equations of m_1 and m_2 for an expression that contains them, long sides to the right."""
    if not expression.has(m_1, m_2, m_1_slope, m_2_slope):
        return ()
    equations = trace_equations()
    return (*(Line(line.right, line.left) for line in equations.statement), *equations.where)


def unfold(expression: sympy.Expr, options: Options = THEOREM) -> sympy.Expr:
    """Return an expression with ρ, κ and τ in full, and ζ, θ and D."""
    step = gains.direction(options)
    expression = gains.without_gaussian_names(expression) if options.gaussian else expression
    full = {options.rho: step.rho, options.kappa: step.kappa}
    if expression.has(tau):
        full[tau] = gains.lengthening_in_full(options)
    return expression.xreplace(full)


def gain(name: str, which: str, case: FormulaCase) -> Formula:
    """Return Δ, Λ or a loss after the step, with B, T and S named; a problem gives spikes and options, no numbers."""
    left = indexed(name, case.ell)
    full = getattr(gains.losses(case.spikes, case.options, after=True), which)
    folded = getattr(gains.losses(case.spikes, case.options, folded=True), which)
    parts = part_lines(case.spikes, case.options)
    where = (*parts, *_step_lines(full, case), *slope_lines(folded), *trace_lines(folded))
    return Formula(name, (Line(left, folded),), where, (Line(left, unfold(full, case.options)),))


def both_gains(case: FormulaCase) -> Formula:
    """Return Δ and Λ in one display, their parts defined once."""
    train, test = gain("Delta", "train_gain", case), gain("Lambda", "test_gain", case)
    where = tuple(dict.fromkeys((*test.where, *train.where)))
    return Formula("gains", (*train.statement, *test.statement), where, (*train.unfolded, *test.unfolded))


def _step_lines(full: sympy.Expr, case: FormulaCase) -> tuple[Line, ...]:
    """Return the names of an expression that belong to the step and to the first layer's law."""
    layer = gaussian_lines(test=full.has(D)) if full.has(zeta) else ()
    step = direction_lines(case.options) if case.spikes else ()
    return (*layer, *step, *lengthening_lines(full, case.options))


def part_lines(spikes: tuple[int, ...], options: Options = THEOREM) -> tuple[Line, ...]:
    """Return B, T and S of spikes K, as far as K has them."""
    top = max(spikes, default=0)
    if top < 2:
        return ()
    folded, floor = gains.B(spikes, options, folded=True), gains.floor_of(spikes, options)
    names = gains.floor_names(spikes)
    defined = [Line(symbol, value) for symbol, value in zip(names, floor or (), strict=False) if folded.has(symbol)]
    return (Line(indexed("B", top), folded), *defined)


def gaussian_lines(test: bool) -> tuple[Line, ...]:
    """Return ζ and θ, and for test losses D, by which a Gaussian first layer enters."""
    parts = gains.gaussian_parts()
    stiffness = [Line(D, parts[D].xreplace({CHI: chi})), Line(chi, CHI), *_short_lines(k)] if test else []
    names = (u, p, a_symbol, b_symbol) if test else (u, p)
    return (Line(zeta, parts[zeta]), Line(theta, parts[theta]), *stiffness, *_short_lines(*names))


def slides_Lambda(case: FormulaCase) -> Formula:
    """Return Λ_1 or Λ_2 as the slides print them."""
    gains.check_slides(case.ell, case.spikes, case.options)
    full, left = gains.slides_Lambda(case.ell), indexed("Lambda", case.ell)
    where = (*direction_lines(case.options)[1:], *slope_lines(full), *trace_lines(full))
    return Formula("Lambda", (Line(left, full),), where, (Line(left, unfold(full, case.options)),))


def matrix_gain(name: str, case: FormulaCase) -> Formula:
    """Return Δ as the paper prints it, with Ω, ξ and r_p; Λ, or Δ of other spikes or laws, through Ω in full."""
    left, ell = indexed(name, case.ell), case.ell
    full = gains.matrix_gain(case.spikes, name == "Lambda", case.options)
    unfolded = (Line(left, unfold(full, case.options)),)
    complete = case.spikes == tuple(range(1, ell + 1)) and ell > 0
    if name == "Delta" and complete and case.options == THEOREM:
        return Formula(name, (Line(left, printed_sum(ell)),), _printed_lines(ell), unfolded)
    where = (*_step_lines(full, case), *slope_lines(full), *trace_lines(full))
    return Formula(name, (Line(left, full),), where, unfolded)


def _printed_lines(ell: int) -> tuple[Line, ...]:
    inverse = matrices.Omega_inverse(ell)
    return (
        Line(matrix_name("Omega_inverse", ell), inverse),
        Line(matrix_name("xi_positive", ell), hermite.xi_matrix(ell)[1:, 1:]),
        *(Line(indexed("r", q), matrices.r(q)) for q in range(1, ell + 1)),
        *direction_lines(),
        *trace_lines(inverse),
    )


def printed_sum(ell: int) -> sympy.Expr:
    """Return Δ_ℓ as a sum over Ω_{ij}, ξ_{i,p}, r_p and c_{⋆,p}, unevaluated: the tests prove what it is.

    >>> printed_sum(2).args[0]
    lambda
    """
    i, j, q, s = (sympy.Symbol(name, integer=True, positive=True) for name in ("i", "j", "p", "q"))
    Omega, xi, r, teacher = map(sympy.IndexedBase, (Omega_label, xi_label, r_label, c_star))
    inner = sympy.Sum(
        Omega[i, j] * kappa ** sympy.Mul(sympy.Rational(1, 2), i + j, evaluate=False) * xi[i, q] * xi[j, s],
        (i, 1, ell),
        (j, 1, ell),
    )
    return lam * sympy.Sum(teacher[q] * teacher[s] * r[q] * r[s] * inner, (q, 1, ell), (s, 1, ell))

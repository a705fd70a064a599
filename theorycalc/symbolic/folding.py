"""Formulas with named parts: the traces with a, b, w, p, u, k, χ; the gains with B, T, S, ρ, κ, τ, or with Ω, r_p.

Where neurons have biases, each kind b has its c_{1,b}, c_{>1,b} and θ_b, and E_b is the mean over the kinds
(docs/theory/kinds.md#the-equations).
"""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace

import sympy

from theorycalc.model.signatures import documented
from theorycalc.symbolic import expressions, ingredients, symbols
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.expressions import ZERO
from theorycalc.symbolic.formula_options import THEOREM, Options
from theorycalc.symbolic.printer import Bracketed, Formula, Line, folded
from theorycalc.symbolic.symbols import (
    D,
    PaperMatrix,
    Psi,
    chi,
    indexed,
    k,
    kappa,
    lam,
    m_1,
    m_2,
    p,
    phi,
    psi,
    tau,
    u,
    w,
)
from theorycalc.theory import kinds
from theorycalc.theory.fit_scatter import Scatter
from theorycalc.theory.learned import LeftOver, fit_of
from theorycalc.theory.weights import left_overlap, outlier_square, right_overlap, step_strength

_CHI = ingredients.short_traces().chi_p / p
_SLOPES = {symbols.m_1_slope: m_1, symbols.m_2_slope: m_2}
_KIND = kinds.KindMoments(sympy.Integer(1), symbols.c_1_b, symbols.c_rest_b)


class NetworkMean(Bracketed):
    """The mean over networks, whose initial output has the mean f̄₀ (docs/theory/intercept.md#raw-activations)."""

    brackets = rf"\mathrm{{E}}_{{{symbols.latex_name(symbols.f_bar.name)}}}\left[ ", r" \right]"


class KindMean(Bracketed):
    """E_b, the mean over kinds of neurons."""

    brackets = r"\mathrm{E}_b\left[ ", r" \right]"


class NormalLaw(Bracketed):
    """The normal distribution with a mean and a variance."""

    brackets = r"\mathcal{N}\left( ", r" \right)"


def _vanish(sides: Iterable[sympy.Expr]) -> tuple[Line, ...]:
    return tuple(Line(side, ZERO) for side in sides)


def _short_lines(*names: sympy.Symbol) -> tuple[Line, ...]:
    return tuple(Line(name, ingredients.SHORT[name]) for name in names)


def trace_equations() -> Formula:
    """Return the paper's two equations with Ψ named."""
    shared = ingredients.coupling()
    sides = (equation.lhs.xreplace({shared: Psi}) for equation in ingredients.trace_equations())
    return folded(_vanish(sides), (Line(Psi, shared),))


def reduced_equation() -> Formula:
    """Return the monotone equation with its short names."""
    return folded(_vanish([ingredients.short_equation().lhs]), _short_lines(w, u, p, symbols.a, symbols.b))


def quartic() -> Formula:
    """Return the polynomial in m_1 with its coefficients named."""
    coefficients = reversed(sympy.Poly(ingredients.quartic().lhs, m_1).all_coeffs())
    where = [Line(indexed("q", j), sympy.factor(value)) for j, value in enumerate(coefficients)]
    return folded(_vanish([sympy.Add(*(line.left * m_1**j for j, line in enumerate(where)))]), where)


def m2_of_m1() -> Formula:
    """Return m_2 as a function of m_1 with its short names."""
    return folded((Line(m_2, ingredients.short_m2()),), _short_lines(w, u, p, symbols.b))


@documented
def kind_equations() -> sympy.Tuple:
    """Return the two equations of s = (ψ/φ)m_1 and t = (ψ/φ)m_2 for neurons with biases, θ_b and β in full.

    Each has 0 on its right.

    >>> [str(symbol) for symbol in sorted(kind_equations().free_symbols, key=str)]
    ['c_1_b', 'c_rest_b', 'lambda', 'phi', 'psi', 's', 't']
    """
    return sympy.Tuple(*(sympy.Eq(line.left, 0, evaluate=False) for line in equations_of_kinds().unfolded))


def equations_of_kinds() -> Formula:
    """Return both equations, with β and θ_b named.

    Of a single kind, whose share is 1, every mean is the number itself: there the means take their places.
    """
    s, t = symbols.s, symbols.t
    theta = kinds.kind_theta(_KIND, s, t)

    def named(part: sympy.Expr) -> sympy.Expr:
        return part.subs(theta, symbols.theta_b)

    beta, bulk = named(kinds.linear_load([_KIND], s, t, psi)), named(kinds.bulk_load([_KIND], s, t, phi, psi))
    sides = (named(side).subs(beta, symbols.load) for side in kinds.kind_equations([_KIND], s, t, phi, psi, lam))
    statement = _vanish(side.subs(bulk, phi * KindMean(bulk * psi / phi) / psi) for side in sides)
    return folded(statement, (Line(symbols.load, KindMean(psi * beta) / psi), Line(symbols.theta_b, theta)))


def kind_trace_lines() -> tuple[Line, ...]:
    """Return m_1 and m_2 in terms of s and t, and the equations for these, with long sides on the right."""
    found = equations_of_kinds()
    traces = Line(m_1, phi * symbols.s / psi), Line(m_2, phi * symbols.t / psi)
    return (*traces, *(Line(line.right, line.left) for line in found.statement), *found.where)


def mean_square_lines(expression: sympy.Expr) -> tuple[Line, ...]:
    """Return c_0², c_1², c_{>1}² and c_2 as means over the kinds, for those that occur in an expression.

    >>> [str(line.right) for line in mean_square_lines(symbols.c_1**2)]
    ['KindMean(c_1_b**2)']
    """
    squares = {symbols.c_0: symbols.c_0_b, symbols.c_1: symbols.c_1_b, symbols.c_rest: symbols.c_rest_b}
    means = [Line(whole**2, KindMean(part**2)) for whole, part in squares.items() if expression.has(whole)]
    second = symbols.c(2)
    return (*means, Line(second, KindMean(symbols.c_2_b))) if expression.has(second) else tuple(means)


def weight_outlier() -> Formula:
    """Return the outlier of the weights to leading order, and the overlaps of its vectors, with ϑ named."""
    ratio, strength = 1 / psi, symbols.vartheta**2
    right = right_overlap(strength, ratio)
    found = outlier_square(strength, ratio), left_overlap(strength, ratio), right, symbols.rho**2 * right
    vartheta = Line(symbols.vartheta, sympy.sqrt(step_strength(symbols.c_1, symbols.eta, kappa)))
    return folded(map(Line, (symbols.sigma_1_squared, *symbols.overlaps), found), (vartheta,))


def slopes() -> Formula:
    """Return the λ-derivatives of m_1 and m_2 with their short names."""
    stiffness = ingredients.short_traces().stiffness / lam
    sides = [slope.xreplace({stiffness: D}).xreplace({_CHI: chi}) for slope in ingredients.short_slopes()]
    return folded(map(Line, _SLOPES, sides), (*_stiffness_lines(), *_short_lines(k, u, p, symbols.a, symbols.b)))


def _stiffness_lines() -> tuple[Line, Line]:
    return Line(D, (ingredients.short_traces().stiffness / lam).xreplace({_CHI: chi})), Line(chi, _CHI)


def direction_lines(options: Options = THEOREM) -> tuple[Line, ...]:
    """Return ρ and κ, in the order in which a reader needs them."""
    step = expressions.direction(options)
    return Line(options.rho, step.rho.xreplace({step.kappa: options.kappa})), Line(options.kappa, step.kappa)


def output_lines(options: Options = THEOREM) -> tuple[Line, ...]:
    """Return the law of f̄₀ if the initial output has a random mean (docs/theory/intercept.md#raw-activations)."""
    law = NormalLaw(ZERO, (options.output_scale * symbols.c_0) ** 2)
    return (Line(symbols.f_bar, law, r"\sim"),) if options.raw else ()


def over_networks(line: Line, case: FormulaCase) -> Line:
    """Return a line with its right side averaged over networks, if it differs from network to network."""
    return line._replace(right=NetworkMean(line.right)) if case.options.raw and case.spikes else line


def lengthening_lines(expression: sympy.Expr, options: Options) -> tuple[Line, ...]:
    """Return τ and v if an expression contains τ."""
    parts = expressions.lengthening_parts(options)
    return tuple(Line(*item) for item in parts.items()) if expression.has(tau) else ()


def trace_lines(expression: sympy.Expr, options: Options = THEOREM) -> tuple[Line, ...]:
    """Return definitions of m_1', m_2' and the equations of m_1 and m_2, for those that occur in an expression."""
    derivatives = (Line(slope, sympy.Derivative(m, lam)) for slope, m in _SLOPES.items() if expression.has(slope))
    if not expression.has(m_1, m_2, *_SLOPES):
        return ()
    if options.biased:
        return (*derivatives, *kind_trace_lines())
    equations = trace_equations()
    turned = (Line(line.right, line.left) for line in equations.statement)  # long sides to the right
    return (*derivatives, *turned, *equations.where)


def unfold(expression: sympy.Expr, options: Options = THEOREM) -> sympy.Expr:
    """Return an expression with ρ, κ, τ, ζ, θ and D in full."""
    step = expressions.direction(options)
    expression = expressions.without_gaussian_names(expression) if options.gaussian else expression
    full = {options.rho: step.rho, options.kappa: step.kappa}
    if expression.has(tau):
        full[tau] = expressions.lengthening_in_full(options)
    return expression.xreplace(full)


def gain(letter: str, which: str, case: FormulaCase) -> Formula:
    """Return Δ, Λ or a loss after the step, with B, T and S named; a problem gives only its spikes and options."""
    left = indexed(letter, case.ell)
    full = expressions.quantity(which, case.spikes, case.options, after=True)
    short = expressions.quantity(which, case.spikes, case.options, folded=True)
    where = (*part_lines(case), *_step_lines(full, case), *trace_lines(short, case.options))
    statement, unfolded = (over_networks(Line(left, right), case) for right in (short, unfold(full, case.options)))
    return Formula((statement,), where, (unfolded,))


def both_gains(case: FormulaCase) -> Formula:
    """Return Δ and Λ in one display, with shared parts defined once."""
    train, test = gain("Delta", "train_gain", case), gain("Lambda", "test_gain", case)
    where = tuple(dict.fromkeys((*test.where, *train.where)))
    return Formula((*train.statement, *test.statement), where, (*train.unfolded, *test.unfolded))


def _step_lines(full: sympy.Expr, case: FormulaCase) -> tuple[Line, ...]:
    """Return definitions of the names that belong to the step and to the law of the first layer."""
    layer = _gaussian_lines(test=full.has(D)) if full.has(symbols.zeta) else ()
    step = (*direction_lines(case.options), *output_lines(case.options)) if case.spikes else ()
    if case.options.biased:
        step = (*step, *mean_square_lines(sympy.Tuple(*(line.right for line in step))))
    return (*layer, *step, *lengthening_lines(full, case.options))


def part_lines(case: FormulaCase) -> tuple[Line, ...]:
    """Return those of B, T and S that spikes K have."""
    top = max(case.spikes, default=0)
    if top < 2:
        return ()
    short = expressions.explained(case.spikes, case.options, folded=True)
    floor = expressions.floor_of(case.spikes, case.options) or ()
    lines = map(Line, expressions.floor_names(case.spikes), floor)
    return (Line(indexed("B", top), short), *(line for line in lines if short.has(line.left)))


def _gaussian_lines(test: bool) -> tuple[Line, ...]:
    """Return ζ and θ, and D for test losses, through which a Gaussian first layer enters."""
    parts = expressions.gaussian_parts()
    first = Line(symbols.zeta, parts[symbols.zeta]), Line(symbols.theta, parts[symbols.theta])
    if not test:
        return (*first, *_short_lines(u, p))
    return (*first, *_stiffness_lines(), *_short_lines(k, u, p, symbols.a, symbols.b))


def error_rate_initial() -> Formula:
    """Return the error rate before a step for labels sign(t): an angle between t and the fit, divided by π.

    The law of the fit is that of :func:`~theorycalc.theory.learned.fit_of` (docs/theory/error_rate.md).
    """
    weights, linear = ingredients.weights(), symbols.c_star_of(1) ** 2
    scatter = Scatter(k, 1 - k, weights.test_linear - k**2, weights.test_rest - 1, ZERO, ZERO)
    left = LeftOver(lambda h: ZERO * h, ZERO, linear, symbols.c_star**2 - linear + symbols.noise**2)
    fit = fit_of(SimpleNamespace(c_star=(symbols.c_star_of(1),)), left, scatter, ZERO)  # type: ignore[arg-type]
    angle = sympy.acos(fit.slope / sympy.sqrt(fit.slope**2 + symbols.fit_variance)) / sympy.pi
    where = Line(symbols.fit_variance, fit.variance), Line(k, m_2 / m_1)
    return folded((Line(symbols.rate, angle),), where)


def slides_Lambda(case: FormulaCase) -> Formula:
    """Return Λ_1 or Λ_2 as printed in the slides."""
    full, left = expressions.slides_Lambda(case.ell), indexed("Lambda", case.ell)
    where = (*direction_lines(case.options)[1:], *trace_lines(full))
    return Formula((Line(left, full),), where, (Line(left, unfold(full, case.options)),))


def matrix_gain(letter: str, case: FormulaCase) -> Formula:
    """Return Δ as the paper prints it, with Ω, ξ and r_p; or Λ, or Δ for other spikes or laws, with Ω in full."""
    left, ell = indexed(letter, case.ell), case.ell
    full = expressions.matrix_gain(case.spikes, letter == "Lambda", case.options)
    unfolded = (Line(left, unfold(full, case.options)),)
    complete = case.spikes == tuple(range(1, ell + 1)) and ell > 0
    if letter == "Delta" and complete and case.options == THEOREM:
        return Formula((Line(left, printed_sum(ell)),), _printed_lines(ell), unfolded)
    return Formula((Line(left, full),), (*_step_lines(full, case), *trace_lines(full, case.options)), unfolded)


def _printed_lines(ell: int) -> tuple[Line, ...]:
    inverse = ingredients.Omega_inverse(ell)
    return (
        Line(PaperMatrix("Omega_inverse", ell, ell), inverse),
        Line(PaperMatrix("xi_positive", ell, ell), ingredients.xi_matrix(ell)[1:, 1:]),
        *(Line(indexed("r", q), ingredients.r(q)) for q in range(1, ell + 1)),
        *direction_lines(),
        *trace_lines(inverse),
    )


def printed_sum(ell: int) -> sympy.Expr:
    """Return Δ_ℓ as an unevaluated sum over Ω_{ij}, ξ_{i,p}, r_p and c_{⋆,p}; the tests prove that it is Δ_ℓ.

    >>> printed_sum(2).args[0]
    lambda
    """
    i, j, q, s = (sympy.Symbol(name, integer=True, positive=True) for name in ("i", "j", "p", "q"))
    labels = symbols.Omega_label, symbols.xi_label, symbols.r_label, symbols.c_star
    Omega, xi, r, teacher = map(sympy.IndexedBase, labels)
    inner = sympy.Sum(
        Omega[i, j] * kappa ** sympy.Mul(sympy.Rational(1, 2), i + j, evaluate=False) * xi[i, q] * xi[j, s],
        (i, 1, ell),
        (j, 1, ell),
    )
    return lam * sympy.Sum(teacher[q] * teacher[s] * r[q] * r[s] * inner, (q, 1, ell), (s, 1, ell))

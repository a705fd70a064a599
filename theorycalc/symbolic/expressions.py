"""Δ_ℓ, Λ_ℓ, the losses and their components as sympy expressions.

See docs/theory/training_gain.md#the-closed-form and docs/theory/test_gain.md#after-the-step.

The formulas of :mod:`theorycalc.theory` are called with symbols: m_1, m_2, their slopes, ρ, κ and the
c_{⋆,k} stay symbols, so that the result reads as the paper does.  Those of literal networks have τ beside them, and
ρ̃, κ̃ where their step is on the residual.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import sympy

from theorycalc.model.enums import NetworkKind, SecondLayer
from theorycalc.model.spikes import Spikes
from theorycalc.model.supported import flipped_energy
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.symbolic import ingredients, symbols
from theorycalc.symbolic.formula_options import THEOREM, Options
from theorycalc.symbolic.symbols import c, c_1, c_star, c_star_of, indexed, lam, m_1, m_2, noise, phi, psi, tau, zeta
from theorycalc.theory import gains, printed
from theorycalc.theory.case import Case, Constants, case_at, gradient_spread, lengthening
from theorycalc.theory.gains import Losses, Parts, Shares, TeacherRow, stretched
from theorycalc.theory.limits import CleanLosses, clean_gain
from theorycalc.theory.traces import Alignment, Weights, constant_spread

TRAIN_SCALE = lam * psi / phi
TEST_SCALE = -phi / (psi * m_1**2)
ZERO, _ONE = sympy.Integer(0), sympy.Integer(1)


def coefficients(count: int) -> tuple[sympy.Expr, ...]:
    """Return the symbols c_{⋆,1}, …, c_{⋆,count}.

    >>> coefficients(2)
    (c_star_1, c_star_2)
    """
    return tuple(c_star_of(j) for j in range(1, count + 1))


def parts_of(spikes: tuple[int, ...], options: Options = THEOREM) -> Parts:
    """Return the teacher as seen by the spikes K; its energy beyond their reach is c_⋆² minus the energy within."""
    known = coefficients(max(spikes, default=1))
    tail = c_star**2 - sum(gains.energy(j, value) for j, value in enumerate(known, start=1))
    powers = Spikes(spikes)
    if options.lengthened and powers.has_gaps:
        return lengthened_gaps(known, tail, powers, options.free_constant)
    return gains.parts_of(SYMBOLS, known, tail, powers, free_constant=options.free_constant)


def lengthened_gaps(
    known: Sequence[sympy.Expr], tail: sympy.Expr, spikes: Spikes, free_constant: bool = False
) -> Parts:
    """Return the teacher's parts for spikes K with gaps that are lengthened, with directions rational in τ.

    The teacher is c_{⋆,1}, c_{⋆,2}, … and the energy ``tail`` beyond them.  The numbers are elements of a field of
    fractions, reduced by every operation, where expressions would grow with each.

    >>> lengthened_gaps(coefficients(4), c_star**2, Spikes((1, 4))).spanned[0].norm
    3*(3*tau**4 + 12*tau**3 + 42*tau**2 + 60*tau + 35)
    """
    field = sympy.QQ.frac_field(tau, c_star, *known)
    read = field.from_sympy
    numbers: Any = SimpleNamespace(rational=lambda value: field(value.numerator) / value.denominator)
    found = gains.parts_of(numbers, [*map(read, known)], read(tail), spikes, read(tau), free_constant)

    def expression(value: Any) -> sympy.Expr:
        return sympy.factor(field.to_sympy(field.convert(value)))

    def written(row: TeacherRow) -> TeacherRow:
        values = tuple(map(expression, row.coefficients))
        return TeacherRow(values, sum(values), gains.quotient(values), expression(row.norm), row.odd)

    return gains.parts_of(SYMBOLS, known, tail, spikes, free_constant=free_constant)._replace(
        floor=None if found.floor is None else written(found.floor),
        missing=tuple(map(written, found.missing)),
        spanned=tuple(map(written, found.spanned)),
    )


def shares(parts: Parts, options: Options) -> Shares:
    """Return B and the teacher's remaining energy as polynomials in ρ, and in τ if neurons are lengthened."""
    spread = zeta if options.gaussian and parts.floor is not None else ZERO
    stretch = tau if options.lengthened and not parts.spanned else None  # directions of gaps have τ inside
    return gains.shares(SYMBOLS, parts, options.rho**2, 1 - options.rho**2, spread, tau=stretch)


def losses(spikes: tuple[int, ...], options: Options = THEOREM, folded: bool = False, after: bool = False) -> Losses:
    """Return gains and losses; ``folded`` keeps B as a symbol, ``after`` simplifies the losses after the step."""
    parts = parts_of(spikes, options)
    share = shares(parts, options)
    if after:  # without rounding nothing cancels, and 1 − ρ² need not stay a factor
        in_tau = options.lengthened and parts.spanned  # directions are fractions in τ, of which B has the fewest
        left = parts.rest - share.explained - share.floor if in_tau else sympy.expand(share.left)
        share = share._replace(left=left)
    if share.kept == 1:  # the floor weighs as all else that is left
        share = share._replace(left=share.left + share.floor, floor=ZERO)
    if folded and max(spikes, default=0) > 1:
        if share.kept != 1 and not parts.spanned:
            T, S = floor_names(spikes)
            share = share._replace(floor=T**2 / (S + zeta), kept=S / (S + zeta), lifted=1 - S / (S + zeta))
        B_symbol = indexed("B", max(spikes))
        share = share._replace(explained=B_symbol, left=parts.rest - B_symbol - share.floor)
    t = options.rho**2 if spikes else ZERO
    full = ingredients.weights(options.gaussian)
    a_f = options.fit_fidelity
    flipped = flipped_energy(options.fit_sign, symbols.label_mean)
    aligned, unexplained = Alignment(t, 1 - t, t, 1 - t), noise**2 + (1 - a_f**2) * c_star**2 + flipped
    how = parts, share, aligned, unexplained, operator.mul, a_f
    scales = TRAIN_SCALE, TEST_SCALE  # which are written in front
    train, test = (gains.losses(Weights(*(weight / scale for weight in full)), *how) for scale in scales)
    found = Losses(
        *(
            TRAIN_SCALE * one if name.startswith("train") else TEST_SCALE * other
            for name, one, other in zip(Losses._fields, train, test, strict=True)
        )
    )
    if a_f != 1:  # a_f² stands in front of the gains
        clean = losses(spikes, options._replace(fit_fidelity=_ONE, fit_sign=_ONE), folded, after)
        found = found._replace(train_gain=a_f**2 * clean.train_gain, test_gain=a_f**2 * clean.test_gain)
    return found._replace(
        train_error_initial=gains.train_error(full.train_rest, found.test_loss_initial, operator.mul),
        train_error=gains.train_error(full.train_rest, found.test_loss, operator.mul),
    )


def clean_losses(
    spikes: tuple[int, ...], options: Options = THEOREM, folded: bool = False, after: bool = False
) -> CleanLosses:
    """Return losses and gain on clean labels; up to rounding the loss is L_te − 2a_f(1 − a_f)(c_⋆² − W)."""
    a_f, k, linear = symbols.a_f, m_2 / m_1, c_star_of(1) ** 2
    options = options._replace(fit_fidelity=a_f)
    found = losses(spikes, options, folded, after)
    top = max(spikes, default=0)
    B = indexed("B", top) if folded and top > 1 else shares(parts_of(spikes, options), options).explained
    more = linear * options.rho**2 * k + B if spikes else ZERO
    at_first = linear * (1 - k)

    shift = (1 - options.fit_sign) * options.label_mean
    mean = shift**2 - flipped_energy(options.fit_sign, symbols.label_mean)

    def clean(loss: sympy.Expr, learned: sympy.Expr) -> sympy.Expr:
        return loss - 2 * a_f * (1 - a_f) * learned + mean

    return CleanLosses(
        clean(found.test_loss_initial, at_first),
        clean(found.test_loss, at_first + more),
        clean_gain(found.test_gain, more, a_f, 1 - a_f),
    )


def quantity(
    which: str, spikes: tuple[int, ...], options: Options, folded: bool = False, after: bool = False
) -> sympy.Expr:
    """Return one of the losses or gains by name, including those on clean labels.

    >>> quantity("train_gain", (1,), THEOREM)
    c_star_1**2*lambda*m_2*psi*rho**2/phi
    """
    make = clean_losses if which in CleanLosses._fields else losses
    return getattr(make(spikes, options, folded, after), which)


def matrix_gain(spikes: tuple[int, ...], test: bool, options: Options = THEOREM) -> sympy.Expr:
    """Return Δ or Λ through Ω, as the paper does; κ cancels."""
    if not spikes:
        return ZERO
    train, fresh = ingredients.hermite_weights(options.gaussian)
    known = coefficients(max(spikes))
    if options.free_constant:  # it is the power 0
        spikes = (0, *spikes)
    if test:
        value = printed.Lambda(SYMBOLS, spikes, train, fresh, known, symbols.rho)
    else:
        value = printed.Delta(SYMBOLS, spikes, train, known, symbols.rho)
    return options.fit_fidelity**2 * sympy.factor_terms(value)


def slides_Lambda(ell: int) -> sympy.Expr:
    """Return Λ_1 or Λ_2 as the slides print them, without the factor φ/(ψm_1²)."""
    slopes = symbols.m_1_slope, symbols.m_2_slope
    return printed.slides_Lambda(ell, c_star_of(1), c_star_of(2), symbols.kappa, m_1, *slopes)


def direction(options: Options = THEOREM) -> Case:
    """Return a case with κ, ρ, ρ² and 1 − ρ² of its step direction in full."""
    rest = c_star**2 - c_star_of(1) ** 2
    constants = Constants(
        c1=c_1,
        c_rest=symbols.c_rest,
        c2_gaussian=ZERO,
        c2_constant=c(2) if options.constant else ZERO,
        c_star=(c_star_of(1),),
        tail=rest,
        rest=rest,
        hidden=ZERO,
        linear=c_star_of(1),
        nonlinear=rest,
        step_linear=options.step_fidelity * c_star_of(1),
        step_quadratic=ZERO,
        residual_mean=options.step_sign * options.label_mean - (symbols.f_bar if options.raw else ZERO),
        step_flipped=flipped_energy(options.step_sign, symbols.label_mean),
        step_ratio=options.step_ratio,
        output_scale=options.output_scale,
        included=options.included,
        gaussian_rows=options.gaussian,
        second_layer=SecondLayer.CONSTANT if options.constant else SecondLayer.GAUSSIAN,
        free_constant=options.free_constant,
        kinds=(),
        levels=(),
    )
    return case_at(SYMBOLS, constants, phi, psi, noise)


def lengthening_parts(options: Options) -> dict[sympy.Symbol, sympy.Expr]:
    """Return τ of lengthened neurons and v, each in terms of those that follow."""
    spread = gradient_spread(symbols.slope_variance, direction(options).scatter)
    return {tau: lengthening(symbols.v, c_1, options.kappa), symbols.v: spread}


def lengthening_in_full(options: Options) -> sympy.Expr:
    """Return τ in terms of the parameters."""
    parts = lengthening_parts(options)
    return parts[tau].xreplace({symbols.v: parts[symbols.v], options.kappa: direction(options).kappa})


def gaussian_parts() -> dict[sympy.Symbol, sympy.Expr]:
    """Return ζ, θ and D, through which a Gaussian first layer enters, each in terms of those that follow."""
    found = ingredients.short_traces()
    spread = constant_spread(c(2), ingredients.weights().spread)
    return {zeta: spread, symbols.D: found.stiffness / lam, symbols.theta: found.theta}


def without_gaussian_names(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression with ζ, θ and D in terms of m_1, m_2 and the parameters."""
    for symbol, value in gaussian_parts().items():
        expression = expression.xreplace({symbol: value})
    return ingredients.in_full(expression)


def explained(spikes: tuple[int, ...], options: Options = THEOREM, folded: bool = False) -> sympy.Expr:
    """Return B, the part of the teacher of degree ≥ 2 explained by the spikes; ``folded`` keeps T and S as symbols."""
    parts = parts_of(spikes, options)
    if folded and parts.floor is not None and not parts.spanned:
        T, S = floor_names(spikes)
        parts = parts._replace(floor=TeacherRow((T,), T, (), S, odd=False))
        options = options._replace(network=NetworkKind.THEOREM)  # T and S have τ inside
    return shares(parts, options).explained


def floor_names(spikes: tuple[int, ...]) -> tuple[sympy.Symbol, sympy.Symbol]:
    """Return the names of T and S: T has index ℓ, S half the largest even spike.

    >>> floor_names((1, 2, 3)), floor_names((1,))
    ((T_3, S_1), (T_1, S_0))
    """
    return indexed("T", max(spikes)), indexed("S", Spikes(spikes).reach(0, 0) // 2)


def floor_of(spikes: tuple[int, ...], options: Options = THEOREM) -> tuple[sympy.Expr, sympy.Expr] | None:
    """Return T and S for spikes without gaps, or None if these leave out no part of the constant."""
    row = parts_of(spikes, options).floor
    if row is None or Spikes(spikes).has_gaps:
        return None
    at, norm = options.rho**2, row.norm
    if options.lengthened:
        at, _, stretch = stretched(at, 1 - at, tau)
        norm = sum(gains.kernel_terms(row.evens, stretch))
    return SYMBOLS.polynomial(row.coefficients, at), norm

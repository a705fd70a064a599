"""Δ_ℓ, Λ_ℓ, the losses and their parts as sympy expressions.

See docs/theory/training_gain.md#the-closed-form and docs/theory/test_gain.md#after-the-step.

The formulas of :mod:`theorycalc.theory` are called with symbols: m_1, m_2, their slopes, ρ, κ and the
c_{⋆,k} stay symbols, so that the result reads as the paper does.  Those of literal networks have τ beside them, and
ρ̃, κ̃ where their step is on the residual.
"""

from __future__ import annotations

import operator
from typing import NamedTuple

import sympy

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.symbolic import trace_symbols as traces
from theorycalc.symbolic.gaps import lengthened_gaps
from theorycalc.symbolic.symbols import (
    D,
    c,
    c_1,
    c_rest,
    c_star,
    c_star_of,
    indexed,
    kappa_tilde,
    lam,
    m_1,
    m_1_slope,
    m_2,
    m_2_slope,
    noise,
    phi,
    psi,
    rho_tilde,
    slope_variance,
    tau,
    theta,
    v,
    zeta,
)
from theorycalc.symbolic.symbols import kappa as kappa_symbol
from theorycalc.symbolic.symbols import rho as rho_symbol
from theorycalc.theory import gains, printed
from theorycalc.theory.case import Case, Constants, case_at, gradient_spread, lengthening
from theorycalc.theory.gains import Losses, Parts, Shares, TeacherRow, stretched
from theorycalc.theory.traces import HermiteWeights, Traces, Weights, constant_spread, weights_of

TRAIN_SCALE = lam * psi / phi
TEST_SCALE = -phi / (psi * m_1**2)


class Options(NamedTuple):
    """What of a problem changes the formulas, not only the numbers in them."""

    gaussian: bool = False  # the first layer's law
    constant: bool = False  # the second layer's law, where the initial output takes part in the step
    step_ratio: sympy.Expr = sympy.Integer(1)
    network: str = "theorem"
    gradient: str = "labels"

    @property
    def lengthened(self) -> bool:
        """Whether the spikes are those of neurons that the step lengthens."""
        return self.network == "literal"

    @property
    def included(self) -> bool:
        """Whether the initial output takes part in the step."""
        return self.gradient == "residual"

    @property
    def rho(self) -> sympy.Symbol:
        """The letter of the step's alignment."""
        return rho_tilde if self.included else rho_symbol

    @property
    def kappa(self) -> sympy.Symbol:
        """The letter of the step's squared length."""
        return kappa_tilde if self.included else kappa_symbol


THEOREM = Options()


def coefficients(count: int) -> tuple[sympy.Expr, ...]:
    """Return the symbols c_{⋆,1}, …, c_{⋆,count}.

    >>> coefficients(2)
    (c_star_1, c_star_2)
    """
    return tuple(c_star_of(j) for j in range(1, count + 1))


def parts_of(spikes: tuple[int, ...], options: Options = THEOREM) -> Parts:
    """Return the teacher as the spikes K see it; what they do not reach is c_⋆² less what they do."""
    known = coefficients(max(spikes, default=1))
    tail = c_star**2 - sum(gains.energy(j, value) for j, value in enumerate(known, start=1))
    powers = Spikes(spikes)
    if options.lengthened and powers.has_gaps:
        return lengthened_gaps(known, tail, powers)
    return gains.parts_of(SYMBOLS, known, tail, powers)


def weights(options: Options = THEOREM) -> Weights:
    """Return the weights of the losses; on the sphere nothing asks how the test weight divides."""
    s_m = Traces(m_1, m_2, m_1_slope, m_2_slope, theta, chi_p=sympy.Integer(0), stiffness=lam * D)
    found = weights_of(s_m, phi, psi, lam)
    constant = found.test_constant if options.gaussian else sympy.Integer(0)
    return found._replace(test_constant=constant, test_bulk=found.test_rest - constant)


def shares(parts: Parts, options: Options, zeta_value: sympy.Expr) -> Shares:
    """Return B and what goes with it, as polynomials in ρ, and in τ where neurons are lengthened."""
    t = options.rho**2
    stretch = tau if options.lengthened and not parts.spanned else None  # directions of gaps have τ inside
    return gains.shares(SYMBOLS, parts, t, 1 - t, zeta_value, tau=stretch)


def losses(
    spikes: tuple[int, ...],
    options: Options = THEOREM,
    folded: bool = False,
    after: bool = False,
) -> Losses:
    """Return gains and losses; ``folded`` leaves B as a symbol, ``after`` tidies the losses after the step."""
    parts = parts_of(spikes, options)
    share = shares(parts, options, zeta if options.gaussian and parts.floor is not None else sympy.Integer(0))
    if after:  # without rounding nothing cancels, and 1 − ρ² need not stay a factor
        in_tau = options.lengthened and parts.spanned  # directions are fractions in τ, of which B has the fewest
        left = parts.rest - share.explained - share.floor if in_tau else sympy.expand(share.left)
        share = share._replace(left=left)
    if share.kept == 1:  # the floor weighs as all else that is left
        share = share._replace(left=share.left + share.floor, floor=sympy.Integer(0))
    if folded and max(spikes, default=0) > 1:
        if share.kept != 1 and not parts.spanned:
            T, S = floor_names(spikes)
            share = share._replace(floor=T**2 / (S + zeta), kept=S / (S + zeta))
        B_symbol = indexed("B", max(spikes))
        share = share._replace(explained=B_symbol, left=parts.rest - B_symbol - share.floor)
    t = options.rho**2 if spikes else sympy.Integer(0)
    full = weights(options)
    train = gains.losses(_divided(full, TRAIN_SCALE), parts, share, t, 1 - t, noise**2)
    test = gains.losses(_divided(full, TEST_SCALE), parts, share, t, 1 - t, noise**2)
    found = Losses(
        *(
            TRAIN_SCALE * one if name.startswith("train") else TEST_SCALE * other
            for name, one, other in zip(Losses._fields, train, test, strict=True)
        )
    )
    return found._replace(
        train_error_initial=gains.train_error(full.train_rest, found.test_loss_initial, operator.mul),
        train_error=gains.train_error(full.train_rest, found.test_loss, operator.mul),
    )


def _divided(full: Weights, scale: sympy.Expr) -> Weights:
    """Return weights without the factor that all terms of a loss share, which is then written in front."""
    return Weights(*(weight / scale for weight in full))


def train_weights(options: Options = THEOREM) -> tuple[HermiteWeights, HermiteWeights]:
    """Return how training and test loss weigh each H_k."""
    return printed.metrics(weights(options), zeta if options.gaussian else sympy.Integer(0))


def matrix_gain(spikes: tuple[int, ...], test: bool, options: Options = THEOREM) -> sympy.Expr:
    """Return Δ or Λ through Ω, as the paper does; κ cancels."""
    if not spikes:
        return sympy.Integer(0)
    train, fresh = train_weights(options)
    known = coefficients(max(spikes))
    if test:
        value = printed.Lambda(SYMBOLS, spikes, train, fresh, known, rho_symbol)
    else:
        value = printed.Delta(SYMBOLS, spikes, train, known, rho_symbol)
    return sympy.factor_terms(value)


def slides_Lambda(ell: int) -> sympy.Expr:
    """Return Λ_1 or Λ_2 as the slides print them, without the factor φ/(ψm_1²)."""
    return printed.slides_Lambda(ell, c_star_of(1), c_star_of(2), kappa_symbol, m_1, m_1_slope, m_2_slope)


def direction(options: Options = THEOREM) -> Case:
    """Return a case with κ, ρ, ρ² and 1 − ρ² of its step direction in full."""
    constants = Constants(
        c1=c_1,
        c_rest=c_rest,
        c2_gaussian=sympy.Integer(0),
        c2_constant=c(2) if options.constant else sympy.Integer(0),
        c_star=(c_star_of(1),),
        tail=c_star**2 - c_star_of(1) ** 2,
        rest=c_star**2 - c_star_of(1) ** 2,
        step_ratio=options.step_ratio,
        included=options.included,
        gaussian_rows=options.gaussian,
        second_layer="constant" if options.constant else "gaussian",
    )
    return case_at(SYMBOLS, constants, phi, psi, noise)


def lengthening_parts(options: Options) -> dict[sympy.Symbol, sympy.Expr]:
    """Return τ of lengthened neurons and v, each in terms of those after it."""
    step = direction(options)
    return {
        tau: lengthening(v, c_1, options.kappa),
        v: gradient_spread(slope_variance, step.scatter),
    }


def lengthening_in_full(options: Options) -> sympy.Expr:
    """Return τ in terms of the parameters."""
    parts = lengthening_parts(options)
    return parts[tau].xreplace({v: parts[v], options.kappa: direction(options).kappa})


def gaussian_parts() -> dict[sympy.Symbol, sympy.Expr]:
    """Return ζ, θ and D, by which a Gaussian first layer enters, each in terms of those after it."""
    found = traces.short_traces()
    return {
        zeta: constant_spread(c(2), weights().spread),
        D: found.stiffness / lam,
        theta: found.theta,
    }


def without_gaussian_names(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression with ζ, θ and D in terms of m_1, m_2 and the parameters."""
    for symbol, value in gaussian_parts().items():
        expression = expression.xreplace({symbol: value})
    return traces.in_full(expression)


def B(spikes: tuple[int, ...], options: Options = THEOREM, folded: bool = False) -> sympy.Expr:
    """Return B, what the spikes explain of the teacher's part of degree ≥ 2; ``folded`` leaves T and S symbols."""
    parts = parts_of(spikes, options)
    if folded and parts.floor is not None and not parts.spanned:
        T, S = floor_names(spikes)
        parts = parts._replace(floor=TeacherRow((T,), T, (), S, odd=False))
        options = options._replace(network="theorem")  # T and S have τ inside
    return shares(parts, options, zeta if options.gaussian and parts.floor is not None else sympy.Integer(0)).explained


def floor_names(spikes: tuple[int, ...]) -> tuple[sympy.Symbol, sympy.Symbol]:
    """Return the names of T and S.

    >>> floor_names((1, 2, 3))
    (T_3, S_1)
    """
    return indexed("T", max(spikes)), indexed("S", half_of_even(spikes))


def half_of_even(spikes: tuple[int, ...]) -> int:
    """Return M: half of the largest even spike, 0 where there is none.

    >>> half_of_even((1, 2, 4))
    2
    """
    return max((k for k in spikes if k % 2 == 0), default=0) // 2


def floor_of(spikes: tuple[int, ...], options: Options = THEOREM) -> tuple[sympy.Expr, sympy.Expr] | None:
    """Return T and S of spikes without gaps, or None where they leave no part of the constant out."""
    row = parts_of(spikes, options).floor
    if row is None or Spikes(spikes).has_gaps:
        return None
    at, norm = options.rho**2, row.norm
    if options.lengthened:
        at, _, stretch = stretched(at, 1 - at, tau)
        norm = sum(gains.kernel_terms(row.evens, stretch))
    return SYMBOLS.polynomial(row.coefficients, at), norm


def check_form(form: str) -> None:
    """Refuse another form of what the slides print."""
    if form != "closed":
        raise ArgumentError(
            f"{spelled('as_printed', True)} is what the slides print: leave out form={form!r}", argument="as_printed"
        )


def check_slides(ell: int, spikes: tuple[int, ...], options: Options) -> None:
    """Refuse Λ as printed where the slides print none."""
    if ell not in (1, 2) or spikes != tuple(range(1, ell + 1)) or options.gaussian:
        raise DomainError(
            f"{spelled('as_printed', True)}: the slides print Λ_1 and Λ_2 only, for the sphere and c_1, …, c_ℓ ≠ 0",
            argument="as_printed",
        )

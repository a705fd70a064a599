"""The part of the teacher explained by the step direction and the spikes.

See docs/theory/training_gain.md#the-closed-form.

With t = ρ², Δ_ℓ and Λ_ℓ weigh two numbers: c_{⋆,1}² t, the linear part, and

    B = Σ_{k=2}^ℓ k! c_{⋆,k}² t^k − T²/S,      T = Σ_j (−1)^j (2j−1)!! c_{⋆,2j} t^j,

and what is left after the step weighs c_{⋆,1}²(1 − t) and A = Σ_{k≥2} k! c_{⋆,k}² − B, for which
1 − t is a factor wherever it can be: no difference of near-equal numbers is formed.

In a network the step lengthens neurons too, and its k-th spike is E_z(h + √τz)^k, where the theorem has h^k: then each
degree in T and S has a factor √(1 + τ) more (docs/theory/turning.md derives it).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import factorial
from typing import NamedTuple, TypeAlias

from theorycalc.functions.algebra import double_factorial, kernel_norm
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.gaps import SpikeDirection, gap_directions, lengthened_directions, shape_directions
from theorycalc.theory.traces import Alignment, Weights

#: How weights multiply losses: without a ridge an infinite weight of nothing is 0.
Times: TypeAlias = "Callable[[Number, Number], Number]"


def energy(k: int, c_star_k: Number) -> Number:
    """Return E[(c_{⋆,k} H_k)²] = k! c_{⋆,k}².

    >>> energy(3, 2)
    24
    """
    return factorial(k) * c_star_k**2


def quotient(coefficients: Sequence[Number]) -> tuple[Number, ...]:
    """Return the coefficients of (f(1) − f(t))/(1 − t) for f = Σ_j coefficients[j] t^j.

    >>> quotient([5, 0, 1])
    (1, 1)
    """
    return tuple(accumulate(reversed(coefficients[1:])))[::-1]


class TeacherRow(NamedTuple):
    """The teacher along one direction: T = ρ^odd Σ_j coefficients[j] t^j, with squared norm S."""

    coefficients: tuple[Number, ...]
    at_one: Number
    quotient: tuple[Number, ...]
    norm: Number
    odd: bool
    evens: int = 0  # of the floor without gaps: M, the number of even spikes


class Parts(NamedTuple):
    """The teacher as seen by the spikes K."""

    linear: Number  # c_⋆1²
    energies: tuple[Number, ...]  # k! c_⋆k² where K reaches degree k of that parity, else 0
    energies_quotient: tuple[Number, ...]
    beyond: Number  # the energy that K does not reach
    rest: Number  # Σ_{k≥2} k! c_⋆k²
    floor: TeacherRow | None  # along the missing part of the constant: T, S of the closed form
    missing: tuple[TeacherRow, ...]  # other directions that gaps in K leave out
    spanned: tuple[TeacherRow, ...]  # with gaps, the directions in


def parts_of(
    ns: NumberSystem,
    c_star: Sequence[Number],
    tail: Number,
    spikes: Spikes,
    tau: Number | None = None,
    free_constant: bool = False,
    shapes: Sequence[Sequence[Number]] = (),
) -> Parts:
    """Return the teacher split by the spikes K: c_{⋆,1}, c_{⋆,2}, …, and the energy ``tail`` of all that follow.

    Infinitely many even powers leave out nothing but the constant's value at 0, which weighs nothing: S_M → ∞, and
    there is no floor.  Nor is there one where a constant costs nothing (docs/theory/intercept.md).  Gaps need
    ``tau`` of lengthened neurons, and ``shapes``, the polynomials of several kinds; else :func:`shares` takes ``tau``.
    """
    reach = {parity: spikes.reach(parity, len(c_star)) for parity in (0, 1)}
    energies: list[Number] = [0, 0]
    beyond = tail
    for k, c in enumerate(c_star[1:], start=2):
        reached = k <= reach[k % 2]
        energies.append(energy(k, c) if reached else 0)
        beyond = beyond if reached else beyond + energy(k, c)
    floor: TeacherRow | None = None
    missing: tuple[TeacherRow, ...] = ()
    spanned: tuple[TeacherRow, ...] = ()
    if spikes.has_gaps:
        known = spikes.listed
        if shapes:
            inside, outside = shape_directions(ns, shapes, tau)
        elif tau is None:
            inside, outside = gap_directions(known, free_constant)
        else:
            inside, outside = lengthened_directions(ns, known, tau, free_constant)
        spanned = tuple(row_of(ns, direction, c_star) for direction in inside)
        rows = [(direction.coefficients.get(0), row_of(ns, direction, c_star)) for direction in outside]
        floor = next((row for constant, row in rows if constant), None)
        missing = tuple(row for constant, row in rows if not constant)
    elif spikes.is_finite and reach[0] and not free_constant:
        floor = floor_of(ns, c_star, reach[0] // 2)
    return Parts(
        linear=c_star[0] ** 2,
        energies=tuple(energies),
        energies_quotient=quotient(energies),
        beyond=beyond,
        rest=beyond + sum(energies),
        floor=floor,
        missing=missing,
        spanned=spanned,
    )


def floor_of(ns: NumberSystem, c_star: Sequence[Number], M: int) -> TeacherRow:
    """Return T_ℓ and S_M in the closed form (docs/theory/training_gain.md#the-closed-form)."""
    even = c_star[1 : 2 * M : 2]
    coefficients = (0, *((-1) ** j * double_factorial(2 * j - 1) * c for j, c in enumerate(even, start=1)))
    norm = ns.rational(kernel_norm(M))
    return TeacherRow(coefficients, sum(coefficients), quotient(coefficients), norm, odd=False, evens=M)


def row_of(ns: NumberSystem, direction: SpikeDirection, c_star: Sequence[Number]) -> TeacherRow:
    """Return the teacher along a direction Σ_j v_j H_j: j! v_j c_⋆j (docs/theory/missing_coefficients.md)."""
    coefficients = [
        factorial(j) * _in(ns, direction.coefficients[j]) * c_star[j - 1]
        if j and j <= len(c_star) and j in direction.coefficients
        else 0
        for j in range(direction.odd, direction.degree + 1, 2)
    ]
    return TeacherRow(
        tuple(coefficients), sum(coefficients), quotient(coefficients), _in(ns, direction.norm), direction.odd
    )


def _in(ns: NumberSystem, value: Number) -> Number:
    return ns.rational(value) if isinstance(value, Fraction) else value


def square_of(ns: NumberSystem, row: TeacherRow, t: Number, one_minus_t: Number) -> Number:
    """Return T², expanded in floats at the nearer end of 0 ≤ t ≤ 1, where T may vanish."""
    value = ns.polynomial(row.coefficients, t)
    if ns.rounds:
        value = ns.where(t <= one_minus_t, value, row.at_one - one_minus_t * ns.polynomial(row.quotient, t))
    return t * (value * value) if row.odd else value * value  # a ball around 0 has no power


class Shares(NamedTuple):
    """The shares of the teacher's part of degree ≥ 2 that the spikes explain and leave."""

    explained: Number  # B_ℓ
    left: Number  # A without σ_ε² and without the floor
    floor: Number  # T²/(S + ζ)
    kept: Number = 1  # S/(S + ζ): 1 on the sphere
    lifted: Number = 0  # ζ/(S + ζ), the rest, either of which may be tiny


def spanned_share(ns: NumberSystem, parts: Parts, t: Number, one_minus_t: Number) -> Number:
    """Return the teacher's energy spanned by spikes with gaps, which may vanish inside 0 < t < 1."""
    return sum(square_of(ns, row, t, one_minus_t) / row.norm for row in parts.spanned)


def shares(
    ns: NumberSystem,
    parts: Parts,
    t: Number,
    one_minus_t: Number,
    zeta: Number,
    spanned: Number | None = None,
    tau: Number | None = None,
) -> Shares:
    """Return B_ℓ and A (docs/theory/test_gain.md#what-is-left-without-a-subtraction).

    ζ = 2c_2² sθ/ψ for a Gaussian first layer (docs/theory/options.md#gaussian-first-layer), else 0.
    ``spanned`` is :func:`spanned_share` where the caller has it, more accurately than ``ns`` would.  ``tau`` is that of
    lengthened neurons, for spikes without gaps: T and S_M are then taken where :func:`stretched` says.
    """
    left = one_minus_t * ns.polynomial(parts.energies_quotient, t) + parts.beyond
    for row in parts.missing:
        left = left + square_of(ns, row, t, one_minus_t) / row.norm
    if parts.spanned:
        explained = spanned_share(ns, parts, t, one_minus_t) if spanned is None else spanned
    else:
        explained = ns.polynomial(parts.energies, t)
    if parts.floor is None:
        return Shares(explained, left, floor=0 * t)
    row, norm, at, beside = parts.floor, parts.floor.norm, t, one_minus_t
    if tau is not None:
        at, beside, stretch = stretched(t, one_minus_t, tau)
        norm = sum(kernel_terms(row.evens, stretch))
    floor = square_of(ns, row, at, beside) / (norm + zeta)
    if parts.spanned:
        explained = explained + zeta / norm * floor
    elif tau is not None and ns.rounds:  # for large τ nearly all of the even energies is left out
        odd = [energy if k % 2 else 0 for k, energy in enumerate(parts.energies)]
        explained = ns.polynomial(odd, t) + even_share(row, at, stretch, zeta)
    else:
        explained = explained - floor
    return Shares(explained, left, floor, kept=norm / (norm + zeta), lifted=zeta / (norm + zeta))


def stretched(t: Number, one_minus_t: Number, tau: Number) -> tuple[Number, Number, Number]:
    """Return (1 + τ)t with its complement, where T is taken for lengthened neurons, and (1 + τ)², where S_M is.

    >>> stretched(0.25, 0.75, 1)
    (0.5, 0.5, 4)
    """
    return (1 + tau) * t, one_minus_t - tau * t, (1 + tau) ** 2


def kernel_terms(M: int, stretch: Number) -> tuple[Number, ...]:
    """Return C(2j, j)/4^j (1 + τ)^{2j} for j = 0, …, M, which sum to S_M(τ); ``stretch`` is (1 + τ)².

    >>> kernel_terms(2, 4)
    (1, 2.0, 6.0)
    """
    terms = [stretch**0]
    for j in range(1, M + 1):
        terms.append(terms[-1] * stretch * (2 * j - 1) / (2 * j))
    return tuple(terms)


def even_share(row: TeacherRow, x: Number, stretch: Number, zeta: Number) -> Number:
    """Return the even part of B as a sum of squares, one for each even spike, at x = (1 + τ)t and stretch (1 + τ)².

    With a_j² = C(2j, j)/4^j (1 + τ)^{2j}, S_j = ζ + Σ_{i≤j} a_i² and T_j the sum of T up to degree j, the spike of
    degree 2j adds T_{j−1}²/S_{j−1} + (T_j − T_{j−1})²/a_j² − T_j²/S_j, which is a square over a_j² S_{j−1} S_j.
    """
    first, *others = kernel_terms(row.evens, stretch)
    S, T, total = first + zeta, 0 * x, 0 * x
    for j, a_squared in enumerate(others, start=1):
        step = row.coefficients[j] * x**j if j < len(row.coefficients) else 0 * x
        total = total + (step * S - a_squared * T) ** 2 / (a_squared * S * (S + a_squared))
        S, T = S + a_squared, T + step
    return total


class Losses(NamedTuple):
    """Losses of the untrained features, gains of the step, and losses after it."""

    train_loss_initial: Number
    test_loss_initial: Number
    train_gain: Number
    test_gain: Number
    train_loss: Number
    test_loss: Number
    train_error_initial: Number
    train_error: Number


def train_error(train_rest: Number, test_loss: Number, times: Times) -> Number:
    """Return (1/n)‖ỹ − Fâ‖² = −λ²∂_λ(ỹᵀRỹ), without the penalty: (λs)² L_te, with λs the weight of a loss.

    Cross-validation read backwards (docs/theory/test_gain.md#the-training-error-without-the-penalty).

    >>> train_error(0.5, 8, operator.mul)
    2.0
    """
    return times(test_loss, train_rest**2)


class InitialLosses(NamedTuple):
    """Losses of the untrained features."""

    train_loss: Number
    test_loss: Number
    train_error: Number


def initial_losses(weights: Weights, linear: Number, rest: Number, times: Times = operator.mul) -> InitialLosses:
    """Return L_tr(F₀), L_te(F₀) and E_tr(F₀) for labels with c_{⋆,1}² = ``linear``, and ``rest`` of everything else."""
    test_loss = times(weights.test_linear, linear) + times(weights.test_rest, rest)
    return InitialLosses(
        times(weights.train_linear, linear) + times(weights.train_rest, rest),
        test_loss,
        train_error(weights.train_rest, test_loss, times),
    )


def loss_left(
    weights: Weights, floor: Number, kept: Number, missed: Number, left: Number, times: Times = operator.mul
) -> Number:
    """Return L_te(F) of the unexplained energy: ``missed`` of the linear part, the floor, and ``left`` of the rest."""
    floored = times(weights.test_bulk, floor) + times(weights.test_constant, floor * kept)
    return times(weights.test_linear, missed) + times(weights.test_rest, left) + floored


def losses(
    weights: Weights,
    parts: Parts,
    share: Shares,
    aligned: Alignment,
    noise_variance: Number,
    times: Times = operator.mul,
    fidelity: Number = 1,
) -> Losses:
    """Return Δ, Λ and the losses as sums of positive terms (docs/theory/test_gain.md).

    ``times(weight, part)`` is the product; at λ = 0 a weight can be infinite, and ∞ · 0 is then 0.  Of labels that are
    a_f σ⋆ on average, ``fidelity`` is a_f, and the rest is part of the noise (docs/theory/channels.md#the-losses).
    """
    told = fidelity**2
    before = initial_losses(weights, told * parts.linear, told * parts.rest + noise_variance, times)
    gained, missed, tested, untested = (told * parts.linear * part for part in aligned)
    share = share._replace(explained=told * share.explained, left=told * share.left, floor=told * share.floor)
    left = share.left + noise_variance
    lifted = times(weights.test_constant, share.floor * share.lifted)
    test_loss = loss_left(weights, share.floor, share.kept, untested, left, times)
    return Losses(
        train_loss_initial=before.train_loss,
        test_loss_initial=before.test_loss,
        train_gain=times(weights.train_linear, gained) + times(weights.train_rest, share.explained),
        test_gain=times(weights.test_linear, tested) + times(weights.test_rest, share.explained) + lifted,
        train_loss=times(weights.train_linear, missed) + times(weights.train_rest, left + share.floor),
        test_loss=test_loss,
        train_error_initial=before.train_error,
        train_error=train_error(weights.train_rest, test_loss, times),
    )

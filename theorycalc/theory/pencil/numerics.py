"""The pencil of a problem: the powers of the step it keeps, and its gains in float64 arrays or proven by balls.

See docs/theory/pencil.md#how-it-is-computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.errors import DomainError, called, spelled
from theorycalc.model.activation import Activation
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball
from theorycalc.numbers.dual import Dual, root
from theorycalc.numbers.exact import Exact, is_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.case import Case, ball_case, float_case, with_residual_mean
from theorycalc.theory.dressed.options import output_mean
from theorycalc.theory.over_networks import output_rule
from theorycalc.theory.pencil.equations import (
    Blocks,
    Factors,
    Slice,
    blocks_of,
    first_lift,
    form_of,
    kind_slices,
    matrix_of,
    slice_of,
    spike_factor,
    strengths,
    with_norm,
)
from theorycalc.theory.solver import ball_weights, float_weights, until_proven
from theorycalc.theory.traces import Traces, in_resolvent

POWERS = (2, 4, 6, 8, 10, 12)  # largest powers tried, odd ones just below included
_CONVERGED = 1e-6  # relative change of a gain by two more powers
_STRONGEST = 1e12


@dataclass(frozen=True)
class Pencil:
    """A case with N neurons, in one number system, ready for steps and ridges."""

    problem: Problem
    gradient: str
    N: int
    spikes: tuple[int, ...]
    c: tuple[tuple[Number, ...], ...]  # c_0, c_1, … of each kind of neuron
    case: Case
    step_scale: Number  # T g_a/g_w²: what makes the η of the network that of one whose scales are 1

    def strengths(self, ns: NumberSystem, eta: Number) -> list[Number]:
        """Return the size of each spike after a step η; for several kinds of neurons, the root mean square."""
        sizes = self._sizes(ns, eta)
        if not self.case.kinds:
            return sizes[0]
        shares = [kind.share for kind in self.case.kinds]
        squares = (
            sum(share * x**2 for share, x in zip(shares, same, strict=True)) for same in zip(*sizes, strict=True)
        )
        return [ns.sqrt(square) for square in squares]

    def _sizes(self, ns: NumberSystem, eta: Number) -> list[list[Number]]:
        """Return the size of each spike for each kind of neuron."""
        root_N = ns.sqrt(ns.rational(Fraction(self.N)))  # N may be beyond int64
        unit, root_kappa = eta * self.step_scale, ns.sqrt(self.case.kappa)
        return [strengths(self.spikes, c, unit, root_kappa, root_N) for c in self.c]

    def factors(self, ns: NumberSystem, eta: Number) -> Factors:
        """Return Y for each kind of neuron after a step η, with the square root of the kind's share.

        Y Yᵀ is its part of the Gram matrix of the factors of H_0(h), H_1(h), ….
        """
        case, unit, found = self.case, eta * self.step_scale, []
        for kind, sizes, neurons in zip(case.as_kinds, self._sizes(ns, eta), self.problem.unit_kinds, strict=True):
            share = ns.sqrt(kind.share)
            rows = spike_factor(ns, self.spikes, [share * size for size in sizes], case.second_layer)
            if case.residual_mean != 0 and neurons.c2:
                # not c_1²√κη times the lift of the first spike, since c_1 may be 0
                lift = first_lift(1, _in(ns, neurons.c2), case.residual_mean, 1) * unit
                first = spike_factor(ns, (1,), [share * lift], case.second_layer)[1]
                rows[0][: len(first)] = [x + y for x, y in zip(rows[0], first, strict=False)]
            found.append(rows)
        return found

    @property
    def has_label_mean(self) -> bool:
        """True if the labels have a mean that a constant feature fits."""
        return not (self.problem.intercept or is_zero(self.problem.label_mean))

    def label_mean(self, ns: NumberSystem) -> Number:
        """Return the mean of the labels, b_f μ."""
        if not self.has_label_mean:
            return ns.rational(Fraction(0))
        return _in(ns, self.problem.fit_sign) * _in(ns, self.problem.label_mean)

    def up_to(self, top: int) -> Pencil:
        """Return the pencil restricted to spikes k ≤ ``top``."""
        return replace(self, spikes=tuple(k for k in self.spikes if k <= top))


def _in(ns: NumberSystem, value: Exact | None) -> Number:
    assert value is not None  # c_2 of an activation whose spikes are known
    return float(value) if ns is FLOATS else ball(value)


def pencil_of(
    problem: Problem, N: int, gradient: str, powers: int = POWERS[-1], constant: bool | None = None
) -> Pencil:
    """Return the pencil of a problem in float64, with the spikes k ≤ ``powers``, for N neurons.

    ``gradient`` says what the step is taken on, the "residual" or the "labels", and ``constant`` whether the features
    have the spike of power 0; by default, as the fit has it.

    >>> pencil_of(Problem("erf", "H1", "1/2", "2/3", "1/10"), N=750, gradient="labels", powers=4).spikes
    (1, 3)
    """
    problem = with_few_kinds(problem)
    found = {k for kind in problem.unit_kinds if not is_zero(kind.c1) for k in kind.spikes(powers)}
    spikes = tuple(sorted(found))
    c = [coefficients_up_to(kind, max(spikes)) for kind in problem.unit_kinds]
    if has_constant(problem) if constant is None else constant:
        spikes = (0, *spikes)
        for kind, known in zip(c, problem.unit_kinds, strict=True):
            kind[0] = float(known.mean)
    case = float_case(problem, gradient)
    return Pencil(problem, gradient, N, spikes, tuple(map(tuple, c)), case, float(problem.step_scale))


def has_constant(problem: Problem) -> bool:
    """Return whether the features contain c_0 1ᵀ, the spike of power 0, as for raw activations without an intercept.

    >>> has_constant(Problem("relu", "H1", 1, 1, 1, centred=False))
    True
    """
    return problem.has_free_constant and not problem.intercept


def in_balls(pencil: Pencil) -> Pencil:
    """Return the pencil in balls of the current precision."""
    powers = range(1, max(pencil.spikes) + 1)
    c = tuple(
        (ball(kind.mean), *(ball(kind.enclosed_coefficient(k)) for k in powers)) for kind in pencil.problem.unit_kinds
    )
    scale = ball(pencil.problem.step_scale)
    return replace(pencil, c=c, case=ball_case(pencil.problem, pencil.gradient), step_scale=scale)


def coefficients_up_to(activation: Activation, top: int) -> list[float]:
    """Return 0, c_1, …, c_top in float64, or raise if they are unknown.

    >>> coefficients_up_to(Activation.from_moments("1/2", "3/10"), 1)
    [0.0, 0.5]
    """
    known = [Fraction(0), activation.c1, *([] if activation.c2 is None else [activation.c2])]
    if top < len(known):
        return [float(c) for c in known[: top + 1]]
    if not activation.has_values:
        raise DomainError(
            f"the step brings powers up to {top} out of the bulk, and c_{top} of {activation.name} is not known; "
            "write the activation as text, such as 'relu' or 'H1 + H2/2 + 3*H3/10'",
            argument="activation",
        )
    return [0.0, *(float(c) for c in activation.coefficients(top)[1:])]


class Gains(NamedTuple):
    """Gains by the pencil, the largest power included, and the change due to the last two powers."""

    train: Array
    test: Array
    top: Array
    change: Array


def float_gains(pencil: Pencil, eta: Array, ridge: Array) -> Gains:
    """Return the gains for pairs of η and λ, using as many powers as improve them.

    Beyond small η²/N the series is asymptotic: then the powers are taken that changed least.
    """
    _check_strengths(pencil, float(eta.max()))
    tops = sorted({max(k for k in pencil.spikes if k <= top) for top in POWERS})
    slices = slices_of(float_weights(pencil.case, ridge)[0], ridge, pencil.case)
    train, test = _gains(_form, pencil.up_to(tops[0]), eta, ridge, slices)
    best = Gains(train, test, np.full(len(eta), tops[0]), np.full(len(eta), np.inf if len(tops) > 1 else 0.0))
    settled = np.zeros(len(eta), dtype=bool)
    for top in tops[1:]:
        before = train, test
        train, test = _gains(_form, pencil.up_to(top), eta, ridge, slices)
        change = np.maximum(np.abs(train - before[0]), np.abs(test - before[1]))
        better = ~settled & (change <= best.change)
        new = Gains(train, test, np.full(len(eta), top), change)
        best = Gains(*(np.where(better, x, y) for x, y in zip(new, best, strict=True)))
        settled |= change <= _CONVERGED * np.maximum(np.abs(train), np.abs(test))
    return best


def mean_gains(pencil: Pencil, eta: Array, ridge: Array) -> Gains:
    """Return the gains averaged over networks, whose initial output has a random mean if the activation is raw.

    See docs/theory/dressed.md#raw-activations.
    """
    weights, pencils = pencils_of_networks(pencil)
    found = [float_gains(one, eta, ridge) for one in pencils]
    if len(found) == 1:
        return found[0]
    train, test, top, change = (np.array(column) for column in zip(*found, strict=True))
    return Gains(weights @ train, weights @ test, top.max(axis=0), weights @ change)


def pencils_of_networks(pencil: Pencil) -> tuple[Array, list[Pencil]]:
    """Return the pencils of networks with different means of the initial output, and the weights of these networks."""
    mean = output_mean(pencil.problem, pencil.gradient)
    if not mean:
        return np.ones(1), [pencil]
    means, weights = output_rule(mean)
    cases = [with_residual_mean(pencil.case, float(pencil.case.residual_mean - x)) for x in means]
    return weights, [replace(pencil, case=case) for case in cases]


def _check_strengths(pencil: Pencil, eta: float) -> None:
    """Refuse steps with spikes so strong that float64 keeps nothing of F₀ next to them."""
    with np.errstate(over="ignore"):  # an overflow is too strong, too
        found = pencil.up_to(POWERS[1]).strengths(FLOATS, np.float64(eta))
    if not max(abs(size) for size in found) <= _STRONGEST:
        raise DomainError(
            f"η = {eta:g} makes spikes stronger than {_STRONGEST:g}; use {spelled('method', 'dressed')}, or "
            f"{called('predict')}",
            argument="eta",
        )


def slices_of(traces: Traces, ridge: Number, case: Case) -> tuple[Slice, ...]:
    """Return the slice of each kind of neuron at λ, with its λ-derivatives."""
    return kind_slices(traces, case) if case.kinds else (slice_of(traces, case, ridge),)


def _gains(
    form: Callable[[Pencil, Number, Sequence[Slice]], Dual],
    pencil: Pencil,
    eta: Number,
    ridge: Number,
    slices: Sequence[Slice],
) -> tuple[Number, Number]:
    """Return both gains from a ``form`` QᵀMid⁻¹Q in one number system."""
    found = form(pencil, eta, slices)
    if pencil.has_label_mean:  # which a constant feature fits without a step
        found = found - form(pencil, 0 * eta, slices)
    return ridge * found.value, -found.slope / in_resolvent(slices[0].m1.value, pencil.case.phi, pencil.case.psi) ** 2


def _form(pencil: Pencil, eta: Array, slices: Sequence[Slice]) -> Dual:
    """Return QᵀMid⁻¹Q for pairs of η and λ."""
    blocks, factors = _gain_blocks(FLOATS, pencil, eta, slices)
    size = len(blocks.weights)
    Y = [
        _stacked([entry for row in rows for entry in row], eta.shape).reshape(len(eta), size, size) for rows in factors
    ]
    weights, q = (
        Dual(*(_stacked([getattr(entry, name) for entry in part], eta.shape) for name in ("value", "slope")))
        for part in (blocks.weights, blocks.q)
    )
    parts = [coupling[:, None] * one[:, :, pencil.case.own] for coupling, one in zip(blocks.couplings, Y, strict=True)]
    return form_of(weights, q, sum(parts[1:], parts[0]), [root(FLOATS, at.theta) for at in slices], Y)


def _gain_blocks(ns: NumberSystem, pencil: Pencil, eta: Number, slices: Sequence[Slice]) -> tuple[Blocks, Factors]:
    """Return the blocks and Y for the gains, including ‖x‖² if the second layer is constant."""
    case, factors = pencil.case, pencil.factors(ns, eta)
    blocks = blocks_of(ns, len(factors[0]) - 1, slices, case, pencil.problem.intercept, pencil.label_mean(ns))
    if case.second_layer != "constant":
        return blocks, factors
    s = in_resolvent(slices[0].m1, case.phi, case.psi)
    c2 = [ns.sqrt(kind.share) * kind.c2 for kind in case.kinds] or [case.c2_constant]
    return with_norm(ns, blocks, factors, s, c2, case.psi)


def _stacked(entries: Sequence[Number], shape: tuple[int, ...]) -> Array:
    """Return the entries stacked along a new last axis."""
    return np.stack([np.broadcast_to(entry, shape) for entry in entries], axis=-1)


def ball_gains(pencil: Pencil, eta: Callable[[], flint.arb], top: int, digits: int) -> list[flint.arb]:
    """Return training and test gain, each with ``digits`` proven digits; ``eta()`` encloses η at a given precision."""
    problem, kept = pencil.problem, pencil.up_to(top)

    def attempt(bits: int) -> list[flint.arb]:
        exact = in_balls(kept)
        case, ridge = exact.case, ball(problem.ridge)
        traces, _ = ball_weights(case, (problem.phi, problem.psi, problem.ridge), bits)
        return list(_gains(_ball_form, exact, eta(), ridge, slices_of(traces, ridge, case)))

    return until_proven(attempt, digits)


def _ball_form(pencil: Pencil, eta: flint.arb, slices: Sequence[Slice]) -> Dual:
    """Return QᵀMid⁻¹Q in balls."""
    blocks, factors = _gain_blocks(BALLS, pencil, eta, slices)
    matrix = matrix_of(blocks, [root(BALLS, at.theta) for at in slices], factors, pencil.case.own)
    zero = flint.arb(0)
    q = [*blocks.q, *([Dual(zero, zero)] * (len(matrix) - len(blocks.q)))]
    z = BALLS.solve([[entry.value for entry in row] for row in matrix], [entry.value for entry in q])
    value = sum((entry.value * x for entry, x in zip(q, z, strict=True)), zero)
    slope = sum((2 * entry.slope * x for entry, x in zip(q, z, strict=True)), zero)
    for x, row in zip(z, matrix, strict=True):
        slope -= x * sum((entry.slope * other for entry, other in zip(row, z, strict=True)), zero)
    return Dual(value, slope)

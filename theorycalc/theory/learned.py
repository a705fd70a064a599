"""The law of the fit f̂ at a fresh point in the limit n → ∞, and the probability that its sign is wrong.

See docs/theory/error_rate.md#the-law-of-the-fit.

Strong spikes are unpenalised features, by which the fit learns p(h), the projection of E[y|h] onto their span; of what
is left ridge on F₀ learns the share 1 − k of the linear part, c_⋆1(t − ρh), and a constant where rows are Gaussian.
Everything else it knows is noise of variance v, Gaussian as a sum over many neurons.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.functions.algebra import double_factorial
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import NONE, ODD, ONE_AND_EVEN, Spikes
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.case import CONSTANTS_BITS, Case, float_case, with_residual_mean
from theorycalc.theory.dressed.responses import Function, normal_rule, responses
from theorycalc.theory.fit_scatter import Scatter, float_scatter
from theorycalc.theory.gaps import Basis, SpikeDirection, gap_directions, lengthened_directions, shape_directions
from theorycalc.theory.kind_spikes import Shapes
from theorycalc.theory.label_lines import SignLabels
from theorycalc.theory.plans import Plan, Terms, lengthening_of
from theorycalc.theory.signs import FitLaw, normal_mean, sign_changes, sign_labels, wrong_share
from theorycalc.theory.traces import constant_spread

_MOST_JUMPS = 40  # of more labels, which are means over lines, no jump is large
_LEVEL = 1  # of the rule for E[σ⋆|h]
_MEAN_STEP, _MEAN_END = 0.25, 7.0  # of the rule for the mean of f₀


def spanned_polynomial(
    ns: NumberSystem, case: Case, spikes: Spikes, zeta: Number, tau: Number | None, shapes: Shapes = ()
) -> tuple[list[Number], list[Number]]:
    """Return the projection p(h) = Σ_k p_k H_k(h) of E[y|h] onto the spikes, and onto 1 if the constant is free.

    E[y|h] = Σ_k c_⋆k ρ^k H_k(h); the second result are the coefficients of E[y|h] − p(h).

    Only a few directions are missing: along the missing part of the constant, T/(S + ζ), and along gaps.
    ``shapes`` are the polynomials of lengthened neurons of several kinds.

    >>> from theorycalc.model.problem import Problem
    >>> from theorycalc.theory.case import float_case
    >>> case = float_case(Problem("relu", "H1 + H2", "1/2", "2/3", "1/10"), "labels")
    >>> p = spanned_polynomial(FLOATS, case, Spikes.up_to(2), 0.0, None)[0]
    >>> bool(abs(p[0] - p[2]) < 1e-15)  # p(0) = p_0 − p_2 = 0
    True
    """
    degree, zero = max(len(case.c_star), int(spikes.largest)), 0 * case.rho
    c = [zero, *case.c_star, *[zero] * (degree - len(case.c_star))]
    targets = [value * case.rho**k for k, value in enumerate(c)]
    reach = {parity: spikes.reach(parity, degree) for parity in (0, 1)}
    inside = [k > 0 and k <= reach[k % 2] for k in range(degree + 1)]
    found = [x if within else zero for x, within in zip(targets, inside, strict=True)]
    missed = [zero if within else x for x, within in zip(targets, inside, strict=True)]
    lacking: tuple[SpikeDirection, ...] = ()
    if spikes.has_gaps:
        lacking = _outside(ns, spikes, tau, shapes)
    elif reach[0]:
        lacking = (_missing_constant(ns, reach[0] // 2, zero if tau is None else tau),)
    for direction in lacking:
        vector = direction.coefficients
        has_constant = 0 in vector and not ns.all(vector[0] == 0)
        if has_constant and case.free_constant:
            continue
        norm = direction.norm + zeta if has_constant else direction.norm
        along = sum((factorial(k) * value * targets[k] for k, value in vector.items()), zero) / norm
        for k, value in vector.items():
            part = along * (value + zeta if has_constant and k == 0 else value)
            found[k], missed[k] = found[k] - part, missed[k] + part
    if ns.rounds and not all(map(math.isfinite, found)):
        raise PrecisionError(
            "the polynomial that the spikes learn is beyond the range of float64; take a smaller ℓ", argument="ell"
        )
    return found, missed


def _missing_constant(ns: NumberSystem, M: int, tau: Number) -> SpikeDirection:
    """Return the part of the constant missing from even powers up to 2M, Σ_j (−1)^j (2j−1)!!/(2j)! (1+τ)^j H_2j."""
    shares = [Fraction((-1) ** j * double_factorial(2 * j - 1), factorial(2 * j)) for j in range(M + 1)]
    parts = {2 * j: ns.rational(share) * (1 + tau) ** j for j, share in enumerate(shares)}
    return SpikeDirection(parts, sum(factorial(j) * value**2 for j, value in parts.items()), odd=False)


def _outside(ns: NumberSystem, spikes: Spikes, tau: Number | None, shapes: Shapes) -> tuple[SpikeDirection, ...]:
    """Return the directions that gaps leave out; in float64, those of lengthened neurons are rounded from balls."""
    convert: Callable[[Number], Number] = ns.rational
    if tau is None:
        found = gap_directions(spikes.listed)[1]
    elif not ns.rounds:
        return _lengthened(spikes, tau, shapes)[1]
    else:
        with ball_precision(CONSTANTS_BITS):
            found = _lengthened(spikes, ball(tau), [[ball(float(x)) for x in shape] for shape in shapes])[1]
        convert = functools.partial(nearest_float, name="a direction of the spikes")
    return tuple(
        SpikeDirection({j: convert(value) for j, value in one.coefficients.items()}, convert(one.norm), one.odd)
        for one in found
    )


def _lengthened(spikes: Spikes, tau: Number, shapes: Sequence[Sequence[Number]]) -> Basis:
    return shape_directions(BALLS, shapes, tau) if shapes else lengthened_directions(BALLS, spikes.listed, tau)


@dataclass(frozen=True)
class LearnedFit:
    """The fit after the step in the limit: f̂ = p(h) + constant + slope·(t − ρh) + √variance·z."""

    function: Callable[[Number], Number]  # p(h)
    constant: Number
    slope: Number
    variance: Number
    loss: Number  # E(y − f̂)² on labels of the fit's channel

    def law(self, h: Array, off_teacher: float) -> FitLaw:
        """Return the law of f̂ at points with given h."""
        mean = np.broadcast_to(self.function(h), h.shape) + self.constant
        return FitLaw(mean, np.full_like(h, self.slope * off_teacher), np.full_like(h, self.variance))


class LeftOver(NamedTuple):
    """p(h), its constant p_0, and the energies of y − p(h): along t − ρh, and of degree ≥ 2 including noise."""

    function: Callable[[Number], Number]
    constant: Number
    linear: Number
    rest: Number


def learned_fit(
    case: Case, spikes: Spikes, teacher: Function, ridge: float, tau: float | None = None, shapes: Shapes = ()
) -> LearnedFit:
    """Return the fit at one λ ≥ 0, or without spikes the fit before the step.

    ``teacher`` is E[y|t], ``tau`` that of neurons which the step lengthens, where it matters, and ``shapes`` are the
    polynomials that neurons of several kinds then have.

    >>> import theorycalc as tc
    >>> from theorycalc.theory.case import float_case
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> fit = learned_fit(float_case(problem, "labels"), Spikes.up_to(1), Function(lambda t: t, ()), 0.1)
    >>> bool(abs(fit.loss - tc.predict(problem, ell=1).test_loss) < 1e-12)
    True
    """
    scatter = float_scatter(case, ridge, bool(spikes))
    zeta = float(constant_spread(case.c2_gaussian, scatter.spread))
    if spikes and not spikes.is_finite:
        left = _all_powers(case, spikes, teacher)
    else:
        left = left_over(FLOATS, case, spikes, zeta, tau, shapes)
    return fit_of(case, left, scatter, zeta)


def fit_of(case: Case, left: LeftOver, scatter: Scatter, zeta: Number) -> LearnedFit:
    """Return the fit to labels of which the spikes leave some part (docs/theory/error_rate.md#the-law-of-the-fit)."""
    unlearned = 1 / (1 + zeta)  # of a constant
    of_constant = unlearned * (unlearned * scatter.rest + (1 - unlearned) * scatter.bulk)
    variance = scatter.rest * left.rest
    for weight, energy in ((scatter.linear, left.linear), (of_constant, left.constant * left.constant)):
        variance = variance if energy == 0 else variance + weight * energy  # also where a weight is infinite
    return LearnedFit(
        function=left.function,
        constant=-(1 - unlearned) * left.constant,
        slope=scatter.learned * case.c_star[0],
        variance=variance,
        loss=variance + scatter.kept**2 * left.linear + left.rest + unlearned**2 * (left.constant * left.constant),
    )


def left_over(
    ns: NumberSystem, case: Case, spikes: Spikes, zeta: Number, tau: Number | None, shapes: Shapes = ()
) -> LeftOver:
    """Return the part of the labels left by finitely many spikes, which is all of them without spikes."""
    if not spikes:
        return LeftOver(lambda h: 0 * h, 0 * case.rho, case.c_star[0] ** 2, case.rest + case.noise_variance)
    p, missed = spanned_polynomial(ns, case, spikes, zeta, tau, shapes)
    rest = case.tail + case.noise_variance
    for j, c in enumerate(case.c_star[1:], start=2):
        rest = rest + factorial(j) * c**2 * case.one_minus_t * sum(case.t**i for i in range(j))
    rest = rest + sum(factorial(j) * (missed[j] * missed[j]) for j in range(2, len(p)))
    return LeftOver(lambda h: hermite_series(p, h), p[0], case.c_star[0] ** 2 * case.one_minus_t, rest)


def hermite_series(coefficients: Sequence[Number], h: Number) -> Number:
    """Return Σ_k coefficients[k] H_k(h) by Clenshaw's recursion.

    >>> hermite_series([1, 2, 3], 10)  # 1 + 2·10 + 3·99
    318
    """
    above, beyond = 0 * h, 0 * h
    for k in reversed(range(len(coefficients))):
        above, beyond = coefficients[k] + h * above - (k + 1) * beyond, above
    return above


def _all_powers(case: Case, spikes: Spikes, teacher: Function) -> LeftOver:
    """Return the part left by infinitely many powers: p is E[y|h], or its part of one parity."""

    def given(h: Array) -> tuple[Array, Array]:
        found = responses(teacher, case.rho * h, np.full_like(h, case.off_teacher), _LEVEL)
        return found.mean, found.variance

    def learned(h: Array) -> Array:
        return of_parity(spikes, lambda at: given(at)[0], h, case.c_star[0] * case.rho)

    def missed(h: Array) -> Array:
        mean, variance = given(h)
        return variance + (mean - learned(h)) ** 2

    linear = case.c_star[0] ** 2 * case.one_minus_t
    return LeftOver(learned, 0.0, linear, normal_mean(missed) - linear + case.noise_variance)


def of_parity(spikes: Spikes, function: Callable[[Number], Number], h: Number, linear: Number) -> Number:
    """Return the part of a function of h spanned by infinitely many spikes; ``linear`` is its coefficient of H_1.

    >>> of_parity(ODD, lambda h: h**3 + h**2, 2, 3)
    8.0
    """
    value = function(h)
    if spikes == ODD:
        value = (value - function(-h)) / 2
    if spikes == ONE_AND_EVEN:
        value = (value + function(-h)) / 2 + linear * h
    return value


def cases_of(terms: Terms, case: Case) -> list[tuple[float, Case]]:
    """Return the cases of different networks with their weights: a single one, unless f₀ has a random mean.

    See docs/theory/intercept.md#raw-activations.
    """
    if terms.own_mean is None:
        return [(1.0, case)]
    own = float(terms.own_mean)
    width = math.sqrt(case.kappa / case.batch_ratio) / abs(own)  # the distance of the poles of 1/κ from real Z
    nodes, weights = normal_rule(_MEAN_STEP * min(1.0, width), _MEAN_END)
    found = [with_residual_mean(case, mean) for mean in case.residual_mean - own * nodes]
    return list(zip(weights.tolist(), found, strict=True))


def limit_rate(fit: LearnedFit, labels: SignLabels, case: Case, spikes: Spikes) -> float:
    """Return the error rate of a fit (docs/theory/error_rate.md#in-the-limit)."""
    if fit.variance == math.inf:  # without ridge where N = n: f̂ is all noise
        return 0.5
    if not spikes:
        law = FitLaw(np.zeros(1), np.array([fit.slope]), np.array([fit.variance]))
        return float(wrong_share(labels, np.zeros(1), 1.0, law)[0])
    off, rho = float(case.off_teacher), float(case.rho)
    changes = sign_changes(lambda h: fit.law(h, off).mean + labels.offset)
    jumps = [place / rho for place in labels.places] if rho and len(labels.places) <= _MOST_JUMPS else []
    return normal_mean(lambda h: wrong_share(labels, rho * h, off, fit.law(h, off)), [*changes, *jumps])


def initial_rates(problem: Problem, gradient: str, ridges: Array) -> Array:
    """Return the rates before the step for each λ."""
    return _rates(problem, NONE, (), [(1.0, float_case(problem, gradient), None)], ridges)


def rates_after(plan: Plan, terms: Terms, ridges: Array) -> Array:
    """Return a limit's rates after the step for each λ, averaged over networks where these differ."""
    found = cases_of(terms, float_case(plan.problem, plan.gradient))
    cases = [(weight, case, lengthening_of(terms, case)) for weight, case in found]
    return _rates(plan.problem, plan.spikes, terms.shapes, cases, ridges)


def _rates(
    problem: Problem, spikes: Spikes, shapes: Shapes, cases: Sequence[tuple[float, Case, Number | None]], ridges: Array
) -> Array:
    """Return the rates for each λ, averaged over cases with weights and τ."""
    values, fidelity = problem.teacher.centered_values(), float(problem.fit_fidelity)
    labels = sign_labels(problem)
    teacher = Function(lambda t: fidelity * np.asarray(values(t)), problem.teacher.kink_floats)  # a_f(σ⋆ − μ)

    def rate(case: Case, tau: Number | None, ridge: float) -> float:
        fit = learned_fit(case, spikes, teacher, ridge, None if tau is None else float(tau), shapes)
        return limit_rate(fit, labels, case, spikes)

    different, which = np.unique(ridges, return_inverse=True)
    means = [sum(weight * rate(case, tau, float(ridge)) for weight, case, tau in cases) for ridge in different]
    return np.array(means)[which].reshape(ridges.shape)

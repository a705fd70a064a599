"""The law of the fit f̂ at a fresh point in the limit n → ∞, and how often its sign is wrong.

See docs/theory/error_rate.md#the-law-of-the-fit.

Strong spikes are unpenalised features, by which the fit learns p(h), the projection of E[y|h] onto their span; of what
is left ridge on F₀ learns the share 1 − k of the linear part, c_⋆1(t − ρh), and a constant where rows are Gaussian.
Everything else it knows is noise of variance v, Gaussian as a sum over many neurons.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.functions.algebra import double_factorial
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import NONE, ODD, ONE_AND_EVEN, Spikes
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS, Array
from theorycalc.theory.case import CONSTANTS_BITS, Case, float_case, with_residual_mean
from theorycalc.theory.dressed.responses import Function, normal_rule, responses
from theorycalc.theory.gaps import SpikeDirection, gap_directions, lengthened_directions, shape_directions
from theorycalc.theory.kind_shapes import Shape
from theorycalc.theory.kinds import KindMoments, fit_noise, kind_sums
from theorycalc.theory.plans import Plan, Terms, lengthening_of
from theorycalc.theory.signs import FitLaw, SignLabels, normal_mean, sign_changes, sign_labels, wrong_share
from theorycalc.theory.solver import float_weights
from theorycalc.theory.traces import constant_spread, in_resolvent

_LEVEL = 1  # of the rule for E[σ⋆|h]
_MEAN_STEP, _MEAN_END = 0.25, 7.0  # of the rule for the mean of f₀


class Polynomial(NamedTuple):
    """p(h) = Σ_k p_k H_k(h) beside E[y|h] = Σ_k c_⋆k ρ^k H_k(h)."""

    coefficients: Array  # p_0, p_1, …
    targets: Array  # c_⋆k ρ^k, from k = 0


def spanned_polynomial(
    case: Case, spikes: Spikes, zeta: float, tau: float | None, shapes: tuple[Shape, ...] = ()
) -> Polynomial:
    """Return the projection of E[y|h] onto the spikes, and onto 1 where the constant is free.

    Only a few directions are missing: along the missing part of the constant, T/(S + ζ), and along gaps.
    ``shapes`` are the polynomials of lengthened neurons of several kinds.

    >>> from theorycalc.model.problem import Problem
    >>> from theorycalc.theory.case import float_case
    >>> case = float_case(Problem("relu", "H1 + H2", "1/2", "2/3", "1/10"), "labels")
    >>> p = spanned_polynomial(case, Spikes.up_to(2), 0.0, None).coefficients
    >>> bool(abs(p[0] - p[2]) < 1e-15)  # p(0) = p_0 − p_2 = 0
    True
    """
    degree = max(len(case.c_star), int(spikes.largest))
    c = np.array([0.0, *case.c_star, *[0.0] * (degree - len(case.c_star))])
    targets = c * np.asarray(case.rho) ** np.arange(degree + 1)
    reach = {parity: spikes.reach(parity, degree) for parity in (0, 1)}
    found = np.array([x if k and k <= reach[k % 2] else 0.0 for k, x in enumerate(targets)])
    lacking: tuple[SpikeDirection, ...] = ()
    if spikes.has_gaps:
        lacking = _outside(spikes, tau, shapes)
    elif reach[0]:
        lacking = (_missing_constant(reach[0] // 2, 0.0 if tau is None else tau),)
    weights = np.array([factorial(k) for k in range(degree + 1)], dtype=float)
    for direction in lacking:
        vector = np.zeros(degree + 1)
        for j, value in direction.coefficients.items():
            vector[j] = float(value)
        more = zeta if vector[0] else 0.0
        if vector[0] and case.free_constant:
            continue
        along = float(vector * weights @ targets) / (float(direction.norm) + more)
        vector[0] += more
        found = found - along * vector
    if not np.isfinite(found).all():
        raise PrecisionError(
            "the polynomial that the spikes learn is beyond the range of float64; take a smaller ℓ", argument="ell"
        )
    return Polynomial(found, targets)


def _missing_constant(M: int, tau: float) -> SpikeDirection:
    """Return the missing part of the constant beside even powers up to 2M: Σ_j (−1)^j (2j−1)!!/(2j)! (1+τ)^j H_2j."""
    parts = {2 * j: (-1) ** j * double_factorial(2 * j - 1) / factorial(2 * j) * (1 + tau) ** j for j in range(M + 1)}
    return SpikeDirection(parts, sum(factorial(j) * value**2 for j, value in parts.items()), odd=False)


def _outside(spikes: Spikes, tau: float | None, shapes: tuple[Shape, ...]) -> tuple[SpikeDirection, ...]:
    """Return the directions that gaps leave out, for neurons that the step lengthens from balls."""
    if tau is None:
        return gap_directions(spikes.listed)[1]
    with ball_precision(CONSTANTS_BITS):
        if shapes:
            exact = [[ball(float(x)) for x in shape] for shape in shapes]
            found = shape_directions(BALLS, exact, ball(tau))[1]
        else:
            found = lengthened_directions(BALLS, spikes.listed, ball(tau))[1]
        name = "a direction of the spikes"
        return tuple(
            SpikeDirection(
                {j: nearest_float(value, name) for j, value in one.coefficients.items()},
                nearest_float(one.norm, name),
                one.odd,
            )
            for one in found
        )


class LearnedFit(NamedTuple):
    """The fit after the step in the limit: f̂ = p(h) + constant + slope·(t − ρh) + √variance·z."""

    function: Function  # p(h)
    constant: float
    slope: float
    variance: float
    loss: float  # E(y − f̂)² on labels of the fit's channel

    def law(self, h: Array, off_teacher: float) -> FitLaw:
        """Return the law of f̂ at points of given h."""
        mean = np.broadcast_to(self.function.values(h), h.shape) + self.constant
        return FitLaw(mean, np.full_like(h, self.slope * off_teacher), np.full_like(h, self.variance))


def learned_fit(
    case: Case,
    spikes: Spikes,
    teacher: Function,
    ridge: float,
    tau: float | None = None,
    shapes: tuple[Shape, ...] = (),
) -> LearnedFit:
    """Return the fit at one λ > 0; without spikes, that before the step.

    ``teacher`` is E[y|t], ``tau`` that of neurons which the step lengthens, where it matters, and ``shapes`` are the
    polynomials that neurons of several kinds then have.

    >>> import theorycalc as tc
    >>> from theorycalc.theory.case import float_case
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> fit = learned_fit(float_case(problem, "labels"), Spikes.up_to(1), Function(lambda t: t, ()), 0.1)
    >>> bool(abs(fit.loss - tc.predict(problem, ell=1).test_loss) < 1e-12)
    True
    """
    traces, weights = float_weights(case, ridge)
    zeta = float(constant_spread(case.c2_gaussian, weights.spread))
    k, (s, t) = traces.m2 / traces.m1, (in_resolvent(m, case.phi, case.psi) for m in (traces.m1, traces.m2))
    sums = kind_sums(case.kinds or (KindMoments(1.0, case.c1, case.c_rest),), s, t)
    noise = fit_noise(sums, s, t, case.phi, case.psi, ridge)
    fitted = t * sums.linear / case.psi  # 1 − k, of a linear function
    unlearned = 1 / (1 + zeta)  # of a constant
    left = _left_over(case, spikes, teacher, zeta, tau, shapes)
    of_constant = unlearned * (unlearned * noise.rest + (1 - unlearned) * weights.test_bulk)
    variance = noise.linear * left.linear + noise.rest * left.rest + of_constant * left.constant**2
    loss = variance + k**2 * left.linear + left.rest + (unlearned * left.constant) ** 2
    return LearnedFit(
        function=left.function,
        constant=-(1 - unlearned) * left.constant,
        slope=float(fitted * case.c_star[0]),
        variance=float(variance),
        loss=float(loss),
    )


class _LeftOver(NamedTuple):
    """p(h), its constant p_0, and the energies of y − p(h): along t − ρh, and of degree ≥ 2 with the noise."""

    function: Function
    constant: float
    linear: float
    rest: float


def _left_over(
    case: Case, spikes: Spikes, teacher: Function, zeta: float, tau: float | None, shapes: tuple[Shape, ...]
) -> _LeftOver:
    if not spikes:
        return _LeftOver(Function(np.zeros_like, ()), 0.0, case.c_star[0] ** 2, case.rest + case.noise_variance)
    linear = case.c_star[0] ** 2 * case.one_minus_t
    if not spikes.is_finite:
        return _all_powers(case, spikes, teacher, linear)
    p, targets = spanned_polynomial(case, spikes, zeta, tau, shapes)
    rest = case.tail + case.noise_variance
    for j, c in enumerate(case.c_star[1:], start=2):
        rest = rest + factorial(j) * c**2 * case.one_minus_t * sum(case.t**i for i in range(j))
    rest = rest + sum(factorial(j) * (targets[j] - p[j]) ** 2 for j in range(2, len(p)))
    return _LeftOver(Function(lambda h: np.polynomial.hermite_e.hermeval(h, p), ()), float(p[0]), linear, rest)


def _all_powers(case: Case, spikes: Spikes, teacher: Function, linear: float) -> _LeftOver:
    """Return the same for infinitely many powers: p is E[y|h], or its part of one parity."""

    def given(h: Array) -> tuple[Array, Array]:
        found = responses(teacher, case.rho * h, np.full_like(h, case.off_teacher), _LEVEL)
        return found.mean, found.variance

    def learned(h: Array) -> Array:
        mean = given(h)[0]
        if spikes == ODD:
            mean = (mean - given(-h)[0]) / 2
        if spikes == ONE_AND_EVEN:
            mean = (mean + given(-h)[0]) / 2 + case.c_star[0] * case.rho * h
        return mean

    def missed(h: Array) -> Array:
        mean, variance = given(h)
        result: Array = variance + (mean - learned(h)) ** 2
        return result

    return _LeftOver(Function(learned, ()), 0.0, linear, normal_mean(missed) - linear + case.noise_variance)


def cases_of(terms: Terms, case: Case) -> list[tuple[float, Case]]:
    """Return the cases of different networks with their weights: of one, unless f₀ has a mean that is random.

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
    if not spikes:
        law = FitLaw(np.zeros(1), np.array([fit.slope]), np.array([fit.variance]))
        return float(wrong_share(labels, np.zeros(1), 1.0, law)[0])
    off, rho = float(case.off_teacher), float(case.rho)
    changes = sign_changes(lambda h: fit.law(h, off).mean + labels.offset)
    jumps = [place / rho for place in labels.places] if rho else []
    return normal_mean(lambda h: wrong_share(labels, rho * h, off, fit.law(h, off)), [*changes, *jumps])


def initial_rates(problem: Problem, gradient: str, ridges: Array) -> Array:
    """Return the rates before the step for every λ."""
    labels, case, teacher = sign_labels(problem), float_case(problem, gradient), _fitted_teacher(problem)
    return _for_each(ridges, lambda ridge: limit_rate(learned_fit(case, NONE, teacher, ridge), labels, case, NONE))


def rates_after(plan: Plan, terms: Terms, ridges: Array) -> Array:
    """Return the rates after the step of a limit for every λ, in the mean over networks where those differ."""
    problem, spikes = plan.problem, plan.spikes
    labels, teacher = sign_labels(problem), _fitted_teacher(problem)
    cases = cases_of(terms, float_case(problem, plan.gradient))

    def one(case: Case, ridge: float) -> float:
        tau = lengthening_of(terms, case)
        fit = learned_fit(case, spikes, teacher, ridge, None if tau is None else float(tau), terms.shapes)
        return limit_rate(fit, labels, case, spikes)

    return _for_each(ridges, lambda ridge: sum(weight * one(case, ridge) for weight, case in cases))


def _fitted_teacher(problem: Problem) -> Function:
    """Return E[y|t] of the fit's labels less their mean: a_f σ⋆."""
    values, fidelity = problem.teacher.centered_values(), float(problem.fit_fidelity)
    return Function(lambda t: fidelity * np.asarray(values(t)), problem.teacher.kink_floats)


def _for_each(ridges: Array, rate: Callable[[float], float]) -> Array:
    different, which = np.unique(ridges, return_inverse=True)
    found: Array = np.array([rate(float(ridge)) for ridge in different])[which].reshape(ridges.shape)
    return found

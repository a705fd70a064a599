"""One case in one number system: the constants of its functions, φ, ψ and σ_ε, and the direction of its step.

β = Xᵀr/n, the direction of the step on the labels, r = y, or on the residual, r = y − f₀, has the squared length κ and
the cosine ρ with β⋆.  Everything that is learned depends on ρ² and on 1 − ρ², either of which may be tiny: both are
made of sums of positive terms, here and nowhere else.

Labels of the step may tell less of the teacher than those of the fit: a point keeps a_s of its label on average in the
step, and a_f in the fit (docs/theory/channels.md).  ``c_star`` are a_f c_⋆k, as the fit has them.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import flint

from theorycalc.errors import DomainError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.supported import check_direction, flipped_energy
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.covariance import InputLevel, InputMoments, InputSpectrum, in_balls, input_moments, spectrum_of
from theorycalc.theory.gains import energy
from theorycalc.theory.kinds import KindMoments, ball_kinds, mean_over, root_mean_square

CONSTANTS_BITS = 400  # constants that float64 uses are rounded once, from this precision

_Record = TypeVar("_Record")


def kappa(c_star_1: Number, off: Number) -> Number:
    """Return the limit of ‖β‖²: κ = c_{⋆,1}² + κ(1 − ρ²), where ``off`` is the part that is not along β⋆.

    c_⋆1 is that of the step's labels.  See docs/theory/direction.md#κ-and-ρ.

    >>> kappa(2, 3)
    7
    """
    return c_star_1**2 + off


def scatter(c_star_squared: Number, noise_variance: Number, phi: Number) -> Number:
    """Return φE r² = φ(c_⋆² + σ_ε²), which sampling the batch adds to ‖β‖² (docs/theory/direction.md#κ-and-ρ)."""
    return phi * (c_star_squared + noise_variance)


def initial_variance(c1: Number, c_rest: Number, c2_constant: Number, psi: Number) -> Number:
    """Return Var f₀ = c_1² + c_{>1}² of the initial output, plus 2c_2²/ψ if all a_i are equal.

    See docs/theory/options.md#other-second-layers.

    Then the fluctuation of ‖x‖² does not average out: ``c2_constant`` is that c_2, and 0 with random signs.

    >>> initial_variance(1, 2, 0, 1)
    5.0
    """
    return c1**2 + c_rest**2 + 2 * c2_constant**2 / psi


def gradient_spread(slope_variance: Number, scatter: Number) -> Number:
    """Return V = φ₀ Var σ'(Z) E r², the variance that the rest of the gradient adds per u².

    See docs/theory/direction.md#why-the-gradient-is-nearly-of-rank-one.

    >>> gradient_spread(2, 3)
    6
    """
    return slope_variance * scatter


def lengthening(spread: Number, c1: Number, kappa: Number) -> Number:
    """Return τ = v/(c_1²κ), the variance that lengthening adds to a neuron's projection on the step, per (u c_1√κ)².

    >>> lengthening(3, 2, 1)
    0.75
    """
    return spread / (c1**2 * kappa)


@dataclass(frozen=True)
class Constants:
    """The numbers of a case that are the same at every point, and the options that change its formulas."""

    c1: Number
    c_rest: Number
    c2_gaussian: Number  # c_2 times √(d/2) of the deviation of wᵀΣw: 0 on the sphere, unless inputs have a covariance
    c2_constant: Number  # c_2√⟨τ²⟩ where a constant second layer brings it in, else 0
    c_star: tuple[Number, ...]  # a_f c_⋆1, a_f c_⋆2, …
    tail: Number  # the fit's energy beyond these
    rest: Number  # Σ_{k≥2} k! (a_f c_⋆k)²: all of its energy but that of a_f c_⋆1
    hidden: Number  # (1 − a_f²)c_⋆² + (1 − b_f²)μ²: what corruption and flips make noise in the fit
    linear: Number  # c_⋆1, and
    nonlinear: Number  # Σ_{k≥2} k! c_⋆k², of labels that are not corrupted
    step_linear: Number  # a_s c_⋆1, and
    step_quadratic: Number  # a_s c_⋆2, of the step's labels
    residual_mean: Number  # E r, of labels that have a mean
    step_flipped: Number  # (1 − b_s²)μ²: what flips of labels with a mean μ make noise in the step
    step_ratio: Number  # n₀/n, by which φ₀ = d/n₀ is less than φ; of several steps n₀ is the sum of their batches
    output_scale: Number  # g_a: the initial output is g_a times that of a second layer of scale 1
    included: bool  # whether the initial output takes part in the step
    gaussian_rows: bool  # the first layer's law
    second_layer: str
    free_constant: bool  # whether a constant costs no penalty
    kinds: tuple[KindMoments, ...]  # of neurons with biases, of which c1 and c_rest are root mean squares; else empty
    levels: tuple[InputLevel, ...]  # of inputs with a covariance; else empty

    @property
    def c_star_2(self) -> Number:
        """a_f c_⋆2, or 0 for a linear teacher."""
        return self.c_star[1] if len(self.c_star) > 1 else 0 * self.c_star[0]

    @property
    def energy(self) -> Number:
        """c_⋆² = Σ k! c_⋆k², the energy of noiseless labels."""
        return self.linear**2 + self.nonlinear

    @property
    def own_linear(self) -> Number:
        """g_a c_1, the linear part of the initial output: the residual's direction contains −g_a c_1 W₀ᵀâ."""
        return self.output_scale * self.c1

    @property
    def spectrum(self) -> InputSpectrum | None:
        """The spectrum of the inputs' covariance, or None."""
        return spectrum_of(self.levels) if self.levels else None

    @property
    def moments(self) -> InputMoments:
        """The moments of the inputs' covariance."""
        return input_moments(self.levels)

    @property
    def as_kinds(self) -> tuple[KindMoments, ...]:
        """The kinds of neurons: a single one without biases."""
        return self.kinds or (KindMoments(self.c1**0, self.c1, self.c_rest),)

    @property
    def own(self) -> int:
        """The index of the orthogonal polynomial of √N a that equals a."""
        return 0 if self.second_layer == "constant" else 1


@dataclass(frozen=True)
class Case(Constants):
    """A case at one φ, ψ and σ_ε, or at arrays of them, with its direction."""

    phi: Number
    psi: Number
    noise: Number
    residual_variance: Number  # of r beside the teacher: of the noise and, where it takes part, of f₀
    scatter: Number  # φ₀E r²⟨τ²⟩, which the sampling of the batch adds to the squared length
    kappa: Number  # βᵀΣβ, the squared length ‖β‖² where inputs have no covariance
    without_own: Number  # κ less c_1² of −c_1W₀ᵀa, where the initial output takes part
    rho: Number
    off_teacher: Number  # √(1 − ρ²)
    t: Number  # ρ²
    one_minus_t: Number  # 1 − ρ²

    @property
    def noise_variance(self) -> Number:
        """The variance of the fit's labels at given points: σ_ε² + (1 − a_f²)c_⋆²."""
        return self.noise**2 + self.hidden

    @property
    def batch_ratio(self) -> Number:
        """φ₀: d divided by the size of the step's batch."""
        return self.phi / self.step_ratio


def initial_variance_of(constants: Constants, psi: Number) -> Number:
    """Return Var f₀ of the initial output."""
    return constants.output_scale**2 * initial_variance(constants.c1, constants.c_rest, constants.c2_constant, psi)


def case_at(ns: NumberSystem, constants: Constants, phi: Number, psi: Number, noise: Number) -> Case:
    """Return the case at one point, or at arrays of points; κ, ρ, ρ² and 1 − ρ² are computed without subtractions.

    κ and its part κ(1 − ρ²) off β⋆ are sums of parts of ‖β‖² (docs/theory/direction.md#κ-and-ρ); β̃ of the residual
    contains −c_1W₀ᵀa.  Of inputs with a covariance, of βᵀΣβ (docs/theory/inputs.md#the-direction).
    """
    variance, moments = noise**2, constants.moments
    if constants.included:
        variance = variance + initial_variance_of(constants, psi)
    square = constants.energy + constants.residual_mean**2 + constants.step_flipped
    sampled = scatter(square, variance, phi / constants.step_ratio)
    sampled, along = sampled * moments.square, constants.step_linear * moments.aligned  # along is √κρ
    beside = sampled + constants.step_linear**2 * moments.across
    off = beside + constants.own_linear**2 * moments.cube if constants.included else beside
    length = kappa(along, off)
    if ns.rounds and not ns.all(length > 0):  # labels that are exactly zero were refused before
        raise DomainError(
            f"all labels are too small for float64: the step has no direction; use {spelled('digits')}",
            argument="teacher",
        )
    one_minus_t = off / length
    return Case(
        **{field.name: getattr(constants, field.name) for field in dataclasses.fields(Constants)},
        phi=phi,
        psi=psi,
        noise=noise,
        residual_variance=variance,
        scatter=sampled,
        kappa=length,
        without_own=kappa(along, beside),
        rho=along / ns.sqrt(length),
        off_teacher=ns.sqrt(one_minus_t),
        t=along**2 / length,
        one_minus_t=one_minus_t,
    )


def with_residual_mean(case: Case, mean: Number, ns: NumberSystem = FLOATS) -> Case:
    """Return a case with another mean of the residual, which changes the direction."""
    return case_at(ns, dataclasses.replace(case, residual_mean=mean), case.phi, case.psi, case.noise)


def ball_constants(problem: Problem, gradient: str) -> Constants:
    """Return the constants as balls of the current precision, for a step on "labels" or the "residual"."""
    check_direction(problem)
    teacher, activation, zero = problem.teacher, problem.unit_activation, ball(Fraction(0))
    coefficients = tuple(ball(c) for c in teacher.coefficients)
    energies = sum((energy(k, c) for k, c in enumerate(coefficients[1:], start=2)), zero)
    tail = zero if teacher.second_moment is None else _tail(teacher, coefficients, energies)
    rest = tail + energies
    gaussian, included = problem.first_layer == "gaussian", gradient == "residual"
    constant = problem.second_layer == "constant"
    levels = () if problem.inputs is None else in_balls(problem.inputs)
    needs_c2 = activation.c2 is not None and (gaussian or constant or levels)
    c2 = ball(activation.c2) if needs_c2 else zero
    in_step, in_fit = ball(problem.step_fidelity), ball(problem.fit_fidelity)
    b_s, b_f, mean = ball(problem.step_sign), ball(problem.fit_sign), ball(teacher.mean)
    kinds, moments = ball_kinds(problem), input_moments(levels)
    if kinds and constant:
        c2 = mean_over(kinds, lambda kind: kind.c2)
    rows = moments.square if gaussian else moments.spread
    bent = kinds and not is_zero(activation.c_rest)  # linear kinds of a law have roundings for c_{>1}
    return Constants(
        c1=root_mean_square(BALLS, kinds, "c1") if kinds else ball(activation.c1),
        c_rest=root_mean_square(BALLS, kinds, "c_rest") if bent else ball(activation.c_rest),
        c2_gaussian=c2 * BALLS.sqrt(rows) if levels else c2 if gaussian else zero,
        c2_constant=c2 * BALLS.sqrt(moments.square) if constant else zero,
        c_star=tuple(in_fit * c for c in coefficients),
        tail=in_fit**2 * tail,
        rest=in_fit**2 * rest,
        hidden=ball(1 - problem.fit_fidelity**2) * (coefficients[0] ** 2 + rest) + flipped_energy(b_f, mean),
        linear=coefficients[0],
        nonlinear=rest,
        step_linear=in_step * coefficients[0],
        step_quadratic=in_step * coefficients[1] if len(coefficients) > 1 else zero,
        residual_mean=b_s * ball(problem.label_mean),
        step_flipped=flipped_energy(b_s, mean),
        step_ratio=ball(problem.step_ratio * problem.steps),
        output_scale=ball(problem.second_scale),
        included=included,
        gaussian_rows=gaussian,
        second_layer=problem.second_layer,
        free_constant=problem.has_free_constant,
        kinds=kinds,
        levels=levels,
    )


def _tail(teacher: Teacher, coefficients: Sequence[flint.arb], energies: flint.arb) -> flint.arb:
    """Return the energy of a teacher that is not a polynomial beyond its known coefficients."""
    second_moment = ball(teacher.second_moment)
    tail = second_moment - ball(teacher.mean) ** 2 - coefficients[0] ** 2 - energies
    if tail < 0:
        raise DomainError(
            "teacher: second_moment is less than mean² + Σ k! c_⋆k² of the coefficients given", argument="teacher"
        )
    if teacher.covariance is not None and not (teacher.covariance(BALLS, ball(Fraction(1))) - second_moment).contains(
        0
    ):
        raise DomainError(
            "teacher: its covariance at correlation 1 is not its second_moment, E σ⋆(Z)²", argument="teacher"
        )
    return tail


@functools.lru_cache(maxsize=256)
def float_constants(problem: Problem, gradient: str) -> Constants:
    """Return the constants in float64, each rounded once."""
    with ball_precision(CONSTANTS_BITS):
        return converted(ball_constants(problem, gradient), rounded)


def float_case(problem: Problem, gradient: str) -> Case:
    """Return the case of a problem in float64."""
    sizes = float(problem.phi), float(problem.psi), float(problem.noise)
    return case_at(FLOATS, float_constants(problem, gradient), *sizes)


def ball_case(problem: Problem, gradient: str) -> Case:
    """Return the case of a problem as balls of the current precision."""
    sizes = ball(problem.phi), ball(problem.psi), ball(problem.noise)
    return case_at(BALLS, ball_constants(problem, gradient), *sizes)


def rounded(value: flint.arb) -> float:
    """Return a constant in float64."""
    return nearest_float(value, "a moment of the teacher or the activation")


def converted(record: _Record, convert: Callable[[flint.arb], object]) -> _Record:
    """Return a copy of a record with its balls, including nested ones, converted to another number system."""

    def anew(value: object) -> object:
        if isinstance(value, flint.arb):
            return convert(value)
        if isinstance(value, tuple):
            items = [anew(item) for item in value]
            return value._make(items) if hasattr(value, "_make") else tuple(items)
        if dataclasses.is_dataclass(value) and not callable(value):  # neither a type nor a covariance
            fields = {field.name: anew(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return dataclasses.replace(value, **fields)
        return value

    result = anew(record)
    assert isinstance(result, type(record))
    return result

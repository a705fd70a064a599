"""Terms of order 1/n in the losses before the step.

See docs/theory/finite_size.md#losses-before-the-step.

The labels are one more neuron that no fit uses: ỹᵀRỹ is the slope of E log det(FFᵀ + nλ) in their strength τ, and the
test loss is its slope in the weight ν of one more point, too.  The terms of order 1 of log det are known in closed form
(:func:`log_det`), and taken at the fixed point of n → ∞, which τ and ν move.  τ is an imaginary number so small that
its square is 0; ν, or λ, is followed by a :class:`Dual`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.finite_size import LARGEST, Shifts
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.options import CLEAN
from theorycalc.theory.dressed.responses import Function, responses
from theorycalc.theory.solver import float_weights
from theorycalc.theory.traces import in_resolvent

_TAU = 1e-100  # of the labels: its square is 0
_CORRECTIONS = 3  # one for each of 1, τ, and the product with ν
_LEVEL = 1


class FunctionMoments(NamedTuple):
    """Moments of a function f of a point for terms of order 1/n; c_k are those of f along its direction."""

    linear: Number  # c_1²
    rest: Number  # E f² − c_1²
    quadratic: Number  # 2c_2²: the energy of the quadratic part
    trace: Number  # c_2²: the square of half of E[f(‖x‖² − d)]
    cubic: Number  # c_1c_3
    norm: Number  # ½E[f²(Z² − 1)]: how E f² follows ‖x‖²

    @property
    def lengthened(self) -> Number:
        """Return c_1² + 6c_1c_3, by which c_1² follows ‖x‖²."""
        return self.linear + 6 * self.cubic


class NeuronMoments(NamedTuple):
    """Moments of the activation: as a function of a point, joint cumulants of σ and Z, and those of Gaussian rows."""

    moments: FunctionMoments
    c1: Number
    cubic_square: Number  # c_3²
    cumulants: tuple[Number, Number, Number, Number]  # of σσσσ, σσσZ, σσZZ, σZZZ
    linear_shift: float = 0.0  # d times the change of c_1², and
    rest_shift: float = 0.0  # of E σ² − c_1², by the lengths of Gaussian rows


class FittedSizes(NamedTuple):
    """The numbers of samples, inputs and neurons, and the options of the network and its fit."""

    n: Number
    d: Number
    N: Number
    gaussian_rows: bool
    intercept: bool


class FixedPlace(NamedTuple):
    """A fixed point, possibly shifted by labels and by one more point."""

    q: Number  # tr R
    theta: Number  # E Q
    g: Number  # R_jj of a point of the fit
    linear: Number  # c_1²Nθ, and the labels' share
    k: Number  # m_2/m_1
    tau: Number  # the strength of the labels


def entry_cumulant(neurons: NeuronMoments, x: Number) -> Number:
    """Return the fourth cumulant of σ(Z) − xZ.

    >>> cubic = NeuronMoments(FunctionMoments(1, 6, 0, 0, 1, 0), 1.0, 1.0, (0.0, 0.0, 0.0, 6.0))
    >>> entry_cumulant(cubic, 2.0)
    -192.0
    """
    four, three, two, one = neurons.cumulants
    return four - x * (4 * three - x * (6 * two - x * (4 * one)))


def dual_log(x: Dual) -> Dual:
    """Return log x with its derivative.

    >>> dual_log(Dual(2.0, 1.0)).slope
    0.5
    """
    return Dual(np.log(x.value), x.slope / x.value)


def log_det(
    sizes: FittedSizes,
    neurons: NeuronMoments,
    labels: FunctionMoments,
    at: FixedPlace,
    log: Callable[[Number], Number] = dual_log,
) -> Number:
    """Return the terms of order 1 in E log det(FFᵀ + nλ), up to a constant.

    See docs/theory/finite_size.md#losses-before-the-step.
    """
    n, d, N, gaussian_rows, intercept = sizes
    q, theta, g, linear, k, tau = at
    own, p, points, square = neurons.moments, N * theta, n * g * g, N * theta * theta
    in_line, follows = linear * k, k * q  # what a point sees of all neurons along a line, a neuron of all points
    # fluctuations of the fixed point
    shared = 1 - own.linear**2 * square * follows * follows / d
    total = own.rest + own.linear * k * k
    found = log(shared * (1 - points * in_line * in_line / d) - total * total * points * square) / 2
    # ‖x‖², and the lengths of neurons: all beyond those of Gaussian linear features
    moved = p * own.norm + tau * labels.norm - (1 - k) * (p * own.lengthened + tau * labels.lengthened)
    found = found - points / d * (moved * moved - in_line * in_line)
    turned = q * (own.norm - (1 - k) * own.lengthened) if gaussian_rows else 0 * q
    found = found - square / d * (turned * turned - (own.linear * follows) * (own.linear * follows))
    # single entries
    found = found - entry_cumulant(neurons, (1 - k) * neurons.c1) * points * square / 2
    # the d²/2 quadratic features, of which ‖x‖² is one that all neurons share
    quadratic = q * (p * own.quadratic + tau * labels.quadratic)
    norm = 2 / d * (q * (p * own.trace + tau * labels.trace))
    found = found - (quadratic / d) * (quadratic / d) + log(1 + norm) - norm
    cubic = q * (p * own.cubic + tau * labels.cubic) / d
    found = found - 18 * (cubic * cubic * k)
    if gaussian_rows:
        constant = 2 * own.trace / d * (p * q)
        found = found - constant - 18 * neurons.cubic_square / d * (p * q * (1 - k))
        found = found + p * q / d * (neurons.linear_shift * k + neurons.rest_shift)
        if not intercept:
            found = found + log(1 + constant)
    return found + log(q) if intercept else found


def shifts(
    sizes: FittedSizes, neurons: NeuronMoments, labels: FunctionMoments, ridge: Array, q: Array, theta: Array
) -> Shifts:
    """Return the terms of order 1/n in the losses before the step, given the limits of tr R and E Q at each λ."""
    zero, one = np.zeros_like(ridge), np.ones_like(ridge)

    def slope_of_labels(ridge: Dual, weight: Dual) -> Dual:
        found = log_det(sizes, neurons, labels, _moved(sizes, neurons, labels, ridge, weight, q, theta))
        return Dual(found.value.imag / _TAU, found.slope.imag / _TAU)

    one_more = slope_of_labels(Dual(ridge, zero), Dual(zero, one))
    larger = slope_of_labels(Dual(ridge, one), Dual(zero, zero))
    return Shifts(ridge * one_more.value, one_more.slope, -(ridge**2) * larger.slope)


def _moved(
    sizes: FittedSizes,
    neurons: NeuronMoments,
    labels: FunctionMoments,
    ridge: Dual,
    weight: Dual,
    q: Array,
    theta: Array,
) -> FixedPlace:
    """Return the fixed point with labels of strength τ, and with one more point of the given weight."""
    n, d, N = sizes[:3]
    own = neurons.moments

    def place(q: Number, theta: Number, tau: complex) -> FixedPlace:
        linear = own.linear * N * theta + tau * labels.linear
        k = 1 / (1 + q * linear / d)
        g = 1 / (n * ridge + linear * k + own.rest * N * theta + tau * labels.rest)
        return FixedPlace(q, theta, g, linear, k, tau)

    def residual(at: FixedPlace) -> tuple[Dual, Dual]:
        mapped = 1 / (1 + at.q * (own.linear * at.k + own.rest))
        return (n * at.g + weight - at.q) / q, (mapped - at.theta) / theta

    # the Jacobian of relative changes in the limit is enough: every correction adds an order in τ and ν
    start, step = (Dual(q, 0 * q), Dual(theta, 0 * theta)), 1j * _TAU
    columns = (place(start[0] * (1 + step), start[1], 0.0), place(start[0], start[1] * (1 + step), 0.0))
    (a, c), (b, e) = ([part.value.imag / _TAU for part in residual(column)] for column in columns)
    found = place(*start, step)
    for _ in range(_CORRECTIONS):
        first, second = (part / (a * e - b * c) for part in residual(found))
        found = place(found.q - q * (e * first - b * second), found.theta - theta * (a * second - c * first), step)
    return found


@functools.lru_cache(maxsize=32)
def point_moments(function: Function, variance: float = 0.0) -> FunctionMoments:
    """Return the moments of a function of Z with mean 0, plus noise of a given variance.

    >>> found = point_moments(Function(lambda z: z + z**2 - 1, ()))
    >>> [round(abs(x), 9) for x in found]
    [1.0, 2.0, 2.0, 1.0, 0.0, 5.0]
    """
    plain, square = _unit(function, 0), _unit(function, 0, 2)
    c1, c3 = plain.linear, _third(function, plain.linear)
    quadratic = plain.quadratic**2 / 2
    return FunctionMoments(
        c1**2, plain.variance - c1**2 + variance, quadratic, quadratic / 2, c1 * c3, square.quadratic / 2
    )


@functools.lru_cache(maxsize=32)
def neuron_moments(function: Function) -> NeuronMoments:
    """Return the moments of an activation with mean 0.

    >>> found = neuron_moments(Function(lambda z: z**3 - 3 * z, ()))
    >>> [round(x) for x in found.cumulants]
    [3240, 324, 36, 6]
    """
    moments = point_moments(function)
    plain, square = _unit(function, 0), _unit(function, 0, 2)
    c1, energy, c3 = plain.linear, square.mean, _third(function, plain.linear)
    cumulants = (
        square.variance - 2 * energy**2,
        _unit(function, 0, 3).linear - 3 * c1 * energy,
        square.quadratic - 2 * c1**2,
        6 * c3,
    )
    # ¼E[H_4σ²], and of c_1 ¼E[H_4Zσ]; H_4 = Z²(Z² − 1) − 5Z² + 3
    second = _unit(function, 2, 2).quadratic - 5 * (square.quadratic + energy) + 3 * energy
    fourth = _unit(function, 3).quadratic - 5 * (6 * c3 + 3 * c1) + 3 * c1
    linear_shift = c1 * fourth / 2
    return NeuronMoments(moments, float(c1), float(c3**2), cumulants, linear_shift, second / 4 - linear_shift)


class _Means(NamedTuple):
    """E g, E[Zg], E[(Z² − 1)g] and Var g."""

    mean: float
    linear: float
    quadratic: float
    variance: float


def _unit(function: Function, power: int, times: int = 1) -> _Means:
    """Return the moments of g = Z^power f(Z)^times."""
    g = Function(lambda z: z**power * function.values(z) ** times, function.kinks)
    found = responses(g, np.zeros(1), np.ones(1), _LEVEL)
    return _Means(*(float(part[0]) for part in found))


def _third(function: Function, c1: float) -> float:
    """Return c_3, by E[(Z² − 1)Zf] = 6c_3 + 2c_1."""
    return (_unit(function, 1).quadratic - 2 * c1) / 6


def at_size(step: DressedStep, ridge: Array, before: Array, gains: Array) -> tuple[Array, Array]:
    """Return losses before the step with their terms of order 1/n, and the corresponding gains.

    Both are of training loss, test loss and training error in rows; ``before`` are those of n → ∞.
    """
    more = untrained_shifts(step, ridge, before)
    return before + more, gains + (more - carried(more, before, gains))


def untrained_shifts(step: DressedStep, ridge: Array, before: Array) -> Array:
    """Return the terms of order 1/n in both losses and the training error before the step, in rows like ``before``.

    They are 0 where they are not derived, and where they are so large that an expansion in 1/n is no use.
    """
    case = step.case
    if not (isinstance(step.teacher, Function) and is_covered(step)):
        return np.zeros_like(before)
    traces, _ = float_weights(case, ridge)
    q = in_resolvent(traces.m1, case.phi, case.psi)
    sizes = FittedSizes(step.samples, step.inputs, float(step.N), bool(case.gaussian_rows), step.fit.intercept)
    labels = point_moments(step.teacher, float(case.noise_variance))
    with np.errstate(all="ignore"):  # where N is n and the ridge tiny
        found = np.array(shifts(sizes, neuron_moments(step.activation), labels, ridge, q, traces.theta))
    return np.where(np.all(np.abs(found) < LARGEST * before, axis=0), found, 0.0)


def is_covered(step: DressedStep) -> bool:
    """Return whether the terms are known: for one kind of neuron, inputs without a covariance, and clean labels."""
    plain = not (step.isotropic or step.kinds or step.case.levels) and step.fit.channel == CLEAN
    return plain and not step.fit.constant and not step.fit.label_mean


def carried(shift: Array, before: Array, gains: Array) -> Array:
    """Return the part of the terms before the step that remains in losses after it, given limits n → ∞ and gains.

    Gains have terms of order 1/n of their own, of which only the cost of features is known.  So the loss after the step
    is that before it less the gain, unless the gain is the larger part: then only as large a share of the term is kept.

    >>> carried(np.full(3, -0.1), np.ones(3), np.array([-0.5, 0.5, 0.8])).round(12)
    array([-0.1  , -0.1  , -0.025])
    """
    after = before - gains
    kept = np.divide(after, gains, out=np.ones_like(after), where=gains > after)
    return shift * kept

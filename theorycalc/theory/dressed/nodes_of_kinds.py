"""The neurons at the nodes in u, of one kind or of several with biases, and their lengths after the step.

A node is a pair of a kind and of u, with the weight of both.  Each kind has its own σ(g_wz + b), c_1, c_2, Var σ' and
own output; all that is said of neurons of one u holds for neurons of one u and one kind.  See
docs/theory/kinds.md#finite-steps and, for the lengths, docs/theory/dressed.md#a-neurons-own-output.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.model.activation import Activation
from theorycalc.model.requirements import check_slope
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case, gradient_spread
from theorycalc.theory.dressed.responses import Function, Responses, responses

_FINEST = 6  # rule for Var σ'(Z) and m
_TOLERANCE = 1e-12


class KindStep(NamedTuple):
    """One kind of neuron with a bias, described as ``DressedStep`` describes neurons (docs/theory/kinds.md)."""

    share: float
    c1: float
    c2: float
    spread: float
    activation: Function
    slope_function: Function
    own_output: float
    constant: float = 0.0  # c_0, where it is a feature


class NodeKinds(NamedTuple):
    """The kind and the numbers of the neurons at each node in u."""

    which: Array
    c1: Array
    c2: Array
    spread: Array
    constant: Array


def kind_step(case: Case, share: float, kind: Activation) -> KindStep:
    """Return the numbers of neurons of one activation in a step; c_1 of the case is theirs unless there are several."""
    check_slope(kind, kind.derivative)
    activation, slope = Function(kind.centered(), kind.kink_floats), Function(kind.derivative, kind.kink_floats)
    c1 = float(kind.c1) if case.kinds else float(case.c1)
    return KindStep(
        share=share,
        c1=c1,
        c2=float(kind.coefficients(2)[2]),
        spread=gradient_spread(slope_variance(slope), case.scatter),
        activation=activation,
        slope_function=slope,
        own_output=float(case.output_scale) * own_output(activation, c1) if case.included else 0.0,
    )


def over_kinds(kinds: Sequence[KindStep], a: Array, weights: Array) -> tuple[NodeKinds, Array, Array]:
    """Return the nodes in u for every kind: their numbers, a and weights.

    >>> kinds = [KindStep(share, c1, 0, 0, None, None, 0) for share, c1 in ((0.25, 1.0), (0.75, 2.0))]
    >>> found, a, weights = over_kinds(kinds, np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    >>> found.c1, weights
    (array([1., 1., 2., 2.]), array([0.125, 0.125, 0.375, 0.375]))
    """
    index = np.repeat(np.arange(len(kinds)), len(a))
    numbers = (np.array([getattr(kind, name) for kind in kinds])[index] for name in ("share", *NodeKinds._fields[1:]))
    share, *others = numbers
    return NodeKinds(index, *others), np.tile(a, len(kinds)), share * np.tile(weights, len(kinds))


def symmetric(activation: Function, turned: bool, center: Array, scale: Array, level: int) -> Responses:
    """Return the responses, computed at only half of the nodes if u and h enter as |u| and uh.

    ``turned`` says that they do not: neurons of opposite u differ in length.
    """
    if turned:
        return responses(activation, center, scale, level)
    upper = center.shape[1] // 2
    half = responses(activation, center[:, upper:], scale[:, upper:], level)
    if center.shape[1] == 1:
        return half
    mirrored = (part[:, ::-1, ::-1][:, :upper] for part in half)
    return Responses(*(np.concatenate([low, part], axis=1) for low, part in zip(mirrored, half, strict=True)))


def factors(linear: Array, u_weights: Array, smallest: Array) -> tuple[Array, Array]:
    """Return α and γ in μ_1 = αγ, by a singular value decomposition with the weights of u and h.

    >>> alpha, gamma = factors(np.array([[[3.0, 4.0]]]), np.ones(1), np.array([1e-6]))
    >>> float(abs(alpha[0, 0, 0]))  # γ is a unit row
    5.0
    """
    _, sizes, shapes = np.linalg.svd(linear * np.sqrt(u_weights)[:, None], full_matrices=False)
    count = int(np.max(np.sum(sizes > smallest[:, None] * sizes[:, :1], axis=-1)))
    kept = shapes[:, :count]
    return linear @ np.swapaxes(kept, -1, -2), kept


def own_output(activation: Function, c1: float) -> float:
    """Return m = E[Zσ(σ' − c_1)] = E[(Z² − 1)σ(Z)²]/2 − c_1²: a neuron's own output shortens it by ηa_i²m.

    The part c_1² is in the step direction.  See docs/theory/dressed.md#a-neurons-own-output.

    >>> abs(own_output(Function(lambda z: z, ()), 1.0)) < 1e-12
    True
    >>> round(own_output(Function(lambda z: z**2 - 1, ()), 0.0), 9)
    4.0
    """
    squared = Function(lambda z: activation.values(z) ** 2, activation.kinks)
    return _refined(lambda level: responses(squared, np.zeros(1), np.ones(1), level).quadratic[0]) / 2 - c1**2


def kept_share(own_output: Number, eta: Number, a_squared: Number) -> Number:
    """Return k_u = 1 − mηa², by which its own output shortens a neuron off the step direction.

    See docs/theory/dressed.md#a-neurons-own-output.

    >>> kept_share(2, 3, 4)
    -23
    """
    return 1 - own_output * eta * a_squared


def shortened_square(kept: Number, square: Number, cube: Number) -> Number:
    """Return ⟨τ(1 − (1 − k)τ)²⟩, the squared length left to a neuron by its own output for inputs with a covariance.

    ``square`` and ``cube`` are ⟨τ²⟩ and ⟨τ³⟩; both are 1 without a covariance, and it is k².  See
    docs/theory/inputs.md#finite-steps.

    >>> shortened_square(0.5, 1, 1), shortened_square(0.5, 2, 5)
    (0.25, 0.25)
    """
    lost = 1 - kept
    return 1 - 2 * lost * square + lost**2 * cube


def kept_length(case: Case, kept: Array) -> Array:
    """Return the length left to a neuron by its own output: k_u, or with a covariance the root of that square."""
    moments = case.moments
    return np.sqrt(shortened_square(kept, moments.square, moments.cube)) if case.levels else kept


def row_square(kept: Number, spread: Number, eta: Number, a_squared: Number) -> Number:
    """Return s_u² = k_u² + u²v, u = ηa, the squared length of a neuron off the step direction.

    See docs/theory/dressed.md#a-neurons-own-output.

    >>> row_square(1, 2, 3, 4)
    73
    """
    return kept**2 + spread * eta**2 * a_squared


def slope_variance(slope: Function) -> float:
    """Return Var σ'(Z) as the mean of a square, which is non-negative even if σ' is constant up to rounding.

    >>> round(slope_variance(Function(lambda z: (z > 0) * 1.0, (0.0,))), 12)
    0.25
    """

    def variance(level: int) -> float:
        mean = _mean(slope, level)
        return _mean(Function(lambda z: (slope.values(z) - mean) ** 2, slope.kinks), level)

    return _refined(variance)


def _mean(function: Function, level: int) -> float:
    return float(responses(function, np.zeros(1), np.ones(1), level).mean[0])


def _refined(value_at: Callable[[int], float]) -> float:
    """Return a value under a rule refined until it settles."""
    before = math.inf
    for level in range(_FINEST):
        value = float(value_at(level))
        if abs(value - before) <= _TOLERANCE * abs(value):
            break
        before = value
    return value

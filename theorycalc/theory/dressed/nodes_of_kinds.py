"""The neurons at the nodes of a rule in u: of one kind, or of several with biases (docs/theory/kinds.md#finite-steps).

A node is a pair of a kind and of u, with the weight of both.  Each kind has its own σ(g_wz + b), c_1, c_2, Var σ' and
own output; all that is said of neurons of one u holds for neurons of one u and one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.model.activation import Activation
from theorycalc.model.requirements import check_slope
from theorycalc.numbers.systems import Array
from theorycalc.theory.case import Case, gradient_spread
from theorycalc.theory.dressed.responses import Function, Responses, responses
from theorycalc.theory.dressed.rows import own_output, slope_variance


class KindStep(NamedTuple):
    """One kind of neuron with a bias, as ``DressedStep`` describes neurons (docs/theory/kinds.md#finite-steps)."""

    share: float
    c1: float
    c2: float
    spread: float
    activation: Function
    slope_function: Function
    own_output: float
    constant: float = 0.0  # c_0, where it is a feature


class NodeKinds(NamedTuple):
    """The kind of the neurons at each node in u, and their numbers."""

    which: Array
    c1: Array
    c2: Array
    spread: Array
    constant: Array


def kind_step(case: Case, share: float, kind: Activation) -> KindStep:
    """Return the numbers in a step of neurons of one activation; c_1 of the case is theirs unless there are several."""
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
    """Return the nodes in u of every kind: their numbers, a and weights.

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
    """Return the responses, computed at half of the nodes where u and h enter as |u| and uh.

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
    """Return α and γ of μ_1 = αγ, by a singular value decomposition in the weights of u and h.

    >>> alpha, gamma = factors(np.array([[[3.0, 4.0]]]), np.ones(1), np.array([1e-6]))
    >>> float(abs(alpha[0, 0, 0]))  # γ is a unit row
    5.0
    """
    _, sizes, shapes = np.linalg.svd(linear * np.sqrt(u_weights)[:, None], full_matrices=False)
    count = int(np.max(np.sum(sizes > smallest[:, None] * sizes[:, :1], axis=-1)))
    kept = shapes[:, :count]
    return linear @ np.swapaxes(kept, -1, -2), kept

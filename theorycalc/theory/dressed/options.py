"""The options of a problem that change a finite step: what happens to labels, and what the fit may use.

See docs/theory/channels.md and docs/theory/dressed.md#a-free-constant.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from theorycalc.model.biases import kind_numbers
from theorycalc.model.enums import GradientTarget
from theorycalc.model.problem import Problem
from theorycalc.model.reductions import fidelity


class LabelChannel(NamedTuple):
    """The corruption of the labels of a batch.

    >>> LabelChannel(corrupt=0.5, flip=0.25).fidelity
    0.25
    """

    corrupt: float = 0.0  # share that belong to other points
    flip: float = 0.0  # share with the wrong sign

    @property
    def fidelity(self) -> float:
        """a, the part of its label that a point keeps in the mean."""
        return float(fidelity(self.corrupt, self.flip))


CLEAN = LabelChannel()


class RidgeFit(NamedTuple):
    """The labels of the ridge fit, and the constant that it may use."""

    channel: LabelChannel = CLEAN
    intercept: bool = False  # a constant without a penalty
    constant: float = 0.0  # c_0 of a raw activation, where there is no intercept
    label_mean: float = 0.0  # of the labels, where there is no intercept

    @property
    def has_constant(self) -> bool:
        """True where the fit may use a constant, with or without a penalty."""
        return self.intercept or self.constant != 0


PLAIN = RidgeFit()


def fit_of(problem: Problem) -> RidgeFit:
    """Return the fit of a problem.

    >>> fit_of(Problem("relu", "H1", 1, 1, 1, flip_fit="1/4")).channel
    LabelChannel(corrupt=0.0, flip=0.25)
    """
    channel = LabelChannel(float(problem.corrupt_fit), float(problem.flip_fit))
    if problem.intercept or problem.centred:
        return RidgeFit(channel, problem.intercept)
    return RidgeFit(channel, False, float(problem.unit_activation.mean), float(problem.label_mean))


def output_mean(problem: Problem, gradient: str) -> float:
    """Return g_a c_0, by which the initial output of a raw activation in the residual has the mean g_a c_0 Σâ_i.

    Of neurons with biases c_0 is a root mean square.

    >>> output_mean(Problem("x + 2", "H1", 1, 1, 1, centred=False, second_scale=3), "residual")
    6.0
    """
    if problem.centred or gradient != GradientTarget.RESIDUAL:
        return 0.0
    if problem.biases is None:
        return float(problem.second_scale) * float(problem.unit_activation.mean)
    kinds = kind_numbers(problem.activation, problem.first_scale, problem.biases)
    square = sum(float(kind.share) * float(kind.mean) ** 2 for kind in kinds)
    return float(problem.second_scale) * math.sqrt(square)


def step_channel(problem: Problem) -> LabelChannel:
    """Return what happens to the labels of the step's batch.

    >>> step_channel(Problem("relu", "H1", 1, 1, 1, corrupt_step="1/2"))
    LabelChannel(corrupt=0.5, flip=0.0)
    """
    return LabelChannel(float(problem.corrupt_step), float(problem.flip_step))

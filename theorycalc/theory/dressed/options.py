"""Options of a problem that change a finite step: corrupted labels, and constants in the fit and in the output.

See docs/theory/channels.md and docs/theory/dressed.md#a-free-constant.
"""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.model.problem import Problem
from theorycalc.model.supported import fidelity, flipped_energy, mean_sign
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.exact import Scalar
from theorycalc.numbers.systems import Array
from theorycalc.theory.case import CONSTANTS_BITS
from theorycalc.theory.plans import has_own_mean, mean_of_neurons


class LabelChannel(NamedTuple):
    """The corruption of the labels of a batch.

    >>> LabelChannel(corrupt=0.5, flip=0.25).fidelity
    0.25
    """

    corrupt: float = 0.0  # share that belong to other points
    flip: float = 0.0  # share with the wrong sign
    mean: float = 0.0  # μ of labels that are flipped, whether or not their mean is subtracted then

    @property
    def sign(self) -> float:
        """The factor b = 1 − 2q by which flips multiply the mean."""
        return float(mean_sign(self.flip))

    def flipped_square(self, signal: Array) -> Array:
        """Return (1 − b²)μ(2(1 − p)f + μ), which flips of a label f + μ add to E[y²|x] for labels less their mean.

        >>> LabelChannel(flip=0.5, mean=2.0).flipped_square(1.0)  # from E(f − 0)² = 1 to E(±3)² = 9
        8.0
        """
        if not self.mean:
            return 0 * signal
        return flipped_energy(self.sign, self.mean) * (1 + 2 * (1 - self.corrupt) * signal / self.mean)

    @property
    def fidelity(self) -> float:
        """The part a of its label that a point keeps on average."""
        return float(fidelity(self.corrupt, self.flip))


CLEAN = LabelChannel()


class RidgeFit(NamedTuple):
    """The labels of the ridge fit, and its constant, if any."""

    channel: LabelChannel = CLEAN
    intercept: bool = False  # a constant without a penalty
    constant: float = 0.0  # c_0 of a raw activation, where there is no intercept
    label_mean: float = 0.0  # of the labels, where there is no intercept

    @property
    def has_constant(self) -> bool:
        """True if the fit may use a constant, with or without a penalty."""
        return self.intercept or self.constant != 0


PLAIN = RidgeFit()


def fit_of(problem: Problem) -> RidgeFit:
    """Return the fit of a problem.

    >>> fit_of(Problem("relu", "H1", 1, 1, 1, flip_fit="1/4")).channel
    LabelChannel(corrupt=0.0, flip=0.25, mean=0.0)
    """
    channel = _channel(problem, problem.corrupt_fit, problem.flip_fit)
    if problem.intercept or problem.centred:
        return RidgeFit(channel, problem.intercept)
    return RidgeFit(channel, False, float(problem.unit_activation.mean), channel.sign * float(problem.label_mean))


def output_mean(problem: Problem, gradient: str) -> float:
    """Return g_a c_0, where g_a c_0 Σâ_i is the mean of the initial output of a raw activation in the residual.

    >>> output_mean(Problem("x + 2", "H1", 1, 1, 1, centred=False, second_scale=3), "residual")
    6.0
    """
    if not has_own_mean(problem, gradient):
        return 0.0
    with ball_precision(CONSTANTS_BITS):
        return nearest_float(ball(problem.second_scale) * mean_of_neurons(problem), "the mean of the initial output")


def step_channel(problem: Problem) -> LabelChannel:
    """Return the corruption of labels in the step's batch.

    >>> step_channel(Problem("relu", "H1", 1, 1, 1, corrupt_step="1/2"))
    LabelChannel(corrupt=0.5, flip=0.0, mean=0.0)
    """
    return _channel(problem, problem.corrupt_step, problem.flip_step)


def _channel(problem: Problem, corrupt: Scalar, flip: Scalar) -> LabelChannel:
    return LabelChannel(float(corrupt), float(flip), float(problem.teacher.mean) if flip else 0.0)

"""The options of a problem that change a finite step: what happens to labels, and what the fit may use.

See docs/theory/channels.md and docs/theory/dressed.md#a-free-constant.
"""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.model.problem import Problem
from theorycalc.model.supported import fidelity


class Channel(NamedTuple):
    """What happens to the labels of a batch.

    >>> Channel(corrupt=0.5, flip=0.25).fidelity
    0.25
    """

    corrupt: float = 0.0  # share that belong to other points
    flip: float = 0.0  # share with the wrong sign

    @property
    def fidelity(self) -> float:
        """a, the part of its label that a point keeps in the mean."""
        return float(fidelity(self.corrupt, self.flip))


CLEAN = Channel()


class Fit(NamedTuple):
    """The labels of the ridge fit, and the constant that it may use."""

    channel: Channel = CLEAN
    intercept: bool = False  # a constant without a penalty


PLAIN = Fit()


def fit_of(problem: Problem) -> Fit:
    """Return the fit of a problem.

    >>> fit_of(Problem("relu", "H1", 1, 1, 1, flip_fit="1/4")).channel
    Channel(corrupt=0.0, flip=0.25)
    """
    return Fit(Channel(float(problem.corrupt_fit), float(problem.flip_fit)), problem.intercept)


def step_channel(problem: Problem) -> Channel:
    """Return what happens to the labels of the step's batch.

    >>> step_channel(Problem("relu", "H1", 1, 1, 1, corrupt_step="1/2"))
    Channel(corrupt=0.5, flip=0.0)
    """
    return Channel(float(problem.corrupt_step), float(problem.flip_step))

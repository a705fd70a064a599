"""What is drawn beside the theorem's stairs: curves of finite steps, and the limits of literal networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from theorycalc.comparison.expectations import difference
from theorycalc.errors import ArgumentError
from theorycalc.numbers.exact import Floats
from theorycalc.plots.words import number_label
from theorycalc.results.step_result import FiniteStep

if TYPE_CHECKING:
    from theorycalc.model.problem import Problem
    from theorycalc.results.prediction import Prediction

LIMIT = "limit of each window (theorem)"
LITERAL = "limit of literal networks"


class Stairs(Protocol):
    """Predictions of one problem for ℓ = 0, 1, …, and for ℓ → ∞ where that is known, as a Staircase has them."""

    @property
    def problem(self) -> Problem:
        """The problem they are of."""

    @property
    def predictions(self) -> Sequence[Prediction]:
        """One for each ℓ, in rising order."""

    @property
    def ceiling(self) -> Prediction | None:
        """The one for ℓ → ∞."""


class StepCurve(NamedTuple):
    """A finite step over α, in rising order: its sizes as words and as a gid, and the order of its points."""

    found: FiniteStep
    words: str
    gid: str
    alpha: Floats
    order: Floats

    def values(self, name: str) -> Floats:
        """Return a quantity in the order of α."""
        found: Floats = np.asarray(getattr(self.found, name), dtype=float)
        return np.asarray(found[self.order])


def curve_of(found: object) -> StepCurve:
    """Return a finite step as a curve over α; steps η = 0, which are n^−∞, are left out."""
    if not isinstance(found, FiniteStep):
        raise ArgumentError(f"a curve is a FiniteStep, as step() returns, not {type(found).__name__}")
    if np.shape(found.test_gain) != np.shape(found.eta) or np.ndim(found.eta) != 1:
        raise ArgumentError("a curve over α needs a FiniteStep of a list of steps, at one ridge")
    n = found.sizes.n
    if n == 1:
        raise ArgumentError("the finite step has n = 1: a step has an exponent α for n ≥ 2 only")
    eta = np.asarray(found.eta, dtype=float)
    with np.errstate(divide="ignore"):
        alpha = np.log(eta) / math.log(n) if found.alpha is None else np.asarray(found.alpha, dtype=float)
    order = np.argsort(alpha, kind="stable")
    order = order[np.isfinite(alpha[order])]
    return StepCurve(found, f"n = {number_label(n)}", f"n={n}", alpha[order], order)


class _Network(NamedTuple):
    """What :func:`theorycalc.comparison.compare.difference` asks of the settings of a simulation."""

    problem: Problem
    n: int
    d: int
    N: int
    ridges: tuple[float, ...]
    step_samples: float


def check_step(found: FiniteStep, problem: Problem) -> None:
    """Refuse a finite step of another problem than the one whose limits are drawn."""
    n, d, N = found.sizes
    ridges = tuple(float(ridge) for ridge in np.ravel(found.ridge))
    network = _Network(found.problem, n, d, N, ridges, float(found.problem.step_ratio) * n)
    other = difference(_Limits(problem), network)
    if other is not None:
        raise ArgumentError(f"the limits and the finite step are of different problems: {other}")


class _Limits(NamedTuple):
    problem: Problem


def check_literal(literal: Stairs, problem: Problem) -> None:
    """Refuse the limits of literal networks of another problem."""
    if not isinstance(getattr(literal, "predictions", None), (list, tuple)):
        raise ArgumentError(f"literal must be a Staircase, as staircase() returns, not {type(literal).__name__}")
    if literal.problem != problem:
        raise ArgumentError("the limits of literal networks are of another problem than the theorem's")

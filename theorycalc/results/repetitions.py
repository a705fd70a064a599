"""The number of draws of a network that a measurement needs (docs/theory/finite_size.md#one-draw)."""

from __future__ import annotations

import math

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, called, one_of, spelled
from theorycalc.model.enums import GradientTarget
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call, documented
from theorycalc.model.sizes import in_float64
from theorycalc.numbers.exact import NumberLike, read_rational
from theorycalc.results.finite_step import step
from theorycalc.results.step_result import Spread

_FEWEST = 2  # draws have a standard error


@documented
@checked_call
def draws_needed(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    ridge: NumberLike | None = None,
    accuracy: NumberLike = "1/100",
    quantity: str = "test_gain",
    gradient: str = GradientTarget.RESIDUAL,
) -> int:
    """Return the number of independent draws whose mean has a standard error of ``accuracy`` times its value.

    Parameters
    ----------
    problem : Problem
        The network and its data.
    accuracy : number, 0 < accuracy, default 1/100
        Standard error of the mean as a share of the predicted value.
    quantity : {"test_gain", "train_gain", "test_loss", "train_loss", "test_loss_initial", "train_loss_initial"}
        The quantity to be measured.

    Returns
    -------
    int
        The number of draws, at least 2, right to a factor of about two and a half in nine of ten networks.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range, or the predicted value is 0.

    >>> network = Problem("tanh", "sin(x)", n=900, d=300, N=600, ridge="1/100", noise="1/10")
    >>> 100 < draws_needed(network, eta=20) < 2000
    True
    >>> draws_needed(network, eta=20, quantity="test_loss", accuracy="1/20") < 10
    True
    """
    quantity = one_of(quantity, "quantity", Spread._fields)
    share = in_float64(read_rational(accuracy, "accuracy"), "accuracy")
    if not share > 0:
        raise DomainError(f"{spelled('accuracy', accuracy)} must be positive", argument="accuracy")
    for name, given in (("eta", eta), ("alpha", alpha), ("ridge", ridge)):
        if np.ndim(given):  # type: ignore[arg-type]
            raise ArgumentError(f"{called('draws_needed')} takes one {name}, not several", argument=name)
    found = step(problem, n=n, alpha=alpha, eta=eta, d=d, N=N, ridge=ridge, gradient=gradient)
    value, deviation = float(getattr(found, quantity)), float(getattr(found.spread, quantity))
    if abs(value) <= float(found.error) * float(found.test_loss_initial):
        raise DomainError(f"{quantity} is 0 to rounding: no share of it can be measured", argument="quantity")
    ratio = deviation / abs(value) / share
    draws = ratio * ratio
    if not math.isfinite(draws):
        raise DomainError(f"{spelled('accuracy', accuracy)} is too small for float64", argument="accuracy")
    return max(_FEWEST, math.ceil(draws))

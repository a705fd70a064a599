"""The number of draws of a network needed for a measurement (docs/theory/finite_size.md#one-draw)."""

from __future__ import annotations

import math

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, called, one_of, spelled
from theorycalc.model.enums import GradientTarget
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import in_float64
from theorycalc.numbers.exact import NumberLike, read_rational
from theorycalc.results.finite_step import step
from theorycalc.results.quantities import QUANTITIES
from theorycalc.results.step_result import Spread

FEWEST_DRAWS = 8  # with fewer, the standard error itself is too uncertain for a verdict
POWER = 0.9  # the probability with which a deviation of the detectable size shows
_FEWEST = 2  # draws have a standard error
_MOST = 1e18  # draws: beyond them counts are not exact


def thresholds(draws: float | None, level: float) -> tuple[float, float]:
    """Return, in standard errors, the critical |z| of a level and the detectable deviation.

    They are those of Student's t with one degree of freedom fewer than draws, or of the normal law if the draws were
    not counted.

    >>> [round(value, 3) for value in thresholds(21, 0.05)], [round(value, 3) for value in thresholds(None, 0.01)]
    ([2.086, 3.411], [2.576, 3.857])
    """
    from scipy.special import ndtri, stdtrit

    shares = 1 - level / 2, POWER
    critical, more = (float(ndtri(p) if draws is None else stdtrit(draws - 1, p)) for p in shares)
    return critical, critical + more


def draws_to_show(deviations: float, level: float) -> int:
    """Return the number of draws that show a difference from theory, the deviation of one draw given in units of it.

    Parameters
    ----------
    deviations : float
        Standard deviation of one draw, divided by the difference.
    level : float
        Largest probability with which a right theory is called different.

    >>> draws_to_show(1.0, 0.01), draws_to_show(0.01, 0.01)  # the normal law has 14.9 for 1
    (18, 8)
    """
    few, many = FEWEST_DRAWS - 1, FEWEST_DRAWS
    while thresholds(many, level)[1] * deviations > math.sqrt(many):
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        enough = thresholds(middle, level)[1] * deviations <= math.sqrt(middle)
        few, many = (few, middle) if enough else (middle, many)
    return many


class Draws(int):
    """A number of draws: an int that also knows the draws needed to measure a share, and to show a difference.

    Attributes
    ----------
    to_measure : int
        Draws whose mean has the share as its standard error.
    to_show : int
        Draws that show a difference of the share from the prediction, as :func:`compare` judges it.
    text : str
        Both in a sentence.
    """

    to_measure: int
    to_show: int
    text: str


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
    accuracy: NumberLike | None = None,
    quantity: str = "test_gain",
    gradient: str = GradientTarget.RESIDUAL,
    difference: NumberLike | None = None,
    level: NumberLike = "1/100",
) -> Draws:
    """Return the number of independent draws that show a ``difference``, or that measure a mean to an ``accuracy``.

    Draws that measure a loss with a standard error of 2 % do not show a difference of 2 %: that takes fifteen times as
    many, or a few more where these are few, at the usual level.

    Parameters
    ----------
    accuracy : number, 0 < accuracy < 1, default 1/100 unless ``difference`` is given
        Standard error of the mean as a share of the predicted value; 2 % is 0.02.
    quantity : {"test_gain", "train_gain", "test_loss", "train_loss", "test_loss_initial", "train_loss_initial"}
        The quantity to be measured.
    difference : number, 0 < difference < 1, optional
        Difference between observation and prediction that :func:`compare` shows nine times in ten, as a share of the
        predicted value.  To show it between two networks takes about twice as many draws of each.
    level : number, 0 < level < 1, default 1/100
        Largest probability with which a right theory is called different, as :func:`compare` takes it for one
        comparison; for k of them give level/k.

    Returns
    -------
    Draws
        The number of draws, an int, at least 2, or 8 for a difference, right to a factor of about two and a half in
        nine of ten networks.  Its ``text`` has both numbers in a sentence.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range, or the predicted value is 0.

    >>> network = Problem("tanh", "sin(x)", n=900, d=300, N=600, ridge="1/100", noise="1/10")
    >>> 100 < draws_needed(network, eta=20) < 2000
    True
    >>> draws_needed(network, eta=20, quantity="test_loss", accuracy="1/20") < 10
    True
    >>> found = draws_needed(network, eta=20, quantity="test_loss", difference="1/50")
    >>> 100 < found < 400, found.to_measure < 30, found == found.to_show
    (True, True, True)
    """
    quantity = one_of(quantity, "quantity", Spread._fields)
    if accuracy is not None and difference is not None:
        wanted = f"{spelled('accuracy')} (a standard error) or {spelled('difference')} (to show)"
        raise ArgumentError(f"give {wanted}, not both", argument="difference")
    name, given = ("accuracy", accuracy) if difference is None else ("difference", difference)
    given = PARAMETERS["accuracy"].default if given is None else given
    share, chance = _share(given, name), _share(level, "level")
    for step_name, value in (("eta", eta), ("alpha", alpha), ("ridge", ridge)):
        if np.ndim(value):  # type: ignore[arg-type]
            raise ArgumentError(f"{called('draws_needed')} takes one {step_name}, not several", argument=step_name)
    found = step(problem, n=n, alpha=alpha, eta=eta, d=d, N=N, ridge=ridge, gradient=gradient)
    value, deviation = float(getattr(found, quantity)), float(getattr(found.spread, quantity))
    if abs(value) <= float(found.error) * float(found.test_loss_initial):
        raise DomainError(f"{quantity} is 0 to rounding: no share of it can be measured", argument="quantity")
    ratio = deviation / abs(value) / share
    if not ratio * ratio < _MOST:
        raise DomainError(f"{spelled(name, given)} is too small for float64", argument=name)
    measure, show = max(_FEWEST, math.ceil(ratio * ratio)), draws_to_show(ratio, chance)
    draws = Draws(measure if difference is None else show)
    draws.to_measure, draws.to_show = measure, show
    part, percent = QUANTITIES[quantity].heading, f"{float(f'{100 * share:.4g}'):g} %"
    draws.text = (
        f"About {measure} draws measure the {part} with a standard error of {percent}; to show a difference of "
        f"{percent} from the prediction, nine times in ten at level {chance:g}, takes about {show}, and between two "
        f"networks about {2 * show} of each."
    )
    return draws


def _share(given: NumberLike, name: str) -> float:
    """Return a share between 0 and 1 as a float64."""
    share = in_float64(read_rational(given, name), name)
    if not share > 0:
        raise DomainError(f"{spelled(name, given)} must be positive", argument=name)
    if not share < 1:
        raise DomainError(f"{spelled(name, given)} is a share below 1: 2 % is 0.02", argument=name)
    return share

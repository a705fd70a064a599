"""best(): the step and the ridge together that minimise the predicted test loss (docs/theory/dressed.md#the-losses)."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from theorycalc.errors import DomainError, PrecisionError
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call, documented
from theorycalc.numbers.exact import Floats, NumberLike
from theorycalc.results.finite_step import step
from theorycalc.results.planning import TOLERANCE, best_ridge, check_problem, network_sizes, ridge_range, step_range
from theorycalc.results.planning_result import Best, Search, best_of
from theorycalc.results.step_result import FiniteStep
from theorycalc.running.terminal import waiting

_GRID = (13, 15)  # steps and ridges
_DIGITS = 1e-3  # of the step and the ridge, relative


@documented
@checked_call
def best(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = "residual",
) -> Best:
    """Return the step η, the learning rate, and the ridge λ that together minimise the predicted test loss.

    Parameters
    ----------
    problem
        The network and its data; its own ridge plays no part.
    n, d, N, gradient
        As in :func:`step`.

    Returns
    -------
    Best
        Step and ridge to three digits, and the losses and gains at them.  ``at_edge`` says that the range of the steps
        or of the ridges ended there, or that no step at all is best; ``larger_hurts``, that the largest step tried is
        worse at its own best ridge; ``searched`` is the range of the steps, which ends where float64 does.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range.

    >>> found = best(Problem("tanh", "sin(x)", n=900, d=300, N=600, ridge="1/100", noise="1/10"))
    >>> f"{found.eta:.3g} {found.ridge:.2g} {found.test_loss:.4f}"
    '18.1 0.063 0.1231'
    """
    check_problem(problem, "best")
    n, d, N = network_sizes(problem, n, d, N)

    def after(log_step: float | Floats, log_ridge: float | Floats) -> FiniteStep:
        return step(problem, n=n, d=d, N=N, eta=np.exp(log_step), ridge=np.exp(log_ridge), gradient=gradient)

    with waiting("looking for the best step and ridge"):
        ranges = step_range(problem, n, gradient), ridge_range(problem)
        steps, ridges = (np.log(np.geomspace(*ends, count)) for ends, count in zip(ranges, _GRID, strict=True))
        losses = _losses(lambda x: np.asarray(after(x, ridges).test_loss, dtype=float), steps)
        steps = steps[: len(losses)]
        place, at_edge = _minimum(lambda x: float(after(float(x[0]), float(x[1])).test_loss), (steps, ridges), losses)
        found = after(float(place[0]), float(place[1]))
        searched = math.exp(steps[0]), math.exp(steps[-1])
        still, largest = (best_ridge(problem, n=n, d=d, N=N, eta=eta, gradient=gradient) for eta in (0, searched[1]))
    least = float(found.test_loss)
    hurts = largest.test_loss > min(least, still.test_loss) * (1 + TOLERANCE)
    search = Search(float(place[0]), at_edge, steps, losses.min(axis=1))  # of each step at its own best ridge
    joint = best_of(found, ("eta", "ridge"), search, hurts, searched)
    if least < still.test_loss * (1 - float(found.error)):
        return joint
    tried = dataclasses.replace(still, chosen=joint.chosen, grid=joint.grid, losses=joint.losses, searched=searched)
    return dataclasses.replace(tried, at_edge=True, larger_hurts=hurts)  # no step at all


def _losses(after: Callable[[float | Floats], Floats], steps: Floats) -> Floats:
    """Return a row of losses for each step, up to the first that float64 cannot compute."""
    with contextlib.suppress(DomainError, PrecisionError):
        return after(steps[:, None])
    rows = [after(one) for one in steps[:2]]
    for one in steps[2:]:
        try:
            rows.append(after(one))
        except (DomainError, PrecisionError):
            break
    return np.array(rows)


def _minimum(loss: Callable[[Floats], float], grids: tuple[Floats, Floats], losses: Floats) -> tuple[Floats, bool]:
    """Return where a function of two numbers is least, from its values on a grid, and whether that is at an edge."""
    at = np.unravel_index(int(np.argmin(losses)), losses.shape)
    start = np.array([grid[i] for grid, i in zip(grids, at, strict=True)])
    inward = [(-1 if i == len(grid) - 1 else 1) * (grid[1] - grid[0]) / 2 for grid, i in zip(grids, at, strict=True)]
    corners = np.vstack([start, start + np.diag(inward)])
    found = minimize(
        loss,
        start,
        method="Nelder-Mead",
        bounds=[(grid[0], grid[-1]) for grid in grids],
        options={"initial_simplex": corners, "xatol": _DIGITS, "fatol": _DIGITS**2 * float(losses.min())},
    )
    at_edge = any(min(x - grid[0], grid[-1] - x) <= _DIGITS for x, grid in zip(found.x, grids, strict=True))
    return np.asarray(found.x), at_edge

"""Best, the ridge or step that minimises the predicted test loss, and the search that finds it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.enums import GradientTarget
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes, sizes_of
from theorycalc.model.supported import check_direction
from theorycalc.numbers.exact import Floats, NumberLike, Value
from theorycalc.results.base import Result
from theorycalc.results.quantities import INPUTS, Plain, shown
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import Row, Table, columns_of
from theorycalc.theory.checks import check_constants, checked_case

_GRID = 41  # steps or ridges
TOLERANCE = 1e-6  # of a search, as a share of its range; and of a loss
_ACCURACY = 1e-3  # of the step and the ridge that are searched together, relative
_RIDGES = (1e-6, 1e4)  # times Var σ, the scale of F₀F₀ᵀ/n
_EXPONENTS = (-0.3, 0.7)  # of n, times the step whose first spike is of the size of the bulk
_CHOICES = {"ridge": "ridge", "eta": "step"}


class Search(NamedTuple):
    """The minimum of a function, the parameters at an end of their range, and its values on the grid."""

    place: float
    at_ends: tuple[str, ...]
    grid: Floats
    values: Floats


@dataclass(frozen=True, repr=False, eq=False)
class Best(Result):
    """The ridge, the step, or both that minimise the predicted test loss.

    ``at_ends`` names the parameters, "eta" or "ridge", that ended at an edge of their range; a step of 0 is one.
    """

    kind: ClassVar[str] = "best"
    dimension: ClassVar[str | None] = None

    ridge: float
    alpha: float
    eta: float
    test_loss: float
    test_gain: float
    train_gain: float
    at_ends: tuple[str, ...]
    larger_hurts: bool | None  # whether larger steps make the test loss worse again; None for a ridge
    searched: tuple[float, float]
    chosen: tuple[str, ...]  # "ridge", "eta" or both, first the one that ``grid`` is of
    step: FiniteStep  # at the choice, with all its losses
    grid: tuple[float, ...]  # the values with which the search began
    losses: tuple[float, ...]  # their test losses

    @property
    def over(self) -> str:
        """The parameter that varies along ``grid``: "ridge" or "eta"."""
        return self.chosen[0]

    @property
    def at_edge(self) -> bool:
        """True if the minimum is at the edge of a range that was searched."""
        return bool(self.at_ends)

    def range_of(self, name: str) -> tuple[float, float]:
        """Return the range that was searched, of "eta" or "ridge"."""
        return self.searched if name == self.over else ridge_range(self.problem)

    @property
    def problem(self) -> Problem:
        """The problem with its sizes."""
        return self.step.problem

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.step.sizes.n

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on how the numbers were made, and on their limitations."""
        return self.step.notes

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64) or "estimated" (c_k are estimates)."""
        return self.step.guarantee

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """A single dictionary: the row of the step at the choice, with ``at_edge`` and ``larger_hurts``."""
        (row,) = self.step.rows
        return (row | {"alpha": self.alpha, "at_edge": self.at_edge, "larger_hurts": self.larger_hurts},)

    def _table(self, full: bool) -> Table:
        shown_step = self.step.table(full)
        hurts = {True: "a larger step is worse", False: "no larger step in the range is worse", None: None}
        words = [*(self._searched(name, full) for name in self.chosen), hurts[self.larger_hurts]]
        names = " and ".join(_CHOICES[name] for name in self.chosen)
        values = ", ".join(f"{INPUTS[name].symbol} = {shown(getattr(self, name), full)}" for name in self.chosen)
        title = f"Best {names}, {values}. {shown_step.title}"
        remarks = (*filter(None, words), *shown_step.remarks)
        return replace(shown_step, title=title, data=columns_of(self.rows), remarks=remarks)

    def _searched(self, name: str, full: bool) -> str:
        low, high = (shown(edge, full) for edge in self.range_of(name))
        ends = "the minimum is at the edge of this range" if name in self.at_ends else "the minimum is inside"
        return f"searched {INPUTS[name].symbol} from {low} to {high}: {ends}"

    def _inputs(self) -> Row:
        return self.step._inputs()

    def _details(self) -> Row:
        lists = {name: list(getattr(self, name)) for name in ("chosen", "searched", "at_ends")}
        return {"over": self.over} | lists


def best_of(
    found: FiniteStep, chosen: tuple[str, ...], search: Search, hurts: bool | None, searched: tuple[float, float]
) -> Best:
    """Return the result of a search, given the step at its minimum."""
    numbers = {name: float(getattr(found, name)) for name in ("ridge", "eta", "test_loss", "test_gain", "train_gain")}
    return Best(
        **numbers,
        alpha=math.log(numbers["eta"]) / math.log(found.sizes.n) if numbers["eta"] > 0 else -math.inf,
        at_ends=search.at_ends,
        larger_hurts=hurts,
        searched=searched,
        chosen=chosen,
        step=found,
        grid=tuple(np.exp(search.grid).tolist()),
        losses=tuple(np.asarray(search.values, dtype=float).tolist()),
    )


def is_better(found: FiniteStep, without: float) -> bool:
    """Return whether a step improves on the test loss without a step by more than both errors."""
    return float(found.test_loss) < without * (1 - max(TOLERANCE, float(found.error)))


def network_sizes(problem: Problem, n: NumberLike | None, d: NumberLike | None, N: NumberLike | None) -> Sizes:
    """Return network sizes at which steps can be compared with powers of n.

    >>> network_sizes(Problem("relu", "H1", "1/2", "2/3", "1/10"), 300, None, None)
    Sizes(n=300, d=150, N=225)
    """
    sizes = sizes_of(problem, n, d, N)
    if sizes.n == 1:
        raise DomainError(f"{spelled('n', 1)}: steps are compared with powers of n, which needs n ≥ 2", argument="n")
    return sizes


def ridge_range(problem: Problem) -> tuple[float, float]:
    """Return the smallest and the largest ridge of a search.

    >>> ridge_range(Problem("identity", "H1", "1/2", "2/3", "1/10"))
    (1e-06, 10000.0)
    """
    check_direction(problem)
    check_constants(problem)
    scale = float(problem.unit_activation.c1) ** 2 + float(problem.unit_activation.c_rest) ** 2
    if not scale > 0:  # with biases no c_1 is checked by itself
        raise DomainError("the activation is too small for float64: its mean square underflows", argument="activation")
    return _RIDGES[0] * scale, _RIDGES[1] * scale


def step_range(problem: Problem, n: int, gradient: GradientTarget) -> tuple[float, float]:
    """Return the smallest and the largest step of a search.

    >>> problem = Problem("identity", "H1", "1/2", "2/3", "1/10")
    >>> [round(eta, 2) for eta in step_range(problem, 1000, GradientTarget.LABELS)]
    [0.1, 102.79]
    """
    case = checked_case(problem, gradient)
    unit = 1 / (abs(case.c1) * math.sqrt(case.kappa) * float(problem.step_scale))
    return unit * float(n) ** _EXPONENTS[0], unit * float(n) ** _EXPONENTS[1]


def minimum(name: str, loss: Callable[[float | Floats], Value], ends: tuple[float, float]) -> Search:
    """Return the minimum of a function of a logarithm: on a grid, then between the neighbours of its lowest point."""
    grid = np.linspace(math.log(ends[0]), math.log(ends[1]), _GRID)
    values = np.asarray(loss(grid), dtype=float)
    least = int(np.argmin(values))
    if least in (0, len(grid) - 1):
        return Search(float(grid[least]), (name,), grid, values)
    found = minimize_scalar(
        lambda x: float(loss(float(x))),
        bounds=(grid[least - 1], grid[least + 1]),
        method="bounded",
        options={"xatol": TOLERANCE * (grid[-1] - grid[0])},
    )
    return Search(float(found.x), (), grid, values)


def rows_of_losses(after: Callable[[float | Floats], Floats], steps: Floats) -> Floats:
    """Return a row of losses for each step, up to the first step that float64 cannot compute."""
    with contextlib.suppress(DomainError, PrecisionError):
        return after(steps[:, None])
    rows = [after(one) for one in steps[:2]]
    with contextlib.suppress(DomainError, PrecisionError):
        for one in steps[2:]:
            rows.append(after(one))  # noqa: PERF401 - rows before an error are kept
    return np.array(rows)


def joint_minimum(
    names: tuple[str, str], loss: Callable[[Floats], float], grids: tuple[Floats, Floats], losses: Floats
) -> tuple[Floats, tuple[str, ...]]:
    """Return the minimum of a function of two numbers, given its values on a grid, and the names of those at an end."""
    at = np.unravel_index(int(np.argmin(losses)), losses.shape)
    start = np.array([grid[i] for grid, i in zip(grids, at, strict=True)])
    inward = [(-1 if i == len(grid) - 1 else 1) * (grid[1] - grid[0]) / 2 for grid, i in zip(grids, at, strict=True)]
    found = minimize(
        loss,
        start,
        method="Nelder-Mead",
        bounds=[(grid[0], grid[-1]) for grid in grids],
        options={
            "initial_simplex": np.vstack([start, start + np.diag(inward)]),
            "xatol": _ACCURACY,
            "fatol": _ACCURACY**2 * float(losses.min()),
        },
    )
    places = zip(names, found.x, grids, strict=True)
    at_ends = tuple(name for name, x, grid in places if min(x - grid[0], grid[-1] - x) <= _ACCURACY)
    return np.asarray(found.x), at_ends

"""The evaluation of one piece of a grid: the work sent to other processes and machines."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import PYTHON, ArgumentError, DomainError, PrecisionError, TheoryError, spelled, spelling
from theorycalc.model.enums import GradientTarget, NetworkKind, StepMethod
from theorycalc.model.parameters import FLAGS, LAYERS
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import sizes_of
from theorycalc.results.error_rates import error_rate
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import predict
from theorycalc.results.quantities import RATES, value_of
from theorycalc.running.executors import one_blas_thread
from theorycalc.running.terminal import progress
from theorycalc.sweeps.axes import OF_THE_PROBLEM
from theorycalc.sweeps.grid import NUMBERS, Grid, GridPiece

#: Values of axes, by their names: arguments of predict() and step().
AxisValues: TypeAlias = dict[str, Any]
#: The place of a case in a piece: an index for axes taken value by value, a slice for axes taken as arrays.
PieceIndex: TypeAlias = tuple[int | slice, ...]

if TYPE_CHECKING:
    from theorycalc.numbers.exact import Floats

#: How numbers on the accuracy of several results become one: the worst.
_WORST = {"error": np.maximum, "converged": np.minimum}
#: The axes on which it depends whether a finite step is known at all; of the steps it counts whether they are several.
_KINDS_OF_STEPS = ("activation", "teacher", "gradient", "method", *LAYERS, *FLAGS, "biases", "inputs")


class Evaluated(NamedTuple):
    """The quantities of a piece, one line each, and reasons for missing values, keyed by a point's number."""

    values: Floats
    reasons: dict[int, str]


def evaluate(piece: GridPiece, part: Grid) -> Evaluated:
    """Return the quantities of a piece, and reasons for missing values: α outside all windows, a step that fails.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"alpha": ["1/10", "1/4"]}, ["test_gain"])
    >>> piece = next(grid.pieces())
    >>> found = evaluate(piece, grid.part(piece))
    >>> found.values.shape, list(found.reasons)
    ((1, 2), [1])
    """
    shape = part.shape
    out = np.empty((len(part.quantities), *shape))
    numbers = np.arange(math.prod(shape)).reshape(shape)
    reasons: dict[int, str] = {}
    together = [axis for axis in part.axes if axis.name in part.together]
    open_mesh = np.ix_(*(np.asarray(axis.labels) for axis in together))
    arrays = dict(zip((axis.name for axis in together), open_mesh, strict=True))
    known: dict[tuple[object, ...], tuple[list[Floats], dict[int, str]]] = {}  # several α may lie in one window
    for place, case in _cases(part):
        key = _key(part, place, case)
        if key not in known:
            known[key] = (_steps if part.finite else _limits)(part, case, arrays)
        found, missing = known[key]
        if missing:
            chosen = np.ravel(numbers[place])
            reasons |= {int(chosen[i]): reason for i, reason in missing.items()}
        for row, values in zip(out, found, strict=True):
            row[place] = values
    flat = out.reshape(len(part.quantities), -1)
    without = np.asarray(np.isnan(flat).any(axis=0))
    without[list(reasons)] = False
    if without.any():
        at = piece.start + int(without.argmax())
        raise DomainError(
            f"point {at} of the grid has no value in float64; predict() with {spelled('digits')} may have one"
        )
    return Evaluated(flat, reasons)


def _cases(grid: Grid) -> Iterator[tuple[PieceIndex, AxisValues]]:
    """Yield the values of axes that are evaluated value by value, with their place in the grid."""
    alone = {i: axis for i, axis in enumerate(grid.axes) if axis.name not in grid.together}
    for index in np.ndindex(*map(len, alone.values())):
        at = dict(zip(alone, index, strict=True))
        place = tuple(at.get(i, slice(None)) for i in range(len(grid.axes)))
        yield place, {axis.name: axis.values[at[i]] for i, axis in alone.items()}


def _key(grid: Grid, place: PieceIndex, case: AxisValues) -> tuple[object, ...]:
    """Return a case's key: its index along each axis, but for α its window, which determines the limit."""
    named = ((axis.name, i) for axis, i in zip(grid.axes, place, strict=True))
    return tuple(case["alpha"] if name == "alpha" else i for name, i in named if name in case)


def _problem(problem: Problem, case: AxisValues) -> Problem:
    changes = {name: value for name, value in case.items() if name in OF_THE_PROBLEM}
    return dataclasses.replace(problem, **changes) if changes else problem


def _limits(grid: Grid, case: AxisValues, arrays: AxisValues) -> tuple[list[Floats], dict[int, str]]:
    ell = case["ell"] if "ell" in case else case["alpha"]  # whose values are those of its windows
    if isinstance(ell, str):  # it lies in none
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        return [np.full(shape, np.nan)] * len(grid.quantities), dict.fromkeys(range(math.prod(shape)), ell)
    which = {"network": case.get("network", NetworkKind.THEOREM), "gradient": case.get("gradient")}
    how = which | arrays | {"ell": ell}
    return _asked(grid.quantities, _problem(grid.problem, case), predict, how), {}


def _asked(
    quantities: tuple[str, ...], problem: Problem, losses: Callable[..., object], how: AxisValues
) -> list[Floats]:
    """Return the quantities from predict() or step(), with any error rates among them, and their largest error."""
    results: list[object] = []
    if set(quantities) & set(RATES):
        method = how.get("method", StepMethod.DRESSED)
        if method != StepMethod.DRESSED:
            reason = f"error rates are those of dressed features, and {spelled('method', method)} is another theory"
            raise ArgumentError(reason, argument="method")
        results.append(error_rate(problem, **{name: value for name, value in how.items() if name != "method"}))
    if not results or not set(quantities) <= {*RATES, *_WORST}:
        results.append(losses(problem, **how))
    found = []
    for name in quantities:
        values = [np.asarray(value_of(one, name), dtype=float) for one in results if hasattr(one, name)]
        found.append(values[0] if len(values) == 1 else _WORST[name](*values))
    return found


def _how(case: AxisValues) -> AxisValues:
    """Return the arguments of step() that are single values; without ``n``, the problem's sizes count."""
    defaults = {"n": None, "gradient": GradientTarget.RESIDUAL, "method": StepMethod.DRESSED}
    return {name: case.get(name, default) for name, default in defaults.items()}


def _steps(grid: Grid, case: AxisValues, arrays: AxisValues) -> tuple[list[Floats], dict[int, str]]:
    """Return finite steps computed together or, if that fails, individually, with the reasons of those that fail."""
    problem = _problem(grid.problem, case)
    fixed = _how(case)
    with one_blas_thread(), spelling(PYTHON):  # a file says the same, whoever asked for it
        try:
            return _asked(grid.quantities, problem, step, fixed | arrays), {}
        except (DomainError, PrecisionError):
            pass
        shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
        points = {name: np.broadcast_to(array, shape).ravel() for name, array in arrays.items()}
        values = np.full((len(grid.quantities), int(np.prod(shape))), np.nan)
        reasons: dict[int, str] = {}
        for i in range(values.shape[1]):
            try:
                here: AxisValues = {name: float(given[i]) for name, given in points.items()}
                values[:, i] = _asked(grid.quantities, problem, step, fixed | here)
            except (DomainError, PrecisionError) as error:
                reasons[i] = str(error)
    return [row.reshape(shape) for row in values], reasons


def check_cells(grid: Grid) -> None:
    """Refuse, before any work, a grid with a combination of values not covered by the theory.

    Axes taken value by value are tried in every combination, for limits at the smallest φ, ψ, λ and σ_ε, which are
    the only ones that can fail together with others (a teacher of zero without noise), and for rates at the first.
    """
    together = grid.together
    smallest = {axis.name: np.array([np.min(np.asarray(axis.labels))]) for axis in grid.axes if axis.name in together}
    cases = math.prod(len(axis) for axis in grid.axes if axis.name not in together)
    tried: set[tuple[object, ...]] = set()
    for place, case in progress(_cases(grid), cases, "checking"):
        try:
            problem = _problem(grid.problem, case)
            key = _key(grid, place, {name: value for name, value in case.items() if name not in NUMBERS})
            if grid.finite:
                sizes_of(problem, case.get("n"))
                key = *(id(case.get(name)) for name in _KINDS_OF_STEPS), problem.steps > 1
            if key in tried:
                continue
            tried.add(key)
            if grid.finite:
                at_rest = _how(case) | {"eta": 0, "ridge": 1}  # which already needs the functions of a network
                _asked(grid.quantities, problem, step, at_rest)
            else:
                _limits(grid, case, smallest)
        except TheoryError as error:
            raise type(error)(f"at {grid.name(place)}: {error}", argument=error.argument) from None

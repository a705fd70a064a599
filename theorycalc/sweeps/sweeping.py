"""sweep(): predictions over a grid of parameters, in memory or streamed to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from typing import TypeVar

import numpy as np

from theorycalc.errors import ArgumentError, SweepError, SweepInterrupted, TheoryError, spelled, true_or_false
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.running.crew import TaskError, WorkError
from theorycalc.running.executors import check_workers, done_by
from theorycalc.running.files import output_path
from theorycalc.running.terminal import progress
from theorycalc.sweeps.evaluation import Evaluated, check_cells, evaluate
from theorycalc.sweeps.formats import MOST_AS_TEXT, format_of
from theorycalc.sweeps.grid import Grid, GridPiece, read_grid
from theorycalc.sweeps.result import Sweep, SweepFile
from theorycalc.sweeps.writing import Output, open_output

Stop = TypeVar("Stop", SweepError, SweepInterrupted)


@checked_call
def sweep(
    problem: Problem,
    over: Mapping[str, object],
    *,
    quantities: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    workers: int = 1,
    executor: Executor | None = None,
) -> Sweep | SweepFile:
    """Predict over a grid: the outer product of the parameters in ``over``, the last varying fastest.

    The points are limits n → ∞ as :func:`predict` gives them or, if ``n`` varies, finite steps as :func:`step` does.

    Parameters
    ----------
    problem : Problem
        The problem; parameters that vary replace its own.
    over : dict
        Names, and the values of each: one value, a list, an array, or text such as "0.1,0.2", "0.1:2:50" (fifty
        values) and "1e-3:10:9:log".  Names are the parameters of a Problem and, for limits, ``ell`` or ``alpha``,
        ``network`` and ``gradient``; for finite steps ``n``, one of ``alpha`` and ``eta``, ``gradient`` and ``method``.
    quantities : str or list of str, optional
        Attributes of a prediction, and where labels are ±1 ``error_rate_initial``, ``error_rate``, ``error_rate_gain``.
        Default: losses, gains and training error; of finite steps ``converged``, too.
    output : str or path, optional
        A file to which rows are written as they are computed, so that memory stays bounded: .csv or .json up to 10⁷
        points, .nc (NetCDF) beyond.  Until it is complete, its name has ``.part`` added.  Default: results are kept
        in memory, up to 10⁷ points.
    resume : bool
        Continue an interrupted ``output``, or compute a complete one again; a complete .nc or .json of another grid is
        refused.  Default: False, and an interrupted output is refused, and a complete one replaced.
    workers : int
        Number of processes, from 1, the default, to 4096; beside ``executor``, its size where it does not tell.
    executor : concurrent.futures.Executor, optional
        Where to compute instead, such as ``client.get_executor()`` of Dask.  The bytes are the same everywhere.

    Returns
    -------
    Sweep or SweepFile
        The grid with its values or, with ``output``, the name of the file, from which ``load()`` reads them.

    Raises
    ------
    ArgumentError
        A name, a file or an argument that does not fit; nothing was computed.
    DomainError
        A value outside its range, a combination that the theory does not allow, or a file of another sweep.
    SweepError
        A point failed, workers died, or the disk is full; ``.sweep`` or the file has the points that are done.
    SweepInterrupted
        Ctrl-C, a KeyboardInterrupt; ``.sweep`` or the file has the points that are done.

    Examples
    --------
    >>> problem = Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    >>> found = sweep(problem, {"activation": ["relu", "tanh"], "ell": [1, 2], "ridge": "1e-3:10:5:log"})
    >>> found["test_gain"].shape, round(float(found["test_gain"][0, 1, 2]), 6)
    ((2, 2, 5), 0.402513)
    """
    grid = read_grid(problem, over, quantities)
    check_workers(workers, executor, grid.part(next(grid.pieces())))
    if true_or_false(resume, "resume") and output is None:
        reason = f"{spelled('resume', True)} needs {spelled('output')}, the file to continue"
        raise ArgumentError(reason, argument="resume")
    if output is None:
        if grid.size > MOST_AS_TEXT:
            reason = f"the grid has {grid.size} points, and results in memory have up to {MOST_AS_TEXT}"
            remedy = f"give {spelled('output', 'grid.nc')}, to which they are streamed"
            raise ArgumentError(f"{reason}; {remedy}", argument="output")
        check_cells(grid)
        memory = _Memory(grid)
        _fill(grid, memory, workers, executor)
        return memory.sweep
    path = output_path(output)
    how = format_of(grid, path)
    check_cells(grid)
    with open_output(path, grid, how, resume) as file:
        _fill(grid, file, workers, executor)
    return SweepFile(path, grid, file.state.missing, file.notes)


class _Memory:
    """A sweep in memory as it grows."""

    place = "are done, and in the .sweep of this exception"

    def __init__(self, grid: Grid) -> None:
        self.sweep = Sweep(grid, np.empty((len(grid.quantities), grid.size)), {}, 0)

    def add(self, piece: GridPiece, found: Evaluated) -> None:
        self.sweep.values[:, piece.start : piece.stop] = found.values
        self.sweep.reasons.update({piece.start + i: reason for i, reason in found.reasons.items()})
        self.sweep = replace(self.sweep, done=piece.stop)

    def keep(self) -> int:
        return self.sweep.done


def _fill(grid: Grid, to: _Memory | Output, workers: int, executor: Executor | None) -> None:
    """Compute the remaining pieces in order, and add each to the memory or the file."""
    done = to.state.points if isinstance(to, Output) else 0
    total = sum(piece.start >= done for piece in grid.pieces())
    tasks = ((piece, grid.part(piece)) for piece in grid.pieces() if piece.start >= done)
    try:
        with closing(done_by(evaluate, tasks, workers, executor, in_order=True)) as results:
            for (piece, _), found in progress(results, total, "sweeping", arrive_finished=True):
                to.add(piece, found)
    except KeyboardInterrupt:
        raise _stopped(SweepInterrupted, "interrupted", grid, to) from None
    except (WorkError, SweepError) as error:
        failure = _stopped(SweepError, _reason(grid, error), grid, to)
        failure.argument = getattr(error, "argument", None)
        raise failure from error.__cause__


def _stopped(kind: type[Stop], reason: str, grid: Grid, to: _Memory | Output) -> Stop:
    stopped = kind(f"{reason}; {to.keep()} of {grid.size} points {to.place}")
    stopped.sweep = to.sweep if isinstance(to, _Memory) else None
    return stopped


def _reason(grid: Grid, error: Exception) -> str:
    if not isinstance(error, TaskError):
        return str(error)
    piece, cause = error.task[0], error.__cause__
    words = str(cause) if isinstance(cause, TheoryError) else f"{type(cause).__name__}: {cause}"
    return f"the piece that begins at {grid.cell(piece.start)} failed: {words}"

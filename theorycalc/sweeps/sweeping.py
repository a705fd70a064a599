"""sweep(): predictions over a grid of parameters, in memory or streamed to a file."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from typing import TypeVar

import numpy as np

from theorycalc.errors import ArgumentError, SweepError, SweepInterrupted, TheoryError, spelled, true_or_false
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.running.executors import Results, TaskError, WorkError, check_workers, done_by
from theorycalc.running.files import output_path
from theorycalc.running.terminal import progress
from theorycalc.sweeps.evaluation import Block, Evaluated, block_of, check_cells, evaluate
from theorycalc.sweeps.grid import Grid, GridPiece, read_grid
from theorycalc.sweeps.result import Sweep, SweepFile
from theorycalc.sweeps.writing import MOST_AS_TEXT, Output, format_of, open_output

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

    ``over`` maps names — those of a Problem, and ``ell`` or ``alpha``; with ``n`` it is of finite steps, and ``alpha``,
    ``eta`` and ``method`` may vary — to a value, a list, an array, or text such as "0.1,0.2", "0.1:2:50" (fifty
    values) and "1e-3:10:9:log".  ``quantities`` are attributes of a prediction, by default losses and gains.

    Without ``output`` the result is in memory.  With it, rows go to a file as they are computed: .csv or .json up
    to ten million points, .nc (NetCDF) beyond.  Until it is complete its name has ``.part`` added, and after
    an interruption ``resume=True`` goes on.  ``workers`` > 1 starts that many processes; ``executor`` is any
    ``concurrent.futures.Executor``; the bytes are the same everywhere.

    >>> problem = Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    >>> found = sweep(problem, {"activation": ["relu", "tanh"], "ell": [1, 2], "ridge": "1e-3:10:5:log"})
    >>> found["test_gain"].shape, round(float(found["test_gain"][0, 1, 2]), 6)
    ((2, 2, 5), 0.402513)
    """
    grid = read_grid(problem, over, quantities)
    check_workers(workers, executor, block_of(grid, next(grid.pieces())))
    if true_or_false(resume, "resume") and output is None:
        raise ArgumentError(
            f"{spelled('resume', True)} needs {spelled('output')}, the file that is to be gone on with",
            argument="resume",
        )
    if output is None:
        if grid.size > MOST_AS_TEXT:
            raise ArgumentError(
                f"the grid has {grid.size} points, and results in memory have up to {MOST_AS_TEXT}; "
                "give output='grid.nc', to which they are streamed",
                argument="output",
            )
        check_cells(grid)
        return _in_memory(grid, workers, executor)
    path = output_path(output)
    how = format_of(grid, path)
    check_cells(grid)
    with open_output(path, grid, how, resume) as file:
        _into_file(grid, file, workers, executor)
    return SweepFile(path, grid, file.state.missing, file.notes)


def _results(grid: Grid, done: int, workers: int, executor: Executor | None) -> Results[tuple[Block], Evaluated]:
    """Return what is left of a grid, piece by piece, in order."""
    tasks: Iterator[tuple[Block]] = ((block_of(grid, piece),) for piece in _left(grid, done))
    return done_by(evaluate, tasks, workers, executor, in_order=True)


def _left(grid: Grid, done: int) -> Iterator[GridPiece]:
    return (piece for piece in grid.pieces() if piece.start >= done)


def _pieces(
    grid: Grid, done: int, workers: int, executor: Executor | None
) -> Generator[tuple[GridPiece, Evaluated], None, None]:
    total = sum(1 for _ in _left(grid, done))
    with closing(_results(grid, done, workers, executor)) as results:
        for (block,), found in progress(results, total, "sweeping", arrive_finished=True):
            yield block.piece, found


def _in_memory(grid: Grid, workers: int, executor: Executor | None) -> Sweep:
    values = np.empty((len(grid.quantities), grid.size))
    reasons: dict[int, str] = {}
    done = 0

    def so_far() -> Sweep:
        return Sweep(grid, values, reasons, done)

    try:
        with closing(_pieces(grid, 0, workers, executor)) as pieces:
            for piece, found in pieces:
                values[:, piece.start : piece.stop] = found.values
                reasons |= {piece.start + i: reason for i, reason in found.reasons.items()}
                done = piece.stop
    except KeyboardInterrupt:
        kept = "are done, and in the .sweep of this exception"
        raise _stopped(SweepInterrupted, "interrupted", grid, done, kept, so_far()) from None
    except WorkError as error:
        kept = "are done, and in the .sweep of this exception"
        raise _stopped(SweepError, _reason(grid, error), grid, done, kept, so_far()) from error.__cause__
    return so_far()


def _into_file(grid: Grid, file: Output, workers: int, executor: Executor | None) -> None:
    kept = f"are in {file.part}; resume=True (--resume) goes on"
    try:
        with closing(_pieces(grid, file.state.points, workers, executor)) as pieces:
            for piece, found in pieces:
                file.add(piece, found)
    except KeyboardInterrupt:
        raise _stopped(SweepInterrupted, "interrupted", grid, file.keep(), kept, None) from None
    except (WorkError, SweepError) as error:
        raise _stopped(SweepError, _reason(grid, error), grid, file.keep(), kept, None) from error.__cause__


def _stopped(kind: type[Stop], reason: str, grid: Grid, done: int, kept: str, sweep: Sweep | None) -> Stop:
    stopped = kind(f"{reason}; {done} of {grid.size} points {kept}")
    stopped.sweep = sweep
    return stopped


def _reason(grid: Grid, error: Exception) -> str:
    if not isinstance(error, TaskError):
        return str(error)
    block: Block = error.task[0]
    cause = error.__cause__
    words = str(cause) if isinstance(cause, TheoryError) else f"{type(cause).__name__}: {cause}"
    return f"the piece that begins at {grid.cell(block.piece.start)} failed: {words}"

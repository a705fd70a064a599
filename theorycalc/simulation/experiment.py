"""simulate(): the real network of a Problem, one replicate after another.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Container, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeAlias, TypeVar

from theorycalc.errors import ArgumentError, DomainError, SimulationError, SimulationInterrupted, about, spelled
from theorycalc.model.enums import GradientTarget, InputLaw, Precision, Simulated
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import NumbersLike
from theorycalc.running.crew import TaskError, WorkError
from theorycalc.running.executors import check_workers, done_by
from theorycalc.running.files import output_path, remove_leftovers
from theorycalc.running.journal import Journal, Key, Record, first_difference, key_of, open_journal
from theorycalc.running.terminal import progress
from theorycalc.simulation.records import record_check
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.run import Run, load_run, make_run
from theorycalc.simulation.settings import Settings, Step, machine_memory, read_settings

Task: TypeAlias = tuple[int, tuple[int, ...]]  # the number of a replicate, and the cells to compute of it
Stop = TypeVar("Stop", SimulationError, SimulationInterrupted)
_WHERE = ("workers", "executor", "output", "resume")  # arguments on which no number depends


@checked_call
def simulate(
    problem: Problem,
    *,
    n: int | None = None,
    alpha: NumbersLike | None = None,
    eta: NumbersLike | None = None,
    replicates: int = 20,
    seed: int = 0,
    ridge: NumbersLike | None = None,
    d: int | None = None,
    N: int | None = None,
    test_samples: int | None = None,
    gradient: str = GradientTarget.RESIDUAL,
    reuse_batch: bool = False,
    input_law: str = InputLaw.GAUSSIAN,
    equivalent: str | Iterable[str] = (Simulated.NETWORK,),
    ell: int | None = None,
    spectrum: bool = False,
    traces: bool = False,
    precision: str = Precision.DOUBLE,
    workers: int = 1,
    executor: Executor | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Run:
    """Simulate a problem's network and return a Run: means and standard errors of its losses, errors and gains.

    The gradient step and the ridge fit use separate batches: two independent batches of n₀ and n points, n₀ = n unless
    the problem has ``step_samples``.  The step follows the residual y − f₀ of the literal network or the labels alone,
    the step of the theorem.  Each value of ``alpha`` or ``eta`` is one cell of the run; all cells of a replicate share
    its draw: data, W₀ and a.  The numbers depend on the settings and ``seed`` alone, wherever they are computed.

    Parameters
    ----------
    problem : Problem
        The network, its data and their ratios.
    n, d, N : int, optional
        The sizes, from 1.  ``n`` may be left out if the problem was described by its sizes; d and N follow from φ
        and ψ by default.
    alpha, eta : number or list
        The size of the step (learning rate): one of α, for η = n^α, and η ≥ 0 itself; each value of a list is a cell.
    ridge : number or list, λ ≥ 0, optional
        One ridge (weight decay), or a path of them.  Default: that of the problem.
    replicates : int
        Number of independent draws, from 2, since an error bar needs two; by default 20.
    seed : int
        Seed of all random numbers, from 0, the default.
    test_samples : int, optional
        Number of points of the test batch, from 1.  Default: n.
    reuse_batch : bool
        Whether all steps of the problem take the first batch, which no theory here describes.  Default: False, a fresh
        batch for every step.
    equivalent : str or list of str
        "network", the default, "spiked" and "gaussian", all on the same draws; the last two need ``ell``.
    ell : int, optional
        Number of spikes of the equivalents, or of the powers that the spectrum looks for, from 1 to 20.
    spectrum, traces : bool
        Whether to record eigenvalues, spikes and alignments of the features and singular values of the weights, or
        m_1 and m_2, of every draw.  Default: False.
    workers : int
        Number of processes, from 1, the default, to 4096; beside ``executor``, its size where it does not tell.
    executor : concurrent.futures.Executor, optional
        Where to compute instead, such as ``client.get_executor()`` of Dask.
    output : str or path, optional
        A file in which the run is saved.  Until it is complete, every finished replicate is kept in a journal beside
        it (the name with ``.journal`` added).
    resume : bool
        Compute only the replicates and steps that ``output`` and its journal lack.  Default: False.

    Returns
    -------
    Run
        The records of all replicates, with their means and standard errors.

    Raises
    ------
    ArgumentError
        An argument that is missing or does not fit; nothing was computed.
    DomainError
        A value outside its range, sizes beyond the memory of this machine, or a file of another simulation.
    SimulationError
        A replicate failed, workers died, or the disk is full; ``.run`` has the finished replicates.
    SimulationInterrupted
        Ctrl-C, a KeyboardInterrupt; ``.run`` has the finished replicates.

    Examples
    --------
    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    >>> run = simulate(problem, n=60, alpha=[0.1, 0.3], replicates=3, seed=1)
    >>> run.settings.d, run.settings.N, len(run.rows), run.complete
    (30, 45, 2, True)
    """
    settings = read_settings(**{name: value for name, value in locals().items() if name not in _WHERE})
    path = _check_where(settings, workers, executor, output, resume)
    if path is None:
        return _computed(settings, {}, (), None, workers, executor)
    found, notes = _saved(path, settings) if resume else ({}, ())
    place = path.with_name(f"{path.name}.journal")
    with open_journal(place, settings.to_dict(), resume, record_check(settings)) as journal:
        remove_leftovers(path)
        found |= journal.found
        _check_kept(found, settings, path)
        run = _computed(settings, found, tuple(dict.fromkeys((*notes, *journal.notes))), journal, workers, executor)
        with about("output"):
            run.save(path)
        if os.name == "posix":  # pragma: no branch - another operating system
            place.unlink(missing_ok=True)  # while it is locked: another process may use it as soon as it is not
    if os.name != "posix":  # Windows does not remove open files
        place.unlink(missing_ok=True)  # pragma: no cover - another operating system
    return run


def _check_where(
    settings: Settings, workers: int, executor: Executor | None, output: str | os.PathLike[str] | None, resume: bool
) -> Path | None:
    """Return the path of the output; refuse, before any work, an unsuitable executor or output, or a lack of memory."""
    workers = check_workers(workers, executor, settings)
    if executor is None or isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor)):
        _check_memory(settings, workers if executor is None else 1)
    if resume and output is None:
        raise ArgumentError(
            f"{spelled('resume', True)} needs {spelled('output')}, the file to continue",
            argument="resume",
        )
    return None if output is None else output_path(output)


def _check_memory(settings: Settings, workers: int) -> None:
    """Refuse more parallel replicates than fit into the memory of this machine."""
    needed, there = workers * settings.memory, machine_memory()
    if there is not None and settings.memory > there:
        raise DomainError(
            f"n = {settings.n}, d = {settings.d}, N = {settings.N} need {settings.memory / 2**30:.1f} GiB for one "
            f"replicate, and this machine has {there / 2**30:.1f} GiB; take a smaller n",
            argument="n",
        )
    if there is not None and needed > there:
        raise DomainError(
            f"{spelled('workers', workers)} replicates at a time need {needed / 2**30:.1f} GiB, and this machine has "
            f"{there / 2**30:.1f} GiB; take {there // settings.memory} or fewer",
            argument="workers",
        )


def _saved(output: Path, settings: Settings) -> tuple[dict[Key, Record], tuple[str, ...]]:
    """Return the records and notes of a saved run to extend, or none if there is no file."""
    if not output.exists():
        return {}, ()
    run = load_run(output)
    difference = first_difference(run.settings.to_dict(), settings.to_dict())
    if difference is not None:
        raise DomainError(
            f"{output} belongs to another simulation: {difference}; give its settings, or another output",
            argument="output",
        )
    return {key_of(record): record for record in run.records}, run.notes


def _check_kept(found: Iterable[Key], settings: Settings, output: Path) -> None:
    """Refuse to save a run that lacks replicates or steps of the file it replaces."""
    for alpha, eta, index in found:
        if index >= settings.replicates:
            raise DomainError(
                f"{output} or its journal has replicate {index}, and {spelled('replicates', settings.replicates)} "
                f"would lose it; give {index + 1} or more, or another output",
                argument="replicates",
            )
        if (alpha, eta) not in settings.cells:
            raise DomainError(
                f"{output} or its journal has the step {Step(alpha, eta)}, which is not among the steps of "
                "this call and would be lost; give it, too, or another output",
                argument="alpha",
            )


def _missing(settings: Settings, found: Container[Key]) -> list[Task]:
    """Return every incomplete replicate, with the cells that it lacks."""
    tasks = []
    for index in range(settings.replicates):
        cells = tuple(cell for (alpha, eta), cell in settings.cells.items() if (alpha, eta, index) not in found)
        if cells:
            tasks.append((index, cells))
    return tasks


def _computed(
    settings: Settings,
    found: dict[Key, Record],
    notes: tuple[str, ...],
    journal: Journal | None,
    workers: int,
    executor: Executor | None,
) -> Run:
    """Compute the missing replicates and steps, write each to the journal at once, and return the run."""
    done, tasks = list(found.values()), _missing(settings, found)
    work = functools.partial(replicate, settings)
    try:
        with closing(done_by(work, tasks, workers, executor)) as results:
            for _, records in progress(results, len(tasks), "simulating", arrive_finished=True):
                done += records
                if journal is not None:
                    journal.append(records)
    except KeyboardInterrupt:
        raise _stopped(SimulationInterrupted, "interrupted", make_run(settings, done, notes), journal) from None
    except (SimulationError, WorkError) as error:
        failure = _stopped(SimulationError, _reason(settings, error), make_run(settings, done, notes), journal)
        failure.argument = getattr(error, "argument", None)
        raise failure from error.__cause__
    return make_run(settings, done, notes)


def _stopped(kind: type[Stop], reason: str, run: Run, journal: Journal | None) -> Stop:
    """Return the exception that says how many replicates are done and where they are."""
    count = f"{run.finished} of {run.settings.replicates} replicates are done"
    where = (
        " and in the .run of this exception"
        if journal is None
        else f"; {spelled('resume', True)} continues {journal.path}"
    )
    stopped = kind(f"{reason}; {count}{where}")
    stopped.run = run
    return stopped


def _reason(settings: Settings, error: Exception) -> str:
    if not isinstance(error, TaskError):
        return str(error)
    index, _ = error.task
    cause = error.__cause__
    return f"replicate {index} (seed {settings.seed}) failed: {type(cause).__name__}: {cause}"

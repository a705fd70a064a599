"""simulate(): the real network of a Problem, replicate by replicate.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Container, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TypeAlias

from theorycalc.errors import ArgumentError, DomainError, SimulationError, SimulationInterrupted, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call, documented
from theorycalc.numbers.exact import NumbersLike
from theorycalc.running.executors import Results, TaskError, WorkError, check_workers, done_by
from theorycalc.running.files import output_path, remove_leftovers
from theorycalc.running.journal import Journal, Key, Record, first_difference, key_of, open_journal
from theorycalc.running.terminal import progress
from theorycalc.simulation.memory import machine_memory
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.run import Run, load_run, make_run, record_check
from theorycalc.simulation.settings import Settings, Step, read_settings

Task: TypeAlias = tuple[int, tuple[int, ...]]  # the number of a replicate, and the cells that are wanted of it


@documented
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
    gradient: str = "residual",
    steps: int = 1,
    inputs: str = "gaussian",
    corrupt: float = 0,
    equivalent: str | Iterable[str] = ("network",),
    ell: int | None = None,
    spectrum: bool = False,
    traces: bool = False,
    precision: str = "float64",
    workers: int = 1,
    executor: Executor | None = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Run:
    """Simulate the network of a problem and return a Run: means and standard errors of its losses, errors and gains.

    The gradient step and the ridge fit use separate batches: two independent batches of n₀ and n points, n₀ = n unless
    the problem has ``step_samples``.  The step follows the residual y − f₀ of the literal network (``gradient=
    "residual"``, the default) or the labels alone (``"labels"``, the step of the theorem).  Its size (the learning
    rate) is η = n^α with α = ``alpha``, or ``eta``; a list of either gives several cells.  All cells of a replicate
    share its draw: data, W₀ and a.

    ``n`` may be left out where the problem was described by its sizes; d and N follow from φ and ψ, or are given by
    ``d`` and ``N``.  ``ridge`` (by default the problem's) may be a list: a whole path.
    ``equivalent`` lists "network", "spiked" and "gaussian" (the last two need ``ell``), on the same draws.
    ``spectrum`` and ``traces`` record eigenvalues, spikes and alignments, and m_1 and m_2 of every draw.

    Results depend on the settings and ``seed`` alone.  ``workers`` > 1 starts that many processes; ``executor``
    is any ``concurrent.futures.Executor`` (with ``workers`` as its size, where it does not tell).

    With ``output`` the run is saved there, and until it is complete, every finished replicate is
    kept in a journal beside it (the name with ``.journal`` added).  With ``resume`` only replicates and steps that are
    missing there are computed.
    Ctrl-C raises :class:`SimulationInterrupted`, a KeyboardInterrupt, and a replicate that fails raises
    :class:`SimulationError`; the ``run`` of either has the finished replicates.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    >>> run = simulate(problem, n=60, alpha=[0.1, 0.3], replicates=3, seed=1)
    >>> run.settings.d, run.settings.N, len(run.rows), run.complete
    (30, 45, 2, True)
    """
    settings = read_settings(
        problem,
        n=n,
        d=d,
        N=N,
        alpha=alpha,
        eta=eta,
        ridge=ridge,
        replicates=replicates,
        seed=seed,
        gradient=gradient,
        steps=steps,
        inputs=inputs,
        corrupt=corrupt,
        equivalent=equivalent,
        ell=ell,
        spectrum=spectrum,
        traces=traces,
        test_samples=test_samples,
        precision=precision,
    )
    _check_where(settings, workers, executor, output, resume)
    with ExitStack() as stack:
        found: dict[Key, Record] = {}
        notes: tuple[str, ...] = ()
        journal = None
        if output is not None:
            found, notes = _saved(Path(output), settings) if resume else ({}, ())
            file = os.path.realpath(output) if os.path.islink(output) else os.fspath(output)  # one lock for all links
            place = Path(f"{file}.journal")
            journal = stack.enter_context(open_journal(place, settings.to_dict(), resume, record_check(settings)))
            remove_leftovers(Path(file))
            found |= journal.found
            notes = tuple(dict.fromkeys((*notes, *journal.notes)))
            _check_kept(found, settings, output)
        done = list(found.values())
        tasks = _missing(settings, found)
        work = functools.partial(replicate, settings)
        _collect(settings, done_by(work, tasks, workers, executor), len(tasks), done, journal, notes)
        run = make_run(settings, done, notes)
        if output is not None:
            run.save(output)
        if journal is not None and os.name == "posix":  # while it is locked: it may be another's as soon as it is not
            journal.path.unlink(missing_ok=True)
    if journal is not None and os.name != "posix":  # Windows does not remove what is open
        journal.path.unlink(missing_ok=True)  # pragma: no cover - another operating system
    return run


def _check_where(
    settings: Settings, workers: int, executor: Executor | None, output: str | os.PathLike[str] | None, resume: bool
) -> None:
    """Refuse, before any work, a place to work at that does not do."""
    workers = check_workers(workers, executor, settings)
    if executor is None or isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor)):
        _check_memory(settings, workers if executor is None else 1)
    if resume and output is None:
        raise ArgumentError(
            f"{spelled('resume', True)} needs {spelled('output')}, the file whose journal is to be gone on with",
            argument="resume",
        )
    if output is not None:
        output_path(output)


def _check_memory(settings: Settings, workers: int) -> None:
    """Refuse more replicates at a time than fit this machine; of the machines of other executors we know nothing."""
    needed, there = workers * settings.memory, machine_memory()
    if there is not None and settings.memory > there:
        raise DomainError(
            f"n={settings.n}, d={settings.d}, N={settings.N} need {settings.memory / 2**30:.1f} GiB for one replicate, "
            f"and this machine has {there / 2**30:.1f} GiB; take a smaller n",
            argument="n",
        )
    if there is not None and needed > there:
        raise DomainError(
            f"workers={workers} replicates at a time need {needed / 2**30:.1f} GiB, and this machine has "
            f"{there / 2**30:.1f} GiB; take {there // settings.memory} or fewer",
            argument="workers",
        )


def _saved(output: Path, settings: Settings) -> tuple[dict[Key, Record], tuple[str, ...]]:
    """Return the records and notes of a run that was saved before, if there is one: it may be extended."""
    if not output.exists():
        return {}, ()
    run = load_run(output)
    difference = first_difference(run.settings.to_dict(), settings.to_dict())
    if difference is not None:
        raise DomainError(
            f"{output} is of another simulation: {difference}; give its settings, or another output", argument="output"
        )
    return {key_of(record): record for record in run.records}, run.notes


def _check_kept(found: Iterable[Key], settings: Settings, output: str | os.PathLike[str]) -> None:
    """Refuse to save a run without replicates or steps that are already there."""
    for alpha, eta, index in found:
        if index >= settings.replicates:
            raise DomainError(
                f"{os.fspath(output)} or its journal has replicate {index}, and replicates={settings.replicates} "
                f"would lose it; give {index + 1} or more, or another output",
                argument="replicates",
            )
        if (alpha, eta) not in settings.cells:
            raise DomainError(
                f"{os.fspath(output)} or its journal has the step {Step(alpha, eta)}, which is not among the steps of "
                "this call and would be lost; give it, too, or another output",
                argument="alpha",
            )


def _missing(settings: Settings, found: Container[Key]) -> list[Task]:
    """Return every replicate that lacks cells, with the cells that it lacks."""
    tasks = []
    for index in range(settings.replicates):
        cells = tuple(cell for (alpha, eta), cell in settings.cells.items() if (alpha, eta, index) not in found)
        if cells:
            tasks.append((index, cells))
    return tasks


def _collect(
    settings: Settings,
    results: Results[Task, list[Record]],
    total: int,
    done: list[Record],
    journal: Journal | None,
    notes: tuple[str, ...],
) -> None:
    """Add the records of each replicate to those done, and into the journal at once; if it ends early, say how far."""
    try:
        with closing(results):
            for _, records in progress(results, total, "simulating", arrive_finished=True):
                done += records
                if journal is not None:
                    journal.append(records)
    except KeyboardInterrupt:
        run = make_run(settings, done, notes)
        interrupted = SimulationInterrupted(f"interrupted; {_what_is_kept(run, journal)}")
        interrupted.run = run
        raise interrupted from None
    except (SimulationError, WorkError) as error:
        run = make_run(settings, done, notes)
        failure = SimulationError(f"{_reason(settings, error)}; {_what_is_kept(run, journal)}")
        failure.run = run
        raise failure from error.__cause__


def _reason(settings: Settings, error: Exception) -> str:
    if not isinstance(error, TaskError):
        return str(error)
    index, _ = error.task
    cause = error.__cause__
    return f"replicate {index} (seed {settings.seed}) failed: {type(cause).__name__}: {cause}"


def _what_is_kept(run: Run, journal: Journal | None) -> str:
    count = f"{run.finished} of {run.settings.replicates} replicates are done"
    if journal is None:
        return f"{count} and in the .run of this exception"
    return f"{count}; resume=True (--resume) goes on with {journal.path}"

"""``theorycalc simulate``: the real network of a problem, and its comparison with the limits."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from theorycalc.cli.options import add_problem, numbers, whole_or_text, with_lists
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError, TheoryError

if TYPE_CHECKING:
    from theorycalc.comparison import Comparison
    from theorycalc.prediction import Prediction
    from theorycalc.simulation.run import Run
    from theorycalc.theory.problem import Problem

_EXAMPLES = """\
examples:
  theorycalc simulate --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 \\
      --noise 0.5 --n 1000 --replicates 20 --alpha 0.1,0.2,0.3 --workers 2 --output run.json
  the same with --resume goes on after an interruption, or adds replicates

Lists are written 0.1,0.2,0.3 and ranges 0.05:0.45:9 (nine values). The exit status is 0 if theory and simulation
agree, 1 if they differ, 2 for bad input. The limits are those of n → ∞: see docs/simulation.md for how far they are.
"""
_CONNECT = "10s"


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Simulate the network of a problem and compare it with the limits of the windows of α."
    command.epilog = _EXAMPLES
    add_problem(command)
    what = command.add_argument_group("the simulation (--ridge may be a list)")
    what.add_argument("--n", required=True, help="number of samples; d and N follow from φ and ψ")
    what.add_argument("--alpha", help="the step is n^α: one value, a list or a range; or")
    what.add_argument("--eta", help="the step itself: one value, a list or a range")
    what.add_argument("--replicates", default="20", help="independent draws for each step (default 20)")
    what.add_argument("--seed", default="0", help="everything follows from it (default 0)")
    what.add_argument("--steps", default="1", help="number of gradient steps (default 1)")
    what.add_argument("--inputs", default="gaussian", help="gaussian (default), uniform or rademacher")
    what.add_argument("--corrupt", default="0", help="fraction of corrupted labels (default 0)")
    what.add_argument("--equivalent", default="network", help="a list of network (default), spiked and gaussian")
    what.add_argument("--ell", help="spikes of the equivalents, and the limit compared with (default: by α's window)")
    what.add_argument("--spectrum", action="store_true", help="record eigenvalues, spikes and alignments")
    where = command.add_argument_group("where it is computed and kept")
    where.add_argument("--workers", default="1", help="number of processes (default 1)")
    where.add_argument("--dask", metavar="ADDRESS", help="compute on the Dask cluster with this scheduler")
    where.add_argument("--output", metavar="FILE", help="save the run, and until it is complete a journal beside it")
    where.add_argument("--resume", action="store_true", help="go on with the journal, or the run, of --output")
    add_output(command, csv="a row for each step, model, ridge and quantity", plot="theory against simulation")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.simulation.experiment import simulate

    problem, lists = with_lists(options, "ridge")
    ridges = lists.get("ridge", [problem.ridge])
    alphas = None if options.alpha is None else numbers(options.alpha, "alpha")
    models = [word.strip() for word in options.equivalent.split(",")]
    ell = whole_or_text(options.ell)
    needs_ell = options.spectrum or models != ["network"]
    predictions, notes = _limits(problem, ridges, alphas, ell)
    if options.plot is not None and (not predictions or whole_or_text(options.corrupt) != 0):
        raise ArgumentError("--plot draws theory against simulation, and there is no theory of this: try --ell")
    with _executor(options) as (executor, workers):
        run = simulate(
            problem,
            n=whole_or_text(options.n),
            alpha=alphas,
            eta=None if options.eta is None else numbers(options.eta, "eta"),
            ridge=ridges,
            replicates=whole_or_text(options.replicates),
            seed=whole_or_text(options.seed),
            steps=whole_or_text(options.steps),
            inputs=options.inputs,
            corrupt=options.corrupt,
            equivalent=models,
            ell=ell if needs_ell else None,
            spectrum=options.spectrum,
            workers=workers,
            executor=executor,
            output=options.output,
            resume=options.resume,
        )
    return _answer(run, predictions, notes, options)


def _limits(
    problem: Problem, ridges: list[Any], alphas: list[Any] | None, ell: Any
) -> tuple[list[Prediction], list[str]]:
    """Return the limits to compare with, and notes on the cells that have none; all before any work."""
    from theorycalc.prediction import predict

    if ell is not None:
        return [predict(problem, ell=ell, ridge=ridges)], []
    if alphas is None:
        return [], ["a step given by --eta is in no window: give --ell to compare with a limit"]
    predictions, notes = [], []
    for alpha in alphas:
        try:
            predictions.append(predict(problem, alpha=alpha, ridge=ridges))
        except TheoryError as error:
            notes.append(f"no limit to compare with: {error}")
    return predictions, notes


@contextmanager
def _executor(options: argparse.Namespace) -> Iterator[tuple[Any, Any]]:
    """Give the executor of a Dask cluster with its number of threads, or None with the number of processes."""
    if options.dask is None:
        yield None, whole_or_text(options.workers)
        return
    if options.workers != "1":
        raise ArgumentError("give --workers or --dask, not both: the cluster has its own workers")
    try:
        from distributed import Client
    except ImportError:
        raise ArgumentError("--dask needs Dask: pip install 'theorycalc[dask]'") from None
    try:
        client = Client(options.dask, timeout=_CONNECT)
    except (OSError, ValueError, ImportError) as error:
        raise ArgumentError(f"no Dask scheduler answers at {options.dask!r}: {error}") from None
    with client:
        yield client.get_executor(pure=False), max(1, sum(client.nthreads().values()))


def _answer(run: Run, predictions: list[Prediction], notes: list[str], options: argparse.Namespace) -> Answer:
    from theorycalc.comparison import compare
    from theorycalc.comparison_tables import comparison_rows
    from theorycalc.simulation.show import run_text

    comparison: Comparison | None = None
    if predictions and run.settings.corrupt == 0:
        comparison = compare(run, predictions)
    elif predictions:
        notes = [*notes, "the theory has no corrupted labels: nothing is compared"]

    def text() -> str:
        full = not for_a_terminal()
        parts = [run_text(run, full), *([] if comparison is None else [comparison.table(full).text()])]
        return "\n".join([*parts, *(f"  note  {note}" for note in notes)])

    return answer(
        options,
        data=lambda: {
            "inputs": run.settings.problem.to_dict(),
            "settings": {name: value for name, value in run.settings.to_dict().items() if name != "problem"},
            "summary": run.summary(),
            "comparison": None if comparison is None else comparison.to_dict(),
            "notes": [*run.notes, *notes],
        },
        rows=lambda: comparison_rows(run.summary(), comparison),
        text=text,
        draw=None if comparison is None else comparison.plot,
        status=0 if comparison is None or comparison.agrees else 1,
    )

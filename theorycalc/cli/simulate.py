"""``theorycalc simulate``: the real network of a problem, and its comparison with theory."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from theorycalc.cli.cluster import add_workers, executor_of
from theorycalc.cli.compare import STATUS, add_against, compared, words_of
from theorycalc.cli.options import (
    add_gradient,
    add_parameter,
    add_problem,
    numbers,
    sizes_of_network,
    whole_or_text,
    with_lists,
)
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError, TheoryError
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from theorycalc.comparison.compare import Comparison
    from theorycalc.simulation.run import Run

_EXAMPLES = """\
examples:
  theorycalc simulate --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 1000 --d 500 --N 750 --ridge 0.1 \\
      --noise 0.5 --replicates 20 --alpha 0.1,0.2,0.3 --workers 2 --output run.json
  the same with --resume goes on after an interruption, or adds replicates or steps

Lists are written 0.1,0.2,0.3 and ranges 0.05:0.45:9 (nine values). All steps of a replicate share its draw of data and
weights. Exit status: 0, theory and simulation agree, or nothing is compared; 1, they differ; 3, too few draws to tell;
2, the input was bad.
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Simulate the network of a problem, and compare it with what theory says of that size."
    command.epilog = _EXAMPLES
    add_problem(command, network=True)
    what = command.add_argument_group("the simulation (--ridge may be a list)")
    add_parameter(what, "alpha", after=": one value, a list or a range; or")
    add_parameter(what, "eta", after=": one value, a list or a range")
    for name in ("replicates", "seed", "steps", "inputs", "corrupt", "equivalent"):
        add_parameter(what, name, default=PARAMETERS[name].default)
    what.add_argument("--spectrum", action="store_true", help="record eigenvalues, spikes and alignments")
    add_gradient(what)
    add_against(command.add_argument_group("the theory that it is compared with"))
    where = command.add_argument_group("where it is computed and kept")
    add_workers(where)
    where.add_argument("--output", metavar="FILE", help="save the run, and until it is complete a journal beside it")
    where.add_argument("--resume", action="store_true", help="go on with the journal, or the run, of --output")
    add_output(command, csv="a row for each step, model, ridge and quantity", plot="theory against simulation")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.model.spikes import read_ell
    from theorycalc.simulation.experiment import simulate

    problem, lists = with_lists(options, "ridge")
    ridges = lists.get("ridge", [problem.ridge])
    alphas = None if options.alpha is None else numbers(options.alpha, "alpha")
    models = [word.strip() for word in options.equivalent.split(",")]
    ell = whole_or_text(options.ell)
    needs_ell = options.spectrum or models != ["network"]
    if ell is not None:
        read_ell(ell)  # refused before any work
    against = words_of(options)
    if options.plot is not None and ("none" in against or whole_or_text(options.corrupt) != 0):
        raise ArgumentError(
            "--plot draws theory against simulation: it needs --against, and labels that are not corrupted"
        )
    if alphas is None and ell is None and {"limit", "literal"} & set(against):
        raise ArgumentError(f"--against {options.against}: a step given by --eta is in no window; give --ell, too")
    with executor_of(options) as (executor, workers):
        run = simulate(
            problem,
            **sizes_of_network(options),
            alpha=alphas,
            eta=None if options.eta is None else numbers(options.eta, "eta"),
            ridge=ridges,
            replicates=whole_or_text(options.replicates),
            seed=whole_or_text(options.seed),
            gradient=options.gradient,
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
    return _answer(run, options)


def _compared(run: Run, options: argparse.Namespace) -> tuple[Comparison | None, list[str]]:
    """Return the comparison, or why there is none: a run that was computed is shown all the same."""
    try:
        return compared(run, run.problem, options), []
    except TheoryError as error:
        return None, [f"nothing is compared: {error}"]


def _answer(run: Run, options: argparse.Namespace) -> Answer:
    from theorycalc.comparison.comparison_tables import comparison_rows

    comparison, notes = _compared(run, options)

    def text() -> str:
        full = not for_a_terminal()
        parts = [run.table(full).text(), *([] if comparison is None else [comparison.table(full).text()])]
        return "\n".join([*parts, *(f"  note  {note}" for note in notes)])

    return answer(
        options,
        data=lambda: {
            "inputs": run.settings.problem.to_dict(),
            "settings": {name: value for name, value in run.settings.to_dict().items() if name != "problem"},
            "rows": run.rows,
            "comparison": None if comparison is None else comparison.to_dict(),
            "notes": [*run.notes, *notes],
        },
        rows=lambda: comparison_rows(run.rows, comparison),
        text=text,
        draw=None if comparison is None else comparison.plot,
        status=0 if comparison is None else STATUS[comparison.verdict],
    )

"""``theorycalc report``: everything about one problem in one HTML file."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from theorycalc.cli.options import (
    EXAMPLE,
    add_gradient,
    add_parameter,
    add_problem,
    numbers,
    problem_of,
    sizes_of_network,
    whole_or_text,
)
from theorycalc.cli.output import Answer, check_writable

if TYPE_CHECKING:
    from fractions import Fraction

    from theorycalc.model.problem import Problem
    from theorycalc.simulation.run import Run

_EXAMPLES = """\
examples:
  theorycalc report --activation relu --teacher "H1 + H2/2" --noise 0.5 --n 1000 --alpha 0.3 -o report.html
  theorycalc report --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 200 --alpha 0.3,0.1 --simulate 5 \\
      -o report.html

With --simulate the run is kept beside the report (report.run.json); after Ctrl-C the same command goes on with it.
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = (
        "Write problem, conditions, formulas, values, plots and, if asked, a simulation into one HTML file."
    )
    command.epilog = _EXAMPLES
    add_problem(command, EXAMPLE | {"n": "1000"}, network=True)
    what = command.add_argument_group("the network")
    add_gradient(what)
    add_parameter(what, "alpha", default="3/10", after="; more values are simulated, too")
    what.add_argument("--simulate", metavar="REPLICATES", help="simulate so many networks for each step, seed 0")
    command.add_argument("--output", "-o", metavar="FILE", required=True, help="the .html file to write")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.documents.report import report
    from theorycalc.running.terminal import waiting

    check_writable(options.output, "--output", (".html", ".htm"))
    problem = problem_of(options)
    n, alphas = sizes_of_network(options)["n"], numbers(options.alpha, "alpha")
    run = None if options.simulate is None else _simulated(options, problem, n, alphas)
    with waiting("writing"):
        written = report(problem, n=n, alpha=alphas, gradient=options.gradient, run=run).save(options.output)
    return Answer(f"wrote {written}")


def _simulated(options: argparse.Namespace, problem: Problem, n: int, alphas: list[Fraction]) -> Run:
    from theorycalc.simulation.experiment import simulate

    kept = f"{os.path.splitext(options.output)[0]}.run.json"
    again = os.path.exists(kept) or os.path.exists(f"{kept}.journal")
    replicates = whole_or_text(options.simulate)
    gradient = options.gradient
    return simulate(
        problem,
        n=n,
        alpha=alphas,
        replicates=replicates,
        seed=0,
        gradient=gradient,
        spectrum=True,
        output=kept,
        resume=again,
    )

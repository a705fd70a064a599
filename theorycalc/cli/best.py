"""``theorycalc best``: the step and the ridge together that have the least predicted test loss."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_gradient, add_problem, problem_of, sizes_of_network
from theorycalc.cli.output import Answer, add_output
from theorycalc.cli.planning import best_answer

_EXAMPLES = """\
examples:
  theorycalc best --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1
  theorycalc best --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --n 300 --json
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Find the step and the ridge that together minimise the predicted test loss of a network."
    command.epilog = _EXAMPLES
    add_problem(command, {"ridge": "1"}, network=True, ridge="not needed: it is chosen")
    add_gradient(command.add_argument_group("how it is computed"))
    add_output(command, csv="one row", plot="losses over the steps searched, at the best ridge")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.planning import best

    problem, sizes = problem_of(options), sizes_of_network(options)
    found = best(problem, **sizes, gradient=options.gradient)
    return best_answer(options, problem, sizes, found, "eta")

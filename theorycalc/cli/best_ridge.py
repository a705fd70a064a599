"""``theorycalc best-ridge``: the ridge with the least predicted test loss after one step."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_gradient, add_parameter, add_problem, problem_of, sizes_of_network
from theorycalc.cli.output import Answer, add_output
from theorycalc.cli.planning import best_answer

_EXAMPLES = """\
examples:
  theorycalc best-ridge --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc best-ridge --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 300 --alpha 0.3 --plot ridges.svg
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Find the ridge that minimises the predicted test loss of a network after one step."
    command.epilog = _EXAMPLES
    add_problem(command, {"ridge": "1"}, network=True, ridge="not needed: it is chosen")
    step = command.add_argument_group("the step, one of")
    add_parameter(step, "eta", after="; 0 is before any step")
    add_parameter(step, "alpha")
    add_gradient(command.add_argument_group("how it is computed"))
    add_output(command, csv="one row", plot="losses over the ridges searched")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.planning import best_ridge
    from theorycalc.running.terminal import waiting

    problem, sizes = problem_of(options), sizes_of_network(options)
    with waiting("looking for the best ridge"):
        found = best_ridge(problem, **sizes, alpha=options.alpha, eta=options.eta, gradient=options.gradient)
    return best_answer(options, problem, sizes, found, "ridge")

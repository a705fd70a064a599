"""``theorycalc best-step``: the step with the least predicted test loss, at one ridge."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_gradient, add_problem, problem_of, sizes_of_network
from theorycalc.cli.output import Answer, add_output
from theorycalc.cli.planning import best_answer

_EXAMPLES = """\
examples:
  theorycalc best-step --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1
  theorycalc best-step --activation erf --teacher "H1 + H3/3" --phi 1/2 --psi 2/3 --ridge 0.1 --n 300 --plot steps.svg
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Find the step, the learning rate, that minimises the predicted test loss of a network."
    command.epilog = _EXAMPLES
    add_problem(command, network=True)
    add_gradient(command.add_argument_group("how it is computed"))
    add_output(command, csv="one row", plot="losses over the steps searched")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.planning import best_step
    from theorycalc.running.terminal import waiting

    problem, sizes = problem_of(options), sizes_of_network(options)
    with waiting("looking for the best step"):
        found = best_step(problem, **sizes, gradient=options.gradient)
    return best_answer(options, problem, sizes, found, "eta")

"""``theorycalc rank``: activations in the order of their predicted losses on one problem."""

from __future__ import annotations

import argparse
import sys

from theorycalc.cli.options import add_parameter, add_problem, problem_of, sizes_of_network, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.cli.sweep import formulas
from theorycalc.errors import ArgumentError, RankingInterrupted
from theorycalc.model.parameters import PARAMETERS

_EXAMPLES = """\
examples:
  theorycalc rank --activation "relu, tanh, gelu, tanh(x + 1)" --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 \\
      --eta 20
  theorycalc rank --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --ell 2 --plot ranking.svg
  theorycalc rank --activation "relu, softplus" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --n 300

Without --activation all that have a name are ranked. An activation twice as large wants a ridge four times as large and
a step half as large: so each has its own best ridge and, without --eta, --alpha and --ell, its own best step.
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = (
        "Rank activations by the test loss that is predicted after one step, each at its own best ridge."
    )
    command.epilog = _EXAMPLES
    add_problem(command, {"ridge": "1"}, network=True, ridge="λ for all, of --tune step and none")
    step = command.add_argument_group("the step; without one, each activation has its own best")
    add_parameter(step, "eta")
    add_parameter(step, "alpha")
    add_parameter(step, "ell", before="of limits: ")
    how = command.add_argument_group("how it is computed")
    add_parameter(how, "tune", after="; by default the ridge, and the step if none is given")
    add_parameter(how, "by", default=PARAMETERS["by"].default)
    add_parameter(how, "gradient", shown=PARAMETERS["gradient"].default)
    add_parameter(how, "network", shown="literal", before="of --ell: ")
    add_output(command, csv="one row for each activation", plot="test losses before and after the step")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.ranking import Ranking, rank_activations

    if options.ridge is None and options.tune in ("step", "none"):
        raise ArgumentError(f"--tune {options.tune} is at one ridge for all: give --ridge")
    listed = None if options.activation is None else formulas(options.activation)
    problem = problem_of(argparse.Namespace(**(vars(options) | {"activation": "relu"})))  # those listed take its place
    if options.ell is not None and not problem.has_sizes and options.n is not None:
        raise ArgumentError("--ell ranks limits, which have no --n; leave one of them out")
    where = sizes_of_network(options) if options.ell is None else {"ell": whole_or_text(options.ell)}
    where |= {name: getattr(options, name) for name in ("alpha", "eta", "tune", "by", "gradient", "network")}
    full = not for_a_terminal()
    try:
        found = rank_activations(problem, listed, **where)
    except RankingInterrupted as stop:
        if isinstance(stop.ranking, Ranking):  # what was done is nowhere else
            sys.stdout.write(f"{stop.ranking.table(full).text()}\n")
        raise
    return answer(
        options,
        data=found.to_dict,
        rows=lambda: found.rows,
        text=lambda: found.table(full).text(),
        draw=found.plot,
    )

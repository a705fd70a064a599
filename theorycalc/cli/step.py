"""``theorycalc step``: what a network of real size shows after a step of any size."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

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
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from fractions import Fraction

_EXAMPLES = """\
examples:
  theorycalc step --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20
  theorycalc step --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 1000 --d 500 --N 750 --ridge 0.1 \\
      --noise 0.5 --alpha 0:0.5:6
  theorycalc step --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --n 2000 --alpha 0.3 --json
  theorycalc step --activation relu --teacher H1 --phi 1/2 --psi 2/3 --ridge 1e-2:10:4:log --n 500 --eta 1,10 --csv

The step and λ may be lists 0.1,0.2 or ranges 0:0.5:6 (six values) and 1e-3:10:9:log (geometric).
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Predict losses and gains of a network of n samples after one gradient step of any size."
    command.epilog = _EXAMPLES
    add_problem(command, network=True)
    size = command.add_argument_group("the step, one of")
    add_parameter(size, "eta")
    add_parameter(size, "alpha")
    how = command.add_argument_group("how it is computed")
    add_gradient(how)
    add_parameter(how, "method", default=PARAMETERS["method"].default)
    add_parameter(how, "digits", before="with --method pencil and one step: ")
    add_output(command, csv="one row for each step and ridge", plot="the step, or curves over a list")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.finite_step import step
    from theorycalc.running.terminal import waiting

    problem, lists = with_lists(options, "ridge")
    given = {name: getattr(options, name) for name in ("alpha", "eta")}
    steps = {name: None if text is None else numbers(text, name) for name, text in given.items()}
    ridges = lists.get("ridge")
    with waiting("computing"):
        found = step(
            problem,
            **{name: _shaped(values, ridges is not None) for name, values in steps.items()},
            **sizes_of_network(options),
            ridge=ridges,
            gradient=options.gradient,
            method=options.method,
            digits=whole_or_text(options.digits),
        )
    return answer(
        options,
        data=found.to_dict,
        rows=lambda: found.rows,
        text=lambda: found.table(full=not for_a_terminal()).text(),
        draw=found.plot,
    )


def _shaped(steps: list[Fraction] | None, column: bool) -> Fraction | list[Fraction] | list[list[Fraction]] | None:
    """Return one step as it is, several as a list, or as a column beside a row of ridges."""
    if steps is None or len(steps) == 1:
        return None if steps is None else steps[0]
    return [[value] for value in steps] if column else steps

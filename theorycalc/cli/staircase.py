"""``theorycalc staircase``: the gains of every window of one problem."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import EXAMPLE, add_network, add_parameter, add_problem, problem_of, whole_or_text, windows
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal

_EXAMPLES = """\
examples:
  theorycalc staircase --activation relu --teacher "H1 + H2/2 + H3/6"
  theorycalc staircase --activation gelu --teacher "H1 + H2/2" --phi 1 --ridge 1e-3 --plot staircase.svg
  theorycalc staircase --activation relu --teacher "H1 + H2/2" --n 900 --d 300 --N 600 --network literal
  theorycalc staircase --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --noise 0.5 --ell 4 --digits 30 --csv
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "Predict the gains Δ_ℓ and Λ_ℓ for ℓ = 0, 1, …, and their ceiling ℓ = ∞ where there is one."
    command.epilog = _EXAMPLES
    add_problem(command, EXAMPLE)
    how = command.add_argument_group("how it is computed")
    how.add_argument("--ell", default="6", help="the last ℓ (default 6), or a list such as 1,2,4,inf")
    add_network(how)
    add_parameter(how, "digits")
    add_output(command, csv="one row for each ℓ", plot="the gains against ℓ")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.staircase import staircase
    from theorycalc.running.terminal import waiting

    ells = windows(options.ell)
    with waiting("predicting"):
        found = staircase(
            problem_of(options),
            ells[0] if len(ells) == 1 else ells,
            digits=whole_or_text(options.digits),
            network=options.network,
            gradient=options.gradient,
        )
    return answer(
        options,
        data=found.to_dict,
        rows=lambda: found.rows,
        text=lambda: found.table(full=not for_a_terminal()).text(),
        draw=found.plot,
    )

"""``theorycalc step``: what a network of real size shows after a step of any size."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.options import add_command, add_problem, as_json, numbers, problem_of, whole_or_text

_EXAMPLES = """\
examples:
  theorycalc step --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --noise 0.5 \\
      --initial-output included --n 1000 --alpha 0:0.5:6
  theorycalc step --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --n 2000 --alpha 0.3 --json

Lists are written 0.1,0.2,0.3 and ranges 0:0.5:6 (six values).
"""


def add(commands: Any) -> None:
    """Add the command."""
    command = add_command(
        commands,
        "step",
        "what a network of real size shows after one step",
        "Predict losses and gains of a network of n samples after one gradient step of any size.",
        _EXAMPLES,
    )
    add_problem(command)
    sizes = command.add_argument_group("sizes and step")
    sizes.add_argument("--n", required=True, help="number of samples; d and N follow from φ and ψ")
    sizes.add_argument("--alpha", help="the step is n^α: one value, a list or a range; or")
    sizes.add_argument("--eta", help="the step itself: one value, a list or a range")
    how = command.add_argument_group("how it is computed and shown")
    how.add_argument("--method", default="dressed", help="dressed (default: any step) or pencil (small steps)")
    how.add_argument("--digits", help="prove this many digits, with --method pencil and one step")
    how.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    from theorycalc.finite_step import step

    found = step(
        problem_of(options),
        n=whole_or_text(options.n),
        alpha=_one_or_many(options.alpha, "alpha"),
        eta=_one_or_many(options.eta, "eta"),
        method=options.method,
        digits=whole_or_text(options.digits),
    )
    return as_json(found.to_dict()) if options.json else repr(found)


def _one_or_many(text: str | None, name: str) -> Any:
    if text is None:
        return None
    values = numbers(text, name)
    return values[0] if len(values) == 1 else values

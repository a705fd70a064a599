"""``theorycalc coefficients``: the Hermite coefficients of an activation."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import whole_or_text
from theorycalc.cli.output import Answer, add_output, answer
from theorycalc.errors import ArgumentError
from theorycalc.model.parameters import PARAMETERS

_EXAMPLES = """\
examples:
  theorycalc coefficients gelu -k 12 --digits 50
  theorycalc coefficients "max(0, x)**2" -k 6 --exact --latex
  theorycalc coefficients mish --plot mish.png
"""


def describe(command: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    command.description = "c_0, …, c_k of an activation, c_k = E[σ(Z)H_k(Z)]/k!."
    command.epilog = _EXAMPLES
    command.add_argument("activation", help="its name or formula")
    command.add_argument("-k", default="12", help=PARAMETERS["k"].help)
    command.add_argument("--digits", help="prove this many digits of each")
    command.add_argument("--exact", action="store_true", help=PARAMETERS["exact"].help)
    how = add_output(command, csv="k and c_k", plot="the coefficients")
    how.add_argument("--latex", action="store_true", help="print LaTeX")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.model.reading import activation
    from theorycalc.results.listing import coefficients_text
    from theorycalc.results.quantities import number_text
    from theorycalc.running.terminal import waiting

    if options.latex and (options.json or options.csv or options.plot):
        raise ArgumentError("--latex goes with none of --json, --csv and --plot")
    digits = whole_or_text(options.digits)
    floats = digits is None and not options.exact
    with waiting("computing"):
        act = activation(options.activation)
        values = act.coefficients(whole_or_text(options.k), digits, options.exact)
        undecided = act.undecided(len(values) - 1) if floats else {}
    notes = [f"  note  c_{k} is undecided: it lies in {ball}, which contains 0" for k, ball in undecided.items()]
    if options.latex:
        return Answer("\n".join([coefficients_text(values, True), *notes]))
    shown = [float(value) if floats else number_text(value) for value in values]
    data = {
        "activation": act.name,
        "coefficients": shown,
        "undecided": {str(k): ball for k, ball in undecided.items()},
        "digits": digits,
        "guarantee": "exact" if options.exact else "rounded" if floats else act.guarantee,
    }
    return answer(
        options,
        data=lambda: data,
        rows=lambda: [{"k": k, "c_k": value} for k, value in enumerate(shown)],
        text=lambda: "\n".join([coefficients_text(values, False), *notes]),
        draw=lambda: act.plot(k=len(values) - 1),
    )

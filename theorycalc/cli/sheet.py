"""``theorycalc sheet``: one problem as a document for a paper."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import EXAMPLE, add_network, add_parameter, add_problem, problem_of, whole_or_text
from theorycalc.cli.output import Answer, check_writable

_EXAMPLES = """\
examples:
  theorycalc sheet --activation relu --teacher "H1 + H2/sqrt(2)" --ell 3 -o sheet.html
  theorycalc sheet --activation gelu --teacher "H1 + H2/2" --n 900 --d 300 --N 600 --ell 2 --network literal -o s.html
  theorycalc sheet --activation tanh --teacher "H1 + H3/3" --phi 1 --psi 1/2 --ridge 0.01 --ell 3 --digits 50 -o s.tex
"""


def describe(sheet: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    sheet.description = (
        "Write setting, conditions, coefficients, formulas, values and staircase of a problem as one document."
    )
    sheet.epilog = _EXAMPLES
    add_problem(sheet, EXAMPLE)
    add_parameter(sheet, "ell", required=True, help="number of the window, ℓ = 1 to 40")
    add_network(sheet)
    add_parameter(sheet, "digits", default="20", after=", or none for float64")
    sheet.add_argument(
        "--output", "-o", metavar="FILE", help="a .tex, .pdf or .html file (default: LaTeX on the terminal)"
    )
    sheet.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.documents.sheet import sheet
    from theorycalc.running.terminal import waiting

    if options.output is not None:
        check_writable(options.output, "--output", (".tex", ".pdf", ".html"))
    digits = None if options.digits == "none" else whole_or_text(options.digits)
    with waiting("writing"):
        made = sheet(
            problem_of(options),
            ell=whole_or_text(options.ell),
            digits=digits,
            network=options.network,
            gradient=options.gradient,
        )
    if options.output is None:
        return Answer(made.tex)
    return Answer(f"wrote {made.save(options.output)}")

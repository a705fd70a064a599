"""``theorycalc latex`` and ``theorycalc sheet``: formulas and documents for a paper."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.options import add_command, add_problem, as_json, problem_of, whole_or_text

_LATEX_EXAMPLES = """\
examples:
  theorycalc latex                              the names of all formulas
  theorycalc latex Delta --ell 3
  theorycalc latex Delta --ell 3 --form matrix  as the paper prints it, with Ω and r_p
  theorycalc latex Lambda --ell 2 --unfold      with ρ, κ and B put in
"""

_SHEET_EXAMPLES = """\
examples:
  theorycalc sheet --activation relu --teacher "H1 + H2/sqrt(2)" --ell 3 -o sheet.html
  theorycalc sheet --activation tanh --teacher "H1 + H3/3" --phi 1 --psi 1/2 --ridge 0.01 --ell 3 --digits 50 -o s.tex
"""


def add(commands: Any) -> None:
    """Add both commands."""
    latex = add_command(
        commands, "latex", "the LaTeX of a formula", "Write a formula in the paper's notation.", _LATEX_EXAMPLES
    )
    latex.add_argument("name", nargs="?", help="its name; without one, all names are listed")
    latex.add_argument("--ell", "-k", help="its index ℓ (or k, or p)")
    latex.add_argument("--form", default="closed", help="closed (default) or matrix, for Delta and Lambda")
    latex.add_argument("--spikes", help="the k ≤ ℓ with c_k ≠ 0, such as 1,3,5 (default: all)")
    latex.add_argument("--as-printed", action="store_true", help="Λ_1, Λ_2 as the slides print them")
    latex.add_argument("--unfold", action="store_true", help="put all named parts in")
    latex.add_argument("--json", action="store_true", help="print JSON")
    latex.set_defaults(run=_latex)

    sheet = add_command(
        commands,
        "sheet",
        "a document of one problem",
        "Write setting, conditions, coefficients, formulas, values and staircase of a problem as one document.",
        _SHEET_EXAMPLES,
    )
    add_problem(sheet, example=True)
    sheet.add_argument("--ell", required=True, help="number of the window ℓ = 1, 2, 3, …")
    sheet.add_argument("--digits", default="20", help="proven digits of every value (default 20), or none for float64")
    sheet.add_argument("--output", "-o", help="a .tex, .pdf or .html file (default: LaTeX on the terminal)")
    sheet.set_defaults(run=_sheet)


def _latex(options: argparse.Namespace) -> str:
    from theorycalc.symbolic.formulas import ENTRIES, formula
    from theorycalc.tables import aligned
    from theorycalc.typesetting.latex import latex

    if options.name is None:
        if options.json:
            return as_json(
                {name: {"title": e.title, "status": e.status, "section": e.section} for name, e in ENTRIES.items()}
            )
        rows = [[name, e.title, e.section, e.status, "--ell" if e.index else ""] for name, e in ENTRIES.items()]
        return aligned([["name", "what it is", "section", "status", "needs"], *rows], indent="")
    spikes = None if options.spikes is None else [whole_or_text(item) for item in options.spikes.split(",")]
    index = whole_or_text(options.ell)
    found = formula(options.name, index, form=options.form, as_printed=options.as_printed, spikes=spikes)
    text = latex(found, unfold=options.unfold)
    return as_json({"name": options.name, "ell": index, "latex": text}) if options.json else text


def _sheet(options: argparse.Namespace) -> str:
    from theorycalc.typesetting.sheet import sheet

    digits = None if options.digits == "none" else whole_or_text(options.digits)
    made = sheet(problem_of(options), ell=whole_or_text(options.ell), digits=digits)
    if options.output is None:
        return made.tex
    return f"wrote {made.save(options.output)}"

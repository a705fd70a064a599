"""``theorycalc latex``: the formulas in the paper's notation."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, as_json
from theorycalc.errors import ArgumentError

_EXAMPLES = """\
examples:
  theorycalc latex                              the names of all formulas
  theorycalc latex Delta --ell 3
  theorycalc latex Delta --ell 3 --form matrix  as the paper prints it, with Ω and r_p
  theorycalc latex Lambda --ell 2 --unfold      with ρ, κ and B put in
"""


def describe(latex: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    latex.description = "Write a formula in the paper's notation."
    latex.epilog = _EXAMPLES
    latex.add_argument("name", nargs="?", help="its name; without one, all names are listed")
    latex.add_argument("--ell", "-k", help="its index ℓ (or k, or p)")
    latex.add_argument("--form", default="closed", help="closed (default) or matrix, for Delta and Lambda")
    latex.add_argument("--spikes", help="the k ≤ ℓ with c_k ≠ 0, such as 1,3,5 (default: all)")
    latex.add_argument("--as-printed", action="store_true", help="Λ_1, Λ_2 as the slides print them")
    latex.add_argument("--unfold", action="store_true", help="put all named parts in")
    add_output(latex, csv="of the list of names")
    latex.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.symbolic.formulas import ENTRIES, formula
    from theorycalc.typesetting.latex import latex

    if options.name is None:
        return _names(options)
    if options.csv:
        raise ArgumentError("--csv is for the list of names; a formula is LaTeX, or --json")
    spikes = None if options.spikes is None else [whole_or_text(item) for item in options.spikes.split(",")]
    index = whole_or_text(options.ell)
    if index is None and options.name in ENTRIES and ENTRIES[options.name].index:
        raise ArgumentError(f"{options.name} needs its index; give --ell")
    found = formula(options.name, index, form=options.form, as_printed=options.as_printed, spikes=spikes)
    text = latex(found, unfold=options.unfold)
    return Answer(as_json({"name": options.name, "ell": index, "latex": text}) if options.json else text)


def _names(options: argparse.Namespace) -> Answer:
    from theorycalc.symbolic.formulas import ENTRIES
    from theorycalc.tables import aligned

    if options.ell or options.spikes or options.as_printed or options.unfold:
        raise ArgumentError("which formula? theorycalc latex lists their names; theorycalc latex Delta --ell 3 is one")
    rows = [[name, e.title, e.section, e.status, "--ell" if e.index else ""] for name, e in ENTRIES.items()]
    heads = ["name", "title", "section", "status", "needs"]
    listed = [dict(zip(heads, row, strict=True)) for row in rows]
    return answer(
        options,
        data=lambda: {"formulas": listed},
        rows=lambda: listed,
        text=lambda: aligned([["name", "what it is", *heads[2:]], *rows], indent=""),
    )

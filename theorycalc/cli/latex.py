"""``theorycalc latex``: formulas in the paper's notation, in general or for one problem."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from theorycalc.cli.options import (
    EXAMPLE,
    RATIOS,
    SIZES,
    add_network,
    add_parameter,
    add_problem,
    problem_of,
    whole_or_text,
)
from theorycalc.cli.output import Answer, add_output, answer, as_json
from theorycalc.errors import ArgumentError
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from theorycalc.model.problem import Problem

_EXAMPLES = """\
examples:
  theorycalc latex                              the names of all formulas
  theorycalc latex Delta --ell 3
  theorycalc latex Delta --ell 3 --form matrix  as the paper prints it, with Ω and r_p
  theorycalc latex Lambda --ell 2 --unfold      with ρ, κ and B put in
  theorycalc latex Lambda --ell 2 --network literal
  theorycalc latex --activation relu --teacher "H1 + H2/sqrt(2)" --ell 3

With a problem, formulas are those of its own spikes: ReLU has K = {1, 2} at ℓ = 3. Without a name, they are its gains
Δ_ℓ and Λ_ℓ with their values. Losses and errors are after the step; --ell 0 is before it.
"""
_OF_A_PROBLEM = ("activation", "c1", "c_rest", "present", "teacher", *RATIOS, *SIZES, "step_samples")


def describe(latex: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    latex.description = "Write a formula in the paper's notation, or the gains of a problem with their values."
    latex.epilog = _EXAMPLES
    latex.add_argument("name", nargs="?", help="its name; without one and without a problem, all names are listed")
    latex.add_argument("--ell", "-k", help="its index ℓ (or k, or p)")
    add_parameter(latex, "form", default=PARAMETERS["form"].default, before="of Delta and Lambda: ")
    latex.add_argument("--spikes", help="the k ≤ ℓ with c_k ≠ 0, such as 1,3,5 (default: all)")
    latex.add_argument("--as-printed", action="store_true", help=PARAMETERS["as_printed"].help)
    latex.add_argument("--unfold", action="store_true", help="put all named parts in")
    add_network(latex)
    add_parameter(latex, "digits", before="of a problem without a name: ")
    add_problem(latex, EXAMPLE, optional=True)
    add_output(latex, csv="of the list of names")
    latex.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.symbolic.latex import latex

    problem = _problem(options)
    if options.name is None and problem is None:
        return _names(options)
    if options.csv:
        raise ArgumentError("--csv is for the list of names; a formula is LaTeX, or --json")
    index, network = whole_or_text(options.ell), {"network": options.network, "gradient": options.gradient}
    if options.name is None:
        if options.form != "closed" or options.as_printed or options.spikes:
            raise ArgumentError("--form, --as-printed and --spikes are for a formula: theorycalc latex Delta, say")
        if index is None:
            raise ArgumentError("the gains of a problem need their window; give --ell")
        text = latex(problem, options.unfold, ell=index, digits=whole_or_text(options.digits), **network)
    else:
        text = latex(_formula(options, index, problem, network), options.unfold)
    told = {"name": options.name, "ell": index, "network": options.network, "latex": text}
    return Answer(as_json(told) if options.json else text)


def _problem(options: argparse.Namespace) -> Problem | None:
    """Return the problem, where one is described."""
    if all(getattr(options, name) is None for name in _OF_A_PROBLEM):
        return None
    if options.teacher is None:
        raise ArgumentError("a problem needs --teacher and --activation")
    return problem_of(options)


def _formula(options: argparse.Namespace, index: Any, problem: Problem | None, network: dict[str, Any]) -> Any:
    from theorycalc.symbolic.formulas import ENTRIES, formula

    if options.digits is not None:
        raise ArgumentError("--digits is for the values of a problem's gains: leave out the name, or --digits")
    if index is None and options.name in ENTRIES and ENTRIES[options.name].index:
        raise ArgumentError(f"{options.name} needs its index; give --ell")
    spikes = None if options.spikes is None else [whole_or_text(item) for item in options.spikes.split(",")]
    how = {"form": options.form, "as_printed": options.as_printed, "spikes": spikes, "problem": problem}
    return formula(options.name, index, **how, **network)


def _names(options: argparse.Namespace) -> Answer:
    from theorycalc.results.table import aligned
    from theorycalc.symbolic.formulas import ENTRIES

    asked = (options.ell, options.spikes, options.as_printed, options.unfold, options.digits, options.gradient)
    if any(asked) or options.network != "theorem":
        raise ArgumentError("which formula? theorycalc latex lists their names; theorycalc latex Delta --ell 3 is one")
    rows = [
        [name, e.title, e.status, "--ell" if e.index else "", f"docs/{e.derivation}"] for name, e in ENTRIES.items()
    ]
    heads = ["name", "title", "status", "needs", "derivation"]
    listed = [dict(zip(heads, row, strict=True)) for row in rows]
    return answer(
        options,
        data=lambda: {"formulas": listed},
        rows=lambda: listed,
        text=lambda: aligned([["name", "what it is", *heads[2:]], *rows], indent=""),
    )

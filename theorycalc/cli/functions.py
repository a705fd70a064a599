"""``theorycalc coefficients``, ``activations`` and ``latex``: activations, and formulas in the paper's notation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import theorycalc as tc
from theorycalc.cli.declare import EXAMPLE, NETWORK, argument, command, flag, output_group, parameter, problem_group
from theorycalc.cli.options import RATIOS, SIZES, Arguments, whole_list, whole_or_text
from theorycalc.cli.output import Shown, as_json
from theorycalc.errors import ArgumentError
from theorycalc.model.parameters import PARAMETERS

_OF_A_PROBLEM = ("activation", "c1", "c_rest", "present", "teacher", *RATIOS, *SIZES, "step_samples", "layers")


@command(
    "coefficients",
    "c_0, …, c_k of an activation, c_k = E[σ(Z)H_k(Z)]/k!.",
    """\
  theorycalc coefficients gelu -k 12 --digits 50
  theorycalc coefficients "max(0, x)**2" -k 6 --exact --latex
  theorycalc coefficients mish --plot mish.png
""",
    argument("activation", help="its name or formula"),
    argument("-k", default="12", help=PARAMETERS["k"].help),
    argument("--digits", help="prove this many digits of each"),
    parameter("exact"),
    output_group("k and c_k", "the coefficients", flag("--latex", "print LaTeX")),
    waiting="computing",
)
def _coefficients(options: Arguments) -> str | Shown:
    from theorycalc.results.listing import coefficients_text
    from theorycalc.results.quantities import number_text

    if options.latex and (options.json or options.csv or options.plot):
        raise ArgumentError("--latex cannot be combined with --json, --csv or --plot")
    digits = whole_or_text(options.digits)
    floats = digits is None and not options.exact
    act = tc.activation(options.activation)
    values = act.coefficients(whole_or_text(options.k), digits, options.exact)
    undecided = act.undecided(len(values) - 1) if floats else {}
    notes = [f"  note  c_{k} is undecided: it lies in {ball}, which contains 0" for k, ball in undecided.items()]
    text = "\n".join([coefficients_text(values, options.latex), *notes])
    if options.latex:
        return text
    numbers = [float(value) if floats else number_text(value) for value in values]
    data = {
        "activation": act.name,
        "coefficients": numbers,
        "undecided": {str(k): ball for k, ball in undecided.items()},
        "digits": digits,
        "guarantee": "exact" if options.exact else "rounded" if floats else act.guarantee,
    }
    return Shown(
        lambda: data,
        lambda: [{"k": k, "c_k": value} for k, value in enumerate(numbers)],
        lambda full: text,
        lambda: act.plot(k=len(values) - 1),
    )


@command(
    "activations",
    "List the activations that have a name, with their first coefficients and the ℓ for which the theorem holds.",
    """\
  theorycalc activations
  theorycalc activations --csv
""",
    output_group("one row for each name"),
    waiting="computing",
)
def _activations(options: Arguments) -> Shown:
    from shutil import get_terminal_size

    found = tc.list_activations()
    return Shown(
        found.to_dict,
        lambda: [row | {"parameters": _parameters(row)} for row in found.rows],
        lambda full: found.text(full, None if full else get_terminal_size().columns),
    )


def _parameters(row: Mapping[str, Any]) -> str:
    return " ".join(key if value is None else f"{key}={value}" for key, value in row["parameters"].items())


@command(
    "latex",
    "Write a formula in the paper's notation, or the gains of a problem with their values.",
    """\
  theorycalc latex                              the names of all formulas
  theorycalc latex Delta --ell 3
  theorycalc latex Delta --ell 3 --form matrix  as the paper prints it, with Ω and r_p
  theorycalc latex Lambda --ell 2 --unfold      with ρ, κ and B put in
  theorycalc latex Lambda --ell 2 --network literal
  theorycalc latex --activation relu --teacher "H1 + H2/sqrt(2)" --ell 3

With a problem, formulas are those of its own spikes: ReLU has K = {1, 2} at ℓ = 3. Without a name, they are its gains
Δ_ℓ and Λ_ℓ with their values. Losses and errors are after the step; --ell 0 is before it.
""",
    argument("name", nargs="?", help="its name; without one and without a problem, all names are listed"),
    argument("--ell", "-k", help="its index ℓ (or k, or p)"),
    parameter("form", before="of Delta and Lambda: "),
    argument("--spikes", help="the k ≤ ℓ with c_k ≠ 0, such as 1,3,5 (default: all)"),
    parameter("as_printed"),
    flag("--unfold", "put all named parts in"),
    *NETWORK,
    parameter("digits", before="of a problem without a name: "),
    problem_group(EXAMPLE, optional=True),
    output_group("of the list of names"),
)
def _latex(options: Arguments) -> str | Shown:
    problem = None
    if any(value is not None for value in options.given(*_OF_A_PROBLEM).values()):
        if options.teacher is None:
            raise ArgumentError("a problem needs --teacher and --activation")
        problem = options.problem()
    if options.name is None and problem is None:
        return _names(options)
    if options.csv:
        raise ArgumentError("--csv is for the list of names; a formula is printed as LaTeX, or as JSON by --json")
    index, network = whole_or_text(options.ell), options.given("network", "gradient")
    if options.name is None:
        if options.form != "closed" or options.as_printed or options.spikes:
            raise ArgumentError("--form, --as-printed and --spikes are for a formula: theorycalc latex Delta, say")
        if index is None:
            raise ArgumentError("the gains of a problem need their window; give --ell")
        text = tc.latex(problem, options.unfold, ell=index, digits=whole_or_text(options.digits), **network)
    else:
        text = tc.latex(_formula(options, index, problem, network), options.unfold)
    told = {"name": options.name, "ell": index, "network": options.network, "latex": text}
    return as_json(told) if options.json else text


def _formula(options: Arguments, index: Any, problem: tc.Problem | None, network: dict[str, Any]) -> Any:
    from theorycalc.symbolic.formulas import ENTRIES

    if options.digits is not None:
        raise ArgumentError("--digits is for the values of a problem's gains: leave out the name, or --digits")
    if index is None and options.name in ENTRIES and ENTRIES[options.name].index:
        raise ArgumentError(f"{options.name} needs its index; give --ell")
    how = options.given("form", "as_printed") | {"spikes": whole_list(options.spikes), "problem": problem}
    return tc.symbolic.formula(options.name, index, **how, **network)


def _names(options: Arguments) -> Shown:
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
    return Shown(lambda: {"formulas": listed}, lambda: listed, lambda full: aligned([heads, *rows], indent=""))

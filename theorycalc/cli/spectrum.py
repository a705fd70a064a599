"""``theorycalc spectrum``: the bulk of the features' eigenvalues, and the outliers after a step."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_problem, numbers, problem_of, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError

_EXAMPLES = """\
examples:
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --n 1000 --alpha 0.3
  theorycalc spectrum --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 20 --plot bulk.pdf
  theorycalc spectrum --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 1:9:3 --csv
"""


def describe(spectrum: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    spectrum.description = (
        "Describe the bulk of F₀F₀ᵀ/n and, after a step, the outliers of FFᵀ/n with what they align with."
    )
    spectrum.epilog = _EXAMPLES
    add_problem(spectrum, {"ridge": "1"})  # no eigenvalue of FFᵀ depends on it
    step = spectrum.add_argument_group("the step: n with alpha or eta")
    step.add_argument("--n", help="number of samples")
    step.add_argument("--alpha", help="exponent of the step n^α")
    step.add_argument("--eta", help="the step itself")
    step.add_argument("--d", help="number of inputs (default φn)")
    step.add_argument("--N", help="number of neurons (default d/ψ)")
    how = spectrum.add_argument_group("how it is computed")
    how.add_argument("--method", default="pencil", help="how outliers are found: pencil (default) or dressed")
    how.add_argument("--powers", help="largest power of the step that is kept (default: those that leave the bulk)")
    add_output(spectrum, csv="a row for each interval of the bulk and each outlier", plot="density and outliers")
    spectrum.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.progress import progress, waiting
    from theorycalc.results import joined
    from theorycalc.spectra import spectrum

    problem, how = problem_of(options), {"method": options.method}
    sizes = {name: whole_or_text(getattr(options, name)) for name in ("n", "d", "N", "powers")}
    given = {name: getattr(options, name) for name in ("alpha", "eta") if getattr(options, name) is not None}
    steps = [{name: value} for name, text in given.items() for value in numbers(text, name)] or [{}]
    if len(given) > 1:
        raise ArgumentError("give --alpha or --eta, not both")
    if options.plot is not None and len(steps) > 1:
        raise ArgumentError("--plot draws the spectrum after one step; give one --alpha or --eta")
    with waiting("computing"):
        found = [spectrum(problem, **sizes, **how, **step) for step in progress(steps, len(steps), "computing")]
    full = not for_a_terminal()
    return answer(
        options,
        data=lambda: joined(found),
        rows=lambda: [row for one in found for row in one.rows],
        text=lambda: "\n".join(one.table(full).text() for one in found),
        draw=found[0].plot,
    )

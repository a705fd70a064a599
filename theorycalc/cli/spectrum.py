"""``theorycalc spectrum``: the bulk of the features' eigenvalues, and the outliers after a step."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.options import SIZES, add_gradient, add_parameter, add_problem, numbers, problem_of, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError

_EXAMPLES = """\
examples:
  theorycalc spectrum --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3
  theorycalc spectrum --activation relu --teacher H1 --n 1000 --d 500 --N 750 --alpha 0.3 --plot bulk.pdf
  theorycalc spectrum --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 1000 --eta 1:9:3 --csv
"""


def describe(spectrum: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    spectrum.description = (
        "Describe the bulk of F₀F₀ᵀ/n and, after a step, the outliers of FFᵀ/n with what they align with."
    )
    spectrum.epilog = _EXAMPLES
    add_problem(spectrum, {"ridge": "1"}, network=True, ridge="not needed: no eigenvalue depends on it")
    step = spectrum.add_argument_group("the step, one of (default: none)")
    add_parameter(step, "eta")
    add_parameter(step, "alpha")
    how = spectrum.add_argument_group("how it is computed")
    add_gradient(how)
    how.add_argument("--method", default="pencil", help="how outliers are found: pencil (default) or dressed")
    add_parameter(how, "powers")
    add_output(spectrum, csv="a row for each interval of the bulk and each outlier", plot="density and outliers")
    spectrum.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.base import joined
    from theorycalc.results.spectrum import spectrum
    from theorycalc.running.terminal import progress, waiting

    problem = problem_of(options)
    how = {"gradient": options.gradient, "method": options.method, "powers": whole_or_text(options.powers)}
    sizes = {} if problem.has_sizes else {name: whole_or_text(getattr(options, name)) for name in SIZES}
    asked = {name: getattr(options, name) for name in ("alpha", "eta")}
    given = {name: numbers(text, name) for name, text in asked.items() if text is not None}
    steps: list[dict[str, Any]] = [{name: value} for name, values in given.items() for value in values] or [{}]
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

"""``theorycalc spectrum``: the bulk of the features' eigenvalues, and the outliers after a step."""

from __future__ import annotations

import argparse

from theorycalc.cli.options import add_problem, problem_of, whole_or_text
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal

_EXAMPLES = """\
examples:
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --n 1000 --alpha 0.3
"""


def describe(spectrum: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    spectrum.description = (
        "Describe the bulk of F₀F₀ᵀ/n and, after a step, the outliers of FFᵀ/n with what they align with."
    )
    spectrum.epilog = _EXAMPLES
    add_problem(spectrum)
    step = spectrum.add_argument_group("the step: n with alpha or eta")
    step.add_argument("--n", help="number of samples")
    step.add_argument("--alpha", help="exponent of the step n^α")
    step.add_argument("--eta", help="the step itself")
    step.add_argument("--d", help="number of inputs (default φn)")
    step.add_argument("--N", help="number of neurons (default d/ψ)")
    how = spectrum.add_argument_group("how it is computed")
    how.add_argument("--method", default="pencil", help="how outliers are found: pencil (default) or dressed")
    how.add_argument("--powers", help="largest power of the step that is kept (default: those that leave the bulk)")
    add_output(spectrum, csv="a row for each interval of the bulk and each outlier")
    spectrum.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.progress import waiting
    from theorycalc.spectra import spectrum, spectrum_rows, spectrum_text

    sizes = {name: whole_or_text(getattr(options, name)) for name in ("n", "d", "N", "powers")}
    with waiting("computing"):
        found = spectrum(problem_of(options), alpha=options.alpha, eta=options.eta, method=options.method, **sizes)
    return answer(
        options,
        data=found.to_dict,
        rows=lambda: spectrum_rows(found),
        text=lambda: spectrum_text(found, full=not for_a_terminal()),
    )

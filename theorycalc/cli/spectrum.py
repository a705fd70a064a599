"""``theorycalc spectrum``: the bulk of the features' eigenvalues, and the outliers after a step."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.options import add_command, add_problem, as_json, problem_of, whole_or_text

_SPECTRUM_EXAMPLES = """\
examples:
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1
  theorycalc spectrum --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --n 1000 --alpha 0.3
"""


def add(commands: Any) -> None:
    """Add the command."""
    spectrum = add_command(
        commands,
        "spectrum",
        "eigenvalues of the features: bulk and outliers",
        "Describe the bulk of F₀F₀ᵀ/n and, after a step, the outliers of FFᵀ/n with what they align with.",
        _SPECTRUM_EXAMPLES,
    )
    add_problem(spectrum)
    step = spectrum.add_argument_group("the step: n with alpha or eta")
    step.add_argument("--n", help="number of samples")
    step.add_argument("--alpha", help="exponent of the step n^α")
    step.add_argument("--eta", help="the step itself")
    step.add_argument("--d", help="number of inputs (default φn)")
    step.add_argument("--N", help="number of neurons (default d/ψ)")
    how = spectrum.add_argument_group("how it is computed and shown")
    how.add_argument("--method", default="pencil", help="how outliers are found: pencil (default)")
    how.add_argument("--powers", help="largest power of the step that is kept (default: those that leave the bulk)")
    how.add_argument("--json", action="store_true", help="print JSON")
    spectrum.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    from theorycalc.spectra import spectrum

    sizes = {name: whole_or_text(getattr(options, name)) for name in ("n", "d", "N", "powers")}
    found = spectrum(problem_of(options), alpha=options.alpha, eta=options.eta, method=options.method, **sizes)
    return as_json(found.to_dict()) if options.json else repr(found)

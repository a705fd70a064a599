"""``theorycalc predict``: losses and gains of one problem."""

from __future__ import annotations

import argparse
from typing import Any

from theorycalc.cli.options import add_command, add_problem, as_json, problem_of, whole_or_text

_PREDICT_EXAMPLE = """\
example:
  theorycalc predict --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2
  theorycalc predict --c1 1/2 --c-rest 0.3014 --teacher 1,1/2 --phi 1/2 --psi 2/3 --ridge 0.1 --noise 0.5 --ell 2

Numbers are written 1/10, 0.1 or 1e-3, and are exact: --digits 50 proves 50 digits of every value.
"""


def add(commands: Any) -> None:
    """Add the command."""
    predict = add_command(
        commands,
        "predict",
        "losses and gains of one problem",
        "Predict the losses before and after one gradient step, and its gains Δ_ℓ and Λ_ℓ.",
        _PREDICT_EXAMPLE,
    )
    add_problem(predict)
    step = predict.add_argument_group("the step: one of")
    step.add_argument("--ell", help="number of the window ℓ = 0, 1, 2, … or inf")
    step.add_argument("--alpha", help="exponent of the step n^α, 0 < α < 1/2; ℓ follows")
    how = predict.add_argument_group("how it is computed and shown")
    how.add_argument("--digits", help="prove this many digits of every value")
    how.add_argument("--form", default="closed", help="closed (default) or matrix, the paper's Ω")
    how.add_argument("--as-printed", action="store_true", help="Λ_1, Λ_2 as the slides print them")
    how.add_argument("--json", action="store_true", help="print JSON")
    predict.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    from theorycalc.prediction import predict

    prediction = predict(
        problem_of(options),
        ell=whole_or_text(options.ell),
        alpha=options.alpha,
        digits=whole_or_text(options.digits),
        form=options.form,
        as_printed=options.as_printed,
    )
    if options.json:
        return as_json(prediction.to_dict())
    return repr(prediction)

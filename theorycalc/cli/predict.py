"""``theorycalc predict``: losses and gains of one problem, or of a grid of them."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from theorycalc.cli.options import add_network, add_parameter, add_problem, numbers, whole_or_text, windows, with_lists
from theorycalc.cli.output import Answer, add_output, answer, for_a_terminal
from theorycalc.errors import ArgumentError
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from theorycalc.results.prediction import Prediction

_EXAMPLES = """\
examples:
  theorycalc predict --activation relu --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2
  theorycalc predict --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --ell 1 \\
      --network literal
  theorycalc predict --c1 1/2 --c-rest 0.3014 --teacher 1,1/2 --phi 1/2 --psi 2/3 --ridge 0.1 --noise 0.5 --alpha 0.3
  theorycalc predict --activation relu --teacher H1 --phi 1/2 --psi 2/3 --ridge 1e-3:10:9:log --ell 1,2 --csv

Numbers are written 1/10, 0.1 or 1e-3, and are exact: --digits 50 proves 50 digits of every value. φ, ψ, λ, σ_ε, ℓ and
α may be lists 0.1,0.2 and ranges 0.05:0.45:9 (nine values) or 1e-3:10:9:log (geometric), in any combination.
These are limits n → ∞, in which sizes count by their ratios; theorycalc step predicts a network of real size.
"""
_MOST_POINTS = 10_000


def describe(predict: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    predict.description = "Predict the losses before and after one gradient step, and its gains Δ_ℓ and Λ_ℓ."
    predict.epilog = _EXAMPLES
    add_problem(predict)
    step = predict.add_argument_group("the step, one of")
    add_parameter(step, "ell")
    add_parameter(step, "alpha", after=", 0 < α < 1/2; ℓ follows")
    how = predict.add_argument_group("how it is computed")
    add_network(how)
    add_parameter(how, "digits")
    add_parameter(how, "form", default=PARAMETERS["form"].default)
    how.add_argument("--as-printed", action="store_true", help=PARAMETERS["as_printed"].help)
    add_output(predict, csv="one row for each point", plot="losses before and after, or over a list")
    predict.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> Answer:
    from theorycalc.results.base import joined
    from theorycalc.results.prediction_tables import predictions_table
    from theorycalc.running.terminal import waiting

    with waiting("predicting"):
        found = _predictions(options)
    return answer(
        options,
        data=lambda: joined(found),
        rows=lambda: [row for prediction in found for row in prediction.rows],
        text=lambda: predictions_table(found, full=not for_a_terminal()).text(),
        draw=found[0].plot,
    )


def _predictions(options: argparse.Namespace) -> list[Prediction]:
    """Return a prediction for each ℓ or α, over the grid of everything else that has several values."""
    import numpy as np

    from theorycalc.results.prediction import predict
    from theorycalc.running.terminal import progress

    problem, lists = with_lists(options, "phi", "psi", "ridge", "noise")
    ells = None if options.ell is None else windows(options.ell)
    alphas = None if options.alpha is None else numbers(options.alpha, "alpha")
    if ells is not None and alphas is not None:
        raise ArgumentError("give --ell or --alpha, not both")
    steps = [{"ell": ell} for ell in ells or ()] or [{"alpha": alpha} for alpha in alphas or ()] or [{}]
    points = len(steps) * math.prod(len(values) for values in lists.values())
    if points > _MOST_POINTS:
        raise ArgumentError(f"{points} points are more than {_MOST_POINTS}: theorycalc sweep writes them to a file")
    if options.plot is not None and len(steps) > 1:
        raise ArgumentError("--plot draws one ℓ at a time; theorycalc staircase draws them all")
    grid = np.meshgrid(*(np.array(values, dtype=object) for values in lists.values()), indexing="ij")
    digits, shared = whole_or_text(options.digits), dict(zip(lists, grid, strict=True))
    how = {"digits": digits, "form": options.form, "as_printed": options.as_printed}
    how |= {"network": options.network, "gradient": options.gradient}
    return [predict(problem, **step, **shared, **how) for step in progress(steps, len(steps), "predicting")]

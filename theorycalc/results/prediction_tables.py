"""The tables and the LaTeX of predictions, of one point or of many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.model.parameters import GradientTarget, NetworkKind
from theorycalc.model.spikes import Spikes
from theorycalc.results.quantities import AFTER, QUANTITIES, TRAINING, latex_display, latex_number, shown, worth
from theorycalc.results.table import Columns, Table, column

if TYPE_CHECKING:
    from theorycalc.results.prediction import Prediction


def which_limit(prediction: Prediction) -> str:
    """Return the name of a prediction's limit, as the beginning of a title.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> which_limit(tc.predict(problem, ell=1))
    "The theorem's limit n → ∞"
    >>> which_limit(tc.predict(problem, ell=1, network="literal", gradient="labels"))
    'The limit n → ∞ of networks whose step is on the labels alone'
    """
    if prediction.as_printed:
        return "The limit n → ∞ with Λ_ℓ as the slides print it"
    if prediction.network == NetworkKind.THEOREM:
        return "The theorem's limit n → ∞"
    literal = prediction.gradient == GradientTarget.RESIDUAL
    return f"The limit n → ∞ of {'literal networks' if literal else 'networks whose step is on the labels alone'}"


def predictions_table(predictions: Sequence[Prediction], full: bool = False) -> Table:
    """Return the table of one point, with all quantities, or of many, with varying inputs, losses and gains."""
    first, data = predictions[0], _joined([prediction._columns() for prediction in predictions])
    notes = tuple(dict.fromkeys(note for prediction in predictions for note in prediction.notes))
    unmet, quality = unmet_conditions(*predictions), worth(first.guarantee, first.digits)
    size = sum(prediction.size for prediction in predictions)
    if size == 1:
        step = "" if first.alpha is None else f", α = {shown(first.alpha)}"
        title = (
            f"{which_limit(first)}, ℓ = {shown(first.ell)}{step}, spikes K = {Spikes.read(first.spikes)} ({quality})"
        )
        return Table(title, data, None, full, conditions=unmet, notes=notes)
    seen = tuple(map(column, [*_varying(predictions), *AFTER]))
    return Table(f"{which_limit(first)} at {size} points ({quality})", data, seen, full, (TRAINING,), unmet, notes)


def _joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of several predictions, one prediction below the other."""
    if len(parts) == 1:
        return parts[0]
    return {name: [item for part in parts for item in np.asarray(part[name], object).tolist()] for name in parts[0]}


def _varying(predictions: Sequence[Prediction]) -> list[str]:
    """Return the inputs to show: ℓ, α where it was given, and the parameters that are arrays."""
    given = [item for one in predictions for item in one.overrides.items()]
    arrays = {name for name, value in given if isinstance(value, np.ndarray) and value.size > 1}
    alpha = ["alpha"] if any(one.alpha is not None for one in predictions) else []
    return ["ell", *alpha, *(name for name in ("phi", "psi", "ridge", "noise") if name in arrays)]


def unmet_conditions(*predictions: Prediction) -> tuple[str, ...]:
    """Return the conditions that fail, then those that are assumed, as text."""
    conditions = dict.fromkeys(c for prediction in predictions for c in prediction.conditions if c.holds is not True)
    return tuple(map(str, sorted(conditions, key=lambda condition: condition.holds is None)))


def prediction_latex(prediction: Prediction) -> str:
    """Return the values as a LaTeX display."""
    ell = r"\infty" if prediction.ell == math.inf else str(prediction.ell)
    lines = []
    for name, quantity in QUANTITIES.items():
        value = getattr(prediction, name)
        text = rf"\text{{array of shape }}{value.shape}" if np.ndim(value) else latex_number(shown(value))
        lines.append(rf"{quantity.latex.replace(chr(92) + 'ell', ell)} &= {text}")
    return latex_display(lines)

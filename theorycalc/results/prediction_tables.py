"""How limits are shown: one prediction, predictions of many points, and the staircase of all windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.model.spikes import Spikes
from theorycalc.results.quantities import QUANTITIES, TRAINING
from theorycalc.results.table import MOST_LINES, Table, horizontal, shown, vertical, worth

if TYPE_CHECKING:
    from theorycalc.results.prediction import Prediction

AFTER = ("test_loss", "train_loss", "train_error", "test_gain", "train_gain")  # of many points


def which_limit(prediction: Prediction) -> str:
    """Return which limit a prediction is, as the beginning of a title.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> which_limit(tc.predict(problem, ell=1))
    "The theorem's limit n → ∞"
    >>> which_limit(tc.predict(problem, ell=1, network="literal", gradient="labels"))
    'The limit n → ∞ of networks whose step is on the labels alone'
    """
    if prediction.as_printed:
        return "The limit n → ∞ with Λ_ℓ as the slides print it"
    if prediction.network == "theorem":
        return "The theorem's limit n → ∞"
    literal = prediction.gradient == "residual"
    return f"The limit n → ∞ of {'literal networks' if literal else 'networks whose step is on the labels alone'}"


def predictions_table(predictions: Sequence[Prediction], full: bool = False) -> Table:
    """Return one point with all its quantities, or many points with the inputs that vary and the losses and gains."""
    first, size = predictions[0], sum(prediction.size for prediction in predictions)
    notes = dict.fromkeys(note for prediction in predictions for note in prediction.notes)
    unmet = unmet_conditions(*predictions)
    if size == 1:
        step = "" if first.alpha is None else f", α = {shown(first.alpha)}"
        spikes = Spikes.read(first.spikes)
        title = f"{which_limit(first)}, ℓ = {shown(first.ell)}{step}, spikes K = {spikes} ({worth(first)})"
        return Table(title, vertical(first.rows[0], full, first.ell), conditions=unmet, notes=tuple(notes))
    most = size if full else MOST_LINES
    rows: list[dict[str, Any]] = []
    for prediction in predictions:
        rows += prediction.first(most - len(rows))
    columns = [*_varying(predictions), *AFTER]
    remarks = (*((f"… {size - most} more",) if size > most else ()), TRAINING)
    title = f"{which_limit(first)} at {size} points ({worth(first)})"
    return Table(title, horizontal(columns, rows, full), True, remarks, unmet, tuple(notes))


def _varying(predictions: Sequence[Prediction]) -> list[str]:
    """Return the inputs to show: ℓ, α where it was given, and the parameters that are arrays."""
    arrays = {name for one in predictions for name, value in one.overrides.items() if np.size(value) > 1}
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
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def latex_number(text: str) -> str:
    r"""Return a number that was written for people as LaTeX writes it.

    >>> latex_number("1.5e-07"), latex_number("−∞")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    mantissa, e, exponent = text.partition("e")
    found = rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else text
    return found.replace("−", "-").replace("∞", r"\infty")


def staircase_lines(predictions: Sequence[Prediction], full: bool = False, width: int = 24) -> list[list[str]]:
    """Return the losses and gains of several ℓ with a bar each; the longest bar is the largest gain in test loss."""
    largest = max(float(p.test_gain) for p in predictions)
    heads, *lines = horizontal(("ell", "spikes", *AFTER), [row for p in predictions for row in p.rows], full)
    shares = (
        float(p.test_gain == largest) if math.isinf(largest) else float(p.test_gain) / (largest or 1.0)
        for p in predictions
    )
    bars = ("█" * round(width * share) for share in shares)
    return [[*heads, "share of the largest test gain"], *([*line, bar] for line, bar in zip(lines, bars, strict=True))]

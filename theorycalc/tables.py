"""How a prediction is shown: as a table, as JSON data, in a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__

if TYPE_CHECKING:
    from theorycalc.prediction import Prediction

_OBJECTIVE, _ERROR = "(ridge objective, penalty included)", "(without the penalty)"

#: attribute, symbol, LaTeX, meaning
ROWS = (
    ("m1", "m_1", "m_1", "(φ/ψ) tr R₀"),
    ("m2", "m_2", "m_2", "(φ/ψ) tr(X̃ᵀR₀X̃)/d"),
    ("m1_slope", "∂m_1/∂λ", r"\partial m_1/\partial\lambda", ""),
    ("m2_slope", "∂m_2/∂λ", r"\partial m_2/\partial\lambda", ""),
    ("kappa", "κ", r"\kappa", "squared length of the step direction"),
    ("rho", "ρ", r"\rho", "its cosine with the teacher's direction"),
    ("train_loss_initial", "L_tr(F₀)", r"L_{\mathrm{tr}}(F_0)", f"training loss before the step {_OBJECTIVE}"),
    ("train_error_initial", "E_tr(F₀)", r"E_{\mathrm{tr}}(F_0)", f"training error before the step {_ERROR}"),
    ("test_loss_initial", "L_te(F₀)", r"L_{\mathrm{te}}(F_0)", "test loss before the step"),
    ("train_gain", "Δ_ℓ", r"\Delta_{\ell}", f"training loss gained {_OBJECTIVE}"),
    ("test_gain", "Λ_ℓ", r"\Lambda_{\ell}", "test loss gained"),
    ("train_loss", "L_tr(F)", r"L_{\mathrm{tr}}(F)", f"training loss after the step {_OBJECTIVE}"),
    ("train_error", "E_tr(F)", r"E_{\mathrm{tr}}(F)", f"training error after the step {_ERROR}"),
    ("test_loss", "L_te(F)", r"L_{\mathrm{te}}(F)", "test loss after the step"),
)


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Return rows of text with their columns aligned to the left.

    >>> print(aligned([["a", "1"], ["long", "2"]]))
      a     1
      long  2
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = (indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def number_text(value: Any) -> str:
    """Return a number in full, or a short description of an array.

    >>> number_text(0.1), number_text(math.inf)
    ('0.1', 'inf')
    """
    shape = getattr(value, "shape", ())
    if shape != ():
        return f"array {shape}, {number_text(value.min())} … {number_text(value.max())}"
    if isinstance(value, float):
        return repr(float(value))
    return str(value).replace("+inf", "inf")


def number_data(value: Any) -> Any:
    """Return a number, or an array of them, as JSON can carry it: beyond float64 as text.

    >>> number_data(0.5), number_data(math.inf)
    (0.5, 'inf')
    """
    if getattr(value, "shape", ()) != ():
        return [number_data(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else number_text(float(value))
    if isinstance(value, int):
        return value
    return number_text(value)


def _title(prediction: Prediction) -> str:
    ell = "∞" if prediction.ell == math.inf else prediction.ell
    words = {"all": "every k", "odd": "every odd k", "1+even": "1 and every even k"}
    if isinstance(prediction.spikes, str):
        spikes = words[prediction.spikes]
    else:
        spikes = "{" + _listed(prediction.spikes, ", ") + "}"
    step = "" if prediction.alpha is None else f", α = {prediction.alpha}"
    return f"ℓ = {ell}{step}, spikes K = {spikes}"


def _listed(spikes: Sequence[Any], comma: str) -> str:
    shown = [*map(str, spikes[:9]), "…", str(spikes[-1])] if len(spikes) > 12 else map(str, spikes)
    return comma.join(shown)


def worth(prediction: Prediction) -> str:
    """Return in words what a prediction's numbers are worth."""
    if prediction.guarantee == "enclosed":
        return f"enclosed: {prediction.digits} digits proven"
    if prediction.guarantee == "estimated":
        return "estimated: float64, from estimated coefficients"
    return "rounded: float64"


def prediction_text(prediction: Prediction) -> str:
    """Return the table a person reads."""
    rows = [[symbol, number_text(getattr(prediction, name)), meaning] for name, symbol, _, meaning in ROWS]
    lines = [f"Prediction for {_title(prediction)} ({worth(prediction)})", aligned(rows)]
    lines += [f"  note  {note}" for note in prediction.notes]
    lines += [f"  condition  {condition}" for condition in prediction.conditions if condition.holds is not True]
    return "\n".join(lines)


def prediction_data(prediction: Prediction) -> dict[str, Any]:
    """Return the prediction as plain data: version, inputs, values, conditions and what it is worth."""
    overrides = {name: _input_data(value) for name, value in prediction.overrides.items()}
    return {
        "theorycalc": __version__,
        "inputs": prediction.problem.to_dict() | overrides,
        "ell": number_data(prediction.ell),
        "alpha": None if prediction.alpha is None else str(prediction.alpha),
        "form": prediction.form,
        "as_printed": prediction.as_printed,
        "spikes": prediction.spikes if isinstance(prediction.spikes, str) else list(prediction.spikes),
        "values": {name: number_data(getattr(prediction, name)) for name, *_ in ROWS},
        "guarantee": prediction.guarantee,
        "digits": prediction.digits,
        "conditions": [{"statement": c.statement, "holds": c.holds} for c in prediction.conditions],
        "notes": list(prediction.notes),
    }


def _input_data(value: Any) -> Any:
    if getattr(value, "shape", ()) != ():
        return [_input_data(item) for item in value]
    return float(value) if isinstance(value, float) else str(value)


def prediction_html(prediction: Prediction) -> str:
    """Return the table a notebook shows."""
    cells = "".join(
        f"<tr><td>{symbol}</td><td style='text-align:left'><code>{html.escape(number_text(getattr(prediction, name)))}"
        f"</code></td><td style='text-align:left'>{meaning}</td></tr>"
        for name, symbol, _, meaning in ROWS
    )
    words = [*prediction.notes, *(str(c) for c in prediction.conditions if c.holds is not True)]
    notes = "".join(f"<li>{html.escape(word)}</li>" for word in words)
    title = html.escape(f"{_title(prediction)} ({worth(prediction)})")
    return f"<table><caption>{title}</caption>{cells}</table><ul>{notes}</ul>"


def prediction_latex(prediction: Prediction) -> str:
    """Return the values as a LaTeX display."""
    ell = r"\infty" if prediction.ell == math.inf else str(prediction.ell)
    lines = []
    for name, _, latex, _ in ROWS:
        value = getattr(prediction, name)
        if getattr(value, "shape", ()) != ():
            text = rf"\text{{array of shape }}{value.shape}"
        else:
            text = number_text(value).replace("inf", r"\infty")
            mantissa, e, exponent = text.partition("e")
            text = rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else text
        lines.append(rf"{latex.replace(chr(92) + 'ell', ell)} &= {text}")
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def staircase_text(predictions: Sequence[Prediction], width: int = 40, full: bool = False) -> str:
    """Return the gains of several ℓ as a table with a bar a step; the longest bar is the largest gain."""
    largest = max(float(p.test_gain) for p in predictions)
    spec = ".6f" if largest >= 1e-3 or largest == 0 else ".6g"
    rows = [["ℓ", "K", "Δ_ℓ train", "Λ_ℓ test", "L_te after", "share of the largest Λ"]]
    for p in predictions:
        ell = "∞" if p.ell == math.inf else str(p.ell)
        share = float(p.test_gain == largest) if math.isinf(largest) else float(p.test_gain) / (largest or 1.0)
        numbers = (shown(x, full, spec) for x in (p.train_gain, p.test_gain, p.test_loss))
        rows.append([ell, spikes_text(p), *numbers, "█" * round(width * share)])
    return aligned(rows)


def spikes_text(prediction: Prediction) -> str:
    """Return the powers in K, or the rule that they follow, as a table shows them."""
    return prediction.spikes if isinstance(prediction.spikes, str) else _listed(prediction.spikes, ",") or "–"


def shown(value: Any, full: bool, spec: str = ".6g") -> str:
    """Return a number in full, or rounded for a person.

    >>> shown(1 / 3, full=True), shown(1 / 3, full=False)
    ('0.3333333333333333', '0.333333')
    """
    return number_text(value) if full else format(float(value), spec)


def prediction_rows(prediction: Prediction) -> list[dict[str, Any]]:
    """Return one row for each point of a prediction: its parameters, ℓ, α and every value.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> [(row["ridge"], row["ell"]) for row in prediction_rows(tc.predict(problem, ell=1, ridge=[1, 2]))]
    [(1.0, 1), (2.0, 1)]
    """
    import numpy as np

    names = ("phi", "psi", "ridge", "noise")
    parameters = [prediction.overrides.get(name, getattr(prediction.problem, name)) for name in names]
    where = {"ell": prediction.ell, "alpha": None if prediction.alpha is None else float(Fraction(prediction.alpha))}
    values = [getattr(prediction, name) for name, *_ in ROWS]
    columns = [
        np.ravel(column)
        for column in np.broadcast_arrays(*(np.asarray(x, dtype=object) for x in (*parameters, *values)))
    ]
    return [
        {name: float(x) for name, x in zip(names, row, strict=False)}
        | where
        | {name: x for (name, *_), x in zip(ROWS, row[len(names) :], strict=True)}
        for row in zip(*columns, strict=True)
    ]


_POINT = (("ell", "ℓ"), ("alpha", "α"), ("phi", "φ"), ("psi", "ψ"), ("ridge", "λ"), ("noise", "σ_ε"))


def predictions_text(predictions: Sequence[Prediction], full: bool = False) -> str:
    """Return predictions for many points as a table of what varies and of what the step changes."""
    rows = [row for prediction in predictions for row in prediction_rows(prediction)]
    varying = [(name, symbol) for name, symbol in _POINT if name == "ell" or len({row[name] for row in rows}) > 1]
    columns = [*varying, *((name, symbol) for name, symbol, *_ in ROWS[-5:])]
    table = [[symbol for _, symbol in columns]]
    table += [["∞" if row[name] == math.inf else shown(row[name], full) for name, _ in columns] for row in rows]
    notes = dict.fromkeys(note for prediction in predictions for note in prediction.notes)
    unmet = dict.fromkeys(str(c) for prediction in predictions for c in prediction.conditions if c.holds is not True)
    lines = [f"Predictions for {len(rows)} points ({worth(predictions[0])})", aligned(table)]
    return "\n".join([*lines, *(f"  note  {note}" for note in notes), *(f"  condition  {c}" for c in unmet)])

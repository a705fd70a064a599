"""The columns of results: the name, symbol, LaTeX and words for each, and how their numbers are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, SupportsFloat, TypeAlias

from theorycalc.model.parameters import PARAMETERS

Plain: TypeAlias = "int | float | str | bool | None"  # a cell of a row in plain Python; None where it is empty

#: Tells the training losses apart below tables whose headings are short.
TRAINING = "training loss and gain: the ridge objective, penalty included; training error: without the penalty"


class Quantity(NamedTuple):
    """One column of a result: its name in code and files, the paper's symbol, and plain words."""

    name: str
    symbol: str
    latex: str
    words: str
    heading: str  # of a column, where there is no room for the words
    axis: str = ""  # of a figure, where that is not the words


def _table(*rows: tuple[str, ...]) -> dict[str, Quantity]:
    return {row[0]: Quantity(*row) for row in rows}


def _named(*rows: tuple[str, ...]) -> dict[str, Quantity]:
    """Return columns without a symbol, given name, heading, words and, if need be, the label of an axis."""
    return {
        name: Quantity(name, heading, rf"\text{{{heading}}}", words, heading, *axis)
        for name, heading, words, *axis in rows
    }


def _from_parameters(*names: str) -> dict[str, Quantity]:
    known = [PARAMETERS[name] for name in names]
    heads = {name: name for name in ("activation", "teacher")}
    return {
        one.name: Quantity(one.name, one.symbol, one.latex, one.label, heads.get(one.name, one.symbol)) for one in known
    }


#: Tell the training losses apart, after their names.
OBJECTIVE, ERROR = "(ridge objective, penalty included)", "(without the penalty)"


def _before_and_after(name: str, symbol: str, words: str, remark: str = "", axis: str = "") -> list[tuple[str, ...]]:
    """Return the columns of a loss before and after the step."""
    latex = r"{}_{{\mathrm{{{}}}}}".format(*symbol.split("_"))
    before, after = f"{words} before the step", f"{words} after the step"
    return [
        (f"{name}_initial", f"{symbol}(F₀)", rf"{latex}(F_0)", f"{before}{remark}", f"{words} before", before),
        (name, f"{symbol}(F)", rf"{latex}(F)", f"{after}{remark}", words, f"{words}{axis}"),
    ]


#: All predicted quantities, in the order of tables: losses, gains, then their ingredients.
QUANTITIES = _table(
    *_before_and_after("test_loss", "L_te", "test loss"),
    *_before_and_after("train_loss", "L_tr", "training loss", f" {OBJECTIVE}", ", with penalty"),
    *_before_and_after("train_error", "E_tr", "training error", f" {ERROR}", ", no penalty"),
    ("test_gain", "Λ_ℓ", r"\Lambda_{\ell}", "test loss gained", "test gain", "test loss gained, Λ"),
    (
        "train_gain", "Δ_ℓ", r"\Delta_{\ell}", f"training loss gained {OBJECTIVE}", "training gain",
        "training loss gained, Δ",
    ),
    ("m1", "m_1", "m_1", "trace of the resolvent, (φ/ψ) tr R₀", "m_1", "trace $m_1$"),
    ("m2", "m_2", "m_2", "trace along the inputs, (φ/ψ) tr(X̃ᵀR₀X̃)/d", "m_2", "trace $m_2$"),
    (
        "m1_slope", "∂m_1/∂λ", r"\partial m_1/\partial\lambda", "slope of m_1 in the ridge λ", "∂m_1/∂λ",
        r"slope $\partial m_1/\partial\lambda$",
    ),
    (
        "m2_slope", "∂m_2/∂λ", r"\partial m_2/\partial\lambda", "slope of m_2 in the ridge λ", "∂m_2/∂λ",
        r"slope $\partial m_2/\partial\lambda$",
    ),
    ("kappa", "κ", r"\kappa", "squared length of the step's direction", "κ", "squared length of the gradient, κ"),
    (
        "rho", "ρ", r"\rho", "cosine between the step's direction and the teacher's", "ρ",
        "alignment of gradient and teacher, ρ",
    ),
)  # fmt: skip

#: Test losses on clean labels, where those of the fit are corrupted; elsewhere results have None.
CLEAN = _table(
    (
        "test_loss_clean_initial", "L_clean(F₀)", r"L_{\mathrm{clean}}(F_0)",
        "test loss on clean labels before the step", "clean test loss before",
    ),
    ("test_loss_clean", "L_clean(F)", r"L_{\mathrm{clean}}(F)", "test loss on clean labels", "clean test loss"),
    (
        "test_gain_clean", "Λ_ℓ,clean", r"\Lambda_{\ell,\mathrm{clean}}", "test loss gained on clean labels",
        "clean test gain",
    ),
)  # fmt: skip
MEASURED = QUANTITIES | CLEAN

#: Standard deviations of one run, over draws of network and data.
_LOSSES = [one for one in QUANTITIES.values() if " loss " in one.words]
SPREADS = _named(*((f"{one.name}_spread", f"{one.heading} ±", f"scatter of one run: {one.words}") for one in _LOSSES))

#: The columns of tables of many points: losses and errors after the step, and gains.
AFTER = ("test_loss", "train_loss", "train_error", "test_gain", "train_gain")
CLEAN_AFTER = ("test_loss_clean", "test_gain_clean")  # where results have them

#: The quantities that can be observed in a network, in the order of comparisons.
COMPARED = (
    "train_loss_initial",
    "test_loss_initial",
    "train_gain",
    "test_gain",
    "train_loss",
    "test_loss",
    "train_error_initial",
    "train_error",
)

#: The outlier of the weights and its left and right vectors l and r, of theory and of simulated networks.
WEIGHTS = _named(
    ("top_singular_value", "σ_1 of W", "largest singular value of the weights W"),
    ("overlap_a", "overlap a", "squared overlap of the left vector with the second layer a"),
    ("overlap_direction", "overlap step", "squared overlap of the right vector with the direction of the step"),
    ("overlap_teacher", "overlap β⋆", "squared overlap of the right vector with the teacher's direction β⋆"),
)
OVERLAPS = ("overlap_a", "overlap_direction", "overlap_teacher")

#: How often the sign of the fit is not that of the teacher, of theory and of simulated networks.
RATES = _named(
    ("error_rate_initial", "error rate before", "share of wrong signs before the step"),
    ("error_rate", "error rate", "share of wrong signs after the step", "share of wrong signs"),
    ("error_rate_gain", "error rate gained", "share of wrong signs that the step corrects"),
)

#: All that can be observed in a network; clean losses and error rates only where labels are corrupted, or ±1.
OBSERVED = (*COMPARED, *CLEAN, *RATES)

#: The inputs that may vary between the rows of a result.
INPUTS = _from_parameters(
    *("activation", "teacher", "n", "d", "N", "phi", "psi", "ridge", "noise", "ell", "alpha", "eta")
)
INPUTS |= _table(
    ("step_samples", "n₀/n", "n_0/n", f"{PARAMETERS['step_samples'].words} divided by n", "n₀/n"),
    ("spikes", "K", "K", "powers of the direction that leave the bulk", "K"),
)
INPUTS |= _from_parameters("c1", "c_rest")

#: The accuracy of the numbers of a finite step.
NUMERICS = _named(
    ("error", "error", "known numerical error, without terms of order 1/n", "relative error of the numerics"),
    ("converged", "converged", "1 where the numerics reached their accuracy, else 0", "1: converged, 0: not"),
    ("powers", "powers", "largest power of the pencil"),
    ("residual", "residual", "residual of the fixed point"),
)

#: The further columns of comparisons, searches and rankings.
FINDINGS = _named(
    ("theory", "theory", "the theory that predicts"),
    ("model", "model", "the network, or an equivalent of it"),
    ("replicates", "draws", "independent draws of network and data"),
    ("quantity", "quantity", "the loss or gain that is compared"),
    ("predicted", "predicted", "value that the theory predicts"),
    ("observed", "observed", "mean of the observations"),
    ("detectable", "detectable", "deviation that would show nine times in ten"),
    ("judged", "judged", "whether the row counts for the verdict"),
    ("reason", "reason", "why there is no value"),
) | _table(
    ("standard_error", "s.e.", r"\text{s.e.}", "standard error of the mean", "standard error"),
    ("z", "z", "z", "(observed − predicted)/standard error", "z"),
    ("p", "p", "p", "probability of so large a |z| if the prediction is right", "p"),
    ("critical", "critical |z|", r"|z|_{\text{critical}}", "|z| above which a judged row differs", "critical"),
    ("rank", "rank", r"\text{rank}", "place in the order, the best first", ""),
    ("at_edge", "at the edge", r"\text{at the edge}", "whether the minimum is at the edge of the range", ""),
    ("larger_hurts", "larger hurts", r"\text{larger hurts}", "whether larger steps make the test loss worse", ""),
)

#: All columns by their name.
COLUMNS = INPUTS | MEASURED | SPREADS | WEIGHTS | RATES | NUMERICS | FINDINGS


#: The fields of results that are no columns, or are described otherwise than the column or parameter of the same name.
FIELDS = {
    "problem": "problem that the result describes",
    "notes": "remarks that the table shows below its rows",
    "digits": "number of digits proven for every value; None for float64",
    "converged": "whether the numerics reached their accuracy",
    "edges": "ends of the intervals of the bulk, in increasing order",
    "atom": "share of the eigenvalues that are 0",
    "mean": "mean of all eigenvalues",
    "bulk": "bulk, from which the density is computed",
    "step": "step that was taken",
    "strengths": "strength of each spike of the pencil",
    "outliers": "eigenvalues outside the bulk: in decreasing order above it, then, with the pencil, those in its gap",
    "outlier": "singular value outside the bulk, or None",
    "edge_after": "upper edge of the bulk after the step; None without a step, and by the pencil, which keeps the bulk",
    "alignments": "squared overlaps, a row for each outlier and a column for each H_k(h)",
    "level": "largest probability with which a right theory is called different",
    "rows": "one dictionary for each row of the table",
}


def axis_words(name: str) -> str:
    """Return the label of a column on the axis of a figure: its words, or a shorter form.

    >>> axis_words("test_gain"), axis_words("test_loss_initial"), axis_words("some_number")
    ('test loss gained, Λ', 'test loss before the step', 'some number')
    """
    if name not in COLUMNS:
        return name.replace("_", " ")
    return COLUMNS[name].axis or COLUMNS[name].words


def meaning(name: str) -> str | None:
    """Return the meaning of a column for a file that others read: its words, and the symbol if it is predicted.

    >>> meaning("test_gain"), meaning("n"), meaning("first_layer")
    ('Λ_ℓ: test loss gained', 'n, number of samples', None)
    """
    if name in MEASURED:
        return f"{MEASURED[name].symbol}: {MEASURED[name].words}"
    return COLUMNS[name].words if name in COLUMNS else None


def value_of(result: object, name: str) -> Any:
    """Return a quantity of a result; on clean labels it equals that on the fit's labels, unless these are corrupted.

    >>> import theorycalc as tc
    >>> found = tc.predict(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), ell=2)
    >>> found.test_loss_clean is None, value_of(found, "test_loss_clean") == found.test_loss
    (True, True)
    """
    value = getattr(result, name)
    return getattr(result, name.replace("_clean", "")) if value is None and name in CLEAN else value


def number_text(value: object) -> str:
    """Return a number in full.

    >>> number_text(0.1), number_text(math.inf)
    ('0.1', 'inf')
    """
    if isinstance(value, float):
        return repr(float(value))
    return value if isinstance(value, str) else str(value).replace("+inf", "inf")


def shown(value: object, full: bool = False, spec: str = ".6g") -> str:
    """Return a number for people: a float rounded or in full, all proven digits, or a dash in place of None.

    >>> shown(1 / 3), shown(1 / 3, full=True), shown(None), shown("0.33333333"), shown(math.inf)
    ('0.333333', '0.3333333333333333', '–', '0.33333333', '∞')
    """
    if value is None:
        return "–"
    if full or is_proven(value) or not isinstance(value, SupportsFloat):
        text = number_text(value)
    else:
        text = format(float(value), spec)
    return {"inf": "∞", "-inf": "−∞"}.get(text, text)


def is_proven(value: object) -> bool:
    """Return whether a number is an mpf, which carries proven digits.

    >>> is_proven(0.5)
    False
    """
    return hasattr(value, "_mpf_")


def number_data(value: object) -> object:
    """Return a number, or numbers in lists and tables, in a form for JSON: infinity and proven digits become text.

    >>> number_data(0.5), number_data(math.inf), number_data(None), number_data([1, math.inf])
    (0.5, 'inf', None, [1, 'inf'])
    """
    if isinstance(value, Mapping):
        return {name: number_data(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)) or (isinstance(value, Iterable) and getattr(value, "shape", ()) != ()):
        return [number_data(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else number_text(float(value))
    return value if value is None or isinstance(value, (int, str)) else number_text(value)


def worth(guarantee: str | None, digits: int | None) -> str:
    """Return in words the guarantee of numbers.

    >>> worth("enclosed", 40), worth("rounded", None)
    ('enclosed: 40 digits proven', 'rounded: float64')
    """
    if guarantee == "enclosed":
        return f"enclosed: {digits} digits proven"
    return "estimated: float64, from estimated coefficients" if guarantee == "estimated" else "rounded: float64"

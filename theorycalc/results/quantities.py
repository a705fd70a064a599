"""The table of all columns of results: name, symbol, LaTeX and words of each quantity and of each input."""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.model.parameters import PARAMETERS

#: Which training loss is which, where headings are short.
TRAINING = "training loss and gain: the ridge objective, penalty included; training error: without the penalty"


class Quantity(NamedTuple):
    """One column of a result: the name in code and files, the paper's symbol, and words for people."""

    name: str
    symbol: str
    latex: str
    words: str
    heading: str  # of a column, where there is no room for the words
    axis: str = ""  # what a figure says, where it is not the words


def _table(*rows: tuple[str, ...]) -> dict[str, Quantity]:
    return {row[0]: Quantity(*row) for row in rows}


def _from_parameters(*names: str) -> dict[str, Quantity]:
    known = [PARAMETERS[name] for name in names]
    heads = {name: name for name in ("activation", "teacher")}
    return {
        one.name: Quantity(one.name, one.symbol, one.latex, one.label, heads.get(one.name, one.symbol)) for one in known
    }


#: Which training loss is which, after its name.
OBJECTIVE, ERROR = "(ridge objective, penalty included)", "(without the penalty)"

#: Everything that is predicted, in the order in which it is shown: losses, gains, then their ingredients.
QUANTITIES = _table(
    ("test_loss_initial", "L_te(F₀)", r"L_{\mathrm{te}}(F_0)", "test loss before the step", "test loss before"),
    ("test_loss", "L_te(F)", r"L_{\mathrm{te}}(F)", "test loss after the step", "test loss", "test loss"),
    (
        "train_loss_initial",
        "L_tr(F₀)",
        r"L_{\mathrm{tr}}(F_0)",
        f"training loss before the step {OBJECTIVE}",
        "training loss before",
        "training loss before the step",
    ),
    (
        "train_loss",
        "L_tr(F)",
        r"L_{\mathrm{tr}}(F)",
        f"training loss after the step {OBJECTIVE}",
        "training loss",
        "training loss, with penalty",
    ),
    (
        "train_error_initial",
        "E_tr(F₀)",
        r"E_{\mathrm{tr}}(F_0)",
        f"training error before the step {ERROR}",
        "training error before",
        "training error before the step",
    ),
    (
        "train_error",
        "E_tr(F)",
        r"E_{\mathrm{tr}}(F)",
        f"training error after the step {ERROR}",
        "training error",
        "training error, no penalty",
    ),
    ("test_gain", "Λ_ℓ", r"\Lambda_{\ell}", "test loss gained", "test gain", "test loss gained, Λ"),
    (
        "train_gain",
        "Δ_ℓ",
        r"\Delta_{\ell}",
        f"training loss gained {OBJECTIVE}",
        "training gain",
        "training loss gained, Δ",
    ),
    ("m1", "m_1", "m_1", "trace of the resolvent, (φ/ψ) tr R₀", "m_1", "trace $m_1$"),
    ("m2", "m_2", "m_2", "trace along the inputs, (φ/ψ) tr(X̃ᵀR₀X̃)/d", "m_2", "trace $m_2$"),
    (
        "m1_slope",
        "∂m_1/∂λ",
        r"\partial m_1/\partial\lambda",
        "slope of m_1 in the ridge λ",
        "∂m_1/∂λ",
        r"slope $\partial m_1/\partial\lambda$",
    ),
    (
        "m2_slope",
        "∂m_2/∂λ",
        r"\partial m_2/\partial\lambda",
        "slope of m_2 in the ridge λ",
        "∂m_2/∂λ",
        r"slope $\partial m_2/\partial\lambda$",
    ),
    ("kappa", "κ", r"\kappa", "squared length of the step's direction", "κ", "squared length of the gradient, κ"),
    (
        "rho",
        "ρ",
        r"\rho",
        "cosine between the step's direction and the teacher's",
        "ρ",
        "alignment of gradient and teacher, ρ",
    ),
)

#: What tables of many points show: losses and errors after the step, and gains.
AFTER = ("test_loss", "train_loss", "train_error", "test_gain", "train_gain")

#: What can be observed of a network, in the order of comparisons.
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

#: The inputs that may vary between the rows of a result.
INPUTS = _from_parameters(
    *("activation", "teacher", "n", "d", "N", "phi", "psi", "ridge", "noise", "ell", "alpha", "eta")
)
INPUTS |= _table(
    ("step_samples", "n₀/n", "n_0/n", f"{PARAMETERS['step_samples'].words} divided by n", "n₀/n"),
    ("spikes", "K", "K", "powers of the direction that leave the bulk", "K"),
)
INPUTS |= _from_parameters("c1", "c_rest")

#: How good the numbers of a finite step are.
NUMERICS = _table(
    (
        "error",
        "error",
        r"\text{error}",
        "numerical error that is known of, without the share of order 1/n",
        "error",
        "relative error of the numerics",
    ),
    (
        "converged",
        "converged",
        r"\text{converged}",
        "1 where the numerics reached their accuracy, else 0",
        "converged",
        "1: converged, 0: not",
    ),
    ("powers", "powers", r"\text{powers}", "largest power of the pencil", "powers"),
    ("residual", "residual", r"\text{residual}", "residual of the fixed point", "residual"),
)

#: What comparisons, searches and rankings say of their numbers.
FINDINGS = _table(
    ("theory", "theory", r"\text{theory}", "the theory that predicts", "theory"),
    ("model", "model", r"\text{model}", "the network, or an equivalent of it", "model"),
    ("replicates", "draws", r"\text{draws}", "independent draws of network and data", "draws"),
    ("quantity", "quantity", r"\text{quantity}", "the loss or gain that is compared", "quantity"),
    ("predicted", "predicted", r"\text{predicted}", "value that the theory predicts", "predicted"),
    ("observed", "observed", r"\text{observed}", "mean of what was observed", "observed"),
    ("standard_error", "s.e.", r"\text{s.e.}", "standard error of the mean", "standard error"),
    ("z", "z", "z", "(observed − predicted)/standard error", "z"),
    ("p", "p", "p", "probability of so large a |z| if the prediction is right", "p"),
    ("critical", "critical |z|", r"|z|_{\text{critical}}", "|z| above which a judged row differs", "critical"),
    ("detectable", "detectable", r"\text{detectable}", "deviation that would show nine times in ten", "detectable"),
    ("judged", "judged", r"\text{judged}", "whether the row counts for the verdict", "judged"),
    ("rank", "rank", r"\text{rank}", "place in the order, the best first", ""),
    ("at_edge", "at the edge", r"\text{at the edge}", "whether the range that was searched ended there", ""),
    ("larger_hurts", "larger hurts", r"\text{larger hurts}", "whether larger steps make the test loss worse", ""),
    ("reason", "reason", r"\text{reason}", "why there is no value", "reason"),
)

#: All columns by their name.
COLUMNS = INPUTS | QUANTITIES | NUMERICS | FINDINGS


def axis_words(name: str) -> str:
    """Return what a figure says of a column: the words, or shorter ones.

    >>> axis_words("test_gain"), axis_words("test_loss_initial"), axis_words("some_number")
    ('test loss gained, Λ', 'test loss before the step', 'some number')
    """
    if name not in COLUMNS:
        return name.replace("_", " ")
    return COLUMNS[name].axis or COLUMNS[name].words


def meaning(name: str) -> str | None:
    """Return what a column is, for a file that others read: its words, of a predicted quantity with the symbol.

    >>> meaning("test_gain"), meaning("n"), meaning("first_layer")
    ('Λ_ℓ: test loss gained', 'n, number of samples', None)
    """
    if name in QUANTITIES:
        return f"{QUANTITIES[name].symbol}: {QUANTITIES[name].words}"
    return COLUMNS[name].words if name in COLUMNS else None

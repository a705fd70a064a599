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


def _table(*rows: tuple[str, str, str, str, str]) -> dict[str, Quantity]:
    return {row[0]: Quantity(*row) for row in rows}


def _from_parameters(*names: str) -> dict[str, Quantity]:
    known = [PARAMETERS[name] for name in names]
    heads = {name: name for name in ("activation", "teacher")}
    return {
        one.name: Quantity(one.name, one.symbol, one.latex, one.label, heads.get(one.name, one.symbol)) for one in known
    }


_OBJECTIVE, _ERROR = "(ridge objective, penalty included)", "(without the penalty)"

#: Everything that is predicted, in the order in which it is shown: losses, gains, then their ingredients.
QUANTITIES = _table(
    ("test_loss_initial", "L_te(F₀)", r"L_{\mathrm{te}}(F_0)", "test loss before the step", "test loss before"),
    ("test_loss", "L_te(F)", r"L_{\mathrm{te}}(F)", "test loss after the step", "test loss"),
    (
        "train_loss_initial",
        "L_tr(F₀)",
        r"L_{\mathrm{tr}}(F_0)",
        f"training loss before the step {_OBJECTIVE}",
        "training loss before",
    ),
    ("train_loss", "L_tr(F)", r"L_{\mathrm{tr}}(F)", f"training loss after the step {_OBJECTIVE}", "training loss"),
    (
        "train_error_initial",
        "E_tr(F₀)",
        r"E_{\mathrm{tr}}(F_0)",
        f"training error before the step {_ERROR}",
        "training error before",
    ),
    ("train_error", "E_tr(F)", r"E_{\mathrm{tr}}(F)", f"training error after the step {_ERROR}", "training error"),
    ("test_gain", "Λ_ℓ", r"\Lambda_{\ell}", "test loss gained", "test gain"),
    ("train_gain", "Δ_ℓ", r"\Delta_{\ell}", f"training loss gained {_OBJECTIVE}", "training gain"),
    ("m1", "m_1", "m_1", "trace of the resolvent, (φ/ψ) tr R₀", "m_1"),
    ("m2", "m_2", "m_2", "trace along the inputs, (φ/ψ) tr(X̃ᵀR₀X̃)/d", "m_2"),
    ("m1_slope", "∂m_1/∂λ", r"\partial m_1/\partial\lambda", "slope of m_1 in the ridge λ", "∂m_1/∂λ"),
    ("m2_slope", "∂m_2/∂λ", r"\partial m_2/\partial\lambda", "slope of m_2 in the ridge λ", "∂m_2/∂λ"),
    ("kappa", "κ", r"\kappa", "squared length of the step's direction", "κ"),
    ("rho", "ρ", r"\rho", "cosine between the step's direction and the teacher's", "ρ"),
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
    ("error", "error", r"\text{error}", "numerical error that is known of, without the share of order 1/n", "error"),
    ("converged", "converged", r"\text{converged}", "1 where the numerics reached their accuracy, else 0", "converged"),
    ("powers", "powers", r"\text{powers}", "largest power of the pencil", "powers"),
    ("residual", "residual", r"\text{residual}", "residual of the fixed point", "residual"),
)

#: All columns by their name.
COLUMNS = INPUTS | QUANTITIES | NUMERICS


def meaning(name: str) -> str | None:
    """Return what a column is, for a file that others read: its words, of a predicted quantity with the symbol.

    >>> meaning("test_gain"), meaning("n"), meaning("first_layer")
    ('Λ_ℓ: test loss gained', 'n, number of samples', None)
    """
    if name in QUANTITIES:
        return f"{QUANTITIES[name].symbol}: {QUANTITIES[name].words}"
    return COLUMNS[name].words if name in COLUMNS else None

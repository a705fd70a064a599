"""The table of all columns of results: name, symbol, LaTeX and words of each quantity and of each input."""

from __future__ import annotations

from typing import NamedTuple

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
INPUTS = _table(
    ("activation", "σ", r"\sigma", "activation σ", "activation"),
    ("teacher", "σ⋆", r"\sigma_\star", "teacher σ⋆", "teacher"),
    ("n", "n", "n", "number of samples", "n"),
    ("d", "d", "d", "number of inputs", "d"),
    ("N", "N", "N", "number of neurons", "N"),
    ("phi", "φ", r"\phi", "φ = d/n", "φ"),
    ("psi", "ψ", r"\psi", "ψ = d/N", "ψ"),
    ("ridge", "λ", r"\lambda", "λ in (1/n)‖y − Fa‖² + λ‖a‖²", "λ"),
    ("noise", "σ_ε", r"\sigma_\varepsilon", "σ_ε, standard deviation of the noise", "σ_ε"),
    ("ell", "ℓ", r"\ell", "number ℓ of the window", "ℓ"),
    ("alpha", "α", r"\alpha", "exponent α of the step n^α", "α"),
    ("eta", "η", r"\eta", "step η, the learning rate", "η"),
    ("step_samples", "n₀/n", "n_0/n", "size of the step's batch divided by n", "n₀/n"),
    ("spikes", "K", "K", "powers of the direction that leave the bulk", "K"),
    ("c1", "c_1", "c_1", "linear coefficient of the activation", "c_1"),
    ("c_rest", "c_{>1}", "c_{>1}", "size of the rest of the activation", "c_{>1}"),
)

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
    ('Λ_ℓ: test loss gained', 'number of samples', None)
    """
    if name in QUANTITIES:
        return f"{QUANTITIES[name].symbol}: {QUANTITIES[name].words}"
    return COLUMNS[name].words if name in COLUMNS else None

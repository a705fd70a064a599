"""What each letter of the formulas means, in words, and the page of docs/theory that defines it.

The glossary of the documentation is made of these tables; a test keeps them as complete as those of the symbols.
"""

from __future__ import annotations

from typing import NamedTuple


class Meaning(NamedTuple):
    """One entry of the glossary."""

    words: str
    page: str


#: Letters without an index, by the plain names of ``symbols.LATEX``.
LETTERS = {
    "lambda": Meaning("ridge of the fit, (1/n)‖y − Fa‖² + λ‖a‖²; `ridge` outside of formulas", "setting"),
    "psi": Meaning("inputs by neurons, d/N", "setting"),
    "phi": Meaning("inputs by samples, d/n", "setting"),
    "n": Meaning("number of samples of the ridge fit", "setting"),
    "eta": Meaning("size of the gradient step, η = n^α", "setting"),
    "a": Meaning("non-linear strength by ridge, c_{>1}²/λ", "traces"),
    "b": Meaning("linear strength by ridge, c_1²/λ", "traces"),
    "c_1": Meaning("linear Hermite coefficient of the activation, E[σ(Z)Z]", "hermite"),
    "c_rest": Meaning("strength of all that is not linear in the activation, c_{>1}² = Σ_{k≥2} k! c_k²", "hermite"),
    "c_star": Meaning("strength of the teacher, c_⋆² = Σ_{k≥1} k! c_{⋆,k}²", "setting"),
    "noise": Meaning("standard deviation of the label noise; `noise` in Python", "setting"),
    "rho": Meaning("cosine between the step's direction β and the teacher's β_⋆", "direction"),
    "kappa": Meaning("limit of the squared length of β", "direction"),
    "k": Meaning("ratio of the traces, m_2/m_1", "traces"),
    "chi": Meaning("slope factor, (c_{>1}² + c_1²k²)/λ", "traces"),
    "p": Meaning("share of the samples' directions that the fit leaves, λ tr R₀ = λψm_1/φ", "traces"),
    "u": Meaning("the same for the neurons, counted by n: p + φ/ψ − 1", "traces"),
    "w": Meaning("product of the two shares, pu", "traces"),
    "theta": Meaning("share of the neurons' directions that the fit leaves, uψ/φ", "pencil"),
    "zeta": Meaning("effect of the row norms of a Gaussian first layer, 2c_2²sθ/ψ with s = ψm_1/φ", "options"),
    "D": Meaning("common denominator of the slopes, 1 + χ(p + u)", "traces"),
    "m_1": Meaning("limit of (φ/ψ) tr R₀, R₀ = (F₀F₀ᵀ + λnI)⁻¹", "traces"),
    "m_2": Meaning("limit of (φ/ψ) tr(X̃ᵀR₀X̃)/d", "traces"),
    "m_1_slope": Meaning("derivative of m_1 in λ, negative", "traces"),
    "m_2_slope": Meaning("derivative of m_2 in λ, negative", "traces"),
    "ell": Meaning("number of the window: powers up to ℓ of the step's direction are learnt", "windows"),
    "alpha": Meaning("exponent of the step, η = n^α", "windows"),
    "x": Meaning("the variable of a polynomial", "hermite"),
    "Psi": Meaning("the part that both equations of m_1 and m_2 share, c_1²m_1m_2(λψm_1/φ − 1)", "traces"),
}

#: Letters with an index, by the plain names of ``symbols.INDEXED``.
INDEXED_LETTERS = {
    "q": Meaning("coefficients of the quartic in m_1", "traces"),
    "c": Meaning("Hermite coefficients of the activation, E[σ(Z)H_k(Z)]/k!", "hermite"),
    "c_star": Meaning("Hermite coefficients of the teacher", "setting"),
    "r": Meaning("correlation of the teacher's H_p with the spikes", "training_gain"),
    "S": Meaning("S_M = (2M + 1)C(2M, M)/4^M: what the missing constant costs", "training_gain"),
    "T": Meaning(
        "what the even powers would put on the constant, Σ_j (−1)^j (2j − 1)!! c_{⋆,2j} ρ^{2j}", "training_gain"
    ),
    "B": Meaning("squared norm of what the spikes explain beyond the linear part", "training_gain"),
    "Delta": Meaning("gain in training loss by the step", "training_gain"),
    "Lambda": Meaning("gain in test loss by the step", "test_gain"),
    "F": Meaning("features after the step, with the spikes up to ℓ", "windows"),
    "H": Meaning("probabilists' Hermite polynomial", "hermite"),
    "spike": Meaning("size of the k-th spike of the features", "windows"),
    "L_tr": Meaning("training loss, ridge term included; ℓ = 0 is before the step", "test_gain"),
    "L_te": Meaning("test loss, noise included; ℓ = 0 is before the step", "test_gain"),
}

#: Matrices, vectors and whole tables, by the plain names of ``symbols.MATRICES`` and ``symbols.TABLES``.
ARRAYS = {
    "F_0": Meaning("features before the step, σ(X̃W₀ᵀ), n × N", "setting"),
    "X": Meaning("inputs of the ridge fit, n × d", "setting"),
    "beta": Meaning("direction of the gradient step, Xᵀy/n", "direction"),
    "a": Meaning("second layer before the fit, N numbers", "setting"),
    "Omega": Meaning("inverse of the spikes' Gram matrix", "training_gain"),
    "Omega_inverse": Meaning("Gram matrix of the spikes", "training_gain"),
    "xi": Meaning("powers in Hermite polynomials, x^i = Σ_p ξ_{i,p} H_p(x)", "hermite"),
    "xi_inverse": Meaning("Hermite polynomials in powers", "hermite"),
    "xi_positive": Meaning("ξ without the constant", "hermite"),
    "r": Meaning("the numbers r_p as a vector", "training_gain"),
}

"""The formulas as sympy objects, made by the functions that also compute the numbers (``tc.symbolic``).

Two layers: expressions, and formulas for people.  ``symbols`` has the letters, ``ingredients`` and ``expressions`` call
the theory's functions with them, ``cases`` puts a problem's numbers in, ``predicted`` has the public gains and losses.
``folding`` names the parts of an expression, ``formulas`` lists the formulas, ``printer`` and ``latex`` write them.

Symbols: ``phi``, ``psi``, ``lam`` (λ), ``m_1``, ``m_2``, ``m_1_slope`` (∂m_1/∂λ), ``rho``, ``kappa``, ``c_1``,
``c_rest`` (c_{>1}), ``c(k)``, ``c_star`` (c_⋆), ``c_star_of(k)`` (c_{⋆,k}), ``noise`` (σ_ε), ``alpha``, ``eta``, ``n``;
of literal networks ``rho_tilde``, ``kappa_tilde``, ``tau``, ``v`` and ``slope_variance`` (Var σ'(Z)).
Options of a problem have ``a_s``, ``a_f`` (corrupted labels), ``b_s``, ``b_f`` (flipped labels that have a mean),
``g_a`` (the second layer's scale) and ``label_mean``.
``f_bar`` is the mean of a network's initial output, with a raw activation and a step on the residual: there gains are
those of networks with this mean, whose mean over f_bar ~ N(0, g_a²c_0²) the formulas have.
"""

from theorycalc.symbolic.formulas import formula
from theorycalc.symbolic.ingredients import (
    H,
    Omega,
    Omega_inverse,
    feature_expansion,
    m2_of_m1,
    quartic,
    r,
    reduced_equation,
    slopes,
    spike_order,
    trace_equations,
    window,
    xi,
    xi_inverse_matrix,
    xi_matrix,
)
from theorycalc.symbolic.kind_formulas import kind_equations
from theorycalc.symbolic.predicted import (
    B,
    Delta,
    Lambda,
    Lambda_clean,
    direction,
    test_loss,
    test_loss_clean,
    train_error,
    train_loss,
)
from theorycalc.symbolic.symbols import (
    a_f,
    a_s,
    alpha,
    b_f,
    b_s,
    c,
    c_1,
    c_rest,
    c_star,
    c_star_of,
    ell,
    eta,
    f_bar,
    g_a,
    kappa,
    kappa_tilde,
    label_mean,
    lam,
    m_1,
    m_1_slope,
    m_2,
    m_2_slope,
    n,
    noise,
    phi,
    psi,
    rho,
    rho_tilde,
    slope_variance,
    tau,
    v,
    x,
)

__all__ = [
    "B", "Delta", "H", "Lambda", "Lambda_clean", "Omega", "Omega_inverse", "a_f", "a_s", "alpha", "b_f", "b_s", "c",
    "c_1", "c_rest", "c_star", "c_star_of", "direction", "ell", "eta", "f_bar", "feature_expansion", "formula", "g_a",
    "kappa", "kappa_tilde", "kind_equations", "label_mean", "lam", "m2_of_m1", "m_1", "m_1_slope", "m_2", "m_2_slope",
    "n", "noise", "phi", "psi", "quartic", "r", "reduced_equation", "rho", "rho_tilde", "slope_variance", "slopes",
    "spike_order", "tau", "test_loss", "test_loss_clean", "trace_equations", "train_error", "train_loss", "v",
    "window", "x", "xi", "xi_inverse_matrix", "xi_matrix",
]  # fmt: skip

"""The formulas as sympy objects, by the functions that also compute the numbers (``tc.symbolic``).

Symbols: ``phi``, ``psi``, ``lam`` (λ), ``m_1``, ``m_2``, ``m_1_slope`` (∂m_1/∂λ), ``rho``, ``kappa``, ``c_1``,
``c_rest`` (c_{>1}), ``c(k)``, ``c_star`` (c_⋆), ``c_star_of(k)`` (c_{⋆,k}), ``noise`` (σ_ε), ``alpha``, ``eta``, ``n``.
"""

from theorycalc.symbolic.features import feature_expansion, spike_order, window
from theorycalc.symbolic.formulas import formula
from theorycalc.symbolic.hermite import H, xi, xi_inverse_matrix, xi_matrix
from theorycalc.symbolic.matrices import Omega, Omega_inverse, r
from theorycalc.symbolic.quantities import B, Delta, Lambda, direction, test_loss, train_loss
from theorycalc.symbolic.symbols import (
    alpha,
    c,
    c_1,
    c_rest,
    c_star,
    c_star_of,
    ell,
    eta,
    kappa,
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
    x,
)
from theorycalc.symbolic.traces import m2_of_m1, quartic, reduced_equation, slopes, trace_equations

__all__ = [
    "B",
    "Delta",
    "H",
    "Lambda",
    "Omega",
    "Omega_inverse",
    "alpha",
    "c",
    "c_1",
    "c_rest",
    "c_star",
    "c_star_of",
    "direction",
    "ell",
    "eta",
    "feature_expansion",
    "formula",
    "kappa",
    "lam",
    "m2_of_m1",
    "m_1",
    "m_1_slope",
    "m_2",
    "m_2_slope",
    "n",
    "noise",
    "phi",
    "psi",
    "quartic",
    "r",
    "reduced_equation",
    "rho",
    "slopes",
    "spike_order",
    "test_loss",
    "trace_equations",
    "train_loss",
    "window",
    "x",
    "xi",
    "xi_inverse_matrix",
    "xi_matrix",
]

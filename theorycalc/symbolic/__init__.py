"""The formulas as sympy objects, made by the same functions that compute the numbers (``tc.symbolic``).

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

from theorycalc.symbolic import ingredients, predicted, symbols
from theorycalc.symbolic.folding import kind_equations
from theorycalc.symbolic.formulas import formula
from theorycalc.symbolic.ingredients import *  # noqa: F403 - what it lists
from theorycalc.symbolic.predicted import *  # noqa: F403 - what it lists
from theorycalc.symbolic.symbols import *  # noqa: F403 - what it lists

__all__ = ["formula", "kind_equations"]
__all__ += ingredients.__all__
__all__ += predicted.__all__
__all__ += symbols.__all__

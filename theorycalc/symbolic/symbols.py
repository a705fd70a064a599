r"""The paper's letters as sympy symbols, with their LaTeX, and the arguments shared by functions of symbols.

No symbol takes its name from a user's text.  ``str`` shows the plain name (``c_star_2``); LaTeX is the paper's
(``c_{\star,2}``) in sympy's printer as in ours, so that notebooks show it, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import sympy

from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import whole

__all__ = [
    "a_f", "a_s", "alpha", "b_f", "b_s", "c", "c_1", "c_rest", "c_star", "c_star_of", "ell", "eta", "f_bar", "g_a",
    "kappa", "kappa_tilde", "label_mean", "lam", "m_1", "m_1_slope", "m_2", "m_2_slope", "n", "noise", "phi", "psi",
    "rho", "rho_tilde", "slope_variance", "tau", "v", "x",
]  # fmt: skip

P = ParamSpec("P")
R = TypeVar("R")

LARGEST_MATRIX = 20  # of a symbolic Ω
LARGEST_ELL = 200
_LARGEST = 1000  # of an index: ξ then has numbers of 2600 digits

#: The letters, in the order in which factors of a product are written.
_ORDERED = (
    "lambda psi phi n eta a b a_s a_f b_s b_f g_a f_bar c_0_b c_1 c_rest c_1_b c_2_b c_rest_b c_star noise "
    "slope_variance rho rho_tilde kappa kappa_tilde tau v k k_star aligned tau_bar chi p u w theta theta_b load s t g "
    "tau_j vartheta "
    "zeta D m_1 m_2 m_1_slope m_2_slope ell alpha x Psi sigma_1_squared overlap_a overlap_direction overlap_teacher "
    "fit_variance rate"
)
_LETTERS = _ORDERED.split()
_SPELLED = {
    "c_rest": "c_{>1}",
    "c_0_b": "c_{0,b}",
    "c_1_b": "c_{1,b}",
    "c_2_b": "c_{2,b}",
    "f_bar": r"\bar{f}_0",
    "c_rest_b": "c_{>1,b}",
    "theta_b": r"\theta_{b}",
    "load": r"\beta",
    "k_star": r"k_{\star}",
    "aligned": "t_{h}",
    "tau_bar": r"\bar{\tau}",
    "tau_j": r"\tau_{j}",
    "c_star": r"c_{\star}",
    "noise": r"\sigma_{\varepsilon}",
    "slope_variance": r"\operatorname{Var} \sigma'(Z)",
    "rho_tilde": r"\tilde{\rho}",
    "kappa_tilde": r"\tilde{\kappa}",
    "m_1_slope": "m_1'",
    "m_2_slope": "m_2'",
    "sigma_1_squared": r"\sigma_1^{2}",
    "fit_variance": r"v_{\hat{f}}",
    "rate": r"e_{0}",
    "overlap_a": r"(l \cdot a)^{2}",
    "overlap_direction": r"(r \cdot \hat{b})^{2}",
    "overlap_teacher": r"(r \cdot \beta_{\star})^{2}",
}

#: Plain name → LaTeX: Greek letters are named as LaTeX names them.
LATEX = {name: _SPELLED.get(name, rf"\{name}" if name.isalpha() and len(name) > 1 else name) for name in _LETTERS}

#: Letters that stand for a whole table of numbers.
TABLES = {"r": "r", "Omega": r"\Omega", "xi": r"\xi"}

#: LaTeX of letters with an index.
INDEXED = {
    "q": "q_{%s}",
    "c": "c_{%s}",
    "c_star": r"c_{\star,%s}",
    "r": "r_{%s}",
    "S": "S_{%s}",
    "T": "T_{%s}",
    "B": "B_{%s}",
    "Delta": r"\Delta_{%s}",
    "Lambda": r"\Lambda_{%s}",
    "Lambda_clean": r"\Lambda_{%s,\mathrm{clean}}",
    "F": "F_{%s}",
    "H": "H_{%s}(x)",
    "spike": r"\lVert c_1^{%s} c_{%s} \eta^{%s} (\widetilde{X} \beta)^{\circ %s} (a^{\circ %s})^{\top} \rVert",
    "L_tr": r"L_{\mathrm{tr}}(F_{%s})",
    "L_te": r"L_{\mathrm{te}}(F_{%s})",
    "L_clean": r"L_{\mathrm{clean}}(F_{%s})",
    "E_tr": r"E_{\mathrm{tr}}(F_{%s})",
}

_WITH_INDEX = re.compile(r"([A-Za-z_]+?)_(\d+)")


#: Types and meanings of the arguments that the public functions share.
_ARGUMENTS = {
    "ell": ("int", f"Number ℓ of the window, or of the last row; at most {LARGEST_ELL}, and {LARGEST_MATRIX} for Ω."),
    "index": ("int", "Index k ≥ 1 of the coefficient."),
    "k": ("int", f"Index of the polynomial or of the spike, at most {_LARGEST}."),
    "p": ("int", f"Index of the power or of the correlation, at most {_LARGEST}."),
    "i": ("int", f"Index of the Hermite polynomial, at most {_LARGEST}."),
    "problem": ("Problem, optional", "Its exact numbers take the place of their symbols; its K and laws are used."),
    "spikes": ("iterable of int, optional", "K, the k ≤ ℓ with c_k ≠ 0; a problem has its own (default: all)."),
    "intercept": ("bool, default False", "Whether a constant is free, if no problem is given."),
    "digits": (
        "int, optional",
        "Number of proven digits to which m_1, m_2 and other numbers without a closed form are put in.",
    ),
}
_RAISES = "An argument is out of its range, or the problem has no such formula."


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that explains wrong calls, with its arguments, result and errors in its docstring."""
    own = {name: f"{name} : {kind}\n    {words}" for name, (kind, words) in _ARGUMENTS.items()}
    return checked_call(function, own, _RAISES)


def index(value: int | None, name: str, least: int = 0, most: int = _LARGEST) -> int:
    """Return an index as a whole number; refuse one that is out of range."""
    return whole(value, name, f"a whole number from {least} to {most}", least, most, typed=True)


class PaperSymbol(sympy.Symbol):  # type: ignore[misc]
    """A symbol printed as in the paper."""

    __slots__ = ()

    def _latex(self, printer: Any) -> str:
        return latex_name(self.name)


def latex_name(name: str) -> str:
    r"""Return the LaTeX for a symbol, given its plain name.

    >>> latex_name("c_star_2"), latex_name("noise"), latex_name("Delta_3")
    ('c_{\\star,2}', '\\sigma_{\\varepsilon}', '\\Delta_{3}')
    """
    if name in LATEX or name in TABLES:
        return LATEX.get(name) or TABLES[name]
    letter, index = split_index(name)
    return INDEXED[letter].replace("%s", str(index))


def split_index(name: str) -> tuple[str, int]:
    """Return the letter and the index in the plain name of an indexed symbol.

    >>> split_index("c_star_2")
    ('c_star', 2)
    """
    match = _WITH_INDEX.fullmatch(name)
    assert match is not None, name
    return match[1], int(match[2])


def _positive(name: str) -> PaperSymbol:
    return PaperSymbol(name, positive=True)


def _real(name: str) -> PaperSymbol:
    return PaperSymbol(name, real=True)


phi, psi, lam = _positive("phi"), _positive("psi"), _positive("lambda")
m_1, m_2 = _positive("m_1"), _positive("m_2")
m_1_slope, m_2_slope = _real("m_1_slope"), _real("m_2_slope")  # ∂/∂λ, negative
rho, kappa = _real("rho"), _positive("kappa")
rho_tilde, kappa_tilde = _real("rho_tilde"), _positive("kappa_tilde")  # of a step on the residual
tau, slope_variance = (PaperSymbol(name, nonnegative=True) for name in ("tau", "slope_variance"))
c_1, c_rest = _real("c_1"), PaperSymbol("c_rest", nonnegative=True)
c_star, noise = PaperSymbol("c_star", nonnegative=True), PaperSymbol("noise", nonnegative=True)
a_s, a_f, g_a = _real("a_s"), _real("a_f"), _positive("g_a")  # of corrupted labels, and of the second layer
f_bar = _real("f_bar")  # the mean of a network's initial output
b_s, b_f = _real("b_s"), _real("b_f")  # of flipped labels that have a mean
n, eta, alpha = _positive("n"), _positive("eta"), _real("alpha")
ell = PaperSymbol("ell", integer=True, positive=True)
x = _real("x")

# Named parts of larger formulas.
a, b = PaperSymbol("a", nonnegative=True), _positive("b")
k, chi, p, u, w, theta, zeta, D = map(_positive, ("k", "chi", "p", "u", "w", "theta", "zeta", "D"))
v = PaperSymbol("v", nonnegative=True)
c_0_b, c_1_b, c_2_b = map(_real, ("c_0_b", "c_1_b", "c_2_b"))  # of one kind of neuron with a bias
c_rest_b = PaperSymbol("c_rest_b", nonnegative=True)
theta_b, load, s, t = map(_positive, ("theta_b", "load", "s", "t"))
g, tau_j, tau_bar, k_star, aligned = map(_positive, ("g", "tau_j", "tau_bar", "k_star", "aligned"))  # of Σ
Psi = _real("Psi")
rate, fit_variance = _positive("rate"), _positive("fit_variance")  # of the sign of a fit
vartheta, sigma_1_squared = _positive("vartheta"), _positive("sigma_1_squared")
overlaps = tuple(map(_positive, ("overlap_a", "overlap_direction", "overlap_teacher")))
Omega_label, xi_label, r_label = map(_real, ("Omega", "xi", "r"))


MATRICES = {
    "F_0": "F_0",
    "X": r"\widetilde{X}",
    "beta": r"\beta",
    "a": "a",
    "Omega": r"\Omega",
    "Omega_inverse": r"\Omega^{-1}",
    "xi": r"\xi",
    "xi_inverse": r"\xi^{-1}",
    "xi_positive": r"\left( \xi_{i,p} \right)_{i, p \geq 1}",
}


class PaperMatrix(sympy.MatrixSymbol):  # type: ignore[misc]
    """A matrix symbol printed as in the paper."""

    def _latex(self, printer: Any) -> str:
        return MATRICES[self.name]


_n, _d, _N = sympy.symbols("n d N", integer=True, positive=True)
F_0, X = PaperMatrix("F_0", _n, _N), PaperMatrix("X", _n, _d)
beta, a_vector = PaperMatrix("beta", _d, 1), PaperMatrix("a", _N, 1)


def indexed(letter: str, index: int) -> PaperSymbol:
    """Return an indexed letter: ``indexed("c_star", 2)`` is c_{⋆,2}.

    >>> indexed("c_star", 2)
    c_star_2
    """
    assert letter in INDEXED, letter
    return c_1 if (letter, index) == ("c", 1) else _real(f"{letter}_{index}")


@public
def c(index: int) -> PaperSymbol:
    """Return the symbol of the activation's Hermite coefficient c_k.

    >>> c(3)
    c_3
    """
    return indexed("c", _index(index))


@public
def c_star_of(index: int) -> PaperSymbol:
    r"""Return the symbol of the teacher's Hermite coefficient c_{⋆,k}.

    >>> sympy.latex(c_star_of(3) ** 2)
    'c_{\\star,3}^{2}'
    """
    return indexed("c_star", _index(index))


def _index(value: int) -> int:
    """Return an index k ≥ 1, checked because sympy's lambdify would run a name made from a user's text."""
    return whole(value, "k", "a whole number, k ≥ 1")


label_mean = indexed("c_star", 0)  # c_{⋆,0}, of labels that keep their mean
c_0 = indexed("c", 0)  # of a raw activation


def write_order(symbol: sympy.Symbol) -> tuple[int, int]:
    """Return a sort key for a symbol in a product.

    >>> sorted([m_1, c_star_of(2), lam, rho], key=write_order)
    [lambda, c_star_2, rho, m_1]
    """
    name = symbol.name
    if name in _ORDER:
        return _ORDER[name], 0
    letter, index = split_index(name)
    return _ORDER.get(letter, len(_ORDER)), index


_ORDER = {name: place for place, name in enumerate(_LETTERS)}
_ORDER |= {"q": -1, "r": _ORDER["rho"], "Omega": _ORDER["noise"], "xi": _ORDER["kappa"] + 1, "c": _ORDER["c_1"]}

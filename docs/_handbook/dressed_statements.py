"""Statements on dressed features, made by their array code from arrays of symbols (docs/theory/dressed.md)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sympy
from numpy.polynomial.hermite_e import hermeval

from docs._handbook import stand_ins
from docs._handbook.entry import lines, named
from docs._handbook.stand_ins import E_H, GAMMA, A, G, H, K, Q, V, matrix, naming_inverses, symbols, tidy
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.symbolic.symbols import c, eta, lam, rho, v
from theorycalc.theory.dressed import nodes_of_kinds
from theorycalc.theory.dressed.direction_forms import directions_of
from theorycalc.theory.dressed.fixed_point import balance
from theorycalc.theory.dressed.forms import Forms, LabelMoments, forms_of, label_form, mid_of
from theorycalc.theory.dressed.multi_index import left_open, likelihood
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.dressed.turning import only_its_spike


def fixed_point() -> str:
    """Return the fixed point of ς = 1/g and Q, with V, K and T = (1 + VK)⁻¹ named."""
    given = symbols([[lam]]), symbols([[G]]), symbols([[Q]])
    with naming_inverses("T") as inverted:
        found = balance(stand_ins.network(), stand_ins.turning(), *given)
    parts = {K: tidy(found.operators.K[0]), V: tidy(found.operators.V)}

    def short(value: Any) -> sympy.Expr:
        return tidy(value).subs(parts[K], K).subs(parts[V], V)

    return lines(
        ("V", parts[V]),
        ("K", parts[K]),
        ("T^{-1}", short(inverted["T"][0])),
        ("Q^{-1}", short(1 / found.Q_map)),
        (r"\varsigma", short(found.sigma_map)),
    )


def several_directions() -> str:
    """Return the part of û·t that h leaves open, and the kernel of means given h."""
    u, apart, off = named("u"), named("g'"), sympy.sqrt(1 - rho**2)
    return lines(
        ("g'", left_open(u, H, rho, off)),
        (r"\frac{p(u \mid h)}{p(u)}", likelihood(SYMBOLS, u, apart, off)),
    )


def stacked_forms() -> str:
    """Return ℓ of a constant, the matrix that bends Z, and Z_all, for the two directions β⋆ and c."""
    with naming_inverses("T", "B") as inverted:
        found = forms_of(stand_ins.network(), stand_ins.turning(), stand_ins.solution())
    changed = E_H * GAMMA**2 * G * (H**2 - 1)
    bend = inverted["B"].subs(changed, named(r"\Delta V"))
    return lines(
        (r"\ell_1^{\top}", sympy.sqrt(E_H) * matrix(found.along)),
        (r"\Delta V", changed),
        ("B^{-1}", bend),
        (r"Z_{\mathrm{all}}", matrix(found.Z_all)),
    )


def own_direction() -> str:
    """Return Q, Z and the coupling to the mean part with W₀ᵀa, of which every neuron knows."""
    weight = stand_ins.NEURONS * stand_ins.E_U  # the weights of u sum to N
    network = stand_ins.network(included=True, weight=weight)
    name = r"Q_{\omega}"
    with naming_inverses("T", name) as inverted:
        Z, coupling, gram, _ = directions_of(network, stand_ins.turning(weight), stand_ins.solution())
    return lines(
        (rf"{name}^{{-1}}", sympy.factor_terms(sympy.expand(inverted[name][0].subs(E_H * GAMMA**2 * G, V)))),
        ("Z_{cc}'", matrix(Z)[1, 1]),
        (r"\begin{pmatrix} e_{\star} \\ e_c \end{pmatrix}", matrix(coupling) / sympy.sqrt(E_H)),
        ("G", tidy(gram) / E_H),
    )


def _letters(*names: str) -> Dual:
    """Return a stack of one row of letters, with derivatives 0."""
    row = symbols([[[named(name) if name else 0 for name in names]]])
    return Dual(row, 0 * row)


def forms() -> Forms:
    """Return forms of letters, for a step on the labels alone."""
    Z = symbols([[[named(r"Z_{\star}"), 0], [0, named("Z_c")]]])
    nodes = _letters(r"\ell_{\star}", r"\ell_c")
    nothing = Dual(symbols([[[0], [0]]]), symbols([[[0], [0]]]))
    return Forms(
        P=_letters("P"),
        unit=symbols([[sympy.sqrt(G)]]),
        gram=_letters("G"),
        coupling=_letters("E"),
        Z_all=Dual(Z, 0 * Z),
        along=nodes,
        own_part=nothing,
        neurons=nothing,
        Z=nothing,
        changed=nothing,
    )


def _labels() -> LabelMoments:
    """Return conditional moments of letters."""
    mean, teacher, rest, across, square = (
        symbols([named(name)]) for name in (r"\bar{y}", r"y_{\star}", "y_c", r"y_{\perp}", r"\overline{y^2}")
    )
    return LabelMoments(mean, np.stack([teacher, rest]), across, square)


def mid() -> sympy.Matrix:
    """Return Mid, with √g as the unit of its upper half."""
    found, _ = mid_of(forms())
    return matrix(found)


def mean_part() -> str:
    """Return Mid, and ỹᵀRỹ by M = Mid⁻¹."""
    with naming_inverses("M"):
        form = tidy(label_form(stand_ins.network(), _labels(), forms(), stand_ins.solution().g))
    along = {rf"\ell_{{{name}}}": E_H * GAMMA * G * named(name) for name in (r"y_{\star}", "y_c")}
    for letter, value in along.items():
        form = form.subs(value, named(letter))
    return lines((r"\mathrm{Mid}", mid()), *along.items(), (r"\tilde{y}^{\top} R \tilde{y}", form))


def outliers() -> str:
    """Return the determinant of Mid, which vanishes at an outlier."""
    (P, E), (_, G) = mid().tolist()
    return lines(("0", P * G - E**2))


def norm_response() -> str:
    """Return the part of G that neurons of different lengths add."""
    grams = []
    for lengths in (named(r"\ell_u"), sympy.Integer(0)):
        with naming_inverses("T", "B"):
            found = forms_of(stand_ins.network(), stand_ins.turning(lengths=lengths), stand_ins.solution())
            grams.append(tidy(found.gram))
    return lines((r"G_{\ell} - G_{0}", sympy.expand(grams[0] - grams[1]) / E_H))


def leaning_lengths() -> str:
    """Return the coupling of both directions to lengths that follow the step, and their part of G."""
    grams = []
    for lean in (named(r"l_u"), sympy.Integer(0)):
        with naming_inverses("T"):
            _, coupling, gram, _ = directions_of(
                stand_ins.network(), stand_ins.turning(lean=lean), stand_ins.solution()
            )
        grams.append(tidy(gram))
        if lean:
            first = matrix(coupling) / sympy.sqrt(E_H)
    return lines(
        (r"\begin{pmatrix} e_{\star} \\ e_c \end{pmatrix}", first.applyfunc(sympy.factor)),
        (r"G_{l} - G_{0}", sympy.factor(sympy.expand(grams[0] - grams[1]) / E_H)),
    )


def isotropic() -> str:
    """Return the spike of S, and A_2 of C = 1 + A_2S²."""
    found = only_its_spike(stand_ins.network())
    return lines(("s", tidy(found.nodes.s[1])), ("A_2", tidy(found.spread_of[2]).subs(eta * A, named("u"))))


def input_norm() -> str:
    """Return the responses to ‖x‖²: the part of μ_0, and the forms of the coordinate e with one shape χ."""
    network = stand_ins.network(input_norm=True, weight=stand_ins.NEURONS * stand_ins.E_U)
    with naming_inverses("T", "B"):
        found = forms_of(network, stand_ins.turning(), stand_ins.solution())
    labels = _labels()._replace(across=symbols([named(r"y_{\perp}") / sympy.sqrt(2 * stand_ins.INPUTS)]))
    with naming_inverses("M"):
        form = sympy.expand(tidy(label_form(network, labels, found, stand_ins.solution().g)))
    unit = found.unit[0, -1]
    response = stand_ins.MU_2 * (H**2 - 1) / (2 * stand_ins.INPUTS)
    return lines(
        (r"\mu_0 - \mathbb{E}_z \sigma", response),
        ("P_{ee}", matrix(found.P)[1, 1]),
        ("G_{ee}", matrix(found.gram)[1, 1]),
        ("q_e", sympy.sqrt(-form.coeff(named("M_{22}")) * unit**2)),
    )


def own_output() -> str:
    """Return m of a cubic σ, from the code's numbers at pairs of Hermite polynomials, and the length of a neuron."""

    def number(*degrees: int) -> Any:
        series = [sum(k == degree for degree in degrees) for k in range(4)]
        return sympy.nsimplify(
            round(nodes_of_kinds.own_output(Function(partial(hermeval, c=series), ()), series[1]), 9)
        )

    m = sum(number(k) * c(k) ** 2 for k in (1, 2, 3))
    m += sum((number(j, k) - number(j) - number(k)) * c(j) * c(k) for j, k in ((1, 2), (1, 3), (2, 3)))
    u, kept = named("u"), named("k_u")
    return lines(("m", m), ("k_u", 1 - named("m") * u**2 / eta), ("s_u^2", kept**2 + u**2 * v))

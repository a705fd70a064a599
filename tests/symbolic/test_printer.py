"""Expressions are written as the paper writes them."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.symbolic.printer import PaperPrinter

S = tc.symbolic


def test_heaviside_is_an_indicator_not_an_angle():
    x = sp.Symbol("x", real=True)
    assert tc.latex(sp.Heaviside(x)) == r"\mathbf{1}_{\{x > 0\}}"
    assert tc.latex(sp.Heaviside(x) ** 2) == r"\mathbf{1}_{\{x > 0\}}^{2}"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (S.m_1 - S.m_2, "m_1 - m_2"),
        (S.m_2 - S.m_1, "m_2 - m_1"),
        (S.phi - 1, r"\phi - 1"),
        (1 - S.rho**2, r"1 - \rho^{2}"),
        (-S.phi, r"-\phi"),
        (-(S.phi + S.psi), r"-\psi - \phi"),
        (S.phi / 2, r"\frac{1}{2} \phi"),
        ((S.phi + S.psi) / 2, r"\frac{1}{2} \psi + \frac{1}{2} \phi"),
        (sp.sqrt(2) * S.phi / 2, r"\frac{\sqrt{2}}{2} \phi"),
        (S.phi / S.psi * (S.m_1 + 1), r"\frac{\phi}{\psi} \left( 1 + m_1 \right)"),
        ((S.m_1 + 1) / S.psi, r"\frac{1 + m_1}{\psi}"),
        (1 / (S.psi * (1 + S.m_1)), r"\frac{1}{\psi \left( 1 + m_1 \right)}"),
        (sp.pi * S.phi, r"\pi \phi"),
        (S.m_1_slope**2, r"\left( m_1' \right)^{2}"),
        (S.slope_variance**2, r"\left( \operatorname{Var} \sigma'(Z) \right)^{2}"),
        (S.rho_tilde**2, r"\tilde{\rho}^{2}"),
        (sp.Integer(-3), "-3"),
        (sp.Rational(-1, 2) * S.rho, r"-\frac{1}{2} \rho"),
    ],
)
def test_products_and_sums_are_written_as_one_would(expression, text):
    assert tc.latex(expression) == text


FIRST, SECOND = sp.symbols("i j")
MATRIX_A, MATRIX_B = (sp.MatrixSymbol(name, 2, 2) for name in ("A", "B"))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ((S.phi + S.psi) ** ((S.n + S.ell) / 2), r"\left(\psi + \phi\right)^{\frac{1}{2} n + \frac{1}{2} \ell}"),
        (2 * sp.Sum(S.phi + FIRST, (FIRST, 1, 3)), r"2 \sum_{i=1}^{3} \left(i + \phi\right)"),
        (sp.Sum(S.phi, (FIRST, 1, 3), (SECOND, 2, 5)), r"\sum_{\substack{1 \leq i \leq 3\\2 \leq j \leq 5}} \phi"),
        (sp.Derivative(sp.Function("f")(S.x), S.x, 2), r"\frac{d^{2}}{d x^{2}} f{\left(x \right)}"),
        (MATRIX_A - 3 * MATRIX_B, "A - 3 B"),
        ((S.phi + 1) * MATRIX_A, r"\left( 1 + \phi \right) A"),
        ((MATRIX_A + MATRIX_B) * MATRIX_A, r"\left( A + B \right) A"),
        (sp.Transpose(MATRIX_A + MATRIX_B), r"\left( A + B \right)^{\top}"),
    ],
)
def test_what_the_paper_does_not_have_keeps_its_brackets_and_orders(expression, text):
    """tc.latex takes any expression, so none may lose a bracket, a range or a derivative."""
    assert tc.latex(expression) == text


def test_the_text_does_not_depend_on_the_order_of_construction():
    a, b, c = S.c_star_of(2) * S.rho, S.c_star_of(1) * S.m_1, S.m_2
    assert tc.latex(a + b + c) == tc.latex(c + a + b) == tc.latex(sp.Add(b, c, a, evaluate=False))
    assert PaperPrinter().doprint(S.phi * S.lam) == r"\lambda \phi"

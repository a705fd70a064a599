r"""LaTeX of sympy objects as the paper would write them.

sympy orders terms and factors by its own rules.  Here products are written in the order of
:data:`~theorycalc.symbolic.symbols.LATEX` with sums behind a single fraction, and sums by rising index and degree,
with what is compound at the end; so a formula looks the same with every version of sympy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter

from theorycalc.symbolic.symbols import PaperSymbol, Psi, c_star, m_1_slope, m_2_slope, slope_variance, write_order, x

#: Symbols whose powers need brackets: m_1' and Var σ'(Z).
_BRACKETED = (m_1_slope, m_2_slope, slope_variance)


class PaperPrinter(LatexPrinter):  # type: ignore[misc]
    """sympy's printer with our order of factors and terms."""

    def _print_Add(self, expr: sympy.Add, order: Any = None) -> str:
        text = ""
        for term in _in_order(expr.args):
            negative = _sign_of(term) < 0
            text += f" - {self._term(-term)}" if negative else f" + {self._term(term)}"
        return f"-{text[3:]}" if text.startswith(" - ") else text[3:]

    def _term(self, term: sympy.Expr) -> str:
        return _bracketed(self._print(term)) if term.is_Add else self._print(term)

    def _print_Mul(self, expr: sympy.Mul) -> str:
        if expr.is_number or not expr.is_commutative:
            return str(super()._print_Mul(expr))
        if _sign_of(expr) < 0:
            shown = self._print(-expr)
            return f"-{_bracketed(shown) if (-expr).is_Add else shown}"
        above, below = sympy.fraction(expr)
        number, factors = _factors(above)
        divisor, divisors = _factors(below)
        plain = [factor for factor in factors if not _is_compound(factor)]
        sums = [factor for factor in factors if _is_compound(factor)]
        front = [] if number == 1 else [self._factor(number)]
        if divisors:
            top = self._product(front + [self._factor(factor) for factor in plain]) or "1"
            bottom = [] if divisor == 1 else [self._factor(divisor)]
            bottom += [self._factor(factor) for factor in divisors]
            if not plain and not front and len(sums) == 1:  # a lone sum stands in the numerator
                top, sums = self._print(sums[0]), []
            alone = len(divisors) == 1 and divisor == 1
            lower = self._print(divisors[0]) if alone else self._product(bottom)
            front, plain = [rf"\frac{{{top}}}{{{lower}}}"], []
        elif divisor != 1:
            lone = number == 1 and not plain and len(sums) == 1 and sums[0].is_Add
            top, sums = (self._print(sums[0]), []) if lone else (self._print(number), sums)
            front = [rf"\frac{{{top}}}{{{self._print(divisor)}}}"]
        return self._product(front + [self._factor(factor) for factor in plain + sums])

    def _factor(self, factor: sympy.Expr) -> str:
        shown = self._print(factor)
        return _bracketed(shown) if factor.is_Add or factor.is_Piecewise else str(shown)

    def _product(self, shown: list[str]) -> str:
        return " ".join(shown)

    def _print_Pow(self, expr: sympy.Pow) -> str:
        """Write κ^{(i+j)/2} with one fraction, and powers of m_1' with brackets."""
        if expr.base in _BRACKETED and expr.exp.is_Integer and expr.exp > 0:
            return f"{_bracketed(self._print(expr.base))}^{{{self._print(expr.exp)}}}"
        content, terms = expr.exp.primitive()
        if expr.base.is_Symbol and expr.exp.is_Add and content.p == 1 and all(term.is_Symbol for term in terms.args):
            return rf"{self._print(expr.base)}^{{\frac{{{self._print(terms)}}}{{{content.q}}}}}"
        return str(super()._print_Pow(expr))

    def _print_Derivative(self, expr: sympy.Derivative) -> str:
        (variable, count), *others = expr.variable_count
        if count != 1 or others:
            return str(super()._print_Derivative(expr))
        return rf"\frac{{\partial {self._print(expr.expr)}}}{{\partial {self._print(variable)}}}"

    def _print_Heaviside(self, expr: Any, exp: str | None = None) -> str:
        """Write the step function as an indicator: sympy's θ(x) would be read as an angle or a trace."""
        shown = rf"\mathbf{{1}}_{{\{{{self._print(expr.args[0])} > 0\}}}}"
        return shown if exp is None else f"{shown}^{{{exp}}}"

    def _print_MatAdd(self, expr: sympy.MatAdd) -> str:
        terms = " + ".join(map(self._print, sorted(expr.args, key=sympy.count_ops)))
        return terms.replace(" + -", " - ")

    def _print_MatMul(self, expr: sympy.MatMul) -> str:
        scalar, matrices = expr.as_coeff_matrices()
        sign, size = ("-", -scalar) if _sign_of(scalar) < 0 else ("", scalar)
        front = [] if size == 1 else [self._factor(size)]
        return sign + " ".join(front + [self._matrix(matrix) for matrix in matrices])

    def _matrix(self, matrix: sympy.MatrixExpr) -> str:
        shown = self._print(matrix)
        return _bracketed(shown) if matrix.is_MatAdd else str(shown)

    def _print_Transpose(self, expr: sympy.Transpose) -> str:
        shown = self._print(expr.arg)
        return rf"{shown if expr.arg.is_symbol else _bracketed(shown)}^{{\top}}"

    def _print_HadamardPower(self, expr: sympy.HadamardPower) -> str:
        base, exponent = expr.args
        if isinstance(base, sympy.Transpose):  # (aᵀ)^{∘k} is (a^{∘k})ᵀ
            return rf"{_bracketed(self._print(sympy.HadamardPower(base.arg, exponent)))}^{{\top}}"
        shown = self._print(base)
        shown = shown if base.is_symbol else _bracketed(shown)
        return rf"{shown}^{{\circ {self._print(exponent)}}}"

    def _print_Indexed(self, expr: sympy.Indexed) -> str:
        indices = ",".join(map(self._print, expr.indices))
        return (
            rf"c_{{\star,{indices}}}" if expr.base.label == c_star else f"{self._print(expr.base.label)}_{{{indices}}}"
        )

    def _print_Sum(self, expr: sympy.Sum) -> str:
        """Write sums over several indices of one range as the paper does, under one sign."""
        _, low, high = expr.limits[0]
        if expr.function.is_Add or any(limit[1:] != (low, high) for limit in expr.limits):
            return str(super()._print_Sum(expr))
        names = ", ".join(self._print(index) for index, *_ in expr.limits)
        return rf"\sum_{{{names} = {self._print(low)}}}^{{{self._print(high)}}} {self._print(expr.function)}"


def _bracketed(shown: str) -> str:
    return rf"\left( {shown} \right)"


def _factors(product: sympy.Expr) -> tuple[sympy.Expr, list[sympy.Expr]]:
    """Return the numeric factor, and the others in the order in which they are written."""
    factors = sympy.Mul.make_args(product)
    number = sympy.Mul(*(factor for factor in factors if factor.is_number))
    return number, sorted((factor for factor in factors if not factor.is_number), key=_factor_order)


def _factor_order(factor: sympy.Expr) -> tuple[Any, ...]:
    if isinstance(factor, sympy.Sum):
        return (2,)
    return (1, sympy.count_ops(factor), _symbol_order(factor)) if _is_compound(factor) else (0, _symbol_order(factor))


def _is_compound(factor: sympy.Expr) -> bool:
    return bool(factor.is_Add or (factor.is_Pow and factor.base.is_Add and factor.exp.is_Integer))


def _symbol_order(factor: sympy.Expr) -> tuple[Any, ...]:
    symbols = sorted(write_order(symbol) for symbol in factor.atoms(PaperSymbol))
    return (bool(symbols), tuple(symbols), sympy.default_sort_key(factor))


def _sign_of(term: sympy.Expr) -> int:
    """Return the sign of a term's number, 1 where there is none."""
    number, _ = term.as_coeff_Mul()
    return -1 if number.is_negative else 1


def _in_order(terms: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Return terms in the order in which they are written: 1 − x and x − 1, and of two the positive one first."""
    ordered = sorted(terms, key=term_order)
    if set().union(*(term.free_symbols for term in terms)) == {x}:  # a polynomial in x: highest power first
        return ordered[::-1]
    if ordered[0].is_number and _sign_of(ordered[0]) < 0:
        ordered = [*ordered[1:], ordered[0]]
    if len(ordered) == 2 and _sign_of(ordered[0]) < 0 < _sign_of(ordered[1]):
        ordered.reverse()
    return ordered


def term_order(term: sympy.Expr) -> tuple[Any, ...]:
    """Return where a term stands in a sum: numbers, monomials by symbol and degree, compound ones, Ψ.

    >>> from theorycalc.symbolic.symbols import c_star_of, rho
    >>> sorted([c_star_of(3) * rho**6, c_star_of(2) * rho**4, sympy.Integer(1)], key=term_order)
    [1, c_star_2*rho**4, c_star_3*rho**6]
    """
    factors = _factors(term)[1]
    compound = any(_is_compound(factor) or factor.atoms(sympy.Add) for factor in factors)
    kind = 0 if term.is_number else 3 if Psi in term.free_symbols else 2 if compound else 1
    return (kind, tuple(_symbol_order(factor) for factor in factors))

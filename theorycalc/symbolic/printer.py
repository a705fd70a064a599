r"""LaTeX for sympy objects and formulas, as the paper would write them.

sympy orders terms and factors by its own rules.  Here products are written in the order of
:data:`~theorycalc.symbolic.symbols.LATEX` with sums behind a single fraction, and sums by rising index and degree,
with compound terms at the end; so a formula looks the same with every version of sympy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy
from sympy.printing.latex import LatexPrinter

from theorycalc.symbolic.symbols import PaperSymbol, Psi, c_star, m_1_slope, m_2_slope, slope_variance, write_order, x

#: Symbols whose powers need brackets: m_1' and Var σ'(Z).
_BRACKETED = (m_1_slope, m_2_slope, slope_variance)


class PaperPrinter(LatexPrinter):  # type: ignore[misc]
    """sympy's printer with our own order of factors and terms."""

    def _print_Add(self, expr: sympy.Add, order: Any = None) -> str:
        text = ""
        for term in _in_order(expr.args):
            negative = _sign_of(term) < 0
            text += f" - {self._term(-term)}" if negative else f" + {self._term(term)}"
        return f"-{text[3:]}" if text.startswith(" - ") else text[3:]

    def _print_acos(self, expr: sympy.acos, exp: str | None = None) -> str:
        shown = rf"\arccos{{\left({self._print(expr.args[0])}\right)}}"
        return shown if exp is None else f"{shown}^{{{exp}}}"

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
            top = " ".join(front + [self._factor(factor) for factor in plain]) or "1"
            bottom = [] if divisor == 1 else [self._factor(divisor)]
            bottom += [self._factor(factor) for factor in divisors]
            if not plain and not front and len(sums) == 1:  # a lone sum stands in the numerator
                top, sums = self._print(sums[0]), []
            alone = len(divisors) == 1 and divisor == 1
            lower = self._print(divisors[0]) if alone else " ".join(bottom)
            front, plain = [rf"\frac{{{top}}}{{{lower}}}"], []
        elif divisor != 1:
            lone = number == 1 and not plain and len(sums) == 1 and sums[0].is_Add
            top, sums = (self._print(sums[0]), []) if lone else (self._print(number), sums)
            front = [rf"\frac{{{top}}}{{{self._print(divisor)}}}"]
        return " ".join(front + [self._factor(factor) for factor in plain + sums])

    def _factor(self, factor: sympy.Expr) -> str:
        shown = self._print(factor)
        return _bracketed(shown) if factor.is_Add or factor.is_Piecewise else str(shown)

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
        """Return the step function as an indicator: sympy's θ(x) could be read as an angle or a trace."""
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
        """Return sums over several indices with one range under a single sign, as the paper writes them."""
        _, low, high = expr.limits[0]
        if expr.function.is_Add or any(limit[1:] != (low, high) for limit in expr.limits):
            return str(super()._print_Sum(expr))
        names = ", ".join(self._print(index) for index, *_ in expr.limits)
        return rf"\sum_{{{names} = {self._print(low)}}}^{{{self._print(high)}}} {self._print(expr.function)}"


class Bracketed(sympy.Function):  # type: ignore[misc]
    """A function written with its own brackets, such as a mean."""

    brackets: tuple[str, str]

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        shown = ", ".join(map(printer.doprint, self.args)).join(self.brackets)
        return shown if exp is None else f"{shown}^{{{exp}}}"


def _bracketed(shown: str) -> str:
    return rf"\left( {shown} \right)"


def _factors(product: sympy.Expr) -> tuple[sympy.Expr, list[sympy.Expr]]:
    """Return the numeric factor, and the other factors in writing order."""
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
    """Return the sign of a term's numeric factor."""
    number, _ = term.as_coeff_Mul()
    return -1 if number.is_negative else 1


def _in_order(terms: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Return terms in writing order: 1 − x and x − 1; of two terms, the positive one first."""
    ordered = sorted(terms, key=term_order)
    if set().union(*(term.free_symbols for term in terms)) == {x}:  # a polynomial in x: highest power first
        return ordered[::-1]
    if ordered[0].is_number and _sign_of(ordered[0]) < 0:
        ordered = [*ordered[1:], ordered[0]]
    if len(ordered) == 2 and _sign_of(ordered[0]) < 0 < _sign_of(ordered[1]):
        ordered.reverse()
    return ordered


def term_order(term: sympy.Expr) -> tuple[Any, ...]:
    """Return a sort key for a term in a sum: numbers, monomials by symbol and degree, compound terms, Ψ.

    >>> from theorycalc.symbolic.symbols import c_star_of, rho
    >>> sorted([c_star_of(3) * rho**6, c_star_of(2) * rho**4, sympy.Integer(1)], key=term_order)
    [1, c_star_2*rho**4, c_star_3*rho**6]
    """
    factors = _factors(term)[1]
    compound = any(_is_compound(factor) or factor.atoms(sympy.Add) for factor in factors)
    kind = 0 if term.is_number else 3 if Psi in term.free_symbols else 2 if compound else 1
    return (kind, tuple(_symbol_order(factor) for factor in factors))


_PRINTER = PaperPrinter({"mat_delim": "", "mat_str": "pmatrix"})


def expression(thing: sympy.Basic) -> str:
    r"""Return one sympy object as LaTeX.

    >>> expression(sympy.Rational(1, 2))
    '\\frac{1}{2}'
    """
    return str(_PRINTER.doprint(thing))


class Line(NamedTuple):
    """One relation in a display, such as Δ_1 = λψm_2ρ²/φ, with its ``value``, if any: ≈ 0.13."""

    left: sympy.Basic
    right: sympy.Basic
    relation: str = "="
    value: sympy.Float | None = None


@dataclass(frozen=True)
class Formula:
    """A formula for people: ``statement`` has named parts, defined in ``where``; ``unfolded`` has no such names."""

    statement: tuple[Line, ...]
    where: tuple[Line, ...]
    unfolded: tuple[Line, ...]
    name: str = ""  # by which symbolic.formula() knows it

    def doit(self) -> sympy.Basic:
        """Return the first right-hand side, or a whole equation, with every named part substituted.

        >>> from theorycalc.symbolic import formula
        >>> sorted(map(str, formula("Delta", 1).doit().free_symbols))
        ['c_star', 'c_star_1', 'lambda', 'm_2', 'noise', 'phi', 'psi']
        """
        line = self.unfolded[0]
        return sympy.Eq(line.left, 0) if line.right == 0 and not line.left.is_Symbol else line.right

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {display(self.statement, self.where)}$"


def folded(statement: Iterable[Line], where: Iterable[Line] = ()) -> Formula:
    """Return the formula whose unfolded form has the parts in ``where`` substituted, one after another."""
    lines, parts = tuple(statement), tuple(where)

    def put_in(side: sympy.Basic) -> sympy.Basic:
        for part in parts:
            side = side.xreplace({part.left: part.right})
        return side

    return Formula(
        lines, parts, tuple(line._replace(left=put_in(line.left), right=put_in(line.right)) for line in lines)
    )


def display(statement: Iterable[Line], where: Iterable[Line] = ()) -> str:
    """Return lines aligned at their relation signs, with definitions after "where"."""
    return "\\begin{aligned}\n" + aligned(statement, where, _line) + "\n\\end{aligned}"


def aligned(statement: Iterable[Line], where: Iterable[Line], write: Callable[[Line], str]) -> str:
    """Return the lines of a display, each written by ``write``."""
    lines = [write(line) for line in statement]
    lines += [("" if i else r"\text{where}\quad ") + write(line) for i, line in enumerate(where)]
    return " \\\\\n".join(lines)


def right_side(line: Line) -> str:
    """Return the right-hand side of a line, with its value if any."""
    value = "" if line.value is None else rf" \approx {expression(line.value)}"
    return expression(line.right) + value


def _line(line: Line) -> str:
    return f"{expression(line.left)} &{line.relation} {right_side(line)}"

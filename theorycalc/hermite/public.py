"""``coefficients``: the Hermite coefficients of an activation or teacher, as floats, proven digits or formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theorycalc.activations.grammar import parse
from theorycalc.activations.tree import Call, Constant, Number, Power, Product, Sum, Tree, Variable, Where
from theorycalc.balls import to_mpf
from theorycalc.errors import ArgumentError, DomainError, PrecisionError, checked_call
from theorycalc.hermite.coefficients import coefficients_balls, coefficients_floats, exact_coefficients
from theorycalc.numbers import MPF

if TYPE_CHECKING:
    import mpmath
    import numpy as np
    import sympy

_MOST_DIGITS = 10_000
_LARGEST_INDEX = 1000


@checked_call
def coefficients(
    activation: Any, K: int, digits: int | None = None, exact: bool = False
) -> np.ndarray[Any, np.dtype[np.float64]] | list[mpmath.mpf] | list[sympy.Expr]:
    """Return c_0, …, c_K of an activation: σ = Σ c_k H_k, c_k = E[σ(Z)H_k(Z)]/k! (theory section 2).

    ``activation`` is text, a tree, or anything with a ``tree``.  Without more, a float64 array; with ``digits``, a
    list of mpf with that many proven digits; with ``exact=True``, sympy expressions, where there is a closed form.

    >>> coefficients("relu", 2)
    array([0.39894228, 0.5       , 0.19947114])
    >>> print(coefficients("tanh(x + 1)", 1, digits=30)[1])
    0.449599509206672829711680501178
    >>> coefficients("relu", 3, exact=True)
    [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
    """
    tree = as_tree(activation)
    _check_index(K)
    if exact:
        if digits is not None:
            raise ArgumentError("exact=True and digits= exclude each other; evaluate the exact expressions instead")
        return exact_coefficients(tree, K)
    if digits is None:
        return coefficients_floats(tree, K)
    _check_digits(digits)
    enclosures, guarantee = coefficients_balls(tree, K, digits)
    if guarantee != "enclosed":
        raise PrecisionError(f"{digits} digits of this function could not be proven; leave digits= out for an estimate")
    context = MPF(digits).context
    return [+to_mpf(c, context) for c in enclosures]  # the sign rounds to the context's digits


def as_tree(activation: Any) -> Tree:
    """Return the tree of text, of a tree, or of an object that has one.

    >>> as_tree("x")
    Variable()
    """
    if isinstance(activation, str):
        return parse(activation)
    if isinstance(activation, Number | Constant | Variable | Sum | Product | Power | Call | Where):
        return activation
    tree = getattr(activation, "tree", None)
    if tree is None:
        raise DomainError(f"{activation!r} is not an activation with a formula; write text such as 'tanh(x + 1)'")
    return as_tree(tree)


def _check_index(K: int) -> None:
    if isinstance(K, bool) or not isinstance(K, int) or not 0 <= K <= _LARGEST_INDEX:
        raise DomainError(f"K={K!r} is not a whole number from 0 to {_LARGEST_INDEX}")


def _check_digits(digits: int) -> None:
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= _MOST_DIGITS:
        raise PrecisionError(f"digits={digits!r} must be a whole number from 1 to {_MOST_DIGITS}")

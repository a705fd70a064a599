"""tc.coefficients(): c_0, …, c_K of an activation in float64, with proven digits, or exact.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from theorycalc.errors import ArgumentError, PrecisionError, about, spelled, true_or_false
from theorycalc.functions.tree import Tree
from theorycalc.model.computed import HIGHEST_INDEX
from theorycalc.model.signatures import checked_call, documented
from theorycalc.numbers.balls import to_mpf
from theorycalc.numbers.exact import check_digits, whole

if TYPE_CHECKING:
    import mpmath
    import numpy as np
    import sympy
    from numpy.typing import NDArray

    from theorycalc.model.sampled import Estimate

#: c_0, c_1, … in float64, with proven digits, or in closed form.
Coefficients: TypeAlias = "NDArray[np.float64] | list[mpmath.mpf] | list[sympy.Expr]"


@documented
@checked_call
def coefficients(activation: object, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
    """Return c_0, …, c_k of an activation, given as :func:`activation` takes it.

    Without more, float64; with ``digits``, mpf numbers of which so many digits are proven; with ``exact``,
    sympy expressions where there is a closed form.

    >>> coefficients("relu", 3)
    array([0.39894228, 0.5       , 0.19947114, 0.        ])
    >>> print(coefficients("tanh", 3, digits=30)[1])
    0.605705509602158825583540227556
    """
    from theorycalc.model.reading import activation as read_activation

    with about("activation"):
        known = read_activation(activation)
    return known.coefficients(k, digits, exact)


def tree_coefficients(tree: Tree, k: int, digits: int | None, exact: bool) -> Coefficients:
    """Return c_0, …, c_k of a tree.

    >>> from theorycalc.functions.grammar import parse
    >>> tree_coefficients(parse("x**2"), 2, None, exact=True)
    [1, 0, 1]
    """
    from theorycalc.hermite.coefficients import coefficients_balls, coefficients_floats, exact_coefficients

    k = whole(k, "k", f"a whole number from 0 to {HIGHEST_INDEX}", 0, HIGHEST_INDEX)
    if true_or_false(exact, "exact"):
        if digits is not None:
            raise ArgumentError(f"give {spelled('digits')} or {spelled('exact', True)}, not both", argument="digits")
        return exact_coefficients(tree, k)
    if digits is None:
        return coefficients_floats(tree, k)
    digits = check_digits(digits)
    enclosures, guarantee = coefficients_balls(tree, k, digits)
    if guarantee != "enclosed":
        raise PrecisionError(
            f"{digits} digits cannot be proven for this function: its coefficients are estimates", argument="digits"
        )
    for index, value in enumerate(enclosures):
        if value.contains(0) and not value.is_exact():
            raise PrecisionError(
                f"c_{index} is undecided: it lies in {value.str(3)}, and the structure does not show it to be zero; "
                f"digits of it cannot be proven",
                argument="digits",
            )
    return [to_mpf(value, digits) for value in enclosures]


def undecided_coefficients(tree: Tree, k: int) -> dict[int, str]:
    """Return the enclosures of the c_j, j ≤ k, that contain 0 though nothing shows them to be zero.

    >>> from theorycalc.functions.grammar import parse
    >>> undecided_coefficients(parse("tanh"), 4)
    {}
    """
    from theorycalc.hermite.coefficients import FLOAT_DIGITS, coefficients_balls

    enclosures, _ = coefficients_balls(tree, k, FLOAT_DIGITS)
    return {j: c.str(3) for j, c in enumerate(enclosures) if c.contains(0) and not c.is_zero()}


def without_mean(values: Coefficients) -> Coefficients:
    """Return the coefficients with c_0 = 0, those of a centred activation.

    >>> without_mean([3.5, 1.0])
    [0.0, 1.0]
    """
    values[0] = 0 * values[0]
    return values


def estimated_coefficients(found: Estimate, digits: int | None, exact: bool) -> NDArray[np.float64]:
    """Return the estimated coefficients in float64, and refuse what an estimate cannot give."""
    if digits is not None or exact:
        raise PrecisionError(
            "the coefficients of a sampled function are estimates: no digits are proven", argument="digits"
        )
    return found.coefficients.copy()

"""The Hermite coefficients c_k = E[f(Z)He_k(Z)]/k! of an expression, E f² and c_{>1}².

See docs/theory/hermite.md#coefficients-of-a-function.

Closed forms are evaluated in balls where they exist; quadrature with proven errors does the rest.  Precision is
raised until every result has the relative digits asked for, so nearly linear functions and tiny c_k lose nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import flint
import numpy as np
from flint import arb

from theorycalc.errors import DomainError, PrecisionError, about, spelled
from theorycalc.functions.bounds import check_real, growth
from theorycalc.functions.pieces import pieces
from theorycalc.functions.tree import Tree, brief
from theorycalc.hermite.closed import closed_coefficients, closed_second_moment
from theorycalc.hermite.closed_terms import CLOSED_BALLS, NotClosed, closed_symbols, parts_of
from theorycalc.hermite.quadrature import Moments, moments, polynomial_coefficients, split
from theorycalc.numbers.balls import ball_precision, bits_for, nearest_float
from theorycalc.running.budget import spends

if TYPE_CHECKING:
    import sympy
    from numpy.typing import NDArray

#: A function from an accuracy in bits to enclosures and their guarantee.
Attempt: TypeAlias = Callable[[int], tuple[list[flint.arb], str]]

FLOAT_DIGITS = 25
_FIRST_BITS = 64  # to find the sizes, before many digits are computed
_SPARE_BITS = 4
_MOST_ATTEMPTS = 20
_SMALLEST_FUNCTION_BITS = 2400  # of the square of the smallest literal


@lru_cache(maxsize=512)
@spends("reading")
def check_defined(tree: Tree) -> None:
    """Refuse a function that is not shown to be real and square-integrable under the Gaussian.

    >>> from theorycalc.functions.grammar import parse
    >>> check_defined(parse("exp(x**2)"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: exp(x**2) is not shown to be square-integrable: E f(Z)² may be infinite
    """
    check_real(tree)
    if growth(tree).exponent_quadratic * 4 >= 1:
        raise DomainError(f"{brief(tree)} is not shown to be square-integrable: E f(Z)² may be infinite")


@lru_cache(maxsize=512)
@spends("the coefficients of")
def has_closed_form(tree: Tree, square: bool = False) -> bool:
    """Return whether c_k, or with ``square`` E f², has a closed form that can be evaluated in balls.

    >>> from theorycalc.functions.grammar import parse
    >>> has_closed_form(parse("gelu")), has_closed_form(parse("tanh"))
    (True, False)
    """
    try:
        with ball_precision(_FIRST_BITS):
            if square:
                closed_second_moment(CLOSED_BALLS, pieces(tree))
            else:
                closed_coefficients(CLOSED_BALLS, pieces(tree), 0)
    except NotClosed:
        return False
    return True


@lru_cache(maxsize=256)
@spends("the coefficients of")
def coefficients_balls(tree: Tree, K: int, digits: int) -> tuple[tuple[flint.arb, ...], str]:
    """Return c_0, …, c_K, each to ``digits`` relative digits, and "enclosed" or "estimated".

    Zeros of the structure are exactly 0.  A ball that still contains 0 is undecided; it is smaller than
    10^{−digits} √(E f²/k!).

    >>> from theorycalc.functions.grammar import parse
    >>> balls, guarantee = coefficients_balls(parse("tanh"), 3, 30)
    >>> print(balls[1].str(20), balls[2], guarantee)
    [0.60570550960215882558 +/- 3.55e-21] 0 enclosed
    """
    check_defined(tree)
    values, guarantee = _until_accurate(lambda bits: _attempt(tree, K, bits), digits, K)
    undecided = [k for k, v in enumerate(values) if v.contains(0) and not v.is_zero()]
    if undecided and has_closed_form(tree):  # a closed form shows zeros that parity does not, of relu(x - 1)
        with contextlib.suppress(OverflowError):  # of sympy, at exp(−10^600): what is undecided stays so
            exact = exact_coefficients(tree, max(undecided))
            values = [arb(0) if k in undecided and exact[k] == 0 else v for k, v in enumerate(values)]
    return tuple(values), guarantee


def _attempt(tree: Tree, K: int, accuracy: int) -> tuple[list[flint.arb], str]:
    if not has_closed_form(tree):
        found = moments(tree, K, accuracy)
        return found.coefficients, found.guarantee
    with ball_precision(accuracy + 2 * K + 30):
        values = [arb(c) for c in closed_coefficients(CLOSED_BALLS, pieces(tree), K)]
        parts = split(tree)
        if parts.parity is not None:  # then every second coefficient is known exactly
            values[parts.skipped :: 2] = polynomial_coefficients(parts.polynomial, K)[parts.skipped :: 2]
        return values, "enclosed"


def _until_accurate(attempt: Attempt, digits: int, K: int) -> tuple[list[flint.arb], str]:
    """Return values at an accuracy raised until each has its digits, or contains 0 even at a generous limit."""
    target = bits_for(digits) + _SPARE_BITS
    accuracy = target + 20 + K // 2 if target < 3 * _FIRST_BITS else _FIRST_BITS
    for _ in range(_MOST_ATTEMPTS):
        values, guarantee = attempt(accuracy)
        if guarantee == "estimated" and not all(v.is_finite() for v in values):
            raise PrecisionError("the coefficients could neither be proven nor estimated: the function is too rough")
        decided = [v for v in values if not v.contains(0)]
        lacking = max((target - int(v.rel_accuracy_bits()) for v in decided), default=0)
        undecided = any(v.contains(0) and not v.is_zero() for v in values)
        limit = target + 40 * K + 128 + _smallness(values)
        if guarantee == "estimated" or (lacking <= 0 and (not undecided or accuracy >= limit)):
            return values, guarantee
        wanted = accuracy + max(lacking, 0) + _SPARE_BITS
        accuracy = max(wanted, min(2 * accuracy, limit)) if undecided else wanted
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        f"{digits} digits could not be proven with {accuracy} bits"
    )


def _smallness(values: list[flint.arb]) -> int:
    """Return −log2 of the largest |c_k|√k! seen: coefficients of tiny functions need that many extra bits."""
    seen = [abs(v) * arb(k).fac().sqrt() for k, v in enumerate(values) if not v.contains(0)]
    logarithms = [float(v.log().mid()) / math.log(2) for v in seen]
    largest = max((size for size in logarithms if math.isfinite(size)), default=-_SMALLEST_FUNCTION_BITS)
    return max(0, min(_SMALLEST_FUNCTION_BITS, int(-largest)))


def coefficients_floats(tree: Tree, K: int) -> NDArray[np.float64]:
    """Return c_0, …, c_K, each the float64 nearest to the middle of its enclosure, or 0 if its sign is undecided.

    >>> from theorycalc.functions.grammar import parse
    >>> coefficients_floats(parse("relu"), 3)
    array([0.39894228, 0.5       , 0.19947114, 0.        ])
    """
    enclosures, _ = coefficients_balls(tree, K, FLOAT_DIGITS)
    with about("activation"):
        return np.array([0.0 if c.contains(0) else nearest_float(c, f"c_{k}") for k, c in enumerate(enclosures)])


@spends("the coefficients of")
def exact_coefficients(tree: Tree, K: int) -> list[sympy.Expr]:
    """Return c_0, …, c_K as exact sympy expressions; refuse functions without a closed form.

    >>> from theorycalc.functions.grammar import parse
    >>> exact_coefficients(parse("relu"), 3)
    [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
    >>> exact_coefficients(parse("tanh"), 3)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: the Hermite coefficients of tanh(x) have no known closed form; use digits=
    """
    check_defined(tree)
    try:
        values = closed_coefficients(closed_symbols(), pieces(tree), K)
    except NotClosed:
        reason = f"the Hermite coefficients of {brief(tree)} have no known closed form; use {spelled('digits')}"
        raise DomainError(reason, argument="exact") from None
    parts = split(tree)
    if parts.parity is not None:
        for k in range(K + 1):
            if k % 2 == parts.skipped and k >= len(parts.polynomial):
                values[k] = closed_symbols().zero  # sympy itself does not see every one
    return values


def second_moment_ball(tree: Tree, digits: int) -> flint.arb:
    """Return E f(Z)² to ``digits`` relative digits.

    >>> from theorycalc.functions.grammar import parse
    >>> print(second_moment_ball(parse("tanh"), 20).str(15))
    [0.394294490397841 +/- 1.75e-16]
    """
    return _second_moments(tree, digits, rest=False)


def variance_rest_ball(tree: Tree, digits: int) -> flint.arb:
    """Return c_{>1}² = E f² − c_0² − c_1² to ``digits`` relative digits, or exactly 0 for a + bx.

    >>> from theorycalc.functions.grammar import parse
    >>> print(variance_rest_ball(parse("x + 1e-12*tanh(x)"), 20).str(10), variance_rest_ball(parse("2*x + 1"), 20))
    [2.741532604e-26 +/- 4.57e-36] 0
    """
    return arb(0) if is_affine(tree) else _second_moments(tree, digits, rest=True)


@lru_cache(maxsize=512)
@spends("the second moment of")
def _second_moments(tree: Tree, digits: int, rest: bool) -> flint.arb:
    check_defined(tree)

    def attempt(accuracy: int) -> tuple[list[flint.arb], str]:
        found = _low_moments(tree, accuracy)
        if not rest:
            return [found.second], found.guarantee
        with ball_precision(accuracy + 60):
            mean, slope = found.coefficients
            return [found.second - mean * mean - slope * slope], found.guarantee

    return _until_accurate(attempt, digits, 0)[0][0]


def _low_moments(tree: Tree, accuracy: int) -> Moments:
    """Return c_0, c_1 and E f²."""
    if not (has_closed_form(tree) and has_closed_form(tree, square=True)):
        return moments(tree, 1, accuracy)
    with ball_precision(accuracy + 60):
        found = pieces(tree)
        values = [arb(c) for c in closed_coefficients(CLOSED_BALLS, found, 1)]
        return Moments(values, arb(closed_second_moment(CLOSED_BALLS, found)), "enclosed")


def is_affine(tree: Tree) -> bool:
    """Return whether the structure of the function shows it to be a + bx.

    >>> from theorycalc.functions.grammar import parse
    >>> is_affine(parse("2*x + pi")), is_affine(parse("x + x**2"))
    (True, False)
    """
    found = pieces(tree)
    if len(found) > 1:
        return False
    try:
        with ball_precision(_FIRST_BITS):
            parts = parts_of(CLOSED_BALLS, found[0].tree)
    except NotClosed:
        return False
    return all(part.is_polynomial and all(c == 0 for c in part.polynomial[2:]) for part in parts)

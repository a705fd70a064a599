"""Hermite coefficients of any expression by quadrature: which rule, on which part of the line, with what guarantee.

One smooth function: the trapezoidal rule on a proven strip.  Kinks, or a thin strip: Gauss–Legendre on cells.
Neither proven: two resolutions of the latter, "estimated".
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import flint
from flint import arb

from theorycalc.errors import PrecisionError
from theorycalc.functions.algebra import xi
from theorycalc.functions.bounds import growth
from theorycalc.functions.build import add, negative
from theorycalc.functions.enclosures import compiled
from theorycalc.functions.pieces import Piece, as_tree, pieces
from theorycalc.functions.properties import parity_modulo_polynomial
from theorycalc.functions.tree import Power, Product, Rational, Tree, Variable
from theorycalc.hermite import estimate, legendre, trapezoid
from theorycalc.hermite.power_sums import hermite_majorants, lost_bits
from theorycalc.hermite.tails import TailGrowth, UnboundedError, tail_growth, tail_integral
from theorycalc.numbers.balls import ball_precision

_STARTS = (4.0, 16.0, 64.0, 256.0)  # where the tails may begin
_BOUND_BITS = 64
_WIDE_STRIP = 0.4  # a thinner one is compared with cells, which can be short where the function is rough only


@dataclass(frozen=True)
class Moments:
    """Enclosures (or estimates) of c_0, …, c_K and of E f²."""

    coefficients: list[flint.arb]
    second: flint.arb
    guarantee: str


@dataclass(frozen=True)
class Split:
    """f = polynomial + rest, the rest of a parity and the polynomial of the opposite one (or no parity and 0)."""

    parity: str | None
    polynomial: tuple[Tree, ...]
    rest: tuple[Piece, ...]


@dataclass(frozen=True)
class Tails:
    """The growth of both tails beyond ``start``, and whether it is proven."""

    start: float
    growths: tuple[TailGrowth, TailGrowth]
    proven: bool


@lru_cache(maxsize=256)
def split(tree: Tree) -> Split:
    """Take off the polynomial that leaves an odd or even function, if there is one.

    >>> from theorycalc.functions.grammar import parse
    >>> split(parse("softplus")).parity
    'even'
    """
    found = pieces(tree)
    decided = parity_modulo_polynomial(tree)
    if decided is None:
        return Split(None, (), tuple(found))
    parity, coefficients = decided
    polynomial = tuple(as_tree(c) for c in coefficients)
    terms = [negative(_monomial(c, j)) for j, c in enumerate(polynomial) if c != Rational(Fraction(0))]
    return Split(parity, polynomial, tuple(Piece(p.low, p.high, add(p.tree, *terms)) for p in found))


def _monomial(coefficient: Tree, degree: int) -> Tree:
    return coefficient if degree == 0 else Product((coefficient, Power(Variable(), Fraction(degree))))


def polynomial_coefficients(polynomial: tuple[Tree, ...], K: int) -> list[flint.arb]:
    """Return the Hermite coefficients Σ_j p_j ξ_{j,k} of a polynomial, exact where the p_j are whole."""
    values = [compiled(c)(arb(0)) for c in polynomial]
    return [sum((xi(j, k) * v for j, v in enumerate(values) if xi(j, k)), arb(0)) for k in range(K + 1)]


def polynomial_square(polynomial: tuple[Tree, ...]) -> flint.arb:
    """Return E P² = Σ k! p_k²."""
    values = polynomial_coefficients(polynomial, max(len(polynomial) - 1, 0))
    return sum((arb(k).fac() * c * c for k, c in enumerate(values)), arb(0))


def moments(tree: Tree, K: int, accuracy: int) -> Moments:
    """Return c_0, …, c_K to about 2^{−accuracy}/√k! and E f² to 2^{−accuracy}, all errors included.

    >>> from theorycalc.functions.grammar import parse
    >>> result = moments(parse("tanh"), 3, 60)
    >>> print(result.coefficients[1].str(10), result.guarantee)
    [0.6057055096 +/- 2.16e-12] enclosed
    """
    parts = split(tree)
    tails = _tails(parts.rest)
    bits = accuracy + 50 + lost_bits(K)
    rest = _proven(parts, tails, K, accuracy, bits) if tails.proven else None
    if rest is None:
        rest = _estimated(parts, tails, K, accuracy, bits)
    with ball_precision(bits):
        added = polynomial_coefficients(parts.polynomial, K)
        coefficients = [c if p == 0 else c + p for c, p in zip(rest.coefficients, added, strict=True)]
        return Moments(coefficients, rest.second + polynomial_square(parts.polynomial), rest.guarantee)


@lru_cache(maxsize=256)
def _tails(rest: tuple[Piece, ...]) -> Tails:
    """Bound both tails from the smallest start that works; beyond the last kink in any case."""
    with ball_precision(_BOUND_BITS):
        left, right = rest[0], rest[-1]
        kinks = [compiled(as_tree(p.high))(arb(0)) for p in rest[:-1] if p.high is not None]
        furthest = max((float(abs(kink).upper()) for kink in kinks), default=0.0)
        for start in [s for s in _STARTS if s > furthest] or [furthest + 1, 2 * furthest]:
            try:
                growths = (tail_growth(right.tree, 1, arb(start)), tail_growth(left.tree, -1, arb(start)))
            except UnboundedError:
                continue
            if all(_is_integrable(g) for g in growths):  # pragma: no branch - no known formula reaches it
                return Tails(start, growths, proven=True)
        beginning = max(_STARTS[0], furthest + 1)
        return Tails(beginning, estimate.sampled_growth(left.tree, right.tree, beginning, growth), proven=False)


def _is_integrable(tail: TailGrowth) -> bool:
    return bool(tail.constant.is_finite() and tail.quadratic < arb(1) / 4)


def _proven(parts: Split, tails: Tails, K: int, accuracy: int, bits: int) -> Moments | None:
    """Take the trapezoidal rule if the strip is wide, else the rule with less work; None if neither is proven."""
    grid = None
    if len(parts.rest) == 1:
        tree, symmetric = parts.rest[0].tree, parts.parity is not None
        grid = trapezoid.choose_grid(tree, tails.growths, tails.start, K, accuracy, symmetric)
        if grid is not None and grid.strip.half_width >= _WIDE_STRIP:
            return Moments(*trapezoid.moments_on(grid, tree, parts.parity, K, bits), "enclosed")
    with ball_precision(_BOUND_BITS):
        end = trapezoid.cut_off(tails.growths, tails.start, K, accuracy)
    spans = _spans(parts, end, bits)
    cells = [legendre.cells_of(span, K, accuracy) for span in spans]
    known = [c for c in cells if c is not None]
    complete = len(known) == len(cells)
    if grid is not None:
        nodes = sum(cell.nodes for found in known for cell in found)
        if not complete or grid.count < nodes:
            return Moments(*trapezoid.moments_on(grid, parts.rest[0].tree, parts.parity, K, bits), "enclosed")
    if not complete:
        return None
    return _completed(parts, tails, end, legendre.moments_over(spans, known, parts.parity, K, bits), bits, "enclosed")


def _estimated(parts: Split, tails: Tails, K: int, accuracy: int, bits: int) -> Moments:
    with ball_precision(_BOUND_BITS):
        end = trapezoid.cut_off(tails.growths, tails.start, K, accuracy)
    spans = _spans(parts, end, bits)
    return _completed(
        parts, tails, end, estimate.two_resolutions(spans, parts.parity, K, accuracy, bits), bits, "estimated"
    )


def _spans(parts: Split, end: float, bits: int) -> list[legendre.Span]:
    """Return the pieces cut off at ±end; of an odd or even function the right half."""
    lowest = -end if parts.parity is None else 0.0
    spans = (_span(piece, lowest, end, bits) for piece in parts.rest)
    return [span for span in spans if span is not None]


def _span(piece: Piece, lowest: float, end: float, bits: int) -> legendre.Span | None:
    """Return what of a piece is right of ``lowest``, with ends precise enough to tell them apart; None if nothing."""
    for precision in (bits, 4 * bits, 16 * bits, 64 * bits):
        with ball_precision(precision):
            low = arb(lowest) if piece.low is None else compiled(as_tree(piece.low))(arb(0))
            high = arb(end) if piece.high is None else compiled(as_tree(piece.high))(arb(0))
            if low <= lowest:
                low = arb(lowest)
            elif not low >= lowest:
                continue  # pragma: no cover - no known problem reaches it
            if high > low:
                return legendre.Span(low, high, piece.tree)
            if high <= low:
                return None
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        "two kinks are too close together to be told apart"
    )


def _completed(
    parts: Split, tails: Tails, end: float, found: tuple[list[flint.arb], flint.arb], bits: int, guarantee: str
) -> Moments:
    """Add the tails beyond ±end, and double what was integrated over half of the line only."""
    coefficients, second = found
    K = len(coefficients) - 1
    with ball_precision(_BOUND_BITS):
        cut = arb(end)
        majorants = hermite_majorants(cut, K)
        sizes = [sum((tail_integral(g, cut, k) for g in tails.growths), arb(0)) for k in range(K + 1)]
        errors = [(s * p / arb(k).fac()).upper() for k, (s, p) in enumerate(zip(sizes, majorants, strict=True))]
        square_error = sum((tail_integral(g.times(g), cut, 0) for g in tails.growths), arb(0)).upper()
    with ball_precision(bits):
        if parts.parity is not None:
            skipped = 0 if parts.parity == "odd" else 1
            coefficients, second = [2 * c for c in coefficients], 2 * second
            coefficients[skipped::2] = errors[skipped::2] = [arb(0)] * len(errors[skipped::2])
        enclosed = [c + e * arb(0, 1) for c, e in zip(coefficients, errors, strict=True)]
        return Moments(enclosed, second + square_error * arb(0, 1), guarantee)

"""Hermite coefficients of any expression by quadrature: the choice of rule, the cuts of the line, the guarantee.

A smooth function is integrated by the trapezoidal rule on a proven strip; one with kinks, or with a thin strip, by
Gauss–Legendre on cells.  Where neither can be proven, two resolutions of the latter give an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import flint
from flint import arb

from theorycalc.errors import PrecisionError
from theorycalc.functions.algebra import xi
from theorycalc.functions.build import add, negative
from theorycalc.functions.enclosures import ball_of
from theorycalc.functions.pieces import Piece, pieces
from theorycalc.functions.properties import parity_modulo_polynomial
from theorycalc.functions.tree import Power, Product, Rational, Tree, Variable
from theorycalc.hermite import legendre, trapezoid
from theorycalc.hermite.tails import TailGrowth, UnboundedError, cut_errors, cut_off, sampled_growth, tail_growth
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
    """f = polynomial + rest, where the rest has a parity and the polynomial the opposite one (or no parity and 0)."""

    parity: str | None
    polynomial: tuple[Tree, ...]
    rest: tuple[Piece, ...]

    @property
    def skipped(self) -> int:
        """The first index whose coefficient vanishes for the rest."""
        return 0 if self.parity == "odd" else 1


@dataclass(frozen=True)
class Tails:
    """The growth of both tails beyond ``start``, and whether that is proven."""

    start: float
    growths: tuple[TailGrowth, TailGrowth]
    proven: bool


@lru_cache(maxsize=256)
def split(tree: Tree) -> Split:
    """Return the function with a polynomial split off such that an odd or even function is left, if possible.

    >>> from theorycalc.functions.grammar import parse
    >>> split(parse("softplus")).parity
    'even'
    """
    found = pieces(tree)
    decided = parity_modulo_polynomial(tree)
    if decided is None:
        return Split(None, (), found)
    parity, polynomial = decided
    monomials = ((c, Product((c, Power(Variable(), Fraction(j)))) if j else c) for j, c in enumerate(polynomial))
    terms = [negative(monomial) for c, monomial in monomials if c != Rational(Fraction(0))]
    return Split(parity, polynomial, tuple(Piece(p.low, p.high, add(p.tree, *terms)) for p in found))


def polynomial_coefficients(polynomial: tuple[Tree, ...], K: int) -> list[flint.arb]:
    """Return the Hermite coefficients Σ_j p_j ξ_{j,k} of a polynomial, exact where all p_j are whole."""
    values = [ball_of(c) for c in polynomial]
    return [sum((xi(j, k) * v for j, v in enumerate(values) if xi(j, k)), arb(0)) for k in range(K + 1)]


def polynomial_square(polynomial: tuple[Tree, ...]) -> flint.arb:
    """Return E P² = Σ k! p_k²."""
    values = polynomial_coefficients(polynomial, max(len(polynomial) - 1, 0))
    return sum((arb(k).fac() * c * c for k, c in enumerate(values)), arb(0))


def moments(tree: Tree, K: int, accuracy: int) -> Moments:
    """Return c_0, …, c_K to about 2^{−accuracy}/√k! and E f² to 2^{−accuracy}, with all errors included.

    >>> from theorycalc.functions.grammar import parse
    >>> result = moments(parse("tanh"), 3, 60)
    >>> print(result.coefficients[1].str(10), result.guarantee)
    [0.6057055096 +/- 2.16e-12] enclosed
    """
    parts = split(tree)
    tails = _tails(parts.rest)
    bits = accuracy + 50 + trapezoid.lost_bits(K)
    rest = _rest_moments(parts, tails, K, accuracy, bits)
    with ball_precision(bits):
        added = polynomial_coefficients(parts.polynomial, K)
        coefficients = [c if p == 0 else c + p for c, p in zip(rest.coefficients, added, strict=True)]
        return Moments(coefficients, rest.second + polynomial_square(parts.polynomial), rest.guarantee)


@lru_cache(maxsize=256)
def _tails(rest: tuple[Piece, ...]) -> Tails:
    """Return bounds of both tails from the smallest usable start beyond the last kink, or estimates."""
    with ball_precision(_BOUND_BITS):
        left, right = rest[0], rest[-1]
        kinks = [ball_of(piece.high) for piece in rest if piece.high is not None]
        furthest = max((float(abs(kink).upper()) for kink in kinks), default=0.0)
        for start in [s for s in _STARTS if s > furthest] or [furthest + 1, 2 * furthest]:
            try:
                growths = tail_growth(right.tree, 1, arb(start)), tail_growth(left.tree, -1, arb(start))
            except UnboundedError:
                continue
            integrable = (one.constant.is_finite() and one.quadratic < arb(1) / 4 for one in growths)
            if all(integrable):  # pragma: no branch - no known formula reaches it
                return Tails(start, growths, proven=True)
        start = max(_STARTS[0], furthest + 1)
        growths = sampled_growth(right.tree, 1, start), sampled_growth(left.tree, -1, start)
        return Tails(start, growths, proven=False)


def _rest_moments(parts: Split, tails: Tails, K: int, accuracy: int, bits: int) -> Moments:
    """Return moments by the trapezoidal rule if its strip is wide, else by the proven rule, or estimates."""
    grid = None
    if tails.proven and len(parts.rest) == 1:
        symmetric = parts.parity is not None
        grid = trapezoid.choose_grid(parts.rest[0].tree, tails.growths, tails.start, K, accuracy, symmetric)
    if grid is None or grid.strip.half_width < _WIDE_STRIP:
        with ball_precision(_BOUND_BITS):
            end = cut_off(tails.growths, tails.start, K, accuracy)
        spans = _spans(parts, end, bits)
        cells = [legendre.cells_of(span, K, accuracy) if tails.proven else None for span in spans]
        known = [found for found in cells if found is not None]
        nodes = sum(cell.nodes for found in known for cell in found)
        if len(known) == len(cells) and (grid is None or nodes <= grid.count):
            found = legendre.moments_over(spans, known, parts.parity, K, bits)
            return _completed(parts, tails, end, found, bits, "enclosed")
        if grid is None:
            found = legendre.estimated_moments(spans, parts.parity, K, accuracy, bits)
            return _completed(parts, tails, end, found, bits, "estimated")
    return Moments(*trapezoid.moments_on(grid, parts.rest[0].tree, parts.parity, K, bits), "enclosed")


def _spans(parts: Split, end: float, bits: int) -> list[legendre.Span]:
    """Return the pieces cut off at ±end; for odd and even functions, only the right half."""
    lowest = -end if parts.parity is None else 0.0
    return [span for span in (_span(piece, lowest, end, bits) for piece in parts.rest) if span is not None]


def _span(piece: Piece, lowest: float, end: float, bits: int) -> legendre.Span | None:
    """Return the part of a piece to the right of ``lowest``, with distinct ends, or None if it is empty."""
    for precision in (bits, 4 * bits, 16 * bits, 64 * bits):
        with ball_precision(precision):
            low = arb(lowest) if piece.low is None else ball_of(piece.low)
            high = arb(end) if piece.high is None else ball_of(piece.high)
            if low <= lowest:
                low = arb(lowest)
            elif not low >= lowest:
                continue  # pragma: no cover - no known problem reaches it
            if high > low:
                return legendre.Span(low, high, piece.tree)
            if high <= low:
                return None
    raise PrecisionError("two kinks are too close together")  # pragma: no cover - no known problem reaches it


def _completed(
    parts: Split, tails: Tails, end: float, found: tuple[list[flint.arb], flint.arb], bits: int, guarantee: str
) -> Moments:
    """Return the moments with the tails beyond ±end as errors; integrals over half the line are doubled."""
    coefficients, second = found
    with ball_precision(_BOUND_BITS):
        beyond, square_error = cut_errors(tails.growths, arb(end), len(coefficients) - 1)
        errors = [(error / arb(k).fac()).upper() for k, error in enumerate(beyond)]
    with ball_precision(bits):
        if parts.parity is not None:
            coefficients, second = [2 * c for c in coefficients], 2 * second
            none = [arb(0)] * len(errors[parts.skipped :: 2])
            coefficients[parts.skipped :: 2] = errors[parts.skipped :: 2] = none
        enclosed = [c + e * arb(0, 1) for c, e in zip(coefficients, errors, strict=True)]
        return Moments(enclosed, second + square_error.upper() * arb(0, 1), guarantee)

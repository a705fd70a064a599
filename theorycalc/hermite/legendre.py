"""Hermite coefficients of a function with kinks: Gauss–Legendre between them, with every error in the ball.

docs/decisions/0009-quadrature.md compares it with Arb's own integrator.

On [−1, 1], F analytic with |F| ≤ M in the Bernstein ellipse ρ has Chebyshev coefficients |a_j| ≤ 2Mρ^{−j}.  The n-point
rule is exact below degree 2n, and on T_j the rule and the integral are at most 2 and 2/3 (j ≥ 2), so

    |rule − integral| ≤ Σ_{j≥2n} 2Mρ^{−j} · 8/3 = (16/3) M ρ^{−2n}/(1 − 1/ρ).

Boxes that cover the ellipse bound M; |He_k(z)| ≤ P_k(|z|) as in :mod:`theorycalc.hermite.tails`.  Where no ellipse can
be proven, the rule at two resolutions gives an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import flint
from flint import acb, arb

from theorycalc.functions.enclosures import Interval, compiled, range_of
from theorycalc.functions.primitives import BallFunction
from theorycalc.functions.tree import Tree
from theorycalc.hermite.tails import hermite_majorants
from theorycalc.hermite.trapezoid import add_powers, hermite_sums
from theorycalc.numbers.balls import ball_precision
from theorycalc.running.budget import check

_BOUND_BITS = 64
_CELL = 3.0  # length of the longest cells with nodes
_SPARE_BITS = 10
_MANY_NODES = 32
_MOST_NODES = 200_000
_RATIOS = (1.5, 2.0, 3.0, 5.0, 9.0, 16.0, 28.0)  # of the ellipses tried
_ACROSS, _UP = 6, 3  # boxes over the upper half of an ellipse
_MOST_CELLS = 2000  # of one span, besides one for each bit
_ROUND_NODES = 8
_EVEN_CELLS = 8  # of a span whose cells are not proven, before it is graded towards its ends


@dataclass(frozen=True)
class Cell:
    """An interval, its ellipse, bounds of |f φ| and |f² φ| in that ellipse, and a bound of |z|.

    A cell without nodes is a sliver next to a singular end: all of its integral counts as error.
    """

    low: flint.arb
    high: flint.arb
    ratio: float
    size: flint.arb
    square: flint.arb
    radius: flint.arb
    nodes: int


@dataclass(frozen=True)
class Span:
    """A finite interval on which an expression is smooth."""

    low: flint.arb
    high: flint.arb
    tree: Tree


def cells_of(span: Span, K: int, bits: int) -> list[Cell] | None:
    """Return a span cut into cells, each with a proven ellipse or negligible, or None if that fails."""
    with ball_precision(_BOUND_BITS + 2 * bits):
        function = compiled(span.tree)
    waiting = [(span.low, span.high, 0)]
    found: list[Cell] = []
    for _ in range(_MOST_CELLS + 2 * bits):
        if not waiting:
            return found if sum(cell.nodes for cell in found) < _MOST_NODES else None
        check()
        low, high, depth = waiting.pop()
        with ball_precision(_BOUND_BITS + depth):  # the ends of a short cell agree in many bits
            cell = _sliver(span.tree, low, high)
            if cell is None or not _is_negligible(cell, K, bits):
                cell = _best_cell(function, low, high, K, bits) if high - low < _CELL else None
                if cell is not None and cell.nodes > bits + _MANY_NODES:  # shorter cells allow rounder ellipses
                    cell = None
            if cell is None:
                middle = ((low + high) / 2).mid()  # exact, so that this low precision does not enter the integral
        if cell is not None:
            found.append(cell)
        elif depth > 2 * bits:
            return None
        else:
            waiting += [(low, middle, depth + 1), (middle, high, depth + 1)]
    return None


def _is_negligible(cell: Cell, K: int, bits: int) -> bool:
    highest = (hermite_majorants(cell.radius, K)[K] / arb(K).fac().sqrt()).max(arb(1))
    return bool((cell.size * highest + cell.square) * (cell.high - cell.low) < arb(2) ** (-bits - _SPARE_BITS))


def _sliver(tree: Tree, low: flint.arb, high: flint.arb) -> Cell | None:
    """Return a cell with f bounded by its range there: far out, or next to a singular end, it needs no nodes."""
    size = range_of(tree, Interval(low.lower(), high.upper()), is_real=True).magnitude()
    if not size.is_finite():
        return None
    nearest = arb(0) if low <= 0 <= high else abs(low).min(abs(high))
    density = (-nearest * nearest / 2).exp().upper()
    return Cell(low, high, 1.0, size * density, size**2 * density, abs(low).max(abs(high)), 0)


def _best_cell(function: BallFunction, low: flint.arb, high: flint.arb, K: int, bits: int) -> Cell | None:
    best: Cell | None = None
    for ratio in _RATIOS:
        bounds = _ellipse_bounds(function, low, high, ratio)
        if bounds is None:
            break
        nodes = _nodes_needed(bounds, high - low, ratio, K, bits)
        if best is not None and nodes >= best.nodes:
            break
        best = Cell(low, high, ratio, *bounds, nodes)
    return best


def _ellipse_bounds(
    function: BallFunction, low: flint.arb, high: flint.arb, ratio: float
) -> tuple[flint.arb, flint.arb, flint.arb] | None:
    """Return bounds of |f φ|, |f² φ| and |z| on the rectangle around the ellipse; its lower half mirrors the upper."""
    middle, half = (low + high) / 2, (high - low) / 2
    wide, tall = half * (ratio + 1 / arb(ratio)) / 2, half * (ratio - 1 / arb(ratio)) / 2
    size, square, radius = arb(0), arb(0), arb(0)
    for i in range(_ACROSS):
        x = middle + wide * (arb(2 * i + 1, 1) / _ACROSS - 1)
        for j in range(_UP):
            y = tall * arb(2 * j + 1, 1) / (2 * _UP)
            value = function(acb(x, y))
            if not value.is_finite():
                return None
            modulus = value.abs_upper()
            density = ((y * y - x * x) / 2).exp().upper() / (2 * arb.pi()).sqrt()
            size = size.max((modulus * density).upper())
            square = square.max((modulus * modulus * density).upper())
            radius = radius.max(acb(x, y).abs_upper())
    return size, square, radius


def _nodes_needed(
    bounds: tuple[flint.arb, flint.arb, flint.arb], length: flint.arb, ratio: float, K: int, bits: int
) -> int:
    size, square, radius = bounds
    highest = hermite_majorants(radius, K)[K] / arb(K).fac().sqrt()
    worst = (size * highest.max(arb(1))).max(square).max(arb(2) ** (-bits)) * length * 16
    wanted = float(worst.log().upper()) + bits * math.log(2)
    nodes = max(1, math.ceil(wanted / (2 * math.log(ratio))))
    return -(-nodes // _ROUND_NODES) * _ROUND_NODES


@lru_cache(maxsize=128)
def _rule(nodes: int, bits: int) -> list[tuple[flint.arb, flint.arb]]:
    with ball_precision(bits):
        return [_node(nodes, i) for i in range(nodes)]


def _node(nodes: int, i: int) -> tuple[flint.arb, flint.arb]:
    check()
    found: tuple[flint.arb, flint.arb] = arb.legendre_p_root(nodes, i, weight=True)
    return found


def moments_over(
    spans: Sequence[Span], cells: Sequence[Sequence[Cell]], parity: str | None, K: int, bits: int
) -> tuple[list[flint.arb], flint.arb]:
    """Return enclosures of ∫ f He_k φ / k!, k ≤ K, and ∫ f² φ over the spans; with a ``parity``, for those k only."""
    with ball_precision(bits):
        powers, square = [arb(0)] * (K + 1), arb(0)
        root = (2 * arb.pi()).sqrt()
        for span, span_cells in zip(spans, cells, strict=True):
            function = compiled(span.tree)
            for cell in span_cells:
                if cell.nodes:
                    square += _add_cell(powers, function, cell, parity, bits)
        errors, square_error = _errors([cell for span_cells in cells for cell in span_cells], K)
        coefficients = [s / root / arb(k).fac() + errors[k] * arb(0, 1) for k, s in enumerate(hermite_sums(powers))]
        return coefficients, square / root + square_error * arb(0, 1)


def _add_cell(powers: list[flint.arb], function: BallFunction, cell: Cell, parity: str | None, bits: int) -> flint.arb:
    """Add the rule's sums of f x^i e^{−x²/2} to the powers; return that of f² e^{−x²/2}."""
    middle, half = (cell.low + cell.high) / 2, (cell.high - cell.low) / 2
    square = arb(0)
    for node, weight in _rule(cell.nodes, bits):
        check()
        x = middle + half * node
        value = function(x)
        weighted = half * weight * value * (-x * x / 2).exp()
        square += weighted * value
        if parity is None:
            add_powers(powers, 0, 1, weighted, x)
        elif parity == "even":
            add_powers(powers, 0, 2, weighted, x * x)
        else:
            add_powers(powers, 1, 2, weighted * x, x * x)
    return square


def _errors(cells: Sequence[Cell], K: int) -> tuple[list[flint.arb], flint.arb]:
    """Return bounds of the rule's error for c_0, …, c_K and for E f², over all cells."""
    with ball_precision(_BOUND_BITS):
        totals, square = [arb(0)] * (K + 1), arb(0)
        for cell in cells:
            length, ratio = cell.high - cell.low, arb(cell.ratio)
            factor = length
            if cell.nodes:
                factor = arb(8) / 3 * ratio ** (-2 * cell.nodes) / (1 - 1 / ratio) * length
            for k, majorant in enumerate(hermite_majorants(cell.radius, K)):
                totals[k] += factor * cell.size * majorant
            square += factor * cell.square
        return [(total / arb(k).fac()).upper() for k, total in enumerate(totals)], square.upper()


def estimated_moments(
    spans: Sequence[Span], parity: str | None, K: int, accuracy: int, bits: int
) -> tuple[list[flint.arb], flint.arb]:
    """Return estimates around the finer of two results of :func:`moments_over`, of twice their difference in width."""
    nodes = 16 + accuracy // 4
    coarse, coarse_square = _unproven(spans, parity, K, accuracy, bits, nodes)
    fine, fine_square = _unproven(spans, parity, K, accuracy + accuracy // 4, bits, nodes + nodes // 3)
    with ball_precision(bits):
        estimates = [f + 2 * abs(f - c).upper() * arb(0, 1) for f, c in zip(fine, coarse, strict=True)]
        return estimates, fine_square + 2 * abs(fine_square - coarse_square).upper() * arb(0, 1)


def _unproven(
    spans: Sequence[Span], parity: str | None, K: int, halvings: int, bits: int, nodes: int
) -> tuple[list[flint.arb], flint.arb]:
    with ball_precision(bits):
        zero = arb(0)
        cells = [[Cell(*ends, 2.0, zero, zero, zero, nodes) for ends in _graded(span, halvings)] for span in spans]
    return moments_over(spans, cells, parity, K, bits)


def _graded(span: Span, halvings: int) -> Iterator[tuple[flint.arb, flint.arb]]:
    """Return a span cut evenly, with its first and last cells halved repeatedly towards the ends."""
    step = (span.high - span.low) / _EVEN_CELLS
    inner = [span.low + step * j for j in range(1, _EVEN_CELLS)]
    towards_low = [span.low + step / 2**j for j in range(halvings, 0, -1)]
    towards_high = [span.high - step / 2**j for j in range(1, halvings + 1)]
    return pairwise([span.low, *towards_low, *inner, *towards_high, span.high])

"""What cannot be proven: Gauss–Legendre at two resolutions, whose difference is the error that is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import flint
from flint import arb

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.tree import Tree
from theorycalc.hermite.legendre import Cell, Span, moments_over
from theorycalc.hermite.tails import TailGrowth
from theorycalc.numbers.balls import ball_precision

_SAMPLES = 64
_CELLS = 8  # of a span, before it is graded towards its ends


class Exponents(Protocol):
    """How a function grows, up to the constant."""

    # ruff: noqa: D102 - the names say it
    @property
    def degree(self) -> Fraction: ...
    @property
    def exponent_linear(self) -> Fraction: ...
    @property
    def exponent_quadratic(self) -> Fraction: ...


def sampled_growth(
    left: Tree, right: Tree, start: float, growth: Callable[[Tree], Exponents]
) -> tuple[TailGrowth, TailGrowth]:
    """Return the growths of both tails with a constant that is four times the largest one met at some points."""
    return _sampled(right, start, 1, growth(right)), _sampled(left, start, -1, growth(left))


def _sampled(tree: Tree, start: float, side: int, exponents: Exponents) -> TailGrowth:
    function = compiled(tree)
    degree, linear, quadratic = (arb(flint.fmpq(*value.as_integer_ratio())) for value in (
        exponents.degree, exponents.exponent_linear, exponents.exponent_quadratic
    ))  # fmt: skip
    constant = arb(0)
    for i in range(_SAMPLES):
        x = arb(start) + i
        value = abs(function(side * x)) / ((1 + x) ** degree * (linear * x + quadratic * x * x).exp())
        if value.is_finite():
            constant = constant.max(value)
    return TailGrowth(4 * constant.upper(), degree, linear, quadratic)


def two_resolutions(
    spans: Sequence[Span], parity: str | None, K: int, accuracy: int, bits: int
) -> tuple[list[flint.arb], flint.arb]:
    """Return estimates around the finer of two results, as wide as twice their difference."""
    nodes = 16 + accuracy // 4
    coarse, coarse_square = _plain(spans, parity, K, accuracy, bits, nodes)
    fine, fine_square = _plain(spans, parity, K, accuracy + accuracy // 4, bits, nodes + nodes // 3)
    with ball_precision(bits):
        estimates = [f + 2 * abs(f - c).upper() * arb(0, 1) for f, c in zip(fine, coarse, strict=True)]
        return estimates, fine_square + 2 * abs(fine_square - coarse_square).upper() * arb(0, 1)


def _plain(
    spans: Sequence[Span], parity: str | None, K: int, accuracy: int, bits: int, nodes: int
) -> tuple[list[flint.arb], flint.arb]:
    with ball_precision(bits):
        cells = [[_unproven(low, high, nodes) for low, high in _graded(span, accuracy)] for span in spans]
    return moments_over(spans, cells, parity, K, bits)


def _graded(span: Span, accuracy: int) -> list[tuple[flint.arb, flint.arb]]:
    """Cut a span evenly, and its first and last cells in half again and again towards the ends."""
    step = (span.high - span.low) / _CELLS
    inner = [span.low + step * j for j in range(1, _CELLS)]
    towards_low = [span.low + step / 2**j for j in range(accuracy, 0, -1)]
    towards_high = [span.high - step / 2**j for j in range(1, accuracy + 1)]
    cuts = [span.low, *towards_low, *inner, *towards_high, span.high]
    return list(pairwise(cuts))


def _unproven(low: flint.arb, high: flint.arb, nodes: int) -> Cell:
    zero = arb(0)
    return Cell(low, high, 2.0, zero, zero, zero, nodes)

"""Hermite coefficients by the trapezoidal rule, with every error in the ball (theory section 2).

F = f He_k φ, f analytic for |Im z| ≤ a, |Re z| ≤ X = (N + ½)h.  By residues of (1/2i) cot(πz/h),

    |h Σ_{|n|≤N} F(nh) − ∫_{−X}^{X} F| ≤ 2 ∫_{−X}^{X} |F(x + ia)| dx / (e^{2πa/h} − 1) + caps,

where the caps are the sides Re z = ±X, on which the kernel is at most e^{−2π|y|/h}.  On the edge, Cauchy–Schwarz and
∫ |He_k(x + ia)|² φ(x) dx = k! L_k(−a²) (Laguerre) leave one integral of |f|² for all k; on the caps and beyond ±X,
|He_k(z)| ≤ P_k(|z|), P_{k+1} = r P_k + k P_{k−1}.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import flint
from flint import arb

from theorycalc.activations.tree import Tree
from theorycalc.balls import ball_precision
from theorycalc.hermite.boxes import Ball, Evaluator, compiled
from theorycalc.hermite.strip import Strip, best_strip, box
from theorycalc.hermite.tails import TailGrowth, tail_integral

_LOG_2 = math.log(2)
_BOUND_BITS = 64


@dataclass(frozen=True)
class Grid:
    """Nodes nh, |n| ≤ count, of a rule whose error is known from ``strip`` and the two tails."""

    step: flint.arb
    count: int
    strip: Strip
    tails: tuple[TailGrowth, TailGrowth]  # of x → +∞ and x → −∞


def hermite_majorants(radius: flint.arb, K: int) -> list[flint.arb]:
    """Return P_0, …, P_K with |He_k(z)| ≤ P_k(|z|): the coefficients of He_k without their signs.

    >>> [int(float(p)) for p in hermite_majorants(arb(2), 3)]
    [1, 2, 5, 14]
    """
    values = [arb(1), radius]
    for k in range(1, K):
        values.append(radius * values[k] + k * values[k - 1])
    return values[: K + 1]


def laguerre(K: int, x: flint.arb) -> list[flint.arb]:
    """Return L_0(x), …, L_K(x).

    >>> [int(float(v)) for v in laguerre(2, arb(-2))]
    [1, 3, 7]
    """
    values = [arb(1), 1 - x]
    for k in range(1, K):
        values.append(((2 * k + 1 - x) * values[k] - k * values[k - 1]) / (k + 1))
    return values[: K + 1]


def choose_grid(
    tree: Tree, tails: tuple[TailGrowth, TailGrowth], start: float, K: int, bits: int, symmetric: bool
) -> Grid | None:
    """Choose a, h and N so that errors are about 2^{−bits}/√k!; None if no strip can be proven."""
    with ball_precision(_BOUND_BITS):
        length = cut_off(tails, start, K, bits)
        covered = 2.0 ** math.ceil(math.log2(length + 2))  # few different lengths, so that proofs are found again
        best = best_strip(tree, covered, symmetric, lambda strip: _step(strip, K, bits))
        if best is None:
            return None
        step, strip = best
        # A dyadic step makes the nodes exact.
        exponent = 11 - math.frexp(step)[1]
        rounded = arb(math.floor(math.ldexp(step, exponent))) * arb(2) ** (-exponent)
        return Grid(rounded, math.ceil(length / float(rounded)), strip, tails)


def cut_off(tails: Sequence[TailGrowth], start: float, K: int, bits: int) -> float:
    """Return an X ≥ start beyond which the integrals of f He_k φ, k ≤ K, and of f²φ are below 2^{−bits}/√k!."""
    low, high = start, 2 * start
    while not _is_negligible(tails, high, K, bits):
        low, high = high, 2 * high
    while high - low > 0.25:
        middle = (low + high) / 2
        low, high = (low, middle) if _is_negligible(tails, middle, K, bits) else (middle, high)
    return high


def _is_negligible(tails: Sequence[TailGrowth], length: float, K: int, bits: int) -> bool:
    end, small = arb(length), arb(2) ** (-bits)
    highest = hermite_majorants(end, K)[K] / arb(K).fac().sqrt()
    return all(
        tail_integral(tail, end, K) * highest < small and tail_integral(tail.times(tail), end, 0) < small
        for tail in tails
    )


def _step(strip: Strip, K: int, bits: int) -> float:
    a = strip.half_width
    square = float(strip.square.max(arb(1)).log().upper())
    polynomial = float(laguerre(K, -(arb(a) ** 2))[K].log().upper())
    return 2 * math.pi * a / (bits * _LOG_2 + a * a / 2 + square + polynomial / 2 + 2)


def moments_on(grid: Grid, tree: Tree, parity: str | None, K: int, bits: int) -> tuple[list[flint.arb], flint.arb]:
    """Return enclosures of c_0, …, c_K and E f² for f of the given parity ("odd", "even" or None)."""
    with ball_precision(bits):
        function = compiled(tree)
        sums, square = _node_sums(function, grid, parity, K)
        step = grid.step / (2 * arb.pi()).sqrt()
        coefficients = [step * total / arb(k).fac() for k, total in enumerate(sums)]
        square = step * square
    errors, square_error = _errors(grid, tree, K)
    with ball_precision(bits):
        enclosed = [c + error * arb(0, 1) for c, error in zip(coefficients, errors, strict=True)]
        if parity is not None:
            skipped = 0 if parity == "odd" else 1
            enclosed[skipped::2] = [arb(0)] * len(enclosed[skipped::2])
        return enclosed, square + square_error * arb(0, 1)


def _node_sums(function: Evaluator, grid: Grid, parity: str | None, K: int) -> tuple[list[flint.arb], flint.arb]:
    """Return Σ_n f(x_n) He_k(x_n) e^{−x_n²/2} for each k, and the same with f² for He_k f.

    x and −x are taken together: the sum of f(±x) meets the even He_k, the difference the odd ones.
    """
    sums = [arb(0)] * (K + 1)
    square = arb(0)
    for n in range(grid.count + 1):
        x = n * grid.step
        weight = (-x * x / 2).exp()
        value = function(x)
        if n == 0:
            pair: tuple[Ball, Ball] = (value, arb(0))
            square += value * value
        elif parity is None:
            other = function(-x)
            pair = (value + other, value - other)
            square += weight * (value * value + other * other)
        else:
            pair = (2 * value, 2 * value)
            square += 2 * weight * value * value
        if parity != "odd":
            _add_hermite(sums, 0, weight * pair[0], x * x, K)
        if parity != "even" and n > 0:
            _add_hermite(sums, 1, weight * pair[1] * x, x * x, K)
    return sums, square


def _add_hermite(sums: list[flint.arb], first: int, start: Ball, x_squared: Ball, K: int) -> None:
    """Add w He_k for k = first, first + 2, … ≤ K, with w He_first given.

    He_{k+2} = (x² − 2k − 1) He_k − k(k−1) He_{k−2}.
    """
    before, now = start, start
    for k in range(first, K + 1, 2):
        sums[k] += now
        before, now = now, (x_squared - (2 * k + 1)) * now - (k * (k - 1)) * before


def _errors(grid: Grid, tree: Tree, K: int) -> tuple[list[flint.arb], flint.arb]:
    """Bound what the sum differs from c_k, k ≤ K, and from E f²."""
    with ball_precision(_BOUND_BITS):
        a, step, strip = arb(grid.strip.half_width), grid.step, grid.strip
        end = (grid.count + arb(1) / 2) * step
        if not end <= strip.length:
            raise ArithmeticError("the nodes leave the strip")
        kernel = 1 / ((2 * arb.pi() * a / step).exp() - 1)
        edge = 2 * (a * a / 2).exp() * kernel
        # On a cap |φ(X + iy)| e^{−2πy/h} = φ(X) e^{y²/2 − 2πy/h} ≤ φ(X) e^{−y(2π/h − a/2)}.
        rate = 2 * arb.pi() / step - a / 2
        if not rate > 0:
            raise ArithmeticError("the step is too large for the strip")
        size = _cap_size(tree, end, grid.strip.half_width)
        cap = 4 * (-end * end / 2).exp() / (2 * arb.pi()).sqrt() / rate
        on_cap = hermite_majorants((end * end + a * a).sqrt(), K)
        beyond = hermite_majorants(end, K)
        edge_sizes = laguerre(K, -a * a)
        errors = []
        for k in range(K + 1):
            factorial = arb(k).fac()
            on_edge = edge * (strip.square * factorial * edge_sizes[k]).sqrt()
            tail = sum((tail_integral(growth, end, k) for growth in grid.tails), arb(0)) * beyond[k]
            errors.append(((on_edge + cap * size * on_cap[k] + tail) / factorial).upper())
        square_tail = sum((tail_integral(growth.times(growth), end, 0) for growth in grid.tails), arb(0))
        return errors, (edge * strip.square + cap * size**2 + square_tail).upper()


def _cap_size(tree: Tree, end: flint.arb, half_width: float) -> flint.arb:
    """Bound |f| on Re z = ±X, |Im z| ≤ a."""
    function = compiled(tree)
    size = arb(0)
    pieces = 8
    for piece in range(pieces):
        height = box(0, 0, half_width * piece / pieces, half_width * (piece + 1) / pieces)
        for side in (end, -end):
            size = size.max(function(side + height).abs_upper())
    return size

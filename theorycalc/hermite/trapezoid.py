"""Hermite coefficients by the trapezoidal rule, with every error in the ball.

See docs/theory/hermite.md#coefficients-of-a-function.

F = f He_k φ, f analytic for |Im z| ≤ a, |Re z| ≤ X = (N + ½)h.  By residues of (1/2i) cot(πz/h),

    |h Σ_{|n|≤N} F(nh) − ∫_{−X}^{X} F| ≤ 2 ∫_{−X}^{X} |F(x + ia)| dx / (e^{2πa/h} − 1) + caps,

where the caps are the sides Re z = ±X, on which the kernel is at most e^{−2π|y|/h}.  On the edge, Cauchy–Schwarz and
∫ |He_k(x + ia)|² φ(x) dx = k! L_k(−a²) ≤ k! e^{2a√k} (Laguerre) leave one integral of |f|² for all k; on the caps and
beyond ±X, |He_k(z)| ≤ P_k(|z|) as in :mod:`theorycalc.hermite.tails`.

Nodes add up powers, Σ w_n x_n^i, which need one multiplication for each node and k where the recurrence of He_k needs
two; the triangle that turns them into Σ w_n He_k(x_n) is shared by all nodes.  In balls both lose the same bits: P_k
against He_k itself, at most e^{k/2} under the Gaussian.

That f is analytic is proven by boxes that cover the rectangle |Im z| ≤ a, |Re z| ≤ X and on which the evaluation is
finite (see :mod:`theorycalc.functions.primitives`), split where it is not.  f is real on the real line, so f(z̄) is the
conjugate of f(z) and the half Im z ≥ 0 is enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import flint
from flint import acb, arb

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.primitives import BallFunction
from theorycalc.functions.tree import Tree
from theorycalc.hermite.tails import TailGrowth, cut_errors, cut_off, hermite_majorants
from theorycalc.numbers.balls import ball_precision
from theorycalc.running.budget import check

_LOG_2 = math.log(2)
_BOUND_BITS = 64
_MOST_NODES = 200_000
_BOXES = 1000  # most boxes of one proof
_FINE_BOXES = 60  # of those, spent on a sharper bound
_SMALLEST_HALF_WIDTH = 2.0**-10
_REFINEMENTS = 3


@dataclass(frozen=True)
class Strip:
    """f is analytic for |Im z| ≤ half_width, |Re z| ≤ length; ∫|f(x + i half_width)|²φ(x)dx ≤ square there."""

    half_width: float
    length: float
    square: flint.arb


@lru_cache(maxsize=1024)
def proven_strip(tree: Tree, half_width: float, length: float, symmetric: bool) -> Strip | None:
    """Return the strip if it can be proven, or None; ``symmetric`` promises that |f(−z)| = |f(z)|.

    >>> from theorycalc.functions.tree import Call, Variable
    >>> [proven_strip(Call("tanh", Variable()), a, 16.0, True) is not None for a in (1.5, 1.5625, 1.6)]
    [True, True, False]
    """
    left = 0.0 if symmetric else -length
    with ball_precision(_BOUND_BITS):
        function = compiled(tree)
        if not is_analytic(function, (left, length, 0.0, half_width)):
            return None
        square = _edge_square(function, half_width, left, length)
        return Strip(half_width, length, 2 * square if symmetric else square) if square.is_finite() else None


def best_strip(
    tree: Tree, length: float, symmetric: bool, step: Callable[[Strip], float]
) -> tuple[float, Strip] | None:
    """Return the strip that allows the largest step, with that step, or None if not even a thin strip can be proven."""

    def attempt(width: float) -> tuple[float, Strip] | None:
        strip = proven_strip(tree, width, length, symmetric)
        return None if strip is None else (step(strip), strip)

    width = 1.0
    while (best := attempt(width)) is None:
        width /= 2
        if width < _SMALLEST_HALF_WIDTH:
            return None
    if (wider := attempt(2 * best[1].half_width)) is None or wider[0] <= best[0]:  # it may grow fast off the line
        while (thinner := attempt(best[1].half_width / 2)) is not None and thinner[0] > best[0]:
            best = thinner
    while (wider := attempt(2 * best[1].half_width)) is not None and wider[0] > best[0]:
        best = wider
    # Between the best width and its double: a pole in between, or the optimum of an entire function.
    reach = best[1].half_width
    for _ in range(_REFINEMENTS):
        reach /= 2
        if (wider := attempt(best[1].half_width + reach)) is not None and wider[0] > best[0]:
            best = wider
    return best


def box(low: float, high: float, bottom: float, top: float) -> flint.acb:
    """Return the complex box [low, high] + i[bottom, top]; the ends are exact binary numbers."""
    # Both are dyadic, so middle and radius are formed without rounding by the ball itself.
    ends = ((arb(low), arb(high)), (arb(bottom), arb(top)))
    return acb(*((start + end) / 2 + (end - start) / 2 * arb(0, 1) for start, end in ends))


def is_analytic(function: BallFunction, rectangle: tuple[float, float, float, float]) -> bool:
    """Return whether boxes with finite values were found that cover the rectangle."""
    waiting = [rectangle]
    for _ in range(_BOXES):
        if not waiting:
            return True
        check()
        low, high, bottom, top = waiting.pop()
        if function(box(low, high, bottom, top)).is_finite():
            continue
        if high - low >= top - bottom:
            middle = (low + high) / 2
            if middle - low < _SMALLEST_HALF_WIDTH / 4:
                return False
            waiting += [(low, middle, bottom, top), (middle, high, bottom, top)]
        else:
            middle = (bottom + top) / 2
            waiting += [(low, high, bottom, middle), (low, high, middle, top)]
    return False


def _edge_square(function: BallFunction, width: float, left: float, right: float) -> flint.arb:
    """Return a bound of ∫_left^right |f(x + i width)|² φ(x) dx by boxes, which are finer where f varies."""
    total = arb(0)
    waiting = [(left, right)]
    root = (2 * arb.pi()).sqrt()
    for count in range(_BOXES):
        if not waiting:
            return (total / root).upper()
        check()
        low, high = waiting.pop()
        size = function(box(low, high, width, width)).abs_upper()
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        mass = (-(arb(nearest) ** 2) / 2).exp() * (high - low)
        part = size**2 * mass
        middle = (low + high) / 2
        # A coarse box is good enough where it adds little: e^{2πa/h} is far larger.
        refined = (high - low > 0.5 and not part < 1e-3) or not size.is_finite()
        if not refined and part > 1 and count < _FINE_BOXES:  # is the bound far above the value in the middle?
            refined = bool(size > 3 * function(acb(arb(middle), arb(width))).abs_upper())
        if refined:
            if high - low < _SMALLEST_HALF_WIDTH:
                return arb.pos_inf()  # pragma: no cover - no known formula reaches it
            waiting += [(low, middle), (middle, high)]
        else:
            total += part
    return arb.pos_inf()


def lost_bits(K: int) -> int:
    """Return about how many bits are lost to cancellation in He_K: log2 of max_x P_K(x) e^{−x²/2}/√K!.

    >>> lost_bits(64)
    48
    """
    return 3 * K // 4


def add_powers(sums: list[flint.arb], first: int, stride: int, start: flint.arb, factor: flint.arb) -> None:
    """Add w x^i to sums[i] for i = first, first + stride, …, given w x^first and x^stride."""
    value = start
    for i in range(first, len(sums), stride):
        sums[i] += value
        value = value * factor


def hermite_sums(powers: list[flint.arb]) -> list[flint.arb]:
    """Return Σ w He_k(x), k ≤ K, from Σ w x^i, i ≤ K, by x^i He_{k+1} = x^{i+1} He_k − k x^i He_{k−1}.

    >>> [int(float(s)) for s in hermite_sums([arb(2) ** i for i in range(4)])]
    [1, 2, 3, 2]
    """
    before, now = [arb(0)] * len(powers), list(powers)
    result = [now[0]]
    for k in range(len(powers) - 1):
        before, now = now, [now[i + 1] - k * before[i] for i in range(len(now) - 1)]
        result.append(now[0])
    return result


@dataclass(frozen=True)
class TrapezoidGrid:
    """Nodes nh, |n| ≤ count, of a rule whose error follows from ``strip`` and both tails."""

    step: flint.arb
    count: int
    strip: Strip
    tails: tuple[TailGrowth, TailGrowth]  # of x → +∞ and x → −∞


def choose_grid(
    tree: Tree, tails: tuple[TailGrowth, TailGrowth], start: float, K: int, bits: int, symmetric: bool
) -> TrapezoidGrid | None:
    """Return a, h and N such that errors are about 2^{−bits}/√k!, or None if no useful strip can be proven."""
    with ball_precision(_BOUND_BITS):
        length = cut_off(tails, start, K, bits)
        covered = 2.0 ** math.ceil(math.log2(1.25 * length + 2))  # of few values, so that proofs are reused
        best = best_strip(tree, covered, symmetric, lambda strip: _step(strip, K, bits))
        if best is None:
            return None
        step, strip = best
        # A dyadic step makes the nodes exact.
        exponent = 11 - math.frexp(step)[1]
        rounded = arb(math.floor(math.ldexp(step, exponent))) * arb(2) ** (-exponent)
        end = _beyond_caps(tree, length, strip.half_width, K)
        count = end / float(rounded)
        if end > covered - 2 or count > _MOST_NODES:
            return None
        return TrapezoidGrid(rounded, math.ceil(count), strip, tails)


def _beyond_caps(tree: Tree, length: float, half_width: float, K: int) -> float:
    """Return X ≥ length where the Gaussian makes up for f He_K and f² being larger on the caps than on the line."""
    radius = (arb(length) ** 2 + arb(half_width) ** 2).sqrt()
    ratio = hermite_majorants(radius, K)[K] / hermite_majorants(arb(length), K)[K]
    excess = (_cap_size(tree, arb(length), half_width).max(arb(1)) ** 2 * ratio).log().upper()
    return math.sqrt(length**2 + 2 * float(excess)) if excess.is_finite() else math.inf


def _step(strip: Strip, K: int, bits: int) -> float:
    a = strip.half_width
    square = float(strip.square.max(arb(1)).log().upper())
    edge = a * math.sqrt(K)  # of log √L_k(−a²): C(k, j) ≤ k^j/j! gives L_k(−a²) ≤ Σ (ka²)^j/j!² ≤ e^{2a√k}
    return min(1.0, 2 * math.pi * a / (bits * _LOG_2 + a * a / 2 + square + edge + 2))


def moments_on(
    grid: TrapezoidGrid, tree: Tree, parity: str | None, K: int, bits: int
) -> tuple[list[flint.arb], flint.arb]:
    """Return enclosures of c_0, …, c_K and E f² for f of the given parity ("odd", "even" or None)."""
    with ball_precision(bits):
        function = compiled(tree)
        sums, square = _node_sums(function, grid, parity, K, bits)
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


def _node_sums(
    function: BallFunction, grid: TrapezoidGrid, parity: str | None, K: int, bits: int
) -> tuple[list[flint.arb], flint.arb]:
    """Return Σ_n f(x_n) He_k(x_n) e^{−x_n²/2} for each k, and the sum of f² in place of f He_k.

    x and −x are taken together: the sum of f(±x) meets the even powers, the difference the odd ones.  From the far
    end inwards, since small terms and small partial sums need fewer bits.
    """
    powers, square = [arb(0)] * (K + 1), arb(0)
    weights = _gaussian_weights(grid.step, grid.count)
    for n in range(grid.count, 0, -1):
        check()
        with ball_precision(_bits_at(grid, n, K, bits)):
            x, weight = n * grid.step, weights[n]
            value = function(x)
            other = function(-x) if parity is None else value
            square += weight * (value * value + other * other)
            if parity != "odd":
                add_powers(powers, 0, 2, weight * (value + other), x * x)
            if parity != "even":
                difference = value - other if parity is None else 2 * value
                add_powers(powers, 1, 2, weight * difference * x, x * x)
    if parity != "odd":
        value = function(arb(0))
        powers[0] += value
        square += value * value
    return hermite_sums(powers), square


def _gaussian_weights(step: flint.arb, count: int) -> list[flint.arb]:
    """Return e^{−(nh)²/2}, n ≤ count, each from its predecessor by the factor e^{−(2n+1)h²/2}."""
    square = step * step
    factor, ratio = (-square / 2).exp(), (-square).exp()
    weights = [arb(1)]
    for _ in range(count):
        weights.append(weights[-1] * factor)
        factor *= ratio
    return weights


def _bits_at(grid: TrapezoidGrid, n: int, K: int, bits: int) -> int:
    """Return the bits needed for the terms at x_n, of about P_K(x)e^{−x²/2}/√K!: small terms need fewer.

    This chooses a precision and bounds nothing.  P_K(x) is at most about √K! e^{x√K}, and x^K e^{K²/(2x²)} far out.
    """
    x = n * float(grid.step)
    far = K * math.log(x) + K * K / (2 * x * x) - math.lgamma(K + 1) / 2
    size = min(x * math.sqrt(K), far) - x * x / 2
    growth = max(float(t.linear) * x + max(float(t.quadratic), 0) * x * x for t in grid.tails)
    return max(_BOUND_BITS, min(bits, bits - lost_bits(K) + int((size + 2 * growth) / _LOG_2) + 20))


def _errors(grid: TrapezoidGrid, tree: Tree, K: int) -> tuple[list[flint.arb], flint.arb]:
    """Return bounds of the difference between the sum and c_k, k ≤ K, and between its square and E f²."""
    with ball_precision(_BOUND_BITS):
        a, step, strip = arb(grid.strip.half_width), grid.step, grid.strip
        end = (grid.count + arb(1) / 2) * step
        kernel = 1 / ((2 * arb.pi() * a / step).exp() - 1)
        edge = 2 * (a * a / 2).exp() * kernel
        # On a cap |φ(X + iy)| e^{−2πy/h} = φ(X) e^{y²/2 − 2πy/h} ≤ φ(X) e^{−y(2π/h − a/2)}.
        rate = 2 * arb.pi() / step - a / 2
        if not (rate > 0 and end <= strip.length):  # nothing is known
            return [arb.pos_inf()] * (K + 1), arb.pos_inf()
        size = _cap_size(tree, end, strip.half_width)
        cap = 4 * (-end * end / 2).exp() / (2 * arb.pi()).sqrt() / rate
        on_cap = hermite_majorants((end * end + a * a).sqrt(), K)
        beyond, square_beyond = cut_errors(grid.tails, end, K)
        errors = []
        for k in range(K + 1):
            factorial = arb(k).fac()
            on_edge = edge * (strip.square * factorial).sqrt() * (a * arb(k).sqrt()).exp()
            errors.append(((on_edge + cap * size * on_cap[k] + beyond[k]) / factorial).upper())
        return errors, (edge * strip.square + cap * size**2 + square_beyond).upper()


def _cap_size(tree: Tree, end: flint.arb, half_width: float) -> flint.arb:
    """Return a bound of |f| on Re z = ±X, |Im z| ≤ a."""
    function = compiled(tree)
    size = arb(0)
    pieces = 8
    for piece in range(pieces):
        height = box(0, 0, half_width * piece / pieces, half_width * (piece + 1) / pieces)
        for side in (end, -end):
            size = size.max(function(side + height).abs_upper())
    return size

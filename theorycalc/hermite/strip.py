"""Proofs that an expression is analytic in a strip |Im z| ≤ a, |Re z| ≤ X, and bounds on the edge of the strip.

The proof covers the rectangle with boxes on which the evaluation is finite (see
:mod:`theorycalc.functions.primitives`), splitting where it is not.  f is real on the real line, so f(z̄) is the
conjugate of f(z) and the half Im z ≥ 0 is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import flint
from flint import acb, arb

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.primitives import BallFunction
from theorycalc.functions.tree import Tree
from theorycalc.numbers.balls import ball_precision

_BOXES = 1000  # most boxes of one proof
_FINE_BOXES = 60  # of those, spent on a sharper bound
_BITS = 64
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
    """Return the strip if it can be proven, else None; ``symmetric`` promises that |f(−z)| = |f(z)|.

    >>> from theorycalc.functions.tree import Call, Variable
    >>> [proven_strip(Call("tanh", Variable()), a, 16.0, True) is not None for a in (1.5, 1.5625, 1.6)]
    [True, True, False]
    """
    with ball_precision(_BITS):
        return _prove(compiled(tree), half_width, length, symmetric)


def best_strip(
    tree: Tree, length: float, symmetric: bool, step: Callable[[Strip], float]
) -> tuple[float, Strip] | None:
    """Return the strip that allows the largest step, with that step; None if not even a thin strip can be proven."""

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


def _prove(function: BallFunction, width: float, length: float, symmetric: bool) -> Strip | None:
    left = 0.0 if symmetric else -length
    if not is_analytic(function, (left, length, 0.0, width)):
        return None
    square = _edge_square(function, width, left, length)
    if not square.is_finite():
        return None
    return Strip(width, length, 2 * square if symmetric else square)


def box(low: float, high: float, bottom: float, top: float) -> flint.acb:
    """Return the complex box [low, high] + i[bottom, top]; the ends are exact binary numbers."""
    # Both are dyadic, so middle and radius are formed without rounding by the ball itself.
    ends = ((arb(low), arb(high)), (arb(bottom), arb(top)))
    return acb(*((start + end) / 2 + (end - start) / 2 * arb(0, 1) for start, end in ends))


def is_analytic(function: BallFunction, rectangle: tuple[float, float, float, float]) -> bool:
    """Say whether boxes with finite values that cover the rectangle were found."""
    waiting = [rectangle]
    for _ in range(_BOXES):
        if not waiting:
            return True
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
    """Bound ∫_left^right |f(x + i width)|² φ(x) dx by boxes, finer where f varies."""
    total = arb(0)
    waiting = [(left, right)]
    root = (2 * arb.pi()).sqrt()
    for count in range(_BOXES):
        if not waiting:
            return (total / root).upper()
        low, high = waiting.pop()
        size = function(box(low, high, width, width)).abs_upper()
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        mass = (-(arb(nearest) ** 2) / 2).exp() * (high - low)
        part = size**2 * mass
        middle = (low + high) / 2
        # A coarse box is good enough where it adds little: e^{2πa/h} is far larger.
        coarse = high - low > 0.5 and not part < 1e-3
        if (
            coarse
            or not size.is_finite()
            or (part > 1 and count < _FINE_BOXES and _varies(function, size, middle, width))
        ):
            if high - low < _SMALLEST_HALF_WIDTH:
                return arb.pos_inf()  # pragma: no cover - no known formula reaches it
            waiting += [(low, middle), (middle, high)]
        else:
            total += part
    return arb.pos_inf()


def _varies(function: BallFunction, size: flint.arb, x: float, width: float) -> bool:
    """Say whether the bound of a box is far above the value in its middle."""
    return bool(size > 3 * function(acb(arb(x), arb(width))).abs_upper())

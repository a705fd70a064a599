"""Solves for the traces of inputs with a covariance, in float64 arrays and in balls: algorithms, no formula.

As a function of w = y(y + gap) the balance of :mod:`theorycalc.theory.spectral_traces` is increasing and concave, so
Newton's method comes up to the root monotonically after its first step, from wherever it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import flint
import numpy as np

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.balls import ball_precision, enclosed_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.covariance import InputSpectrum
from theorycalc.theory.ridgeless import positive_root
from theorycalc.theory.spectral_traces import spectral_balance, spectral_load
from theorycalc.theory.traces import Balance, start

_SMALL_STEP = 1e-9  # a smaller relative step leaves an error below its square: rounding
_MOST_STEPS = 400  # about 7 are needed, and a doubling each where small eigenvalues decide
_SHRINK = 8  # by which a step to the left may go
_FIRST_BITS = 45  # accuracy of the float64 root
_FLOAT_RANGE = 1e60


def solve_spectral(ns: NumberSystem, equation: Balance, spectrum: InputSpectrum) -> Number:
    """Return the root y = min(p, u) of the balance.

    >>> equation = Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)
    >>> float(solve_spectral(FLOATS, equation, InputSpectrum(*np.ones((3, 1)))))
    0.5187900636758842
    """
    gap, first = equation.gap, start(ns, equation)

    def lesser(w: Number) -> Number:
        return 2 * w / (gap + ns.sqrt(gap * gap + 4 * w))

    def in_w(w: Number) -> tuple[Number, Number]:
        y = lesser(w)
        value, slope = spectral_balance(ns, y, equation, spectrum)
        return value, slope / (2 * y + gap)

    return lesser(_risen(ns, first * (first + gap), in_w))


def solve_ridgeless(ns: NumberSystem, equation: Balance, spectrum: InputSpectrum) -> Number:
    """Return the root w of the load without ridge, from that of equal eigenvalues, which is less.

    >>> equation = Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)
    >>> round(float(solve_ridgeless(FLOATS, equation, InputSpectrum(*np.ones((3, 1))))), 12)
    0.61803398875
    """
    a, b = equation.a, equation.b
    first = positive_root(ns, a * b, a * equation.phi + b * equation.excess, equation.room * equation.phi)
    return _risen(ns, first, lambda w: spectral_load(ns, w, equation, spectrum))


def _risen(ns: NumberSystem, w: Number, function: Callable[[Number], tuple[Number, Number]]) -> Number:
    """Return the root of an increasing concave function, of which ``function`` returns value and slope."""
    for _ in range(_MOST_STEPS):
        value, slope = function(w)
        new = ns.maximum(w - value / slope, w / _SHRINK)
        new = new.mid() if ns is BALLS else new  # an approximation needs no enclosure
        step, w = abs(new - w), new
        if ns.all(step <= _SMALL_STEP * w):
            return w
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        f"m_1 did not settle; use {spelled('digits')} for this problem", argument="ridge"
    )


def enclose_spectral(equation: Balance, spectrum: InputSpectrum, bits: int, ridgeless: bool = False) -> flint.arb:
    """Return a ball around the root of the balance or, without ridge, of the load, each of which has one root.

    One interval Newton step proves it; before that the root is found without proof to half of the bits.
    """
    formula, solve = (spectral_load, solve_ridgeless) if ridgeless else (spectral_balance, solve_spectral)
    near, middle = _middles(equation), InputSpectrum(*map(_mids, _columns(spectrum)))
    root, right = flint.arb(_rough(solve, near, middle)), _FIRST_BITS
    while right < bits // 2 - 8:
        right = min(2 * right - 3, bits // 2 - 8)
        value, slope = formula(BALLS, root, near, middle)
        root = (root - value / slope).mid()
    return enclosed_zero(lambda at: formula(BALLS, at, equation, spectrum), root, right)


def _columns(spectrum: InputSpectrum) -> tuple[Array, Array, Array]:
    return spectrum.eigenvalues, spectrum.weights, spectrum.shares


def _middles(equation: Balance) -> Balance:
    gap, room, excess, phi, a, b = (flint.arb(x).mid() for x in equation[:-1])
    return Balance(gap, room, excess, phi, a, b, equation.wide)


def _mids(column: Array) -> Array:
    return np.array([flint.arb(x).mid() for x in column], dtype=object)


def _rough(
    solve: Callable[[NumberSystem, Balance, InputSpectrum], Number], equation: Balance, spectrum: InputSpectrum
) -> float | flint.arb:
    """Return the root to about float64 precision, by floats where their range allows it."""
    if _in_range(equation[:-1]) and all(map(_in_range, _columns(spectrum))):
        gap, room, excess, phi, a, b = map(float, equation[:-1])
        floats = InputSpectrum(*(column.astype(float) for column in _columns(spectrum)))
        return float(solve(FLOATS, Balance(gap, room, excess, phi, a, b, equation.wide), floats))
    with ball_precision(64):
        root: flint.arb = solve(BALLS, equation, spectrum)
        return root.mid()


def _in_range(numbers: Sequence[flint.arb] | Array) -> bool:
    return all(x == 0 or 1 / _FLOAT_RANGE < abs(float(x)) < _FLOAT_RANGE for x in numbers)

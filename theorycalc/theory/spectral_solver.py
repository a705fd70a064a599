"""Solves for the traces of inputs with a covariance, in float64 arrays and in balls: algorithms, no formula.

As a function of w = y(y + gap) the balance of :mod:`theorycalc.theory.spectral_traces` is increasing and concave, so
Newton's method comes up to the root monotonically after its first step, from wherever it starts.
"""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.balls import ball_precision, enclosed_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.covariance import Spectrum
from theorycalc.theory.spectral_traces import spectral_balance, spectral_traces_at
from theorycalc.theory.traces import Balance, Traces, balance_of, start

_SMALL_STEP = 1e-9  # a smaller relative step leaves an error below its square: rounding
_MOST_STEPS = 400  # about 7 are needed, and a doubling each where small eigenvalues decide
_SHRINK = 8  # by which a step to the left may go
_FIRST_BITS = 45  # accuracy of the float64 root
_FLOAT_RANGE = 1e60


def float_spectral_traces(
    spectrum: Spectrum, phi: Number, psi: Number, lam: Number, c1: Number, c_rest: Number
) -> Traces:
    """Return the traces in float64, for λ > 0, at all points of the arrays at once."""
    equation = balance_of(FLOATS, phi, psi, lam, c1, c_rest)
    return spectral_traces_at(FLOATS, solve_spectral(FLOATS, equation, spectrum), equation, spectrum, psi, lam)


def solve_spectral(ns: NumberSystem, equation: Balance, spectrum: Spectrum) -> Number:
    """Return the root y = min(p, u) of the balance.

    >>> equation = Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)
    >>> float(solve_spectral(FLOATS, equation, Spectrum(*np.ones((3, 1)))))
    0.5187900636758842
    """
    gap = equation.gap
    y = start(ns, equation)
    for _ in range(_MOST_STEPS):
        value, slope = spectral_balance(ns, y, equation, spectrum)
        w, w_slope = y * (y + gap), 2 * y + gap
        new = ns.maximum(w - value * w_slope / slope, w / _SHRINK)
        new = new.mid() if ns is BALLS else new  # an approximation needs no enclosure
        y = 2 * new / (gap + ns.sqrt(gap * gap + 4 * new))
        if ns.all(abs(new - w) <= _SMALL_STEP * new):
            return y
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        f"m_1 did not settle; use {spelled('digits')} for this problem", argument="ridge"
    )


def ball_spectral_traces(spectrum: Spectrum, equation: Balance, psi: flint.arb, lam: flint.arb, bits: int) -> Traces:
    """Return enclosures of the traces, for λ > 0."""
    y = enclose_spectral(equation, spectrum, bits)
    return spectral_traces_at(BALLS, y, equation, spectrum, psi, lam)


def enclose_spectral(equation: Balance, spectrum: Spectrum, bits: int) -> flint.arb:
    """Return a ball around the root of the balance, proven by one interval Newton step; the balance has one root."""
    y, right = _approximate(equation, spectrum, bits // 2 - 8)
    return enclosed_zero(lambda at: spectral_balance(BALLS, at, equation, spectrum), y, right)


def _approximate(equation: Balance, spectrum: Spectrum, bits: int) -> tuple[flint.arb, int]:
    """Return the root by Newton's method without proof, and its correct bits."""
    near, middle = _middles(equation), Spectrum(*(_mids(column) for column in vars(spectrum).values()))
    y, right = flint.arb(_rough(near, middle)), _FIRST_BITS
    while right < bits:
        right = min(2 * right - 3, bits)
        value, slope = spectral_balance(BALLS, y, near, middle)
        y = (y - value / slope).mid()
    return y, right


def _middles(equation: Balance) -> Balance:
    gap, room, excess, phi, a, b = (flint.arb(x).mid() for x in equation[:-1])
    return Balance(gap, room, excess, phi, a, b, equation.wide)


def _mids(column: Array) -> Array:
    return np.array([flint.arb(x).mid() for x in column], dtype=object)


def _rough(equation: Balance, spectrum: Spectrum) -> float | flint.arb:
    """Return the root to about float64 precision, by floats where their range allows it."""
    if _in_range(equation[:-1]) and all(_in_range(column) for column in vars(spectrum).values()):
        gap, room, excess, phi, a, b = map(float, equation[:-1])
        floats = Spectrum(*(column.astype(float) for column in vars(spectrum).values()))
        return float(solve_spectral(FLOATS, Balance(gap, room, excess, phi, a, b, equation.wide), floats))
    with ball_precision(64):
        root: flint.arb = solve_spectral(BALLS, equation, spectrum)
        return root.mid()


def _in_range(numbers: Sequence[flint.arb] | Array) -> bool:
    return all(x == 0 or 1 / _FLOAT_RANGE < abs(float(x)) < _FLOAT_RANGE for x in numbers)

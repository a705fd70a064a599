"""The exact limit λ → 0⁺: four cases, in two of which m_1 is infinite.

See docs/theory/traces.md#the-limit-without-ridge.

With A = c_{>1}², B = c_1² and ŵ = lim pu/λ, the balance of :mod:`~theorycalc.theory.traces` becomes the
quadratic AB ŵ² + (Aφ + B·excess) ŵ = room·φ.  Then, in the names of that module,

    N > n           p → 0, u → N/n − 1: the fit interpolates, and s = ŵ/u is finite
    N < n           p → 1 − N/n, u → 0
    N = n           p and u vanish like √λ: the interpolation threshold, test losses are infinite
    c_{>1} = 0, d ≤ min(n, N)    F₀ has rank d: p → 1 − d/n, k → 0; the threshold is d = n
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction

import numpy as np

from theorycalc.numbers.systems import FLOATS, Number, NumberSystem
from theorycalc.theory.traces import Solved, Traces, Weights, room_and_excess, slopes


class RidgelessCase(IntEnum):
    """The four limits."""

    WIDE = 0
    NARROW = 1
    SQUARE = 2
    LOW_RANK = 3


def case_of(ns: NumberSystem, phi: Number, psi: Number, linear: Number) -> Number:
    """Return the case, from an exact comparison of the sizes; ``linear`` says that c_{>1} = 0."""
    by_width = ns.where(phi > psi, RidgelessCase.WIDE, ns.where(phi < psi, RidgelessCase.NARROW, RidgelessCase.SQUARE))
    return ns.where(linear & (phi <= 1) & (psi <= 1), RidgelessCase.LOW_RANK, by_width)


def in_each_case(solve: Callable[..., Solved], linear: Number, *parameters: Number) -> Solved:
    """Return traces and weights at points where some have λ = 0.

    ``solve`` has them at points of one case, or of λ > 0, which is None: it takes the case and all ``parameters``, the
    first of which are φ, ψ and λ.
    """
    full = np.broadcast_arrays(*parameters)
    case = np.where(full[2] > 0, -1, case_of(FLOATS, full[0], full[1], np.asarray(linear)))
    out = [np.empty(case.shape) for _ in Traces._fields + Weights._fields]
    for which in np.unique(case):
        chosen = case == which
        traces, weights = solve(None if which < 0 else RidgelessCase(which), *(x[chosen] for x in full))
        for target, value in zip(out, traces + weights, strict=True):
            target[chosen] = value
    return Traces(*out[: len(Traces._fields)]), Weights(*out[len(Traces._fields) :])


def ridgeless(ns: NumberSystem, case: RidgelessCase, phi: Number, psi: Number, c1: Number, c_rest: Number) -> Solved:
    """Return traces and weights in the limit λ → 0⁺."""
    if case == RidgelessCase.LOW_RANK:
        return low_rank(ns, phi, psi, c1)
    A, B = c_rest**2, c1**2
    room, excess = room_and_excess(ns, case == RidgelessCase.WIDE, phi, psi)
    w = positive_root(ns, A * B, A * phi + B * excess, room * phi)
    k = phi / (phi + B * w)
    chi = A + B * k**2  # the limit of λχ
    return LIMITS[case](ns, phi, psi, w, k, chi)


def wide(ns: NumberSystem, phi: Number, psi: Number, w: Number, k: Number, chi: Number) -> Solved:
    """Return the limits for N > n, where the fit interpolates.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> wide(FLOATS, 2.0, 1.0, w=1.0, k=0.5, chi=1.0)[1].test_rest  # (1 + χs)/(χŵ), s = ŵψ/(φ − ψ)
    2.0
    """
    u = (phi - psi) / psi
    s = w / u
    chi_p, stiffness = chi * s, chi * u
    m1 = s * phi / psi
    m2 = k * m1
    traces = Traces(m1, m2, *slopes(m1, m2, k, chi_p, stiffness), u * psi / phi, chi_p, stiffness)
    weights = Weights(
        train_linear=0 * phi,
        train_rest=0 * phi,
        test_linear=k * (k + chi_p) / (chi * w),
        test_rest=(1 + chi_p) / (chi * w),
        test_constant=1 / (chi * w),
        test_bulk=1 / u,
        spread=w / phi,
        kept=k,
    )
    return traces, weights


def narrow(ns: NumberSystem, phi: Number, psi: Number, w: Number, k: Number, chi: Number) -> Solved:
    """Return the limits for N < n, where 1 − N/n of the noise remains.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> narrow(FLOATS, 1.0, 2.0, w=1.0, k=0.5, chi=1.0)[1].train_rest
    0.5
    """
    return _without_interpolation(ns, (psi - phi) / psi, phi, w, k, chi)


def square(ns: NumberSystem, phi: Number, psi: Number, w: Number, k: Number, chi: Number) -> Solved:
    """Return the limits for N = n, the interpolation threshold.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> square(FLOATS, 1.0, 1.0, w=1.0, k=0.5, chi=1.0)[1].test_rest
    inf
    """
    return _without_interpolation(ns, 0 * phi, phi, w, k, chi)


def _without_interpolation(ns: NumberSystem, p: Number, phi: Number, w: Number, k: Number, chi: Number) -> Solved:
    weights = Weights(
        train_linear=k * p,
        train_rest=p,
        test_linear=_ratio(ns, k, p),
        test_rest=_ratio(ns, 1, p),
        test_constant=0 * phi,  # nothing next to infinite weights
        test_bulk=_ratio(ns, 1, p),
        spread=w / phi,
        kept=k,
    )
    return _infinite(ns, theta=0 * phi, stiffness=chi * p), weights


def _ratio(ns: NumberSystem, x: Number, y: Number) -> Number:
    return ns.where(y == 0, ns.inf, x / ns.where(y == 0, 1, y))


#: The limits that differ in their width alone.
LIMITS = {RidgelessCase.WIDE: wide, RidgelessCase.NARROW: narrow, RidgelessCase.SQUARE: square}


def low_rank(ns: NumberSystem, phi: Number, psi: Number, c1: Number) -> Solved:
    """Return the limits for c_{>1} = 0 and d ≤ min(n, N), where F₀ has rank d.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> float(low_rank(FLOATS, 0.5, 0.5, 1.0)[1].test_rest)  # 1/(1 − d/n)
    2.0
    """
    p, u = 1 - phi, phi * (1 - psi) / psi
    m2 = _ratio(ns, phi * phi, psi * c1**2 * u)
    traces = _infinite(ns, theta=u * psi / phi, stiffness=0 * phi)._replace(
        m2=m2, m2_slope=-m2 * _ratio(ns, phi, c1**2 * p * u) * _ratio(ns, u + phi, u), chi_p=0 * phi
    )
    weights = Weights(
        train_linear=0 * phi,
        train_rest=p,
        test_linear=ns.where((p == 0) & (u == 0), ns.rational(Fraction(1, 3)), 0 * phi),  # n = d = N
        test_rest=_ratio(ns, 1, p),
        test_constant=_ratio(ns, 1, p),
        test_bulk=0 * phi,
        spread=ns.inf,
        kept=0 * phi,
    )
    return traces, weights


def _infinite(ns: NumberSystem, theta: Number, stiffness: Number) -> Traces:
    return Traces(ns.inf, ns.inf, -ns.inf, -ns.inf, theta, ns.inf, stiffness)


def positive_root(ns: NumberSystem, a: Number, b: Number, c: Number) -> Number:
    """Return the positive x with x² + b x = c, without cancellation for either sign of b.

    >>> from theorycalc.numbers.systems import FLOATS
    >>> float(positive_root(FLOATS, 1.0, 1.0, 6.0))
    2.0
    """
    root = ns.sqrt(b * b + 4 * a * c)
    return ns.where(b > 0, 2 * c, root - b) / ns.where(b > 0, b + root, 2 * a)

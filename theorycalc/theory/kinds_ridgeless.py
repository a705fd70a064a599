"""The limit λ → 0⁺ where neurons are of several kinds, each with c_{>1} > 0 (docs/theory/kinds.md#without-ridge).

N > n    (φ/ψ) E[1 − θ] = 1, the fit interpolates, and s and t are finite
N ≤ n    s is infinite, sθ_b → 1/L_b with L = c_{>1}² + c_1²k, and k + (k/ψ) E[c_1²/L] = 1
"""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np

from theorycalc.numbers.systems import BALLS, FLOATS, SCALARS, Number, NumberSystem
from theorycalc.theory.kind_bulk import linear_excess
from theorycalc.theory.kinds import KindMoments, kind_load, kind_traces_at, linear_slope, mean_over
from theorycalc.theory.kinds_solver import (
    MOST_STEPS,
    SMALL_STEP,
    float_kind_traces,
    linear_root,
    proven_kinds,
    unsettled,
)
from theorycalc.theory.ridgeless import RidgelessCase, case_of, narrow, square
from theorycalc.theory.traces import Traces, Weights, weights_of


def kept_without_ridge(kinds: Sequence[KindMoments], k: Number, psi: Number) -> tuple[Number, Number]:
    """Return k + (k/ψ)E[c_1²/L] − 1, L = c_{>1}² + c_1²k, and its slope in k, a sum of positive terms.

    >>> kept_without_ridge([KindMoments(1, 1, 1)], 1, 1)
    (0.5, 1.25)
    """
    slope = 1 + mean_over(kinds, lambda one: (one.c1 * one.c_rest / (one.c_rest**2 + one.c1**2 * k)) ** 2) / psi
    return linear_excess(kinds, 0, k, psi), slope


def stiffness_share(kinds: Sequence[KindMoments], k: Number, psi: Number) -> tuple[Number, Number]:
    """Return E[1/L], and the limit of λχ: c_{>1}² + c_1²k² for one kind.

    >>> stiffness_share([KindMoments(1, 1, 1)], 0.5, 2 / 3)  # which k solves
    (0.6666666666666666, 1.25)
    """
    loads = [(one.share, one.c1**2, one.c_rest**2, one.c_rest**2 + one.c1**2 * k) for one in kinds]
    first, second = (sum(share / load**j for share, _, _, load in loads) for j in (1, 2))
    linear = sum(share * B / load**2 for share, B, _, load in loads)
    mixed = sum(share * A * B / load**2 for share, B, A, load in loads)
    return first, first / (second + k * linear**2 / (psi + mixed))


def _kept(ns: NumberSystem, kinds: Sequence[KindMoments], psi: Number) -> Number:
    """Return the root k by Newton's method, which comes up to it from below: the equation is concave."""
    k = 0 * psi
    for _ in range(MOST_STEPS):
        value, slope = kept_without_ridge(kinds, k, psi)
        step = -value / slope
        k = k + step
        if ns.all(abs(step) <= SMALL_STEP * k):
            return k
    raise unsettled()  # pragma: no cover - no known problem reaches it


def _interpolating(ns: NumberSystem, kinds: Sequence[KindMoments], phi: Number, psi: Number) -> tuple[Number, Number]:
    """Return s and t for N > n, by Newton's method from below: E[1 − θ] is increasing and concave in s."""
    s = psi / (phi * mean_over(kinds, lambda one: one.c1**2 + one.c_rest**2))
    t = s
    for _ in range(MOST_STEPS):
        t, sums = linear_root(ns, kinds, s, t, psi)
        short = ns.where(phi < 2 * psi, sums.left - (phi - psi) / phi, psi / phi - sums.taken)
        step = short * phi / (psi * kind_load(sums, linear_slope(sums, s, t, psi), phi, psi))
        s = s + step
        if ns.all(abs(step) <= SMALL_STEP * s):
            return s, linear_root(ns, kinds, s, t, psi)[0]
    raise unsettled()  # pragma: no cover - no known problem reaches it


def _infinite(
    ns: NumberSystem, case: RidgelessCase, kinds: Sequence[KindMoments], sizes: tuple[Number, Number], k: Number
) -> tuple[Traces, Weights]:
    """Return the limits for N ≤ n, where m_1 is infinite."""
    phi, psi = sizes
    first, chi = stiffness_share(kinds, k, psi)
    limit = narrow if case == RidgelessCase.NARROW else square
    return limit(ns, phi, psi, phi * first / psi, k, chi)


def float_kind_limits(kinds: Sequence[KindMoments], *parameters: Number) -> tuple[Traces, Weights]:
    """Return traces and weights in float64 where some λ are zero."""
    full = np.broadcast_arrays(*parameters)  # φ, ψ, λ
    case = np.where(full[2] > 0, -1, case_of(FLOATS, full[0], full[1], np.False_))
    out = [np.empty(case.shape) for _ in Traces._fields + Weights._fields]
    for which in np.unique(case):
        phi, psi, ridge = (x[case == which] for x in full)
        if which < 0:
            traces = float_kind_traces(kinds, phi, psi, ridge)
            weights = weights_of(traces, phi, psi, ridge)
        elif which == RidgelessCase.WIDE:
            traces = kind_traces_at(kinds, *_interpolating(FLOATS, kinds, phi, psi), phi, psi, 0.0)
            weights = weights_of(traces, phi, psi, 0.0)
        else:
            traces, weights = _infinite(FLOATS, RidgelessCase(which), kinds, (phi, psi), _kept(FLOATS, kinds, psi))
        for target, value in zip(out, traces + weights, strict=True):
            target[case == which] = value
    return Traces(*out[: len(Traces._fields)]), Weights(*out[len(Traces._fields) :])


def ball_kind_limits(
    kinds: Sequence[KindMoments], phi: flint.arb, psi: flint.arb, case: RidgelessCase, bits: int
) -> tuple[Traces, Weights]:
    """Return enclosures of traces and weights for λ → 0⁺."""
    zero, floats = flint.arb(0), [KindMoments(*map(float, kind[:3])) for kind in kinds]
    if case == RidgelessCase.WIDE:
        s, t = map(flint.arb, _interpolating(SCALARS, floats, float(phi), float(psi)))
        traces = kind_traces_at(kinds, *proven_kinds(kinds, phi, psi, zero, bits, (s, t)), phi, psi, zero)
        return traces, weights_of(traces, phi, psi, zero)
    k = _enclosed_kept(kinds, psi, flint.arb(_kept(SCALARS, floats, float(psi))), bits)
    return _infinite(BALLS, case, kinds, (phi, psi), k)


def _enclosed_kept(kinds: Sequence[KindMoments], psi: flint.arb, k: flint.arb, bits: int) -> flint.arb:
    """Return a ball around k, proven by one interval Newton step: the slope is positive."""
    for _ in range(bits.bit_length()):
        value, slope = kept_without_ridge(kinds, k, psi)
        k = (k - value / slope).mid()
    value, _ = kept_without_ridge(kinds, k, psi)
    box = flint.arb(k, (k * flint.arb(2) ** (8 - bits // 2)).upper())
    image = k - value / kept_without_ridge(kinds, box, psi)[1]
    return image if box.contains_interior(image) else flint.arb.nan()

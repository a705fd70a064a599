"""Ridge on F₀: the share of a linear function that it learns, and the scatter of its fit, for λ ≥ 0.

See docs/theory/error_rate.md#the-law-of-the-fit and docs/theory/error_rate.md#without-ridge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError, spelled
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import Exact
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.kinds import Kinds, fit_noise, kind_sums, mean_over
from theorycalc.theory.ridgeless import RidgelessCase, case_of
from theorycalc.theory.solver import ball_weights, float_weights
from theorycalc.theory.spectral_traces import remainder, spectral_noise
from theorycalc.theory.traces import Traces, Weights, in_resolvent


class Scatter(NamedTuple):
    """The shares of a linear function kept and learned, and variances of f̂ per unit of energy left."""

    kept: Number  # k
    learned: Number  # 1 − k, which is not formed by subtraction
    linear: Number  # variance for each unit of linear energy, and
    rest: Number  # of energy of degree ≥ 2 and of noise
    bulk: Number  # the part of the weight of a constant that the bulk has
    spread: Number  # ζ = 2c_2² · spread


def learned_without_penalty(kinds: Kinds, k: Number, psi: Number) -> Number:
    """Return 1 − k as λ → 0⁺ for N ≤ n, without a subtraction (docs/theory/error_rate.md#without-ridge).

    >>> from theorycalc.theory.kinds import KindMoments
    >>> learned_without_penalty([KindMoments(1, 1, 1)], 0.5, 2 / 3)  # which k solves
    0.5
    """
    return k * mean_over(kinds, lambda one: one.c1**2 / (one.c_rest**2 + one.c1**2 * k)) / psi


def linear_scatter(k: Number, learned: Number, rest: Number) -> Number:
    """Return k(N/(n − N) + 1 − k), the variance per unit of linear energy as λ → 0⁺ for N < n.

    >>> linear_scatter(0.5, 0.5, 1)
    0.75
    """
    return k * (rest + learned)


def scatter_at(case: Case, traces: Traces, weights: Weights, lam: Number, stepped: bool = False) -> Scatter:
    """Return the scatter where m_1 is finite: for λ > 0, and without ridge for N > n.

    Of inputs with a covariance, see docs/theory/error_rate.md#inputs-with-a-covariance.
    """
    if case.levels:
        left, rest = remainder(case, weights, stepped), spectral_noise(case, traces, weights)
        linear = rest * left.square + weights.test_bulk * left.mixed + left.beside
        return Scatter(left.kept, left.learned, linear, rest, weights.test_bulk, weights.spread)
    s, t = (in_resolvent(m, case.phi, case.psi) for m in (traces.m1, traces.m2))
    sums = kind_sums(case.as_kinds, s, t)
    noise = fit_noise(sums, s, t, case.phi, case.psi, lam)
    return Scatter(weights.kept, t * sums.linear / case.psi, *noise, weights.test_bulk, weights.spread)


def _ridgeless(ns: NumberSystem, which: RidgelessCase, case: Case, traces: Traces, weights: Weights) -> Scatter:
    zero = 0 * case.phi
    if which == RidgelessCase.WIDE:
        return scatter_at(case, traces, weights, zero)
    if which == RidgelessCase.LOW_RANK:  # a linear network: its neurons have no mean to spread
        rest = ns.inf if weights.test_rest == ns.inf else case.phi * weights.test_rest
        return Scatter(zero, 1 + zero, weights.test_linear, rest, zero, zero)
    learned = learned_without_penalty(case.as_kinds, weights.kept, case.psi)
    rest = ns.inf if which == RidgelessCase.SQUARE else case.phi / (case.psi - case.phi)
    linear = linear_scatter(weights.kept, learned, rest)
    return Scatter(weights.kept, learned, linear, rest, weights.test_bulk, weights.spread)


def float_scatter(case: Case, ridge: float, stepped: bool = False) -> Scatter:
    """Return the scatter in float64, for λ ≥ 0.

    >>> import theorycalc as tc
    >>> from theorycalc.theory.case import float_case
    >>> case = float_case(tc.Problem("relu", "sign(x)", "1/2", "2/3", 0), "labels")
    >>> round(float_scatter(case, 0.0).rest, 12)  # N/n by 1 − N/n
    3.0
    """
    if ridge > 0:
        return scatter_at(case, *float_weights(case, ridge), ridge, stepped)
    check_ridge(case)
    which = RidgelessCase(int(case_of(FLOATS, case.phi, case.psi, np.bool_(case.c_rest == 0))))
    with np.errstate(divide="ignore", invalid="ignore"):  # infinities are results here
        found = float_weights(case, ridge)
    traces, weights = Traces(*map(float, found[0])), Weights(*map(float, found[1]))
    return _ridgeless(FLOATS, which, case, traces, weights)


def check_ridge(case: Case) -> None:
    """Refuse error rates without ridge for inputs with a covariance.

    >>> import theorycalc as tc
    >>> from theorycalc.theory.case import float_case
    >>> check_ridge(float_case(tc.Problem("relu", "sign(x)", 1, 1, 0), "labels"))
    """
    if case.levels:
        raise DomainError(
            f"error rates of {spelled('inputs')} need {spelled('ridge')} above 0: their limit without ridge is not "
            "derived",
            argument="ridge",
        )


def ball_scatter(case: Case, sizes: Sequence[Exact], bits: int, stepped: bool = False) -> Scatter:
    """Return the scatter in balls at exact φ, ψ, λ ≥ 0."""
    if sizes[2]:
        return scatter_at(case, *ball_weights(case, sizes, bits), ball(sizes[2]), stepped)
    check_ridge(case)
    which = RidgelessCase(case_of(BALLS, sizes[0], sizes[1], bool(case.c_rest == 0)))
    return _ridgeless(BALLS, which, case, *ball_weights(case, sizes, bits))

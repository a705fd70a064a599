"""Means over networks of a step whose residual has a random mean (docs/theory/intercept.md#raw-activations).

The initial output of a network with a raw activation contains the constant g_a c_0 Z, Z = Σâ_i ~ N(0, 1): it changes
from network to network, and with it κ̃ = A + B(Z − z)².  With a free constant all losses are linear in ρ̃² and in the
shares of the teacher, so that these are averaged over Z: in float64 by a rule that no pole of 1/κ̃ disturbs, in balls
by an integral that is enclosed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.case import Case, lengths
from theorycalc.theory.explained import shares_of
from theorycalc.theory.gains import Shares
from theorycalc.theory.plans import Plan, Terms

_REACH = 9.5  # |Z| beyond this has a probability of 2e-21
NODES = 640
_FAR = 12.0  # |z| from which the poles are out of reach
_AT_ONCE = 100_000  # numbers of an array of nodes and points


class Learned(NamedTuple):
    """The gain of a step: ρ² and 1 − ρ² in the mean over networks, the shares of the teacher, κ and ρ to show."""

    t: Number
    one_minus_t: Number
    share: Shares
    kappa: Number
    rho: Number


def learned(ns: NumberSystem, plan: Plan, terms: Terms, case: Case, zeta: Number) -> Learned:
    """Return the part of the teacher that the step of a plan learns; without spikes, none of it."""
    if terms.own_mean is None:
        t, one_minus_t = (case.t, case.one_minus_t) if plan.spikes else (0 * case.t, 1)
        share = shares_of(ns, plan, terms, case, t, one_minus_t, zeta)
        return Learned(t, one_minus_t, share, case.kappa, case.rho)
    average = _ball_average if ns is BALLS else _float_average
    t, one_minus_t, share = average(plan, terms, case, terms.own_mean)
    kappa = case.kappa + case.batch_ratio * terms.own_mean**2
    rho = ns.where(case.step_linear < 0, -1, 1) * ns.sqrt(t)
    if not plan.spikes:
        t, one_minus_t = 0 * t, 1
        share = shares_of(ns, plan, terms, case, t, one_minus_t, zeta)
    return Learned(t, one_minus_t, share, kappa, rho)


def _with_mean(case: Case, residual_mean: Number) -> Case:
    """Return the case with another mean of the residual; of its direction only κ, ρ² and 1 − ρ² follow."""
    changed = dataclasses.replace(case, residual_mean=residual_mean)
    found = lengths(changed, case.phi, case.psi, case.noise)
    return dataclasses.replace(
        changed,
        kappa=found.kappa,
        scatter=found.scatter,
        t=found.along**2 / found.kappa,
        one_minus_t=found.off / found.kappa,
    )


def rule(width: Array, centre: Array, numbers: Array) -> tuple[Array, Array]:
    """Return some nodes Z and weights of a rule for E f(Z), f with poles at z ± iδ: ``width`` is δ, ``centre`` is z.

    With Z = z + δ sinh s the poles of 1/(δ² + (Z − z)²) lie at ±iπ/2, wherever they were, and equal steps in s converge
    exponentially.  Poles at a distance of 1 or more, or far from the real Z that count, need no such change.

    >>> nodes, weights = rule(np.array(0.01), np.array(0.0), np.arange(NODES))
    >>> round(float(np.sum(weights / (0.01**2 + nodes**2))), 10)  # √(π/2) e^(δ²/2) erfc(δ/√2)/δ
    124.3376471249
    """
    near = (width < 1) & (np.abs(centre) < _FAR)
    delta, middle = np.where(near, width, 1.0), np.where(near, centre, 0.0)
    low, high = (np.where(near, np.arcsinh((end - middle) / delta), end) for end in (-_REACH, _REACH))
    step = (high - low) / (NODES - 1)
    s = low + numbers.reshape(-1, *[1] * low.ndim) * step
    nodes = np.where(near, middle + delta * np.sinh(s), s)
    slope = np.where(near, delta * np.cosh(s), 1.0)
    return nodes, step * slope * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)


def _float_average(plan: Plan, terms: Terms, case: Case, own: Number) -> tuple[Number, Number, Shares]:
    """Return ρ², 1 − ρ² and the shares in float64, averaged over Z."""
    mean = case.residual_mean
    least = _with_mean(case, 0.0).kappa
    width, centre = np.broadcast_arrays(np.sqrt(least / case.batch_ratio) / abs(own), mean / own)
    total: Array = np.zeros((4, *width.shape))
    for numbers in np.array_split(np.arange(NODES), -(-NODES * width.size // _AT_ONCE)):
        nodes, weights = rule(width, centre, numbers)
        at = _with_mean(case, mean - own * nodes)
        found = [at.t, at.one_minus_t, *_explained_and_left(FLOATS, plan, terms, at)]
        total += [np.sum(weights * part, axis=0) for part in found]
    t, one_minus_t, explained, left = (part[()] for part in total)
    return t, one_minus_t, Shares(explained, left, floor=0 * t)


def _explained_and_left(ns: NumberSystem, plan: Plan, terms: Terms, case: Case) -> tuple[Number, Number]:
    """Return the shares of a step; no floor is left, since a constant is free."""
    if not plan.spikes:
        return 0 * case.t, 0 * case.t
    share = shares_of(ns, plan, terms, case, case.t, case.one_minus_t, 0 * case.t)
    return share.explained, share.left


def _ball_average(plan: Plan, terms: Terms, case: Case, own: Number) -> tuple[Number, Number, Shares]:
    """Return ρ², 1 − ρ² and the shares in balls, averaged over Z."""

    def at(z: flint.acb) -> Case:
        return _with_mean(case, case.residual_mean - own * z)

    t = enclosed_mean(lambda z: at(z).t, flint.arb(1))
    whole = flint.arb(terms.parts.rest)
    explained = enclosed_mean(lambda z: _explained_and_left(BALLS, plan, terms, at(z))[0], whole)
    return t, 1 - t, Shares(explained, whole - explained, floor=0 * t)


def enclosed_mean(function: Callable[[flint.acb], flint.acb], most: flint.arb) -> flint.arb:
    """Return a ball that contains E f(Z), for an analytic f with 0 ≤ f ≤ ``most`` on the real line."""
    reach = flint.arb(2 * math.isqrt(flint.ctx.prec) + 2)  # beyond it the density is below 2^(−2·precision)
    inside = flint.acb.integral(lambda z, analytic: function(z) * (-(z * z) / 2).exp(), -reach, reach)
    beyond = most * (reach / flint.arb(2).sqrt()).erfc()
    return inside.real / (2 * flint.arb.pi()).sqrt() + beyond * flint.arb(0.5, 0.5)

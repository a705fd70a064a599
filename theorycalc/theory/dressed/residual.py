"""The law of S = Xᵀdiag(r)X/n, which turns every neuron: its resolvent, and that of two directions.

See docs/theory/turning.md#the-law-of-s.

r = y − f₀ is the residual at a point x of the step's batch.  S is a sum of n terms r xxᵀ/n in d dimensions, φ₀ = d/n:
m(z) = tr(S − z)⁻¹/d solves m = 1/(k(m) − z), k(m) = E[r/(1 + φ₀rm)], and has no other root in the upper half-plane.

Let x_D be the coordinates of x on which r depends: g along β⋆ and, with the initial output, one along W₀ᵀa.  By Schur
complements, with k_D = E[r x_D/(1 + φ₀rm)] and K_D = E[r x_D x_Dᵀ/(1 + φ₀rm)], the forms of (S − z)⁻¹ are (K_D − z)⁻¹
within D, (K_D − z)⁻¹k_D between D and b = Xᵀr/n, and E r − k + k_Dᵀ(K_D − z)⁻¹k_D for b itself.  For b − c_⋆1β⋆, whose
length is √(κ(1 − ρ²)), k_D less c_⋆1 takes the place of k_D.

For small φ₀ these are nearly their values at φ₀ = 0, and it is the difference that counts:  r/(1 + φ₀rm) is taken as
r − φ₀m r²/(1 + φ₀rm), and the means of the first part are known: E r = 0, E[r g] = c_⋆1, E[r g²] = 2c_⋆2, and with the
coordinate o along W₀ᵀa E[r o] = −c_1, E[r g o] = E[r o²] = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.responses import normal_rule, panel_rule

_TOLERANCE = 1e-12
_MOST_STEPS = 200
_NEGLIGIBLE = 1e-15  # weight of a node
_TEACHER_NODES = 64
_NOISE_STEP = 0.5
_NOISE_END = 7.0
_GRID = np.linspace(0.01, 0.99, 99)
_SIDES = (1.0, -1.0)
_ON_CIRCLE = 24


@dataclass(frozen=True)
class Residual:
    """Nodes for the law of r with its two coordinates; ``own_square`` is E[own²] at a node."""

    ratio: float  # φ₀
    spike: float  # E[r g²] = 2c_⋆2
    own_mean: float  # E[r o] = −c_1, or 0 where r does not depend on that coordinate
    off: float  # κ(1 − ρ²)
    r: Array
    weights: Array
    along_teacher: Array
    own: Array
    own_square: Array

    def mean(self, values: Array, factor: Array | float = 1.0) -> Array:
        """Return E[values · factor], over the last axis of the values."""
        result: Array = values @ (self.weights * factor)
        return result


class DirectionTransforms(NamedTuple):
    """One array for each spectral measure of S: bulk, β⋆, β⋆ with c, c, W₀ᵀa, and W₀ᵀa with β⋆ and with c."""

    bulk: Array
    teacher: Array
    cross: Array
    rest: Array
    own: Array
    own_teacher: Array
    own_rest: Array


def residual_of(step: DressedStep, level: int) -> Residual:
    """Return the law of r = σ⋆(g) + τξ; τ² is the noise and, with it, the initial output, of which c_1² along W₀ᵀa."""
    case = step.case
    spread = math.sqrt(case.residual_variance)
    g, g_weights = panel_rule(np.zeros(1), np.ones(1), step.teacher.kinks, _TEACHER_NODES << level)
    label = np.broadcast_to(step.teacher.values(g[0]), g[0].shape)
    xi, xi_weights = normal_rule(_NOISE_STEP / 2**level, _NOISE_END) if spread > 0 else (np.zeros(1), np.ones(1))
    weights = (g_weights[0][:, None] * xi_weights).ravel()
    keep = weights > _NEGLIGIBLE
    noise = np.tile(xi, len(label))[keep]
    share = case.own_linear / spread if case.included else 0.0
    r = (label[:, None] + spread * xi).ravel()[keep]
    if step.one_draw:
        r = _as_drawn(r, weights[keep], step.samples * case.step_ratio)
    return Residual(
        ratio=case.batch_ratio,
        spike=2 * case.step_quadratic,
        own_mean=-case.own_linear if case.included else 0.0,
        off=case.kappa * case.one_minus_t,
        r=r,
        weights=weights[keep] / weights[keep].sum(),
        along_teacher=np.repeat(g[0], len(xi))[keep],
        own=-share * noise,
        own_square=1 - share**2 + (share * noise) ** 2,
    )


def _as_drawn(r: Array, weights: Array, count: float) -> Array:
    """Return residuals that are no larger, and no smaller, than in a batch of ``count`` of them."""
    order = np.argsort(r)
    below = np.cumsum(weights[order]) / weights.sum()
    low, high = (
        r[order[min(int(np.searchsorted(below, share)), len(r) - 1)]] for share in (0.5 / count, 1 - 0.5 / count)
    )
    return np.clip(r, low, high)


def bulk_transform(law: Residual, z: Array) -> Array:
    """Return m(z) in the upper half-plane, by Newton's method, or by the map itself where Newton would leave it."""
    m = -1 / (z + 1j * math.sqrt(law.ratio * float(law.mean(law.r**2))))
    for _ in range(_MOST_STEPS):
        part = law.r / (1 + law.ratio * m[:, None] * law.r)
        k = _taken_off(law, m, part)
        excess = m * (k - z) - 1
        slope = k - z - law.ratio * m * law.mean(part**2)
        moved = m - excess / slope
        moved = np.where(moved.imag > 0, moved, 1 / (k - z))
        done = np.abs(moved - m) <= _TOLERANCE * np.abs(m)
        m = moved
        if done.all():
            return m
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        "Newton's method did not find the law of the gradient's rest for these labels; "
        f"use {spelled('method', 'isotropic')}, which does without it",
        argument="teacher",
    )


def _taken_off(law: Residual, m: Array, part: Array, factor: Array | float = 1.0) -> Array:
    """Return E[r f/(1 + φ₀rm)] − E[r f] for a factor f, given r/(1 + φ₀rm)."""
    return -law.ratio * m * law.mean(part, law.r * factor)


class _WithinD(NamedTuple):
    """r/(1 + φ₀rm), and the entries of K_D − z: both coordinates with themselves, and with each other."""

    part: Array
    gg: Array
    oo: Array
    go: Array

    @property
    def determinant(self) -> Array:
        result: Array = self.gg * self.oo - self.go**2
        return result


def _within_D(law: Residual, m: Array, z: Array) -> _WithinD:
    part = law.r / (1 + law.ratio * m[:, None] * law.r)
    g, own = law.along_teacher, law.own
    gg = law.spike + _taken_off(law, m, part, g**2) - z
    return _WithinD(part, gg, _taken_off(law, m, part, law.own_square) - z, _taken_off(law, m, part, g * own))


def resolvent(law: Residual, z: Array) -> DirectionTransforms:
    """Return the transforms ∫ dμ(s)/(s − z) of the shares at points of the upper half-plane.

    c is the part of b orthogonal to β⋆, of unit length.
    """
    m = bulk_transform(law, z)
    within = _within_D(law, m, z)
    part, gg, oo, go = within
    c_g = _taken_off(law, m, part, law.along_teacher)
    c_own = law.own_mean + _taken_off(law, m, part, law.own)
    teacher, own_form, between = oo / within.determinant, gg / within.determinant, -go / within.determinant
    off_teacher, off_own = teacher * c_g + between * c_own, between * c_g + own_form * c_own
    off = c_g * off_teacher + c_own * off_own - _taken_off(law, m, part)
    length = math.sqrt(law.off)
    return DirectionTransforms(m, teacher, off_teacher / length, off / law.off, own_form, between, off_own / length)


class _Outside(NamedTuple):
    """Places z outside of the bulk of S, on one side of it from far away to its edge: m(z), z, and bounds of ‖K_D‖."""

    m: Array
    z: Array
    sizes: Array


def _outside(law: Residual, sign: float) -> _Outside:
    """Return places beyond the edge above, or below, which is where z(m) = k(m) − 1/m turns; r has both signs."""
    m = -sign * _GRID / (law.ratio * float((sign * law.r).max()))
    part = law.r / (1 + law.ratio * m[:, None] * law.r)
    z = law.mean(part) - 1 / m
    sizes = law.mean(np.abs(part), law.along_teacher**2 + law.own_square)
    end = int(np.argmin(sign * z)) + 1
    return _Outside(m[:end], z[:end], sizes[:end])


def reach(law: Residual) -> float:
    """Return a bound of the spectrum of S: of its bulk, and ‖K_D‖ beyond."""
    return max(float(max(np.abs(side.z[-1]), side.sizes.max())) for side in (_outside(law, sign) for sign in _SIDES))


def bulk_reach(law: Residual) -> float:
    """Return a bound of the bulk of S: the farther one of its edges."""
    return max(abs(float(_outside(law, sign).z[-1])) for sign in _SIDES)


def spikes_of_S(law: Residual, bound: float) -> tuple[Array, DirectionTransforms]:
    """Return the eigenvalues of S beyond ±bound, where K_D − z is singular, and their part in every share.

    The parts are residues of the transforms, by circles that leave out everything else.
    """

    def place(m: float) -> float:
        return float(law.mean(law.r / (1 + law.ratio * m * law.r))) - 1 / m

    def determinant(m: float) -> float:
        return float(_within_D(law, np.array([m]), np.array([place(m)])).determinant[0])

    found: list[float] = []
    for side in (_outside(law, sign) for sign in _SIDES):
        signs = np.sign(_within_D(law, side.m, side.z).determinant)
        turns = np.flatnonzero(signs[1:] != signs[:-1])
        found += [place(float(brentq(determinant, side.m[i], side.m[i + 1], xtol=1e-15, rtol=1e-13))) for i in turns]
    s = np.array([place for place in found if abs(place) > bound])
    others = np.concatenate([s, [bound, -bound]])
    turn = np.exp(1j * math.pi * (np.arange(_ON_CIRCLE) + 0.5) / _ON_CIRCLE)
    parts = np.zeros((len(s), len(DirectionTransforms._fields)))
    for i, spike in enumerate(s):
        circle = np.abs(others[others != spike] - spike).min() / 2 * turn
        parts[i] = [-(share * circle).real.mean() for share in resolvent(law, spike + circle)]
    return s, DirectionTransforms(*parts.T)

"""The turning of neurons by the rest of the gradient (docs/theory/turning.md).

The step moves w_i by u(c_1b + 2c_2Sw_i + noise_i): besides its spike, S = Xᵀdiag(r)X/n has a bulk, and given it the
noise has the covariance T = φ₀Xᵀdiag(r²)X/n, times ϖ = Var σ' − 4c_2².  So neurons of one u are spread by

    C(u) = [(1 + 2c_2uS)² + u²ϖT]/s_u²,     tr C/d = 1,

with k = 1 − mηa² in place of the 1 where a neuron's own output is in the residual,
not evenly: with φ₀ > 1 nothing at all happens outside of the span of the batch.  T counts as its best quadratic
function t_0 + t_1S + t_2S², so that C(u) = A_0 + A_1S + A_2S².

Means over the spectrum of S are sums over Chebyshev nodes in w, s = b sinh(w), which converge geometrically, the faster
the farther the poles of what is averaged are from the real line.  Their weights are means of polynomials in w, that is,
integrals along a curve that winds around the spectrum, w on an ellipse: equal steps converge geometrically there, too.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.lengths import LengthLaw, lengths_of
from theorycalc.theory.dressed.neurons import DressedStep, Network
from theorycalc.theory.dressed.residual import (
    DirectionTransforms,
    Residual,
    bulk_reach,
    of_squares,
    reach,
    residual_of,
    residues,
    resolvent,
    spikes_of_S,
    standard_deviation,
)

_MOST_NODES = 600
_FOCI = 2.0 ** np.arange(1, -13, -1)  # of the curve, in standard deviations of S
_ANGLES = math.pi / 4 * 0.8 ** np.arange(24)
_NEARER = 0.7  # of the angle: on a lower curve polynomials are not so large that rounding shows, and
_FINER = 3  # times as many points as there are nodes make up for it
_BEYOND = 1.05  # times the bound of the spectrum
NEAREST = 1.9  # times the angle: where the first pole may be; it was chosen with all poles beyond twice the angle


class Nodes(NamedTuple):
    """Nodes s for the spectrum of S: ``Σ weights·f(s)`` is the mean of f over a share."""

    s: Array
    weights: DirectionTransforms


class SpectrumBounds(NamedTuple):
    """Bounds on the spectrum of S, around 0, or of T less its mean, from 0 of T upwards."""

    low: float = 0.0
    high: float = 0.0
    origin: float = 0.0

    def w(self, s: Array | complex, focus: float) -> Array:
        """Return w at points s = origin + b sinh(w)."""
        return np.arcsinh((s - self.origin) / focus)

    def halves(self, focus: float) -> tuple[float, float]:
        """Return the middle of the interval in w, and half its length."""
        low, high = (math.asinh((end - self.origin) / focus) for end in (self.low, self.high))
        return (low + high) / 2, (high - low) / 2


_NO_BOUNDS = SpectrumBounds()


@dataclass(frozen=True)
class Turning:
    """The spectrum of S by its nodes, and its effect on neurons: C(u) as coefficients of 1, s and s²."""

    nodes: Nodes
    spread_of: tuple[Array, Array, Array]  # A_0, A_1, A_2 over (η, u)
    kept: tuple[Array, Array]  # w_i·ŵ_i = kept_0 + kept_1 s
    lengths: LengthLaw
    spikes: Array  # nodes that are eigenvalues of S beside its bulk
    leading: bool = False  # whether A_2 is of the first shape γ_1 alone
    interval: SpectrumBounds = _NO_BOUNDS
    focus: float = 0.0  # b, and
    angle: float = 0.0  # the height of an ellipse half as high as the first pole


def only_its_spike(network: Network) -> Turning:
    """Return S as its mean M, 2c_⋆2β⋆β⋆ᵀ for one direction, with everything else as even noise.

    M acts on the leading shape of the linear part, and its cross moments are dropped.  See
    docs/theory/dressed.md#the-spike-of-s.
    """
    step, u = network.step, network.u
    one, none = network.alone, np.zeros_like(u)
    case, (spikes, axes) = step.case, step.spikes
    count = len(spikes)
    even = np.arange(count + 1) == 0
    directions = np.zeros((count + 1, count + 1, count + 1))
    directions[:count, :count, 1:] = axes[:, None] * axes  # of M, in its eigenvectors
    directions[-1, -1] = even
    own_directions = np.zeros((count + 1, count + 1))
    if case.included:
        own_directions[-1, 0] = -case.own_linear / (math.sqrt(case.kappa) * case.off_teacher)  # W₀ᵀa in c
    return Turning(
        nodes=Nodes(
            np.append(0 * spikes[:1], spikes), DirectionTransforms(1.0 * even, directions, 1.0 * even, own_directions)
        ),
        spread_of=(one, none, (2 * network.c2 * u / network.scale) ** 2),
        kept=(np.ones_like(u), none),
        lengths=LengthLaw((network.kept / network.scale) ** 4 if case.gaussian_rows else none, none),
        spikes=spikes,
        leading=True,
    )


def by_squares(network: Network) -> bool:
    """Return whether only T turns the neurons, since their c_2 are 0: nodes are then those of T less its mean."""
    return not np.any(network.c2)


def spread_of(network: Network) -> tuple[Array, Array, Array]:
    """Return A_0, A_1 and A_2 of C(u)."""
    step, u = network.step, network.u
    t0, t1, t2 = _law(step, 0, by_squares(network)).quadratic
    c2 = network.c2
    noise = np.maximum(0.0, network.spread / step.case.scatter - 4 * c2**2) * u**2
    s2 = network.scale**2
    kept = network.kept
    return (
        (kept**2 + noise * t0) / s2,
        (4 * c2 * u * kept + noise * t1) / s2,
        (4 * c2**2 * u**2 + noise * t2) / s2,
    )


def turning_between(network: Network, poles: Array, accuracy: float, level: int) -> Turning:
    """Return the turning, with as many nodes as the nearest pole requires."""
    step = network.step
    squares = by_squares(network)
    law = _law(step, level, squares)
    foci, poles = standard_deviation(law.matrix) * _FOCI, np.concatenate([poles.ravel(), law.spikes.s])
    lengths = np.array([law.interval.halves(focus)[1] for focus in foci])
    rooms = np.array([room(poles, focus, law.interval) for focus in foci])
    best = int(np.argmax(rooms / lengths))
    angle = float(_ANGLES[np.argmax(rooms[best] / 2 >= _ANGLES)])
    count = min(_MOST_NODES, _count(accuracy, NEAREST * angle / float(lengths[best])))
    nodes = _nodes(step, level, float(foci[best]), angle, count, squares), law.spikes
    weights = (np.concatenate(pair, axis=-1) for pair in zip(*(part.weights for part in nodes), strict=True))
    return Turning(
        nodes=Nodes(np.concatenate([part.s for part in nodes]), DirectionTransforms(*weights)),
        spread_of=spread_of(network),
        kept=(network.kept / network.scale, 2 * network.c2 * network.u / network.scale),
        lengths=lengths_of(network, law.residual),
        spikes=law.spikes.s,
        interval=law.interval,
        focus=float(foci[best]),
        angle=angle,
    )


def _count(accuracy: float, height: float) -> int:
    """Return the number of Chebyshev nodes for a pole-free ellipse of this height, in units of half the interval.

    The error falls as 2ρ^{−count}/(ρ − 1), ρ the sum of both half axes.
    """
    growth = math.asinh(height)  # ln ρ
    return math.ceil(math.log(2 / (accuracy * math.expm1(growth))) / growth)


def room(poles: Array, focus: float, interval: SpectrumBounds) -> Array:
    """Return the height of the ellipse in w, with foci at the ends of the spectrum, that touches a row's first pole."""
    w, (middle, half) = interval.w(poles.astype(complex), focus), interval.halves(focus)
    longer = (np.abs(w - middle - half) + np.abs(w - middle + half)) / 2
    return np.sqrt(np.maximum(longer**2 - half**2, 0.0)).min(axis=-1, initial=math.pi / 2)


@dataclass(frozen=True)
class _Law:
    residual: Residual
    matrix: Residual  # of S, or of T
    interval: SpectrumBounds
    quadratic: tuple[float, float, float]  # t_0, t_1, t_2
    spikes: Nodes  # beyond the reach


@functools.lru_cache(maxsize=16)
def _law(step: DressedStep, level: int, squares: bool = False) -> _Law:
    residual = residual_of(step, level)
    matrix = of_squares(residual) if squares else residual
    bound = _BEYOND * (bulk_reach(matrix) if step.one_draw else reach(matrix))
    none = np.empty(0)
    spikes = spikes_of_S(matrix, bound) if step.one_draw else (none, residues(matrix, none, bound))
    if squares:
        mean = matrix.center
        return _Law(residual, matrix, SpectrumBounds(-mean, bound, -mean), (mean, 1.0, 0.0), Nodes(*spikes))
    return _Law(residual, matrix, SpectrumBounds(-bound, bound), quadratic_of(residual), Nodes(*spikes))


def quadratic_of(law: Residual) -> tuple[float, float, float]:
    """Return t_0 + t_1s + t_2s² closest to T in mean square over the spectrum of S.

    From moments: tr S^p/d by the free cumulants φ₀^{p−1}E r^p, E r = 0, and tr(TS^p)/d, which is what is left of
    tr S^{p+2}/d without the products with lower ones.
    """
    unit = math.sqrt(law.ratio * float(law.mean(law.r**2)))  # the standard deviation of S
    c3, c4 = (law.ratio ** (p - 1) * float(law.mean((law.r / unit) ** p)) for p in (3, 4))
    moments = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, c3], [1.0, c3, c4 + 2]])
    t0, t1, t2 = np.linalg.solve(moments, np.array([1.0, c3, c4 + 1]))
    return float(t0) * unit**2, float(t1) * unit, float(t2)


@functools.lru_cache(maxsize=64)
def _nodes(step: DressedStep, level: int, focus: float, angle: float, count: int, squares: bool = False) -> Nodes:
    """Return Chebyshev nodes in w = asinh(s/b), and means of the polynomials that are 1 at one node, 0 at others."""
    z, shares = _curve(step, level, focus, _NEARER * angle, _FINER * count, squares)
    interval = _law(step, level, squares).interval
    middle, half = interval.halves(focus)
    x = np.cos((np.arange(count) + 0.5) * (math.pi / count))
    series = chebyshev.chebvander(x, count - 1).T * (2 / count)  # of those polynomials, in their columns
    series[0] /= 2
    on_curve = chebyshev.chebvander((interval.w(z, focus) - middle) / half, count - 1)
    return Nodes(
        interval.origin + focus * np.sinh(middle + half * x),
        DirectionTransforms(*((share @ on_curve).real @ series for share in shares)),
    )


def _curve(step: DressedStep, level: int, focus: float, angle: float, count: int, squares: bool = False) -> Nodes:
    """Return points on the upper half of a curve, and weights: real parts of sums are integrals along all of it."""
    law = _law(step, level, squares)
    middle, half = law.interval.halves(focus)
    length = math.hypot(half, angle)  # half of the ellipse whose foci are the ends of the spectrum
    turn = (np.arange(count) + 0.5) * (math.pi / count)
    w = middle - length * np.cos(turn) + 1j * angle * np.sin(turn)
    speed = length * np.sin(turn) + 1j * angle * np.cos(turn)
    z, dz = law.interval.origin + focus * np.sinh(w), focus * np.cosh(w) * speed * (math.pi / count)
    transforms = resolvent(law.matrix, z)
    return Nodes(z, DirectionTransforms(*(transform * dz / (1j * math.pi) for transform in transforms)))

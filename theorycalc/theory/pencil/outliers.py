"""Eigenvalues of FFᵀ/n that a step drives out of the bulk, and what their vectors align with.

See docs/theory/pencil.md#spikes-in-the-spectrum.

An outlier z makes Mid(−z) of ``pencil`` singular.  With x = √z, diag(√x, 1/√x) Mid(−z) diag(√x, 1/√x) is the identity
block matrix less Uᵀ(x − H₀)⁻¹U, H₀ = [[0, F₀], [F₀ᵀ, 0]]/√n: it grows with z wherever F₀F₀ᵀ/n has no eigenvalue.  So
the number of negative eigenvalues of Mid falls by one at each outlier and nowhere else: halving finds them all.

One thing is added to the pencil.  ‖x‖² fluctuates, and the part c_2 H_2 of σ follows it in all neurons at once: F₀
contains c_2(‖x‖²/d − 1)1ᵀ, a spike with the right vector 1, along which gᵀ(I − F₀ᵀR₀F₀)g is θ/(1 + ζ), not θ, with
ζ = 2c_2² sθ/ψ.  Even powers of a have such a part, so the first 1 of the pencil's last block becomes 1 + ζ.  Where
ζ = −1 lies outside the bulk, it is an outlier of F₀ itself.  (ReLU, n = 1000, λ = 0.1, simulated along 1:
0.337 ± 0.005; θ = 0.441, θ/(1 + ζ) = 0.338.)

By block elimination the form VᵀRV of the columns H_k(h) is −(Mid⁻¹)₂₂, whose residue at λ = −z is the squared overlap:
with Mid x = 0, x = (x₁, x₂), the unit left singular vector has (uᵀH_k(h))²/(n k!) = −x₂ₖ²/(k! xᵀ(∂_λ Mid)x).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.bulk import Array, Bulk, Curve, eigenvalue_at, traces_on
from theorycalc.theory.limits import Plan, Point, direction_of, float_constants
from theorycalc.theory.pencil.equations import (
    Blocks,
    Setting,
    Slice,
    blocks_of,
    matrix_of,
    spike_factor,
    strengths,
    theta_slope,
)
from theorycalc.theory.weights import constant_spread

_MOST_POWERS = 12
_TINY = 1e-30  # the unit of derivatives, carried in imaginary parts
_ULPS_ON_BOUNDARY = 4
_INSET = 1e-12  # of an interval of y; its square is what that changes in z
_SAME = 1e-9  # relative distance of y below which two outliers are one, with two vectors, or one of F₀'s
_HALVINGS = 200  # more than float64 can tell apart, so that halving ends by itself


class Outliers(NamedTuple):
    """Eigenvalues outside the bulk, and the squared overlaps of each with H_k(h), k = 0, 1, … (see above)."""

    places: Array  # in falling order above the bulk; those in its gap follow
    alignments: Array  # outlier × k
    spikes: tuple[int, ...]
    strengths: Array  # one for each spike


class StepSize(NamedTuple):
    """One step η = n^α of a network of N neurons; α is −∞ where η is 0."""

    n: int
    N: int
    alpha: float
    eta: float
    gradient: str


class OutlierPencil(NamedTuple):
    """What Mid is made of, apart from λ."""

    curve: Curve
    setting: Setting
    Y: Sequence[Sequence[float]]
    own: int  # the polynomial of √N a that a itself is
    c2: float  # of the activation, on any first layer; 0 where it is not known


def powers_kept(alpha: float) -> int:
    """Return the largest k with α > (k−1)/(2k); more powers would make spurious roots.

    k = 1 is always kept: a single spike of any size makes none.

    >>> powers_kept(0.3), powers_kept(0.25), powers_kept(-1.0)
    (2, 1, 1)
    """
    if alpha <= 0:
        return 1
    # As in ``windows``, a float within a few ulp of a boundary is on it, and k does not leave the bulk there.
    room = 1 - 2 * (Fraction(alpha) - _ULPS_ON_BOUNDARY * Fraction(math.ulp(alpha)))
    if room * _MOST_POWERS < 1:
        raise DomainError(
            f"alpha={alpha}: the pencil would need more than {_MOST_POWERS} powers of the step (all of them from "
            f"α = 1/2 on); take a smaller step, α ≤ {0.5 - 0.5 / _MOST_POWERS:.3f}"
        )
    return max(1, math.ceil(1 / room) - 1)


def coefficients_up_to(activation: Activation, top: int) -> list[float]:
    """Return c_0 = 0, c_1, …, c_top in float64, or say that they are not known.

    >>> coefficients_up_to(Activation.from_moments("1/2", "3/10"), 1)
    [0.0, 0.5]
    """
    known = [Fraction(0), activation.c1, *([] if activation.c2 is None else [activation.c2])]
    if top < len(known):
        return [float(c) for c in known[: top + 1]]
    if not activation.has_values:
        raise DomainError(
            f"the step brings powers up to {top} out of the bulk, and c_{top} of {activation.name} is not known; "
            "write the activation as text, such as 'relu' or 'H1 + H2/2 + 3*H3/10'"
        )
    return [0.0, *(float(c) for c in activation.coefficients(top)[1:])]


def pencil_outliers(problem: Problem, bulk: Bulk, step: StepSize, powers: int | None = None) -> Outliers:
    """Return all outliers above the bulk and in its gap after a step, with the spikes k ≤ ``powers``.

    Below the bulk there are none as long as E = 0: there su > 0, so that Mid stays regular.
    """
    _, N, alpha, eta, gradient = step
    spikes = problem.activation.spikes(powers_kept(alpha) if powers is None else powers)
    c = coefficients_up_to(problem.activation, max(spikes))
    constants = float_constants(Plan(problem, Spikes(spikes), "closed", None, gradient))
    phi, ratio, *_ = bulk.curve
    point = Point(phi, phi / ratio, float(problem.ridge), float(problem.noise))
    kappa = direction_of(FLOATS, constants, point).kappa
    sizes = strengths(spikes, c, eta, math.sqrt(kappa), math.sqrt(N))
    law = problem.second_layer
    setting = Setting(
        phi, phi / ratio, kappa, 0.0, (), constants.c1, constants.c_rest, constants.c2_gaussian, constants.included
    )
    pencil = OutlierPencil(
        bulk.curve,
        setting,
        spike_factor(FLOATS, spikes, sizes, law),
        own=0 if law == "constant" else 1,
        c2=0.0 if problem.activation.c2 is None else float(problem.activation.c2),
    )
    ys = singular_points(pencil, bulk)
    places = np.array([eigenvalue_at(y, bulk.curve) for y in ys])
    rows = [row for y in dict.fromkeys(ys) for row in overlaps_at(y, ys.count(y), pencil)]
    alignments = np.array(rows).reshape(len(ys), max(spikes) + 1)
    return Outliers(places, alignments, spikes, np.array(sizes))


def singular_points(pencil: OutlierPencil, bulk: Bulk) -> list[float]:
    """Return the y of all outliers, the largest z first: above the bulk, then in its gap."""
    top = bulk.intervals[-1].high_y
    far = 2 * top
    while count_above(far, pencil) > 0:
        far *= 16
    found = _drops(far, top, pencil)
    for below, above in pairwise(bulk.intervals):
        found += _drops(above.low_y, below.high_y, pencil)
    return found


def _drops(far: float, near: float, pencil: OutlierPencil) -> list[float]:
    """Return every y < 0 between ``far`` (large z) and ``near`` where the count changes."""
    inset = _INSET * (near - far)  # at an edge itself the slopes are infinite
    far, near = far + inset, near - inset
    least, most = count_above(far, pencil), count_above(near, pencil)
    found: list[float] = []
    for target in range(least + 1, most + 1):
        low, high = far, near
        for _ in range(_HALVINGS):  # pragma: no branch - the loop ends by a break
            middle = -math.sqrt(low * high)
            if not low < middle < high:
                break
            if count_above(middle, pencil) < target:
                low = middle
            else:
                high = middle
        same = found and abs(high - found[-1]) <= _SAME * abs(high)
        found.append(found[-1] if same else high)
    return found


class BlocksAt(NamedTuple):
    """The blocks at λ = −z (of which q is not used), √|θ| in them, with the sign of θ, and 1 + ζ."""

    blocks: Blocks
    sign: float
    last: float


def blocks_at(y: float, pencil: OutlierPencil) -> tuple[BlocksAt, BlocksAt]:
    """Return the blocks at y and their λ-derivatives."""
    phi, psi = pencil.setting.phi, pencil.setting.psi
    traces, lam = traces_on(y, pencil.curve)
    at = Slice(
        complex(traces.m1, _TINY * traces.m1_slope),
        complex(traces.m2, _TINY * traces.m2_slope),
        complex(traces.theta, _TINY * theta_slope(traces, phi, psi, lam)),
    )
    both = blocks_of(FLOATS, len(pencil.Y) - 1, at, pencil.setting)
    last = 1 + constant_spread(pencil.c2, at.m1 * at.theta / phi)  # sθ/ψ = m_1θ/φ
    sign = math.copysign(1, traces.theta)
    root = np.sqrt(sign * at.theta)
    value = Blocks([w.real for w in both.weights], [], both.coupling.real, root.real)
    rate = Blocks([w.imag / _TINY for w in both.weights], [], both.coupling.imag / _TINY, root.imag / _TINY)
    return BlocksAt(value, sign, last.real), BlocksAt(rate, sign, last.imag / _TINY)


def _scaled(value: BlocksAt, pencil: OutlierPencil) -> tuple[Array, Array]:
    """Return Mid with its rows and columns scaled to about 1, and the scales.

    Where θ < 0 the last block changes its sign, so that eliminating it leaves −θ Y Yᵀ as ever.
    """
    size = len(pencil.Y)
    matrix = np.array(matrix_of(value.blocks, pencil.Y, pencil.own), dtype=float)
    matrix[2 * size, 2 * size] = value.last
    matrix[2 * size :, 2 * size :] *= value.sign
    weights = np.abs(value.blocks.weights)
    first = 1 / np.sqrt(weights + weights.min())
    # Not the k-th of ``first``: where w_0 is infinite, (Mid⁻¹)₂₂ is, and Mid must look singular.
    second = 1 / np.maximum(value.blocks.root_theta * np.linalg.norm(pencil.Y, axis=1), first.max())
    scale = np.concatenate([first, second, np.ones(size)])
    return matrix * scale[:, None] * scale, scale


def count_above(y: float, pencil: OutlierPencil) -> int:
    """Return the number of outliers above z(y), up to a constant of the interval (0 above the bulk).

    Outliers of F₀ itself, where 1 + ζ = 0 or w_0 is infinite, are poles of Mid: there they are counted, too.
    """
    value, _ = blocks_at(y, pencil)
    matrix, _ = _scaled(value, pencil)
    size = len(pencil.Y)
    last = value.sign * np.array([value.last] + [1] * (size - 1))
    negative = int(np.count_nonzero(np.linalg.eigvalsh(matrix) < 0)) - int(np.count_nonzero(last < 0))
    return negative - size + sum(int(pole < y) for pole in poles_of(pencil))


def poles_of(pencil: OutlierPencil) -> list[float]:
    """Return the y at which 1 + ζ = 0 or w_0 is infinite."""
    return [-constant_spread(c2, 1 / pencil.setting.phi) for c2 in (pencil.c2, pencil.setting.c2) if c2]


def overlaps_at(y: float, multiplicity: int, pencil: OutlierPencil) -> Array:
    """Return the squared overlaps with H_k(h)/√(n k!), from the residue of VᵀRV, for all vectors of one outlier."""
    if any(abs(y - pole) <= _SAME * abs(y) for pole in poles_of(pencil)):
        y *= 1 + _SAME  # w_0 must be finite, and the residue changes as little as y
    value, rate = blocks_at(y, pencil)
    matrix, scale = _scaled(value, pencil)
    size = len(pencil.Y)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    chosen = np.argsort(np.abs(eigenvalues))[:multiplicity]
    x1, x2, x3 = (vectors[:, chosen] * scale[:, None]).reshape(3, size, multiplicity)
    through = np.array(pencil.Y).T @ x2
    half = (  # of xᵀ(∂_λ Mid)x
        x1.T @ (np.array(rate.blocks.weights)[:, None] * x1) / 2
        + rate.blocks.coupling * np.outer(x1[1], through[pencil.own])
        - rate.blocks.root_theta * (through.T @ x3)
        + rate.sign * rate.last * np.outer(x3[0], x3[0]) / 2
    )
    growth, mixed = np.linalg.eigh(half + half.T)
    norms = np.array([factorial(k) for k in range(size)])
    return np.asarray(-((x2 @ mixed).T ** 2) / (growth[:, None] * norms))

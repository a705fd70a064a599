"""Eigenvalues of FFᵀ/n that a step of any size moves out of the bulk (docs/theory/dressed.md#outliers).

An outlier z makes Mid at λ = −z singular.  Above the bulk the fixed point has a real solution with ς < 0, the
continuation from ς → −z as z → ∞; where that ends is the edge of the bulk, which the step moves, too.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.model.enums import SecondLayer
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.iteration import zero_between
from theorycalc.numbers.systems import Array
from theorycalc.running.budget import spending
from theorycalc.theory.dressed.accuracy import check_shared, check_strength
from theorycalc.theory.dressed.direction_forms import constant_of
from theorycalc.theory.dressed.fixed_point import (
    Carried,
    at_nodes,
    balance,
    newton_matrix,
    operators_of,
    poles_of,
    transposed,
)
from theorycalc.theory.dressed.forms import Forms, forms_of, mid_of
from theorycalc.theory.dressed.neurons import DressedStep, Network, Resolution, network_after
from theorycalc.theory.dressed.turning import Turning, only_its_spike, room, turning_between
from theorycalc.theory.overlaps import of_unit_vectors

_TOLERANCE = 1e-11
_MOST_STEPS = 60
_GRID = 40
_PARTS = 10  # of an interval with several outliers
_FINEST = 1e-10  # relative accuracy of an outlier
_EDGE = 1e-5  # relative accuracy of the edge of the bulk
_ROUGHLY = 1e-2  # that of an edge from which the search goes on
_LOWEST = 1e-300  # where the search for the edge of the bulk ends
_ACCURACY = 1e-8  # of means over S
_FAR, _NEAR = 1.4, 1.02  # times the edge: where nodes for S are chosen
_ROOM, _LEAST_ROOM = 1.5, 0.5  # times the angle: where the poles may be when nodes are chosen, and later
_MOST_CURVES = 8
_HIGHEST = 6  # H_k with which overlaps are taken


class Continued(NamedTuple):
    """The fixed point at λ = −z with its derivative in λ, and a mask of the points where it is real."""

    at: Carried
    real: Array


class FoundOutlier(NamedTuple):
    """Outliers in decreasing order, their squared overlaps with H_0(h), H_1(h), …, and the edge of the bulk."""

    places: Array
    overlaps: Array
    edge: float
    rare: float  # the share of the mean response from values that a draw has once, beyond that of a linear one


def continued(network: Network, turning: Turning, z: Array) -> Continued:
    """Return the fixed point of a network after one step, continued to λ = −z for every z.

    Newton's method goes on at the points that move; inside the bulk, where there is nothing to find, it leads out of
    the range of a solution, and there it ends.  With all of S it starts where it ended with the spike of S alone.
    """
    at = -np.repeat(z[:, None], len(network.h), axis=1)
    Q, sigma = np.ones((len(z), len(network.a))), at.copy()
    if not turning.leading:
        start = continued(network, only_its_spike(network), z)
        Q[start.real], sigma[start.real] = start.at.Q.value[start.real], 1 / start.at.g.value[start.real]
    size, moving = Q.shape[-1], np.arange(len(z))
    for _ in range(_MOST_STEPS):
        matrix, excess = _linearised(network, turning, at[moving], Q[moving], sigma[moving])
        now = np.concatenate([Q[moving], sigma[moving]], axis=-1)
        moved = now - np.linalg.solve(matrix, excess[..., None])[..., 0]
        keep = np.all((moved[:, :size] > 0) & (moved[:, :size] < 1e6), axis=-1) & np.all(moved[:, size:] < 0, axis=-1)
        Q[moving[keep]], sigma[moving[keep]] = moved[keep, :size], moved[keep, size:]
        moving = moving[keep & (np.abs(excess / now).max(axis=-1) >= _TOLERANCE)]
        if not len(moving):
            break
    matrix, excess = _linearised(network, turning, at, Q, sigma)
    sign, _ = np.linalg.slogdet(matrix)
    real = (np.abs(excess / np.concatenate([Q, sigma], axis=-1)).max(axis=-1) < _TOLERANCE) & (sign > 0)
    if not turning.leading:  # a pole that the nodes do not see would be in the spectrum of S
        real &= room(poles_of(network, 1 / sigma, Q), turning.focus, turning.interval) > _LEAST_ROOM * turning.angle
    push = np.concatenate([np.zeros_like(Q), np.ones_like(sigma)], axis=-1)
    slope = np.linalg.solve(matrix, push[..., None])[..., 0]
    return Continued(Carried(Dual(1 / sigma, -slope[:, size:] / sigma**2), Dual(Q, slope[:, :size])), real)


def _linearised(network: Network, turning: Turning, at: Array, Q: Array, sigma: Array) -> tuple[Array, Array]:
    """Return Newton's matrix and the residuals of Q and ς."""
    g = 1 / sigma
    found = balance(network, turning, at, g, Q)
    excess = np.concatenate([Q - found.Q_map, sigma - found.sigma_map], axis=-1)
    return newton_matrix(network, turning, found, g), excess


def dressed_outliers(step: DressedStep, eta: float) -> FoundOutlier:
    """Return every outlier above the bulk after a step η."""
    check_strength(step, eta)
    check_shared(step, eta)
    with spending("the spectrum after a step of η =", eta):
        network = network_after(replace(step, one_draw=True), np.array([eta]), Resolution())
    top = _bound(network)
    turning, edge = _edge(network, top)
    visible = edge * (1 + step.samples ** (-2 / 3))  # the edge of a draw fluctuates by as much
    places = _singular_places(functools.partial(_mid, network, turning), visible, top)
    overlaps = np.array([_overlaps(network, _mid(network, turning, np.array([z]))) for z in places])
    overlaps = of_unit_vectors(overlaps.reshape(len(places), _HIGHEST + 1))
    return FoundOutlier(places, overlaps, edge, _rare_share(network))


def _rare_share(network: Network) -> float:
    """Return the share of E μ_0² at the outermost nodes of u and h, which stand for all rarer values.

    Less that of E u²h²: with a linear response outliers are right at every size.  It is 0 where the mean response is
    below the bulk, so that no outlier depends on it.
    """
    rows = np.ones(len(network.a), dtype=bool)
    if network.step.case.second_layer == SecondLayer.GAUSSIAN:
        rows = np.abs(network.a) < np.abs(network.a).max()  # of every kind

    def rare(squares: Array) -> float:
        return float(1 - squares[rows, 1:-1].sum() / squares.sum())

    response, weights = network.u_weights[:, None] * network.mean[0] ** 2, network.u_weights[:, None]
    linear = weights * network.h_weights * np.multiply.outer(network.a, network.h) ** 2
    within = weights * (network.linear[0] ** 2 + network.h_weights * network.noise[0])
    return max(0.0, rare(response) - rare(linear)) if network.step.N * response.sum() > within.sum() else 0.0


class _Mid(NamedTuple):
    """Mid at λ = −z with its derivative in λ, the scale of its lower half, and its eigenvalues.

    Mid is what is left of a larger matrix when the spikes of S, the neurons that know W₀ᵀa, and both directions are
    eliminated: ``negative`` is the number of negative eigenvalues of all parts, ``eliminated`` that of these blocks.
    """

    matrix: Dual
    scale: Array
    levels: Array
    negative: Array
    eliminated: Array


def _mid(network: Network, turning: Turning, z: Array) -> _Mid:
    at = continued(network, turning, z).at
    forms = forms_of(network, turning, at)
    K, V = operators_of(network, turning.spread_of, at.g.value, at.Q.value, turning.leading)
    root = np.linalg.cholesky(-V)
    blocks = np.eye(V.shape[-1]) - transposed(root)[:, None] @ at_nodes(K, turning.spikes) @ root[:, None]
    eliminated = _negative(np.linalg.eigvalsh(blocks)).sum(axis=-1) + _negative(np.linalg.eigvalsh(forms.neurons.value))
    eliminated += _negative(np.linalg.eigvalsh(_bent_block(forms)))
    matrix, scale = mid_of(forms)
    levels = np.linalg.eigvalsh(matrix.value)
    return _Mid(matrix, scale, levels, _negative(levels) + eliminated, eliminated)


def _bent_block(forms: Forms) -> Array:
    """Return [[−Z, 1], [1, ΔV]], whose inverse contains Z_all = (Z⁻¹ + ΔV)⁻¹, in a unit that makes Z about 1.

    Unlike 1 + ZΔV it is symmetric, and where Z has a pole its count makes up for that of the block singular there.
    """
    Z, changed = forms.Z.value, forms.changed.value
    unit = np.abs(Z).max(axis=(-1, -2), keepdims=True)
    one = np.broadcast_to(np.eye(Z.shape[-1]), Z.shape)
    return np.block([[-Z / unit, one], [one, changed * unit]])


def _negative(levels: Array) -> Array:
    return (levels < 0).sum(axis=-1)


def _singular_places(mid: Callable[[Array], _Mid], low: float, high: float) -> Array:
    """Return every z in an interval at which the whole matrix is singular, in decreasing order.

    Its number of negative eigenvalues changes there, and nowhere else.  Intervals are divided until each has one such
    place and nothing was eliminated that changed its sign: then it is an eigenvalue of Mid that does.
    """
    places: list[float] = []
    grids = [low * (high / low) ** np.linspace(0, 1, _GRID) ** 2]  # denser near the edge
    while grids:
        grid = grids.pop()
        found = mid(grid)
        for i in np.flatnonzero(found.negative[:-1] != found.negative[1:]):
            drop = abs(int(found.negative[i] - found.negative[i + 1]))
            index = min(int(_negative(found.levels[j])) for j in (i, i + 1))

            def level(log_z: float, index: int = index) -> float:
                return float(mid(np.exp([log_z])).levels[0, index])

            if grid[i + 1] < (1 + _FINEST) * grid[i]:
                places += [float(grid[i])] * drop
            elif drop == 1 and found.eliminated[i] == found.eliminated[i + 1]:
                low_log, high_log = np.log(grid[i : i + 2])
                places.append(math.exp(zero_between(level, low_log, high_log, _FINEST)))
            else:
                grids.append(np.geomspace(grid[i], grid[i + 1], _PARTS))
    return np.sort(np.array(places))[::-1]


def _bound(network: Network) -> float:
    """Return an upper bound of the largest eigenvalue, tr FFᵀ/n = N E f²."""
    norms = network.quadratic**2 / (2 * network.step.inputs)
    constant = constant_of(network)[:, None] * np.sqrt(network.h_weights)
    second = (network.mean + constant) ** 2 + network.linear**2 + network.noise * network.h_weights + norms
    return float(network.step.N) * float((network.u_weights @ second[0]).sum())


def _edge(network: Network, top: float) -> tuple[Turning, float]:
    """Return the edge of the bulk, and nodes for the spectrum of S that remain valid above it.

    First with only the spike of S, which tells where the poles of the means over S are; then with all of S.
    """
    turning = only_its_spike(network)
    if network.step.isotropic:
        return turning, _end_of_solutions(network, turning, top, _EDGE)
    edge = _end_of_solutions(network, turning, top, _ROUGHLY)
    for wider, accuracy in ((_FAR, _ROUGHLY), (_NEAR, _EDGE)):
        turning, above = _turning_above(network, turning, wider * edge, top)
        edge = _end_of_solutions(network, turning, above, accuracy)
    return turning, edge


def _turning_above(network: Network, turning: Turning, place: float, top: float) -> tuple[Turning, float]:
    """Return nodes valid at z ≥ ``place``, where the poles are nearest, or if need be only from a higher place on."""
    while place < top:
        for _ in range(_MOST_CURVES):
            found = continued(network, turning, np.array([place]))
            if not found.real[0]:
                break
            poles = poles_of(network, found.at.g.value, found.at.Q.value)
            if turning.angle and room(poles, turning.focus, turning.interval)[0] > _ROOM * turning.angle:
                return turning, place
            turning = turning_between(network, poles, _ACCURACY, 0)
        place *= _FAR
    raise PrecisionError(
        "float64 finds no upper edge of the bulk: the activation grows too fast for this step, or the network is too "
        "small for it",
        argument="eta",
    )


def _end_of_solutions(network: Network, turning: Turning, high: float, accuracy: float) -> float:
    """Return the smallest z down to which the solution is real, by dividing intervals."""
    low = 0.0
    while (high - low) > accuracy * high:
        inner = np.linspace(low, high, 10)[1:-1] if low > 0 else high * np.geomspace(1e-3, 0.95, 12)
        real = continued(network, turning, inner).real
        last = int(np.flatnonzero(~real)[-1]) if not real.all() else -1
        high = float(inner[last + 1]) if last + 1 < len(inner) else high
        if last >= 0:  # else the bulk is lower still: strong spikes make the bound of it generous
            low = float(inner[last])
        elif high < _LOWEST:
            raise PrecisionError(  # pragma: no cover - no known problem reaches it
                "spikes hide the edge of the bulk in float64; take a smaller step", argument="eta"
            )
    return high


def _overlaps(network: Network, mid: _Mid) -> Array:
    """Return the squared overlaps with H_k(h)/√k!: the residue of the forms at the pole, where Mid n = 0.

    vᵀRv has the pole (v·u)²/(λ + z) of the unit eigenvector u; in the forms it is −(vᵀn_2)²/(nᵀMid'n)/(λ + z).
    """
    values, vectors = np.linalg.eigh(mid.matrix.value[0])
    null = vectors[:, np.argmin(np.abs(values))]
    slope = null @ mid.matrix.slope[0] @ null
    powers = np.sqrt(network.h_weights)[:, None] * np.polynomial.hermite_e.hermevander(network.h, _HIGHEST)
    basis, _ = np.linalg.qr(powers)  # orthonormal for the h of one draw, too
    lower = (null[mid.scale.shape[-1] :] * mid.scale[0])[: len(basis)]
    return -((lower @ basis) ** 2) / slope

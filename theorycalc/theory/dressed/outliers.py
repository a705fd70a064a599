"""Eigenvalues of FFᵀ/n that a step of any size drives out of the bulk (docs/theory/dressed.md#outliers).

An outlier z makes Mid at λ = −z singular.  Above the bulk the fixed point has a real solution with ς < 0, the
continuation from ς → −z as z → ∞; where that ends is the edge of the bulk, which the step moves, too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from theorycalc.errors import ArgumentError, PrecisionError, spelled
from theorycalc.model.problem import Problem
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import FLOATS, Array
from theorycalc.running.terminal import waiting
from theorycalc.theory.bulk import Bulk
from theorycalc.theory.dressed.fixed_point import Carried, balance, newton_matrix
from theorycalc.theory.dressed.forms import forms_of, mid_of
from theorycalc.theory.dressed.neurons import DressedStep, Network, Resolution, check_strength, network_after, step_of
from theorycalc.theory.dressed.turning import only_its_spike
from theorycalc.theory.pencil.numerics import pencil_of
from theorycalc.theory.pencil.outliers import Outliers, StepSize

_TOLERANCE = 1e-11
_MOST_STEPS = 60
_GRID = 160
_BELOW = 0.999
_LOWEST = 1e-30  # of the bound of the spectrum, where the search for the edge of the bulk ends
_HIGHEST = 6  # H_k with which overlaps are taken


class Continued(NamedTuple):
    """The fixed point at λ = −z with its derivative in λ, and a mask of the points at which it is real."""

    at: Carried
    real: Array


class FoundOutlier(NamedTuple):
    """Outliers in falling order, their squared overlaps with H_0(h), H_1(h), …, and the edge of the bulk."""

    places: Array
    overlaps: Array
    edge: float


def continued(network: Network, z: Array) -> Continued:
    """Solve the fixed point of a network, whose steps are all the same, at λ = −z.

    Newton's method goes on at the points that move; inside the bulk, where there is nothing to find, it leads out of
    the range of a solution, and there it ends.
    """
    at = -np.repeat(z[:, None], len(network.h), axis=1)
    Q, sigma = np.ones((len(z), len(network.a))), at.copy()
    size, moving = Q.shape[-1], np.arange(len(z))
    for _ in range(_MOST_STEPS):
        matrix, excess = _linearised(network, at, Q, sigma, moving)
        now = np.concatenate([Q[moving], sigma[moving]], axis=-1)
        moved = now - np.linalg.solve(matrix, excess[..., None])[..., 0]
        keep = np.all((moved[:, :size] > 0) & (moved[:, :size] < 1e6), axis=-1) & np.all(moved[:, size:] < 0, axis=-1)
        Q[moving[keep]], sigma[moving[keep]] = moved[keep, :size], moved[keep, size:]
        moving = moving[keep & (np.abs(excess / now).max(axis=-1) >= _TOLERANCE)]
        if not len(moving):
            break
    matrix, excess = _linearised(network, at, Q, sigma, np.arange(len(z)))
    sign, _ = np.linalg.slogdet(matrix)
    real = (np.abs(excess / np.concatenate([Q, sigma], axis=-1)).max(axis=-1) < _TOLERANCE) & (sign > 0)
    push = np.concatenate([np.zeros_like(Q), np.ones_like(sigma)], axis=-1)
    slope = np.linalg.solve(matrix, push[..., None])[..., 0]
    return Continued(Carried(Dual(1 / sigma, -slope[:, size:] / sigma**2), Dual(Q, slope[:, :size])), real)


def _linearised(network: Network, at: Array, Q: Array, sigma: Array, which: Array) -> tuple[Array, Array]:
    """Return Newton's matrix and the residuals of Q and ς at the points ``which``."""
    part = network.at(which)
    turning, g = only_its_spike(part), 1 / sigma[which]
    found = balance(part, turning, at[which], g, Q[which])
    maps = np.concatenate([found.Q_map, found.sigma_map], axis=-1)
    excess = np.concatenate([Q[which], sigma[which]], axis=-1) - maps
    return newton_matrix(part, turning, found, g), excess


def _mid(network: Network, z: Array) -> tuple[Dual, Array]:
    """Return Mid at λ = −z with its derivative in λ, and the scale of its lower half."""
    at = continued(network, z).at
    return mid_of(forms_of(network, only_its_spike(network), at), np.sqrt(np.abs(at.g.value)))


def dressed(problem: Problem, bulk: Bulk, step: StepSize, powers: int | None = None) -> Outliers:
    """Return the outliers of a problem after a step, and the strengths of the pencil's spikes."""
    if powers is not None:
        raise ArgumentError(
            f"{spelled('powers')} is for {spelled('method', 'pencil')}; dressed features keep all of them",
            argument="powers",
        )
    pencil = pencil_of(problem, step.N, step.gradient)
    description = step_of(problem, step.N, step.gradient)
    sizes = pencil.strengths(FLOATS, step.eta)
    if step.eta == 0:  # the untrained network has no direction to align with
        return Outliers(np.empty(0), np.empty((0, _HIGHEST + 1)), pencil.spikes, np.array(sizes))
    try:
        with waiting("looking for outliers"):
            found = dressed_outliers(description, step.eta)
    except np.linalg.LinAlgError:
        raise PrecisionError(  # pragma: no cover - no known problem reaches it
            "a matrix of the fixed point is singular in float64; take another step", argument="eta"
        ) from None
    return Outliers(found.places, found.overlaps, pencil.spikes, np.array(sizes))


def dressed_outliers(step: DressedStep, eta: float) -> FoundOutlier:
    """Return every outlier above the bulk after a step of size η."""
    check_strength(step, eta)
    one = network_after(step, np.array([eta]), Resolution())

    def at(z: Array) -> tuple[Dual, Array]:
        return _mid(one.at(np.zeros(len(z), dtype=int)), z)

    top = _bound(one)
    edge = _edge(one, top)
    if edge > _BELOW * top:
        raise PrecisionError(
            "float64 finds no upper edge of the bulk: the activation grows too fast for this step", argument="eta"
        )
    grid = edge * (top / edge) ** np.linspace(0, 1, _GRID) ** 2  # denser near the edge
    grid[0] *= 1 + 1e-9
    levels = np.linalg.eigvalsh(at(grid)[0].value)
    places = []
    for i in range(_GRID - 1):
        for index in np.flatnonzero((levels[i] > 0) != (levels[i + 1] > 0)):

            def level(z: float, index: int = int(index)) -> float:
                return float(np.linalg.eigvalsh(at(np.array([z]))[0].value[0])[index])

            if (level(grid[i]) > 0) == (level(grid[i + 1]) > 0):
                raise PrecisionError(  # pragma: no cover - no known problem reaches it
                    "rounding hides the outliers of this step; take a smaller one", argument="eta"
                )
            places.append(brentq(level, grid[i], grid[i + 1], xtol=1e-13 * grid[i], rtol=1e-13))
    ordered = np.sort(np.array(places))[::-1]
    overlaps = np.array([_overlaps(one, *at(np.array([z]))) for z in ordered])
    return FoundOutlier(ordered, overlaps.reshape(len(ordered), _HIGHEST + 1), edge)


def _bound(network: Network) -> float:
    """Return a bound of the largest eigenvalue: tr FFᵀ/n = N E f²."""
    second = network.mean**2 + network.linear**2 + network.noise * network.h_weights
    return float(network.step.N) * float((network.u_weights @ second[0]).sum())


def _edge(network: Network, top: float) -> float:
    """Return the edge of the region in which the solution is real, by bisection."""

    def is_real(z: Array) -> Array:
        return continued(network.at(np.zeros(len(z), dtype=int)), z).real

    low, high = 0.0, top
    while (high - low) > 1e-9 * high:
        inner = np.linspace(low, high, 18)[1:-1] if low > 0 else high * np.geomspace(1e-4, 0.9, 16)
        real = is_real(inner)
        last = int(np.flatnonzero(~real)[-1]) if not real.all() else -1
        high = float(inner[last + 1]) if last + 1 < len(inner) else high
        if last >= 0:  # else the bulk is lower still: strong spikes make the bound of it generous
            low = float(inner[last])
        elif high < _LOWEST * top:
            raise PrecisionError(  # pragma: no cover - no known problem reaches it
                "the bulk is too small beside the spikes of this step for float64 to find its edge", argument="eta"
            )
    return high


def _overlaps(network: Network, mid: Dual, scale: Array) -> Array:
    """Return the squared overlaps with H_k(h)/√k!: the residue of the forms at the pole, with Mid n = 0.

    vᵀRv has the pole (v·u)²/(λ + z) of the unit eigenvector u; in the forms it is −(vᵀn_2)²/(nᵀMid'n)/(λ + z).
    """
    values, vectors = np.linalg.eigh(mid.value[0])
    null = vectors[:, np.argmin(np.abs(values))]
    slope = null @ mid.slope[0] @ null
    root = np.sqrt(network.h_weights)
    shapes = [np.polynomial.hermite_e.hermeval(network.h, [0] * k + [1]) for k in range(_HIGHEST + 1)]
    lower = null[scale.shape[-1] :] * scale[0]
    return np.array([-(((root * f) @ lower) ** 2) / math.factorial(k) / slope for k, f in enumerate(shapes)])

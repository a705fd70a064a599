"""Eigenvalues of FFᵀ/n that the pencil drives out of the bulk of neurons with biases, and their alignment.

See docs/theory/kinds.md#the-spectrum.

As for neurons of one kind (``outliers``) the number of negative eigenvalues of Mid(−z) falls by one at each outlier.
Above the bulk z falls as k = t/s grows from 1, and k serves as the variable; all θ_b are positive there.  F₀ contains
(‖x‖²/d − 1)c_2(b_i), a spike whose right vector is v_b = √(2sθ_b/ψ) c_2(b) in the orthonormal functions of the kinds:
the last block of Mid becomes 1 + vvᵀ, of determinant 1 + ζ, ζ = (2s/ψ)E_b[c_2²θ].
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Dual, root
from theorycalc.numbers.systems import FLOATS, Array, Number
from theorycalc.theory.case import Case
from theorycalc.theory.kind_bulk import ABOVE_ONE, RealCurves
from theorycalc.theory.kinds import kind_traces_at
from theorycalc.theory.pencil.equations import Slice, blocks_of, kind_slices, matrix_of
from theorycalc.theory.pencil.numerics import Pencil
from theorycalc.theory.traces import constant_spread, in_resolvent

_HALVINGS = 100
_INSET = 1e-7  # of ln(k − 1), before the edge, where slopes are infinite


class KindPencilStep(NamedTuple):
    """A pencil after one step: the parts of Mid that do not depend on λ."""

    case: Case
    curves: RealCurves
    factors: Sequence[Sequence[Sequence[float]]]  # Y of each kind
    c2: Sequence[float]


def kind_outliers(pencil: Pencil, eta: float) -> tuple[Array, Array]:
    """Return all outliers above the bulk after a step η, in falling order, and their squared overlaps with H_k(h)."""
    case = pencil.case
    curves = RealCurves(case.kinds, float(case.phi), float(case.psi))
    c2 = [0.0 if kind.c2 is None else float(kind.c2) for kind in pencil.problem.unit_kinds]
    after = KindPencilStep(case, curves, pencil.factors(FLOATS, eta), c2)
    edge = curves.upper_end() - _INSET
    far = edge - 1
    while count_above(far, after) > 0:
        far -= 3
    points = [_drop(far, edge, target, after) for target in range(1, count_above(edge, after) + 1)]
    places = np.array([_solution(w, after)[2] for w in points])
    rows = np.array([_overlaps(w, after) for w in points])
    return places, rows.reshape(len(points), max(pencil.spikes) + 1)


def _drop(low: float, high: float, target: int, after: KindPencilStep) -> float:
    """Return the w between two others where the count reaches a number, by halving."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if count_above(middle, after) < target:
            low = middle
        else:
            high = middle
    return high


def _solution(w: float, after: KindPencilStep) -> tuple[float, float, float]:
    """Return σ, k and z on the curve above the bulk."""
    point = np.array([w])
    found = after.curves.at(point, 0, ABOVE_ONE)
    return float(found.sigma[0]), float(ABOVE_ONE.k(point)[0]), float(found.z[0])


def _slices(w: float, after: KindPencilStep) -> tuple[Slice, ...]:
    """Return the slices of all kinds at one point, with their λ-derivatives."""
    case, (sigma, k, z) = after.case, _solution(w, after)
    return kind_slices(kind_traces_at(case.kinds, 1 / sigma, k / sigma, case.phi, case.psi, -z), case)


def kind_mid(w: float, after: KindPencilStep) -> tuple[Dual, float]:
    """Return Mid at one point, with its derivative in λ and the spike that ‖x‖² makes, and ζ."""
    case, slices = after.case, _slices(w, after)
    blocks = blocks_of(FLOATS, len(after.factors[0]) - 1, slices, case)
    shares = [kind.share for kind in case.kinds]
    spreads = zip(shares, after.c2, slices, strict=True)
    zeta = sum((share * constant_spread(c2, at.spread) for share, c2, at in spreads), Dual(0.0, 0.0))
    s = in_resolvent(slices[0].m1, case.phi, case.psi)
    if case.gaussian_rows:
        blocks.weights[0] = s / (1 + zeta)
    matrix = matrix_of(blocks, [root(FLOATS, at.theta) for at in slices], after.factors, case.own)
    size = len(blocks.weights)
    spike: list[Number] = [
        share**0.5 * c2 * root(FLOATS, at.theta) for share, c2, at in zip(shares, after.c2, slices, strict=True)
    ]
    for b, one in enumerate(spike, start=2):
        for other_b, other in enumerate(spike, start=2):
            matrix[b * size][other_b * size] = matrix[b * size][other_b * size] + 2 * s * one * other / case.psi
    value, slope = (np.array([[getattr(x, part) for x in row] for row in matrix]) for part in ("value", "slope"))
    return Dual(value, slope), float(zeta.value)


def scaled(matrix: Array, loads: Array) -> tuple[Array, Array]:
    """Return Mid with its rows and columns scaled to about 1, and the scales, given the size of its rows of √θ Y."""
    size = len(loads)
    weights = np.abs(np.diag(matrix)[:size])
    first = 1 / np.sqrt(weights + weights.min())
    # Not the k-th of ``first``: where w_0 is infinite, (Mid⁻¹)₂₂ is, and Mid must look singular.
    second = 1 / np.maximum(loads, first.max())
    scale = np.concatenate([first, second, np.ones(len(matrix) - 2 * size)])
    return matrix * scale[:, None] * scale, scale


def _scaled(mid: Dual, size: int) -> tuple[Array, Array]:
    return scaled(mid.value, np.linalg.norm(mid.value[size : 2 * size, 2 * size :], axis=1))


def count_above(w: float, after: KindPencilStep) -> int:
    """Return the number of outliers above z at one point: those of F₀ itself, where ζ = −1, are poles of Mid."""
    size = len(after.factors[0])
    mid, zeta = kind_mid(w, after)
    matrix, _ = _scaled(mid, size)
    negative = int(np.count_nonzero(np.linalg.eigvalsh(matrix) < 0))
    return negative - size + int(after.case.gaussian_rows and zeta < -1)


def _overlaps(w: float, after: KindPencilStep) -> Array:
    """Return the squared overlaps with H_k(h)/√(n k!), from the residue of VᵀRV."""
    size = len(after.factors[0])
    mid, _ = kind_mid(w, after)
    matrix, scale = _scaled(mid, size)
    values, vectors = np.linalg.eigh(matrix)
    null = vectors[:, np.argmin(np.abs(values))] * scale
    norms = np.array([factorial(k) for k in range(size)])
    return np.asarray(-(null[size : 2 * size] ** 2) / (float(null @ mid.slope @ null) * norms))

"""The density of the singular values of the weights (docs/theory/weights.md#the-bulk).

A Gaussian or uniform second layer has neurons of many lengths, s² = 1 + bw + qw² with w = (√N a)².  Where few neurons
have a length, x is nearly real and no rule has nodes dense enough; there the means over w are taken by their poles,
with the Faddeeva function or a logarithm.  After several steps s² is known at nodes only, and linear between many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.model.enums import SecondLayer
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.nodes_of_kinds import KindStep, kept_share
from theorycalc.theory.followed_weights import FollowedLaw, followed_law, is_followed
from theorycalc.theory.weights import WeightLaw, edges_of, law_after, law_before, turn_of

_MOST_STEPS = 2000
_PATIENCE = 200  # steps: only points outside the bulk, by the error of its edge, need more
_REAL = 1e-6  # Im x beside x, below which it counts as real
_TOLERANCE = 1e-12
_ROUNDING = 1e-15  # of the terms of an equation: beside an edge, where two roots meet, Newton's steps fall no further
_EQUAL = 1e-12  # s², which differ by rounding only: of no step, or of a linear activation
_CELLS = 1600  # of neurons after several steps
_SMALL = 1e-4  # change of s² in a cell beside x − s², below which its logarithm is a series
_FAR = 20.0  # standard deviations: poles that far are resolved by the rule


class Lengthening(NamedTuple):
    """The lengths of one kind of neuron: share, b and q of s² = 1 + bw + qw², and E[1/(w₀ − w)] with its derivative."""

    share: float
    linear: float
    square: float
    pole: Callable[[Array], tuple[Array, Array]]


class TurnedRows(NamedTuple):
    """One kind of neuron turned by labels with a mean: its share, and s² as a polynomial of z = √N a, rising powers.

    ``pole`` is E[1/(z₀ − z)] with its derivative in z₀.  See docs/theory/weights.md#labels-with-a-mean.
    """

    share: float
    square: Array
    pole: Callable[[Array], tuple[Array, Array]]


class Cells(NamedTuple):
    """Neurons of one kind after several steps, with s² linear over cells of √N a: the shares, and s² at the ends."""

    shares: Array
    low: Array
    high: Array


#: How the s² of one kind of neuron depend on √N a; None where they are few.
Lengths = Lengthening | TurnedRows | Cells | None


@dataclass(frozen=True)
class WeightBulk:
    """The bulk: the neurons' law without cut-off, its edges, and the mean of all σ²."""

    law: WeightLaw | FollowedLaw
    edges: tuple[float, float]
    mean: float
    lengthenings: tuple[Lengths, ...] = (None,)  # of each kind of neuron


def bulk_before(ratio: float) -> WeightBulk:
    """Return the bulk of W₀ for the ratio c = N/d.

    >>> [round(edge, 12) for edge in bulk_before(2.25).edges]
    [0.5, 2.5]
    """
    law = law_before(ratio)
    return WeightBulk(law, edges_of(law), 1.0)


def bulk_after(step: DressedStep, eta: float) -> WeightBulk:
    """Return the bulk after a step of size η, or after several."""
    law_of: Callable[..., WeightLaw | FollowedLaw] = followed_law if is_followed(step) else law_after
    whole = law_of(step, eta, whole=True)
    kinds: tuple[DressedStep | KindStep, ...] = step.kinds or (step,)
    lengths = np.split(whole.lengths, len(kinds))
    found: list[Lengths]
    if isinstance(whole, FollowedLaw):
        layers = np.split(whole.layer, len(kinds))
        found = [_cells(step, kind, *rows) for kind, *rows in zip(kinds, layers, lengths, strict=True)]
    else:
        found = [_lengthening(step, kind, eta, rows) for kind, rows in zip(kinds, lengths, strict=True)]
    edges = edges_of(law_of(step, eta), whole)
    return WeightBulk(whole, edges, float(whole.mean(whole.lengths)), tuple(found))


def _share(kind: DressedStep | KindStep) -> float:
    return kind.share if isinstance(kind, KindStep) else 1.0


def _cells(step: DressedStep, kind: DressedStep | KindStep, layer: Array, lengths: Array) -> Cells | None:
    """Return cells of equal width in √N a, or None if all neurons of one kind have a few lengths only."""
    from scipy.interpolate import CubicSpline
    from scipy.special import ndtr

    law = step.case.second_layer
    if law not in _POLES or np.ptp(lengths) <= _EQUAL:
        return None
    end = float(layer[-1]) if law == SecondLayer.GAUSSIAN else math.sqrt(3)
    places = np.linspace(-end, end, _CELLS + 1)
    masses = np.diff(ndtr(places) if law == SecondLayer.GAUSSIAN else places)
    ends = CubicSpline(layer, lengths)(places)
    return Cells(_share(kind) * masses / masses.sum(), ends[:-1], ends[1:])


def _lengthening(step: DressedStep, kind: DressedStep | KindStep, eta: float, lengths: Array) -> Lengths:
    """Return the lengthening of one kind of neuron, or None if all of its neurons have one length."""
    layer = step.case.second_layer
    pole = _POLES.get(layer)
    if pole is None or np.ptp(lengths) <= _EQUAL:
        return None
    back = 1 - kept_share(kind.own_output, step.unit(eta), 1 / step.N)
    turn = turn_of(step, kind) * step.unit(eta) / math.sqrt(step.N)
    if turn:
        kept = np.array([1.0, turn, -back])
        square = np.convolve(kept, kept) + np.array([0, 0, kind.spread * step.unit(eta) ** 2 / step.N, 0, 0])
        return TurnedRows(_share(kind), np.trim_zeros(square, "b"), _SIGNED_POLES[layer])
    return Lengthening(_share(kind), kind.spread * step.unit(eta) ** 2 / step.N - 2 * back, back**2, pole)


def weight_density(bulk: WeightBulk, sigma: Array) -> Array:
    """Return the density of the N singular values at points inside the bulk.

    >>> round(float(weight_density(bulk_before(1.0), np.array([1.0]))[0]) * math.pi, 12)  # √(4 − σ²)
    1.732050807569
    """
    x = _upper_root(bulk.law, sigma**2, bulk.lengthenings)
    return np.asarray(2 * sigma / (math.pi * bulk.law.ratio) * np.maximum(x.imag, 0.0) / np.abs(x) ** 2)


def _upper_root(law: WeightLaw | FollowedLaw, square: Array, lengthenings: Sequence[Lengths]) -> Array:
    """Return the only x in the upper half-plane, by Newton's method or, where that leaves it, by iterating the map.

    Beside the s² of few neurons Newton's method may end at a real x that repels the map; then it begins elsewhere.
    Just outside the bulk x is real, and the map approaches it too slowly; there Newton's method may cross the line.
    """
    mean = float(law.mean(law.lengths))
    half, other = (square + mean * (1 - law.ratio)) / 2, 1j * np.sqrt(square * mean)
    x = half + 1j * np.sqrt(np.maximum(square * mean - half**2, _TOLERANCE * square * mean))  # exact for equal s²
    left = np.arange(len(x))
    for count in range(_MOST_STEPS):
        at = x[left]
        one, two = _means(law, at, lengthenings)
        ahead = at * (1 - law.ratio + law.ratio * one) - square[left]
        slope = 1 - law.ratio + law.ratio * (2 * one - two)
        newton = at - ahead / slope
        crossed = at - ahead if count < _PATIENCE else np.conj(newton)
        x[left] = np.where(newton.imag > 0, newton, crossed)
        rounding = _ROUNDING * (square[left] + np.abs(at) * (abs(1 - law.ratio) + law.ratio * np.abs(one)))
        found = (np.abs(x[left] - at) <= _TOLERANCE * np.abs(at)) | (np.abs(ahead) <= rounding)
        repels = found & (slope.real < -_REAL) & (at.imag < _REAL * np.abs(at))
        x[left[repels]] = other[left[repels]]
        left = left[~found | repels]
        if not left.size:
            return x
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        "Newton's method did not find the density of the weights; take a smaller step", argument="eta"
    )


def _means(law: WeightLaw | FollowedLaw, x: Array, lengthenings: Sequence[Lengths]) -> tuple[Array, Array]:
    """Return E[x/(x − s²)] and E[(x/(x − s²))²], which give σ² and its slope without a subtraction near x = 0."""
    count = len(lengthenings)
    parts = zip(np.split(law.nodes, count), np.split(law.lengths, count), lengthenings, strict=True)
    found = [_means_of_kind(nodes, lengths, x, lengthening) for nodes, lengths, lengthening in parts]
    (one, two), *others = found
    return sum((part[0] for part in others), one), sum((part[1] for part in others), two)


def _means_of_kind(nodes: Array, lengths: Array, x: Array, lengthening: Lengths) -> tuple[Array, Array]:
    """Return the contributions of one kind of neuron to both means."""
    if isinstance(lengthening, Cells):
        return _by_cells(x, lengthening)
    share = x[:, None] / (x[:, None] - lengths)
    one, two = share @ nodes, share**2 @ nodes
    if lengthening is None:
        return one, two
    by_poles = _by_signed_poles(x, lengthening) if isinstance(lengthening, TurnedRows) else _by_poles(x, lengthening)
    resolvent, slope, near = by_poles
    whole = lengthening.share
    return np.where(near, whole * (x * resolvent), one), np.where(near, whole * (-(x**2) * slope), two)


def _by_poles(x: Array, lengthening: Lengthening) -> tuple[Array, Array, Array]:
    """Return E[1/(x − s²)], its slope in x, and whether a pole is near; the poles are the roots w of s² = x."""
    _, b, q, pole = lengthening  # b and q are not both 0
    apart = np.sqrt(b**2 + 4 * q * (x - 1))
    apart = np.where((apart * b).real < 0, -apart, apart)  # so that nothing cancels in the first root
    first = 2 * (x - 1) / (b + apart)
    value, rise = pole(first)
    near = np.abs(first) < _FAR**2
    if q == 0:
        return value / apart, rise / apart**2, near
    second = -(b + apart) / (2 * q)
    other, falls = pole(second)
    difference = (value - other) / apart
    return difference, (rise + falls) / apart**2 - 2 * q * difference / apart**2, near | (np.abs(second) < _FAR**2)


def _by_cells(x: Array, cells: Cells) -> tuple[Array, Array]:
    """Return E[x/(x − s²)] and E[(x/(x − s²))²] from their integrals over cells in which s² is linear."""
    to_low, to_high = x[:, None] - cells.low, x[:, None] - cells.high
    half = (cells.high - cells.low) / (to_low + to_high)  # of the change, beside the middle
    few = np.abs(half) < _SMALL
    safe = np.where(few, _SMALL, half)
    inverse = 2 / (to_low + to_high) * np.where(few, 1 + half**2 / 3, np.arctanh(safe) / safe)
    return x * (inverse @ cells.shares), x**2 * ((1 / (to_low * to_high)) @ cells.shares)


def _by_signed_poles(x: Array, rows: TurnedRows) -> tuple[Array, Array, Array]:
    """Return E[1/(x − s²)], its slope in x, and whether a pole is near; the poles are the roots z of s² = x."""
    polynomial = np.polynomial.polynomial
    first, second = polynomial.polyder(rows.square), polynomial.polyder(rows.square, 2)
    degree = len(rows.square) - 1
    companion = np.zeros((len(x), degree, degree), dtype=complex)
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1
    companion[:, :, -1] = -rows.square[:-1] / rows.square[-1]
    companion[:, 0, -1] += x / rows.square[-1]
    z = np.linalg.eigvals(companion)
    rise, bend = polynomial.polyval(z, first), polynomial.polyval(z, second)
    value, slope = rows.pole(z)
    resolvent = (value / rise).sum(axis=1)
    change: Array = (slope / rise**2 - value * bend / rise**3).sum(axis=1)
    return resolvent, change, np.asarray(np.any(np.abs(z) < _FAR, axis=1))


def _gaussian_signed(z: Array) -> tuple[Array, Array]:
    """Return E[1/(z − a)] for a standard Gaussian a, and its derivative 1 − zE[1/(z − a)]."""
    from scipy.special import wofz

    upper = np.where(z.imag < 0, np.conj(z), z)
    value = -1j * math.sqrt(math.pi / 2) * wofz(upper / math.sqrt(2))
    value = np.where(z.imag < 0, np.conj(value), value)
    return value, 1 - z * value


def _uniform_signed(z: Array) -> tuple[Array, Array]:
    """Return E[1/(z − a)] for a uniform on ±√3, and its derivative."""
    end = math.sqrt(3)
    return np.log((z + end) / (z - end)) / (2 * end), -1 / (z**2 - 3)


def _gaussian_pole(w: Array) -> tuple[Array, Array]:
    """Return E[1/(w − a²)] for a standard Gaussian a, and its derivative."""
    root = np.sqrt(w)
    root = np.where(root.imag < 0, -root, root)
    part, _ = _gaussian_signed(root)
    return part / root, (1 / root - part * (1 + 1 / w)) / (2 * root)


def _uniform_pole(w: Array) -> tuple[Array, Array]:
    """Return E[1/(w − a²)] for a uniform on ±√3, and its derivative."""
    root, end = np.sqrt(w), math.sqrt(3)
    value = np.log((root + end) / (root - end)) / (2 * end * root)
    return value, -(value + 1 / (w - 3)) / (2 * w)


_POLES = {"gaussian": _gaussian_pole, "uniform": _uniform_pole}
_SIGNED_POLES = {"gaussian": _gaussian_signed, "uniform": _uniform_signed}

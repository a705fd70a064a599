"""Functions known only by their values: Hermite coefficients estimated from two resolutions.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

# ruff: noqa: D102 - the base class says what its methods return

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import factorial, sqrt
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, about
from theorycalc.model.activation import Activation
from theorycalc.model.callables import (
    UserFunction,
    check_elementwise,
    difference,
    name_of,
    precision_of,
    values_of,
)
from theorycalc.model.coefficient_lists import Coefficients, estimated_coefficients, without_mean
from theorycalc.model.spikes import ALL, Spikes, read_indices
from theorycalc.numbers.balls import float_of
from theorycalc.numbers.exact import Exact, Floats, NumberLike, read

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_END = 13.0  # beyond it the Gaussian weight is below 1e-37
_PANEL = 0.5
_NODES = (12, 20)  # of the two Gauss–Legendre rules on each panel
_HIGHEST_INDEX = 60
_UNSETTLED = 1e-3  # of E f², which two resolutions may differ by and the outermost panels may hold
_MARGIN = 100  # errors by which an estimate must differ from zero to count as not zero


@dataclass(frozen=True)
class Estimate:
    """c_0, …, c_K and E f², with the differences between the two resolutions as errors."""

    coefficients: Floats
    errors: Floats
    second_moment: float
    rest_squared: float

    def told_from_zero(self) -> list[float]:
        """Return the coefficients, 0 for one that its error does not tell from 0."""
        told = np.abs(self.coefficients) > _MARGIN * self.errors
        return [float(c) if clear else 0.0 for c, clear in zip(self.coefficients, told, strict=True)]


class _Resolved(NamedTuple):
    """What one rule gives: √k! c_k, E f², c_{>1}², what of E f² is far out, and the rounding of the values."""

    coefficients: Floats
    second_moment: float
    rest_squared: float
    edge: float
    precision: float


def estimate(function: UserFunction, kinks: Sequence[float], K: int) -> Estimate:
    """Estimate the coefficients of a function of arrays, smooth between the kinks.

    >>> found = estimate(np.tanh, [], 3)
    >>> round(found.coefficients[1], 12), found.errors[1] < 1e-14
    (np.float64(0.605705509602), np.True_)
    """
    if K > _HIGHEST_INDEX:
        raise DomainError(f"c_k of a sampled function is estimated up to k = {_HIGHEST_INDEX}, not {K}")
    results = [_resolved(function, kinks, K, nodes) for nodes in _NODES]
    (coarse, second_coarse, _, _, _), (fine, second, rest, edge, precision) = results
    if edge > _UNSETTLED * second or abs(second - second_coarse) > _UNSETTLED * second:
        raise DomainError(
            f"E f(Z)² does not settle ({second_coarse:.3g}, then {second:.3g}): the function has a pole, grows like "
            "exp(x²/4) or faster, or has a kink or jump that kinks= does not name"
        )
    scales = np.array([sqrt(factorial(k)) for k in range(K + 1)])
    rounding = 4 * precision * sqrt(second)
    errors = (np.abs(fine - coarse) + rounding) / scales
    return Estimate(fine / scales, errors, second, rest)


def read_kinks(kinks: Iterable[NumberLike]) -> tuple[float, ...]:
    """Return the points between which a function is smooth, in float64.

    >>> read_kinks(["1/2", 3])
    (0.5, 3.0)
    """
    try:
        points = None if isinstance(kinks, str) else list(kinks)
    except TypeError:  # not iterable
        points = None
    if points is None:
        raise ArgumentError(
            f"kinks={kinks!r} is not a list of points, those between which the function is smooth", argument="kinks"
        )
    with about("kinks"):
        return tuple(float_of(read(point, f"kinks[{i}]"), f"kinks[{i}]") for i, point in enumerate(points))


def variance_of(function: UserFunction, kinks: Sequence[float]) -> float | None:
    """Return the estimated variance of f(Z), or None where it does not settle.

    >>> round(variance_of(np.square, []), 12)
    2.0
    """
    try:
        found = estimate(function, kinks, 1)
    except DomainError:
        return None
    return float(found.coefficients[1] ** 2 + found.rest_squared)


def estimated_spikes(found: Estimate, ell: int, name: str) -> tuple[int, ...]:
    """Return 1, …, ℓ where every estimate is far from zero; an estimate shows no zero, so else refuse.

    >>> estimated_spikes(estimate(np.exp, [], 3), 3, "exp")
    (1, 2, 3)
    """
    for k in range(1, ell + 1):
        value, error = found.coefficients[k], found.errors[k]
        if abs(value) <= _MARGIN * error:
            raise DomainError(
                f"c_{k} of {name} is undecided: it is estimated as {value:.3g} ± {error:.1g}; "
                "say which are not zero by from_callable(…, present=…)"
            )
    return tuple(range(1, ell + 1))


def sample_activation(
    function: UserFunction,
    kinks: Sequence[float],
    derivative: UserFunction | None,
    present: Iterable[int] | None,
    name: str | None,
) -> SampledActivation:
    """Return the activation that a function of arrays is, with what its values show.

    >>> sample_activation(np.tanh, (), None, None, None).name
    'tanh'
    """
    if not callable(function):
        raise ArgumentError(f"from_callable() takes a function, not {type(function).__name__}", argument="function")
    points = read_kinks(kinks)
    with about("function"):
        check_elementwise(function)
        found = estimate(function, points, 2)
    mean, first, second = found.told_from_zero()
    known = SampledActivation(
        first,
        float(found.rest_squared**0.5),
        None if present is None else read_indices(present),
        second,
        str(name or name_of(function)),
        mean,
        function=function,
        given_derivative=derivative,
        kink_floats=points,
    )
    return replace(known, slope_variance=variance_of(known.derivative, points))


@dataclass(frozen=True, repr=False)
class SampledActivation(Activation):
    """An activation known by its values: its coefficients are estimates, of which no digits are proven."""

    function: UserFunction = field(kw_only=True)
    given_derivative: UserFunction | None = None
    kink_floats: tuple[float, ...] = ()

    is_sampled: ClassVar[bool] = True

    def __call__(self, x: ArrayLike) -> Floats:
        values = values_of(self.function, x)
        return values - float(self.mean) if self.is_centered else values

    def derivative(self, x: ArrayLike) -> Floats:
        if self.given_derivative is None:
            return difference(self.function, x)
        return values_of(self.given_derivative, x)

    @property
    def derivative_source(self) -> str:
        return "difference" if self.given_derivative is None else "given"

    def centered(self) -> SampledActivation:
        return replace(self, is_centered=True)

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.kink_floats))

    @property
    def guarantee(self) -> str:
        return "estimated"

    def coefficients(self, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
        values = estimated_coefficients(self.estimate(k), digits, exact)
        return without_mean(values) if self.is_centered else values

    def estimate(self, k: int) -> Estimate:
        return estimate(self.function, self.kink_floats, k)

    def undecided(self, k: int) -> dict[int, str]:
        pairs = zip(self.coefficients(k), self.estimate(k).errors, strict=True)
        return {j: f"{value:.3g} ± {error:.1g}" for j, (value, error) in enumerate(pairs) if abs(value) <= error}

    def listed_coefficients(self, ell: int) -> dict[int, Exact]:
        return {} if self.c2 is None else {2: self.c2}

    def spikes(self, ell: int) -> tuple[int, ...]:
        if self.present is None:
            return estimated_spikes(self.estimate(max(ell, 2)), ell, self.name)
        return tuple(k for k in self.present if k <= ell)

    def infinite_spikes(self) -> Spikes:
        return ALL if self.present is None else Spikes(self.present)

    def described(self) -> str:
        return "known by sampling"

    def notes(self) -> list[str]:
        return [
            f"the activation {self.name} is known by its values: its coefficients are estimates from two resolutions"
        ]


def _resolved(function: UserFunction, kinks: Sequence[float], K: int, nodes: int) -> _Resolved:
    """Return the sums of one rule on every panel between the kinks."""
    cuts = np.unique([*np.arange(-_END, _END + _PANEL / 2, _PANEL), *(k for k in kinks if abs(k) < _END)])
    x, w = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(cuts)[:, None] / 2
    points = (cuts[:-1, None] + half * (1 + x)).ravel()
    weights = (half * w).ravel() * np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    with np.errstate(all="ignore"):  # what is not finite is refused below
        given = values_of(function, points)
    values = np.asarray(given, dtype=float)
    if not np.all(np.isfinite(values)):
        raise DomainError("the function must return one finite number for every number of an array")
    normalised = [np.ones_like(points), points]
    for k in range(1, K):
        normalised.append((points * normalised[k] - sqrt(k) * normalised[k - 1]) / sqrt(k + 1))
    coefficients = np.array([np.sum(weights * values * h) for h in normalised[: K + 1]])
    mean, slope = (np.sum(weights * values * h) for h in normalised[:2])
    # The rest as the square of what is left, not as a difference of squares: nothing cancels.
    rest = float(np.sum(weights * (values - mean - slope * points) ** 2))
    squares = weights * values**2
    edge = float(np.sum(squares[np.abs(points) > _END - 2 * _PANEL]))
    return _Resolved(coefficients, float(np.sum(squares)), rest, edge, precision_of(given))

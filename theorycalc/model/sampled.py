"""Activations and teachers known by their values: Hermite coefficients estimated at two resolutions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import factorial, sqrt
from typing import ClassVar

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, about
from theorycalc.model.activation import Activation
from theorycalc.model.callables import UserFunction, check_elementwise, difference, name_of, precision_of, values_of
from theorycalc.model.spikes import read_indices
from theorycalc.model.teacher import HIGHEST_COMPUTED, Teacher
from theorycalc.numbers.balls import float_of
from theorycalc.numbers.exact import ArrayLike, Coefficients, Floats, NumberLike, Scalar, read

_END = 13.0  # beyond it the Gaussian weight is below 1e-37
_PANEL = 0.5
_NODES = (12, 20)  # of the two Gauss–Legendre rules on each panel
_HIGHEST_INDEX = 60
_UNSETTLED = 1e-3  # of E f², which two resolutions may differ by and the outermost panels may hold
_NOTE = "the {} is known by its values: its coefficients are estimates from two resolutions"
_MARGIN = 100  # errors by which an estimate must differ from zero to count as not zero


@dataclass(frozen=True)
class Estimate:
    """c_0, …, c_K and E f², with the differences between the two resolutions as errors."""

    coefficients: Floats
    errors: Floats
    second_moment: float
    rest_squared: float

    def told_from_zero(self) -> list[float]:
        """Return the coefficients, with 0 for those no larger than their error."""
        told = np.abs(self.coefficients) > _MARGIN * self.errors
        return [float(c) if clear else 0.0 for c, clear in zip(self.coefficients, told, strict=True)]


def estimate(function: UserFunction, kinks: Sequence[float], K: int) -> Estimate:
    """Estimate the coefficients of a function of arrays that is smooth between its kinks.

    >>> found = estimate(np.tanh, [], 3)
    >>> round(found.coefficients[1], 12), found.errors[1] < 1e-14
    (np.float64(0.605705509602), np.True_)
    """
    if K > _HIGHEST_INDEX:
        reason = f"c_k of a sampled function is estimated up to k = {_HIGHEST_INDEX}, not {K}"
        raise DomainError(reason, argument="k")
    results = [_resolved(function, kinks, K, nodes) for nodes in _NODES]
    (coarse, second_coarse, _, _, _), (fine, second, rest, edge, precision) = results
    if edge > _UNSETTLED * second or abs(second - second_coarse) > _UNSETTLED * second:
        raise DomainError(
            f"E f(Z)² does not settle ({second_coarse:.3g}, then {second:.3g}): the function has a pole, grows like "
            "exp(x²/4) or faster, or has a kink or jump that kinks= does not name",
            argument="function",
        )
    scales = np.array([sqrt(factorial(k)) for k in range(K + 1)])
    rounding = 4 * precision * sqrt(second)
    errors = (np.abs(fine - coarse) + rounding) / scales
    return Estimate(fine / scales, errors, second, rest)


def read_kinks(kinks: Iterable[NumberLike]) -> tuple[float, ...]:
    """Return the points between which a function is smooth, as float64.

    >>> read_kinks(["1/2", 3])
    (0.5, 3.0)
    """
    try:
        points = None if isinstance(kinks, str) else list(kinks)
    except TypeError:  # not iterable
        points = None
    if points is None:
        reason = f"kinks={kinks!r} is not a list of points, those between which the function is smooth"
        raise ArgumentError(reason, argument="kinks")
    with about("kinks"):
        return tuple(float_of(read(point, f"kinks[{i}]"), f"kinks[{i}]") for i, point in enumerate(points))


def sample_activation(
    function: UserFunction,
    kinks: Sequence[float],
    derivative: UserFunction | None,
    present: Iterable[int] | None,
    name: str | None,
) -> SampledActivation:
    """Return the activation computed by a function of arrays, with numbers estimated from its values.

    >>> sample_activation(np.tanh, (), None, None, None).name
    'tanh'
    """
    points = read_kinks(kinks)
    found = _checked_estimate(function, points, 2)
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
    try:
        slope = estimate(known.derivative, points, 1)
    except DomainError:
        return known
    return replace(known, slope_variance=float(slope.coefficients[1] ** 2 + slope.rest_squared))


@dataclass(frozen=True, repr=False)
class SampledActivation(Activation):
    """An activation known by its values: its coefficients are estimates, without proven digits."""

    function: UserFunction = field(kw_only=True)
    given_derivative: UserFunction | None = None
    kink_floats: tuple[float, ...] = ()

    is_sampled: ClassVar[bool] = True

    def _values(self, x: ArrayLike) -> Floats:
        return values_of(self.function, x)

    def derivative(self, x: ArrayLike) -> Floats:
        if self.given_derivative is None:
            return difference(self.function, x)
        return values_of(self.given_derivative, x)

    def _stretched(self, scale: Scalar, bias: Scalar) -> SampledActivation:
        g, b = float(scale), float(bias)
        slope = self.given_derivative
        found = sample_activation(
            lambda x: self._values(g * np.asarray(x) + b),
            [(kink - b) / g for kink in self.kink_floats],
            None if slope is None else lambda x: g * self.derivative(g * np.asarray(x) + b),
            None if b else self.present,  # a shift changes which c_k are zero
            f"{self.name}({g:g}*x + {b:g})" if b else f"{self.name}({g:g}*x)",
        )
        return replace(found, is_centered=self.is_centered)

    @property
    def derivative_source(self) -> str:
        return "difference" if self.given_derivative is None else "given"

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, self.kink_floats))

    def _coefficients(self, k: int, digits: int | None, exact: bool) -> Coefficients:
        if digits is not None or exact:
            reason = "the coefficients of a sampled function are estimates: no digits are proven"
            raise PrecisionError(reason, argument="digits")
        return self.estimate(k).coefficients.copy()

    def estimate(self, k: int) -> Estimate:
        return estimate(self.function, self.kink_floats, k)

    def undecided(self, k: int) -> dict[int, str]:
        pairs = zip(self.coefficients(k), self.estimate(k).errors, strict=True)
        return {j: f"{value:.3g} ± {error:.1g}" for j, (value, error) in enumerate(pairs) if abs(value) <= error}

    def spikes(self, ell: int) -> tuple[int, ...]:
        if self.present is not None:
            return super().spikes(ell)
        with about("ell"):
            found = self.estimate(max(ell, 2))
        for k in range(1, ell + 1):
            value, error = found.coefficients[k], found.errors[k]
            if abs(value) <= _MARGIN * error:  # an estimate shows no zero
                reason = f"c_{k} of {self.name} is undecided: it is estimated as {value:.3g} ± {error:.1g}"
                remedy = "say which are not zero by from_callable(…, present=…)"
                raise DomainError(f"{reason}; {remedy}", argument="activation")
        return tuple(range(1, ell + 1))

    def described(self) -> str:
        return "known by sampling"

    def notes(self) -> list[str]:
        return [_NOTE.format(f"activation {self.name}")]


def _resolved(
    function: UserFunction, kinks: Sequence[float], K: int, nodes: int
) -> tuple[Floats, float, float, float, float]:
    """Return √k! c_k, E f², c_{>1}², the share of E f² far out and the rounding of the values, all by one rule."""
    cuts = np.unique([*np.arange(-_END, _END + _PANEL / 2, _PANEL), *(k for k in kinks if abs(k) < _END)])
    x, w = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(cuts)[:, None] / 2
    points = (cuts[:-1, None] + half * (1 + x)).ravel()
    weights = (half * w).ravel() * np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    with np.errstate(all="ignore"):  # values that are not finite are refused below
        given = values_of(function, points)
    values = np.asarray(given, dtype=float)
    if not np.all(np.isfinite(values)):
        reason = "the function must return one finite number for every number of an array"
        raise DomainError(reason, argument="function")
    normalised = [np.ones_like(points), points]
    for k in range(1, K):
        normalised.append((points * normalised[k] - sqrt(k) * normalised[k - 1]) / sqrt(k + 1))
    with np.errstate(over="ignore", invalid="ignore"):  # moments that are not finite are refused below
        coefficients = np.array([np.sum(weights * values * h) for h in normalised[: K + 1]])
        mean, slope = (np.sum(weights * values * h) for h in normalised[:2])
        # The rest as a sum of squares, not as a difference of squares: nothing cancels.
        rest = float(np.sum(weights * (values - mean - slope * points) ** 2))
        squares = weights * values**2
        edge, second = float(np.sum(squares[np.abs(points) > _END - 2 * _PANEL])), float(np.sum(squares))
    if not (np.isfinite(coefficients).all() and math.isfinite(rest + second)):
        raise DomainError("the function is too large: E f(Z)² is beyond the range of float64", argument="function")
    return coefficients, second, rest, edge, precision_of(given)


def _checked_estimate(function: UserFunction, points: Sequence[float], K: int) -> Estimate:
    """Return the estimate for a user's function, which must act on each number separately."""
    if not callable(function):
        raise ArgumentError(f"from_callable() takes a function, not {type(function).__name__}", argument="function")
    with about("function"):
        check_elementwise(function)
        return estimate(function, points, K)


def sample_teacher(function: UserFunction, kinks: Sequence[float]) -> SampledTeacher:
    """Return the teacher computed by a function of arrays, with numbers estimated from its values.

    >>> sample_teacher(lambda x: x + 1, ()).mean
    1.0
    """
    points = read_kinks(kinks)
    found = _checked_estimate(function, points, HIGHEST_COMPUTED)
    mean, *rest = found.told_from_zero()
    energies = Fraction(mean) ** 2 + sum(factorial(k) * Fraction(c) ** 2 for k, c in enumerate(rest, start=1))
    second = max(found.second_moment, math.nextafter(float(energies), math.inf))  # but for the rounding of a sum
    return SampledTeacher(tuple(rest), second, mean, function=function, kink_floats=points)


@dataclass(frozen=True, repr=False)
class SampledTeacher(Teacher):
    """A teacher known by its values: its numbers are estimates."""

    function: UserFunction = field(kw_only=True)
    kink_floats: tuple[float, ...] = ()

    is_sampled: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"Teacher({name_of(self.function)})"

    def centered_values(self) -> Callable[[Floats], Floats]:
        mean = float(self.mean)
        return lambda z: values_of(self.function, z) - mean

    def notes(self) -> list[str]:
        return [_NOTE.format(f"teacher {name_of(self.function)}")]

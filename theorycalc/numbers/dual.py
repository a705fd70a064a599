"""Numbers that carry a derivative: floats, balls, arrays and stacks of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from theorycalc.numbers.systems import Number, NumberSystem


@dataclass(frozen=True, eq=False)
class Dual:
    """A value and its derivative; other operands are constants.

    >>> x = Dual(3.0, 1.0)
    >>> x * x / (1 + x)
    Dual(value=2.25, slope=0.9375)
    """

    value: Number
    slope: Number

    __array_ufunc__ = None  # numpy then leaves array ∘ Dual to us

    def __add__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Number) -> Dual:
        return self.__add__(-other)

    def __rsub__(self, other: Number) -> Dual:
        return (-self).__add__(other)

    def __mul__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)
        return Dual(self.value * other, self.slope * other)

    def __truediv__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            quotient = self.value / other.value
            return Dual(quotient, (self.slope - quotient * other.slope) / other.value)
        return Dual(self.value / other, self.slope / other)

    def __rtruediv__(self, other: Number) -> Dual:
        quotient = other / self.value
        return Dual(quotient, -quotient * self.slope / self.value)

    def __matmul__(self, other: Number) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value @ other.value, self.slope @ other.value + self.value @ other.slope)
        return Dual(self.value @ other, self.slope @ other)

    def __rmatmul__(self, other: Number) -> Dual:
        return Dual(other @ self.value, other @ self.slope)

    __radd__ = __add__
    __rmul__ = __mul__

    def __getitem__(self, index: object) -> Dual:
        return Dual(self.value[index], self.slope[index])

    @property
    def ndim(self) -> int:
        """The number of axes of the arrays."""
        return int(self.value.ndim)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the arrays."""
        return tuple(self.value.shape)

    def reshape(self, *shape: int) -> Dual:
        """Return the same entries in another shape."""
        return Dual(self.value.reshape(*shape), self.slope.reshape(*shape))

    def swapaxes(self, first: int, second: int) -> Dual:
        """Return arrays with two axes swapped."""
        return Dual(self.value.swapaxes(first, second), self.slope.swapaxes(first, second))


#: Arrays, with or without a derivative.
Arrays: TypeAlias = Number


def root(ns: NumberSystem, x: Number) -> Number:
    """Return √x, with its derivative if x has one.

    >>> from theorycalc.numbers.systems import SCALARS
    >>> root(SCALARS, Dual(4.0, 1.0))
    Dual(value=2.0, slope=0.25)
    """
    if not isinstance(x, Dual):
        return ns.sqrt(x)
    value = ns.sqrt(x.value)
    return Dual(value, x.slope / (2 * value))


def inverse(matrix: Arrays) -> Arrays:
    """Return the inverses of a stack of matrices, with their derivatives if the matrices have them."""
    if not isinstance(matrix, Dual):
        return np.linalg.inv(matrix)
    value = np.linalg.inv(matrix.value)
    return Dual(value, -value @ matrix.slope @ value)


def inverse_form(matrix: Dual, vector: Dual) -> Dual:
    """Return vᵀM⁻¹v for stacks of symmetric matrices and of vectors.

    >>> inverse_form(Dual(np.array([[2.0]]), np.array([[1.0]])), Dual(np.array([3.0]), np.array([0.0])))
    Dual(value=np.float64(4.5), slope=np.float64(-2.25))
    """
    solved = np.linalg.solve(matrix.value, vector.value[..., None])[..., 0]
    pushed = 2 * vector.slope - (matrix.slope @ solved[..., None])[..., 0]
    return Dual(np.einsum("...i,...i->...", vector.value, solved), np.einsum("...i,...i->...", pushed, solved))


def joined(parts: Sequence[Arrays], axis: int) -> Arrays:
    """Return arrays joined along an axis; constants among them have derivative 0."""
    if not any(isinstance(part, Dual) for part in parts):
        return np.concatenate(parts, axis=axis)
    duals = [part if isinstance(part, Dual) else Dual(part, np.zeros_like(part)) for part in parts]
    slopes = [np.broadcast_to(part.slope, part.shape) for part in duals]
    return Dual(np.concatenate([part.value for part in duals], axis=axis), np.concatenate(slopes, axis=axis))

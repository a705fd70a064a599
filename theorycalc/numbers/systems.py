"""The number systems that a formula can be called with.

A formula that needs more than ``+ - * / **`` takes the number system as its first
argument, ``ns``, and finds there the few operations below under the same names:

========== ============================== =====================================
system     numbers                        a result is
========== ============================== =====================================
FLOATS     numpy float64, arrays          rounded
SCALARS    Python floats, one at a time   rounded
BALLS      Arb balls (python-flint)       enclosed: a proof
SYMBOLS    sympy expressions              exact
========== ============================== =====================================
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import flint
import numpy as np

from theorycalc.errors import PrecisionError

if TYPE_CHECKING:
    import sympy
    from numpy.typing import NDArray

#: A number of any system.  Formulas are the same for all of them, and no type says so: numpy, flint and sympy share no
#: class, and their operators no signature.
Number: TypeAlias = Any
#: A comparison of numbers, or of all points of an array.
Truth: TypeAlias = "bool | np.bool | NDArray[np.bool]"

#: Real or complex numbers of float64, in an array.
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_CBRT_BITS = 0x2A9F7893782DA1CE  # two thirds of the bits of 1.0, less a correction that centres the error


def horner(coefficients: Sequence[Number], t: Number) -> Number:
    """Return Σ_j coefficients[j] t^j.

    >>> horner([1, 2, 3], 10)
    321
    """
    total = 0 * t
    for coefficient in reversed(coefficients):
        total = total * t + coefficient
    return total


class NumberSystem(Protocol):
    """The operations other than arithmetic that a formula may use.

    ``solve`` is for linear systems, ``polynomial`` evaluates Σ_j coefficients[j] t^j.
    """

    # ruff: noqa: D102 - the names say it
    @property
    def pi(self) -> Number: ...
    @property
    def inf(self) -> Number: ...
    @property
    def rounds(self) -> bool: ...
    def rational(self, value: Fraction) -> Number: ...
    def all(self, condition: Truth) -> bool: ...
    def sqrt(self, x: Number) -> Number: ...
    def rough_cbrt(self, x: Number) -> Number: ...
    def exp(self, x: Number) -> Number: ...
    def sinh(self, x: Number) -> Number: ...
    def asin(self, x: Number) -> Number: ...
    def maximum(self, x: Number, y: Number) -> Number: ...
    def minimum(self, x: Number, y: Number) -> Number: ...
    def where(self, condition: Truth, x: Number, y: Number) -> Number: ...
    def polynomial(self, coefficients: Sequence[Number], t: Number) -> Number: ...
    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]: ...


class _Floats:
    rounds = True
    pi = np.pi
    inf = np.inf
    sqrt = staticmethod(np.sqrt)
    exp = staticmethod(np.exp)
    sinh = staticmethod(np.sinh)
    asin = staticmethod(np.arcsin)
    maximum = staticmethod(np.maximum)
    minimum = staticmethod(np.minimum)
    rational = staticmethod(float)
    polynomial = staticmethod(horner)

    def where(self, condition: Truth, x: Number, y: Number) -> Number:
        return np.where(condition, x, y) if np.ndim(condition) else (x if condition else y)

    def all(self, condition: Truth) -> bool:
        # numpy's reduction of one number takes longer than a step of Newton's method.
        return bool(np.all(condition) if isinstance(condition, np.ndarray) else condition)

    def rough_cbrt(self, x: Number) -> Number:
        # The bits of a float are nearly its logarithm: a third of them is the cube root within 4 %, at a
        # tenth of the cost of np.cbrt.
        return (np.float64(x).view(np.int64) // 3 + _CBRT_BITS).view(np.float64)

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        """Solve linear systems at every point of an array, after scaling rows and columns to a unit diagonal."""
        entries = np.broadcast_arrays(*(entry for row in matrix for entry in row), *vector)
        size = len(vector)
        stacked = np.stack(entries[: size * size], axis=-1).reshape(*entries[0].shape, size, size)
        right = np.stack(entries[size * size :], axis=-1)
        scale = 1 / np.sqrt(np.einsum("...ii->...i", stacked))
        scaled = stacked * scale[..., :, None] * scale[..., None, :]
        lost = size * np.linalg.cond(scaled).max() * np.finfo(float).eps
        if lost > 1e-8:
            raise PrecisionError(f"{size} linear equations would leave about {lost:.0e} relative error in float64")
        solution = scale * np.linalg.solve(scaled, (scale * right)[..., None])[..., 0]
        return list(np.moveaxis(solution, -1, 0))


def _chosen(condition: Truth, x: Number, y: Number) -> Number:
    return x if condition else y


class _Scalars:
    """Single Python floats, without the overhead of arrays."""

    rounds = True
    pi = math.pi
    inf = math.inf
    rational = staticmethod(float)
    polynomial = staticmethod(horner)
    solve = _Floats.solve
    sqrt = staticmethod(math.sqrt)
    rough_cbrt = staticmethod(math.cbrt)
    exp = staticmethod(math.exp)
    sinh = staticmethod(math.sinh)
    asin = staticmethod(math.asin)
    maximum = staticmethod(max)
    minimum = staticmethod(min)
    all = staticmethod(bool)
    where = staticmethod(_chosen)


def _of_balls(name: str) -> staticmethod[..., flint.arb]:
    """Return a ball method as a function that also accepts whole numbers and complex balls."""
    return staticmethod(lambda x, *others: getattr(x if isinstance(x, flint.acb) else flint.arb(x), name)(*others))


class _Balls:
    rounds = False
    pi = property(lambda self: flint.arb.pi())
    inf = property(lambda self: flint.arb.pos_inf())
    sqrt, exp, sinh, asin = map(_of_balls, ("sqrt", "exp", "sinh", "asin"))
    maximum, minimum = map(_of_balls, ("max", "min"))
    all = staticmethod(bool)
    where = staticmethod(_chosen)
    polynomial = staticmethod(horner)

    def rational(self, value: Fraction) -> flint.arb:
        return flint.arb(flint.fmpq(value.numerator, value.denominator))

    def rough_cbrt(self, x: flint.arb) -> flint.arb:
        return x.root(3)

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        right = flint.arb_mat([[entry] for entry in vector])
        try:
            return list(flint.arb_mat([list(row) for row in matrix]).solve(right).entries())
        except ZeroDivisionError:  # the balls are too wide to show that the matrix is regular
            return [flint.arb.nan()] * len(vector)


def _of_sympy(name: str) -> Number:
    """Return an attribute of sympy, which is imported only when first used."""
    import sympy

    return getattr(sympy, name)


def _by_sympy(name: str) -> staticmethod[..., sympy.Expr]:
    return staticmethod(lambda *arguments: _of_sympy(name)(*arguments))  # noqa: PLW0108 - imports sympy when called


class _Symbols:
    rounds = False
    pi = property(lambda self: _of_sympy("pi"))
    inf = property(lambda self: _of_sympy("oo"))
    sqrt, rough_cbrt, exp, sinh, asin = map(_by_sympy, ("sqrt", "cbrt", "exp", "sinh", "asin"))
    maximum, minimum = map(_by_sympy, ("Max", "Min"))
    all = staticmethod(bool)

    def rational(self, value: Fraction) -> sympy.Expr:
        return _of_sympy("Rational")(value.numerator, value.denominator)

    def where(self, condition: Truth, x: Number, y: Number) -> sympy.Expr:
        return _of_sympy("Piecewise")((x, condition), (y, True))

    def polynomial(self, coefficients: Sequence[Number], t: Number) -> sympy.Expr:
        return _of_sympy("Add")(*(coefficient * t**j for j, coefficient in enumerate(coefficients)))

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        left, right = (_of_sympy("Matrix")(entries).to_DM().to_field() for entries in (matrix, vector))
        left, right = left.unify(right)
        return list(left.lu_solve(right).to_Matrix())


FLOATS = _Floats()
SCALARS = _Scalars()
BALLS = _Balls()
SYMBOLS = _Symbols()

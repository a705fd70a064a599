"""The four number systems a formula can be called with.

A formula that needs more than ``+ - * / **`` takes the number system as its first
argument, ``ns``, and finds there the few operations below under the same names:

========== ============================== =====================================
system     numbers                        what a result is worth
========== ============================== =====================================
FLOATS     numpy float64, arrays          rounded
MPF        mpmath, of one's own context   rounded, at any precision
BALLS      Arb balls (python-flint)       enclosed: a proof
SYMBOLS    sympy expressions              exact
========== ============================== =====================================
"""

from __future__ import annotations

import copyreg
import functools
import math
import threading
from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import flint
import numpy as np

from theorycalc.errors import PrecisionError, spelled

if TYPE_CHECKING:
    import mpmath
    import sympy
    from numpy.typing import NDArray

#: A number of any of the four systems.  Formulas are the same for all of them, and no type says so: numpy, flint and
#: sympy share no class, and what their operators take has no common form.
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
    """What a formula may ask of a number system besides arithmetic.

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
        # One number goes without numpy's reduction, which takes longer than a step of Newton's method.
        return bool(np.all(condition) if isinstance(condition, np.ndarray) else condition)

    def rough_cbrt(self, x: Number) -> Number:
        # The bits of a float are nearly its logarithm: a third of them is the cube root within 4 %, at a
        # tenth of the cost of np.cbrt.
        return (np.float64(x).view(np.int64) // 3 + _CBRT_BITS).view(np.float64)

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        """Solve for every point of an array at once, rows and columns scaled to a unit diagonal."""
        entries = np.broadcast_arrays(*(entry for row in matrix for entry in row), *vector)
        size = len(vector)
        stacked = np.stack(entries[: size * size], axis=-1).reshape(*entries[0].shape, size, size)
        right = np.stack(entries[size * size :], axis=-1)
        scale = 1 / np.sqrt(np.einsum("...ii->...i", stacked))
        scaled = stacked * scale[..., :, None] * scale[..., None, :]
        lost = size * np.linalg.cond(scaled).max() * np.finfo(float).eps
        if lost > 1e-8:
            raise PrecisionError(
                f"{spelled('form', 'matrix')} with {size} spikes would leave about {lost:.0e} relative error in "
                "float64, since Ω is as ill-conditioned as a moment matrix; "
                f"use {spelled('form', 'closed')}, or {spelled('digits')}",
                argument="form",
            )
        solution = scale * np.linalg.solve(scaled, (scale * right)[..., None])[..., 0]
        return list(np.moveaxis(solution, -1, 0))


class _Scalars:
    """One Python float at a time: what FLOATS is for arrays, without their overhead."""

    rounds = True
    pi = math.pi
    inf = math.inf
    sqrt = staticmethod(math.sqrt)
    rough_cbrt = staticmethod(math.cbrt)
    exp = staticmethod(math.exp)
    sinh = staticmethod(math.sinh)
    asin = staticmethod(math.asin)
    maximum = staticmethod(max)
    minimum = staticmethod(min)
    all = staticmethod(bool)
    rational = staticmethod(float)
    polynomial = staticmethod(horner)
    solve = _Floats.solve

    def where(self, condition: Truth, x: Number, y: Number) -> Number:
        return x if condition else y


class _Mpf:
    """mpmath numbers of one context; formulas are called with ``MPF(digits)``."""

    rounds = True

    def __init__(self, context: mpmath.MPContext) -> None:
        self.context = context
        self.inf = context.inf
        self.sqrt, self.exp = context.sqrt, context.exp
        self.sinh, self.asin = context.sinh, context.asin

    @property
    def pi(self) -> mpmath.mpf:
        return +self.context.pi

    def rational(self, value: Fraction) -> mpmath.mpf:
        return self.context.mpf(value.numerator) / value.denominator

    maximum = staticmethod(max)
    minimum = staticmethod(min)
    all = staticmethod(bool)
    polynomial = staticmethod(horner)

    def rough_cbrt(self, x: Number) -> Number:
        return self.context.cbrt(x)

    def where(self, condition: Truth, x: Number, y: Number) -> Number:
        return x if condition else y

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        return list(self.context.lu_solve(self.context.matrix(matrix), self.context.matrix(vector)))


class _Balls:
    rounds = False

    @property
    def pi(self) -> flint.arb:
        return flint.arb.pi()

    @property
    def inf(self) -> flint.arb:
        return flint.arb.pos_inf()

    def rational(self, value: Fraction) -> flint.arb:
        return flint.arb(flint.fmpq(value.numerator, value.denominator))

    def sqrt(self, x: flint.arb) -> flint.arb:
        return flint.arb(x).sqrt()

    all = staticmethod(bool)
    polynomial = staticmethod(horner)

    def rough_cbrt(self, x: flint.arb) -> flint.arb:
        return x.root(3)

    def exp(self, x: flint.arb) -> flint.arb:
        return flint.arb(x).exp()

    def sinh(self, x: flint.arb) -> flint.arb:
        return flint.arb(x).sinh()

    def asin(self, x: flint.arb) -> flint.arb:
        return flint.arb(x).asin()

    def maximum(self, x: flint.arb, y: flint.arb) -> flint.arb:
        return flint.arb(x).max(y)

    def minimum(self, x: flint.arb, y: flint.arb) -> flint.arb:
        return flint.arb(x).min(y)

    def where(self, condition: Truth, x: Number, y: Number) -> Number:
        return x if condition else y

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        right = flint.arb_mat([[entry] for entry in vector])
        try:
            return list(flint.arb_mat([list(row) for row in matrix]).solve(right).entries())
        except ZeroDivisionError:  # the balls are too wide to show that the matrix is regular
            return [flint.arb.nan()] * len(vector)


class _Symbols:
    rounds = False

    @property
    def pi(self) -> sympy.Expr:
        return _sympy().pi

    @property
    def inf(self) -> sympy.Expr:
        return _sympy().oo

    def rational(self, value: Fraction) -> sympy.Expr:
        return _sympy().Rational(value.numerator, value.denominator)

    def sqrt(self, x: Number) -> sympy.Expr:
        return _sympy().sqrt(x)

    def rough_cbrt(self, x: Number) -> sympy.Expr:
        return _sympy().cbrt(x)

    def all(self, condition: Truth) -> bool:
        return bool(condition)

    def exp(self, x: Number) -> sympy.Expr:
        return _sympy().exp(x)

    def sinh(self, x: Number) -> sympy.Expr:
        return _sympy().sinh(x)

    def asin(self, x: Number) -> sympy.Expr:
        return _sympy().asin(x)

    def maximum(self, x: Number, y: Number) -> sympy.Expr:
        return _sympy().Max(x, y)

    def minimum(self, x: Number, y: Number) -> sympy.Expr:
        return _sympy().Min(x, y)

    def where(self, condition: Truth, x: Number, y: Number) -> sympy.Expr:
        return _sympy().Piecewise((x, condition), (y, True))

    def polynomial(self, coefficients: Sequence[Number], t: Number) -> sympy.Expr:
        return _sympy().Add(*(coefficient * t**j for j, coefficient in enumerate(coefficients)))

    def solve(self, matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
        sympy = _sympy()
        left, right = sympy.Matrix(matrix).to_DM().to_field().unify(sympy.Matrix(vector).to_DM().to_field())
        return list(left.lu_solve(right).to_Matrix())


def _sympy() -> ModuleType:
    import sympy

    found: ModuleType = sympy
    return found


FLOATS = _Floats()
SCALARS = _Scalars()
BALLS = _Balls()
SYMBOLS = _Symbols()


def MPF(digits: int) -> _Mpf:
    """Return the mpmath number system of ``digits`` decimal digits, with its own context.

    >>> print(MPF(30).sqrt(2))
    1.41421356237309504880168872421
    """
    return _mpf_of_thread(digits, threading.get_ident())


@functools.lru_cache(maxsize=64)
def _mpf_of_thread(digits: int, thread: int) -> _Mpf:
    # mpmath contexts are not thread-safe and take a millisecond to make: one per thread and precision.
    from mpmath import MPContext

    context = MPContext()
    context.dps = digits
    copyreg.pickle(context.mpf, lambda number: (_unpickled, (digits, number._mpf_)))  # its class is not found by a name
    return _Mpf(context)


def _unpickled(digits: int, parts: tuple[int, int, int, int]) -> mpmath.mpf:
    """Return a number of this thread's own context."""
    return MPF(digits).context.make_mpf(parts)

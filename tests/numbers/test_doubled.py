"""Doubled numbers keep 1e-31 of every result, where exact rational numbers judge."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np
import pytest

from theorycalc.numbers.doubled import DOUBLES, Doubled

_CLAIM = Fraction(1, 10**31)


def exact(x: Doubled, index: int) -> Fraction:
    return Fraction(float(np.asarray(x.high)[index])) + Fraction(float(np.broadcast_to(x.low, np.shape(x.high))[index]))


def drawn(seed: int) -> Doubled:
    rng = np.random.default_rng(seed)
    high = rng.standard_normal(200) * 10.0 ** rng.integers(-20, 20, 200)
    return Doubled(high, high * rng.uniform(-0.4, 0.4, 200) * np.finfo(float).eps)


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_operations_keep_twice_the_digits(operation):
    x, y = drawn(1), drawn(2)
    found = operation(x, y)
    for i in range(200):
        truth = operation(exact(x, i), exact(y, i))
        assert abs(exact(found, i) - truth) <= _CLAIM * abs(truth)


def test_near_equal_numbers_leave_an_exact_difference():
    x = drawn(3)
    y = Doubled(x.high, x.low * 0.75)
    found = x - y
    assert all(exact(found, i) == exact(x, i) - exact(y, i) for i in range(200))


def test_arrays_integers_and_powers_mix():
    x = Doubled(np.array([1.0, 3.0])) / 7
    assert isinstance(np.array([1.0, 2.0]) * x, Doubled)
    polynomial = DOUBLES.polynomial([5, 0, 2], x)
    for i, value in enumerate((Fraction(1, 7), Fraction(3, 7))):
        assert abs(exact(polynomial, i) - (5 + 2 * value**2)) < _CLAIM * 6
        assert abs(exact(x**3, i) - value**3) < _CLAIM
        assert abs(exact(1 - x, i) - (1 - value)) < _CLAIM
    chosen = DOUBLES.where(x <= Doubled(0.3), x, -x)
    assert [float(v) for v in chosen.high] == [1 / 7, -3 / 7]

"""Reading numbers, and enclosing exact ones in balls."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.numbers.exact import parse_number, read, sign


@pytest.mark.slow
@given(value=st.fractions(max_denominator=10**9))
def test_rational_text_is_read_exactly(value):
    assert parse_number(str(value)) == value


@given(value=st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_decimal_text_is_read_exactly(value):
    assert parse_number(str(value)) == Fraction(value)
    assert read(value, "x") == Fraction(value)


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "1/0", "1//2", "0x10", "1e", "1e99999", "1_000", "1.2.3", "--1", "nan", "inf", "٣", "1/2/3",
     "__import__('os')", "9" * 5000, "1e123456789012"],
)  # fmt: skip
def test_text_that_is_no_number_is_refused(text):
    with pytest.raises(tc.DomainError):
        parse_number(text, "ridge")


def test_what_can_be_read():
    assert read(np.int64(3), "x") == Fraction(3)
    assert read(np.float32(0.5), "x") == 0.5
    assert read(np.array(0.25), "x") == 0.25
    assert read(sp.Rational(1, 3), "x") == Fraction(1, 3)
    assert read(sp.Float(0.5), "x") == 0.5
    assert read(Decimal("0.1"), "x") == Fraction(1, 10)
    assert read(sp.sqrt(2), "x") == sp.sqrt(2)


@pytest.mark.parametrize(
    "value",
    [True, None, 1j, float("nan"), float("inf"), Decimal("nan"), sp.Symbol("x"), sp.oo, sp.I, sp.zoo, mpmath.mpf(1),
     sp.pi + sp.Float(0.1), [1], {}, flint.arb(1)],
)  # fmt: skip
def test_what_cannot_be_read(value):
    with pytest.raises(tc.DomainError, match="ridge"):
        read(value, "ridge")


def test_signs_of_irrational_numbers():
    assert sign(sp.sqrt(2) - sp.Rational(3, 2)) == -1
    assert sign(sp.pi - 3) == 1
    assert sign(sp.sqrt(3 + 2 * sp.sqrt(2)) - 1 - sp.sqrt(2)) == 0

"""Closed forms of the terms of a function."""

from __future__ import annotations

import mpmath
import pytest

from tests.helpers.by_mpmath import by_mpmath
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import exact_coefficients


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize(
    ("text", "function", "kink"),
    [
        ("where(x > 1, exp(x/2 - x**2/4), 0)", lambda x: mpmath.exp(x / 2 - x * x / 4) if x > 1 else 0, 1),
        ("where(x < -1, exp(x**2/5), x)", lambda x: mpmath.exp(x * x / 5) if x < -1 else x, -1),
    ],
)
def test_closed_forms_of_gaussians_that_end(text, function, kink):
    for k, exact in enumerate(exact_coefficients(parse(text), 4)):
        assert float(exact) == pytest.approx(float(by_mpmath(function, [kink], k)), rel=1e-12, abs=1e-14)

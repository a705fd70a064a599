"""Means over eigenvalues in symbols: how they are written, and that they are those of numbers."""

from __future__ import annotations

import pytest
import sympy

from theorycalc.symbolic.averages import ANY_SPECTRUM, Average, TeacherAverage
from theorycalc.symbolic.symbols import tau_j as tau
from theorycalc.theory.covariance import InputLevel, spectrum_of
from theorycalc.theory.spectral_traces import spectral_equations

LEVELS = [InputLevel(3.0, 0.25, 0.5), InputLevel(1 / 3, 0.75, 0.5)]


def test_means_are_written_in_brackets():
    assert sympy.latex(Average(tau**2)) == r"\left\langle \tau_{j}^{2} \right\rangle"
    assert sympy.latex(TeacherAverage(tau) ** 2) == r"\left\langle \tau_{j} \right\rangle_{v}^{2}"


def test_symbols_have_the_values_of_numbers():
    numbers = sympy.symbols("s theta phi psi lambda c_1 c_rest", positive=True)
    values = (2.0, 0.5, 0.5, 0.7, 0.1, 0.5, 0.3)
    for one, other in zip(
        spectral_equations(ANY_SPECTRUM, *numbers), spectral_equations(spectrum_of(LEVELS), *values), strict=True
    ):
        at = one.subs(dict(zip(numbers, values, strict=True)))
        put_in = at.replace(Average, lambda f: sum(level.weight * f.subs(tau, level.eigenvalue) for level in LEVELS))
        assert float(put_in) == pytest.approx(other, rel=1e-14)

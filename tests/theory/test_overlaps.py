"""Squared overlaps lie between 0 and 1 and add up to 1 at most, or are refused."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.theory.overlaps import of_pairs, of_unit_vectors


def test_roundings_are_taken_off():
    found = of_unit_vectors(np.array([[1 + 1e-9, -1e-12, 1e-8], [0.25, 0.5, 0.0]]))
    assert np.all((found >= 0) & (found <= 1))
    assert np.all(found.sum(axis=1) <= 1 + 1e-15)
    assert found[1].tolist() == [0.25, 0.5, 0.0]
    assert of_unit_vectors(np.zeros((0, 7))).shape == (0, 7)
    assert of_pairs(0.3, 1 + 1e-9, -1e-9) == (0.3, 1.0, 0.0)


@pytest.mark.parametrize("overlaps", [[1.86], [0.7, 0.7], [-0.1, 0.5], [np.nan, 0.1]])
def test_overlaps_of_no_unit_vector_are_refused(overlaps):
    with pytest.raises(tc.PrecisionError, match="rounding hides the outliers"):
        of_unit_vectors(np.array([overlaps]))


@pytest.mark.slow
@pytest.mark.parametrize("eta", [1e8, 1e10, 1e12])
def test_a_tiny_activation_and_a_huge_teacher(eta):
    """Overlaps of 1.86 and 1.78 were found for such a network."""
    case = tc.Problem(
        "1e-18*tanh(x+1)", "1e10*H1", n=1000, d=500, N=750, ridge=1, second_layer="sign", step_samples=8070
    )
    for method in ("dressed", "pencil"):
        found = tc.spectrum(case, eta=eta, method=method, powers=1 if method == "pencil" else None)
        assert np.all((found.alignments >= 0) & (found.alignments <= 1))
        assert np.all(found.alignments.sum(axis=1) <= 1 + 1e-12)
    for method in ("isotropic", "pencil"):
        found = tc.weight_spectrum(problem("tanh(x + 1)", ["1e10"]), n=1000, eta=eta * 1e-18, method=method)
        assert all(0 <= share <= 1 for one in found.outliers for share in one[1:])

"""Outliers of features over networks whose initial output has a random mean: both theories, and refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

import theorycalc as tc

RAW = tc.Problem("2 + tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2", centred=False)


@pytest.mark.slow
def test_both_theories_agree_on_features_for_small_steps():
    dressed, pencil = (tc.spectrum(RAW, n=10**8, alpha=0.15, method=name) for name in ("dressed", "pencil"))
    assert dressed.outliers[:2] == pytest.approx(pencil.outliers[:2], rel=2e-3)
    assert dressed.deviations[1] == pytest.approx(pencil.deviations[1], rel=2e-2)  # the constant hardly moves
    assert "between networks" in repr(pencil)


@pytest.mark.slow
def test_tables_and_rows_have_the_deviations():
    found = tc.spectrum(RAW, n=300, eta=6)
    rows = [row for row in found.rows if row["kind"] == "outlier"]
    assert [row["deviation"] for row in rows] == found.deviations.tolist()
    assert "means over networks" in " ".join(found.notes)
    assert "between networks" in repr(found)
    labels = tc.spectrum(RAW, n=300, eta=6, gradient="labels")
    assert labels.deviations is None
    assert "deviation" not in labels.rows[0]
    centred = tc.spectrum(replace(RAW, centred=True), n=300, eta=6)
    assert found.outliers[1] > centred.outliers[0]  # κ̃ has the square of the mean

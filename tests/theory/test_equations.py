"""The equations of the pencil."""

from __future__ import annotations

import pytest

import theorycalc as tc


def test_the_pencil_needs_no_more_of_an_activation_than_its_spikes():
    """H_1 + H_2 by its coefficients alone, or as text."""
    listed, written = (
        tc.step(tc.Problem(sigma, "H1 + H2/2", "1/2", "2/3", "1/10"), n=1000, alpha=0.2, method="pencil")
        for sigma in (tc.Activation.from_coefficients([1, 1]), "H1 + H2")
    )
    assert listed.powers == written.powers == 2
    assert listed.train_gain == pytest.approx(written.train_gain, rel=1e-14)
    assert listed.test_gain == pytest.approx(written.test_gain, rel=1e-14)

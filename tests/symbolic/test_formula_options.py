"""Options in formulas: numbers put into them are those of the predictions."""

from __future__ import annotations

import pytest
import sympy

import theorycalc as tc
from theorycalc.symbolic.cases import case_of
from theorycalc.symbolic.formula_options import THEOREM

S = tc.symbolic


def test_letters_of_options_appear_where_they_are_asked_for():
    assert (THEOREM.step_sign, THEOREM.fit_sign) == (1, 1)
    problem = tc.Problem("relu", "3*H0/2 + H1", "1/2", "2/3", "1/10", flip_step="1/4", flip_fit="1/5")
    flipped = case_of(1, problem).options
    assert (flipped.step_sign, flipped.fit_sign) == (S.b_s, S.b_f)


@pytest.mark.parametrize("kept", [True, False])
def test_losses_of_flipped_labels_with_a_mean_are_those_of_predict(kept):
    """κ, the noise, and the losses on clean labels have b_s and b_f."""
    options = {"intercept": True, "centred_labels": False} if kept else {}
    how = {"flip_step": "1/4", "flip_fit": "1/5", "corrupt_fit": "1/10", "noise": "1/2"}
    problem = tc.Problem("relu", "3*H0/2 + H1 + H2/2", "1/2", "2/3", "1/10", **how, **options)
    known = tc.predict(problem, ell=2, digits=25)
    for name in ("test_loss", "test_loss_clean", "test_gain", "test_gain_clean"):
        public = {"test_gain": "Lambda", "test_gain_clean": "Lambda_clean"}.get(name, name)
        found = getattr(S, public)(2, problem, digits=25)
        assert abs(sympy.Float(str(getattr(known, name)), 25) - found) < 1e-22

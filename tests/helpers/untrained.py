"""Losses of the untrained network by theorycalc, for cases that others compute too."""

from __future__ import annotations

from fractions import Fraction

import theorycalc as tc
from tests.independent.cases import Case, Losses


def ours(case: Case, digits: int | None = None) -> Losses:
    """Return both losses at ℓ = 0; the floats of the case are taken as exact where digits are asked for."""
    phi, psi, ridge, c1, c_rest, *teacher, noise = case if digits is None else map(Fraction, case)
    problem = tc.Problem(tc.Activation.from_moments(c1, c_rest), teacher, phi, psi, ridge, noise)
    found = tc.predict(problem, ell=0, digits=digits)
    return Losses(found.train_loss, found.test_loss)

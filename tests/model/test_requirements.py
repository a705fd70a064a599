"""Conditions of the theorems on an activation."""

from __future__ import annotations

import theorycalc as tc


def test_conditions_of_an_activation():
    assert [c.holds for c in tc.activation("relu").conditions(2)] == [True, True, True]
    assert [c.holds for c in tc.activation("relu").conditions(ell=3)] == [True, False, True]
    assert [c.holds for c in tc.activation("step").conditions(1)] == [True, True, False]
    assert [c.holds for c in tc.activation("elu").conditions("inf")] == [True, None, True]
    assert [c.holds for c in tc.activation("cos").conditions(1)] == [False, False, True]

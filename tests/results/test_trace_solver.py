"""traces(): m_1, m_2 and their slopes as a user asks for them."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import problem


def test_the_traces_of_relu():
    """m_1 = 4.3550 and m_2 = 2.2219 to four digits."""
    p = tc.predict(problem(), ell=1)
    assert (round(p.m1, 4), round(p.m2, 4)) == (4.3550, 2.2219)


def test_the_traces_of_inputs_with_a_covariance():
    numbers = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "c1": "1/2", "c_rest": "3/10"}
    plain, two, proven = (
        tc.traces(**numbers, inputs=inputs, digits=digits)
        for inputs, digits in (("1:1, 1:2", None), ("two_level(9, 1/4)", None), ("two_level(9, 1/4)", 30))
    )
    assert plain.m1 == tc.traces(**numbers).m1
    assert two.m2 == pytest.approx(float(proven.m2), rel=1e-14)
    assert two.m2 < plain.m2 < plain.m1 < two.m1
    assert "inputs 3:1/4:3/4, 1/3:3/4:1/4" in str(proven)
    assert proven.to_dict()["inputs"]["inputs"] == "3:1/4:3/4, 1/3:3/4:1/4"


@pytest.mark.parametrize("digits", [None, 20])
def test_a_linear_network_with_a_covariance_needs_a_ridge(digits):
    with pytest.raises(tc.DomainError, match="linear activation") as caught:
        tc.traces(phi=1, psi=2, ridge=0, c1=1, c_rest=0, inputs="two_level(9, 1/4)", digits=digits)
    assert caught.value.argument == "ridge"


def test_digits_of_floats_are_not_proven():
    with pytest.raises(tc.PrecisionError, match="binary floats"):
        tc.traces(phi=1, psi=2, ridge=1, c1=1, c_rest=1, inputs=[(1.5, 1), (0.5, 1)], digits=20)

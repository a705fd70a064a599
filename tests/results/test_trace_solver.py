"""traces(): m_1, m_2 and their slopes as a user asks for them."""

from __future__ import annotations

import theorycalc as tc
from tests.helpers.problems import problem


def test_the_traces_of_relu():
    """m_1 = 4.3550 and m_2 = 2.2219 to four digits."""
    p = tc.predict(problem(), ell=1)
    assert (round(p.m1, 4), round(p.m2, 4)) == (4.3550, 2.2219)

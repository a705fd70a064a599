"""Tables for people: cut where they are long, with subscripts."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from theorycalc.results.table import html_symbol


def test_long_tables_are_cut_and_full_ones_are_not():
    many = tc.predict(PROBLEM, ell=1, ridge=np.linspace(0.1, 1, 70))
    assert "  … 10 more\n" in repr(many)
    assert len(repr(many).splitlines()) < 70
    full = many.table(full=True).text()
    assert "more" not in full.splitlines()[-5]
    assert all(repr(float(loss)) in full for loss in many.test_loss)
    assert len(many.rows) == 70


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("m_1", "m<sub>1</sub>"),
        ("L_te(F₀)", "L<sub>te</sub>(F₀)"),
        ("c_{>1}", "c<sub>&gt;1</sub>"),
        ("c_⋆1", "c<sub>⋆1</sub>"),
        ("φ/(ψm_1²)", "φ/(ψm<sub>1</sub>²)"),
        ("Λ_∞ < Δ_ℓ", "Λ<sub>∞</sub> &lt; Δ<sub>ℓ</sub>"),
        ("train_gain, second_layer='sign', a_", "train_gain, second_layer=&#x27;sign&#x27;, a_"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_subscripts(text, found):
    assert html_symbol(text) == found

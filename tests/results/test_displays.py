"""Numbers and equations as LaTeX."""

from __future__ import annotations

import pytest

from theorycalc.results.displays import latex_display, latex_number


@pytest.mark.parametrize(
    ("text", "latex"), [("0.25", "0.25"), ("2e+30", r"2\cdot 10^{30}"), ("−∞", r"-\infty"), ("∞", r"\infty")]
)
def test_numbers_are_written_as_latex_writes_them(text, latex):
    assert latex_number(text) == latex


def test_equations_stand_below_each_other():
    first, *lines, last = latex_display(["a &= 1", "b &= 2"]).splitlines()
    assert (first, last) == (r"$$\begin{aligned}", r"\end{aligned}$$")
    assert lines == [r"a &= 1 \\", "b &= 2"]

"""How plots are called: what is loaded, what is refused, and the code of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import theorycalc as tc
from tests.helpers.docs_code import inside
from tests.helpers.drawn import PROBLEM
from theorycalc import plots


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.gain_against_alpha("relu"), "takes a Problem, not str"),
        (lambda: plots.gain_against_alpha(PROBLEM, n=[]), "n is empty"),
        (lambda: plots.gain_against_alpha(PROBLEM, n=list(range(100, 107))), "n has 7 values"),
        (lambda: plots.gain_against_alpha(PROBLEM, n="many"), "n='many' must be a positive whole number"),
        (
            lambda: plots.gain_against_alpha(PROBLEM, m=3),
            "has no argument 'm', and a matplotlib Line2D no such property",
        ),
        (lambda: plots.double_descent(PROBLEM, ridge=[]), "ridge is empty"),
        (lambda: plots.double_descent(PROBLEM, ridge="small"), "'small' is not a number"),
        (lambda: plots.double_descent(3), "takes a Problem, not int"),
        (lambda: plots.phase_diagram(PROBLEM, share=1), "share=1 must lie between 0 and 1"),
        (lambda: plots.phase_diagram(PROBLEM, ridge=[1, 2, 3, 4]), "1 to 3 panels"),
        (lambda: plots.phase_diagram(PROBLEM, ridge=0), "needs ridge > 0"),
        (lambda: plots.phase_diagram(None), "takes a Problem, not NoneType"),
        (
            lambda: plots.phase_diagram(tc.Problem("relu", "H2", "1/2", "2/3", "1/10")),
            "nothing is gained at any ℓ",
        ),
        (lambda: tc.predict(PROBLEM, ell=1, ridge=[[1, 2], [3, 4]]).plot(), r"shape \(2, 2\) over ridge"),
        (lambda: tc.predict(PROBLEM, ell=1, ridge=[1, 2], phi=[1, 2]).plot(), "over phi, ridge"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "x.gif"), "'x.gif' ends in '.gif'"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "figure"), "'figure' ends in ''"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), 3), "path must be a text or a Path"),
        (lambda: plots.save(tc.predict(PROBLEM, ell=1).plot(), "/no/such/place/x.svg"), "cannot write"),
        (lambda: plots.save("figure", "x.svg"), "takes a matplotlib figure, as .plot\\(\\) returns it, not str"),
    ],
)
def test_bad_calls_say_what_is_wrong_and_of_which_argument(call, message):
    with pytest.raises(tc.TheoryError, match=message) as caught:
        call()
    assert caught.value.argument is not None


def test_the_room_has_what_it_lists_and_nothing_else():
    assert all(callable(getattr(plots, name)) for name in dir(plots))
    with pytest.raises(AttributeError, match="no attribute 'pie_chart'"):
        plots.pie_chart  # noqa: B018


@pytest.mark.slow
def test_the_code_on_plots_runs(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "plots.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    with inside(tmp_path):
        exec(code, {"__name__": "page"})
    assert (tmp_path / "comparison.svg").stat().st_size > 1000

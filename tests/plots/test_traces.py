"""Traces are drawn over the parameter that varies."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.drawn import artist


def test_traces_are_drawn_over_the_parameter_that_varies():
    where = {"phi": "1/2", "psi": "2/3", "c1": "1/2", "c_rest": "3/10"}
    found = tc.traces(ridge=[10, 0.01, 1], **where)
    figure = found.plot()
    for name in ("m1", "m2"):
        assert list(artist(figure, name).get_ydata()) == list(getattr(found, name)[[1, 2, 0]])
    assert figure.axes[0].get_title(loc="left") == r"$\phi$ = 0.5, $\psi$ = 0.6667, $c_1$ = 0.5, $c_{>1}$ = 0.3"
    with pytest.raises(tc.ArgumentError, match=r"over a list of one parameter; these are of shape \(\)$"):
        tc.traces(ridge=1, **where).plot()
    with pytest.raises(tc.ArgumentError, match=r"shape \(2, 2\) over ridge"):
        tc.traces(ridge=[[1, 2], [3, 4]], **where).plot()
    assert "parameters" not in repr(found)

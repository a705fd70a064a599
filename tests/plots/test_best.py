"""Best choices are marked on the curve that was searched."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist, legend
from tests.helpers.problems import problem


@pytest.mark.slow
def test_the_best_ridge_is_marked_on_the_curve_that_was_searched():
    best = tc.best_ridge(PROBLEM, n=100, alpha=0.3)
    figure = best.plot()
    line, star = artist(figure, "test_loss"), artist(figure, "best")
    np.testing.assert_allclose(line.get_ydata(), tc.step(PROBLEM, n=100, alpha=0.3, ridge=list(best.grid)).test_loss)
    assert list(line.get_xdata()) == list(best.grid)
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (best.ridge, best.test_loss)
    assert best.test_loss <= min(best.losses)
    assert "grid" not in repr(best)
    assert legend(figure)[1] == rf"least: $\lambda$ = {best.ridge:.4g}, test loss = {best.test_loss:.4g}"


@pytest.mark.slow
def test_the_best_step_is_marked_even_if_it_is_none():
    best = tc.best_step(PROBLEM, n=100)
    figure = best.plot()
    assert figure.axes[0].get_xlabel() == r"$\eta$, size of the step (learning rate)"
    assert artist(figure, "best").get_xdata()[0] == best.eta
    none = tc.best_step(tc.Problem("1e-8*tanh(x)", "H1", "1/2", "2/3", "1/10"), n=100)
    assert none.eta == 0
    level = artist(none.plot(), "best")
    assert list(level.get_ydata()) == [none.test_loss] * 2
    edge = tc.best_ridge(problem("tanh", "H1", noise="100"), n=50, eta=1)
    assert legend(edge.plot())[1].endswith("at the edge of the range")

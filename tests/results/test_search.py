"""best(): the step and the ridge that together have the least test loss."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.results import planning
from theorycalc.results.search import ridge_range, step_range

pytestmark = pytest.mark.slow

SMALL = {"n": 300, "d": 100, "N": 200}


def case(activation="tanh(x + 1)", teacher="H1 + H2/2", noise="1/2", **changes):
    return tc.Problem(activation, teacher, **(SMALL | {"ridge": "1/10", "noise": noise} | changes))


@functools.cache
def best(activation="tanh(x + 1)", gradient="residual"):
    """A search takes seconds: each is made once."""
    return tc.best(case(activation), gradient=gradient)


@pytest.mark.parametrize("gradient", ["residual", "labels"])
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu"])
def test_no_point_of_a_finer_grid_is_better(activation, gradient):
    problem = case(activation)
    found = best(activation, gradient)
    steps, ridges = np.geomspace(*step_range(problem, 300, gradient), 16), np.geomspace(*ridge_range(problem), 23)
    grid = tc.step(problem, eta=steps[:, None], ridge=ridges, gradient=gradient).test_loss
    assert found.test_loss <= grid.min()
    near = tc.step(
        problem,
        eta=found.eta * np.array([0.98, 1, 1.02])[:, None],
        ridge=found.ridge * np.array([0.98, 1, 1.02]),
        gradient=gradient,
    )
    assert near.test_loss.min() == near.test_loss[1, 1] == pytest.approx(found.test_loss, rel=1e-8)
    assert not found.at_edge


def test_it_is_the_best_step_at_its_ridge_and_the_best_ridge_at_its_step():
    problem, found = case(), best()
    step = tc.best_step(problem, ridge=found.ridge)
    ridge = tc.best_ridge(problem, eta=found.eta)
    assert step.eta == pytest.approx(found.eta, rel=5e-3)
    assert ridge.ridge == pytest.approx(found.ridge, rel=5e-3)
    assert found.test_loss == pytest.approx(min(step.test_loss, ridge.test_loss), rel=1e-6)
    assert found.alpha == pytest.approx(math.log(found.eta) / math.log(300))
    assert found.larger_hurts is True
    whole = tc.step(problem, eta=found.eta, ridge=found.ridge)
    assert (found.test_gain, found.train_gain) == (whole.test_gain, whole.train_gain)


def test_ratios_with_n_are_the_same_as_sizes():
    ratios = tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/3", "1/2", "7", noise="1/2")
    found, same = tc.best(ratios, n=300), best()  # the problem's own ridge plays no part
    assert (found.rows, found.grid, found.losses) == (same.rows, same.grid, same.losses)


def test_twice_the_activation_wants_half_the_step_and_four_times_the_ridge():
    """Exactly so for a step on the labels alone; the residual also has the network's own output in it."""
    one, two = (best(name, "labels") for name in ("tanh(x + 1)", "2*tanh(x + 1)"))
    assert two.test_loss == pytest.approx(one.test_loss, rel=1e-6)
    assert two.ridge == pytest.approx(4 * one.ridge, rel=5e-3)
    assert two.eta == pytest.approx(one.eta / 2, rel=5e-3)


def test_nothing_to_learn_is_no_step_at_all():
    problem = case("relu", "H0", noise="1")
    found = tc.best(problem, gradient="labels")
    assert (found.eta, found.alpha, found.at_edge, found.larger_hurts) == (0, -math.inf, True, True)
    assert found.at_ends == ("eta", "ridge")  # the largest ridge, too, as there is nothing to learn
    assert found.test_loss == pytest.approx(1, rel=1e-6)  # the noise alone
    literal = tc.best(problem)  # its neurons are shortened by their own outputs, which is a smaller fit to the noise
    assert literal.at_edge
    assert literal.test_loss == pytest.approx(1, rel=1e-6)


def test_an_edge_is_said():
    """A linear network without noise wants no ridge."""
    problem = case("identity", "H1", noise=0)
    found = tc.best(problem)
    assert found.at_ends == ("ridge",)
    assert found.ridge == pytest.approx(ridge_range(problem)[0], rel=2e-3)
    low, high = found.range_of("ridge")
    assert (low, high) == ridge_range(problem)
    steps, ridges, _ = found.table().remarks[:3]
    assert steps.startswith("searched η from ")
    assert steps.endswith(": the minimum is inside")
    assert ridges == f"searched λ from {low:g} to {high:g}: the minimum is at the edge of this range"
    still = tc.best_ridge(problem, eta=0)
    assert (still.at_ends, still.at_edge) == (("ridge",), True)


def test_steps_that_float64_cannot_compute_end_the_range():
    problem = case("exp")
    found = tc.best(problem, gradient="labels")
    largest = step_range(problem, 300, "labels")[1]
    assert found.searched[1] < largest
    with pytest.raises(tc.TheoryError):
        tc.step(problem, eta=largest, ridge=1, gradient="labels")
    assert not found.at_edge
    assert found.larger_hurts is True


def test_an_activation_without_a_single_step_is_refused(monkeypatch):
    def never(*_args, **_more):
        raise tc.PrecisionError("rounding leaves no digits")

    monkeypatch.setattr(planning, "step", never)
    with pytest.raises(tc.PrecisionError, match="no digits"):
        tc.best(case())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gradient": "label"}, "did you mean 'labels'"),
        ({"n": 1}, "n=1"),
        ({"n": 300, "d": 7}, "d=7 contradicts the problem"),
        ({"ridge": 1}, "best\\(\\) has no argument 'ridge'"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.best(case(), **arguments)
    with pytest.raises(tc.ArgumentError, match="n= is missing"):
        tc.best(tc.Problem("relu", "H1", "1/2", "2/3", "1/10"))
    with pytest.raises(tc.ArgumentError, match="takes a Problem, not str"):
        tc.best("relu")

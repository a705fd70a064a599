"""The scatter of one draw, and the number of draws that a measurement needs, against scipy's distributions."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import theorycalc as tc
from tests.helpers.problems import EXAMPLE
from tests.helpers.results import SIZES
from theorycalc.results.quantities import SPREADS
from theorycalc.results.repetitions import FEWEST_DRAWS, POWER, draws_to_show, thresholds
from theorycalc.results.step_result import Spread

NETWORK = tc.Problem("tanh", "sin(x)", n=450, d=150, N=300, ridge="1/100", noise="1/10")


def test_the_draws_are_those_of_the_spread():
    found = tc.step(NETWORK, eta=20)
    for quantity in Spread._fields:
        share = getattr(found.spread, quantity) / abs(getattr(found, quantity))
        assert tc.draws_needed(NETWORK, eta=20, quantity=quantity) == max(2, math.ceil((100 * share) ** 2))


def test_fewer_draws_are_needed_for_less():
    counts = [tc.draws_needed(NETWORK, eta=20, accuracy=p) for p in ("1/1000", "1/100", "1/20", "99/100")]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == pytest.approx(100 * counts[1], rel=0.01)
    assert counts[3] == 2  # one draw has no standard error
    assert tc.draws_needed(NETWORK, eta=20) == counts[1]
    labels = tc.draws_needed(NETWORK, eta=20, gradient="labels")
    assert labels != counts[1]


@pytest.mark.parametrize(("level", "difference"), [(0.01, "1/50"), (0.05, "1/50"), (0.01, "1/3")])
def test_draws_that_show_a_difference_are_those_of_compare(level, difference):
    """So many draws have a detectable deviation of the share, and one fewer a larger one, unless a verdict needs it."""
    draws = tc.draws_needed(NETWORK, eta=20, quantity="test_loss", difference=difference, level=level)
    found = tc.step(NETWORK, eta=20)
    wanted = float(Fraction(difference)) * found.test_loss

    def detectable(count):
        error = found.spread.test_loss / math.sqrt(count)
        measured = {"eta": 20, "test_loss": found.test_loss, "test_loss_se": error, "replicates": count}
        return tc.compare(measured, NETWORK, level=level).rows[0]["detectable"]

    assert detectable(int(draws)) <= wanted
    assert draws == FEWEST_DRAWS or detectable(draws - 1) > wanted


def test_a_standard_error_of_a_share_does_not_show_it():
    """A reader of "2 %" may mean either: the result has both numbers, and says so."""
    measures = tc.draws_needed(NETWORK, eta=20, quantity="test_loss", accuracy=0.02)
    shows = tc.draws_needed(NETWORK, eta=20, quantity="test_loss", difference=0.02)
    assert (measures.to_measure, measures.to_show) == (shows.to_measure, shows.to_show) == (measures, shows)
    assert 14 * measures < shows < 18 * measures
    assert measures.text == shows.text
    for words in (f"About {measures} draws measure the test loss with a standard error of 2 %", f"about {shows}, and"):
        assert words in shows.text
    assert f"between two networks about {2 * shows} of each" in shows.text
    assert isinstance(shows, int)
    assert json.dumps(shows) == str(shows) == repr(shows)
    assert pickle.loads(pickle.dumps(shows)).text == shows.text


@pytest.mark.parametrize(
    ("options", "argument", "words"),
    [
        ({"accuracy": 0}, "accuracy", "must be positive"),
        ({"eta": [1, 2]}, "eta", "one eta, not several"),
        ({"ridge": [1, 2]}, "ridge", "one ridge, not several"),
        ({"accuracy": "-1/2"}, "accuracy", "must be positive"),
        ({"accuracy": "1e-200"}, "accuracy", "too small for float64"),
        ({"accuracy": 2}, "accuracy", "accuracy=2 is a share below 1: 2 % is 0.02"),
        ({"difference": 1}, "difference", "difference=1 is a share below 1"),
        ({"difference": 0}, "difference", "must be positive"),
        ({"difference": "1e-200"}, "difference", "too small for float64"),
        (
            {"difference": "1/50", "accuracy": "1/50"},
            "difference",
            r"give accuracy= \(a standard error\) or difference=",
        ),
        ({"difference": "1/50", "level": 0}, "level", "must be positive"),
        ({"difference": "1/50", "level": 5}, "level", "a share below 1"),
        ({"quantity": "train_error"}, "quantity", "quantity"),
        ({"eta": 0}, "quantity", "is 0 to rounding"),
        ({"eta": None}, None, "eta"),
    ],
)
def test_refusals_name_the_argument(options, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as raised:
        tc.draws_needed(NETWORK, **{"eta": 20} | options)
    assert argument is None or raised.value.argument == argument


def test_the_spread_has_the_shape_of_its_step():
    one = tc.step(EXAMPLE, **SIZES, eta=5).spread
    assert all(np.shape(value) == () and 0 < value < math.inf for value in one)
    many = tc.step(EXAMPLE, **SIZES, eta=[0, 1, 5], ridge=[[0.1], [1]]).spread
    assert all(value.shape == (2, 3) for value in many)
    for name, value in one._asdict().items():
        assert getattr(many, name)[0, 2] == pytest.approx(value, rel=1e-6)
    still = tc.step(EXAMPLE, **SIZES, eta=0).spread
    assert still.test_loss == pytest.approx(still.test_loss_initial, rel=1e-2)
    assert still.test_gain < still.test_loss / 5


def test_larger_labels_scatter_in_proportion():
    """Y → 3y multiplies losses, and so their deviations, by 9; a step on the labels turns by η/3."""
    threefold = replace(EXAMPLE, teacher="3*H1 + 3*H2/2", noise="3/2")
    one = tc.step(EXAMPLE, **SIZES, eta=6, gradient="labels").spread
    three = tc.step(threefold, **SIZES, eta=2, gradient="labels").spread
    assert np.array(three) == pytest.approx(9 * np.array(one), rel=1e-6)


def test_the_spread_falls_with_the_root_of_the_size():
    """At a fixed η²/N the spikes grow with n, until they are strong: losses fall by 10, gains have terms of 1/n."""
    ratios = tc.Problem("tanh", "sin(x)", "1/3", "1/2", "1/100", "1/10")
    small, large = (tc.step(ratios, n=n, eta=math.sqrt(n), gradient="labels").spread for n in (10**6, 10**8))
    for name in Spread._fields:
        ratio = getattr(small, name) / getattr(large, name)
        assert ratio == pytest.approx(10, rel=0.02)


@pytest.mark.slow
@pytest.mark.checks("spread")
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu"])
def test_the_spread_is_that_of_draws(activation):
    """Standard deviations of 100 networks, known to 7 %: losses to a half, gains to a factor of two."""
    problem = tc.Problem(activation, "H1 + H2/2", n=300, d=150, N=225, ridge="1/10", noise="1/2")
    row = tc.simulate(problem, eta=6, replicates=100, seed=1).rows[0]
    spread = tc.step(problem, eta=6).spread
    for name in Spread._fields:
        observed = row[f"{name}_se"] * math.sqrt(100)
        factor = 2 if "gain" in name else 1.5
        assert 1 / factor < observed / getattr(spread, name) < factor


def test_no_step_has_no_scatter_of_its_gains():
    """And that of small steps is in proportion: nothing is left of the coarse rules."""
    none, small, larger = (tc.step(EXAMPLE, n=1000, eta=eta, gradient="labels").spread for eta in (0, 1e-3, 1e-2))
    assert (none.train_gain, none.test_gain) == (0, 0)
    for name in ("train_gain", "test_gain"):
        assert 8 < getattr(larger, name) / getattr(small, name) < 12


@pytest.mark.slow
@pytest.mark.parametrize(("teacher", "gradient"), [("H2", "labels"), ("H2", "residual"), ("H3", "labels")])
def test_gains_scatter_where_nothing_is_learned(teacher, gradient):
    """A linear network whose teacher has no linear part: a factor of 2.5 in what is fitted to noise."""
    problem = tc.Problem("x", teacher, n=300, d=150, N=225, ridge="1/10", noise="1/2")
    spread = tc.step(problem, eta=3, gradient=gradient).spread
    run = tc.simulate(problem, eta=3, gradient=gradient, replicates=60, seed=4).rows[0]
    for name in ("train_gain", "test_gain"):
        assert 1 / 2.5 < run[f"{name}_se"] * math.sqrt(60) / getattr(spread, name) < 2.5


def test_labels_that_are_zero_scatter_by_nothing():
    assert tc.step(tc.Problem("relu", "0*x", "1/2", "2/3", "1/10"), n=300, eta=3).spread == Spread(*[0.0] * 6)


def test_rows_have_the_scatter_of_one_run():
    found = tc.step(EXAMPLE, **SIZES, eta=[1, 5], ridge=[[0.1], [1]])
    names = {f"{name}_spread" for name in Spread._fields}
    assert set(SPREADS) == names
    for name in Spread._fields:
        expected = getattr(found.spread, name).ravel().tolist()
        assert [row[f"{name}_spread"] for row in found.rows] == expected
        assert [row[f"{name}_spread"] for row in json.loads(json.dumps(found.to_dict()))["rows"]] == expected
    assert not names & set(tc.step(EXAMPLE, **SIZES, eta=1, method="pencil").rows[0])
    (row,) = tc.step(EXAMPLE, **SIZES, eta=5).rows
    assert {type(row[name]) for name in names} == {float}


@pytest.mark.parametrize("draws", [8, 20, 500, None])
@pytest.mark.parametrize("level", [0.01, 0.05])
def test_thresholds_are_those_of_students_t(draws, level):
    law = stats.norm if draws is None else stats.t(draws - 1)
    critical, shows = thresholds(draws, level)
    assert critical == pytest.approx(law.isf(level / 2))
    assert shows == pytest.approx(law.isf(level / 2) + law.isf(1 - POWER))


def test_the_number_is_the_least():
    for deviations in (0.1, 1, 3.5, 40):
        draws = draws_to_show(deviations, 0.01)
        assert thresholds(draws, 0.01)[1] * deviations <= math.sqrt(draws)
        assert draws == FEWEST_DRAWS or thresholds(draws - 1, 0.01)[1] * deviations > math.sqrt(draws - 1)
    many = draws_to_show(1e4, 0.01)  # the normal law
    assert many == pytest.approx((stats.norm.isf(0.005) + stats.norm.isf(0.1)) ** 2 * 1e8, rel=1e-6)


def test_a_difference_shows_nine_times_in_ten():
    """Against theory with so many draws, and between two arms with twice as many of each."""
    rng = np.random.default_rng(0)
    trials, difference = 2000, 0.5
    draws = draws_to_show(1 / difference, 0.01)
    against_theory = stats.ttest_1samp(rng.standard_normal((trials, draws)) + difference, 0, axis=1).pvalue
    first, second = rng.standard_normal((2, trials, 2 * draws))
    between_arms = stats.ttest_ind(first + difference, second, axis=1).pvalue
    for found in (against_theory, between_arms):
        assert (
            abs(np.mean(found < 0.01) - POWER) < 4 * math.sqrt(POWER * (1 - POWER) / trials) + 0.02
        )  # t is a bit wide

"""error_rate(): limits and networks, arrays, refusals, and what every result has."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import theorycalc as tc

PROBLEM = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")
SIZED = tc.Problem("tanh(x + 1)", "sign(x)", n=200, d=100, N=150, ridge="1/10")


def test_a_limit_by_its_window_or_by_a_step():
    by_ell, by_alpha = tc.error_rate(PROBLEM, ell=2), tc.error_rate(PROBLEM, alpha="3/10")
    assert by_ell.error_rate == by_alpha.error_rate
    assert (by_ell.ell, by_ell.spikes, by_ell.sizes, by_ell.eta) == (2, (1, 2), None, None)
    assert by_ell.error_rate_gain == by_ell.error_rate_initial - by_ell.error_rate > 0
    assert "ℓ = 2" in repr(by_ell)
    assert by_ell.conditions


def test_before_the_step_nothing_is_gained():
    found = tc.error_rate(PROBLEM, ell=0)
    assert found.error_rate_gain == 0


def test_literal_networks_learn_less_than_the_theorem_says():
    theorem, literal = (tc.error_rate(PROBLEM, ell=3, network=name) for name in ("theorem", "literal"))
    assert theorem.error_rate < literal.error_rate < literal.error_rate_initial == theorem.error_rate_initial
    assert literal.gradient == "residual"


def test_more_powers_lower_the_rate_here_and_not_everywhere():
    """The loss never grows with ℓ, and the rate of an odd teacher does not here; elsewhere it may."""
    rates = [tc.error_rate(PROBLEM, ell=ell).error_rate for ell in (0, 1, 3, 5, "inf")]
    assert rates == sorted(rates, reverse=True)
    relu = tc.Problem("relu", "sign(H1 + H2/2)", "1/2", "2/3", "1/10", "3/10")
    first, third = (tc.error_rate(relu, ell=ell, network="literal").error_rate for ell in (1, 3))
    assert first < third


@pytest.mark.parametrize("ell", [1, 3])
def test_more_data_lower_the_rate(ell):
    rates = [
        tc.error_rate(tc.Problem("relu", "sign(x)", phi, "2/3", "1/10"), ell=ell).error_rate
        for phi in (4, 1, 0.1, 0.001)
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < 0.03


def test_noise_raises_the_rate():
    rates = [
        tc.error_rate(tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10", noise), ell=1).error_rate
        for noise in (0, 1, 10)
    ]
    assert rates == sorted(rates)
    assert rates[-1] < 0.5


def test_arrays_of_ridges():
    found = tc.error_rate(PROBLEM, ell=1, ridge=[[0.1], [1.0]])
    assert found.error_rate.shape == (2, 1)
    assert found.error_rate[0, 0] == tc.error_rate(PROBLEM, ell=1).error_rate
    assert [row["ridge"] for row in found.rows] == [0.1, 1.0]


@pytest.mark.slow
def test_networks_of_real_size():
    found = tc.error_rate(SIZED, eta=[1, 5])
    assert (found.sizes, found.ell, found.method) == (tc.step(SIZED, eta=1).sizes, None, "dressed")
    assert found.error_rate.shape == (2,)
    assert np.all(found.converged)
    assert np.all(found.error_rate_gain == found.error_rate_initial - found.error_rate)
    same = tc.error_rate(PROBLEM, n=200, eta=5)
    assert same.error_rate == pytest.approx(found.error_rate[1], abs=1e-9)


@pytest.mark.slow
def test_steps_and_ridges_broadcast():
    found = tc.error_rate(SIZED, alpha=[[0.1], [0.3]], ridge=[0.1, 1])
    one = tc.error_rate(SIZED, alpha=0.3, ridge=1)
    assert found.error_rate.shape == (2, 2)
    assert found.error_rate[1, 1] == pytest.approx(one.error_rate, abs=1e-9)
    assert found.gradient == "residual"
    other = tc.error_rate(SIZED, alpha=0.3, ridge=1, gradient="labels")
    assert other.error_rate != one.error_rate
    assert len(found.rows) == 4
    assert "Error rates" in repr(found)


@pytest.mark.slow
def test_plain_data():
    found = tc.error_rate(SIZED, eta=5)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["kind"] == "error_rate"
    assert data["rows"][0]["error_rate"] == float(found.error_rate)
    assert data["inputs"]["method"] == "dressed"
    again = tc.error_rate(SIZED, eta=5)
    assert found == again
    assert tc.error_rate(PROBLEM, ell=1, ridge=1).to_dict()["inputs"]["ridge"] == 1.0
    assert "ridge" not in tc.error_rate(PROBLEM, ell=1, ridge=[1, 2]).to_dict()["inputs"]


@pytest.mark.parametrize(
    ("how", "message", "argument"),
    [
        ({}, "the step is missing: give ell= or alpha= of the limit n → ∞, or n= with alpha= or eta=", "alpha"),
        ({"ell": 1, "n": 100}, "n= belongs to a network of real size, and ell= here to the limit", "n"),
        ({"ell": 1, "alpha": 0.3}, "give either ell= or alpha=", "ell"),
        ({"n": 100, "eta": 1, "network": "literal"}, "network='literal' is for limits, which ell= selects", "network"),
        ({"n": 100, "eta": 1, "digits": 30}, "digits are proven only for rates in the limit n → ∞", "digits"),
        ({"n": 100, "eta": 1, "ridge": 0}, "a finite step needs ridge > 0", "ridge"),
        ({"eta": 1}, "n= is missing", "n"),
        ({"ell": 1, "gradient": "residual"}, "is a literal network's", "gradient"),
    ],
)
def test_refusals(how, message, argument):
    with pytest.raises(tc.TheoryError) as e:
        tc.error_rate(PROBLEM, **how)
    assert message in str(e.value)
    assert e.value.argument == argument


def test_a_teacher_that_is_no_sign():
    with pytest.raises(tc.DomainError, match=r"write teacher='sign\(H1 \+ H2/2\)'"):
        tc.error_rate(tc.Problem("relu", "H1 + H2/2", 1, 1, 1), ell=1)


@pytest.mark.slow
def test_it_is_compared_with_what_was_measured():
    found = tc.error_rate(SIZED, eta=5)
    seen = {"eta": [5] * 10, "error_rate": [float(found.error_rate) + shift / 1000 for shift in range(-5, 5)]}
    assert tc.compare(seen, found).verdict == "agree"
    far = {"eta": [5] * 10, "error_rate": [float(found.error_rate) + 0.1 + shift / 1000 for shift in range(-5, 5)]}
    assert tc.compare(far, found).verdict == "differ"
    with pytest.raises(tc.ArgumentError, match="nothing was observed at the step"):
        tc.compare(seen | {"eta": [6] * 10}, found)


def test_limits_are_compared_too():
    limit = tc.error_rate(SIZED, ell=1, network="literal")
    seen = {"eta": [5] * 10, "error_rate": [limit.error_rate + shift / 1000 for shift in range(-5, 5)]}
    assert tc.compare(seen, limit).verdict == "agree"
    by_alpha = tc.error_rate(PROBLEM, alpha="1/5")
    assert by_alpha.title == "error rate, ℓ = 1"
    assert by_alpha.expected(type("Place", (), {"alpha": 0.3, "ridges": (0.1,)})()) is None
    assert math.isfinite(by_alpha.error_rate)


@pytest.mark.slow
def test_rates_of_raw_networks_are_means_over_the_mean_of_their_initial_output():
    """A large mean of the initial output makes the step worse in the mean; a tiny one changes nothing."""
    rates = {}
    for shift in ("0", "1/10000", "1"):
        raw = tc.Problem(
            f"{shift} + erf(x)", "sign(x)", n=300, d=150, N=225, ridge="1/10", intercept=True, centred=False
        )
        rates[shift] = float(tc.error_rate(raw, eta=5).error_rate)
    assert rates["1/10000"] == pytest.approx(rates["0"], abs=1e-6)
    assert rates["1"] > rates["0"] + 1e-3


def test_few_samples_are_warned_of():
    signs = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")
    for n, start in ((98, "n = 98 is small: rates before the step"), (100, "rates before the step")):
        (note,) = (note for note in tc.error_rate(signs, n=n, eta=1).notes if "order 1/n" in note)
        assert note.startswith(start)


@pytest.mark.slow
def test_notes_are_those_of_rates():
    options = {"intercept": True, "centred": False, "flip_fit": "1/10"}
    flipped = tc.Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10", **options)
    limit = tc.error_rate(flipped, ell=2, network="literal")
    assert any("Z ~ N(0, 1)" in note for note in limit.notes)  # since the step is on the residual
    assert tc.error_rate(flipped, ell=2).notes[1].startswith("the theorem, extended")
    assert any("means over networks" in note for note in tc.step(flipped, n=200, eta=1).notes)
    small = tc.error_rate(flipped, n=200, eta=1, gradient="labels")
    assert not [note for found in (limit, small) for note in found.notes if "losses and gains are those" in note]
    assert any("unless they are called clean" in note for note in tc.predict(flipped, ell=2).notes)
    assert any("unless they are called clean" in n for n in tc.step(flipped, n=200, eta=1, gradient="labels").notes)


@pytest.mark.slow
def test_sweeps_have_rates_without_ridge_and_of_several_directions():
    how = {"ell": [1], "ridge": [0, 0.1], "teacher": ["sign(x)", "sign(t1 + t1*t2)"]}
    found = tc.sweep(PROBLEM, over=how, quantities="error_rate")
    several = tc.Problem("tanh(x + 1)", "sign(t1 + t1*t2)", "1/2", "2/3", "1/10")
    expected = [tc.error_rate(problem, ell=1, ridge=[0, 0.1]).error_rate for problem in (PROBLEM, several)]
    rows = {(str(row["teacher"]), float(row["ridge"])): row["error_rate"] for row in found.rows}
    for teacher, rates in zip(how["teacher"], expected, strict=True):
        assert [rows[teacher, ridge] for ridge in (0.0, 0.1)] == pytest.approx(rates, rel=1e-12)

"""A problem in a comparison: losses and error rates at the steps that were observed."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.comparison.finite_theories import finite_theories
from theorycalc.theory.dressed.classifier import ACCURACY

SIGNS = tc.Problem("tanh", "sign(x)", n=60, d=30, N=45, ridge="1/10")


def judged(comparison):
    return {row["quantity"] for row in comparison.judged}


@pytest.mark.slow
def test_error_rates_are_judged_where_they_were_observed():
    run = tc.simulate(SIGNS, eta=[1, 4], replicates=3)
    found = tc.compare(run)
    assert judged(found) == {"train_gain", "test_gain", "error_rate_gain"}
    assert found.looks == 6
    expected = tc.error_rate(SIGNS, eta=[1, 4]).error_rate_gain
    rows = [row for row in found.rows if row["quantity"] == "error_rate_gain"]
    np.testing.assert_allclose([row["predicted"] for row in rows], expected, rtol=0, atol=ACCURACY)
    assert {row["theory"] for row in rows} == {"error rate (dressed)"}


@pytest.mark.slow
def test_a_wrong_rate_is_called_different():
    """Networks of fewer inputs have other rates: 40 draws tell them from those of the right theory."""
    run = tc.simulate(tc.Problem("tanh", "sign(x)", n=200, d=100, N=150, ridge="1/10"), eta=8, replicates=40)
    rates = {"eta": [8.0], "replicates": [40]}
    for name in ("error_rate_gain", "error_rate"):
        rates |= {name: [run.rows[0][name]], f"{name}_se": [run.rows[0][f"{name}_se"]]}
    right, wrong = (tc.Problem("tanh", "sign(x)", n=200, d=d, N=150, ridge="1/10") for d in (100, 25))
    assert tc.compare(rates, right).verdict == "agree"
    assert tc.compare(rates, wrong).verdict == "differ"


def test_measured_rates_alone_need_no_losses():
    measured = {"eta": [2, 2, 2], "error_rate_initial": [0.3, 0.25, 0.28], "error_rate": [0.2, 0.22, 0.21]}
    found = tc.compare(measured, SIGNS)
    assert {row["theory"] for row in found.rows} == {"error rate (dressed)"}
    with pytest.raises(tc.TheoryError, match="needs labels ±1"):
        tc.compare(measured, tc.Problem("tanh", "H1", n=60, d=30, N=45, ridge="1/10"))


@pytest.mark.slow
def test_a_note_says_why_rates_are_not_compared():
    sizes = {"n": 40, "d": 20, "N": 30, "ridge": "1/10"}
    teacher = tc.Teacher.from_callable(np.sign)
    found = tc.compare(tc.simulate(tc.Problem("relu", teacher, **sizes), eta=1, replicates=2))
    assert judged(found) == {"train_gain", "test_gain"}
    assert any(note.startswith("error rates are not compared: the teacher is ±1, and") for note in found.notes)


def test_the_target_of_the_step_is_that_of_the_run_or_the_one_given():
    rows = [{"eta": 2.0, "alpha": None, "error_rate": 0.2}]
    (rates,), _ = finite_theories(SIGNS, None, rows, "labels")
    assert rates.gradient == "labels"
    run = tc.simulate(SIGNS, eta=2, replicates=2, gradient="labels")
    assert {one.gradient for one in finite_theories(SIGNS, run, run.rows)[0]} == {"labels"}

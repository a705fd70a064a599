"""Verdicts: a deviation that shows, too few draws, and notes on measurements of something else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import theorycalc as tc
from tests.helpers.compared import LINEAR, QUANTITIES
from theorycalc.comparison.verdict import doubts, judged, sensitivity
from theorycalc.results.repetitions import FEWEST_DRAWS


@pytest.mark.slow
def test_every_row_can_be_checked_by_hand(run):
    comparison = tc.compare(run, tc.predict(LINEAR, ell=1))
    for row in comparison.rows:
        values = [r[row["quantity"]] for r in run.draws if (r["cell"], r["ridge"]) == (row["cell"], row["ridge"])]
        expected = tc.predict(run.problem, ell=1, ridge=row["ridge"])
        test = stats.ttest_1samp(values, getattr(expected, row["quantity"]))
        assert row["z"] == pytest.approx(test.statistic, rel=1e-9)
        assert row["p"] == pytest.approx(test.pvalue, rel=1e-9)
        assert row["replicates"] == 30
        assert row["critical"] == pytest.approx(stats.t.isf(0.01 / comparison.looks / 2, 29))
        shown = (row["critical"] + stats.t.isf(0.1, 29)) * row["standard_error"]
        assert row["detectable"] == pytest.approx(shown)
    assert [row["quantity"] for row in comparison.rows[:8]] == QUANTITIES


def test_a_deviation_of_the_detectable_size_shows_nine_times_in_ten():
    """Draws whose mean is off by ``detectable`` of their own verdict are called different in about 90 % of trials."""
    rng = np.random.default_rng(1)
    draws, trials, looks, level = 20, 4000, 4, 0.01
    values = rng.standard_normal((trials, draws))
    errors = values.std(axis=1, ddof=1) / math.sqrt(draws)
    row = {"z": 0.0, "standard_error": 1 / math.sqrt(draws), "replicates": draws, "judged": True}
    shift = judged([row] * looks, level)[0]["detectable"]
    found = [judged([row | {"z": z}] * looks, level)[0] for z in (values.mean(axis=1) + shift) / errors]
    share = np.mean([abs(one["z"]) > one["critical"] for one in found])
    assert 0.85 < share < 0.95


def test_too_few_draws_give_no_verdict(tiny):
    comparison = tc.compare(tiny, tc.predict(LINEAR, ell=1, as_printed=True))
    assert (comparison.verdict, comparison.agrees) == ("too few draws", False)
    assert repr(comparison).startswith("Too few draws to tell: 3, and a verdict needs 8")
    assert FEWEST_DRAWS == 8


@pytest.mark.slow
def test_an_agreement_says_what_would_have_shown(run):
    text = repr(tc.compare(run, tc.predict(LINEAR, ell=1)))
    median, worst = sensitivity(tc.compare(run, tc.predict(LINEAR, ell=1)).judged, "test_gain")
    assert f"A deviation of {median:.2g} % of the test gain (median; {worst:.2g} % at worst)" in text


@pytest.mark.slow
def test_a_right_theory_is_rejected_as_rarely_as_stated(tiny):
    """10^4 comparisons of a theory that is right, 60 looks each, correlated: at most the level is rejected."""
    rng = np.random.default_rng(0)
    level, looks, replicates, trials = 0.05, 60, 5, 4000
    shared = rng.standard_normal((trials, 1, replicates))
    draws = rng.standard_normal((trials, looks, replicates)) + shared
    p = stats.ttest_1samp(draws, 0.0, axis=-1).pvalue
    rejected = []
    for row in p:
        rows = tuple({"p": float(one), "z": 0.0, "judged": True} for one in row)
        rejected.append(bool(tc.Comparison(rows, level, ()).differing))
    share = np.mean(rejected)
    assert share <= level + 4 * math.sqrt(level / trials)
    assert share > level / 10  # the test is not empty


@pytest.mark.slow
def test_a_comparison_is_shown(run):
    comparison = tc.compare(run, [tc.predict(LINEAR, ell=ell) for ell in (0, 1, 2)])
    lines = repr(comparison).splitlines()
    assert "of 24 comparisons at level 0.01" in lines[0]
    assert "48 rows that agree better are not shown" in lines[-1]
    assert "<table>" in comparison._repr_html_()
    assert comparison.to_dict()["agrees"] is False


def test_the_verdict_says_what_p_a_difference_needs():
    """With several comparisons a p below the level is none: "agree" beside "p = 0.009 at level 0.01" was puzzling."""
    rows = tuple({"p": p, "z": z, "judged": True, "replicates": 40, **GAIN} for p, z in CHANCES)
    text = tc.Comparison(rows, 0.01, ()).verdict_text
    assert "the largest |z| is 2.8, p = 0.009; a difference needs p < 0.01/3)" in text
    assert text.startswith("Theory and observation agree: ")
    assert "needs" not in tc.Comparison(rows[1:2], 0.01, ()).verdict_text


def test_no_row_differs_where_draws_are_too_few():
    measured = {"eta": [2, 2, 2], "test_loss": [9.0, 9.01, 9.02]}
    comparison = tc.compare(measured, tc.Problem("tanh", "sin(x)", n=60, d=20, N=40, ridge="1/10"))
    assert comparison.differing
    assert comparison.verdict == "too few draws"
    assert "differs" not in repr(comparison)


GAIN = {"quantity": "test_gain", "predicted": 1.0, "detectable": 0.1}
CHANCES = ((0.009, 2.8), (0.3, 1.0), (0.5, 0.7))
NETWORK = tc.Problem("tanh", "sin(x)", n=200, d=70, N=130, ridge="1/100", noise="1/10", first_scale=2)
BEFORE = "even the test loss before the step differs: check the initialisation"
PENALTY = (
    "the numbers in train_loss fit train_error, the error without the penalty, and not train_loss: rename the column"
)


@pytest.fixture(scope="module")
def draws():
    return tc.simulate(NETWORK, eta=5, replicates=12, seed=0).draws


def table(draws, **names):
    return [{name: draw[of] for name, of in ({"eta": "eta"} | names).items()} for draw in draws]


def test_another_initialisation_is_noted_though_the_gain_agrees(draws):
    """Rows of length 2 instead of 1: the loss before the step is 40 % larger, whatever the learning rate."""
    measured = table(draws, test_loss_initial="test_loss_initial", test_loss="test_loss")
    wrong = tc.compare(measured, replace(NETWORK, first_scale=1))
    assert wrong.notes[0].startswith(BEFORE)
    assert "tc.conventions.layers_from" in wrong.notes[0]
    assert "tc.ridge_from" in wrong.notes[0]
    for quiet in (tc.compare(measured, NETWORK), tc.compare(measured, NETWORK, beside=replace(NETWORK, first_scale=1))):
        assert not any(BEFORE in note for note in quiet.notes)


def test_a_training_error_in_the_column_of_the_loss_is_noted(draws):
    measured = table(draws, train_loss="train_error", train_loss_initial="train_error_initial")
    found = tc.compare(measured, NETWORK)
    assert PENALTY in found.notes
    assert not any("training loss before" in note for note in found.notes)
    right = table(draws, train_loss="train_loss", train_error="train_error")
    assert PENALTY not in tc.compare(right, NETWORK).notes


@pytest.mark.parametrize(
    ("observed", "error", "noted"),
    [(0.3, 0.01, True), (0.3, 0.03, False), (0.215, 0.001, False), (0.1, 0.01, True)],
    ids=["far", "uncertain", "near", "below"],
)
def test_much_is_five_standard_errors_and_a_tenth(observed, error, noted):
    row = {"quantity": "train_loss_initial", "predicted": 0.2, "observed": observed, "standard_error": error}
    found = doubts([row | {"z": (observed - 0.2) / error}], {"train_loss_initial": [0.2]}, 0)
    assert [note[:43] for note in found] == (["even the training loss before the step diff"] if noted else [])

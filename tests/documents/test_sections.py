"""The sections of a report show the numbers that were computed, or say why not."""

from __future__ import annotations

import re

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.reports import Page, check_alone
from theorycalc.documents import sections
from theorycalc.documents.blocks import Digits
from theorycalc.model.sizes import sizes_of
from theorycalc.results.layout import with_error

pytestmark = pytest.mark.slow


def test_a_report_has_what_was_computed(made):
    text = Page(made.html).text
    exact = tc.predict(PROBLEM, alpha="3/10", digits=20)
    for name in ("m1", "m2", "kappa", "rho", "train_gain", "test_gain", "train_loss", "test_loss"):
        assert str(getattr(exact, name)) in text
    assert "enclosed: 20 digits proven" in text
    finite = tc.step(PROBLEM, n=200, alpha="3/10")
    assert f"{finite.test_gain:.6g}" in text
    assert f"{exact.problem.activation.name} learns from 200 samples with 100 inputs" in text
    states = [condition.holds for condition in exact.conditions]
    assert f"{states.count(True)} hold, {states.count(False)} fail" in text
    for condition in exact.conditions:
        assert condition.statement.split("_")[0].split("^")[0].strip()[:12] in text
    for ell in range(7):
        assert f"{tc.predict(PROBLEM, ell=ell).test_gain:.6g}" in text
    for heading in ("Setting", "Conditions", "Coefficients", "Formulas", "Values", "Staircase", "To make this again"):
        assert heading in text


def test_a_simulation_is_shown_with_its_verdicts(simulated, run):
    text = Page(simulated.html).text
    limits = [tc.predict(PROBLEM, alpha=alpha, network="literal") for alpha in (0.3, 0.1)]
    comparison = tc.compare(run, PROBLEM, beside=limits)
    assert repr(comparison).splitlines()[0] in text
    for row in comparison.rows:
        assert f"{row['predicted']:.4g}" in text
        assert with_error(row["observed"], row["standard_error"]) in text
    for row in tc.compare(run).rows:
        assert f"{row['z']:+.1f}" in text
    assert "4 networks for each step, seed 0, n = 100, d = 50, N = 75" in text


def test_what_cannot_be_shown_is_said():
    act = tc.Activation.from_moments("1/2", "3/10", present=(1, 2))
    made = tc.report(tc.Problem(act, ["1", "1/2"], "1/2", "2/3", "1/10"))
    text = check_alone(made.html).text
    assert "The picture of the coefficients cannot be shown: " in text
    assert "Nothing is expected of a real network: " in text
    assert "--c1 1/2 --c-rest 3/10 --present 1,2 --teacher 1,1/2" in text


def test_a_ridgeless_problem_and_floats_have_reports():
    text = Page(tc.report(tc.Problem("relu", "H1", "1/2", "2/3", 0), n=100, alpha=0.1).html).text
    assert "finite step needs ridge > 0" in text
    text = Page(tc.report(tc.Problem("relu", "H1", 0.5, "2/3", "1/10"), n=100, alpha=0.1).html).text
    assert "No digits are proven, since the problem has binary floats in it" in text


def test_infinite_losses_are_reported():
    """At λ = 0 and N = n: what cannot be drawn is said, and the rest is there."""
    page = tc.report(tc.Problem("relu", "H1 + H2/2", 1, 1, 0)).html
    assert "The picture of the staircase cannot be shown: test_gain is infinite" in page
    assert "nan" not in re.sub("<style>.*?</style>|font[^;]*", "", page, flags=re.S).lower().split()


def summary(problem, run=None):
    found = tc.predict(problem, ell=1)
    finite = tc.step(problem, n=60, alpha="1/10")
    table, *remarks = sections.in_short(problem, sizes_of(problem, 60), 0.1, found, finite, "residual", run)[1:]
    return table, " ".join(str(part) for remark in remarks for part in remark.text)


def test_the_summary_has_error_rates_where_labels_are_signs():
    problem = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")
    run = tc.simulate(problem, n=60, alpha=0.1, replicates=2)
    table, _ = summary(problem, run)
    assert table.titles[-1] == ("share of wrong signs",)
    limits = ((0, "theorem"), (1, "theorem"), (1, "literal"))
    rates = [tc.error_rate(problem, ell=ell, network=network).error_rate for ell, network in limits]
    rates.append(tc.error_rate(problem, n=60, alpha="1/10").error_rate)
    assert [row[-1] for row in table.rows[:4]] == [(Digits(f"{rate:.6g}"),) for rate in rates]
    assert f"{run.rows[0]['error_rate']:.2g}" in str(table.rows[4][-1])


def test_the_summary_says_why_there_are_no_error_rates():
    table, remarks = summary(tc.Problem("tanh", tc.Teacher.from_callable(np.sign), "1/2", "2/3", "1/10"))
    assert "Error rates cannot be shown: the teacher is ±1, and an error rate needs the places" in remarks
    plain, remarks = summary(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"))
    assert len(table.titles) == len(plain.titles) == 6
    assert "cannot be shown" not in remarks

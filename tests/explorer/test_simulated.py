"""Networks that the page trains: those of the library's simulation, draw by draw."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.explorer.answers import answer
from theorycalc.explorer.fields import case_of
from theorycalc.explorer.simulated import DRAWS
from theorycalc.results.quantities import COLUMNS

FIELDS = {"n": "60", "alpha": "1/5", "gradient": "labels"}


def test_the_draws_are_those_of_a_simulation():
    found = answer("simulate", FIELDS | {"draws": 4})
    run = tc.simulate(case_of(FIELDS).problem, n=60, alpha="1/5", gradient="labels", replicates=4)
    compared = tc.compare(run)
    assert found["verdict"] == compared.verdict_text
    expected = [(row["quantity"], row["observed"], row["standard_error"], row["predicted"]) for row in compared.rows]
    shown = [(row["words"], row["observed"], row["error"], row["predicted"]) for row in found["rows"]]
    assert shown == [(COLUMNS[name].heading, *values) for name, *values in expected]
    assert [row["z"] is None for row in found["rows"]] == [not row["judged"] for row in compared.rows]


def test_more_draws_begin_with_the_same_ones():
    two, three = (answer("simulate", FIELDS | {"draws": draws})["rows"][0]["observed"] for draws in (2, 3))
    third = tc.simulate(case_of(FIELDS).problem, n=60, alpha="1/5", gradient="labels", replicates=3).draws[-1]
    assert 3 * three - 2 * two == pytest.approx(third["train_loss_initial"])


def test_without_a_theory_the_means_are_shown():
    found = answer("simulate", FIELDS | {"ridge": "0", "draws": 2})
    assert found["verdict"].startswith("no theory to compare with: a finite step needs ridge > 0")
    assert {row["words"] for row in found["rows"]} >= {"test loss", "test gain"}
    assert "predicted" not in found["rows"][0]


@pytest.mark.parametrize("draws", [None, 1, DRAWS + 1, "many", 2.5, True])
def test_other_numbers_of_draws_are_refused(draws):
    assert f"whole number from 2 to {DRAWS}" in answer("simulate", FIELDS | {"draws": draws})["error"]["message"]


def test_what_is_too_large_for_a_page_is_refused():
    assert "too large for this page: one draw takes" in answer("simulate", {"n": "100000", "draws": 2})["refused"]
    assert answer("simulate", {"n": "many", "draws": 2})["error"]["field"] == "n"

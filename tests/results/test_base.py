"""Rows, equality, the layout of JSON, repr and the tables of notebooks are the same for all results."""

from __future__ import annotations

import copy
import csv
import dataclasses
import io
import json
import math
import pickle
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.results import COMPARED_ROW, MAKERS, SIZES, compared, made
from theorycalc.comparison.verdict import Comparison
from theorycalc.results.base import same_value
from theorycalc.results.quantities import INPUTS, QUANTITIES
from theorycalc.results.table import Table, columns_of

every = pytest.mark.parametrize("name", MAKERS)


@every
def test_rows_are_plain(name):
    rows = made(name).rows
    assert isinstance(rows, tuple)
    assert rows
    assert {tuple(row) for row in rows} == {tuple(rows[0])}  # one set of columns
    for row in rows:
        assert {type(value) for value in row.values()} <= {int, float, str, bool, type(None)}
        assert not any(isinstance(value, float) and math.isnan(value) for value in row.values())


@pytest.mark.slow
@every
def test_the_same_call_is_equal_and_another_ridge_is_not(name):
    first, again, other = made(name), MAKERS[name]("1/10"), MAKERS[name]("1/5")
    assert first is not again
    assert first == again
    assert first != other
    assert first != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(first)


@every
def test_a_copy_is_equal(name):
    assert pickle.loads(pickle.dumps(made(name))) == made(name)
    assert copy.deepcopy(made(name)) == made(name)


def test_a_result_that_is_no_number_is_refused():
    found = made("prediction")
    for lost in (math.nan, np.array([1.0, np.nan])):
        with pytest.raises(tc.PrecisionError, match="rounding leaves no digits of test_loss"):
            dataclasses.replace(found, test_loss=lost)
    assert dataclasses.replace(found, test_loss=math.inf).test_loss == math.inf


@every
def test_one_layout(name):
    found = made(name)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    keys = ["theorycalc", "kind", "inputs", "guarantee", "digits", "conditions", "notes"]
    assert list(data)[:7] == keys
    assert list(data)[-1] == "rows"
    assert (data["theorycalc"], data["kind"]) == (tc.__version__, name.partition(",")[0])
    assert len(data["rows"]) == len(found.rows)
    assert [list(row) for row in data["rows"]] == [list(row) for row in found.rows]
    assert all(set(condition) == {"statement", "holds"} for condition in data["conditions"])
    assert not set(data["rows"][0]) & {"activation", "teacher"} & set(data["inputs"])


@every
def test_csv_has_the_columns_of_the_rows(name):
    found = made(name)
    read = list(csv.DictReader(io.StringIO(Table("", columns_of(found.rows)).csv())))
    assert [list(row) for row in read] == [list(row) for row in found.rows]
    for row, cells in zip(found.rows, read, strict=True):
        for column, value in row.items():
            assert cells[column] == ("" if value is None else value if isinstance(value, str) else repr(value))


@every
def test_text_and_html_say_the_same(name):
    found = made(name)
    table = found.table()
    assert repr(found) == table.text()
    assert repr(found).splitlines()[0] == table.title
    shown_html = found._repr_html_()
    assert shown_html.startswith("<table><caption>")
    assert shown_html.count("<tr>") == len(table.lines)
    assert not any(f"{letter}_{index}" in shown_html for letter in "mLEc" for index in ("1", "2", "te", "tr"))


@every
def test_no_number_has_seventeen_digits_unless_it_is_proven(name):
    found = made(name)
    digits = max(len(word.strip("-0.").replace(".", "")) for word in repr(found).split() if word[-1:].isdigit())
    if getattr(found, "digits", None):
        assert digits >= found.digits - 2  # a zero at the end is not written
    else:
        assert digits <= 10
        assert "e-1" not in repr(found).partition("numerics")[0]


def test_rows_have_the_numbers_and_inputs_of_their_point():
    found = made("prediction, many")
    assert [(row["noise"], row["ridge"]) for row in found.rows] == [
        (noise, ridge) for noise in (0.0, 1.0, 0.5) for ridge in (0.1, 1.0)
    ]
    for name in QUANTITIES:
        assert [row[name] for row in found.rows] == getattr(found, name).ravel().tolist()
    one = tc.predict(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", 1, noise=1), ell=1).rows[0]
    assert {name: found.rows[3][name] for name in INPUTS.keys() & one.keys()} == {
        name: one[name] for name in INPUTS.keys() & one.keys()
    }
    assert found.rows[3]["test_gain"] == pytest.approx(one["test_gain"], rel=1e-14)
    steps = made("step, many")
    assert [(row["eta"], row["ridge"]) for row in steps.rows] == [(1.0, 0.1), (1.0, 1.0), (5.0, 0.1), (5.0, 1.0)]
    assert [row["train_error"] for row in steps.rows] == steps.train_error.ravel().tolist()
    assert {(row["n"], row["d"], row["N"], row["phi"]) for row in steps.rows} == {(120, 60, 90, 0.5)}


def test_proven_rows_are_text_with_all_digits():
    found = made("prediction, proven")
    assert [row["ridge"] for row in found.rows] == ["1/10", "2/7"]
    for row, gain in zip(found.rows, found.test_gain, strict=True):
        assert row["test_gain"] == str(gain)
        with mpmath.workdps(45):
            assert mpmath.mpf(row["test_gain"]) == pytest.approx(mpmath.mpf(gain), rel=1e-39)
    assert made("step, proven").rows[0]["test_gain"] == str(made("step, proven").test_gain)


def test_infinity_is_a_number_in_rows_and_text_in_json():
    found = tc.predict(tc.Problem("relu", "H1", 1, 1, 0), ell="inf")
    assert (found.rows[0]["test_loss"], found.rows[0]["ell"]) == (math.inf, math.inf)
    data = found.to_dict()["rows"][0]
    assert (data["test_loss"], data["ell"], data["m1_slope"]) == ("inf", "inf", "-inf")
    assert "∞" in repr(found)


def test_rows_of_a_staircase_are_those_of_its_predictions():
    found = made("staircase")
    steps = (*found.predictions, found.ceiling)
    assert found.rows == tuple(row for step in steps for row in step.rows)


def test_a_spectrum_has_its_spikes_and_outliers_in_rows():
    found = made("spectrum, pencil")
    kinds = [row["kind"] for row in found.rows]
    assert kinds.count("outlier") == len(found.outliers)
    assert [row["power"] for row in found.rows if row["kind"] == "spike"] == list(found.spikes)
    assert [row["strength"] for row in found.rows if row["kind"] == "spike"] == found.strengths.tolist()
    assert next(row for row in found.rows if row["kind"] == "outlier")["overlap_1"] == found.alignments[0, 1]
    assert (found.edge_after, "edge_after" in kinds) == (None, False)


def test_a_spectrum_has_the_edge_after_its_step():
    found = made("spectrum, step")
    (edge,) = [row for row in found.rows if row["kind"] == "edge_after"]
    assert edge["high"] == found.edge_after > found.edges[-1][1]
    assert (found.spikes, found.strengths, found.notes) == (None, None, ())
    assert found.to_dict()["edge_after"] == found.edge_after
    assert "upper edge of the bulk after the step" in repr(found)


def test_the_limit_of_a_step_is_at_its_ridges():
    found = tc.step(PROBLEM, **SIZES, alpha="3/10", ridge=[0.2, 0.4])
    assert found.limit.test_gain.tolist() == pytest.approx(
        [tc.predict(PROBLEM, alpha="3/10", ridge=ridge, network="literal").test_gain for ridge in (0.2, 0.4)]
    )
    assert found.to_dict()["limit"]["rows"][1]["ridge"] == 0.4


def test_inputs_are_exact_and_leave_out_what_varies():
    assert tc.predict(PROBLEM, ell=1, ridge="1/3", digits=20).to_dict()["inputs"]["ridge"] == "1/3"
    assert tc.predict(PROBLEM, ell=1).to_dict()["inputs"]["ridge"] == "1/10"
    varied = tc.predict(PROBLEM, ell=1, ridge=[1, 2]).to_dict()
    assert "ridge" not in varied["inputs"]
    assert [row["ridge"] for row in varied["rows"]] == [1.0, 2.0]
    assert made("step").to_dict()["inputs"]["ridge"] == "1/10"
    assert tc.step(PROBLEM, **SIZES, eta=1, ridge=0.25).to_dict()["inputs"]["ridge"] == 0.25
    assert made("step, many").to_dict()["inputs"]["gradient"] == "labels"


def test_values_are_compared_as_numbers():
    assert same_value(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    assert not same_value(np.array([1.0]), np.array([1.0, 1.0]))
    assert not same_value(np.array([1.0, 2.0]), 1.0)
    assert same_value(np.array([mpmath.mpf(1)], dtype=object), np.array([mpmath.mpf(1)], dtype=object))
    assert not same_value({"a": 1}, {"b": 1})
    assert same_value(tc.predict(PROBLEM, alpha="3/10").alpha, tc.predict(PROBLEM, alpha="0.3").alpha)
    assert tc.predict(PROBLEM, ell=1) != tc.predict(PROBLEM, ell=1, network="literal")
    assert tc.predict(PROBLEM, ell=1, digits=30) != tc.predict(PROBLEM, ell=1, digits=40)


def test_a_comparison_needs_no_problem():
    bare = Comparison((COMPARED_ROW,), 0.01, ())
    assert bare.to_dict()["inputs"] == {}
    assert bare.to_dict()["rows"][0]["z"] == "-inf"
    assert bare != compared()


def test_another_kind_is_never_equal():
    assert made("prediction") != SimpleNamespace(rows=made("prediction").rows)
    assert made("prediction") != made("staircase")

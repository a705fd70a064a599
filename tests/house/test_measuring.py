"""What measures must fail on what is wrong: the audit, the load, the marks on pages and the emptied caches."""

from __future__ import annotations

import functools
import gc
import itertools
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import theorycalc as tc
from benchmarks import audit, audit_digits, audit_problems, load, pages, timing
from theorycalc.model.enums import FirstLayer, GradientTarget, SecondLayer

CASE = {
    "activation": "tanh", "coefficients": None, "c1": 1.0, "c_rest": 1.0, "present": None, "teacher": [1.0, 0.5],
    "phi": 0.5, "psi": 0.6, "ridge": 0.1, "noise": 0.5, "network": "residual", "first_layer": "gaussian",
    "second_layer": "sign", "step_samples": None, "ell": 3,
}  # fmt: skip


@pytest.mark.parametrize("factor", [1 + 1e-13, 2.0])
def test_the_audit_sees_an_array_that_is_wrong(monkeypatch, factor):
    assert max(audit.errors(CASE).values()) <= audit.CLAIM
    right = tc.predict

    def wrong(problem, ridge=None, **options):
        found = right(problem, ridge=ridge, **options)
        return found if ridge is None else replace(found, m2=found.m2 * factor)

    monkeypatch.setattr(tc, "predict", wrong)
    errors = audit.errors(CASE)
    assert errors["m2"] > audit.CLAIM
    assert max(error for name, error in errors.items() if name != "m2") <= audit.CLAIM


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["log-uniform", "corners"])
def test_the_audit_draws_all_options_together(kind):
    rng = np.random.default_rng(0)
    drawn = [audit_problems.draw(rng, kind) for _ in range(4000)]
    names = ("first_layer", "second_layer", "network")
    assert {tuple(case[name] for name in names) for case in drawn} == set(
        product(FirstLayer, SecondLayer, ("theorem", *GradientTarget))
    )
    assert {case["activation"] for case in drawn} == {None, *audit_problems.names()}


def test_too_many_refusals_are_a_failure():
    row = {"problems": 200, "refused": 2, "right": 100, "unrounded": 1, "wrong digit": 0, "outside": 0}
    assert audit_digits.failures_of(row) == []
    assert audit_digits.failures_of(row | {"refused": 3}) == ["3 of 200 refused"]
    assert audit_digits.failures_of(row | {"outside": 1}) == ["1 outside"]


def test_a_coefficient_that_is_wrong_is_a_failure():
    lines, failures = audit.coefficient_lines({"relu": (1.1e-16, 2), "tanh": (1.0, 4)})
    assert failures == ["coefficients of tanh: 1.0e+00"]
    assert "1.0e+00, of c_4 of tanh" in " ".join(lines)


def test_results_are_kept_for_their_versions_only(monkeypatch, tmp_path):
    monkeypatch.setattr(audit_digits, "FOLDER", tmp_path)
    numbers = itertools.count()

    def kept(made_by):
        return audit_digits.kept("one", {}, lambda: {"a": next(numbers)}, (made_by,))

    assert [kept("audit"), kept("audit"), kept("audit_digits")] == [{"a": 0}, {"a": 0}, {"a": 1}]
    monkeypatch.setattr(audit_digits, "version", lambda package: "another")
    audit_digits.fingerprint.cache_clear()
    assert kept("audit_digits") == {"a": 2}
    audit_digits.fingerprint.cache_clear()


def test_the_load_sees_growth_and_a_worker_that_was_replaced():
    before = {"objects of the page": 2.0, "nodes of the page (number)": 1500, "server": 40.0, "steady worker 12": 200.0}
    assert load.growth(before, before | {"server": 49.0, "nodes of the page (number)": 1590})[1] == []
    assert load.growth(before, before | {"server": 51.0})[1] == ["server grew from 40.0 to 51.0"]
    assert load.growth(before, before | {"objects of the page": 3.5})[1] == ["objects of the page grew from 2.0 to 3.5"]
    other = {name: value for name, value in before.items() if "steady" not in name} | {"steady worker 13": 1.0}
    assert load.growth(before, other)[1] == ["a steady worker was replaced"] * 2
    assert len({tuple(load.state(i).values()) for i in range(load.WARM + load.UPDATES)}) == load.WARM + load.UPDATES


def test_a_table_replaces_the_one_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- speed -->\nold\n<!-- end -->\nb\n<!-- load -->\nkept\n<!-- end -->\n", encoding="utf-8")
    pages.write_between(page, "speed", ["new", "lines"])
    text = "a\n<!-- speed -->\n\nnew\nlines\n\n<!-- end -->\nb\n<!-- load -->\nkept\n<!-- end -->\n"
    assert page.read_text(encoding="utf-8") == text
    with pytest.raises(ValueError, match="substring not found"):
        pages.write_between(page, "other", [])


def test_nothing_is_remembered_after_forgetting():
    def remembered():
        caches = [found for found in gc.get_objects() if isinstance(found, functools._lru_cache_wrapper)]
        ours = [found for found in caches if str(found.__module__).startswith("theorycalc.")]
        return {found.__qualname__ for found in ours if found.cache_info().currsize and "<lambda>" not in str(found)}

    tc.coefficients("tanh(x + 1)", 20, digits=30)
    assert {"_tails", "coefficients_balls"} <= remembered()
    timing.forget()
    assert remembered() == set()


def test_both_sides_are_called_before_they_are_timed():
    calls = []
    found = timing.ratio("a", "b", lambda: calls.append("ours"), lambda: calls.append("theirs"), rounds=2)
    assert calls == ["ours", "theirs"] * 3
    assert found.lowest <= found.median <= found.highest

"""Losses of finite steps on clean labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.results.clean_steps import clean_losses, learned_by_pencil, proven_clean
from theorycalc.theory.pencil.numerics import pencil_of

PROBLEM = tc.Problem(
    "tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", corrupt_step="3/10", corrupt_fit="3/10"
)


def test_clean_labels_have_none_of_it():
    clean = tc.step(replace(PROBLEM, corrupt_fit=0), n=600, alpha="0.3", gradient="labels")
    assert clean.test_gain_clean is None
    assert clean_losses(PROBLEM, "labels", np.ones(1), np.ones(1), None) == {}
    pencil = pencil_of(replace(PROBLEM, corrupt_fit=0), 450, "labels")
    assert learned_by_pencil(pencil, np.ones(1), np.ones(1), np.ones(1)) is None
    assert proven_clean(pencil, lambda: None, 2, 10, 0) == {}


@pytest.mark.parametrize("method", ["dressed", "isotropic", "pencil"])
def test_before_the_step_it_is_the_limit(method):
    found = tc.step(PROBLEM, n=600, eta=0, gradient="labels", method=method)
    limit = tc.predict(PROBLEM, ell=0)
    assert found.test_loss_clean_initial == pytest.approx(limit.test_loss_clean_initial, rel=1e-12)
    assert found.test_gain_clean == pytest.approx(0, abs=1e-12)


def test_far_steps_gain_what_the_limit_gains():
    problem = replace(PROBLEM, intercept=True)
    limit = tc.predict(problem, ell=2)
    far = tc.step(problem, n=10**24, alpha="0.3", gradient="labels", method="pencil")
    assert far.test_gain_clean == pytest.approx(limit.test_gain_clean, rel=5e-4)


def test_losses_are_in_rows_and_proven_by_the_pencil():
    how = {"n": 600, "alpha": "1/4", "gradient": "labels", "method": "pencil"}
    proven, rounded = (tc.step(PROBLEM, **how, digits=digits) for digits in (12, None))
    assert rounded.rows[0]["test_gain_clean"] == rounded.test_gain_clean
    for name in ("test_loss_clean_initial", "test_loss_clean", "test_gain_clean"):
        assert float(getattr(proven, name)) == pytest.approx(getattr(rounded, name), rel=1e-10)


def test_labels_that_tell_nothing_have_no_clean_gain_but_a_cost():
    found = tc.step(replace(PROBLEM, corrupt_fit=1), n=600, alpha="0.3", gradient="labels")
    assert found.test_gain_clean == pytest.approx(found.test_gain)
    assert found.test_gain < 0


def test_tables_of_several_steps_have_clean_losses_and_count_steps():
    problem = tc.Problem("relu", "H1", n=60, d=30, N=40, ridge="1/10", corrupt_fit="3/10", steps=3)
    several = repr(tc.step(problem, eta=[1, 2], gradient="labels"))
    assert "clean test loss  clean test gain" in several
    assert repr(tc.step(problem, eta=1, gradient="labels")).startswith("3 steps of a network")

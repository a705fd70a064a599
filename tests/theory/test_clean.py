"""Losses on clean labels: their sum of positive terms, its reductions, and its meaning for one draw of features."""

from __future__ import annotations

from math import factorial

import pytest

import theorycalc as tc
from tests.helpers.problems import CASE, TEACHER, problem
from theorycalc.theory.clean import clean_gain, clean_loss

OPTIONS = [{"corrupt_fit": "3/10"}, {"flip_fit": "1/5"}, {"flip_fit": "9/10"}, {"corrupt_fit": 1}]


@pytest.mark.checks("Lambda_clean", "test_loss_clean")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("layer", ["sphere", "gaussian"])
def test_the_sum_is_the_loss_on_corrupted_labels_less_what_corruption_adds(options, layer):
    """L_clean = L_te − 2a(1 − a)(c_⋆² − W), with W from the training losses of clean labels without noise."""
    case = {**CASE, "first_layer": layer}
    corrupted = tc.Problem("relu", TEACHER, **case, **options)
    found, clean = (tc.predict(one, ell=4, digits=30) for one in (corrupted, tc.Problem("relu", TEACHER, **case)))
    a, weight = float(corrupted.fit_fidelity), 2 / 15 * float(clean.m1)  # λs, that of noise in a training loss
    energy, noise = sum(1 / factorial(k) for k in range(1, 5)), 0.25
    for loss, told, train in (
        (found.test_loss_clean_initial, found.test_loss_initial, clean.train_loss_initial),
        (found.test_loss_clean, found.test_loss, clean.train_loss),
    ):
        W = float(train) / weight - noise
        assert float(loss) == pytest.approx(float(told) - 2 * a * (1 - a) * (energy - W), rel=1e-12)
    difference = found.test_loss_clean_initial - found.test_loss_clean
    assert float(difference) == pytest.approx(float(found.test_gain_clean), abs=1e-25)


@pytest.mark.checks("Lambda_clean", "test_loss_clean")
def test_both_forms_number_systems_and_no_ridge():
    corrupted = problem("relu", TEACHER, corrupt_fit="2/5", corrupt_step="1/10", intercept=True)
    closed, matrix, proven = (tc.predict(corrupted, ell=4, **how) for how in ({}, {"form": "matrix"}, {"digits": 20}))
    for name in ("test_loss_clean_initial", "test_loss_clean", "test_gain_clean"):
        assert getattr(closed, name) == pytest.approx(getattr(matrix, name), rel=1e-12)
        assert getattr(closed, name) == pytest.approx(float(getattr(proven, name)), rel=1e-14)
    for psi in ("1/3", "1/2", "2/3"):
        limit = tc.predict(corrupted, ell=2, ridge=0, psi=psi)
        near = tc.predict(corrupted, ell=2, ridge="1e-12", psi=psi)
        if psi != "1/2":
            assert limit.test_loss_clean == pytest.approx(near.test_loss_clean, rel=1e-5)
            assert limit.test_gain_clean == pytest.approx(near.test_gain_clean, rel=1e-5)
        else:
            assert limit.test_loss_clean == float("inf")


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize("options", [{"flip_fit": "1/2"}, {"corrupt_fit": 1}], ids=str)
def test_labels_that_tell_nothing_are_noise_of_infinite_weight_at_the_threshold_without_a_ridge(options, digits):
    found = tc.predict(problem("relu", TEACHER, **options), ell=2, ridge=0, psi="1/2", digits=digits)
    assert found.test_loss_clean_initial == found.test_loss_clean == float("inf")
    assert found.test_gain == found.test_gain_clean == 0


@pytest.mark.parametrize("options", [{"corrupt_fit": "1e-12"}, {"flip_fit": "1e-9"}], ids=str)
def test_a_little_corruption_is_not_rounded(options):
    """Where nearly all of a linear teacher is learned, what the corruption of 1e-12 of the labels costs is seen."""
    case = tc.Problem("selu", "H1", "1/600", "1/600", "1e-13", **options)
    rounded, proven = (tc.predict(case, ell=3, digits=digits) for digits in (None, 30))
    for name in ("test_loss_clean_initial", "test_loss_clean", "test_gain_clean"):
        assert getattr(rounded, name) == pytest.approx(float(getattr(proven, name)), rel=2e-14)


def test_reductions():
    assert clean_loss(0.5, 0.25, 0.75, 0, 1.5, 0, 1) == 1 + 0.5  # nothing is told: the teacher itself, and noise
    assert clean_gain(0.5, 2, 1, 0) == 0.5
    slight = tc.predict(problem(corrupt_fit="1e-9"), ell=2)
    assert slight.test_loss_clean == pytest.approx(slight.test_loss, rel=1e-8)
    assert tc.predict(problem(corrupt_step="1/2"), ell=2).test_loss_clean is None


@pytest.mark.slow
def test_results_show_them_where_labels_are_corrupted():
    found = tc.predict(problem(corrupt_fit="1/5"), ell=2)
    assert "test loss gained on clean labels" in repr(found)
    assert "L_{\\mathrm{clean}}" in found._repr_latex_()
    assert found.rows[0]["test_loss_clean"] == found.test_loss_clean
    over, quantities = {"corrupt_fit": ["0", "1/5"], "ell": [2]}, ["test_loss", "test_loss_clean"]
    rows = tc.sweep(problem(), over=over, quantities=quantities).rows
    assert rows[0]["test_loss_clean"] == rows[0]["test_loss"]
    assert rows[1]["test_loss_clean"] == found.test_loss_clean

"""Numbers and arrays as other libraries have them, and whole numbers written as floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.columns import COLUMNS, Column, Gradient
from tests.helpers.problems import problem
from theorycalc.numbers.exact import as_numpy, listed, read, whole

RIDGES = [0.1, 0.2, 0.4]


@COLUMNS
def test_limits_take_columns_of_data_frames(column):
    expected = tc.predict(problem(), ell=2, ridge=RIDGES).test_gain
    assert np.array_equal(tc.predict(problem(), ell=2, ridge=column(RIDGES)).test_gain, expected)
    exact = tc.predict(problem(), ell=2, ridge=["1/10", "1/5"], digits=20).test_gain
    assert np.array_equal(tc.predict(problem(), ell=2, ridge=column(["1/10", "1/5"]), digits=20).test_gain, exact)
    moments = {"phi": 1, "psi": 1, "c1": 1, "c_rest": 1}
    assert np.array_equal(tc.traces(ridge=column(RIDGES), **moments).m1, tc.traces(ridge=RIDGES, **moments).m1)


@COLUMNS
def test_networks_take_columns_of_data_frames(column):
    case = problem("tanh")
    expected = tc.step(case, n=100, eta=[1, 2, 3], ridge=RIDGES)
    found = tc.step(case, n=100, eta=column([1, 2, 3]), ridge=column(RIDGES))
    assert np.array_equal(found.test_gain, expected.test_gain)
    assert np.array_equal(tc.step(case, n=100, alpha=column([0.1])).eta, [100**0.1])
    run = tc.simulate(case, n=20, eta=column([1, 2]), ridge=column(RIDGES), replicates=2)
    assert [step.eta for step in run.settings.steps_taken] == [1, 2]
    assert run.settings.ridges == tuple(RIDGES)


@COLUMNS
def test_grids_teachers_and_activations_take_columns_of_data_frames(column):
    found = tc.sweep(problem(), over={"ell": column([1, 2]), "ridge": column(RIDGES)})
    expected = tc.sweep(problem(), over={"ell": [1, 2], "ridge": RIDGES})
    assert np.array_equal(found["test_gain"], expected["test_gain"])
    assert problem(teacher=column([1.0, 0.5])).teacher.coefficients == (1, 0.5)
    assert tc.Activation.from_coefficients(column([1.0, 0.5])).present == (1, 2)
    assert tc.spectrum(problem()).density(np.array(column([0.5, 1.0]))).shape == (2,)
    assert tc.weight_spectrum(problem()).density(np.array(column([0.5, 1.0]))).shape == (2,)


def test_columns_are_not_one_number():
    with pytest.raises(tc.ArgumentError, match=r"a Problem is one case; pass an array to predict\(problem, ridge=…\)"):
        problem(ridge=Column(RIDGES))
    with pytest.raises(tc.DomainError, match="ridge of type Gradient is not an array numpy can read: use tensor"):
        tc.predict(problem(), ell=1, ridge=Gradient([1.0]))
    with pytest.raises(tc.ArgumentError, match="eta is an array of 2 dimensions; give a list"):
        tc.simulate(problem("tanh"), n=20, eta=Column([[1.0, 2.0]]))
    missing = pytest.importorskip("pandas").Series([1, None], dtype="Int64")
    with pytest.raises(tc.DomainError, match=r"ridge\[1\]=(nan|<NA>) .*is not a"):
        tc.predict(problem(), ell=1, ridge=missing)
    with pytest.raises(tc.DomainError, match="ridge is an array of bool, not of real numbers"):
        tc.predict(problem(), ell=1, ridge=Column([True]))


def test_arrays_without_axes_are_numbers():
    assert read(Column(0.25), "ridge") == 0.25
    assert read(Column(3), "ridge") == Fraction(3)
    assert as_numpy("1/2", "ridge") == "1/2"
    assert listed(Column([1, 2]), "n") == [1, 2]
    with pytest.raises(tc.DomainError, match="of type Column is not a number that can be read"):
        read(Column("one"), "ridge")


@pytest.mark.parametrize("n", [1e2, np.int32(100), np.float32(100), np.array(100), Fraction(100), sp.Integer(100)])
def test_sizes_may_be_written_as_floats(n):
    assert tc.step(problem("tanh"), n=n, eta=1).sizes == (100, 50, 75)
    assert tc.Problem("tanh", "H1", n=n, d=50.0, N=75, ridge=1).phi == Fraction(1, 2)
    assert whole(n, "n", "a positive whole number") == 100


@pytest.mark.slow
def test_whole_numbers_elsewhere_may_be_written_as_floats():
    assert tc.predict(problem("tanh(x + 1)"), ell=2.0, digits=20.0).ell == 2
    assert tc.simulate(problem("tanh"), n=2e1, d=10.0, N=15.0, eta=1, replicates=2.0, seed=3.0).settings.seed == 3
    assert len(tc.coefficients("relu", 4.0)) == 5
    assert tc.window_bounds(2.0) == (Fraction(1, 4), Fraction(1, 3))
    assert tc.best_step(problem("erf"), n=1e2).eta == tc.best_step(problem("erf"), n=100).eta


@pytest.mark.parametrize(
    "n",
    [1000.5, 0.0, -2.0, float("nan"), float("inf"), True, "1000", None, [1000], 1j, pytest.param(10**5000, id="huge")],
)
def test_what_is_no_whole_number_is_refused(n):
    with pytest.raises(tc.DomainError, match=r"^n[= ]"):
        whole(n, "n", "a positive whole number", high=10**6)


def test_a_float_that_stands_for_several_whole_numbers_is_refused():
    assert [whole(x, "n", "a number") for x in (2.0**53 - 1, 1e16, 1e22)] == [2**53 - 1, 10**16, 10**22]
    with pytest.raises(tc.DomainError, match=r"stands for several whole numbers: write 99999999999999991611392$"):
        whole(1e23, "n", "a number")

"""Numbers and arrays as other libraries have them, and whole numbers written as floats."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.numbers.exact import as_numpy, listed, read, whole

RIDGES = [0.1, 0.2, 0.4]


class Column:
    """The least that a data frame's column has: values that numpy can read, and neither ndim nor arithmetic."""

    def __init__(self, values):
        self._values = np.asarray(values)
        self.shape = self._values.shape

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


class Gradient(Column):
    """A tensor that asks to be detached first."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("use tensor.detach().numpy()")


def series(values):
    return pytest.importorskip("pandas").Series(values, index=[7, 8, 9][: len(values)], name="ridge")


COLUMNS = pytest.mark.parametrize("column", [Column, series, np.array, tuple])


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


def test_columns_are_not_one_number():
    with pytest.raises(tc.ArgumentError, match=r"a Problem is one case; pass an array to predict\(problem, ridge=…\)"):
        problem(ridge=Column(RIDGES))
    with pytest.raises(tc.DomainError, match="ridge of type Gradient is no array that numpy can read: use tensor"):
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


@COLUMNS
def test_a_staircase_of_some_windows(column):
    found = tc.staircase(problem("tanh(x + 1)"), ell=column([4, 1, 2]))
    whole_one = tc.staircase(problem("tanh(x + 1)"), ell=4)
    assert [row["ell"] for row in found.rows] == [1, 2, 4]
    assert found.rows == tuple(row for row in whole_one.rows if row["ell"] in (1, 2, 4))
    assert tc.staircase(problem("tanh(x + 1)"), ell=[1, "inf"]).ceiling.test_gain == whole_one.ceiling.test_gain


def test_a_staircase_of_some_windows_is_drawn_with_gaps():
    axes = tc.staircase(problem("tanh(x + 1)"), ell=[1, 2, 4]).plot().axes[0]
    line = next(line for line in axes.lines if line.get_gid() == "test_gain")
    assert np.isnan(line.get_ydata()).tolist() == [False, False, True, False]
    assert line.get_xdata().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("ell", "message"),
    [
        ([], "ell is empty"),
        (["inf"], "at least one finite ℓ"),
        ([1, 201], "none above 200"),
        ([1.5], "ell=1.5 must be a whole number"),
        ([[1, 2]], "ell="),
        (np.ones((2, 2)), "ell is an array of 2 dimensions; give a list"),
    ],
)
def test_a_staircase_of_no_windows_is_refused(ell, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.staircase(problem(), ell=ell)


def test_a_ceiling_that_is_asked_for_must_exist():
    cubic = tc.Activation.from_callable(lambda x: np.tanh(x) + np.cos(x), present=(1, 2, 3))
    teacher = tc.Teacher.from_moments(["1", "1/2", "1/3"], second_moment=5)
    assert tc.staircase(problem("tanh(x + 1)", teacher), ell=[1, 2]).ceiling is None
    with pytest.raises(tc.DomainError, match="needs a covariance"):
        tc.staircase(problem("tanh(x + 1)", teacher), ell=[1, 2, "inf"])
    assert tc.staircase(problem(cubic), ell=[1, 3]).ceiling is None


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {"ell": [1, 2]},
            r"ell=\[1, 2\]: a Prediction is of one ℓ; tc.staircase\(problem, ell=\[1, 2\]\) predicts several",
        ),
        ({"ell": Column([1, 2])}, "a Prediction is of one ℓ"),
        ({"alpha": [0.1, 0.3]}, r"a Prediction is of one window; tc.sweep\(problem, over={'alpha': …}\) takes a list"),
    ],
)
def test_a_prediction_is_of_one_window(step, message):
    with pytest.raises(tc.ArgumentError, match=message):
        tc.predict(problem(), **step)

"""Grids of predictions: their axes, their values, and what is refused before any work."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.sweeps import PROBLEM, stop_after
from theorycalc.numbers.ranges import read_numbers
from theorycalc.sweeps import evaluation, grid, sweeping
from theorycalc.sweeps.grid import cut

NETWORK = dataclasses.replace(PROBLEM, activation="tanh(x + 1)")
RIDGES = np.geomspace(1e-6, 1, 7)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    monkeypatch.setattr(grid, "_STEPS_AT_ONCE", 5)


def test_every_value_is_that_of_predict(small_pieces):
    over = {"ridge": RIDGES, "activation": ["relu", "leaky_relu(0.1)"], "phi": "0.1:2:4", "ell": [0, 2, "inf"]}
    found = tc.sweep(PROBLEM, over, quantities=("test_gain", "m1", "train_loss"))
    assert found.shape == (7, 2, 4, 3)
    for (j, name), (m, ell) in itertools.product(enumerate(over["activation"]), enumerate(over["ell"])):
        problem = dataclasses.replace(PROBLEM, activation=name)
        wanted = tc.predict(problem, ell=ell, ridge=RIDGES[:, None], phi=found.axes["phi"])
        for quantity in ("test_gain", "m1", "train_loss"):  # both are within 1e-14 of the truth (docs/accuracy.md)
            np.testing.assert_allclose(found[quantity][:, j, :, m], getattr(wanted, quantity), rtol=2e-14, atol=0)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("activation", ["relu", tc.Activation.from_coefficients(["1/2", "1/3"])]),
        ("teacher", ["H1 + H2", ["1", "1/2"], tc.Teacher.from_text("tanh(x)")]),
        ("phi", [0.5, "1/3"]),
        ("psi", np.array([0.5, 2])),
        ("ridge", [0, "1/10"]),
        ("noise", [0, "1/2"]),
        ("first_layer", ["sphere", "gaussian"]),
        ("second_layer", ["gaussian", "sign", "constant"]),
        ("step_samples", ["1/2", 1, 2]),
    ],
)
def test_every_parameter_of_a_problem_may_vary(name, values):
    found = tc.sweep(PROBLEM, {name: values, "ell": 2}, quantities="test_loss")
    assert found.shape == (len(values), 1)
    for value, loss in zip(values, found["test_loss"][:, 0], strict=True):
        problem = dataclasses.replace(PROBLEM, **{name: value.item() if isinstance(value, np.generic) else value})
        assert loss == tc.predict(problem, ell=2).test_loss


def test_finite_steps_are_those_of_step(small_pieces):
    over = {"alpha": [0, 0.2, 0.4], "n": "100,200", "ridge": ["1/10", 1], "noise": ["0", "1/2"]}
    found = tc.sweep(NETWORK, over, quantities=("train_gain", "test_loss", "error", "converged"))
    assert found.shape == (3, 2, 2, 2)
    assert not found.reasons
    for (j, n), (m, noise) in itertools.product(enumerate((100, 200)), enumerate((0, "1/2"))):
        problem = dataclasses.replace(NETWORK, noise=noise)
        wanted = tc.step(problem, n=n, alpha=np.array([0, 0.2, 0.4])[:, None], ridge=[0.1, 1.0])
        for quantity in ("train_gain", "test_loss"):  # to the accuracy of the quadrature, which is chosen for all steps
            np.testing.assert_allclose(found[quantity][:, j, :, m], getattr(wanted, quantity), rtol=1e-8, atol=1e-9)
    assert found["error"].max() < 5e-9
    assert np.all(found["converged"] == 1)


def test_steps_by_eta_and_by_method():
    over = {"n": [200], "eta": [0, 0.5], "method": ["dressed", "pencil"]}
    found = tc.sweep(NETWORK, over, quantities=["test_gain"])
    for m, method in enumerate(over["method"]):
        wanted = tc.step(NETWORK, n=200, eta=[0, 0.5], method=method).test_gain
        np.testing.assert_allclose(found["test_gain"][0, :, m], wanted, rtol=1e-8, atol=1e-12)


def test_sizes_are_computed_from_exact_ratios():
    """φn = 1.5 rounds to 2; the float next to 0.15 would give 1."""
    found = tc.sweep(NETWORK, {"phi": "0.15", "psi": "0.5", "n": 10, "alpha": 0.1}, quantities=["test_loss"])
    case = dataclasses.replace(NETWORK, phi="0.15", psi="0.5")
    assert found["test_loss"][0, 0, 0, 0] == pytest.approx(tc.step(case, n=10, alpha=0.1).test_loss, rel=1e-8)


def test_alpha_on_a_boundary_has_a_reason_and_no_value(small_pieces):
    found = tc.sweep(PROBLEM, {"alpha": "0.05:0.45:9", "ridge": [0.1, 1]}, quantities=["test_gain"])
    gains = found["test_gain"]
    assert isinstance(gains, np.ma.MaskedArray)
    masked = [round(float(a), 2) for a, row in zip(found.axes["alpha"], gains.mask, strict=True) if row.all()]
    assert masked == [0.25, 0.4, 0.45]
    for alpha, row in zip(found.axes["alpha"], gains, strict=True):
        if not row.mask.any():
            assert np.array_equal(row, tc.predict(PROBLEM, alpha=float(alpha), ridge=[0.1, 1]).test_gain)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    without = [row for row in rows if row["test_gain"] == ""]
    assert [row["alpha"] for row in without] == ["0.25", "0.25", "0.4", "0.4", "0.45", "0.45"]
    assert all("on the boundary" in row["reason"] for row in without)
    assert all(row["reason"] == "" for row in rows if row["test_gain"])
    assert "6 without a value" in repr(found)
    xarray = pytest.importorskip("xarray")
    assert isinstance(found.to_dataset(), xarray.Dataset)
    assert np.isnan(found.to_dataset()["test_gain"].values).sum() == 6


def test_a_step_that_cannot_be_computed_leaves_the_others(small_pieces):
    steep = dataclasses.replace(NETWORK, activation="H1 + H4", teacher="H1")
    found = tc.sweep(steep, {"n": 1000, "eta": [0.1, 1e6], "ridge": [0.1, 1.0]}, quantities=["test_gain"])
    assert found["test_gain"].mask.tolist() == [[[False, False], [True, True]]]
    assert set(found.reasons) == {2, 3}
    assert "take a smaller step" in found.reasons[2]
    wanted = tc.step(steep, n=1000, eta=0.1, ridge=[0.1, 1.0]).test_gain
    np.testing.assert_allclose(found["test_gain"][0, 0], wanted, rtol=1e-8)
    assert found.rows[0]["reason"] is None


def test_windows_are_computed_once_for_all_their_alphas(monkeypatch):
    calls = []
    real = evaluation.predict
    monkeypatch.setattr(evaluation, "predict", lambda *a, **k: calls.append(k["ell"]) or real(*a, **k))
    found = tc.sweep(PROBLEM, {"alpha": np.linspace(0.01, 0.24, 100)}, quantities=["test_gain"])
    assert set(calls) == {1}
    assert len(calls) == 2  # once to try it
    assert np.ptp(found["test_gain"]) == 0


def test_infinite_losses_are_values(tmp_path):
    found = tc.sweep(PROBLEM, {"ell": 1, "ridge": [0, 1], "phi": "2/3"}, quantities=["test_loss"])
    assert found["test_loss"][0, 0, 0] == math.inf
    assert found.to_csv().splitlines()[1] == "1,0.0,0.6666666666666666,inf"
    assert found.to_dict()["rows"][0]["test_loss"] == "inf"
    json.dumps(found.to_dict(), allow_nan=False)


def test_no_value_without_a_reason(monkeypatch):
    @dataclasses.dataclass
    class Broken:
        test_gain: float = math.nan

    real = evaluation.predict
    monkeypatch.setattr(evaluation, "predict", lambda *a, **k: Broken() if k["ell"] == 2 else real(*a, **k))
    with pytest.raises(tc.SweepError, match="point 1 of the grid has no value") as stop:
        tc.sweep(PROBLEM, {"ell": [1, 2]}, quantities=["test_gain"])
    assert stop.value.sweep.done == 0


def test_rows_are_tidy():
    found = tc.sweep(PROBLEM, {"teacher": [["1", "1/2"], "H1"], "ell": "0:2:3"}, quantities=("test_gain", "test_loss"))
    rows = found.rows
    assert len(rows) == 6
    assert [(row["teacher"], row["ell"]) for row in rows[2:4]] == [("1,1/2", 2), ("H1", 0)]
    assert list(rows[0]) == ["teacher", "ell", "test_gain", "test_loss"]
    read = list(csv.reader(io.StringIO(found.to_csv())))
    assert read[0] == list(rows[0])
    assert [[row[0], int(row[1]), *map(float, row[2:])] for row in read[1:]] == [list(row.values()) for row in rows]


def test_a_dataset_has_the_grid():
    pytest.importorskip("xarray")
    found = tc.sweep(PROBLEM, {"activation": ["relu", "tanh"], "ell": [1, 2], "ridge": RIDGES})
    dataset = found.to_dataset()
    assert dict(dataset.sizes) == {"activation": 2, "ell": 2, "ridge": 7}
    chosen = dataset.sel(activation="tanh", ell=2)["test_gain"].values
    wanted = tc.predict(dataclasses.replace(PROBLEM, activation="tanh"), ell=2, ridge=RIDGES)
    assert np.array_equal(chosen, wanted.test_gain)


def test_without_xarray_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    found = tc.sweep(PROBLEM, {"ell": 1})
    with pytest.raises(tc.ArgumentError, match=r"theorycalc\[xarray\]"):
        found.to_dataset()


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({}, "over= names what varies"),
        ("ridge", "over= names what varies"),
        ({"rigde": [1], "ell": 1}, "'rigde' cannot vary; did you mean 'ridge'.*choose from activation, teacher, phi"),
        ({3: [1], "ell": 1}, "3 cannot vary; choose from"),
        ({"ridge": [1]}, "needs one of ell and alpha"),
        ({"ell": 1, "alpha": 0.1}, "needs one of ell and alpha"),
        ({"n": 100}, "needs one of alpha and eta"),
        ({"n": 100, "ell": 1}, "'ell' cannot vary with n"),
        ({"eta": 1, "ell": 1}, "'eta' cannot vary without n"),
        ({"ell": []}, "ell is empty"),
        ({"ell": 1, "ridge": []}, "ridge is empty"),
        ({"ell": 1, "ridge": np.array([])}, "ridge is empty"),
        ({"ell": 1, "ridge": [1, 1.0]}, "ridge has 1.0 twice"),
        ({"ell": [1, 2, 1]}, "ell has 1 twice"),
        ({"ell": 1, "activation": ["relu", "relu "]}, "activation has relu twice"),
        ({"ell": 1, "ridge": [0.1, -1]}, r"ridge\[1\]=-1"),
        ({"ell": 1, "ridge": [0.1, math.nan]}, "ridge"),
        ({"ell": 1, "ridge": np.ones((2, 2))}, "2 dimensions"),
        ({"ell": 1, "phi": "0:1:3"}, r"phi\[0\]=0"),
        ({"ell": 1, "phi": "1:2"}, "is not a range"),
        ({"ell": 1, "phi": "1:2:3:lin"}, "is not a range"),
        ({"ell": 1, "phi": "1:2:x"}, "phi='1:2:x': the third part of a range is the number of values"),
        ({"ell": 1, "phi": "1:2:10001"}, "phi='1:2:10001': the third part of a range is the number of values"),
        ({"ell": 1, "ridge": "0:2:3:log"}, "must be positive"),
        ({"ell": 1, "ridge": "1e-400:2:3:log"}, "ridge"),
        ({"ell": 1, "ridge": object()}, "not a number"),
        ({"ell": "two"}, "ell='two'"),
        ({"ell": 1.5}, "ell=1.5"),
        ({"ell": 1, "activation": ["relu", "sin(x"]}, "x"),
        ({"ell": 1, "activation": ["relu", "x**2"]}, "at ell=1, activation=x[*][*]2: .*c_1 = 0"),
        ({"ell": 1, "teacher": ["1", "1/2"]}, "one list of coefficients"),
        ({"ell": 1, "teacher": ["H1", 3]}, "neither a formula"),
        ({"ell": 1, "first_layer": "ball"}, "first_layer='ball'"),
        ({"ell": 1, "step_samples": [1, 0]}, "step_samples=0 must be positive"),
        ({"alpha": [0.25, 0.7]}, "no alpha has a window: alpha=0.25 is on the boundary"),
        ({"alpha": "x"}, "alpha='x' is not a number"),
        ({"n": 100, "alpha": 0.1, "ridge": [0, 1]}, "a finite step needs ridge > 0"),
        ({"n": [1, 100], "alpha": 0.1, "phi": "0.1"}, "at n=1, phi=.*: d = φn at n=1 rounds to 0"),
        ({"n": 100.5, "alpha": 0.1}, "n=100.5"),
        ({"n": 100, "alpha": [0.1, 1e9]}, "alpha=1000000000.0: the step"),
        ({"n": 100, "alpha": 0.1, "activation": tc.Activation.from_moments("1/2", "1/3")}, "needs the function"),
        (
            {"ell": 1} | {name: np.linspace(1, 2, 10**6) for name in ("phi", "psi", "noise")},
            "the grid has 10{18} points",
        ),
    ],
)
def test_bad_axes_are_refused_before_any_work(monkeypatch, over, message):
    monkeypatch.setattr(sweeping, "evaluate", None)
    with pytest.raises(tc.TheoryError, match=message):
        tc.sweep(PROBLEM, over)


def test_a_combination_without_a_value_is_named_before_any_work(monkeypatch):
    monkeypatch.setattr(sweeping, "evaluate", None)
    over = {"noise": [0, 0.5], "teacher": ["H1", "3"], "ell": [1, 2], "ridge": RIDGES}
    with pytest.raises(tc.DomainError, match="at teacher=3, ell=1: the teacher is zero and noise=0"):
        tc.sweep(PROBLEM, over)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantities": ["test_gian"]}, "'test_gian' is not one of m1, m2.*did you mean 'test_gain'"),
        ({"quantities": ["error"]}, "'error' is not one of m1"),
        ({"quantities": []}, "not a list of different names"),
        ({"quantities": ["m1", "m1"]}, "not a list of different names"),
        ({"quantities": 3}, "not a list of different names"),
        ({"quantities": [3]}, "3 is not one of"),
        ({"workers": 0}, "workers=0"),
        ({"executor": "pool"}, "executor is a str"),
        ({"resume": True}, "resume=True needs output="),
        ({"resume": "yes"}, "resume='yes' must be True or False"),
        ({"out": "x.csv"}, r"sweep\(\) has no argument 'out'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.sweep(PROBLEM, {"ell": 1}, **options)


def test_what_is_not_there_is_refused():
    found = tc.sweep(PROBLEM, {"ell": 1})
    with pytest.raises(tc.ArgumentError, match="'m1' is not in this sweep, which has train_gain"):
        found["m1"]
    with pytest.raises(tc.ArgumentError, match="takes a Problem, not str"):
        tc.sweep("relu", {"ell": 1})


def test_too_many_points_for_memory_are_told_the_way_out():
    with pytest.raises(tc.ArgumentError, match=r"16000000 points.*output='grid.nc'"):
        tc.sweep(PROBLEM, {"ell": 1, "phi": "1:2:4000", "ridge": "1:2:4000"})


def test_an_interruption_keeps_what_is_done(monkeypatch, small_pieces):
    stop_after(monkeypatch, 2, KeyboardInterrupt())
    over = {"ell": [1, 2], "ridge": RIDGES}
    with pytest.raises(tc.SweepInterrupted, match=r"interrupted; 7 of 14 points are done, and in the \.sweep") as stop:
        tc.sweep(PROBLEM, over)
    part = stop.value.sweep
    assert not part.complete
    assert "7 of them done" in repr(part)
    whole = tc.sweep(PROBLEM, over)
    assert part.rows == whole.rows[:7]
    with pytest.raises(tc.DomainError, match="only 7 of 14 points are done"):
        part["test_gain"]


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.integers(1, 50))
def test_pieces_are_the_grid_in_order(shape, most):
    index = 0
    numbers = np.arange(math.prod(shape)).reshape(shape)
    for piece in cut(tuple(shape), most):
        assert piece.start == index
        assert 0 < piece.stop - piece.start <= max(most, 1)
        box = numbers[tuple(slice(r.start, r.stop) for r in piece.ranges)]
        assert np.array_equal(box.ravel(), np.arange(piece.start, piece.stop))
        index = piece.stop
    assert index == numbers.size


@given(st.integers(2, 40), st.fractions(0, 5, max_denominator=50), st.fractions(0, 5, max_denominator=50))
def test_ranges_are_exact(count, first, last):
    values = read_numbers(f"{first}:{last}:{count}", "phi")
    assert (values[0], values[-1], len(values)) == (first, last, count)
    assert all(values[i + 1] - values[i] == (last - first) / (count - 1) for i in range(count - 1))


@pytest.mark.parametrize("ending", ["csv", "json", "nc"])
def test_a_file_is_read_back_and_drawn(tmp_path, ending):
    over = {"alpha": ["1/10", "1/4", "3/10"], "ridge": [0.1, 1.0]}  # 1/4 is between two windows
    file = tc.sweep(PROBLEM, over, output=tmp_path / f"grid.{ending}")
    whole, found = tc.sweep(PROBLEM, over), file.load()
    np.testing.assert_array_equal(found.values, whole.values)
    assert list(found.reasons) == list(whole.reasons) == [2, 3]
    assert ending == "nc" or found.reasons == whole.reasons
    figures = (one.plot(quantity="test_loss", at={"ridge": 1}) for one in (file, whole))
    drawn, expected = (figure.axes[0].lines[0].get_ydata() for figure in figures)
    np.testing.assert_array_equal(drawn, expected)
    assert file.rows == found.rows
    assert file.to_dict() == found.to_dict()
    assert file.to_dataframe().equals(found.to_dataframe())
    assert file.to_dataset().equals(found.to_dataset())
    file.path.write_bytes(file.path.read_bytes()[:-20])
    with pytest.raises(tc.DomainError, match="is no longer the file of this sweep"):
        file.load()

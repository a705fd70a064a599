"""Results as pandas data frames and xarray datasets."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

import theorycalc as tc
from tests.helpers.results import MAKERS, PROBLEM, SIZES, made
from theorycalc.results.quantities import QUANTITIES


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_data_frame_has_the_rows(name):
    found = made(name)
    frame = found.to_dataframe()
    assert list(frame.columns) == list(found.rows[0])
    assert len(frame) == len(found.rows)
    for column in frame:
        for value, row in zip(frame[column], found.rows, strict=True):
            assert pd.isna(value) if row[column] is None else value == row[column]


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_a_dataset_has_the_values(name):
    found = made(name)
    dataset = found.to_dataset()
    assert dataset.attrs["kind"] == found.kind
    assert dataset.attrs["theorycalc"] == tc.__version__
    for column in set(QUANTITIES) & set(found.rows[0]):
        values = np.ravel(dataset[column].values).tolist()
        expected = [np.nan if row[column] is None else row[column] for row in found.rows]
        np.testing.assert_array_equal(values, expected)
        assert QUANTITIES[column].words in dataset[column].attrs["long_name"]


def test_an_array_argument_is_a_dimension():
    grid = tc.predict(PROBLEM, ell=1, ridge=[0.1, 1, 10], phi=[[0.5], [1.0]]).to_dataset()
    assert dict(grid.sizes) == {"phi": 2, "ridge": 3}
    one = tc.predict(tc.Problem("relu", "H1 + H2/2", 1, "2/3", 10, noise="1/2"), ell=1)
    assert float(grid["test_loss"].sel(phi=1.0, ridge=10.0)) == pytest.approx(one.test_loss, rel=1e-14)
    assert (grid["psi"].dims, grid["ell"].item()) == ((), 1)


def test_arguments_along_one_axis_share_a_dimension():
    grid = tc.predict(PROBLEM, ell=1, ridge=[0.1, 1], noise=[0, 1]).to_dataset()
    assert dict(grid.sizes) == {"dim_0": 2}
    assert (grid["ridge"].dims, grid["noise"].dims) == (("dim_0",), ("dim_0",))
    both = tc.predict(PROBLEM, ell=1, ridge=[[0.1, 1], [2, 3]]).to_dataset()
    assert dict(both.sizes) == {"dim_0": 2, "dim_1": 2}
    assert both["ridge"].dims == ("dim_0", "dim_1")


def test_a_curve_over_alpha_has_its_steps():
    curve = tc.step(PROBLEM, **SIZES, alpha=[0.1, 0.3], ridge=[[0.1], [1.0], [2.0]]).to_dataset()
    assert dict(curve.sizes) == {"ridge": 3, "alpha": 2}
    assert curve["eta"].dims == ("alpha",)
    assert curve["eta"].values.tolist() == pytest.approx([120**0.1, 120**0.3])
    assert "powers" not in curve


def test_a_single_point_has_no_dimension():
    for name in ("prediction", "step", "best", "traces"):
        assert dict(made(name).to_dataset().sizes) == {}
    assert dict(made("prediction, proven").to_dataset().sizes) == {"ridge": 2}
    assert dict(tc.predict(PROBLEM, ell=1, ridge=[0.1]).to_dataset().sizes) == {"ridge": 1}


def test_a_staircase_is_over_ell():
    stairs = made("staircase").to_dataset()
    assert stairs["ell"].values.tolist() == [0, 1, 2, np.inf]
    assert "ridge" in stairs.coords
    assert "alpha" not in stairs  # no step was given


def test_many_points_need_no_rows():
    found = tc.predict(PROBLEM, ell=1, ridge=np.geomspace(1e-3, 10, 200_000))
    frame = found.to_dataframe()
    assert frame["test_loss"].dtype == float
    np.testing.assert_array_equal(frame["test_loss"], found.test_loss)


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_dataframe"), ("xarray", "to_dataset")])
@pytest.mark.parametrize("name", ["prediction", "staircase", "sweep"])
def test_a_missing_extra_is_named(monkeypatch, package, method, name):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(tc.ArgumentError, match=rf"{method}\(\) needs {package}: pip install 'theorycalc\[{package}\]'"):
        getattr(made(name), method)()


def test_runs_and_rankings_have_frames():
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    problem = tc.Problem("tanh", "sin(x)", n=30, d=10, N=20, ridge="1/10")
    run = tc.simulate(problem, eta=[1, 2], replicates=2)
    ranking = tc.rank_activations(problem, ["tanh", "relu"], eta=1, tune="none")
    for found in (run, ranking):
        frame = found.to_dataframe()
        assert frame.to_dict("records")[1]["test_loss"] == found.rows[1]["test_loss"]
        assert found.to_dataset()["test_loss"].values.tolist() == [row["test_loss"] for row in found.rows]

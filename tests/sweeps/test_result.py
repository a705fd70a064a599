"""Sweeps in memory and in files: rows, data sets and what is not there."""

from __future__ import annotations

import csv
import dataclasses
import io

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.sweeps import PROBLEM, RIDGES


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


def test_what_is_not_there_is_refused():
    found = tc.sweep(PROBLEM, {"ell": 1})
    with pytest.raises(tc.ArgumentError, match="'m1' is not in this sweep, which has train_gain"):
        found["m1"]
    with pytest.raises(tc.ArgumentError, match="takes a Problem, not str"):
        tc.sweep("relu", {"ell": 1})


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

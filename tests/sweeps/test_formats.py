"""The bytes of CSV, JSON and NetCDF."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest
from scipy.io import netcdf_file

import theorycalc as tc
from tests.helpers.sweeps import NAMES, OVER, PROBLEM, cut_small, swept, written_whole
from theorycalc.sweeps import sweeping

small_pieces = pytest.fixture(autouse=True)(cut_small)
whole = pytest.fixture(scope="module")(written_whole)


def test_text_has_the_rows_of_the_sweep_in_memory(whole):
    memory = tc.sweep(PROBLEM, OVER, quantities=NAMES)
    assert whole["csv"].decode() == memory.to_csv()
    assert json.loads(whole["json"]) == memory.to_dict()
    rows = list(csv.DictReader(whole["csv"].decode().splitlines()))
    assert len(rows) == 42
    assert [row["activation"] for row in rows[20:22]] == ["relu", "where(x > 0, x, x/10)"]


def test_netcdf_is_read_by_scipy_and_by_xarray(whole, tmp_path):
    import xarray

    path = tmp_path / "grid.nc"
    path.write_bytes(whole["nc"])
    memory = tc.sweep(PROBLEM, OVER, quantities=NAMES)
    with netcdf_file(path, mmap=False) as file:
        assert file.version_byte == 2
        assert file.theorycalc.decode() == tc.__version__
        assert json.loads(file.problem.decode())["phi"] == "1/2"
        assert "activation=relu, alpha=0.25, ridge=0.001: alpha=1/4 is on the boundary" in file.missing.decode()
        assert np.array_equal(file.variables["ridge"][:], memory.axes["ridge"])
        for name in NAMES:
            read = file.variables[name][:]
            assert np.array_equal(np.isnan(read), memory[name].mask)
            assert np.array_equal(read[~memory[name].mask], memory[name].compressed())
    with xarray.open_dataset(path) as dataset:
        assert dataset.sizes == {"activation": 2, "alpha": 3, "ridge": 7}
        assert list(dataset["activation"].values) == OVER["activation"]
        xarray.testing.assert_equal(dataset.load(), memory.to_dataset())
        assert dataset["ridge"].attrs["long_name"] == "λ, ridge (weight decay)"


def test_netcdf_of_one_number_and_of_letters_beyond_ascii(tmp_path):
    import xarray

    named = tc.Activation.from_callable(np.tanh, name="σ, my own")
    tc.sweep(PROBLEM, {"activation": [named], "ell": ["inf"]}, quantities="m1", output=tmp_path / "one.nc")
    with xarray.open_dataset(tmp_path / "one.nc") as dataset:
        assert dataset["m1"].shape == (1, 1)
        assert list(dataset["activation"].values) == ["σ, my own"]
        assert list(dataset["ell"].values) == [np.inf]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("grid.txt", r"must end in \.csv, \.json or \.nc"),
        ("grid", r"must end in \.csv"),
        ("nowhere/grid.csv", "does not exist; create it first"),
        (3, "not the name of a file"),
        ("", "not the name of a file"),
        ("a\0b.csv", "not the name of a file"),
    ],
)
def test_bad_names_are_refused_before_any_work(monkeypatch, tmp_path, name, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweeping, "check_cells", None)
    with pytest.raises(tc.ArgumentError, match=message):
        swept(name)
    assert os.listdir(tmp_path) == []


def test_too_many_points_for_a_format_are_told_the_way_out(tmp_path):
    many = {"ell": 1, "ridge": np.linspace(1, 2, 4000), "phi": np.linspace(1, 2, 4000)}
    with pytest.raises(tc.ArgumentError, match=r"16000000 points, and text is written up to 10000000; .*grid.nc"):
        tc.sweep(PROBLEM, many, output=tmp_path / "grid.csv")
    many["psi"] = np.linspace(1, 2, 40)
    with pytest.raises(tc.ArgumentError, match=r"NetCDF holds 536870911 of a quantity; sweep parts of it"):
        tc.sweep(PROBLEM, many, output=tmp_path / "grid.nc")
    assert os.listdir(tmp_path) == []

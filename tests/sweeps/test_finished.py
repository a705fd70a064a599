"""Complete files of sweeps: resume=True replaces none that is of another grid."""

from __future__ import annotations

import os

import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from tests.helpers.sweeps import ENDINGS, NAMES, OVER, PROBLEM, cut_small, swept, written_whole
from theorycalc.sweeps import formats

small_pieces = pytest.fixture(autouse=True)(cut_small)
whole = pytest.fixture(scope="module")(written_whole)


@pytest.mark.parametrize(
    ("change", "netcdf", "text"),
    [
        (
            {"over": OVER | {"ridge": "1e-3:10:8:log"}},
            "axes.ridge.length is 7 there and 8 here",
            "row 2 is activation=relu, alpha=0.1, ridge=0.00464",
        ),
        ({"over": OVER | {"ridge": "1e-3:11:7:log"}}, r"axes.ridge.values is \[0.001, 0.00464", "row 2 is activation"),
        ({"over": OVER | {"ridge": ["1e-3"]}}, "axes.ridge.length is 7 there and 1 here", "row 2 is"),
        ({"over": OVER | {"activation": ["relu"]}}, "axes.activation.length is 2", "it has more than 21 rows"),
        ({"over": OVER | {"activation": ["relu", "erf"]}}, "axes.activation.values is .* 'erf'", "row 22 is"),
        ({"over": OVER | {"activation": [*OVER["activation"], "erf"]}}, "length is 2", "it has fewer than 63 rows"),
        ({"over": dict(reversed(OVER.items()))}, "order is", "columns is"),
        ({"quantities": ["test_loss", "test_gain"]}, "quantities is", "columns is"),
        ({"problem": problem("relu", "H1 + H2/2", noise="0")}, "problem.noise is '1/2'", "problem.noise is '1/2'"),
    ],
)
def test_a_complete_file_of_another_grid_is_not_resumed(tmp_path, whole, change, netcdf, text):
    options = {"problem": PROBLEM, "over": OVER, "quantities": NAMES} | change
    for ending, message in (("nc", netcdf), ("json", text)):
        path = tmp_path / f"grid.{ending}"
        path.write_bytes(whole[ending])
        with pytest.raises(
            tc.DomainError, match=f"belongs to another grid: .*{message}.*leave out resume=True"
        ) as refused:
            tc.sweep(**options, output=path, resume=True)
        assert refused.value.argument == "output"
        assert path.read_bytes() == whole[ending]
    assert sorted(os.listdir(tmp_path)) == ["grid.json", "grid.nc"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_complete_file_of_the_same_grid_is_computed_again(monkeypatch, tmp_path, whole, ending):
    path = tmp_path / f"grid.{ending}"
    path.write_bytes(whole[ending])
    monkeypatch.setattr(formats, "__version__", "0.0.1")  # an older file of it, too
    swept(path, resume=True)
    assert (path.read_bytes() == whole[ending]) == (ending != "nc")


@pytest.mark.parametrize("content", [b"", b"{}", b"CDF\x02", b"no sweep"])
def test_a_file_that_is_no_sweep_is_not_resumed(tmp_path, content):
    for ending in ("nc", "json"):
        path = tmp_path / f"grid.{ending}"
        path.write_bytes(content)
        with pytest.raises(tc.DomainError, match="is not the complete file of a sweep; give"):
            swept(path, resume=True)
        assert path.read_bytes() == content
    swept(path)  # without resume it is replaced, as ever

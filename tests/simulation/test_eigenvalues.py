"""Singular values of the weights in simulations: the record, the rows, and files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.results.quantities import WEIGHTS
from theorycalc.simulation.eigenvalues import weights_record
from theorycalc.simulation.records import weights_of


@pytest.fixture(scope="module")
def run():
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/2", n=60, d=30, N=45, ridge="1/10", noise="1/2")
    return tc.simulate(problem, eta=[1, 8], replicates=3, spectrum=True, equivalent=["network", "spiked"], ell=1)


@pytest.mark.parametrize(("N", "d"), [(30, 12), (12, 30), (20, 20)])
def test_the_record_is_that_of_a_singular_value_decomposition(N, d):
    rng = np.random.default_rng([N, d])
    W, a, b, teacher = rng.standard_normal((N, d)), rng.standard_normal(N), *rng.standard_normal((2, d))
    left, values, right = np.linalg.svd(W)
    record = weights_record(W, a, b, teacher)
    np.testing.assert_allclose(record["top"], values[: min(10, N)], rtol=1e-10)
    assert min(record["quantiles"]) == pytest.approx(0 if d < N else values[-1], abs=1e-6)
    expected = [(left[:, 0] @ a) ** 2 / (a @ a), *((right[0] @ x) ** 2 / (x @ x) for x in (b, teacher))]
    np.testing.assert_allclose([record[name] for name in WEIGHTS], [values[0], *expected], rtol=1e-8)
    assert weights_record(W, 0 * a, b, teacher)["overlap_a"] == 0
    assert weights_record(0 * W, a, b, teacher)["top_singular_value"] == 0


def test_rows_have_means_and_standard_errors_of_the_network(run):
    seen = [row for row in run.rows if row["model"] == "network"]
    for row in seen:
        draws = [weights_of(record) for record in run.records if record["eta"] == row["eta"]]
        for name in WEIGHTS:
            values = [draw[name] for draw in draws]
            assert row[name] == pytest.approx(np.mean(values))
            assert row[f"{name}_se"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))
    assert seen[1]["top_singular_value"] > seen[0]["top_singular_value"]
    assert not any(name in row for row in run.rows if row["model"] == "spiked" for name in WEIGHTS)
    assert "top_singular_value" in run.to_dataframe()


def test_without_spectra_nothing_is_recorded():
    plain = tc.simulate(tc.Problem("relu", "H1", 1, 1, 1), n=20, eta=1, replicates=2)
    assert weights_of(plain.records[0]) == {}
    assert "overlap_a" not in plain.rows[0]


def test_a_run_keeps_them_in_its_file(run, tmp_path):
    run.save(tmp_path / "run.json")
    assert tc.load_run(tmp_path / "run.json").rows == run.rows


def changed(run, change):
    """The data of a run after a change of its first record's weights, without the checksum that would tell."""
    data = json.loads(json.dumps(run.to_dict()))
    change(data["records"][0]["spectrum"])
    return json.dumps(data)


def test_records_of_earlier_versions_have_none(run, tmp_path):
    (tmp_path / "run.json").write_text(changed(run, lambda spectrum: spectrum.pop("weights")))
    found = tc.load_run(tmp_path / "run.json")
    first, second = (row for row in found.rows if row["model"] == "network")
    assert "overlap_a" not in first
    assert "overlap_a" in second


@pytest.mark.parametrize(
    "bad",
    [{"overlap_a": 1.5}, {"overlap_a": "much"}, {"top": []}, {"top": [True]}, {"quantiles": [-1.0]}, {"top": None}],
)
def test_damaged_records_are_refused(run, tmp_path, bad):
    (tmp_path / "run.json").write_text(changed(run, lambda spectrum: spectrum["weights"].update(bad)))
    with pytest.raises(tc.DomainError, match="record 0: its singular values of the weights are not those"):
        tc.load_run(tmp_path / "run.json")

"""The figures of eigenvalues and of the weights' singular values."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, simulated

run = pytest.fixture(scope="module")(simulated)


def artist(axes, gid):
    (found,) = axes.findobj(lambda one: one.get_gid() == gid)
    return found


def test_bulk_histogram_and_outlier(run):
    found = tc.weight_spectrum(PROBLEM, n=100, alpha=0.4)
    axes = found.plot(run=run).axes[0]
    line = artist(axes, "density")
    sigma = np.asarray(line.get_xdata())
    factor = sigma if axes.get_xscale() == "log" else 1
    np.testing.assert_allclose(line.get_ydata(), factor * found.density(sigma), rtol=1e-12)
    assert list(artist(axes, "outliers").get_xdata()) == [found.outlier]
    assert f"step: {found.overlap_direction:.2f}" in artist(axes, "outliers:1:label").get_text()
    seen = [record["spectrum"]["weights"] for record in run.records if record["alpha"] == 0.4]
    assert max(artist(axes, "simulated:outliers").get_xdata()) == max(one["top"][0] for one in seen)
    assert len(artist(axes, "simulated").get_data().values) > 10


def test_a_far_outlier_has_a_logarithmic_axis():
    near, far = (tc.weight_spectrum(PROBLEM, n=1000, eta=eta).plot().axes[0] for eta in (4, 40))
    assert (near.get_xscale(), far.get_xscale()) == ("linear", "log")
    before = tc.weight_spectrum(PROBLEM).plot().axes[0]
    assert before.get_xlabel() == r"$\sigma$, singular value of $W_0$"
    assert not before.findobj(lambda one: one.get_gid() == "outliers")


def test_every_outlier_of_several_steps_is_marked():
    found = tc.weight_spectrum(replace(PROBLEM, steps=3), n=600, eta=12, gradient="labels")
    axes = found.plot().axes[0]
    assert list(artist(axes, "outliers").get_xdata()) == [one.place for one in found.outliers]
    assert f"$a$: {found.outliers[1].overlap_a:.2f}" in artist(axes, "outliers:2:label").get_text()


def test_other_runs_are_refused(run, tmp_path):
    with pytest.raises(tc.ArgumentError, match="give the spectrum a step"):
        tc.weight_spectrum(PROBLEM).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="no finished replicate of the step"):
        tc.weight_spectrum(PROBLEM, n=100, alpha=0.2).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        tc.weight_spectrum(PROBLEM, n=100, alpha=0.4).plot(run="run.json")
    data = json.loads(json.dumps(run.to_dict()))
    for record in data["records"]:
        del record["spectrum"]["weights"]
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(tc.ArgumentError, match="replicate 0 of the run has no singular values of W"):
        tc.weight_spectrum(PROBLEM, n=100, alpha=0.4).plot(run=tc.load_run(tmp_path / "run.json"))

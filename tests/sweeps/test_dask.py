"""A grid on a real Dask cluster."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.commands import run
from tests.helpers.problems import EXAMPLE
from theorycalc.sweeps import grid

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")


def test_dask_writes_the_same_bytes(monkeypatch, tmp_path):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 50)
    problem = EXAMPLE
    over = {"activation": ["relu", "tanh"], "phi": "0.1:2:20", "ell": [1, 2], "ridge": "1e-3:10:9:log"}
    tc.sweep(problem, over, output=tmp_path / "here.nc")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(processes=True, **options) as cluster, distributed.Client(cluster) as client:
        tc.sweep(problem, over, output=tmp_path / "there.nc", executor=client.get_executor(pure=False))
    assert (tmp_path / "here.nc").read_bytes() == (tmp_path / "there.nc").read_bytes()


def test_the_command_computes_on_a_cluster_and_on_a_local_one(capsys):
    command = ["sweep", "--activation", "relu,tanh", "--teacher", "H1 + H2/2", "--phi", "0.1:2:20", "--psi", "2/3"]
    command += ["--ridge", "0.1", "--ell", "1,2"]
    here = run(capsys, *command)
    assert here[0] == 0
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(processes=True, **options) as cluster:
        assert run(capsys, *command, "--dask", cluster.scheduler_address) == here
        code, _, err = run(capsys, *command, "--workers", "2", "--dask", cluster.scheduler_address)
        assert (code, "give --workers or --dask, not both" in err) == (2, True)
    assert run(capsys, *command, "--workers", "1", "--dask", "local") == here
    code, _, err = run(capsys, *command, "--workers", "0", "--dask", "local")
    assert (code, "--workers 0 must be a positive whole number" in err) == (2, True)

"""Simulations on a Dask cluster."""

from __future__ import annotations

import json

import pytest

from tests.helpers.commands import SMALL, run


def test_no_scheduler_answers(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("theorycalc.cli.cluster._CONNECT", "0.5s")
    code, _, err = run(capsys, *SMALL, "--alpha", "0.1", "--dask", "tcp://127.0.0.1:9")
    assert code == 2
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err


def test_on_a_dask_cluster(capsys):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        arguments = [*SMALL, "--alpha", "0.1", "--json"]
        there = json.loads(run(capsys, *arguments, "--dask", cluster.scheduler_address)[1])
    assert there["rows"] == json.loads(run(capsys, *arguments)[1])["rows"]

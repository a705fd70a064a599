"""A small grid, written to files in small pieces, whole or stopped on the way."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from theorycalc.sweeps import evaluation, grid, sweeping
from theorycalc.sweeps import writing as output

OVER = {"activation": ["relu", "where(x > 0, x, x/10)"], "alpha": ["0.1", "0.25", "0.3"], "ridge": "1e-3:10:7:log"}
NAMES = ["test_gain", "test_loss"]
ENDINGS = ("csv", "json", "nc")


def cut_small(monkeypatch):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    monkeypatch.setattr(output, "_OFTEN", 0.0)


def swept(path, **options):
    return tc.sweep(PROBLEM, OVER, quantities=NAMES, output=path, **options)


def written_whole(tmp_path_factory):
    """The bytes of every format, written without interruption in this process."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_LIMITS_AT_ONCE", 5)
        for ending in ENDINGS:
            swept(folder / f"grid.{ending}")
    assert sorted(os.listdir(folder)) == ["grid.csv", "grid.json", "grid.nc"]
    return {ending: (folder / f"grid.{ending}").read_bytes() for ending in ENDINGS}


def stop_after(monkeypatch, count, error):
    """Raise once, when so many blocks are computed; return the list of blocks that are asked for."""
    real, calls = evaluation.evaluate, []

    def stopping(*task):
        calls.append(task)
        if len(calls) == count + 1:
            raise error
        return real(*task)

    monkeypatch.setattr(sweeping, "evaluate", stopping)
    return calls


def begun(path):
    """Leave the part of a sweep that was stopped after three blocks."""
    with pytest.MonkeyPatch.context() as patch:
        stop_after(patch, 3, KeyboardInterrupt())
        with pytest.raises(tc.SweepInterrupted):
            swept(path)


NETWORK = dataclasses.replace(PROBLEM, activation="tanh(x + 1)")
RIDGES = np.geomspace(1e-6, 1, 7)


def cut_in_fives(monkeypatch):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 5)
    monkeypatch.setattr(grid, "_STEPS_AT_ONCE", 5)

"""A sweep in threads and processes writes the same bytes, and survives workers that die."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.sweeps import ENDINGS, PROBLEM, cut_small, swept, written_whole
from theorycalc.sweeps import grid

pytestmark = pytest.mark.slow

small_pieces = pytest.fixture(autouse=True)(cut_small)
whole = pytest.fixture(scope="module")(written_whole)


@pytest.mark.parametrize("ending", ENDINGS)
def test_threads_and_processes_write_the_same_bytes(tmp_path, whole, ending):
    path = tmp_path / f"grid.{ending}"
    with ThreadPoolExecutor(3) as pool:
        swept(path, executor=pool)
    assert path.read_bytes() == whole[ending]
    if ending == "nc":
        swept(path, workers=2)
        assert path.read_bytes() == whole[ending]
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            swept(path, executor=pool)
        assert path.read_bytes() == whole[ending]


def test_finite_steps_write_the_same_bytes_in_processes(monkeypatch, tmp_path):
    monkeypatch.setattr(grid, "_STEPS_AT_ONCE", 3)
    problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    over = {"n": [100, 150], "alpha": "0:0.4:4"}
    tc.sweep(problem, over, output=tmp_path / "one.csv")
    tc.sweep(problem, over, output=tmp_path / "two.csv", workers=2)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_a_broken_pool_keeps_what_is_done(tmp_path, whole):
    path = tmp_path / "grid.csv"
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(os._exit, 1)
        with pytest.raises(tc.SweepError, match=r"a worker of the executor died.*; 0 of 42 points are in"):
            swept(path, executor=pool)
    swept(path, resume=True)
    assert path.read_bytes() == whole["csv"]


def test_what_cannot_be_sent_is_refused(tmp_path):
    own = tc.Activation.from_callable(lambda x: np.tanh(x) + x, name="own")
    with pytest.raises(tc.ArgumentError, match="cannot be sent to worker processes"):
        tc.sweep(PROBLEM, {"activation": [own], "ell": 1}, workers=2)

"""simulate() gives the same numbers wherever it computes, and refuses bad input before any work."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import theorycalc as tc
from tests.helpers.runs import PROBLEM, SMALL
from theorycalc.running.executors import one_blas_thread
from theorycalc.simulation import experiment


@pytest.mark.slow
def test_processes_threads_and_this_process_give_the_same_bits():
    here = tc.simulate(PROBLEM, **SMALL)
    assert tc.simulate(PROBLEM, **SMALL, workers=2) == here
    with ThreadPoolExecutor(3) as pool:
        assert tc.simulate(PROBLEM, **SMALL, executor=pool) == here


@pytest.mark.slow
def test_a_network_of_many_options_gives_the_same_bits_in_processes():
    layers = {"first_scale": "1/sqrt(3)", "second_scale": 0.7, "second_layer": "uniform", "centred": False}
    labels = {"corrupt_step": "1/5", "flip_fit": 0.1, "steps": 2, "noise": "1/10"}
    problem = tc.Problem("relu", "sign(t1 + t2)", n=40, d=20, N=30, ridge="1/10", intercept=True, **layers, **labels)
    here = tc.simulate(problem, eta=[1, 2], replicates=4, spectrum=True)
    assert tc.simulate(problem, eta=[1, 2], replicates=4, spectrum=True, workers=2) == here
    assert {"error_rate", "test_gain_clean", "overlap_teacher"} <= set(here.rows[0])


def test_blas_is_held_to_one_thread_while_any_replicate_runs():
    before = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    def now() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    outer, inner = one_blas_thread(), one_blas_thread()
    outer.__enter__()
    inner.__enter__()
    assert now() == {1}
    outer.__exit__(None, None, None)  # the first to come is not always the last to go
    assert now() == {1}
    inner.__exit__(None, None, None)
    assert [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"] == before


def test_replicates_do_not_depend_on_how_many_there_are():
    few = tc.simulate(PROBLEM, **SMALL)
    more = tc.simulate(PROBLEM, **SMALL | {"replicates": 6})
    assert tuple(record for record in more.records if record["replicate"] < 4) == few.records


def test_steps_do_not_depend_on_the_others():
    """The curve over α is the same whether its points are run together or apart."""
    together = tc.simulate(PROBLEM, **SMALL)
    apart = [tc.simulate(PROBLEM, **SMALL | {"alpha": alpha}) for alpha in SMALL["alpha"]]
    assert together.records == tuple(record for run in apart for record in run.records)
    assert [row | {"cell": 0} for row in together.rows] == [row for run in apart for row in run.rows]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workers": 0}, "workers=0"),
        ({"workers": 1.5}, "workers=1.5"),
        ({"workers": 4000, "n": 2000}, "workers=4000 replicates at a time need"),
        ({"executor": 3}, "not a concurrent.futures.Executor"),
        ({"resume": True}, "resume=True needs output="),
        ({"output": "no/such/folder/run.json"}, "does not exist; create it first"),
        ({"output": "/tmp"}, "is a folder"),
        ({"replicats": 3}, "did you mean 'replicates'"),
        ({"replicates": 1}, "replicates=1"),
        ({"eta": 1}, "alpha"),
        ({"n": 10**7}, "GiB"),
    ],
)
def test_bad_input_is_refused_before_any_work(changes, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.simulate(PROBLEM, **SMALL | changes)


class Elsewhere(Executor):
    """Stands for a cluster: the work is not done by the pools of this machine."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_memory_is_that_of_the_machine_that_computes(monkeypatch):
    needed = tc.simulate(PROBLEM, **SMALL).settings.memory
    monkeypatch.setattr(experiment, "machine_memory", lambda: needed - 1)
    for options in ({}, {"workers": 2}, {"executor": ThreadPoolExecutor(1)}):
        with pytest.raises(tc.DomainError, match=r"n = 30, d = 15, N = 23 need .* GiB for one replicate"):
            tc.simulate(PROBLEM, **SMALL, **options)
    assert tc.simulate(PROBLEM, **SMALL, executor=Elsewhere()).complete
    monkeypatch.setattr(experiment, "machine_memory", lambda: 2 * needed - 1)
    with pytest.raises(tc.DomainError, match=r"workers=2 replicates at a time .* take 1 or fewer"):
        tc.simulate(PROBLEM, **SMALL, workers=2)
    monkeypatch.setattr(experiment, "machine_memory", lambda: None)
    assert tc.simulate(PROBLEM, **SMALL).complete


def test_a_lambda_is_not_sent_to_processes():
    activation = tc.Activation.from_callable(lambda x: np.tanh(x) + x, derivative=lambda x: 2 - np.tanh(x) ** 2)
    problem = tc.Problem(activation, ["1"], "1/2", "2/3", "1/10")
    with pytest.raises(tc.ArgumentError, match=r"cannot be sent to worker processes .*workers=1"):
        tc.simulate(problem, **SMALL, workers=2)
    assert tc.simulate(problem, **SMALL).complete

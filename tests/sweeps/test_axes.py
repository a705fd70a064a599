"""Axes of a grid: the parameters that vary, and their refusals."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.sweeps import NETWORK, PROBLEM
from theorycalc.sweeps import evaluation, sweeping


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("activation", ["relu", tc.Activation.from_coefficients(["1/2", "1/3"])]),
        ("teacher", ["H1 + H2", ["1", "1/2"], tc.Teacher.from_text("tanh(x)")]),
        ("phi", [0.5, "1/3"]),
        ("psi", np.array([0.5, 2])),
        ("ridge", [0, "1/10"]),
        ("noise", [0, "1/2"]),
        ("first_layer", ["sphere", "gaussian"]),
        ("second_layer", ["gaussian", "sign", "constant"]),
        ("step_samples", ["1/2", 1, 2]),
    ],
)
def test_every_parameter_of_a_problem_may_vary(name, values):
    found = tc.sweep(PROBLEM, {name: values, "ell": 2}, quantities="test_loss")
    assert found.shape == (len(values), 1)
    for value, loss in zip(values, found["test_loss"][:, 0], strict=True):
        problem = dataclasses.replace(PROBLEM, **{name: value.item() if isinstance(value, np.generic) else value})
        assert loss == tc.predict(problem, ell=2).test_loss


def test_sizes_are_computed_from_exact_ratios():
    """φn = 1.5 rounds to 2; the float next to 0.15 would give 1."""
    found = tc.sweep(NETWORK, {"phi": "0.15", "psi": "0.5", "n": 10, "alpha": 0.1}, quantities=["test_loss"])
    case = dataclasses.replace(NETWORK, phi="0.15", psi="0.5")
    assert found["test_loss"][0, 0, 0, 0] == pytest.approx(tc.step(case, n=10, alpha=0.1).test_loss, rel=1e-8)


def test_windows_are_computed_once_for_all_their_alphas(monkeypatch):
    calls = []
    real = evaluation.predict
    monkeypatch.setattr(evaluation, "predict", lambda *a, **k: calls.append(k["ell"]) or real(*a, **k))
    found = tc.sweep(PROBLEM, {"alpha": np.linspace(0.01, 0.24, 100)}, quantities=["test_gain"])
    assert set(calls) == {1}
    assert len(calls) == 2  # once to try it
    assert np.ptp(found["test_gain"]) == 0


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({}, "over= names what varies"),
        ("ridge", "over= names what varies"),
        ({"rigde": [1], "ell": 1}, "'rigde' cannot vary; did you mean 'ridge'.*choose from activation, teacher, phi"),
        ({3: [1], "ell": 1}, "3 cannot vary; choose from"),
        ({"ridge": [1]}, "needs one of ell and alpha"),
        ({"ell": 1, "alpha": 0.1}, "needs one of ell and alpha"),
        ({"n": 100}, "needs one of alpha and eta"),
        ({"n": 100, "ell": 1}, "'ell' cannot vary with n"),
        ({"eta": 1, "ell": 1}, "'eta' cannot vary without n"),
        ({"ell": []}, "ell is empty"),
        ({"ell": 1, "ridge": []}, "ridge is empty"),
        ({"ell": 1, "ridge": np.array([])}, "ridge is empty"),
        ({"ell": 1, "ridge": [1, 1.0]}, "ridge has 1.0 twice"),
        ({"ell": [1, 2, 1]}, "ell has 1 twice"),
        ({"ell": 1, "activation": ["relu", "relu "]}, "activation has relu twice"),
        ({"ell": 1, "ridge": [0.1, -1]}, r"ridge\[1\]=-1"),
        ({"ell": 1, "ridge": [0.1, math.nan]}, "ridge"),
        ({"ell": 1, "ridge": np.ones((2, 2))}, "2 dimensions"),
        ({"ell": 1, "phi": "0:1:3"}, r"phi\[0\]=0"),
        ({"ell": 1, "phi": "1:2"}, "is not a range"),
        ({"ell": 1, "phi": "1:2:3:lin"}, "is not a range"),
        ({"ell": 1, "phi": "1:2:x"}, "phi='1:2:x': the third part of a range is the number of values"),
        ({"ell": 1, "phi": "1:2:10001"}, "phi='1:2:10001': the third part of a range is the number of values"),
        ({"ell": 1, "ridge": "0:2:3:log"}, "must be positive"),
        ({"ell": 1, "ridge": "1e-400:2:3:log"}, "ridge"),
        ({"ell": 1, "ridge": object()}, "not a number"),
        ({"ell": "two"}, "ell='two'"),
        ({"ell": 1.5}, "ell=1.5"),
        ({"ell": 1, "activation": ["relu", "sin(x"]}, "x"),
        ({"ell": 1, "activation": ["relu", "x**2"]}, "at ell=1, activation=x[*][*]2: .*c_1 = 0"),
        ({"ell": 1, "teacher": ["1", "1/2"]}, "one list of coefficients"),
        ({"ell": 1, "teacher": ["H1", 3]}, "neither a formula"),
        ({"ell": 1, "first_layer": "ball"}, "first_layer='ball'"),
        ({"ell": 1, "step_samples": [1, 0]}, "step_samples=0 must be positive"),
        ({"alpha": [0.25, 0.7]}, "no alpha has a window: alpha=0.25 is on the boundary"),
        ({"alpha": "x"}, "alpha='x' is not a number"),
        ({"n": 100, "alpha": 0.1, "ridge": [0, 1]}, "a finite step needs ridge > 0"),
        ({"n": [1, 100], "alpha": 0.1, "phi": "0.1"}, "at n=1, phi=.*: d = φn at n=1 rounds to 0"),
        ({"n": 100.5, "alpha": 0.1}, "n=100.5"),
        ({"n": 100, "alpha": [0.1, 1e9]}, "alpha=1000000000.0: the step"),
        ({"n": 100, "alpha": 0.1, "activation": tc.Activation.from_moments("1/2", "1/3")}, "needs the function"),
        (
            {"ell": 1} | {name: np.linspace(1, 2, 10**6) for name in ("phi", "psi", "noise")},
            "the grid has 10{18} points",
        ),
    ],
)
def test_bad_axes_are_refused_before_any_work(monkeypatch, over, message):
    monkeypatch.setattr(sweeping, "evaluate", None)
    with pytest.raises(tc.TheoryError, match=message):
        tc.sweep(PROBLEM, over)

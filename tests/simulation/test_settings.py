"""What is wrong with a simulation is said before any work."""

from __future__ import annotations

import dataclasses
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem as example
from theorycalc.errors import ArgumentError, DomainError, TheoryError
from theorycalc.simulation.settings import read_settings, settings_from_dict

PROBLEM = example("tanh(x + 1)", ["1", "1/2"])


def changed(teacher=("1", "1/2"), **options):
    return tc.Problem("tanh(x + 1)", teacher, **{"phi": "1/2", "psi": "2/3", "ridge": "1/10"} | options)


def test_sizes_follow_from_the_ratios_and_the_problem_is_at_the_realised_ones():
    found = read_settings(PROBLEM, n=1001, alpha=["3/10", 0.1], ridge=["1/10", 1])
    assert (found.d, found.N, found.step_samples, found.test_samples) == (501, 752, 1001, 1001)
    assert (found.problem.phi, found.problem.psi) == (Fraction(501, 1001), Fraction(501, 752))
    assert [step.alpha for step in found.steps_taken] == [0.3, 0.1]
    assert found.steps_taken[0].eta == pytest.approx(1001**0.3, rel=1e-15)
    assert found.ridges == (0.1, 1.0)
    assert found.problem.ridge == Fraction(1, 10)


def test_step_samples_are_the_problem_s():
    found = read_settings(changed(step_samples="1/3"), n=100, eta=2)
    assert found.step_samples == 33
    assert found.problem.step_ratio == Fraction(33, 100)
    assert (found.steps_taken[0].alpha, found.steps_taken[0].eta) == (None, 2.0)


def test_sizes_may_be_given_if_they_fit():
    problem = tc.Problem("relu", ["1"], n=90, d=31, N=77, ridge=1)
    assert read_settings(problem, n=90, d=31, N=77, eta=1).problem == problem


MOMENTS = tc.Activation.from_moments("1/2", "3/10")
WRONG_SLOPE = tc.Activation.from_callable(np.tanh, derivative=np.tanh)
WRONG = [
    (PROBLEM, {"alpha": 0.1, "eta": 1}, "either alpha="),
    (PROBLEM, {}, "either alpha="),
    (PROBLEM, {"alpha": []}, "alpha is empty"),
    (PROBLEM, {"alpha": [0.1, 0.1]}, "twice"),
    (PROBLEM, {"alpha": 1e6}, "too large for float64"),
    (PROBLEM, {"eta": -1}, "must not be negative"),
    (PROBLEM, {"eta": float("nan")}, "not a finite number"),
    (PROBLEM, {"eta": 1, "replicates": 1}, "error bar"),
    (PROBLEM, {"eta": 1, "replicates": 2.5}, "error bar"),
    (PROBLEM, {"eta": 1, "replicates": 10**12}, "at most 1000000 are computed"),
    (PROBLEM, {"eta": [1, 2], "replicates": 10**6}, "each of 2 steps are 2000000"),
    (PROBLEM, {"eta": "1e309"}, "eta is beyond"),
    (PROBLEM, {"alpha": 10**309}, "alpha is beyond"),
    (PROBLEM, {"eta": 1, "ridge": [1, "1e309"]}, "ridge is beyond"),
    (PROBLEM, {"eta": 1, "corrupt": 0.1}, "as corrupt_fit= or corrupt_step="),
    (PROBLEM, {"eta": 1, "steps": 2}, "as steps=, which Problem() takes"),
    (changed(second_scale="1e309"), {"eta": 1}, "second_scale is beyond"),
    (changed(noise="1e309"), {"eta": 1}, "noise is beyond"),
    (changed(phi="1e309"), {"eta": 1}, "d is beyond 1e+100".replace("+", "\\+")),
    (changed(phi="1e309"), {"eta": 1, "d": 5}, "φn is beyond"),
    (changed(step_samples="1e309"), {"eta": 1}, "step_samples .* is more than any machine holds"),
    (PROBLEM, {"eta": 1, "n": 10**400}, "n is beyond 1e+100".replace("+", "\\+")),
    (PROBLEM, {"eta": 1, "n": 0}, "n=0"),
    (PROBLEM, {"eta": 1, "n": 1, "d": 3}, "contradicts"),
    (PROBLEM, {"eta": 1, "N": 140}, "N=140 contradicts the problem, whose d/ψ is 150"),
    (changed(phi="1/1000"), {"eta": 1, "n": 100}, "rounds to 0"),
    (changed(psi=1000), {"eta": 1, "n": 100}, "rounds to 0"),
    (PROBLEM, {"eta": 1, "ridge": []}, "empty"),
    (PROBLEM, {"eta": 1, "ridge": [1, -1]}, "negative"),
    (PROBLEM, {"eta": 1, "ridge": ["1/10", 0.1]}, "twice"),
    (PROBLEM, {"eta": 1, "reuse_batch": True}, "is for several steps"),
    (PROBLEM, {"eta": 1, "input_law": "gausian"}, "did you mean 'gaussian'"),
    (PROBLEM, {"eta": 1, "gradient": "label"}, "did you mean 'labels'"),
    (PROBLEM, {"eta": 1, "equivalent": "spikes"}, "equivalent="),
    (PROBLEM, {"eta": 1, "equivalent": ["network", "spiked"]}, "needs ell="),
    (PROBLEM, {"eta": 1, "equivalent": "gaussian", "ell": 0}, "ell=0"),
    (PROBLEM, {"eta": 1, "ell": 2}, "leave it out"),
    (changed(steps=2), {"eta": 1, "equivalent": "spiked", "ell": 2}, "one step"),
    (PROBLEM, {"eta": 1, "equivalent": "spiked", "ell": 2, "spectrum": True}, "name 'network'"),
    (PROBLEM, {"eta": 1, "spectrum": 1}, "True or False"),
    (PROBLEM, {"eta": 1, "traces": True, "ridge": 0}, "ridge > 0"),
    (PROBLEM, {"eta": 1, "traces": True, "equivalent": "gaussian", "ell": 1}, "F₀ of the network"),
    (PROBLEM, {"eta": 1, "precision": "float16"}, "precision="),
    (PROBLEM, {"eta": 1, "seed": -1}, "seed=-1"),
    (PROBLEM, {"eta": 1, "test_samples": 0}, "test_samples=0"),
    (PROBLEM, {"eta": 1, "rigde": 0}, "did you mean 'ridge'"),
    (tc.Problem(MOMENTS, ["1"], 1, 1, 1), {"eta": 1}, "known by its numbers only"),
    (changed(teacher="t1 + t1*t2"), {"eta": 1, "n": 2}, "has 2 orthonormal directions, and d = 1 inputs have no more"),
    (tc.Problem("sign(x)", ["1"], 1, 1, 1), {"eta": 1}, "it jumps"),
    (tc.Problem("x + heaviside(x)", ["1"], 1, 1, 1), {"eta": 1}, "it jumps"),
    (tc.Problem(WRONG_SLOPE, ["1"], 1, 1, 1), {"eta": 1}, "its derivative is wrong"),
    (tc.Problem("relu", tc.Teacher.from_moments([1], 2), 1, 1, 1), {"eta": 1}, "labels need the function"),
    ("relu", {"eta": 1}, "takes a Problem"),
]


@pytest.mark.parametrize(("problem", "options", "message"), WRONG, ids=[w[2] + str(i) for i, w in enumerate(WRONG)])
def test_bad_settings_are_refused_with_a_reason(problem, options, message):
    with pytest.raises(TheoryError, match=message.replace("(", "\\(").replace(")", "\\)")):
        read_settings(problem, **{"n": 200} | options)


PROBLEMS = [
    PROBLEM,
    tc.Problem(
        "relu",
        ["1", 1 / sp.sqrt(2)],
        0.3,
        "2/3",
        0.1,
        sp.sqrt(2),
        first_layer="gaussian",
        second_layer="sign",
        step_samples="1/2",
    ),
    tc.Problem(tc.activation("gelu").centered(), "sin(x) + H2", 2, 3, 0),
    changed("t1 + t1*t2/2", steps=2),
    changed(biases="0:1/3, 1:2/3", intercept=True),
    changed(inputs="power(1/3, 1/2)", n=40, d=20, N=30, phi=None, psi=None),
    changed(inputs=[(2.1, 0.3, 0.7), (0.3, 0.7, 0.3)]),
    changed(intercept=True, centred=False, first_scale="1/sqrt(3)", second_scale=0.7, corrupt_step="1/3", flip_fit=0.2),
]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_settings_survive_json_and_pickle(problem):
    options = {"equivalent": ["spiked", "network"] if problem.steps == 1 else "network", "ell": 2, "spectrum": True}
    found = read_settings(problem, n=40, alpha=[0.1, "1/3"], ridge=["1/10", 0.7], seed=2**70, **options)
    again = settings_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found != read_settings(problem, n=40, alpha=[0.1, "1/3"], ridge=["1/10", 0.7], **options)
    assert hash(again) == hash(found)
    assert found.cells == {(step.alpha, step.eta): cell for cell, step in enumerate(found.steps_taken)}
    assert pickle.loads(pickle.dumps(found)) == found
    labels = dataclasses.replace(found, gradient="labels")
    assert settings_from_dict(json.loads(json.dumps(labels.to_dict()))) == labels != found


def test_a_python_function_does_not_come_back():
    act = tc.Activation.from_callable(np.tanh, derivative=lambda x: 1 - np.tanh(x) ** 2)
    found = read_settings(tc.Problem(act, ["1"], "1/2", "2/3", "1/10"), n=40, eta=1)
    with pytest.raises(DomainError, match="Python function"):
        settings_from_dict(found.to_dict())


HOSTILE = [
    None,
    [],
    {},
    {"n": 3},
    {"n": "40"},
    {"n": 41},
    {"d": 4},
    {"ridges": []},
    {"ridges": ["x", {}]},
    {"ridges": [0.5]},
    {"steps_taken": 3},
    {"steps_taken": [{"alpha": None, "eta": "nan"}]},
    {"steps_taken": [{"alpha": 0.1, "eta": 1e9}]},
    {"steps_taken": [{"alpha": {}, "eta": 1}]},
    {"models": "all"},
    {"models": [[]]},
    {"seed": None},
    {"gradient": "included"},
    {"problem": None},
    {"problem": {}},
    {"problem": {"activation": {"text": "__import__('os')"}}},
    {"problem": {"activation": {"text": ["relu"]}}},
    {"unknown": 1},
]


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_hostile_settings_are_refused(change):
    good = read_settings(PROBLEM, n=40, eta=[1, 2]).to_dict()
    data = good | change if isinstance(change, dict) and change else change
    with pytest.raises(TheoryError):
        settings_from_dict(data)


def test_hostile_problem_parts_are_refused():
    good = read_settings(PROBLEM, n=40, eta=1).to_dict()
    for name, value in (
        ("phi", "x"),
        ("phi", None),
        ("noise", "sin(x)"),
        ("teacher", {"coefficients": "1"}),
        ("teacher", {"coefficients": [None]}),
        ("first_layer", 3),
        ("step_samples", []),
    ):
        with pytest.raises(TheoryError):
            settings_from_dict(good | {"problem": good["problem"] | {name: value}})


@pytest.mark.parametrize("text", ["relu", "gelu", "exp(x)", "x^9 + x", "x + sin(50*x)", "x + sign(x)*abs(x)^(1/2)"])
def test_slopes_with_kinks_and_poles_are_allowed(text):
    assert read_settings(tc.Problem(text, ["1"], 1, 1, 1), n=10, eta=1).n == 10


def test_wrong_type_is_an_argument_error():
    with pytest.raises(ArgumentError):
        read_settings(3, n=10, eta=1)

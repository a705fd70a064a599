"""A result of every kind, to ask all of them the same."""

from __future__ import annotations

import functools
import math

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from theorycalc.comparison.verdict import Comparison
from theorycalc.results.base import Result

SIZES = {"n": 120, "d": 60, "N": 90}
COMPARED_ROW = {
    "theory": "ℓ = 1",
    "cell": 0,
    "alpha": None,
    "eta": 1.0,
    "model": "network",
    "ridge": 0.1,
    "replicates": 3,
    "quantity": "test_gain",
    "predicted": 0.5,
    "observed": 0.25,
    "standard_error": 0.0,
    "z": -math.inf,
    "judged": True,
    "p": 0.0,
    "critical": 9.9,
    "detectable": 0.0,
}


def compared(ridge: object = "1/10") -> Comparison:
    return Comparison(
        ({**COMPARED_ROW, "ridge": float(tc.Problem("relu", "H1", 1, 1, ridge).ridge)},), 0.01, ("by hand",), PROBLEM
    )


#: How each kind of result is made, with a ridge in the place of the problem's.
MAKERS = {
    "prediction": lambda ridge: tc.predict(PROBLEM, ell=2, ridge=ridge),
    "prediction, literal": lambda ridge: tc.predict(PROBLEM, alpha="3/10", ridge=ridge, network="literal"),
    "prediction, many": lambda ridge: tc.predict(PROBLEM, ell=1, ridge=[ridge, 1], noise=[[0], [1], ["1/2"]]),
    "prediction, proven": lambda ridge: tc.predict(PROBLEM, ell=1, ridge=[ridge, "2/7"], digits=40),
    "staircase": lambda ridge: tc.staircase(tc.Problem("relu", "H1", "1/2", "2/3", ridge), 2),
    "step": lambda ridge: tc.step(PROBLEM, **SIZES, alpha="3/10", ridge=ridge),
    "step, many": lambda ridge: tc.step(PROBLEM, **SIZES, eta=[[1], [5]], ridge=[ridge, 1], gradient="labels"),
    "step, proven": lambda ridge: tc.step(PROBLEM, **SIZES, eta="1/2", ridge=ridge, method="pencil", digits=20),
    "error_rate": lambda ridge: tc.error_rate(tc.Problem("tanh", "sign(x)", "1/2", "2/3", ridge), ell=1),
    "error_rate, steps": lambda ridge: tc.error_rate(
        tc.Problem("tanh", "sign(x)", "1/2", "2/3", 1), n=60, eta=[1, 5], ridge=ridge
    ),
    "spectrum": lambda ridge: tc.spectrum(tc.Problem("relu", "H1", "1/2", ridge, 1)),
    "spectrum, step": lambda ridge: tc.spectrum(tc.Problem("relu", "H1", "1/2", ridge, 1), n=500, eta=10),
    "spectrum, pencil": lambda ridge: tc.spectrum(
        tc.Problem("relu", "H1", "1/2", ridge, 1), n=500, eta=10, method="pencil"
    ),
    "weights": lambda ridge: tc.weight_spectrum(tc.Problem("relu", "H1", "1/2", ridge, 1)),
    "weights, step": lambda ridge: tc.weight_spectrum(tc.Problem("relu", "H1", "1/2", ridge, 1), n=500, eta=10),
    "best": lambda ridge: tc.best_step(PROBLEM, **SIZES, ridge=ridge),
    "sweep": lambda ridge: tc.sweep(PROBLEM, {"alpha": ["1/10", "1/4"], "ridge": [ridge, 1]}),
    "comparison": compared,
    "ranking": lambda ridge: tc.rank_activations(
        tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", ridge), ["relu", "tanh", "x**2"], ell=1, tune="none"
    ),
    "traces": lambda ridge: tc.traces(phi="1/2", psi="2/3", ridge=ridge, c1="1/2", c_rest="3/10"),
}


@functools.cache
def made(name: str) -> Result:
    return MAKERS[name]("1/10")

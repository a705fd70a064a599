"""Functions and tables of Hermite coefficients, passed for the activation and for the teacher."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

import theorycalc as tc
from tests.helpers.formulas import shifted, wavy
from tests.helpers.problems import CASE
from theorycalc.model.callables import difference, recognised, values_of


class Tensor:
    """As much of a torch tensor as an activation uses."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __add__(self, other):
        return Tensor(self.values + other)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    def detach(self):
        return SimpleNamespace(numpy=lambda: self.values)


def tanh_of_tensors(tensor):
    if not isinstance(tensor, Tensor):
        raise TypeError("tanh(): argument 'input' must be Tensor, not numpy.ndarray")
    return Tensor(np.tanh(tensor.values))


@pytest.fixture
def torch(monkeypatch):
    """A module torch with one function."""
    tanh_of_tensors.__name__ = "tanh"
    fake = SimpleNamespace(from_numpy=Tensor, tanh=tanh_of_tensors)
    monkeypatch.setitem(sys.modules, "torch", fake)
    return fake


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "formula", "origin"),
    [
        (np.tanh, "tanh", "numpy.tanh"),
        (np.sin, "sin", "numpy.sin"),
        (np.arctan, "atan", "numpy.arctan"),
        (special.erf, "erf", "scipy.special.erf"),
        (special.expit, "sigmoid", "scipy.special.expit"),
        (math.tanh, "tanh", "math.tanh"),
        (np.arcsinh, "asinh", "numpy.arcsinh"),
    ],
)
def test_well_known_functions_are_read_as_their_formula(function, formula, origin):
    case, same = tc.Problem(function, function, **CASE), tc.Problem(formula, formula, **CASE)
    assert case.activation.tree == same.activation.tree
    found = tc.predict(case, ell=1, digits=20)
    assert found.guarantee == "enclosed"
    assert found.test_gain == tc.predict(same, ell=1, digits=20).test_gain
    words = f"{origin} is read as the formula {case.activation.name}"
    assert found.notes.count(words) == 2
    assert tc.step(case, n=100, eta=1).notes.count(words) == 2
    assert tc.coefficients(function, 3).tolist() == tc.coefficients(formula, 3).tolist()


def test_torch_functions_are_recognised_and_others_are_sampled(torch):
    assert recognised(torch.tanh) == ("torch.tanh", "tanh")
    assert tc.Problem(torch.tanh, "H1", **CASE) == tc.Problem("tanh", "H1", **CASE)
    own = tc.Problem(lambda x: torch.tanh(x + 1), lambda x: torch.tanh(x + 2), **CASE)
    expected = tc.predict(tc.Problem("tanh(x + 1)", "tanh(x + 2)", **CASE), ell=2)
    found = tc.predict(own, ell=2)
    assert found.guarantee == "estimated"
    assert found.test_gain == pytest.approx(expected.test_gain, rel=1e-12)


@pytest.mark.parametrize("wrong", [lambda x: 2 * np.tanh(x), lambda x: np.tanh(x).sum(), lambda: 0])
def test_a_name_alone_does_not_make_a_formula(monkeypatch, wrong):
    wrong.__name__ = "tanh"
    monkeypatch.setattr(np, "tanh", wrong)
    assert recognised(wrong) is None


@pytest.mark.parametrize(
    "function",
    [shifted, lambda x: math.tanh(x + 1), lambda x: np.float32(1) * np.tanh(x + 1), lambda x: list(np.tanh(x + 1))],
    ids=["array", "number", "numpy scalar", "list"],
)
def test_any_function_is_an_activation(function):
    case = tc.Problem(function, "H1 + H2/2", **CASE)
    same = tc.Problem("tanh(x + 1)", "H1 + H2/2", **CASE)
    found = tc.predict(case, ell=2)
    assert found.guarantee == "estimated"
    assert found.to_dict()["guarantee"] == "estimated"
    assert "its coefficients are estimates from two resolutions" in str(found)
    assert found.test_gain == pytest.approx(tc.predict(same, ell=2).test_gain, rel=1e-12)
    step = tc.step(case, n=200, eta=2)
    assert step.test_gain == pytest.approx(tc.step(same, n=200, eta=2).test_gain, rel=1e-8)
    assert any("its derivative is a central difference" in note for note in step.notes)
    assert not any("derivative" in note for note in tc.step(case, n=200, eta=1, method="pencil").notes)


def test_any_function_is_a_teacher():
    case, same = tc.Problem(shifted, wavy, **CASE), tc.Problem("tanh(x + 1)", "sin(x) + x**2", **CASE)
    for ell in (1, 3):
        found = tc.predict(case, ell=ell)
        assert found.test_gain == pytest.approx(tc.predict(same, ell=ell).test_gain, rel=1e-11)
        assert "the teacher wavy is known by its values" in str(found)
    assert case.teacher.mean == pytest.approx(1, rel=1e-14)
    assert repr(case.teacher) == "Teacher(wavy)"
    assert tc.step(case, n=200, eta=2).test_gain == pytest.approx(tc.step(same, n=200, eta=2).test_gain, rel=1e-8)
    ours, theirs = (tc.simulate(p, n=30, eta=2, replicates=2).rows for p in (case, same))
    assert [row["test_loss"] for row in ours] == pytest.approx([row["test_loss"] for row in theirs], rel=1e-7)
    exact = tc.predict(tc.Problem("tanh", wavy, **CASE), ell=1)
    assert exact.guarantee == "estimated"


def test_values_and_derivatives_of_functions():
    x = np.array([[-1.0, 0.5], [2.0, 3.0]])
    assert values_of(lambda x: x > 0, x).tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert values_of(lambda x: max(x, 0), x).tolist() == [[0.0, 0.5], [2.0, 3.0]]
    assert values_of(lambda x: 1, x).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert values_of(np.tanh, x.astype(np.float32)).dtype == np.float32
    assert np.abs(difference(np.tanh, x) - 1 / np.cosh(x) ** 2).max() < 1e-9
    assert np.abs(difference(lambda x: np.tanh(x.astype(np.float32)), x) - 1 / np.cosh(x) ** 2).max() < 1e-4


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (np.cumsum, "cumsum does not take each number of an array on its own"),
        (np.mean, "mean does not take each number"),
        (lambda x: x - x.mean(), "<lambda> does not take each number"),
        (np.random.default_rng(0).normal, "normal does not take each number"),
        (np.log, "one finite number for every number"),
        (lambda x: x + 1j, "must return real numbers, not ndarray"),
        (lambda x: "x", "must return real numbers, not str"),
        (lambda x: np.ones((2, 2)), "one number for each"),
        (lambda: 0, "neither a numpy array nor one number: .*takes 0 positional arguments"),
        (float, "float is a class, not a function; pass an instance"),
        (lambda x: np.exp(x**2), "does not settle|one finite number"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("role", ["activation", "teacher"])
def test_what_is_no_function_of_one_number_is_refused(role, function, message):
    with pytest.raises(tc.DomainError, match=message):
        tc.Problem(**({"activation": "tanh", "teacher": "H1"} | {role: function} | CASE))


@pytest.mark.parametrize("function", [lambda x: 3.0, lambda x: x**2, np.cos])
def test_a_function_without_slope_is_refused(function):
    with pytest.raises(tc.DomainError, match="has c_1 = 0, so the gradient step has no direction"):
        tc.predict(tc.Problem(function, "H1", **CASE), ell=1)


def test_grids_of_functions_and_tables():
    found = tc.sweep(
        tc.Problem("tanh", "H1", **CASE),
        over={"activation": [np.tanh, shifted, {1: 1, 2: 1}], "teacher": [{1: 1}, wavy], "ell": 1},
    )
    assert found.axes["activation"] == ("tanh", "shifted", "H1 + H2")
    assert found["test_gain"].shape == (3, 2, 1)
    single = tc.sweep(tc.Problem("tanh", "H1", **CASE), over={"activation": {1: 1}, "teacher": {1: 1}, "ell": 1})
    assert single.shape == (1, 1, 1)

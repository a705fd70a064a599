"""Arrays of parameters broadcast, and points do not see each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import CUBIC, problem
from theorycalc.theory.limits import Values


def test_arrays_broadcast_as_numpy_does():
    phi, psi = np.array([[0.2], [0.9]]), np.array([0.3, 0.9, 2.0])
    noise = np.array([0.0, 0.5]).reshape(2, 1, 1)
    p = tc.predict(problem(CUBIC), ell=3, phi=phi, psi=psi, noise=noise, ridge=np.float32(0.25))
    for name in Values._fields:
        assert getattr(p, name).shape == (2, 2, 3)
    single = tc.predict(problem(CUBIC), ell=3, phi=0.9, psi=2.0, noise=0.5, ridge=0.25)
    for name in Values._fields:
        assert getattr(p, name)[1, 1, 2] == pytest.approx(getattr(single, name), rel=1e-15)


def test_chunks_do_not_show():
    """Many chunks, a stride that is not one, and text: the same numbers."""
    ridge = np.geomspace(1e-6, 1e6, 50_001)
    whole = tc.predict(RELU_PROBLEM, ell=2, ridge=ridge)
    strided = tc.predict(RELU_PROBLEM, ell=2, ridge=np.repeat(ridge, 3)[1::3])
    backwards = tc.predict(RELU_PROBLEM, ell=2, ridge=ridge[::-1])
    assert np.array_equal(whole.test_gain, strided.test_gain)
    assert np.allclose(whole.test_gain, backwards.test_gain[::-1], rtol=1e-15, atol=0)
    some = tc.predict(RELU_PROBLEM, ell=2, ridge=[str(Fraction(x)) for x in ridge[:3]])
    assert np.allclose(some.test_gain, whole.test_gain[:3], rtol=1e-15, atol=0)
    one = tc.predict(RELU_PROBLEM, ell=2, ridge=np.array([[0.1]]))
    assert one.test_gain.shape == (1, 1)
    integers = tc.predict(RELU_PROBLEM, ell=2, ridge=np.arange(1, 4))
    assert integers.test_gain[0] == tc.predict(RELU_PROBLEM, ell=2, ridge=1).test_gain


RELU_PROBLEM = problem()


def test_input_arrays_are_not_touched():
    ridge = np.geomspace(0.1, 1, 20_000)
    before = ridge.copy()
    ridge.flags.writeable = False
    tc.predict(RELU_PROBLEM, ell=1, ridge=ridge)
    assert np.array_equal(ridge, before)


def test_proven_digits_of_an_array():
    p = tc.predict(problem(CUBIC), ell=2, digits=30, ridge=[["1/10", "1/5"]], phi=[["1/2"], ["2"]])
    assert p.test_gain.shape == (2, 2)
    single = tc.predict(problem(CUBIC), ell=2, digits=30, ridge="1/5", phi="2")
    assert p.test_gain[1, 1] == single.test_gain


def test_lists_in_a_problem_are_sent_to_what_takes_them():
    with pytest.raises(tc.TheoryError, match=r"predict\(problem, noise=…\)"):
        tc.Problem("relu", "H1", 1, 1, 1, noise=[0, 1])
    with pytest.raises(tc.TheoryError, match=r"sweep\(problem, {'corrupt_fit': …}\)") as caught:
        tc.Problem("relu", "H1", 1, 1, 1, corrupt_fit=[0, 0.3])
    assert caught.value.argument == "corrupt_fit"
    assert tc.sweep(tc.Problem("relu", "H1", 1, 1, 1), {"corrupt_fit": [0, 0.3], "ell": [1]})["test_gain"].size == 2

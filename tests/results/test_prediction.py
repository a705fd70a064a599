"""predict() as a user sees it: arrays, digits, threads, JSON and notebooks."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import CUBIC, RELU, problem
from theorycalc.theory.limits import Values


def test_the_example_of_the_documentation():
    p = tc.predict(problem(), ell=2)
    assert tc.predict(problem(), alpha="3/10").ell == p.ell == 2
    assert p.spikes == (1, 2)
    assert (p.guarantee, p.digits) == ("rounded", None)
    assert all(isinstance(getattr(p, name), float) for name in Values._fields)
    proven = tc.predict(problem(), ell=2, digits=200)
    assert (proven.guarantee, proven.digits) == ("enclosed", 200)
    for name in Values._fields:
        assert getattr(p, name) == pytest.approx(float(getattr(proven, name)), rel=1e-14)


def test_the_traces_of_relu():
    """m_1 = 4.3550 and m_2 = 2.2219 to four digits."""
    p = tc.predict(problem(), ell=1)
    assert (round(p.m1, 4), round(p.m2, 4)) == (4.3550, 2.2219)


@pytest.mark.parametrize("digits", [1, 15, 50, 333, 2000])
def test_every_proven_digit_is_right(digits):
    """More digits, rounded to fewer, are the fewer: to within one unit of the last."""
    few, many = (tc.predict(problem(), ell=4, digits=d) for d in (digits, digits + 60))
    with mpmath.workdps(digits + 60):
        for name in Values._fields:
            value, truth = (mpmath.mpf(getattr(p, name)) for p in (few, many))
            assert abs(value - truth) <= abs(truth) * mpmath.mpf(10) ** (-digits) / 2


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


def test_precision_is_nobodys_business():
    """Neither mpmath's nor flint's global precision is read or changed, from any thread."""
    import flint

    expected = {d: str(tc.predict(problem(), ell=3, digits=d).test_gain) for d in (20, 60, 150)}
    flint.ctx.prec, mpmath.mp.dps = 77, 9
    try:
        with ThreadPoolExecutor(4) as pool:
            jobs = [(d, pool.submit(tc.predict, problem(), ell=3, digits=d)) for d in (20, 60, 150) * 8]
            assert all(str(job.result().test_gain) == expected[d] for d, job in jobs)
        assert (flint.ctx.prec, mpmath.mp.dps) == (77, 9)
    finally:
        flint.ctx.prec, mpmath.mp.dps = 53, 15


def test_json_is_strict_and_complete():
    for p in (
        tc.predict(problem(), ell=2),
        tc.predict(problem(), alpha=0.3, digits=40),
        tc.predict(problem(CUBIC, phi=1, psi=1, ridge=0), ell="inf"),
        tc.predict(problem(), ell=1, ridge=[0.1, 0.2]),
    ):
        data = json.loads(json.dumps(p.to_dict(), allow_nan=False))
        assert data["theorycalc"] == tc.__version__
        assert data["inputs"]["psi"] in ("2/3", "1", 2 / 3, 1.0)
        assert set(Values._fields) < set(data["rows"][0])
    threshold = tc.predict(problem(CUBIC, phi=1, psi=1, ridge=0), ell="inf").to_dict()
    assert threshold["rows"][0]["test_loss"] == "inf"
    assert threshold["rows"][0]["m1_slope"] == "-inf"
    assert threshold["rows"][0]["ell"] == "inf"
    proven = tc.predict(problem(), ell=2, digits=40).to_dict()["rows"][0]["test_gain"]
    assert isinstance(proven, str)
    assert len(proven) > 40


def test_what_a_notebook_shows():
    p = tc.predict(problem(), ell=2)
    assert p._repr_latex_().startswith("$$\\begin{aligned}")
    assert r"\Lambda_{2} &= " in p._repr_latex_()
    assert "<table>" in p._repr_html_()
    assert f"{p.test_gain:.6g}" in repr(p)
    tiny = tc.predict(problem(CUBIC, ridge=0, phi=1, psi=1), ell="inf")
    assert r"\infty" in tiny._repr_latex_()
    assert r"\cdot 10^{-" in tc.predict(problem(), ell=1, ridge="1e9")._repr_latex_()
    array = tc.predict(problem(), ell=1, ridge=[0.1, 0.2])
    assert "at 2 points" in repr(array)
    assert "array of shape" in array._repr_latex_()


def test_the_teacher_degree_and_ell_may_be_large():
    teacher = [Fraction(1, math.factorial(k)) for k in range(1, 151)]
    many = tc.predict(problem(CUBIC, teacher), ell=3)
    assert math.isfinite(many.test_gain)
    assumed = problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2"])
    far, limit = tc.predict(assumed, ell=10**5), tc.predict(assumed, ell="inf")
    assert far.test_gain < limit.test_gain
    assert far.test_gain == pytest.approx(limit.test_gain, rel=1e-2)


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ({"teacher": "exp(-1000)*H1", "noise": 0}, "100%"),
        ({"phi": "1e400", "noise": 0}, "25%"),
        ({"phi": "1e-400", "psi": "1e400", "noise": 0}, "20%"),
        ({"noise": "1e400"}, "8.4e-801"),
        ({"activation": "exp(1000)*x"}, "100%"),
        ({"activation": "x/100", "noise": 0}, "0.00010"),
        ({"activation": "x/9", "noise": 0}, "1%"),
    ],
)
def test_the_share_of_the_initial_output_is_known_beyond_float64(options, share):
    """(c_1² + φ₀ Var f₀)/κ̃: of H1 without noise 1/5 of relu at φ = 0, and 1/4 at φ = ∞."""
    case = problem(**({"activation": "relu", "teacher": "H1"} | options))
    said = [
        condition for condition in tc.predict(case, ell=1, digits=20).conditions if "negligible" in condition.statement
    ]
    assert [condition.statement.endswith(f"is {share}") for condition in said] == [True]
    assert said[0].holds == ("%" not in share)
    literal = tc.predict(case, ell=1, digits=20, network="literal")
    assert not any("negligible" in condition.statement for condition in literal.conditions)


def test_problems_are_values():
    assert problem() == problem()
    assert hash(problem()) == hash(problem())
    assert problem() != problem(ridge="1/5")
    sizes = tc.Problem(RELU, ["1"], n=2000, d=1000, N=1500, ridge="1/10", step_samples=4000)
    assert (sizes.phi, sizes.psi, sizes.step_ratio) == (Fraction(1, 2), Fraction(2, 3), 2)
    with pytest.raises(AttributeError):
        sizes.phi = 1
    assert repr(tc.Problem("relu", "H1 + H2", 1, 2, "1/10")).startswith(
        "Problem(activation=Activation('relu'), teacher=Teacher('H1 + H2'), phi=Fraction(1, 1)"
    )
    assert repr(sizes.teacher) == "Teacher(['1'])"

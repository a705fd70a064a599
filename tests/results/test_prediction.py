"""predict() as a user sees it: arrays, digits, threads, JSON and notebooks."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest

import theorycalc as tc
from tests.helpers.columns import Column
from tests.helpers.problems import CUBIC, problem
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


@pytest.mark.parametrize("digits", [1, 15, 50, 333, 2000])
def test_every_proven_digit_is_right(digits):
    """More digits, rounded to fewer, are the fewer: to within one unit of the last."""
    few, many = (tc.predict(problem(), ell=4, digits=d) for d in (digits, digits + 60))
    with mpmath.workdps(digits + 60):
        for name in Values._fields:
            value, truth = (mpmath.mpf(getattr(p, name)) for p in (few, many))
            assert abs(value - truth) <= abs(truth) * mpmath.mpf(10) ** (-digits) / 2


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


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {"ell": [1, 2]},
            r"ell=\[1, 2\]: a Prediction is of one ℓ; tc.staircase\(problem, ell=\[1, 2\]\) predicts several",
        ),
        ({"ell": Column([1, 2])}, "a Prediction is of one ℓ"),
        ({"alpha": [0.1, 0.3]}, r"a Prediction is of one window; tc.sweep\(problem, over={'alpha': …}\) takes a list"),
    ],
)
def test_a_prediction_is_of_one_window(step, message):
    with pytest.raises(tc.ArgumentError, match=message):
        tc.predict(problem(), **step)

"""Proven digits of error rates: by another way, in closed form, in float64, and enclosures that are true."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from flint import acb, arb

import theorycalc as tc
from tests.independent.sign_rates import rates
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory.proven_rates import enclosed_both_below, exact_signs

SIZES = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}


@pytest.mark.slow
@pytest.mark.checks("fit_noise")
def test_digits_are_those_of_an_independent_script():
    problem = tc.Problem("H1 + H2/2 + H3/3", "sign(x + 1/2)", **SIZES)
    found = tc.error_rate(problem, ell=3, digits=30)
    expected = rates(*SIZES.values(), ["1", "1/2", "1/3"], "1/2", 20)
    for name, value in zip(("error_rate_initial", "error_rate"), expected, strict=True):
        assert abs(getattr(found, name) / value - 1) < 1e-21


@pytest.mark.slow
@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize("ridge", ["1/10", 0])
def test_without_a_step_and_with_one_spike_there_is_a_closed_form(ridge):
    """The sign of t and of a normal variable: arccos of their correlation, by π."""
    problem = tc.Problem("tanh(x + 1)", "sign(x)", **(SIZES | {"ridge": ridge}), noise="1/5")
    found = tc.error_rate(problem, ell=1, digits=40)
    with mpmath.workdps(50):
        known = tc.predict(problem, ell=1, ridge=ridge or "1e-60", digits=45)
        c, k = mpmath.sqrt(2 / mpmath.pi), known.m2 / known.m1
        for loss, rho, rate in (
            (known.test_loss_initial, mpmath.mpf(0), found.error_rate_initial),
            (known.test_loss, known.rho, found.error_rate),
        ):
            learned = c * (1 - k * (1 - rho**2))  # E[t f̂], and E[f̂²] follows from the loss E(y − f̂)²
            square = loss - 1 - mpmath.mpf(1) / 25 + 2 * c * learned
            assert abs(rate - mpmath.acos(learned / mpmath.sqrt(square)) / mpmath.pi) < 1e-38


PROBLEMS = [
    ("relu", "sign(H1 + H2/2)", {"noise": "1/5"}),
    ("tanh(x + 1)", "where(x > 1/3, 1, -1)", {"first_layer": "gaussian", "flip_fit": "1/5", "flip_step": "1/10"}),
    ("tanh(x + 1)", "sign(abs(x) - 1)*sign(x)", {"intercept": True, "centred": False, "corrupt_fit": "1/4"}),
    ("tanh", "sign(x - 1)", {"biases": {0: "1/2", 1: "1/2"}, "intercept": True, "centred_labels": False}),
    ("H1 + H4", "sign(x)", {"second_scale": "1/2"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("activation", "teacher", "options"), PROBLEMS)
@pytest.mark.parametrize("ridge", ["1/10", 0])
def test_float64_is_right(activation, teacher, options, ridge):
    problem = tc.Problem(activation, teacher, **(SIZES | {"ridge": ridge}), **options)
    for ell, network in ((0, "theorem"), (1, "theorem"), (4, "literal"), ("inf", "theorem")):
        gradient = None if problem.centred or network == "theorem" else "labels"
        rounded, proven = (
            tc.error_rate(problem, ell=ell, network=network, gradient=gradient, digits=digits) for digits in (None, 20)
        )
        assert rounded.error_rate_initial == pytest.approx(float(proven.error_rate_initial), abs=1e-14)
        assert rounded.error_rate == pytest.approx(float(proven.error_rate), abs=1e-13)


@pytest.mark.slow
def test_more_digits_continue_fewer():
    problem = tc.Problem("relu", "sign(H1 + H2/2)", **SIZES)
    short, long = (tc.error_rate(problem, ell=2, digits=digits) for digits in (15, 45))
    assert short.guarantee == long.guarantee == "enclosed"
    for name in ("error_rate_initial", "error_rate", "error_rate_gain"):
        assert abs(getattr(short, name) / getattr(long, name) - 1) < 1e-15
    assert len(long.rows[0]["error_rate"]) > 45


@pytest.mark.slow
def test_infinitely_many_powers_of_one_parity():
    """Odd powers, of which 24 are enough, and the first power with even ones, which converge slowly."""
    for activation, parity in (("tanh", "odd"), ("relu", "1+even")):
        problem = tc.Problem(activation, "sign(x + 1/3)", **SIZES)
        proven = tc.error_rate(problem, ell="inf", digits=20)
        assert proven.spikes == parity
        assert float(proven.error_rate) == pytest.approx(tc.error_rate(problem, ell="inf").error_rate, abs=1e-13)
        if parity == "odd":
            far = tc.error_rate(problem, ell=24)
            assert float(proven.error_rate) == pytest.approx(far.error_rate, abs=1e-8)


@pytest.mark.parametrize("r", [-0.9, 0.3, 0.999])
def test_normal_probabilities_are_enclosed(r):
    with ball_precision(120):
        x, y, correlation = (arb(str(value)) for value in (0.7, -0.4, r))
        thin = enclosed_both_below(acb(x), acb(y), correlation.asin()).real
        off = (1 - correlation**2).sqrt()
        below = acb.integral(
            lambda z, _: (-z * z / 2).exp() * (-(y - correlation * z) / off / arb(2).sqrt()).erfc(), -20, acb(x)
        )
        expected = below.real / 2 / (2 * arb.pi()).sqrt()
        assert thin.overlaps(expected)
        assert thin.rad() < 1e-30
        for width in (1e-3, 0.1):
            wide = enclosed_both_below(acb(arb(x, width), arb(0, width)), acb(arb(y, width)), correlation.asin())
            assert wide.real.contains(thin)
            edge = enclosed_both_below(acb(x + width, width), acb(y - width), correlation.asin())
            assert wide.contains(edge)


def test_signs_that_are_proven():
    labels = exact_signs(tc.Problem("relu", "sign(H1 + H2/2)", 1, 1, 1))
    assert labels.signs == (1, -1, 1)
    assert len(labels.places) == 2


def test_digits_that_are_not_proven():
    with pytest.raises(tc.PrecisionError, match="known by its values") as e:
        tc.error_rate(tc.Problem("relu", tc.Teacher.from_callable(np.sign, kinks=[0]), **SIZES), ell=1, digits=20)
    assert e.value.argument == "teacher"
    raw = tc.Problem("relu", "sign(x)", **SIZES, intercept=True, centred=False)
    with pytest.raises(tc.PrecisionError, match="a mean over networks, whose digits are not proven") as e:
        tc.error_rate(raw, ell=2, network="literal", digits=20)
    assert e.value.argument == "digits"
    assert math.isfinite(tc.error_rate(raw, ell=0, network="literal", digits=20).error_rate)
    with pytest.raises(tc.PrecisionError, match="not proven from its formula") as e:
        exact_signs(tc.Problem("relu", "sign(x)*(sin(x)**2 + cos(x)**2)", 1, 1, 1))
    assert e.value.argument == "teacher"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("teacher", "options"),
    [("sign(x)", {"flip_fit": "1/2"}), ("sign(x)", {"corrupt_fit": 1}), ("sign(x + 8)", {}), ("sign(x - 20)", {})],
)
def test_a_gain_that_is_lost_in_the_rates_is_zero(teacher, options):
    """Labels without a signal, and rates as small as 1e-89, have proven digits, and a gain below them."""
    found = tc.error_rate(tc.Problem("relu", teacher, "1/2", "2/3", "1/10", **options), ell=1, digits=10)
    assert found.error_rate_gain == 0
    assert any("smaller than the last proven digit" in note for note in found.notes)
    expected = {"sign(x)": 0.5, "sign(x + 8)": mpmath.ncdf(-8), "sign(x - 20)": mpmath.ncdf(-20)}[teacher]
    assert abs(found.error_rate / expected - 1) < 1e-9

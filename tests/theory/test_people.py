"""Proven digits of limits with options, against a projection in high precision that shares no code."""

from __future__ import annotations

import mpmath
import pytest
from mpmath import mpf

import theorycalc as tc
from tests.independent.people import Case, limit

DIGITS = 20
SIZES = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
C = {1: "1", 2: "1/2", 4: "1/24"}
TEACHER = "H1 + H2/2 - H3/6 + H4/10"


def numbers(**options):
    """The case of the options in mpmath: σ = H_1 + H_2/2 + H_4/24 + c_0."""
    c = {k: mpf(eval_fraction(text)) for k, text in C.items()}
    values = {name: eval_fraction(text) for name, text in SIZES.items()}
    variance = sum(mpmath.factorial(k) * value**2 for k, value in c.items())
    return Case(**values, c=c, variance=variance, c_star=(mpf(1), mpf(1) / 2, -mpf(1) / 6, mpf(1) / 10), **options)


def eval_fraction(text):
    numerator, _, denominator = text.partition("/")
    return mpf(numerator) / mpf(denominator or 1)


CASES = {
    "intercept": ({"intercept": True}, {}, (1, 2), {}),
    "gaps": ({"intercept": True}, {}, (1, 2, 4), {"ell": 4}),
    "corrupted": (
        {"intercept": True, "centred_labels": False, "corrupt_step": "1/5", "corrupt_fit": "3/10"},
        {"mean": 2, "told": ("4/5", "7/10")},
        (1, 2),
        {},
    ),
    "residual": (
        {"intercept": True, "second_scale": "1/2", "flip_fit": "1/8"},
        {"included": True, "scale": "1/2", "told": ("1", "3/4")},
        (1, 2),
        {"network": "literal"},
    ),
    "raw residual": (
        {"centred": False, "second_scale": "1/2"},
        {"included": True, "scale": "1/2", "own_mean": "3/4"},
        (1, 2),
        {"network": "literal"},
    ),
}


@pytest.mark.slow
@pytest.mark.checks("free_constant", "own_mean", "Lambda_clean", "test_loss_clean")
@pytest.mark.parametrize("name", CASES)
def test_proven_digits_are_those_of_an_independent_script(name):
    options, changes, powers, how = CASES[name]
    raw = not options.get("centred", True)
    teacher = f"{TEACHER} + 2" if "mean" in changes else TEACHER
    activation = "H1 + H2/2 + H4/24" + (" + 3/2" if raw else "")
    problem = tc.Problem(activation, teacher, **SIZES, **options)
    found = tc.predict(problem, **{"ell": 2, "digits": DIGITS, **how})
    assert found.spikes == powers
    with mpmath.workdps(40):
        read = {key: _read(value) for key, value in changes.items()}
        slope = sum(k * mpmath.factorial(k) * eval_fraction(c) ** 2 for k, c in C.items() if k > 1)
        lifted = slope if how.get("network") == "literal" else mpf(0)
        for quantity, expected in limit(numbers(**read), powers, lifted).items():
            value = getattr(found, quantity)
            value = getattr(found, quantity.replace("_clean", "")) if value is None else value
            assert abs(mpf(str(value)) / expected - 1) < mpf(10) ** (1 - DIGITS), quantity


def _read(value):
    return tuple(map(eval_fraction, value)) if isinstance(value, tuple) else _one(value)


def _one(value):
    return value if isinstance(value, bool) else eval_fraction(str(value))

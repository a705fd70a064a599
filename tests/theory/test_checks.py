"""Requests that a limit refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.model.moments import MomentsActivation


@pytest.mark.parametrize(
    ("activation", "options", "words"),
    [
        (tc.Activation.from_moments("1/2", "3/10"), {"ell": 2}, "needs Var σ'(Z) of moments"),
        ("sign(x)", {"ell": 1}, "sign(x) jumps, which the gradient of a network does not see"),
        ("sign(x)", {"ell": 2, "gradient": "labels"}, "sign(x) jumps"),
        ("exp(-1000)*(step(x) + x)", {"ell": 2, "digits": 20}, "jumps"),
        (tc.Activation.from_callable(np.tanh, derivative=np.zeros_like), {"ell": 1}, "derivative is wrong"),
        ("relu", {"ell": 2, "as_printed": True}, "as_printed=True is the paper's"),
        ("relu", {"ell": 2, "form": "matrix"}, "form='matrix' is the paper's"),
        ("relu", {"ell": 2, "gradient": "both"}, "gradient='both'"),
        ("relu", {"ell": 2, "network": "real"}, "network='real'"),
        ("relu", {"ell": 2, "network": "theorem", "gradient": "residual"}, "add network='literal'"),
        (
            MomentsActivation(Fraction(1), Fraction(1), (1, 2), Fraction(1, 2), "drawn", slope_variance=0.5),
            {"ell": 2, "digits": 20},
            "slope_variance=0.5 is a binary float",
        ),
    ],
)
def test_refusals(activation, options, words):
    with pytest.raises(tc.TheoryError) as error:
        tc.predict(problem(activation), **({"network": "literal"} | options))
    assert words in str(error.value)


def test_sizes_beyond_float64():
    """Scaling σ and λ together changes nothing with the labels alone: exp(±1000) is as good as 1."""
    asked = {"ell": 2, "digits": 20, "network": "literal", "gradient": "labels"}
    plain = tc.predict(problem("x + x**2/4", ridge=0, psi="1/4"), **asked)
    for scale in ("exp(1000)", "exp(-1000)"):
        found = tc.predict(problem(f"{scale}*(x + x**2/4)", ridge=0, psi="1/4"), **asked)
        assert abs(found.test_gain / plain.test_gain - 1) < 1e-19


@pytest.mark.parametrize("name", ["first_scale", "second_scale"])
@pytest.mark.parametrize("scale", ["1e-300", "1e300"])
def test_scales_beyond_floats_are_named_themselves(name, scale):
    with pytest.raises(tc.DomainError, match=f"^{name}=.*beyond the range of float64") as caught:
        tc.predict(tc.Problem("relu", "H1", 1, 1, 1, **{name: scale}), ell=1)
    assert caught.value.argument == name

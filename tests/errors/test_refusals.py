"""Refusals that a user can meet: which family of exceptions, and which words."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem

SAMPLED = tc.Activation.from_callable(np.tanh)
TINY = "*".join(["10**(-99)"] * 4)
MANY = "the function has more than"
FAST = "grows too fast, or its growth cannot be bounded"


def tanh(**changes):
    return problem(activation="tanh", **changes)


@pytest.mark.parametrize(
    ("call", "family", "words"),
    [
        (lambda: tc.activation("tanh").estimate(3), tc.DomainError, "tanh is not a sampled function"),
        (lambda: SAMPLED.coefficients(3, digits=10), tc.PrecisionError, "are estimates: no digits are proven"),
        (lambda: SAMPLED.coefficients(61), tc.DomainError, "estimated up to k = 60, not 61"),
        (lambda: tc.Activation.from_coefficients("12"), tc.DomainError, "coefficients='12' is not a list of c_1, c_2"),
        (lambda: tc.Teacher(["1"], second_moment=-1), tc.DomainError, "second_moment=-1 is negative"),
        (lambda: tc.Teacher(["1"], 2, 0, 3), tc.DomainError, "covariance=3 is not a function of a number system"),
        (lambda: tc.Teacher({"1": 1}), tc.DomainError, "is not a list of c_⋆1, c_⋆2, …, such as"),
        (lambda: problem(teacher=["1"] * 1001), tc.DomainError, "teacher has degree 1001; at most 1000 is computed"),
        (lambda: problem(phi=sp.sqrt(2)), tc.DomainError, r"phi=sqrt\(2\) must be rational: write a fraction"),
        (lambda: tc.ridge_from("sum", 1e308, n=1e-10), tc.DomainError, "beyond the range of float64; give exact"),
    ],
)
def test_what_a_problem_is_made_of(call, family, words):
    with pytest.raises(family, match=words):
        call()


def test_a_covariance_does_not_replace_coefficients():
    teacher = tc.Teacher.from_moments(["1"], second_moment=2, covariance=lambda ns, t: t + t**2)
    with pytest.raises(tc.DomainError, match="ell=3 needs the teacher's c_⋆k up to k = 2; give more coefficients"):
        tc.predict(problem(teacher=teacher), ell=3)


@pytest.mark.parametrize(
    ("call", "family", "words"),
    [
        (lambda: tc.predict(problem(), ell=2, as_printed=1), tc.ArgumentError, "as_printed=1 must be True or False"),
        (
            lambda: tc.predict(problem(), ell=2, ridge=np.ma.array([1.0, 2.0], mask=[0, 1])),
            tc.DomainError,
            "ridge is a masked array; fill or drop its masked entries",
        ),
        (
            lambda: tc.predict(problem(), ell=2, ridge=[np.ones((2, 2)), np.ones((2, 3))]),
            tc.DomainError,
            "ridge is not a rectangular array of numbers",
        ),
        (
            lambda: tc.step(
                problem(activation=tc.Activation.from_coefficients(["1", "1/2"])),
                n=100, alpha="1/10", digits=10, method="pencil",
            ),
            tc.ArgumentError,
            "needs the activation as text, whose coefficients can be proven",
        ),
        (lambda: tc.spectrum(problem(), n=1, eta=1), tc.DomainError, "n=1: eta= is compared with powers of n"),
        (lambda: tc.spectrum(problem(), n=100, eta=1e13), tc.DomainError, r"the step η = 1e\+13 is beyond 1e\+12"),
        (
            lambda: tc.spectrum(tanh(), n=100, alpha="1/10", method="dressed", powers=2),
            tc.ArgumentError,
            "powers= is for method='pencil'; dressed features keep all of them",
        ),
        (
            lambda: tc.samples_needed(tanh(teacher="H2"), ell=1, fraction=0.5, alpha="0.2"),
            tc.DomainError,
            "nothing is gained in the limit, so there is no fraction of it to see",
        ),
        (
            lambda: tc.predict(problem(activation=tc.Activation.from_moments(1, 1, present=(1, 2, 202))), ell=202),
            tc.DomainError,
            "spikes with gaps are computed up to k = 200; K reaches 202",
        ),
    ],
)  # fmt: skip
def test_what_is_asked_of_it(call, family, words):
    with pytest.raises(family, match=words):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("elu(alpha=1, alpha=2)", "'alpha' is given twice"),
        ("elu(x, 1, alpha=2)", "the parameter alpha of elu is given twice"),
        ("elu(alpha='one')", "the parameter alpha of elu must be a number"),
        ("elu(alpha=1, x)", "an argument without a name cannot follow one with a name"),
        ("tanh(alpha=1)", "tanh has no parameter 'alpha'"),
        ("tanh(x, 1)", "tanh takes one argument"),
        ("*".join(["10**99"] * 5) + "*x", "a number here is too large, or has too many digits"),
        ("(10**90*x + 10**90)**20", "a number here is too large, or has too many digits"),
        ("sqrt(sin(pi))*x", r"a root of sin\(pi\), which may be negative"),
        ("where(sin(pi) > 0, x, x**2)", r"cannot decide whether sin\(pi\) is zero; write it more simply"),
        ("(" * 41 + "x" + ")" * 41, "the expression is nested deeper than 40"),
        ("+".join(f"abs(x - {k})" for k in range(21)), f"{MANY} 20 conditions, absolute values and steps"),
        ("*".join(f"abs(x**2 - {k})" for k in range(1, 18)), f"{MANY} 32 pieces"),
        (f"abs(x - 1) + abs(x - 1 - {TINY})", "two kinks are too close to be told apart"),
        ("abs(x - log(2)) + abs(x - log(4)/2)", r"cannot decide whether log\(4\)/2 equals log\(2\)"),
        ("abs(x - sin(pi))", r"the zeros of sin\(pi\) - x cannot be found exactly"),
        ("abs((1 + log(2)/2 - log(4)/4)*x**2 + 2*x + 1)", "the zeros of .* cannot be found exactly"),
        ("abs(exp(x) - sin(pi))", r"the zeros of exp\(x\) - sin\(pi\) cannot be found exactly"),
        ("exp(sqrt(1 + x**4))", FAST),
        ("exp(x*tanh(x)*sqrt(1 + x**2))", FAST),
        ("log(sigmoid(-exp(x)))", FAST),
        ("exp(exp(200)*x)", FAST),
    ],
)
def test_formulas(formula, words):
    with pytest.raises(tc.ExpressionError, match=words):
        tc.activation(formula).coefficients(2)


@pytest.mark.parametrize(("n", "alpha"), [(10**5, "0.45"), (1000, "1/2"), (10**6, "1/2")])
def test_an_activation_that_grows_too_fast_for_its_step(n, alpha):
    with pytest.raises(tc.PrecisionError, match="rounding leaves no digits: "):
        tc.step(problem(activation="exp(x)"), n=n, alpha=alpha, gradient="labels")

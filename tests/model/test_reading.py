"""Activations, teachers and coefficients as users write them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import CASE
from theorycalc.errors import ArgumentError, DomainError, PrecisionError
from theorycalc.model.reading import activation, coefficients, read_ratios, read_sizes, read_step_samples
from theorycalc.model.reproduce import problem_call


def test_public_forms():
    floats = coefficients("gelu", 6)
    assert floats.dtype == np.float64
    digits = coefficients("gelu", 6, digits=50)
    formulas = coefficients("gelu", 6, exact=True)
    assert [float(value) for value in digits] == list(floats)
    assert [float(value) for value in formulas] == pytest.approx(list(floats), rel=1e-14)
    assert coefficients(activation("gelu"), 6, digits=50) == digits
    assert list(coefficients("x + 3", 2)) == [3, 1, 0]


@pytest.mark.parametrize("bad", [-1, 1.5, True, "3", 10**6])
def test_bad_index(bad):
    with pytest.raises(DomainError):
        coefficients("relu", bad)


def test_bad_arguments():
    with pytest.raises(PrecisionError):
        coefficients("relu", 2, digits=0)
    with pytest.raises(ArgumentError):
        coefficients("relu", 2, digits=10, exact=True)
    with pytest.raises(DomainError):
        coefficients(3.5, 2)


@pytest.mark.parametrize("name", ["exp(x**2)", "exp(x**2/3)", "sqrt(x)", "log(x)", "1/x"])
def test_not_square_integrable_or_not_real(name):
    with pytest.raises(DomainError):
        coefficients(name, 2)


@pytest.mark.slow
def test_a_thousand_digits():
    found = coefficients("tanh", 3, digits=1000)
    again = coefficients("tanh", 3, digits=1020)
    with mpmath.workdps(1010):
        assert abs(mpmath.mpf(found[3]) / mpmath.mpf(again[3]) - 1) < mpmath.mpf(10) ** -999


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("exact", lambda: coefficients("tanh", 3, exact=True)),
        ("exact", lambda: activation("tanh").coefficients(3, exact=True)),
        ("activation", lambda: coefficients("exp(60*x)", 3)),
    ],
)
def test_errors_of_coefficients_name_the_parameter(argument, call):
    with pytest.raises(DomainError) as error:
        call()
    assert error.value.argument == argument


@pytest.mark.parametrize(
    ("table", "text"),
    [({1: 1, 2: "1/2"}, "H1 + H2/2"), ({1: "2/3", 3: Fraction(1, 6)}, "2*H1/3 + H3/6"), ({2: 2, 1: -1}, "2*H2 - H1")],
)
def test_a_table_of_hermite_coefficients(table, text):
    assert tc.Problem("tanh", table, **CASE).teacher.coefficients == tc.Teacher.from_text(text).coefficients
    case, same = tc.Problem(table, "H1 + H2/2", **CASE), tc.Problem(text, "H1 + H2/2", **CASE)
    assert case.activation.is_same_function(tc.activation(text))
    assert tc.step(case, n=100, eta=1).test_gain == tc.step(same, n=100, eta=1).test_gain
    for ell in (1, 3):
        assert str(tc.predict(case, ell=ell, digits=30).test_gain) == str(
            tc.predict(same, ell=ell, digits=30).test_gain
        )


def test_the_mean_in_a_table_is_taken_off():
    found = tc.predict(tc.Problem({0: "1/3", 1: 1, 2: 1}, {0: 5, 1: 1}, **CASE), ell=1)
    assert found.test_gain == tc.predict(tc.Problem({1: 1, 2: 1}, {1: 1}, **CASE), ell=1).test_gain
    assert "the activation 1/3*H0 + H1 + H2 was centred: its mean 0.333333 was subtracted" in found.notes
    assert "the teacher's mean 5 was removed" in found.notes
    assert tc.Problem("tanh", {0: 5}, **CASE).teacher.coefficients == (0,)


@pytest.mark.parametrize("role", ["activation", "teacher"])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "is empty; give a table of coefficients such as"),
        ({"H1": 1}, "k='H1' must be the index of a coefficient, 0 to 1000"),
        ({1.5: 1}, "k=1.5 must be the index"),
        ({-1: 1}, "k=-1 must be the index"),
        ({10**6: 1}, "k=1000000 must be the index"),
        ({1: "x"}, "1='x' is not a number"),
        ({1: None}, "1=None of type NoneType is not a number"),
    ],
)
def test_tables_that_make_no_sense_are_refused(role, table, message):
    with pytest.raises(tc.DomainError, match=message):
        tc.Problem(**({"activation": "tanh", "teacher": "H1"} | {role: table} | CASE))


@pytest.mark.parametrize(
    "labels",
    [
        np.random.default_rng(0).standard_normal(300),
        np.random.default_rng(0).standard_normal(41).tolist(),
        np.random.default_rng(0).choice([-1, 1], 100),
        np.ones((50, 1), dtype=np.float32),
    ],
    ids=["array", "list", "signs", "column"],
)
def test_labels_are_no_teacher(labels):
    with pytest.raises(DomainError, match=r"numbers, .* not your labels; for data use tc.features\(F, y\)") as caught:
        tc.Problem("relu", labels, "1/2", "2/3", "1/10")
    assert caught.value.argument == "teacher"


@pytest.mark.parametrize(
    "coefficients",
    [np.full(40, 0.5), [0.0] * 60 + [1.0], ["1/2"] * 60, [Fraction(1, 2)] * 60],
    ids=["40", "one", "text", "exact"],
)
def test_lists_of_coefficients_are_teachers(coefficients):
    assert len(tc.Problem("relu", coefficients, "1/2", "2/3", "1/10").teacher.coefficients) == len(coefficients)


def test_more_numbers_are_a_teacher_where_it_says_so():
    teacher = tc.Teacher(tuple([0.5] * 60))
    problem = tc.Problem("relu", teacher, "1/2", "2/3", "1/10")
    assert eval(problem_call(problem), {"tc": tc}) == problem


SIZES = {"n": 900, "d": 300, "N": 600}


def test_ratios_are_those_of_the_sizes():
    assert read_ratios("1/3", 0.5, SIZES) == {"phi": Fraction(1, 3), "psi": Fraction(1, 2)}
    with pytest.raises(tc.ArgumentError, match="contradicts the sizes") as caught:
        read_ratios("1/2", None, SIZES)
    assert caught.value.argument == "phi"


def test_sizes_come_together():
    with pytest.raises(tc.ArgumentError, match="d= and N=") as caught:
        read_sizes(900, None, None)
    assert caught.value.argument == "d"
    with pytest.raises(tc.ArgumentError, match="needs the ratios") as caught:
        read_ratios("1/2", None, {})
    assert caught.value.argument == "psi"


def test_a_batch_is_a_number_of_points_or_a_share():
    assert read_step_samples(None, SIZES) is None
    assert read_step_samples(300, SIZES) == 300
    assert read_step_samples("1/3", {}) == Fraction(1, 3)
    with pytest.raises(tc.TheoryError, match="positive whole number"):
        read_step_samples("1/3", SIZES)

"""Biases of neurons: what is read, what is refused, and how they are drawn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.biases import kind_numbers, read_biases
from theorycalc.model.reproduce import problem_call, problem_from_dict, problem_options, problem_to_dict


def problem(biases: object, activation: object = "tanh", **options: object) -> tc.Problem:
    return tc.Problem(activation, "H1", "1/2", "2/3", "1/10", **{"intercept": True} | options, biases=biases)


def test_the_same_kinds_in_any_form():
    wanted = read_biases({0: Fraction(1, 3), 1: Fraction(2, 3)})
    for given in ("0:1,1:2", "1: 2/3, 0:1/3", [(1, 4), (0, 2)], [("0", 1), ("1", 1), (1.0, 1)], {1: 0.5, 0: 0.25}):
        assert read_biases(given) == wanted
    assert str(wanted) == "0:1/3, 1:2/3"
    assert read_biases(wanted) is wanted
    assert read_biases(None) is None


def test_a_bias_may_be_irrational():
    kinds = read_biases("-sqrt(2):1, max(1, 2):1").kinds
    assert [float(kind.bias) for kind in kinds] == pytest.approx([-(2**0.5), 2])


@pytest.mark.parametrize(("law", "variance"), [("normal", 1), ("normal(1/2)", 0.25), ("uniform(3)", 3)])
def test_the_rule_of_a_law_has_its_moments(law, variance):
    known = read_biases(law)
    b, share = np.array([(float(kind.bias), float(kind.share)) for kind in known.kinds]).T
    ratio = {"n": 3, "u": 9 / 5}[law[0]]
    assert np.sum(share) == pytest.approx(1, rel=1e-14)
    assert np.sum(share * b**2) == pytest.approx(variance, rel=1e-12)
    assert np.sum(share * b**4) == pytest.approx(ratio * variance**2, rel=1e-12)


@pytest.mark.parametrize("law", ["normal(2)", "uniform(2)"])
def test_biases_are_drawn_by_their_law(law):
    drawn = read_biases(law).drawn(np.random.default_rng(1), 40_000)
    variance = 4 if law.startswith("normal") else 4 / 3
    kurtosis = 3 if law.startswith("normal") else 9 / 5
    assert abs(np.mean(drawn**2) - variance) < 4 * variance * np.sqrt((kurtosis - 1) / 40_000)


def test_a_table_is_drawn_by_its_shares():
    drawn = read_biases({0: 1, 2: 1, 5: 2}).drawn(np.random.default_rng(1), 400)
    assert {b: int(np.sum(drawn == b)) for b in (0, 2, 5)} == {0: 100, 2: 100, 5: 200}
    assert np.any(np.diff(drawn) < 0)  # in random order


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nrmal(1)", "is not a table such as"),
        ("0", "is not a table such as"),
        (3, "is not a table such as"),
        ([1, 2], "is not a table such as"),
        ({}, "has 0 kinds"),
        (dict.fromkeys(range(65), 1), "has 65 kinds"),
        ({0: 0}, "must be positive"),
        ("0:-1", "must be positive"),
        ("0:x", "is not a number"),
        ("x:1", "is not a number"),
        ("normal(0)", "width of a law must be positive"),
        ("normal(11)", "up to a width of 10"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        problem(given)
    assert caught.value.argument == "biases"


def test_biases_need_an_intercept_and_a_function():
    with pytest.raises(tc.ArgumentError, match="only an intercept absorbs") as caught:
        problem("0:1", intercept=False)
    assert caught.value.argument == "biases"
    with pytest.raises(tc.DomainError, match="say nothing about biases") as caught:
        problem("1:1", tc.Activation.from_moments("1/2", "3/10"))
    assert caught.value.argument == "activation"
    with pytest.raises(tc.DomainError, match="say nothing about biases"):
        kind_numbers(tc.Activation.from_moments("1/2", "3/10"), Fraction(1), read_biases("normal"))


def test_one_kind_that_learns_is_enough():
    assert problem({0: 1, 1: 1}, "x**2").biases is not None  # at b = 0 c_1 vanishes, not at b = 1
    with pytest.raises(tc.DomainError, match="c_1 = 0"):
        tc.predict(problem({0: 1}, "x**2"), ell=1)


@pytest.mark.parametrize("biases", ["normal(1/2)", "uniform(1)", {0: 1, "sqrt(2)": 2}, {0.1: 0.3, -1: 0.7}])
def test_a_problem_with_biases_comes_back(biases):
    known = problem(biases)
    assert problem_from_dict(problem_to_dict(known)) == known
    assert (
        tc.Problem("tanh", "H1", phi="1/2", psi="2/3", ridge="1/10", intercept=True, biases=str(known.biases)) == known
    )
    assert problem_options(known)["biases"] == str(known.biases)
    assert f"biases={str(known.biases)!r}" in problem_call(known)


def test_numbers_of_a_kind_are_those_of_the_shifted_function():
    biases = read_biases({0: 1, "1/2": 1})
    found = kind_numbers(tc.activation("tanh"), Fraction(2), biases)
    wanted = [tc.activation("tanh(2*x)"), tc.activation("tanh(2*x + 1/2)")]
    assert [float(one.c1) for one in found] == pytest.approx([float(one.c1) for one in wanted], rel=1e-15)
    assert [float(one.c_rest) for one in found] == pytest.approx([float(one.c_rest) for one in wanted], rel=1e-15)


@pytest.mark.parametrize("activation", ["relu", "tanh", lambda x: np.maximum(x, 0.0) + 0.1 * x])
def test_the_numbers_of_a_law_are_those_of_its_nodes(activation):
    """Quadrature in float64 against enclosures, also of neurons that are as good as dead."""
    known = (
        tc.activation(activation)
        if isinstance(activation, str)
        else tc.Activation.from_callable(activation, kinks=[0.0])
    )
    biases = read_biases("normal(1)")
    found = kind_numbers(known, Fraction(1), biases)
    for i in (0, 60, 64, 128):
        exact = known.stretched(Fraction(1), biases.kinds[i].bias) if isinstance(activation, str) else None
        c1 = exact.c1 if exact else _slope(biases.kinds[i].bias)
        assert float(found[i].c1) == pytest.approx(float(c1), abs=1e-14)
        if exact:
            assert float(found[i].c_rest) == pytest.approx(float(exact.c_rest), abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_a_wide_law_has_neurons_that_do_nothing(activation):
    """Dead or saturated: c_1 and c_{>1} vanish, and c_0 is the value at the bias."""
    first = kind_numbers(tc.activation(activation), Fraction(1), read_biases("normal(3)"))[0]
    assert (first.c1, first.c_rest, first.mean) == pytest.approx((0, 0, -1 if activation == "tanh" else 0), abs=1e-15)


def _slope(b: float) -> float:
    from statistics import NormalDist

    return NormalDist().cdf(float(b)) + 0.1

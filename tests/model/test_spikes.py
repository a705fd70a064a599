"""K as a class: listed powers, or infinitely many of one parity or both."""

from __future__ import annotations

import math
import pickle

import pytest

import theorycalc as tc
from tests.helpers.problems import CASE, TEACHER
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes

EVERY = [Spikes(()), Spikes((1,)), Spikes((1, 2, 4)), Spikes((1, 4)), ALL, ODD, ONE_AND_EVEN]


def powers_below(end: int, spikes: Spikes) -> list[int]:
    """Return the powers k < ``end`` that are listed, or of a parity without end."""
    return [k for k in range(1, end) if k in spikes.listed or k % 2 in spikes.endless]


@pytest.mark.parametrize("spikes", EVERY, ids=str)
def test_what_results_show_is_read_back(spikes):
    assert Spikes.read(spikes.value) == spikes == pickle.loads(pickle.dumps(spikes))
    assert hash(Spikes.read(spikes.value)) == hash(spikes)


@pytest.mark.parametrize("spikes", EVERY, ids=str)
def test_its_answers_agree_with_its_powers(spikes):
    powers = powers_below(30, spikes)
    assert bool(spikes) == bool(powers)
    assert spikes.has_even == any(k % 2 == 0 for k in powers)
    assert spikes.largest == (max(powers, default=0) if spikes.is_finite else math.inf)
    for parity in (0, 1):
        reach = spikes.reach(parity, 29 - (parity == 0))
        assert reach == max((k for k in powers if k % 2 == parity), default=0)


def test_the_three_rules():
    assert powers_below(8, ALL) == [1, 2, 3, 4, 5, 6, 7]
    assert powers_below(8, ODD) == [1, 3, 5, 7]
    assert powers_below(8, ONE_AND_EVEN) == [1, 2, 4, 6]
    assert [spikes.beginning for spikes in (ALL, ODD, ONE_AND_EVEN)] == ["1, 2, 3, …", "1, 3, 5, …", "1 and 2, 4, 6, …"]


def test_a_long_list_is_shortened_where_it_is_shown():
    assert str(Spikes.up_to(12)) == "{" + ", ".join(map(str, range(1, 13))) + "}"
    assert str(Spikes.up_to(40)) == "{1, 2, 3, 4, 5, 6, 7, 8, 9, …, 40}"
    assert Spikes.up_to(40).cell == "1,2,3,4,5,6,7,8,9,…,40"


@pytest.mark.parametrize(
    ("text", "spikes"),
    [
        ("tanh", (1, 3, 5, 7, 9)),
        ("relu", (1, 2, 4, 6, 8)),
        ("gelu", (1, 2, 4, 6, 8)),
        ("silu", (1, 2, 4, 6, 8)),
        ("softplus", (1, 2, 4, 6, 8)),
        ("sigmoid", (1, 3, 5, 7, 9)),
        ("elu", tuple(range(1, 10))),
        ("relu(x)**2", (1, 2, 3, 5, 7, 9)),
        ("erf(x) + x**4", (1, 2, 3, 4, 5, 7, 9)),
        ("x**3 - 3*x + x**2/5 + x", (1, 2, 3)),
    ],
)
def test_spikes_are_decided(text, spikes):
    assert tc.activation(text).spikes(9) == spikes


@pytest.mark.slow
def test_undecided_coefficient_is_neither_in_nor_out():
    hidden = "tanh(x) + tanh(x)**2 + 1/cosh(x)**2"  # tanh(x) + 1, which the structure does not show
    problem = Problem(hidden, "H1 + H2", **CASE)
    assert tc.predict(problem, ell=0).test_gain == 0
    with pytest.raises(tc.DomainError, match=r"c_2 of .* is undecided: it lies in .* which contains 0"):
        problem.activation.spikes(2)
    with pytest.raises(tc.DomainError, match="undecided"):
        tc.predict(problem, ell=2)
    assert abs(tc.coefficients(hidden, 2)[2]) < 1e-15
    with pytest.raises(tc.PrecisionError, match="c_2 is undecided"):
        tc.coefficients(hidden, 2, digits=10)


def test_infinite_windows_follow_the_parity():
    rest = {"activation": "tanh", "teacher": TEACHER, **CASE}
    odd = tc.predict(Problem(**rest), ell="inf", digits=25)
    assert odd.spikes == "odd"
    assert odd.test_gain == tc.predict(Problem(**rest), ell=3, digits=25).test_gain  # the teacher has no odd k > 3
    relu = Problem("relu", TEACHER, **CASE)
    limit = tc.predict(relu, ell="inf")
    assert limit.spikes == "1+even"
    gains = [tc.predict(relu, ell=ell).test_gain for ell in (4, 20, 100, 200)]
    assert gains == sorted(gains)
    assert 0 < limit.test_gain - gains[-1] < limit.test_gain - gains[-2]
    # T²/S falls like 1/√ℓ: the limit is twice the gain at 4ℓ less the gain at ℓ, nearly
    near = 2 * tc.predict(relu, ell=200).test_gain - tc.predict(relu, ell=50).test_gain
    assert limit.test_gain == pytest.approx(near, rel=1e-3)
    with pytest.raises(tc.DomainError, match="besides every odd k"):
        tc.predict(Problem("relu(x)**2", TEACHER, **CASE), ell="inf")
    with pytest.raises(tc.DomainError, match="ell='inf'"):
        tc.predict(relu, ell=201)

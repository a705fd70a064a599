"""Problems by their sizes n, d, N: the same as by their ratios, and what verbs then need no more."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.sizes import realised, sizes_of
from theorycalc.results.quantities import COMPARED
from theorycalc.theory.limits import Values

SIZES = {"n": 900, "d": 300, "N": 600}
RATIOS = {"phi": "1/3", "psi": "1/2"}


def described(by, **options):
    return tc.Problem("tanh(x + 1)", "H1 + H2/2", ridge="1/10", noise="1/2", **(by | options))


@pytest.mark.slow
@pytest.mark.parametrize("samples", [(None, None), (450, "1/2")])
def test_sizes_are_ratios(samples):
    """step_samples counts points where sizes are given, and is n₀/n where ratios are."""
    sized = described(SIZES, step_samples=samples[0])
    ratios = described(RATIOS, step_samples=samples[1])
    assert (sized.phi, sized.psi) == (ratios.phi, ratios.psi) == (Fraction(1, 3), Fraction(1, 2))
    assert sized.step_ratio == ratios.step_ratio == (Fraction(1, 2) if samples[0] else 1)
    assert (sized.has_sizes, ratios.has_sizes) == (True, False)
    for asked in ({}, {"network": "literal"}):
        one, other = (tc.predict(case, ell=2, **asked) for case in (sized, ratios))
        assert all(getattr(one, name) == getattr(other, name) for name in Values._fields)
    one, other = tc.step(sized, alpha="3/10"), tc.step(ratios, n=900, alpha="3/10")
    assert one.sizes == other.sizes == (900, 300, 600)
    assert all(getattr(one, name) == getattr(other, name) for name in COMPARED)
    places = [tc.spectrum(case, n=n, eta=10).outliers for case, n in ((sized, None), (ratios, 900))]
    assert np.array_equal(*places)


@pytest.mark.slow
def test_verbs_take_the_sizes_of_the_problem():
    sized, ratios = described(SIZES), described(RATIOS)
    assert tc.best_ridge(sized, alpha="3/10") == tc.best_ridge(ratios, n=900, alpha="3/10")
    assert tc.best_step(sized) == tc.best_step(ratios, n=900)
    samples = {tc.samples_needed(case, ell=1, fraction="1/2", alpha="0.2") for case in (sized, ratios)}
    assert len(samples) == 1  # it looks for an n: sizes are ratios here


def test_another_n_scales_the_sizes():
    sized = described(SIZES, step_samples=300)
    found = tc.step(sized, n=1800, alpha="3/10")
    assert found.sizes == (1800, 600, 1200)
    assert found.problem.step_samples == 600
    assert found.train_gain == tc.step(described(RATIOS, step_samples="1/3"), n=1800, alpha="3/10").train_gain


def test_a_spectrum_without_a_step_needs_no_sizes():
    before = tc.spectrum(described(RATIOS))
    assert before.edges == tc.spectrum(described(SIZES)).edges
    assert before.step is None
    assert tc.spectrum(described(SIZES)).step is None


def test_ratios_beside_sizes_must_be_theirs():
    for phi in (Fraction(1, 3), "1/3", 1 / 3):
        assert described(SIZES | {"phi": phi, "psi": "0.5"}) == described(SIZES)
    assert dataclasses.replace(described(SIZES), ridge="1/5").n == 900


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ({}, r"needs the ratios phi= \(d/n\) and psi= \(d/N\), or the sizes n=, d= and N="),
        ({"phi": "1/2"}, "needs the ratios phi="),
        ({"n": 900}, "has sizes without d= and N="),
        ({"n": 900, "d": 300}, "has sizes without N="),
        ({"d": 300, "N": 600}, "has sizes without n="),
        ({"n": 900, "d": 300, "psi": "1/2"}, "has sizes without N="),
        (SIZES | {"phi": "1/2"}, "phi='1/2' contradicts the sizes, of which it is 1/3"),
        (SIZES | {"phi": 0.333}, "phi=0.333 contradicts the sizes"),
        (SIZES | {"phi": "a third"}, "'a third' is not a number"),
        (SIZES | {"psi": Fraction(2, 3)}, "psi=2/3 contradicts the sizes, of which it is 1/2"),
        (SIZES | {"n": 0}, "n=0 must be a positive whole number"),
        (SIZES | {"d": "many"}, "d='many' must be a positive whole number"),
        (SIZES | {"N": 1.5}, "N=1.5 must be a positive whole number"),
        (SIZES | {"step_samples": "1/2"}, "step_samples='1/2' must be a positive whole number"),
        (SIZES | {"step_samples": 0}, "step_samples=0 must be a positive whole number"),
        (RATIOS | {"step_samples": -1}, "step_samples=-1 must be positive"),
    ],
)
def test_sizes_that_are_refused(by, words):
    with pytest.raises(tc.TheoryError, match=words):
        described(by)


def test_a_problem_without_a_ridge_is_refused():
    with pytest.raises(tc.ArgumentError, match=r"needs ridge=, the λ of the ridge fit \(weight decay"):
        tc.Problem("relu", "H1", **SIZES)


@pytest.mark.parametrize(
    "ask",
    [
        lambda case: tc.step(case, alpha="3/10"),
        lambda case: tc.best_ridge(case, alpha="3/10"),
        tc.best_step,
        lambda case: tc.spectrum(case, alpha="3/10"),
        lambda case: tc.weight_spectrum(case, alpha="3/10"),
    ],
)
def test_ratios_alone_are_no_network(ask):
    with pytest.raises(tc.ArgumentError, match="n="):
        ask(described(RATIOS))


def test_sizes_beside_a_problem_that_has_them():
    sized = described(SIZES)
    assert sizes_of(sized, d=300, N=600) == (900, 300, 600)
    with pytest.raises(
        tc.DomainError, match=r"d=200 contradicts the problem, whose φn is 300; .*n=, d= and N= in place of phi="
    ):
        tc.step(sized, d=200, alpha="3/10")


def test_sizes_that_are_realised_are_sizes():
    case = realised(described(RATIOS, step_samples="1/7"), sizes_of(described(RATIOS), 1000))
    assert (case.n, case.d, case.N, case.step_samples) == (1000, 333, 666, 143)
    assert (case.phi, case.psi, case.step_ratio) == (Fraction(333, 1000), Fraction(1, 2), Fraction(143, 1000))


def test_sizes_are_in_json():
    data = json.loads(json.dumps(described(SIZES, step_samples=300).to_dict(), allow_nan=False))
    assert {name: data[name] for name in ("phi", "psi", "n", "d", "N", "step_samples")} == {
        "phi": "1/3",
        "psi": "1/2",
        **SIZES,
        "step_samples": 300,
    }
    plain = described(RATIOS, step_samples="1/2").to_dict()
    assert (plain["n"], plain["step_samples"]) == (None, "1/2")


def test_problems_with_sizes_are_values():
    assert described(SIZES) == described(SIZES)
    assert hash(described(SIZES)) == hash(described(SIZES))
    assert described(SIZES) != described(RATIOS)


def test_a_teacher_has_no_more_directions_than_there_are_inputs():
    case = tc.Problem("relu", "t1 + t2 + t3", n=3, d=2, N=2, ridge="1/10")
    with pytest.raises(tc.TheoryError, match="3 orthonormal directions, and d = 2 inputs have no more than 2"):
        sizes_of(case)


def test_more_directions_than_inputs_are_refused_by_steps_too():
    several = tc.Problem("relu", "t1 + t2*t3", "1/2", "2/3", "1/10")
    for call in (tc.step, tc.spectrum):
        with pytest.raises(tc.TheoryError, match="3 orthonormal directions, and d = 2 inputs") as caught:
            call(several, n=4, eta=1)
        assert caught.value.argument == "teacher"

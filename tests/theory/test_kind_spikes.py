"""Spikes of neurons with biases, and what is refused of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.kind_spikes import kind_conditions, kind_notes, kind_spikes
from theorycalc.theory.pencil.numerics import float_gains, pencil_of

SETTING = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}


def problem(activation: object, biases: object, **options: object) -> tc.Problem:
    return tc.Problem(activation, "H1", "1/2", "2/3", "1/10", intercept=True, biases=biases, **options)


@pytest.mark.parametrize(
    ("activation", "biases", "up_to_four", "endless"),
    [
        ("tanh", {0: 1}, (1, 3), ODD),
        ("tanh", {0: 1, 1: 1}, (1, 2, 3, 4), ALL),
        ("tanh", "normal", (1, 2, 3, 4), ALL),
        ("relu", {0: 1}, (1, 2, 4), ONE_AND_EVEN),
        ("relu", "uniform(1)", (1, 2, 3, 4), ALL),
        ("H1 + H4", {0: 1}, (1, 4), Spikes((1, 4))),
        ("H1 + H4", {0: 1, 1: 1}, (1, 2, 3, 4), Spikes((1, 2, 3, 4))),
        ("H1 + H3", "normal", (1, 2, 3), Spikes((1, 2, 3))),
        ("x**2", {0: 1, 1: 1}, (1, 2), Spikes((1, 2))),
    ],
)
def test_a_spike_is_there_if_one_kind_has_it(activation, biases, up_to_four, endless):
    known = problem(activation, biases)
    assert kind_spikes(known, 4).listed == up_to_four
    assert kind_spikes(known, math.inf) == endless
    holds = [condition.holds for condition in kind_conditions(known, 4)]
    assert holds[:2] == [False, up_to_four == (1, 2, 3, 4)]
    missing = any("missing" in note for note in kind_notes(known, 4, kind_spikes(known, 4)))
    assert missing == (up_to_four != (1, 2, 3, 4))


def test_a_kind_that_does_not_move_has_no_spikes():
    """At b = 0, x² has c_2 but no c_1, so the step leaves these neurons where they are."""
    even = problem("x**2 + x**4", {0: 1, 1: 1})
    only = problem("x**2 + x**4", {1: 1})
    assert kind_spikes(even, 6) == kind_spikes(only, 6)


@pytest.mark.parametrize(
    ("activation", "biases", "signs", "constants"),
    [
        ("tanh", {0: 1}, (1,), (1,)),
        ("relu", {0: 1}, (1, 2), (1,)),
        ("tanh", {"1/2": 1, 2: 1}, (1, 2, 3, 4), (1, 2)),
        ("tanh", {0: 1, 1: 1}, (1, 2, 3), (1, 2)),  # at b = 0 no even ones
        ("relu", {-1: 1, 1: 1}, (1, 2, 3, 6), (1, 3)),  # c_2 is the same at ±1, and c_4 is 0 there
        ("relu", {0: 1, 1: 1, 2: 1}, (1, 2, 3, 4, 5, 6), (1, 2, 3)),
        ("x**2", {1: 1, 2: 1}, (1, 2), (1,)),  # c_1²c_1 ∝ b², and so is c_1²c_2
    ],
)
def test_spikes_of_equal_squares_are_those_whose_vectors_differ(activation, biases, signs, constants):
    """M kinds have M vectors of each parity, or M in all; one kind has what it has without biases."""
    for layer, wanted in (("sign", signs), ("constant", constants)):
        known = problem(activation, biases, second_layer=layer)
        assert kind_spikes(known, 6).listed == wanted
        assert kind_spikes(known, math.inf).listed == wanted
        assert kind_spikes(known, 1).listed == (1,)
        if len(biases) == 1:
            assert kind_spikes(known, 6) == spikes_of(problem(activation, None, second_layer=layer), 6)


@pytest.mark.parametrize(("layer", "ell"), [("sign", 4), ("constant", 2)])
def test_strong_spikes_of_equal_squares_reach_the_limit(layer, ell):
    """The pencil with spikes that are far apart; the powers of one kind are refuted."""
    known = tc.Problem("tanh", "H1 + H2/2 + H3/3 + H4/5", **SETTING, biases={"1/2": 1, 2: 1}, second_layer=layer)
    strong = float_gains(pencil_of(known, 750, "labels").up_to(ell), np.array([1e4]), np.array([0.1]))
    limit = tc.predict(known, ell=ell)
    assert (strong.train[0], strong.test[0]) == pytest.approx((limit.train_gain, limit.test_gain), rel=1e-4)
    fewer = tc.predict(known, ell=ell - 1)
    assert abs(fewer.test_gain / strong.test[0] - 1) > 1e-3
    further = tc.predict(known, ell=ell + 1)
    assert further.spikes == limit.spikes
    assert any("coincide" in note for note in further.notes)


def test_layers_whose_spikes_cannot_be_told_apart_are_refused():
    known = problem(tc.Activation.from_callable(np.tanh), {0: 1, 1: 1}, second_layer="sign")
    assert kind_spikes(known, 1).listed == (1,)
    with pytest.raises(tc.DomainError, match="activation as text") as caught:
        kind_spikes(known, 2)
    assert caught.value.argument == "second_layer"


@pytest.mark.parametrize(
    ("activation", "constants"), [("tanh", ALL), ("relu", ALL), ("x**3", (1, 2, 3)), ("x**2", (1,)), ("x", (1,))]
)
def test_a_law_has_all_spikes_beside_every_second_layer(activation, constants):
    """But for a quadratic σ and equal a_i; a table of as many kinds as there are powers has what its law has."""
    for layer in ("gaussian", "sign", "constant"):
        law = problem(activation, "uniform(1)", second_layer=layer)
        table = problem(activation, {f"{2 * k + 1}/9": k + 4 for k in range(-3, 4)}, second_layer=layer)
        known = {ell: kind_spikes(law, ell, lengthened=True) for ell in (0, 1, 2, 4, 6)}
        assert all(kind_spikes(law, ell) == found == kind_spikes(table, ell) for ell, found in known.items())
        if layer == "constant":
            endless = kind_spikes(law, math.inf)
            assert constants in (endless, endless.listed)
            assert kind_conditions(law, math.inf)[1].holds is (endless == ALL)


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["sign", "constant"])
def test_strong_spikes_of_a_law_reach_its_limit(layer):
    """Dressed features of ten kinds, at n = 10^20 in window 2; without h² it is another limit."""
    setting = {"teacher": "H1 + H2/2 - H3/8", "phi": "1/20", "psi": "1/15", "ridge": "1/10", "noise": "1/2"}
    known = tc.Problem("relu", **setting, intercept=True, biases="uniform(2)", second_layer=layer)
    found = tc.step(known, n=10**20, alpha="0.3", gradient="labels")
    limits = [tc.predict(known, ell=ell, network="literal", gradient="labels").test_gain for ell in (1, 2)]
    assert found.test_gain == pytest.approx(limits[1], rel=1e-2)
    assert limits[0] < 0.1 * limits[1]


def test_a_sampled_function_beside_a_law_shows_that_it_is_not_quadratic():
    def curved(x):
        return np.tanh(1.0) * x + 0.0 * np.sort(x) + x**2

    law = problem(curved, "normal(1)", second_layer="constant")
    assert kind_spikes(law, 1).listed == (1,)
    with pytest.raises(tc.DomainError, match="c_3 of"):
        kind_spikes(law, 2)
    sampled = problem(tc.Activation.from_callable(np.tanh), "normal(1)", second_layer="constant")
    assert kind_spikes(sampled, 2).listed == (1, 2)


def test_a_law_says_that_its_digits_are_not_proven():
    known = problem("tanh", "normal")
    assert any("no digits are proven" in note for note in kind_notes(known, 2, Spikes((1, 2))))


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("network", [{}, {"network": "literal"}, {"network": "literal", "gradient": "labels"}])
def test_one_kind_without_a_bias_is_no_kind(network, centred):
    plain = tc.predict(tc.Problem("relu", "H1 + H2/2", **SETTING, centred=centred), ell=2, **network)
    kinds = tc.predict(tc.Problem("relu", "H1 + H2/2", **SETTING, centred=centred, biases={0: 1}), ell=2, **network)
    for name in ("m1", "m2", "m2_slope", "kappa", "train_gain", "test_gain", "train_loss", "test_loss", "train_error"):
        assert getattr(kinds, name) == pytest.approx(getattr(plain, name), rel=1e-13)


def test_one_kind_with_a_bias_is_the_shifted_activation():
    shifted = tc.Problem("tanh(x/2 + 1)", "H1 + H2/2 + H3/6", **SETTING)
    biased = tc.Problem("tanh", "H1 + H2/2 + H3/6", **SETTING, first_scale="1/2", biases={1: 3})
    for ell in (0, 1, 3, "inf"):
        one, other = (tc.predict(problem, ell=ell, network="literal", digits=25) for problem in (shifted, biased))
        for name in ("test_gain", "train_loss", "rho"):
            assert abs(getattr(one, name) - getattr(other, name)) < 1e-24


def test_floats_and_proven_digits_agree():
    known = tc.Problem("tanh", "H1 + H2/2", **SETTING, biases={0: 1, 1: 2}, centred=False)
    for form in ({}, {"form": "matrix"}, {"network": "literal"}):
        floats, digits = tc.predict(known, ell=2, **form), tc.predict(known, ell=2, digits=20, **form)
        assert floats.guarantee == "rounded"
        for name in ("test_gain", "train_gain", "test_loss", "kappa"):
            assert getattr(floats, name) == pytest.approx(float(getattr(digits, name)), rel=1e-13)


@pytest.mark.slow
def test_many_kinds_of_a_table_are_a_law():
    """Sixty-four equal shares at the middles of the cells of a uniform law: the error of the midpoint rule."""
    cells = {f"{2 * i + 1 - 64}/64": 1 for i in range(64)}
    law, table = (
        tc.predict(tc.Problem("relu", "H1 + H2/2", **SETTING, biases=biases), ell=2, network="literal")
        for biases in ("uniform(1)", cells)
    )
    assert law.guarantee == "estimated"
    for name in ("m1", "m2", "kappa", "test_gain", "train_gain"):
        assert getattr(table, name) == pytest.approx(getattr(law, name), rel=2e-4)
        assert getattr(table, name) != getattr(law, name)


def test_what_limits_with_biases_refuse():
    known = tc.Problem("tanh", "H1 + H2/2", **SETTING, biases={0: 1, 1: 1})
    law = tc.Problem("tanh", "H1 + H2/2", **SETTING, biases="normal")
    floats = tc.Problem("tanh", "H1 + H2/2", **SETTING, biases={0.1: 1, 1: 1})
    for call, argument, words in (
        (lambda: tc.predict(law, ell=2, digits=20), "biases", "no digits are proven"),
        (lambda: tc.predict(floats, ell=2, digits=20), "biases", "biases"),
        (lambda: tc.predict(known, ell=2, as_printed=True), "as_printed", "network of the slides"),
    ):
        with pytest.raises(tc.TheoryError, match=words) as caught:
            call()
        assert caught.value.argument == argument

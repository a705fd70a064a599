"""Notes and refusals of a prediction: missing coefficients, even spikes, and what a teacher lacks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.agreement import CLOSE, agree
from tests.helpers.problems import CUBIC, problem
from tests.helpers.teachers import sine_teacher


def test_missing_and_assumed_coefficients_are_said():
    assumed = tc.predict(problem(tc.Activation.from_moments("1/2", "3/10")), ell=3)
    assert assumed.spikes == (1, 2, 3)
    assert any("not known" in note for note in assumed.notes)
    assert [c.holds for c in assumed.conditions if "k ≤ ℓ" in c.statement] == [None]
    known = tc.predict(problem(CUBIC), ell=3)
    assert [c.holds for c in known.conditions if "k ≤ ℓ" in c.statement] == [True]
    beyond = tc.predict(problem(CUBIC), ell=5)
    assert beyond.spikes == (1, 2, 3)
    assert any("beyond k = 3" in note for note in beyond.notes)
    linear = tc.predict(problem(tc.Activation.from_moments("1/2", 0)), ell=4)
    assert linear.spikes == (1,)


def test_even_spikes_are_said_to_be_the_printed_ones():
    def said(activation, ell, **options):
        notes = tc.predict(tc.Problem(activation, ["1", "1/2"], "1/2", "2/3", "1/10"), ell=ell, **options).notes
        return any("even spikes have the paper's gains" in note for note in notes)

    assert [said("relu", ell) for ell in (0, 1, 2, "inf")] == [False, False, True, True]
    assert not said("relu", 2, network="literal")
    assert not said("tanh", 4)
    assert not said("tanh", "inf")


@pytest.mark.checks("ceiling")
def test_the_mean_of_a_teacher_is_removed_and_said():
    activation = tc.Activation.from_moments("1/2", "3/10")
    for ell in (3, "inf"):
        plain, shifted = (
            tc.predict(problem(activation, sine_teacher(mean)), ell=ell, digits=30)
            for mean in (Fraction(0), Fraction(2, 3))
        )
        assert agree(plain, shifted)
        assert any("mean 2/3 was removed" in note for note in shifted.notes)
        for kind in ("train", "test"):
            before, gain, after = (getattr(shifted, f"{kind}_{part}") for part in ("loss_initial", "gain", "loss"))
            assert abs(before - gain - after) <= CLOSE * before


def test_what_a_teacher_lacks_is_said():
    bare = tc.Teacher.from_moments(["1/2"], second_moment="1")
    case = problem(tc.Activation.from_moments("1/2", "3/10"), bare)
    with pytest.raises(tc.DomainError, match="up to k = 2"):
        tc.predict(case, ell=2)
    with pytest.raises(tc.DomainError, match="covariance"):
        tc.predict(case, ell="inf")
    wrong = tc.Teacher.from_moments(["1/2"], second_moment="1", covariance=lambda ns, t: 50 * t)
    with pytest.raises(tc.DomainError, match="covariance at correlation 1"):
        tc.predict(problem(tc.Activation.from_moments("1/2", "3/10"), wrong), ell="inf")
    with pytest.raises(tc.DomainError, match="second_moment is less"):
        tc.predict(problem(teacher=tc.Teacher.from_moments(["2"], second_moment="1")), ell=1)


@pytest.mark.parametrize(
    ("options", "broken"),
    [
        ({"intercept": True}, "a fit without intercept, of centred activations and labels"),
        ({"teacher": "t1 + t1*t2"}, "a teacher of one direction"),
        ({"steps": 3}, "one gradient step"),
        ({"corrupt_fit": "1/10"}, "labels that are not corrupted"),
    ],
)
def test_an_extension_of_the_theorem_is_not_called_printed(options, broken):
    described = tc.Problem("relu", **({"teacher": "H1 + H2/2"} | options), phi="1/2", psi="2/3", ridge="1/10")
    found = tc.predict(described, ell=2)
    assert broken in [condition.statement for condition in found.conditions if condition.holds is False]
    assert found.notes[0].startswith("the theorem, extended")


def test_neurons_with_biases_have_means_of_their_own():
    biased = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", intercept=True, biases={0: 1, 1: 1})
    assert "each neuron is less its own mean c_0(b)" in tc.predict(biased, ell=1).notes
    assert not [note for note in tc.predict(biased, ell=1).notes if "was subtracted" in note]


def test_one_bias_is_a_shifted_activation_in_notes_and_conditions():
    shape = {"teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "intercept": True, "centred": False}
    biased, shifted = tc.Problem("tanh", **shape, biases={1: 1}), tc.Problem("tanh(x + 1)", **shape)

    def shares(problem: tc.Problem) -> list[str]:
        return [c.statement for c in tc.predict(problem, ell=2).conditions if "share of ‖β‖²" in c.statement]

    assert shares(biased) == shares(shifted) != []
    for one in (biased, shifted):
        assert any("Z ~ N(0, 1)" in note for note in tc.predict(one, ell=2, network="literal").notes)


def test_notes_say_that_labels_are_centred_before_they_are_flipped():
    labels = {flip: tc.Problem("relu", "sign(x + 1)", 1, 1, 1, flip_fit=flip) for flip in ("0", "1/10")}
    notes = {flip: [note for note in tc.predict(p, ell=1).notes if "mean" in note][-1] for flip, p in labels.items()}
    assert notes["0"].endswith("was removed")
    assert notes["1/10"].endswith("was removed, 4/5 of it where signs of the fit's labels were flipped")


def test_a_prediction_as_printed_names_one_gain():
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    found = tc.predict(problem, ell=1, as_printed=True)
    assert not any("factor restored" in note for note in found.notes)
    assert sum("as the slides print it" in note for note in found.notes) == 1
    assert any("factor restored" in note for note in tc.predict(problem, ell=1).notes)


@pytest.mark.parametrize("ridge", ["1/10", ["1/10", "10"]])
def test_a_negative_loss_as_printed_is_called_impossible(ridge):
    problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    found = tc.predict(problem, ell=1, as_printed=True, ridge=ridge)
    assert np.min(found.test_loss) < 0
    assert any("a negative squared error is impossible" in note for note in found.notes)
    for other in (tc.predict(problem, ell=1, ridge=ridge), tc.predict(problem, ell=1, as_printed=True, ridge=10)):
        assert not any("impossible" in note for note in other.notes)


@pytest.mark.parametrize("gradient", ["residual", "labels"])
def test_one_note_says_that_a_free_constant_absorbs_the_lengthening(gradient):
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", intercept=True)
    notes = tc.predict(problem, ell=2, network="literal", gradient=gradient).notes
    (one,) = (note for note in notes if "τ" in note)
    assert one.endswith("h² + τ, but a constant is free: even spikes have no floor T²/S, and τ changes nothing")
    assert not any("τ" in note for note in tc.predict(problem, ell=2).notes)

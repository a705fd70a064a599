"""Words of figures: the parameters, and the problem in short."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE
from theorycalc.model.parameters import PARAMETERS
from theorycalc.plots.words import case_title, check_drawable, number_label, numbers_of, parameter_words


def test_axes_are_labelled_with_the_words_of_the_table():
    for name in ("phi", "psi", "ridge", "noise", "alpha", "eta", "n"):
        assert PARAMETERS[name].words in parameter_words(name)


def test_a_title_names_activation_teacher_and_numbers():
    title = case_title(EXAMPLE)
    assert "relu" in title
    assert numbers_of(EXAMPLE) in title
    assert "λ" not in numbers_of(EXAMPLE, without=["ridge"])


@pytest.mark.parametrize(("value", "label"), [(0.1, "0.1"), (1000, "1000"), (1.0, "1")])
def test_numbers_are_short(value, label):
    assert number_label(value) == label


def test_infinite_losses_have_no_figure():
    found = tc.predict(tc.Problem("relu", "H1", "1/2", "1/2", 0, "1/2"), ell=1)
    with pytest.raises(tc.DomainError):
        check_drawable(found, ["test_loss"])

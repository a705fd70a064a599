"""Initialisations of libraries, as texts of the page's fields."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.explorer.answers import answer
from theorycalc.explorer.fields import case_of
from theorycalc.model.initialisations import INITIALISATIONS


def test_the_first_values_are_the_theory_s_own():
    assert answer("now", {})["initialisation"] == "theory"
    assert answer("now", {"first_scale": "2"})["initialisation"] is None


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_the_fields_of_an_initialisation_are_its_layers(name):
    """Chosen on the page and typed into its fields, it is the one of the library, and the page says its name."""
    fields = answer("choices", {})["initialisations"][name]["fields"]
    problem = case_of(fields).problem
    layers = tc.conventions.layers_from(name, d=500, N=750)
    assert {field: getattr(problem, field) for field in fields} == layers._asdict()
    assert answer("now", fields)["initialisation"] == name


def test_scales_that_follow_the_sizes_are_of_these_sizes_only():
    fields = answer("choices", {})["initialisations"]["glorot_normal"]["fields"]
    assert answer("now", fields)["initialisation"] == "glorot_normal"
    assert answer("now", fields | {"psi": "1/2"})["initialisation"] is None
    assert answer("choices", {"psi": "1/2"})["initialisations"]["glorot_normal"]["fields"] != fields

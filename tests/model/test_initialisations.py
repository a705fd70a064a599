"""Layers as libraries draw them: their lengths and laws measured, the way back, and the table of the page."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.model.test_conventions import PAGE
from theorycalc.model.initialisations import INITIALISATIONS, EntryLaw, times

d, N = 300, 500

#: The standard deviation of entries with these numbers of inputs and outputs, as the libraries document it.
DOCUMENTED = {
    "torch": lambda inputs, outputs: 1 / np.sqrt(3 * inputs),
    "he_normal": lambda inputs, outputs: np.sqrt(2 / inputs),
    "he_uniform": lambda inputs, outputs: np.sqrt(6 / inputs) / np.sqrt(3),
    "glorot_normal": lambda inputs, outputs: np.sqrt(2 / (inputs + outputs)),
    "glorot_uniform": lambda inputs, outputs: np.sqrt(6 / (inputs + outputs)) / np.sqrt(3),
    "lecun_normal": lambda inputs, outputs: np.sqrt(1 / inputs),
    "lecun_uniform": lambda inputs, outputs: np.sqrt(3 / inputs) / np.sqrt(3),
}


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_lengths_of_layers_that_are_drawn(name):
    rng, std = np.random.default_rng(1), DOCUMENTED[name]
    uniform = INITIALISATIONS[name].law == EntryLaw.UNIFORM
    draw = (lambda size: np.sqrt(3) * rng.uniform(-1, 1, size)) if uniform else rng.standard_normal
    squares = np.square(std(d, N) * draw((N, d))).sum(axis=1)
    found = tc.conventions.layers_from(name, d=d, N=N)
    error = squares.std() / np.sqrt(N)
    assert abs(squares.mean() - float(found.first_scale) ** 2) < 4 * error
    seconds = np.square(std(N, 1) * draw(100 * N)) * N
    assert abs(seconds.mean() - float(found.second_scale) ** 2) < 4 * seconds.std() / np.sqrt(100 * N)
    assert (found.first_layer, found.second_layer) == (("sphere", "uniform") if uniform else ("gaussian", "gaussian"))


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_entries_lead_back(name):
    layers = tc.conventions.layers_from(name, d=d, N=N)
    problem = tc.Problem("relu", "H1", n=100, d=d, N=N, ridge=1, **layers._asdict())
    entries = tc.conventions.entries_of(problem)
    assert float(entries.first_std) == pytest.approx(DOCUMENTED[name](d, N))
    assert float(entries.second_std) == pytest.approx(DOCUMENTED[name](N, 1))
    assert float(entries.first_bound) == pytest.approx(3**0.5 * DOCUMENTED[name](d, N))
    law = INITIALISATIONS[name].law
    assert tc.conventions.layers_of(entries.first_std, entries.second_std, d=d, N=N, law=law) == layers


def test_the_page_has_every_initialisation():
    both = {"2d/(d + N)": Fraction(2 * d, d + N), "2N/(N + 1)": Fraction(2 * N, N + 1)}
    for name, one in INITIALISATIONS.items():
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
        *_, first, second, law = row.strip("| ").split(" | ")
        found = tc.conventions.layers_from(name, d=d, N=N)
        assert law == one.law
        for said, scale in ((first, found.first_scale), (second, found.second_scale)):
            assert float(both.get(said) or Fraction(said)) == pytest.approx(float(scale) ** 2)


def test_products_are_exact_where_their_factors_are():
    assert times(Fraction(1, 2), Fraction(2, 3)) == Fraction(1, 3)
    assert times(0.5, Fraction(1, 2)) == 0.25
    assert tc.conventions.layers_of(0.05, "1/sqrt(500)", d=400, N=500)[:2] == (1.0, 1)


@pytest.mark.parametrize(
    ("call", "argument", "words"),
    [
        (lambda: tc.conventions.layers_from("keiming"), "initialisation", "he_normal"),
        (lambda: tc.conventions.layers_from("glorot_normal", d=3), "N", "needs d and N; N is not given"),
        (lambda: tc.conventions.layers_of(0, 1, d=3, N=3), "first_std", "must be positive"),
        (lambda: tc.conventions.layers_of(1, 1, d=3, N=3, law="cauchy"), "law", "uniform"),
        (lambda: tc.conventions.entries_of(tc.Problem("relu", "H1", 1, 1, 1)), "problem", "give sizes"),
    ],
)
def test_refusals(call, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        call()
    assert caught.value.argument == argument

"""Notes on measurements of another network, or of another quantity than their column says."""

from __future__ import annotations

from dataclasses import replace

import pytest

import theorycalc as tc
from theorycalc.comparison.doubts import doubts

NETWORK = tc.Problem("tanh", "sin(x)", n=200, d=70, N=130, ridge="1/100", noise="1/10", first_scale=2)
BEFORE = "already the test loss before the step differs: check the initialisation"
PENALTY = (
    "the numbers in train_loss fit train_error, the error without the penalty, and not train_loss: rename the column"
)


@pytest.fixture(scope="module")
def draws():
    return tc.simulate(NETWORK, eta=5, replicates=12, seed=0).draws


def table(draws, **names):
    return [{name: draw[of] for name, of in ({"eta": "eta"} | names).items()} for draw in draws]


def test_another_initialisation_is_noted_though_the_gain_agrees(draws):
    """Rows of length 2 instead of 1: the loss before the step is 40 % larger, whatever the learning rate."""
    measured = table(draws, test_loss_initial="test_loss_initial", test_loss="test_loss")
    wrong = tc.compare(measured, replace(NETWORK, first_scale=1))
    assert wrong.notes[0].startswith(BEFORE)
    assert "tc.conventions.layers_from" in wrong.notes[0]
    assert "tc.ridge_from" in wrong.notes[0]
    for quiet in (tc.compare(measured, NETWORK), tc.compare(measured, NETWORK, beside=replace(NETWORK, first_scale=1))):
        assert not any(BEFORE in note for note in quiet.notes)


def test_a_training_error_in_the_column_of_the_loss_is_noted(draws):
    measured = table(draws, train_loss="train_error", train_loss_initial="train_error_initial")
    found = tc.compare(measured, NETWORK)
    assert PENALTY in found.notes
    assert not any("training loss before" in note for note in found.notes)
    right = table(draws, train_loss="train_loss", train_error="train_error")
    assert PENALTY not in tc.compare(right, NETWORK).notes


@pytest.mark.parametrize(
    ("observed", "error", "noted"),
    [(0.3, 0.01, True), (0.3, 0.03, False), (0.215, 0.001, False), (0.1, 0.01, True)],
    ids=["far", "uncertain", "near", "below"],
)
def test_much_is_five_standard_errors_and_a_tenth(observed, error, noted):
    row = {"quantity": "train_loss_initial", "predicted": 0.2, "observed": observed, "standard_error": error}
    found = doubts([row | {"z": (observed - 0.2) / error}], {"train_loss_initial": [0.2]}, 0)
    assert [note[:43] for note in found] == (["already the training loss before the step d"] if noted else [])

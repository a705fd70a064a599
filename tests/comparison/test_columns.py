"""Columns that logs and libraries call otherwise: the hint is right, and a table that has both is read."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.comparison.columns import check_columns
from theorycalc.comparison.measurements import read_measurements
from theorycalc.results.quantities import OBSERVED


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("val_loss", "test_loss"),
        ("validation_loss", "test_loss"),
        ("valid_mse", "test_loss"),
        ("test_loss_before", "test_loss_initial"),
        ("loss_test_init", "test_loss_initial"),
        ("test_loss_after", "test_loss"),
        ("Test Loss", "test_loss"),
        ("test_error", "test_loss"),
        ("test_error_rate", "error_rate"),
        ("train_mse", "train_error"),
        ("training_error_before", "train_error_initial"),
        ("val_loss_sem", "test_loss_se"),
        ("test_gain_stderr", "test_gain_se"),
        ("test_los", "test_loss"),
    ],
)
def test_the_hint_is_the_column_that_is_meant(name, meant):
    with pytest.raises(tc.ArgumentError) as raised:
        check_columns(["eta", name], [])
    assert f"the table has a column {name!r}; did you mean {meant!r}?" in str(raised.value)


@pytest.mark.parametrize("name", ["test_loss_std", "val_loss_sd", "test_mse_stdev"])
def test_a_standard_deviation_is_no_standard_error(name):
    with pytest.raises(
        tc.ArgumentError, match="divide it by the root of the number of runs, and call it 'test_loss_se'"
    ):
        check_columns(["eta", "test_loss", name], ["test_loss"])


@pytest.mark.parametrize("name", ["lr", "learning_rate", "Learning Rate", "step_size"])
def test_a_learning_rate_is_translated_and_not_guessed(name):
    with pytest.raises(tc.ArgumentError, match=r"as eta: η = 2·lr for torch's MSELoss, by tc.conventions.eta_from"):
        check_columns([name, "test_loss"], ["test_loss"])
    assert tc.conventions.eta_from("mean", 1) == 2
    check_columns([name, "eta", "test_loss"], ["test_loss"])


def test_columns_beside_those_that_they_would_be_are_only_not_used():
    table = {"eta": [1, 1], "test_loss": [1, 2], "val_loss": [1, 2], "lr": [3, 3]}
    assert read_measurements(table)[1] == ("columns that are not used: val_loss, lr",)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators_are_named(separator):
    with pytest.raises(tc.ArgumentError, match=r"the only column is .*: read it by pandas.read_csv"):
        check_columns([f"eta{separator}test_loss"], [])


def test_no_name_of_a_column_here_has_a_hint():
    check_columns(["eta", "ridge", "replicates", *OBSERVED, *(f"{name}_se" for name in OBSERVED)], OBSERVED)

"""Your own measurements: read from tables and files, compared with theory, and refused with a sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.comparison.measurements import check_columns, read_measurements
from theorycalc.results.quantities import OBSERVED

NETWORK = tc.Problem("tanh", "sin(x)", n=900, d=300, N=600, ridge="1/100", noise="1/10")
DRAWS = {"eta": [20] * 8, "test_loss": [0.14, 0.15, 0.146, 0.149, 0.142, 0.15, 0.147, 0.145]}


def test_several_rows_of_a_step_are_its_draws():
    (row,), notes = read_measurements(DRAWS)
    values = np.array(DRAWS["test_loss"])
    assert (row["eta"], row["alpha"], row["ridge"], row["replicates"]) == (20.0, None, None, 8)
    assert row["test_loss"] == pytest.approx(values.mean())
    assert row["test_loss_se"] == pytest.approx(values.std(ddof=1) / np.sqrt(8))
    assert notes == ()


def test_gains_follow_from_losses_of_the_same_draw():
    draws = {"eta": [3, 3], "test_loss_initial": [1.0, 1.2], "test_loss": [0.9, 1.0]}
    (row,), _ = read_measurements(draws)
    assert row["test_gain"] == pytest.approx(0.15)
    assert row["test_gain_se"] == pytest.approx(0.05)


def test_the_same_table_in_every_shape(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "measured.csv"
    path.write_text("eta,test_loss\n" + "".join(f"20, {x}\n" for x in DRAWS["test_loss"]), encoding="utf-8-sig")
    rows = [{"eta": 20, "test_loss": x} for x in DRAWS["test_loss"]]
    tables = [DRAWS, pandas.DataFrame(DRAWS), rows, path, str(path)]
    found = [tc.compare(table, NETWORK) for table in tables]
    assert all(one.rows == found[0].rows for one in found)
    assert found[0].looks == 1
    assert found[0].rows[0]["predicted"] == tc.step(NETWORK, eta=20).test_loss
    assert found[0].rows[0]["ridge"] == 0.01


def test_a_right_measurement_agrees_and_a_wrong_one_does_not():
    """A plain network gives 0.146 ± 0.004 here; the theorem's step on the labels has 0.113."""
    measured = {"eta": 20, "test_loss": 0.146, "test_loss_se": 0.004, "replicates": 12}
    assert tc.compare(measured, NETWORK).agrees
    assert tc.compare(measured, tc.step(NETWORK, eta=20, gradient="labels")).verdict == "differ"
    assert tc.compare(measured | {"test_loss": 0.3}, NETWORK).verdict == "differ"


def test_exponents_ridges_and_limits():
    measured = {"alpha": [0.2, 0.2], "ridge": [0.01, 0.1], "test_gain": [0.01, 0.02], "test_gain_se": [0.001, 0.002]}
    found = tc.compare(measured, tc.step(NETWORK, alpha=0.2), beside=tc.predict(NETWORK, ell=1, network="literal"))
    assert [row["ridge"] for row in found.judged] == [0.01, 0.1]
    expected = tc.step(NETWORK, alpha=0.2, ridge=[0.01, 0.1]).test_gain
    assert [row["predicted"] for row in found.judged] == pytest.approx(list(expected), rel=1e-9)
    limit = tc.predict(NETWORK, ell=1, network="literal", ridge=[0.01, 0.1]).test_gain
    assert [row["predicted"] for row in found.rows if not row["judged"]] == pytest.approx(list(limit))
    with pytest.raises(tc.ArgumentError, match="nothing was observed at the step"):
        tc.compare(measured, tc.step(NETWORK, eta=7))


def test_a_step_without_a_number_is_refused_and_a_missing_quantity_is_said():
    nothing = [math.nan, math.nan]
    with pytest.raises(tc.ArgumentError, match="the step η = 20 has no number of any loss or gain"):
        read_measurements({"eta": [5, 5, 20, 20], "test_loss": [0.1, 0.2, *nothing]})
    table = {"eta": [5, 5, 20, 20], "test_loss": [0.1, 0.2, *nothing], "train_loss": [0.1, 0.2, 0.3, 0.4]}
    rows, notes = read_measurements(table)
    assert ["test_loss" in row for row in rows] == [True, False]
    assert notes == ("the step η = 20: test_loss is missing, and not judged",)


def test_columns_of_other_names_are_left_out_and_named():
    _, notes = read_measurements(DRAWS | {"seed": list(range(8)), "gpu": ["a"] * 8})
    assert notes == ("columns that are not used: seed, gpu",)


def test_sizes_of_the_network_are_used_and_steps_of_zero_gain_nothing(tmp_path):
    """Columns of the right sizes need no note; and ten gains of 0 are right where no step is taken."""
    right = DRAWS | {"n": [900] * 8, "d": [300] * 8, "N": [600] * 7 + [None]}
    assert not any("not used" in note for note in tc.compare(right, NETWORK).notes)
    with pytest.raises(tc.ArgumentError, match="has d = 100"):
        tc.compare(DRAWS | {"d": [100] * 8}, tc.step(NETWORK, eta=20))
    ratios = tc.predict(tc.Problem("tanh", "sin(x)", "1/3", "1/2", "1/100"), ell=1)
    assert "columns that are not used: n" in tc.compare(DRAWS | {"n": [50] * 8}, ratios).notes
    still = {"eta": [0] * 8, "test_loss_initial": DRAWS["test_loss"], "test_loss": DRAWS["test_loss"]}
    assert read_measurements(still)[0][0]["test_gain_se"] == 0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"eta": [1, 1]}, "no column of a loss or a gain"),
        ({"test_loss": [1, 2]}, r"row 1 of the table has no step: give the learning rate as eta \(η = 2·lr for torch"),
        ({"eta": [1, 1], "alpha": [0, 0], "test_loss": [1, 2]}, "row 1 of the table has two steps, eta and alpha"),
        (
            {"alpha": [2, 2], "test_loss": [1, 2]},
            r"alpha = 2: alpha is the exponent .* Ridge\(alpha=…\) belongs in ridge",
        ),
        (
            {"eta": [1] * 10, "test_loss": [0.1] * 10},
            "test_loss is 0.1 in all 10 rows: the runs are identical; was the",
        ),
        (DRAWS | {"n": [900] * 7 + [500]}, "row 8 of the table has n = 500, while the problem has 900"),
        (
            DRAWS | {"d": [300] * 8, "N": [8] * 8},
            "row 1 of the table has N = 8, while the problem has 600: .* rename",
        ),
        ({"eta": [1], "test_loss": [1]}, "one row and no standard error"),
        ({"eta": [1, 1], "test_loss": [1, "x"]}, "row 2 of the table: test_loss is 'x', not a number"),
        ({"eta": [1, 1], "test_loss": [1, True]}, "not a number"),
        ({"eta": [1, 1], "test_loss": [1, None]}, "test_loss is missing in 1 of 2 rows"),
        ({"eta": [1, 1], "test_loss": [1]}, "different lengths"),
        ({"eta": [1, 1], "test_los": [1, 2]}, "column 'test_los'; did you mean 'test_loss'"),
        ({"eta": [1], "test_loss": [1], "train_loss_se": [1]}, "test_loss has no standard error"),
        ({"eta": [1], "test_loss": [1], "test_loss_se": [-1]}, "test_loss has no standard error"),
        ({"eta": [1, 1], "test_loss": [1, 2], "test_loss_se": [1, 1]}, "2 rows with standard errors"),
        ({}, "no column of a loss"),
        ({"eta": [], "test_loss": []}, "the table has no rows"),
        ([1, 2], "measurements: a data frame"),
        ("no_such_file.csv", "cannot read no_such_file.csv"),
    ],
)
def test_tables_that_cannot_be_read(table, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.compare(table, NETWORK)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"eta,test_loss\n1\n", "line 2 of .* has 1 cells"),
        (b"eta,eta\n1,2\n", "a column twice"),
        (b"\xff\xfe", "not text in UTF-8"),
        (b"", "no column of a loss"),
        (b'eta,test_loss\n"1,2\n', "is not CSV"),
        (b"eta;test_loss\n20;0,14\n", r"the only column is 'eta;test_loss': read it by pandas.read_csv\(…, sep=';'\)"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(tc.TheoryError, match=message):
        tc.compare(path, NETWORK)


def test_measurements_need_a_network_of_real_size():
    ratios = tc.Problem("tanh", "sin(x)", "1/3", "1/2", "1/100")
    with pytest.raises(tc.ArgumentError, match=r"describe it by Problem\(…, n=, d=, N=\)"):
        tc.compare(DRAWS, ratios)
    with pytest.raises(tc.ArgumentError, match="takes as theory"):
        tc.compare(DRAWS)


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

"""Sizes in the place of ratios, and which network is meant, in every command that describes a problem."""

from __future__ import annotations

import csv
import io
import json

import pytest

import theorycalc as tc
from tests.helpers.commands import run

CASE = ["--activation", "tanh", "--teacher", "sin(x)", "--noise", "0.1"]
SIZES = ["--n", "90", "--d", "30", "--N", "60"]
RATIOS = ["--phi", "1/3", "--psi", "1/2"]
RIDGE = ["--ridge", "0.01"]
PROBLEM = tc.Problem("tanh", "sin(x)", n=90, d=30, N=60, ridge="0.01", noise="0.1")


def rows(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    return list(csv.DictReader(io.StringIO(out)))


def test_sizes_and_ratios_describe_the_same_limits(capsys):
    for command in (["predict", "--ell", "1"], ["staircase", "--ell", "1"]):
        by_sizes = rows(capsys, *command, *CASE, *RIDGE, *SIZES, "--csv")
        assert by_sizes == rows(capsys, *command, *CASE, *RIDGE, *RATIOS, "--csv")
    assert float(by_sizes[1]["test_loss"]) == tc.predict(PROBLEM, ell=1).test_loss


def test_a_list_of_ridges_goes_with_sizes(capsys):
    found = rows(capsys, "predict", *CASE, *SIZES, "--ridge", "0.01,1", "--ell", "1", "--csv")
    assert [float(row["test_gain"]) for row in found] == tc.predict(PROBLEM, ell=1, ridge=[0.01, 1]).test_gain.tolist()


@pytest.mark.slow
def test_networks_of_real_size_need_no_ratios(capsys):
    (found,) = rows(capsys, "step", *CASE, *RIDGE, *SIZES, "--eta", "20", "--csv")
    assert float(found["test_loss"]) == tc.step(PROBLEM, eta=20).test_loss
    assert (found["n"], found["d"], found["N"]) == ("90", "30", "60")
    beside = rows(capsys, "step", *CASE, *RIDGE, *RATIOS, "--n", "90", "--eta", "20", "--csv")
    assert beside == [found]
    data = json.loads(run(capsys, "spectrum", *CASE, *SIZES, "--eta", "6", "--gradient", "labels", "--json")[1])
    expected = tc.spectrum(PROBLEM, eta=6, gradient="labels")
    assert data["rows"] == json.loads(json.dumps(expected.to_dict()))["rows"]
    assert data["rows"] != json.loads(json.dumps(tc.spectrum(PROBLEM, eta=6).to_dict()))["rows"]
    assert run(capsys, "spectrum", *CASE, *SIZES)[1].startswith("Spectrum of F₀F₀ᵀ/n, before any step\n")


def test_step_samples_are_points_with_sizes_and_a_share_with_ratios(capsys):
    by_sizes = rows(capsys, "step", *CASE, *RIDGE, *SIZES, "--eta", "2", "--step-samples", "45", "--csv")
    beside = ["--n", "90", "--eta", "2", "--step-samples", "1/2", "--csv"]
    assert by_sizes == rows(capsys, "step", *CASE, *RIDGE, *RATIOS, *beside)


@pytest.mark.parametrize("gradient", ["residual", "labels"])
def test_limits_of_literal_networks(capsys, gradient):
    which = ["--network", "literal", "--gradient", gradient]
    expected = tc.predict(PROBLEM, ell=1, network="literal", gradient=gradient).test_loss
    (predicted,) = rows(capsys, "predict", *CASE, *RIDGE, *SIZES, "--ell", "1", *which, "--csv")
    stairs = rows(capsys, "staircase", *CASE, *RIDGE, *SIZES, "--ell", "1", *which, "--csv")
    (swept,) = rows(capsys, "sweep", *CASE, *RIDGE, *SIZES, "--ell", "1", *which)
    assert float(predicted["test_loss"]) == float(stairs[1]["test_loss"]) == expected
    assert float(swept["test_loss"]) == pytest.approx(expected, rel=1e-14)


def test_a_grid_over_the_gradient_and_the_method(capsys):
    words = ["--gradient", "residual,labels", "--method", "dressed,pencil"]
    found = rows(capsys, "sweep", *CASE, *RIDGE, *SIZES, "--eta", "1", *words)
    assert [(row["gradient"], row["method"]) for row in found] == [
        (gradient, method) for gradient in ("residual", "labels") for method in ("dressed", "pencil")
    ]
    for row in found:
        one = tc.step(PROBLEM, eta=1, gradient=row["gradient"], method=row["method"])
        assert float(row["test_loss"]) == pytest.approx(one.test_loss, rel=1e-8)
    assert len({row["test_loss"] for row in found}) == 4


def test_a_grid_over_the_network(capsys):
    found = rows(capsys, "sweep", *CASE, *RIDGE, *SIZES, "--ell", "1", "--network", "theorem,literal")
    losses = [tc.predict(PROBLEM, ell=1, network=row["network"]).test_loss for row in found]
    assert [float(row["test_loss"]) for row in found] == pytest.approx(losses, rel=1e-14)
    assert losses[0] != pytest.approx(losses[1], rel=1e-3)


@pytest.mark.slow
def test_a_problem_with_sizes_is_swept_without_n():
    found = tc.sweep(PROBLEM, {"eta": [1, 20], "gradient": ["residual", "labels"]})
    expected = [[tc.step(PROBLEM, eta=eta, gradient=g).test_loss for g in ("residual", "labels")] for eta in (1, 20)]
    assert found["test_loss"].tolist() == [pytest.approx(row, rel=1e-8) for row in expected]
    halves = tc.sweep(PROBLEM, {"step_samples": [45, 90], "eta": 1})["test_loss"][:, 0]
    assert halves[1] == pytest.approx(expected[0][0], rel=1e-8)
    assert halves[0] != pytest.approx(halves[1], rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", *RIDGE, "--ell", "1"], "--phi and --psi are missing: give --phi and --psi, or sizes"),
        (["predict", *RIDGE, "--ell", "1", "--phi", "1"], "--psi is missing"),
        (["predict", *RIDGE, "--ell", "1", "--n", "90"], "--n without --d and --N: give all three sizes"),
        (["predict", *RIDGE, "--ell", "1", *RATIOS, "--n", "90"], "--phi and --psi beside --n: give"),
        (["predict", *RIDGE, "--ell", "1", *SIZES, "--phi", "1/3"], "--phi beside --n, --d and --N: give"),
        (["predict", *RIDGE, "--ell", "1", *SIZES, "--d", "3,4"], "--d '3,4': one value is needed here"),
        (["predict", *RIDGE, "--ell", "1", *SIZES, "--d", "2.5"], "--d 2.5 must be a positive whole number"),
        (["predict", *RIDGE, "--ell", "1", *SIZES, "--gradient", "residual"], "add --network literal"),
        (["predict", *RIDGE, "--ell", "1", *SIZES, "--network", "litral"], "did you mean 'literal'?"),
        (["staircase", "--d", "30"], "--d without --n and --N"),
        (["staircase", "--phi", "1", "--n", "30"], "--phi beside --n"),
        (["step", *RIDGE, *RATIOS, "--eta", "1"], "--n is missing: give --n with --phi and --psi, or the sizes"),
        (["step", *RIDGE, "--n", "90", "--eta", "1"], "--phi and --psi are missing"),
        (["step", *RIDGE, "--n", "90", "--N", "60", "--eta", "1"], "--n and --N without --d"),
        (["step", *RIDGE, *RATIOS, "--n", "90", "--d", "99", "--eta", "1"], "--d 99 contradicts the problem"),
        (["step", *RIDGE, *SIZES, "--step-samples", "1/2", "--eta", "1"], "--step-samples 1/2 must be a positive"),
        (["spectrum", *SIZES, "--gradient", "labls"], "did you mean 'labels'?"),
        (["sweep", *RIDGE, *SIZES, "--n", "90,180", "--eta", "1"], "sizes mean one network; a list of --n goes with"),
        (["sweep", *RIDGE, *SIZES, "--phi", "1", "--eta", "1"], "--phi and --psi go with --n alone"),
        (["sweep", *RIDGE, *SIZES, "--eta", "1", "--ell", "1"], "only one of these"),
        (["sweep", *RIDGE, *SIZES, "--eta", "1", "--network", "literal"], "'network' cannot vary with n"),
        (["explore", "--d", "3", "--phi", "1"], "--phi beside --d"),
        (["explore", "--n", "9", "--d", "3", "--N", "1.5"], "--N 1.5 must be a positive whole number"),
    ],
)
def test_mixtures_are_refused_in_words(capsys, arguments, message):
    command, *rest = arguments
    case = [] if command == "explore" else CASE
    code, out, err = run(capsys, command, *case, *rest)
    assert (code, out) == (2, "")
    assert message in err

"""Numbers, lists and ranges as options."""

from __future__ import annotations

from fractions import Fraction

import pytest

import theorycalc as tc
from tests.helpers.commands import PREDICT, RELU, run
from theorycalc.cli import parser
from theorycalc.cli.options import Arguments, numbers, whole_or_text, windows
from theorycalc.cli.parsing import commands_of
from theorycalc.model.initialisations import INITIALISATIONS


def test_values_that_begin_with_a_minus_sign_need_no_equals_sign(capsys):
    code, out, _ = run(capsys, *PREDICT, "--teacher", "-1,1/2", "--ell", "1")
    assert code == 0
    assert "-0.73" in out
    code, out, _ = run(capsys, "predict", *RELU, "--activation", "-tanh(x)", "--ell", "1")
    assert code == 0
    assert run(capsys, "coefficients", "-k", "1", "--csv", "--", "-x")[1] == "k,c_k\n0,0.0\n1,-1.0\n"


def test_numbers_lists_and_ranges():
    assert numbers("0.05:0.45:9", "alpha")[4] == Fraction(1, 4)
    assert numbers("1, 2 ,3:5:3", "eta") == [1, 2, 3, 4, 5]
    assert numbers("1e-4:1e4:9:log", "ridge") == [Fraction(10) ** k for k in range(-4, 5)]
    third = numbers("1:8:4:log,1/3:3:2:log", "ridge")
    assert third == [1, 2, 4, 8, Fraction(1, 3), 3]
    assert [whole_or_text(text) for text in ("12", "-3", "1e3", "1.5e2", "1.55e1", "inf", None)] == [
        12, -3, 1000, 150, "1.55e1", "inf", None,
    ]  # fmt: skip
    assert windows("0:2:3,7,inf") == [0, 1, 2, 7, "inf"]


def test_lists_of_options_are_for_sweeps(capsys):
    for option, text in (("--corrupt-fit", "0.1,0.2"), ("--first-scale", "1:2:3"), ("--steps", "1,2")):
        code, _, error = run(capsys, *PREDICT, "--ell", "1", option, text)
        assert code == 2
        assert f"{option} {text!r}: one value is needed here; theorycalc sweep takes lists of them" in error


STEP = ["step", "--activation", "relu", "--teacher", "H1", "--n", "90", "--d", "30", "--N", "60", "--ridge", "1/10"]


@pytest.mark.parametrize("name", INITIALISATIONS)
def test_layers_of_a_library_are_one_option(name):
    found = parser().parse_args([*STEP, "--eta", "1", "--layers", name], Arguments()).problem()
    layers = tc.conventions.layers_from(name, d=30, N=60)._asdict()
    assert found == tc.Problem("relu", "H1", n=90, d=30, N=60, ridge="1/10", **layers)
    assert name in commands_of(parser())["step"].format_help()


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (["--layers", "torsh"], "--layers torsh is not known; choose one of 'torch' (torch.nn.Linear"),
        (["--layers", "torch", "--first-scale", "1"], "--layers torch sets --first-scale, too: leave out one"),
        (
            ["--layers", "torch", "--second-layer", "uniform", "--second-scale", "2"],
            "--layers torch sets --second-scale and --second-layer, too",
        ),
    ],
)
def test_layers_are_said_once(capsys, added, message):
    code, out, error = run(capsys, *STEP, "--eta", "1", *added)
    assert (code, out) == (2, "")
    assert message in error


def test_layers_that_depend_on_sizes_need_them(capsys):
    code, _, error = run(capsys, *PREDICT, "--ell", "1", "--layers", "glorot_normal")
    assert code == 2
    assert "--layers glorot_normal depends on the sizes: give --n, --d and --N" in error


def test_sweeps_and_saved_runs_know_layers(capsys, tmp_path):
    ratios = ["--activation", "relu", "--teacher", "H1", "--phi", "1,2", "--psi", "1", "--ridge", "1", "--ell", "1"]
    swept = run(capsys, "sweep", *ratios, "--layers", "lecun_uniform")
    typed = run(capsys, "sweep", *ratios, "--second-layer", "uniform")
    assert swept == typed
    assert swept[0] == 0
    assert (
        "--layers torch sets --second-scale, too"
        in run(capsys, "sweep", *ratios, "--layers", "torch", "--second-scale", "1,2")[2]
    )
    assert "leave out --layers" in run(capsys, "compare", str(tmp_path / "run.json"), "--layers", "torch")[2]

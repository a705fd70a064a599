"""Bad input on the command line: one line that says what is wrong, and exit status 2."""

from __future__ import annotations

import pytest

from tests.helpers.commands import PREDICT, RELU, run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "1/4"], "--alpha 1/4 is on the boundary 1/4 between window ℓ = 1"),
        (["--alpha", "0"], "--alpha 0: the theorem needs α > 0"),
        (["--alpha", "0.6"], "--alpha 3/5: the theorem needs α < 1/2"),
        (["--ell", "two"], "--ell two"),
        (["--ell", ""], "--ell ''"),
        (["--ell", "1", "--alpha", "0.1"], "give --ell or --alpha, not both"),
        (["--ell", "1", "--ridge", "-1"], "--ridge -1 must not be negative"),
        (["--ell", "1", "--ridge", "1,-1"], "ridge[1]=-1.0 must not be negative"),
        (["--ell", "1", "--ridge", "1e-300"], "--ridge 1e-300 is beyond the range of float64 here"),
        (["--ell", "1", "--ridge", "0:1:3:log"], "--ridge 0:1:3:log: both ends of a geometric range must be positive"),
        (["--ell", "1", "--ridge", "1:2:3:4:5"], "--ridge 1:2:3:4:5 is not a range"),
        (["--ell", "1", "--ridge", "1:2:100", "--noise", "1:2:101"], "10100 points are more than 10000"),
        (["--ell", "1", "--phi", "1/0"], "divides by zero"),
        (["--ell", "1", "--phi", "nan"], "--phi nan is not a number"),
        (["--ell", "1", "--digits", "many"], "--digits many"),
        (["--ell", "1", "--teacher", "1,,2"], "teacher c_⋆2=''"),
        (["--ell", "1", "--present", "1,b"], "present"),
        (["--ell", "1", "--first-layer", "ball"], "--first-layer ball"),
        (["--ell", "1", "--activation", "relu"], "give --activation, or --c1 with --c-rest, not both"),
        (["--ell", "1", "--json", "--csv"], "give --json or --csv, not both"),
        (["--ell", "1", "--json=1"], "--json takes no value"),
        (["--ell", "1", "word"], "'word' is one word too many"),
        (["--ell", "1", "--csv", "out.csv"], "'out.csv' is one word too many: --csv prints; write … --csv > out.csv"),
        (["--ell", "1", "--json", "out.json"], "--json prints; write … --json > out.json"),
        (["--ell"], "--ell needs a value"),
        (["--rigde", "1"], "did you mean '--ridge'?"),
        (["--rid", "1"], "--rid is not an option of theorycalc predict"),
        ([], "give either --ell or --alpha"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *PREDICT, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("theorycalc: error: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a command is missing"),
        (["predcit"], "'predcit' is not a command; did you mean 'predict'?"),
        ([""], "'' is not a command"),
        (["--quiet", "demo"], "--quiet is not an option of theorycalc"),
        (["predict", "--ell", "1"], "--teacher, --ridge are missing"),
        (["coefficients"], "activation is missing"),
        (["coefficients", "-x"], "a formula that begins with - is written after --"),
        (["coefficients", "relu", "--exat"], "did you mean '--exact'?"),
        (["it's"], "is not a command"),
        (["coefficients", "rleu"], "did you mean 'relu'?"),
        (["coefficients", "\0"], "is not understood"),
        (["coefficients", "relu", "--exact", "--digits", "5"], "give --digits or --exact, not both"),
        (["staircase", *RELU, "--ell", "-1"], "--ell -1 must be the last ℓ, a whole number from 0 to 200"),
        (["staircase", *RELU, "--ridge", "0.1,1"], "one value is needed here"),
        (["spectrum", *RELU, "--n", "100", "--alpha", "0.1", "--eta", "1"], "give --alpha or --eta, not both"),
        (["step", *RELU, "--n", "1.5e0", "--alpha", "0.1"], "--n 1.5e0 must be a positive whole number"),
        (["latex", "--ell", "3"], "which formula?"),
        (["latex", "Delta", "--ell", "2", "--csv"], "--csv is for the list of names"),
        (["sheet", *RELU, "--ell", "1", "-o", "sheet.doc"], "must end in .tex, .pdf or .html"),
        (["sheet", *RELU, "--ell", "1", "-o", "no/such/sheet.tex"], "the folder 'no/such' does not exist"),
        (["sheet", *RELU, "--ell", "1", "-o", "a\0.tex"], "must end in"),
        (["completion", "csh"], "shell='csh' is not known"),
        (["latex", "Delta"], "Delta needs its index; give --ell"),
        (["explore", "--ell", "3"], "--ell is not an option of theorycalc explore (theorycalc explore --help"),
        (["coefficients", "--", "-x", "-k", "2"], "-k stands after --, where there are no options; write it before"),
        (["sweep", *RELU, "--ridge", "1", "--ell", "1,1"], "error: ell has 1 twice"),
        (["sweep", *RELU, "--ridge", "0.1:1:x", "--ell", "1"], "--ridge 0.1:1:x: the third part of a range is"),
        (["sweep", *RELU, "--ell", "1", "--output", "grid.txt"], "--output grid.txt must end in .csv, .json or .nc"),
        (["sweep", *RELU, "--ell", "1", "--output", "no/such/a.nc"], "the folder of --output no/such/a.nc does not"),
        (["sweep", *RELU, "--ell", "1", "--quantities", "m1,m1"], "--quantities m1,m1 is not a list of different"),
        (["sweep", *RELU, "--ridge", "0,1", "--n", "40", "--alpha", "0.1"], "--ridge 0 is for limits"),
        (["simulate", *RELU, "--n", "40", "--alpha", "0.1", "--ridge=-1"], "--ridge -1 must not be negative"),
        (
            ["simulate", *RELU, "--n", "40", "--alpha", "0.1", "--corrupt-fit", "2"],
            "--corrupt-fit 2 must not be more",
        ),
        (
            ["simulate", *RELU, "--n", "40", "--alpha", "0.1", "--equivalent", "spiked"],
            "--equivalent spiked needs --ell",
        ),
        (["simulate", *RELU, "--n", "40", "--d", "7", "--alpha", "0.1"], "--d 7 contradicts the problem, whose φn is"),
        (["samples-needed", *RELU, "--ell", "1", "--alpha", "0.3"], "--alpha 0.3 is in window ℓ = 2, not in --ell 1"),
        (["best", *RELU, "--n", "1"], "--n 1: steps are compared with powers of n"),
        (
            ["latex", *RELU, "--ridge", "0", "--ell", "1"],
            "--ridge 0: the formulas are for λ > 0; theorycalc predict gives",
        ),
        (["latex", "Delta", "--ell", "3", "--spikes", "2,3"], "--spikes 2,3 must contain 1 and none beyond --ell 3"),
        (["demo", "--json"], "--json is not an option of theorycalc demo"),
    ],
)
def test_no_command_meets_bad_input_with_a_traceback(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theorycalc: error: ")
    assert message in err


def test_too_little_memory_is_said(capsys, monkeypatch):
    def greedy() -> str:
        raise MemoryError

    monkeypatch.setattr("theorycalc.cli.demo.staircase_demo", greedy)
    code, _, err = run(capsys, "demo")
    assert code == 2
    assert "not enough memory" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["step", *RELU, "--n", "100", "--lr", "3"],
            "(learning rate) as --eta or --alpha (exponent of",
        ),
        (["step", *RELU, "--n", "100", "--weight-decay", "3"], "as --ridge"),
        (["predict", *RELU, "--learning-rate", "3"], "(learning rate) as --alpha (exponent of the step η = n^α)"),
        (["predict", *RELU, "--epochs", "3"], "as --steps"),
        (["step", *RELU, "--n", "100", "--frist-layer", "sphere"], "did you mean '--first-layer'?"),
    ],
)
def test_options_of_other_programs_name_ours(capsys, arguments, message):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err

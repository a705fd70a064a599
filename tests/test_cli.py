"""The command line, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import theorycalc as tc
from theorycalc.cli import COMMANDS, main, parser
from theorycalc.cli.options import numbers, whole_or_text, windows
from theorycalc.cli.parsing import commands_of

MOMENTS = ["--c1", "1/2", "--c-rest", "0.3014", "--teacher", "1,1/2", "--phi", "1/2", "--psi", "2/3"]
QUICK = f"predict {' '.join(MOMENTS)} --ridge 0.1 --ell 1"  # needs neither sympy nor scipy
PREDICT = ["predict", *MOMENTS, "--ridge", "0.1", "--noise", "0.5"]
RELU = ["--activation", "relu", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]
PROBLEM = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "0.1")


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def table(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, *arguments, "--csv")
    assert (code, err) == (0, "")
    return list(csv.DictReader(io.StringIO(out)))


def test_a_table_for_a_person(capsys):
    code, out, err = run(capsys, *PREDICT, "--ell", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Prediction for ℓ = 2")
    expected = tc.predict(
        tc.Problem(tc.Activation.from_moments("1/2", "0.3014"), ["1", "1/2"], "1/2", "2/3", "0.1", "0.5"), ell=2
    )
    assert any(line.split()[:2] == ["Λ_ℓ", repr(expected.test_gain)] for line in lines)
    columns = {line.index(line.split()[1]) for line in lines[1:13]}
    assert len(columns) == 1


def test_json_for_a_machine(capsys):
    code, out, _ = run(capsys, *PREDICT, "--alpha", "3/10", "--digits", "50", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["ell"], data["digits"], data["guarantee"]) == (2, 50, "enclosed")
    assert len(data["values"]["m1"]) >= 50
    assert data["inputs"]["ridge"] == "1/10"
    assert data["theorycalc"] == tc.__version__


def test_infinity_is_text_in_json(capsys):
    threshold = [*PREDICT, "--ell", "1", "--json", "--ridge", "0", "--phi", "2/3"]
    code, out, _ = run(capsys, *threshold)
    assert code == 0
    assert json.loads(out)["values"]["test_loss"] == "inf"


def test_values_that_begin_with_a_minus_sign_need_no_equals_sign(capsys):
    code, out, _ = run(capsys, *PREDICT, "--teacher", "-1,1/2", "--ell", "1")
    assert code == 0
    assert "-0.73" in out
    code, out, _ = run(capsys, "predict", *RELU, "--activation", "-tanh(x)", "--ell", "1")
    assert code == 0
    assert run(capsys, "coefficients", "-k", "1", "--csv", "--", "-x")[1] == "k,c_k\n0,0.0\n1,-1.0\n"


def test_lists_are_predicted_in_every_combination(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "0.1,1", "--noise", "0:1:3", "--ell", "1,inf")
    assert [row["noise"] for row in rows[:3]] == ["0.0", "0.5", "1.0"]
    assert [(row["ell"], row["ridge"]) for row in rows[::3]] == [
        (ell, ridge) for ell in ("1", "inf") for ridge in ("0.1", "1.0")
    ]
    both = [tc.predict(PROBLEM, ell=ell, ridge=[[0.1] * 3, [1] * 3], noise=[0, 0.5, 1]) for ell in (1, "inf")]
    gains = [float(gain) for prediction in both for gain in prediction.test_gain.ravel()]
    assert [float(row["test_gain"]) for row in rows] == gains
    _, out, _ = run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1")
    heads, *lines = [line.split() for line in out.splitlines()[1:4]]
    assert heads == ["ℓ", "λ", "Δ_ℓ", "Λ_ℓ", "L_tr(F)", "L_te(F)"]
    gains = tc.predict(PROBLEM, ell=1, ridge=[0.1, 1]).test_gain
    assert [line[3] for line in lines] == [repr(float(gain)) for gain in gains]
    data = json.loads(run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1", "--json")[1])
    assert data["predictions"][0]["values"]["test_gain"] == gains.tolist()


def test_a_list_with_proven_digits(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "1e-2:1:3:log", "--ell", "1", "--digits", "40")
    assert [row["ridge"] for row in rows] == ["0.01", "0.1", "1.0"]
    assert rows[1]["test_gain"] == str(tc.predict(PROBLEM, ell=1, digits=40).test_gain)


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


def test_the_staircase(capsys):
    stairs = tc.staircase(PROBLEM, 3)
    rows = table(capsys, "staircase", *RELU, "--ell", "3")
    assert [row["ell"] for row in rows] == ["0", "1", "2", "3", "inf"]
    assert [float(row["test_gain"]) for row in rows[:4]] == [p.test_gain for p in stairs.predictions]
    assert float(rows[4]["test_gain"]) == stairs.ceiling.test_gain
    data = json.loads(run(capsys, "staircase", *RELU, "--ell", "3", "--json")[1])
    assert data == json.loads(json.dumps(stairs.to_dict()))
    code, out, _ = run(capsys, "staircase", *RELU)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:10]] == [*map(str, range(7)), "∞"]
    assert repr(tc.staircase(PROBLEM).predictions[6].test_gain) in out  # piped: all digits


def test_steps_and_ridges(capsys):
    rows = table(capsys, "step", *RELU, "--n", "200", "--d", "100", "--N", "150", "--eta", "1,4", "--ridge", "0.1,1")
    assert [(row["eta"], row["ridge"]) for row in rows] == [
        ("1.0", "0.1"),
        ("1.0", "1.0"),
        ("4.0", "0.1"),
        ("4.0", "1.0"),
    ]
    found = tc.step(PROBLEM, n=200, eta=[[1], [4]], ridge=[0.1, 1])
    assert [float(row["test_gain"]) for row in rows] == found.test_gain.ravel().tolist()
    assert {row["N"] for row in rows} == {"150"}
    _, out, _ = run(capsys, "step", *RELU, "--n", "200", "--eta", "1,4")
    assert repr(float(found.test_gain[1, 0])) in out
    assert out.startswith("One step at n = 200, d = 100, N = 150, λ = 0.1: dressed")


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["predict", *RELU, "--ell", "1"], "inputs"),
        (["predict", *RELU, "--ell", "1,2"], "predictions"),
        (["staircase", *RELU, "--ell", "1"], "inputs"),
        (["step", *RELU, "--n", "100", "--eta", "1"], "inputs"),
        (["spectrum", *RELU], "inputs"),
        (["spectrum", *RELU, "--n", "100", "--eta", "1,2"], "spectra"),
        (["simulate", *RELU, "--n", "20", "--replicates", "2", "--eta", "1"], "inputs"),
        (["sweep", *RELU, "--ell", "1,2"], "inputs"),
        (["coefficients", "relu", "-k", "1"], "coefficients"),
        (["activations"], "activations"),
        (["latex"], "formulas"),
        (["latex", "Delta", "--ell", "1"], "latex"),
    ],
)
def test_json_is_an_object_that_begins_with_the_version(capsys, arguments, known):
    code, out, _ = run(capsys, *arguments, "--json")
    data = json.loads(out)
    assert code == 0
    assert next(iter(data.items())) == ("theorycalc", tc.__version__)
    assert data[known]
    if known == "inputs":
        assert data["inputs"]["phi"] == "1/2"


def test_csv_of_coefficients_and_activations(capsys):
    rows = table(capsys, "coefficients", "relu", "-k", "3")
    assert [float(row["c_k"]) for row in rows] == tc.coefficients("relu", 3).tolist()
    digits = table(capsys, "coefficients", "tanh", "-k", "3", "--digits", "30")
    assert digits[1]["c_k"] == "0.605705509602158825583540227556"
    names = table(capsys, "activations")
    assert {"relu", "gelu"} <= {row["name"] for row in names}
    assert next(row for row in names if row["name"] == "leaky_relu")["parameters"] == "negative_slope=0.01"
    assert {row["name"] for row in table(capsys, "latex")} >= {"Delta", "Lambda"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "1/4"], "window ℓ = 2"),
        (["--ell", "two"], "ell='two'"),
        (["--ell", ""], "ell=''"),
        (["--ell", "1", "--alpha", "0.1"], "give --ell or --alpha, not both"),
        (["--ell", "1", "--ridge", "-1"], "ridge=-1 must not be negative"),
        (["--ell", "1", "--ridge", "1,-1"], "ridge[1]=-1.0 must not be negative"),
        (["--ell", "1", "--ridge", "1e-300"], "use --digits"),
        (["--ell", "1", "--ridge", "0:1:3:log"], "must be positive"),
        (["--ell", "1", "--ridge", "1:2:3:4:5"], "is not a range"),
        (["--ell", "1", "--ridge", "1:2:100", "--noise", "1:2:101"], "10100 points are more than 10000"),
        (["--ell", "1", "--phi", "1/0"], "divides by zero"),
        (["--ell", "1", "--phi", "nan"], "phi='nan' is not a number"),
        (["--ell", "1", "--digits", "many"], "digits='many'"),
        (["--ell", "1", "--teacher", "1,,2"], "teacher c_⋆2=''"),
        (["--ell", "1", "--present", "1,b"], "present"),
        (["--ell", "1", "--first-layer", "ball"], "first_layer='ball'"),
        (["--ell", "1", "--activation", "relu"], "give --activation, or --c1 with --c-rest, not both"),
        (["--ell", "1", "--json", "--csv"], "give --json or --csv, not both"),
        (["--ell", "1", "--json=1"], "--json takes no value"),
        (["--ell", "1", "word"], "'word' is one word too many"),
        (["--ell"], "--ell needs a value"),
        (["--rigde", "1"], "did you mean '--ridge'?"),
        (["--rid", "1"], "--rid is no option of theorycalc predict"),
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
        (["predcit"], "'predcit' is no command; did you mean 'predict'?"),
        ([""], "'' is no command"),
        (["--quiet", "demo"], "--quiet is no option of theorycalc"),
        (["predict", "--ell", "1"], "--teacher, --phi, --psi, --ridge are missing"),
        (["coefficients"], "activation is missing"),
        (["coefficients", "-x"], "a formula that begins with - is written after --"),
        (["coefficients", "relu", "--exat"], "did you mean '--exact'?"),
        (["it's"], "is no command"),
        (["coefficients", "rleu"], "did you mean 'relu'?"),
        (["coefficients", "\0"], "is not understood"),
        (["coefficients", "relu", "--exact", "--digits", "5"], "give --digits or --exact, not both"),
        (["staircase", *RELU, "--ell", "-1"], "ell=-1 must be the last ℓ, a whole number from 0 to 200"),
        (["staircase", *RELU, "--ridge", "0.1,1"], "one value is needed here"),
        (["spectrum", *RELU, "--n", "100", "--alpha", "0.1", "--eta", "1"], "give --alpha or --eta, not both"),
        (["step", *RELU, "--n", "1.5e0", "--alpha", "0.1"], "n='1.5e0' must be a positive whole number"),
        (["latex", "--ell", "3"], "which formula?"),
        (["latex", "Delta", "--ell", "2", "--csv"], "--csv is for the list of names"),
        (["sheet", *RELU, "--ell", "1", "-o", "sheet.doc"], "must end in .tex, .pdf or .html"),
        (["sheet", *RELU, "--ell", "1", "-o", "no/such/sheet.tex"], "the folder 'no/such' does not exist"),
        (["sheet", *RELU, "--ell", "1", "-o", "a\0.tex"], "must end in"),
        (["completion", "csh"], "shell='csh' is not known"),
        (["latex", "Delta"], "Delta needs its index; give --ell"),
        (["explore", "--ell", "3"], "--ell is no option of theorycalc explore (theorycalc explore --help"),
        (["coefficients", "--", "-x", "-k", "2"], "-k stands after --, where there are no options; write it before"),
        (["sweep", *RELU, "--ridge", "1", "--ell", "1,1"], "error: ell has 1 twice"),
        (["sweep", *RELU, "--ridge", "0.1:1:x", "--ell", "1"], "ridge='0.1:1:x': the third part of a range is"),
        (["demo", "--json"], "--json is no option of theorycalc demo"),
    ],
)
def test_no_command_meets_bad_input_with_a_traceback(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theorycalc: error: ")
    assert message in err


def test_demo_prints_the_staircase(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    rows = [line for line in out.splitlines() if "█" in line]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]


def test_too_little_memory_is_said(capsys, monkeypatch):
    def greedy() -> str:
        raise MemoryError

    monkeypatch.setattr("theorycalc.demo.staircase_demo", greedy)
    code, _, err = run(capsys, "demo")
    assert code == 2
    assert "not enough memory" in err


def test_a_float_prediction_needs_no_sympy():
    script = (
        "import sys, theorycalc as tc\n"
        "a = tc.Activation.from_moments('1/2', '3/10')\n"
        "tc.predict(tc.Problem(a, ['1'], 1, 2, 1), ell=1)\n"
        "heavy = {'sympy', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def help_of(name: str) -> str:
    return commands_of(parser())[name].format_help()


def examples_of(text: str) -> list[list[str]]:
    """Return the commands that a help text shows, without the remarks beside them."""
    lines = re.findall(r"^  (theorycalc .*)$", re.sub(r" \\\n *", " ", text), re.MULTILINE)
    return [shlex.split(line.partition("  ")[0]) for line in lines]


EXAMPLES = [(name, i) for name in COMMANDS for i in range(len(examples_of(help_of(name))))]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_every_example_of_help_works(capsys, name, number, tmp_path, monkeypatch):
    """As it is shown, but for the size of a simulation."""
    monkeypatch.chdir(tmp_path)
    example = " ".join(map(shlex.quote, examples_of(help_of(name))[number]))
    example = example.replace("--n 1000 --replicates 20", "--n 60 --replicates 2")
    if name == "explore":
        assert "http://127.0.0.1:" in served(shlex.split(example))
        return
    code, out, err = run(capsys, *shlex.split(example)[1:])
    assert code in ((0, 1) if name == "simulate" else (0,)), err
    assert out
    plotted = re.search(r"--plot (\S+)", example)
    assert err == ("" if plotted is None else f"wrote {plotted[1]}\n")
    saved = plotted or re.search(r"(?:-o|--output) (\S+)", example)
    assert saved is None or (tmp_path / saved[1]).stat().st_size > 100


def test_every_command_has_an_example_and_help_says_the_exit_codes():
    assert {name for name, _ in EXAMPLES} == set(COMMANDS)
    text = parser().format_help()
    assert [*map(" ".join, examples_of(text))] == [
        "theorycalc demo",
        "theorycalc staircase --activation relu --teacher H1 + H2/2",
        "theorycalc activations",
    ]
    assert main(["staircase", "--activation", "relu", "--teacher", "H1 + H2/2", "--ell", "1"]) == 0
    assert "Exit status: 0, it worked; 1, theory and simulation differ; 2, the input was bad; 130" in text


def test_help_fits_a_narrow_terminal(monkeypatch):
    for width in (60, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        options = help_of("simulate").partition("the problem:")[2].partition("examples:")[0]
        assert max(map(len, options.splitlines())) <= width
    monkeypatch.setenv("COLUMNS", "many")
    assert "--teacher" in help_of("simulate")


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("theorycalc", f"{shlex.quote(sys.executable)} -m theorycalc")
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, encoding="utf-8", env=os.environ | environment, check=False
    )


def test_the_module_runs_and_answers_as_main_does(capsys):
    arguments = ["coefficients", "relu", "-k", "4"]
    assert shell(f"theorycalc {' '.join(arguments)}").stdout == run(capsys, *arguments)[1]


def test_a_reader_that_goes_away_is_no_traceback():
    done = shell(f"theorycalc {QUICK} | true; exit ${{PIPESTATUS[0]}}")  # it has gone before there is an answer
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_written_is_said():
    done = shell(f"theorycalc {QUICK} > /dev/full")
    assert (done.returncode, done.stderr) == (
        2,
        "theorycalc: error: the answer cannot be written: No space left on device\n",
    )
    done = shell("theorycalc nothing 2> /dev/full")
    assert (done.returncode, done.stdout) == (2, "")
    done = shell("theorycalc nothing 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = shell(f"theorycalc {QUICK} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_greek_letters(capsys):
    done = shell("theorycalc staircase --activation relu --teacher H1 --ell 1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "L_te(F?)" in done.stdout


def served(example: list[str]) -> str:
    """Return what a command that serves until it is ended prints first; Ctrl-C must end it well."""
    command = [sys.executable, "-u", "-m", *example, *([] if "--no-browser" in example else ["--no-browser"])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    seen = process.stdout.readline() + process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    return seen

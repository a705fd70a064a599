"""--plot FILE, on every command that has a picture."""

from __future__ import annotations

import json

import pytest

from tests.helpers.commands import RELU
from theorycalc.cli import main

pytest.importorskip("matplotlib")

STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
COMMANDS = {
    "predict": ["predict", *RELU, "--ell", "2"],
    "predict a list": ["predict", *RELU, "--ell", "2", "--ridge", "1e-2:1:5:log"],
    "staircase": ["staircase", *RELU],
    "step": ["step", *RELU, "--n", "200", "--eta", "3"],
    "step a list": ["step", *RELU, "--n", "200", "--alpha", "0:0.4:4"],
    "spectrum": ["spectrum", *RELU, "--n", "1000", "--eta", "20"],
    "weights": ["weights", *RELU, "--n", "1000", "--eta", "20"],
    "coefficients": ["coefficients", "gelu"],
    "simulate": ["simulate", *RELU, "--n", "40", "--replicates", "2", "--alpha", "0.1"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_picture_is_written_beside_the_answer(capsys, tmp_path, name):
    kind = list(STARTS)[list(COMMANDS).index(name) % 3]
    path = tmp_path / f"picture.{kind}"
    code = main([*COMMANDS[name], "--json", "--plot", str(path)])
    captured = capsys.readouterr()
    assert code == (3 if name == "simulate" else 0), captured.err
    assert json.loads(captured.out)
    assert captured.err == f"wrote {path}\n"
    assert path.read_bytes().startswith(STARTS[kind])
    assert path.stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["coefficients", "gelu", "--plot", "gelu.gif"], "must end in .svg, .pdf or .png"),
        (["coefficients", "gelu", "--plot", ""], "must end in .svg, .pdf or .png"),
        (["coefficients", "gelu", "--plot", "no/such/folder/gelu.svg"], "the folder 'no/such/folder' does not exist"),
        (["coefficients", "gelu", "--latex", "--plot", "gelu.svg"], "--latex cannot be combined with"),
        (["predict", *RELU, "--ell", "1,2", "--plot", "a.svg"], "theorycalc staircase draws them all"),
        (["spectrum", *RELU, "--n", "100", "--eta", "1,2", "--plot", "a.svg"], "after one step"),
        (["simulate", *RELU, "--n", "40", "--eta", "1", "--against", "none", "--plot", "a.svg"], "needs --against"),
        (
            ["step", *RELU, "--n", "100", "--eta", "1,2", "--ridge", "0.1,1,2", "--plot", "a.svg"],
            "over one option, and --eta has 2 values and --ridge has 3 values: leave --plot out, give one value of all",
        ),
        (["predict", *RELU, "--ell", "1", "--phi", "1,2", "--noise", "0,1", "--plot", "a.svg"], "--phi has 2 values"),
        (["error-rate", *RELU, "--n", "100", "--alpha", "0.1,0.2", "--ridge", "1,2", "--plot", "a.svg"], "--alpha has"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_work(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert list(tmp_path.iterdir()) == []


def test_what_was_computed_is_printed_though_it_cannot_be_drawn(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    infinite = ["predict", *RELU, "--phi", "1", "--psi", "1", "--ridge", "0", "--ell", "0", "--csv", "--plot", "a.svg"]
    assert main(infinite) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert "is infinite, and cannot be drawn" in captured.err


def test_without_matplotlib_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["coefficients", "gelu", "--plot", "gelu.svg"]) == 2
    assert "pip install 'theorycalc[plots]'" in capsys.readouterr().err

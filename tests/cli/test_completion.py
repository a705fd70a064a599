"""Completion in real shells."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

import theorycalc as tc
from theorycalc.cli import COMMANDS, main
from theorycalc.cli.completion import SHELLS, words_of_options

pytest.importorskip("shtab")

_ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_theorycalc theorycalc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
CASES = [
    (["st"], {"staircase", "step"}),
    (["staircase", "--ac"], {"--activation"}),
    (["staircase", "--activation", "leak"], {"leaky_relu"}),
    (["step", "--method", ""], {"dressed", "isotropic", "pencil"}),
    (["spectrum", "--method", ""], {"dressed", "pencil"}),
    (["weights", "--method", ""], {"isotropic", "pencil"}),
    (["best-"], {"best-ridge", "best-step"}),
    (["rank", "--tune", ""], {"both", "step", "ridge", "none"}),
    (["sweep", "--gradient", ""], {"residual", "labels"}),
    (["predict", "--network", ""], {"theorem", "literal"}),
    (["sheet", "--second-layer", ""], {"gaussian", "uniform", "sign", "constant"}),
    (["coefficients", "gel"], {"gelu", "gelu_tanh"}),
    (["latex", "Del"], {"Delta"}),
    (["completion", ""], set(SHELLS)),
    ([""], set(COMMANDS)),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        command = [sys.executable, "-m", "theorycalc", "completion", shell]
        script = subprocess.run(command, capture_output=True, check=True).stdout
        (folder / f"theorycalc.{shell}").write_bytes(script)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("words", "expected"), CASES)
def test_bash_completes(scripts, words, expected):
    script = str(scripts / "theorycalc.bash")
    command = ["bash", "--norc", "-c", _ASK, "bash", script, "theorycalc", *words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert set(done.stdout.split()) == expected
    assert not done.stderr


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
@pytest.mark.parametrize(("words", "expected"), [case for case in CASES if case[0] not in ([""], ["completion", ""])])
def test_fish_completes(scripts, words, expected):
    ask = f"source {scripts / 'theorycalc.fish'}; complete -C 'theorycalc {' '.join(words)}'"
    done = subprocess.run(["fish", "-N", "-c", ask], capture_output=True, encoding="utf-8", check=True)
    assert {line.partition("\t")[0] for line in done.stdout.splitlines()} == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_reads_the_script(scripts):
    subprocess.run(["zsh", "-n", scripts / "theorycalc.zsh"], check=True, capture_output=True)


@pytest.mark.slow
def test_every_word_that_is_offered_is_one_the_library_takes():
    words = words_of_options("step")
    for name in ("first_layer", "second_layer"):
        taken = [getattr(tc.Problem("relu", "H1", 1, 1, 1, **{name: word}), name) for word in words[name]]
        assert taken == list(words[name])
    problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    for call, command in ((tc.step, "step"), (tc.spectrum, "spectrum"), (tc.weight_spectrum, "weights")):
        offered = list(words_of_options(command)["method"])
        assert [call(problem, n=100, eta=1, method=method).method for method in offered] == offered
        gradients = words_of_options(command)["gradient"]
        assert len({repr(call(problem, n=100, eta=6, gradient=each)) for each in gradients}) == len(gradients) == 2
    for name in ("form", "network"):
        taken = [getattr(tc.predict(problem, ell=1, **{name: word}), name) for word in words[name]]
        assert taken == list(words[name])


def test_without_shtab_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install 'theorycalc[completion]'" in capsys.readouterr().err

"""``theorycalc explore``, run as a user runs it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from urllib.parse import parse_qsl

import pytest

import theorycalc as tc
from tests.helpers.processes import started
from theorycalc.cli import main, parser
from theorycalc.cli.explore import _browse
from theorycalc.cli.parsing import commands_of
from theorycalc.explorer.answers import answer
from theorycalc.explorer.fields import FIELDS, case_of, opening_values
from theorycalc.explorer.server import Explorer


@pytest.mark.slow
def test_ctrl_c_ends_it_cleanly():
    command = [sys.executable, "-m", "theorycalc", "explore", "--no-browser", "--alpha", "0.1"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = [process.stdout.readline() for _ in range(2)][1].strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{32}&alpha=0\.1", address)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the workers, too
        out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert out.endswith("The explorer has ended.\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(address.split("/")[2].split(":")[1])), 5).close()


def test_a_port_in_use_is_named(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["explore", "--no-browser", "--port", str(port)]) == 2
    err = capsys.readouterr().err
    assert f"port={port} cannot be used on 127.0.0.1" in err
    assert "choose another, or 0 for any that is free" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "99999"], "--port 99999 must be a whole number from 0 to 65535"),
        (["--port", "here"], "--port here must be"),
        (["--phi", "much"], "--phi much is not a number"),
        (["--eta", "10", "--alpha", "1/4"], "give --alpha or --eta, not both"),
        (["--eta", "0"], "--eta 0 must be positive here"),
        (["--activation", "rellu"], "did you mean 'relu'"),
    ],
)
def test_bad_options_are_errors(capsys, arguments, words):
    assert main(["explore", "--no-browser", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_every_field_is_an_option():
    described = commands_of(parser())["explore"].complete_description()
    assert set(FIELDS) <= {action.dest for action in described._actions}


def opened_with(arguments, monkeypatch, capsys):
    """Return the fields in the address that the command prints, without serving the page."""
    monkeypatch.setattr(Explorer, "warm", lambda self: None)
    monkeypatch.setattr(Explorer, "serve_forever", lambda self: None)
    assert main(["explore", "--no-browser", *arguments]) == 0
    fields = dict(parse_qsl(re.search(r"http://\S+/#(\S+)", capsys.readouterr().out)[1]))
    del fields["token"]
    return fields


def test_a_problem_has_the_defaults_of_python(monkeypatch, capsys):
    """Only the example has noise of its own: the page of a problem shows what ``tc.step`` gives for it."""
    fields = opened_with(["--teacher", "sign(x)", "--flip-fit", "0.2"], monkeypatch, capsys)
    assert fields == {"noise": "0", "teacher": "sign(x)", "flip_fit": "0.2"}
    found = tc.step(tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10", flip_fit="0.2"), n=1000, alpha="3/10")
    assert answer("finite", fields)["test_loss"] == found.test_loss
    assert opened_with(["--n", "10", "--d", "5", "--N", "5"], monkeypatch, capsys)["noise"] == "0"
    assert opened_with(["--teacher", "H1", "--noise", "1/2"], monkeypatch, capsys)["noise"] == "1/2"
    assert opened_with(["--eta", "10"], monkeypatch, capsys) == {"eta": "10"}
    assert opened_with(["--n", "2000", "--gradient", "labels"], monkeypatch, capsys) == {
        "n": "2000",
        "gradient": "labels",
    }


def test_help_states_the_defaults():
    """Help has the value that a problem takes where an option is not given."""
    described = commands_of(parser())["explore"].complete_description()
    helps = {action.dest: action.help for action in described._actions}
    for name in FIELDS.keys() - {"biases", "inputs", "eta"}:
        assert "default" in helps[name], name
    problem = case_of(opening_values({"teacher": "H1"})).problem
    assert problem == tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    assert "(default 0); 1/2 in the example" in helps["noise"]


def test_no_browser_is_no_failure(capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)  # returns None: it could not
    _browse("http://127.0.0.1:1/#token=x")
    assert opened == ["http://127.0.0.1:1/#token=x"]
    assert "open the address above" in capsys.readouterr().err


def test_missing_mathml_names_the_extra(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["explore", "--no-browser"]) == 2
    assert "pip install 'theorycalc[explore]'" in capsys.readouterr().err

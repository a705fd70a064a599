"""``theorycalc explore``, run as a user runs it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from tests.helpers.processes import started
from theorycalc.cli import main, parser
from theorycalc.cli.explore import _browse
from theorycalc.cli.parsing import commands_of
from theorycalc.explorer.fields import FIELDS


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
        (["--activation", "rellu"], "did you mean 'relu'"),
    ],
)
def test_bad_options_are_errors(capsys, arguments, words):
    assert main(["explore", "--no-browser", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_every_field_is_an_option():
    described = commands_of(parser())["explore"].complete_description()
    assert set(FIELDS) <= {action.dest for action in described._actions}


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

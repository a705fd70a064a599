"""The explorer without a browser: what it reads, computes, copies and refuses."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.explorer import running
from theorycalc.cli import main
from theorycalc.cli.explore import _HELP, _browse
from theorycalc.web.answers import answer
from theorycalc.web.lanes import OVERTAKEN, Lane, _answer_or_confession
from theorycalc.web.recipes import command_of, python_of
from theorycalc.web.state import FIELDS, FieldError, case_of, texts_of

COSTLY = "sin(exp(x)) + x"  # minutes: its coefficients are oscillating integrals


def test_fields_are_read_exactly():
    case = case_of({"phi": "1/3", "ridge": "1e-3", "alpha": "0.1", "n": "2e3"})
    assert (case.problem.phi, case.problem.ridge, case.alpha, case.n) == (
        Fraction(1, 3), Fraction(1, 1000), Fraction(1, 10), 2000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("activation", "rellu", "did you mean 'relu'"),
        ("activation", "x**2", "c_1 = 0"),
        ("activation", "__import__('os')", ""),
        ("teacher", "H1 +", "ends too early"),
        ("phi", "0", "must be positive"),
        ("psi", "one", "write it as 1/10, 0.1 or 1e-3"),
        ("ridge", "-1", "must not be negative"),
        ("noise", "1/0", "divides by zero"),
        ("n", "10.5", "positive whole number"),
        ("n", "1/2", "positive whole number"),
        ("n", "1e400", "up to 10^15"),
        ("alpha", "", "is not a number"),
        ("first_layer", "cube", "choose one of"),
        ("step_samples", "0", "must be positive"),
        ("phi", "1" * 600, "a field takes 500"),
    ],
)
def test_errors_know_their_field(field, text, words):
    for kind in ("now", "finite"):
        error = answer(kind, {field: text})["error"]
        assert error["field"] == field
        assert words in error["message"]


def test_the_page_has_no_other_fields():
    with pytest.raises(tc.ArgumentError, match="no field 'rigde'; did you mean 'ridge'"):
        texts_of({"rigde": "1"})
    with pytest.raises(FieldError, match="must be text"):
        texts_of({"phi": 1})


def test_numbers_are_the_library_s():
    fields = {"activation": "tanh(x + 1)", "ridge": "1/50", "alpha": "0.2", "n": "500"}
    problem = case_of(fields).problem
    found = answer("now", fields)
    limit = tc.predict(problem, alpha="0.2")
    assert (found["ell"], found["limit"]["test_gain"]) == (1, limit.test_gain)
    assert [s["train_gain"] for s in found["staircase"]["steps"]] == [
        tc.predict(problem, ell=ell).train_gain for ell in range(9)
    ]
    assert found["staircase"]["ceiling"]["test_gain"] == tc.predict(problem, ell="inf").test_gain
    middle = len(found["path"]["ridge"]) // 2
    assert found["path"]["test_loss"][middle] == pytest.approx(limit.test_loss, rel=1e-12)
    spectrum = tc.spectrum(problem, n=500, alpha="0.2")
    assert found["outliers"]["places"] == spectrum.outliers.tolist()
    assert found["spectrum"]["edges"] == [list(pair) for pair in spectrum.edges]
    finite = tc.step(problem, n=500, alpha="0.2")
    assert answer("finite", fields)["test_gain"] == finite.test_gain
    curve = answer("curve", fields)
    assert curve["method"] == "dressed"
    place = curve["alpha"].index(0.2)
    assert curve["test_gain"][place] == pytest.approx(float(finite.test_gain), rel=1e-7)


def test_numbers_beyond_floats_are_refused_at_their_field():
    for field in ("alpha", "phi", "noise"):
        assert answer("now", {field: "1e400"})["error"]["field"] == field


def test_what_has_no_limit_is_shown_without_it():
    found = answer("now", {"alpha": "1/4"})
    assert found["limit"] is None
    assert "is on the boundary 1/4" in found["no_limit"]
    assert "tc.predict" not in found["python"]
    assert answer("formulas", {"alpha": "1/4"})["refused"] == found["no_limit"]
    assert "needs ridge > 0" in answer("finite", {"ridge": "0"})["refused"]
    assert "tc.step" not in answer("now", {"ridge": "0"})["python"]
    assert "take a smaller step" in answer("now", {"alpha": "0.55"})["outliers"]["refused"]


def test_infinite_losses_are_explained_beside_the_ridge():
    for fields in ({"phi": "2/3", "ridge": "0"}, {"phi": "2/3", "ridge": "0", "alpha": "1/4"}):
        error = answer("now", fields)["error"]
        assert error["field"] == "ridge"
        assert "the test loss is infinite" in error["message"]
    assert answer("now", {"phi": "2/3", "ridge": "1e-6"})["limit"]["test_loss"] < 1e6


def test_answers_are_json():
    for kind in ("now", "finite", "curve", "formulas", "choices"):
        found = answer(kind, {"phi": "3", "psi": "1/2"})
        assert json.loads(json.dumps(found, allow_nan=False)).keys() == found.keys()


def test_formulas_are_those_of_the_problem():
    found = answer("formulas", {"alpha": "0.35"})  # relu has no third coefficient
    delta = tc.latex(tc.symbolic.formula("Delta", 3, spikes=[1, 2])).splitlines()
    assert found["latex"].splitlines()[1] == delta[1]
    assert found["statement"][0][0].startswith("<math")
    gaussian = answer("formulas", {"alpha": "0.35", "first_layer": "gaussian"})
    assert gaussian["latex"] != found["latex"]


PLACES = [
    {},
    {"teacher": "1, -1/2", "phi": "2"},
    {"teacher": "-H1 + H2", "activation": "-x + relu(x)", "noise": "0"},
    {"first_layer": "gaussian", "initial_output": "included", "step_samples": "1/2", "alpha": "0.1"},
    {"alpha": "1/4"},
    {"ridge": "0"},
    {"ridge": "0", "alpha": "1/2"},
]


def printed(text: str) -> list[list[float]]:
    return [[float(item) for item in line.split()] for line in text.strip().splitlines()]


@pytest.mark.parametrize("fields", PLACES)
def test_copied_python_and_command_give_the_numbers_of_the_page(fields, capsys):
    found = answer("now", fields)
    names = ("train_gain", "test_gain", "train_loss", "test_loss")
    steps = [found["limit"], answer("finite", fields)]
    shown = [[step[name] for name in names] for step in steps if step and "refused" not in step]
    run = subprocess.run([sys.executable, "-c", found["python"]], capture_output=True, text=True, check=True)
    commands = []
    for line in found["command"].splitlines():
        program, *arguments = shlex.split(line)
        assert program == "theorycalc"
        assert main([*arguments, "--json"]) == 0
        values = json.loads(capsys.readouterr().out)["values"]
        commands.append([values[name] for name in names])
    if not shown:  # neither a limit nor a finite step: the losses before any
        before = found["staircase"]["steps"][0]
        shown = [[before[name] for name in names]]
    # The last bits of a finite step depend on the threads of BLAS.
    for numbers in (printed(run.stdout), commands):
        assert [pytest.approx(row, rel=1e-10) for row in shown] == numbers


@given(st.text(max_size=40), st.text(max_size=40))
def test_copied_text_quotes_whatever_was_typed(activation, phi):
    texts = {**FIELDS, "activation": activation, "phi": phi}
    assert f"    {activation!r},\n" in python_of(texts, 10, ("limit",))
    compile(python_of(texts, 10, ("limit", "finite")), "copied", "exec")
    words = shlex.split(command_of(texts, 10, ("limit",)))
    assert activation in words or f"--activation={activation}" in words


# ---- the server


@pytest.fixture(scope="module")
def explorer():
    with running() as made:
        yield made


def ask(explorer, method="POST", path="/api/now", body=None, **headers: str | None):
    port = explorer.server_address[1]
    given = {
        "Host": f"127.0.0.1:{port}",
        "Content-Type": "application/json",
        "X-Theorycalc-Token": explorer.token,
    }
    text = json.dumps({"page": "test", "fields": {}}) if body is None else body
    given |= {"Content-Length": str(len(text))} | {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(text.encode() if method == "POST" else None)
    response = connection.getresponse()
    found = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return found


def test_it_answers_its_own_page(explorer):
    assert explorer.server_address[0] == "127.0.0.1"
    own = explorer.address.rstrip("/")
    status, text, headers = ask(explorer, Origin=own, Sec_Fetch_Site="same-origin")
    assert (status, json.loads(text)["ell"]) == (200, 2)
    assert "Access-Control-Allow-Origin" not in headers
    port = explorer.server_address[1]
    assert ask(explorer, Host=f"localhost:{port}", Origin=f"http://localhost:{port}")[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Theorycalc_Token": None}, 401),
        ({"X_Theorycalc_Token": "guess"}, 401),
        ({"X_Theorycalc_Token": "é"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": None}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Length": "16385"}, 413),
        ({"Content_Length": "-1"}, 413),
        ({"Content_Length": None}, 413),
    ],
)
def test_it_answers_nobody_else(explorer, headers, status):
    assert ask(explorer, **headers)[0] == status


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", "7", '{"page": 1, "fields": {}}', '{"page": "", "fields": []}', "[" * 9999]
)
def test_bad_questions_are_refused(explorer, body):
    assert ask(explorer, body=body)[0] == 400


def test_bad_fields_are_answered(explorer):
    for fields in ({"phi": 1}, {"nothing": "1"}, {"phi": "nan"}):
        status, text, _ = ask(explorer, body=json.dumps({"page": "test", "fields": fields}))
        assert status == 200
        assert json.loads(text)["error"]["message"]


def test_pages_carry_their_policy(explorer):
    status, text, headers = ask(explorer, "GET", "/", X_Theorycalc_Token=None)
    assert status == 200
    assert explorer.token not in text
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r"https?://|\son\w+=|style=", text)
    assert ask(explorer, "GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403
    assert ask(explorer, "GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200  # a link
    assert ask(explorer, "GET", "/", Host="evil.example")[0] == 421


@pytest.mark.parametrize(
    "path", ["/../state.py", "/static/main.js", "/state.py", "/%2e%2e/state.py", "/nothing", "//etc/passwd"]
)
def test_no_other_file_has_an_address(explorer, path):
    assert ask(explorer, "GET", path)[0] == 404


def test_there_is_nothing_else(explorer):
    assert ask(explorer, path="/api/quit")[0] == 404
    assert ask(explorer, path="/api/now?x")[0] == 404
    assert ask(explorer, "PUT")[0] == 501
    assert ask(explorer, "OPTIONS")[0] == 501


# ---- work that may take long


@pytest.fixture
def lane():
    made = Lane(seconds=3, grace=0.2)
    yield made
    made.close()


def in_thread(lane: Lane, page: str, fields: dict[str, str]):
    found: list[dict] = []
    thread = threading.Thread(target=lambda: found.append(lane.ask(page, "now", fields)))
    thread.start()
    return thread, found


def test_time_is_bounded_and_the_next_question_is_answered(lane):
    assert lane.ask("page", "now", {})["ell"] == 2
    start = time.monotonic()
    refused = lane.ask("page", "now", {"activation": COSTLY})
    assert "it took longer than 3 seconds" in refused["error"]["message"]
    assert 3 <= time.monotonic() - start < 6
    assert lane.ask("page", "now", {})["ell"] == 2


def test_the_newest_question_of_a_page_wins(lane):
    lane.ask("page", "now", {})
    costly, first = in_thread(lane, "page", {"activation": COSTLY})
    time.sleep(0.3)
    waiting, second = in_thread(lane, "page", {"alpha": "0.1"})
    other, third = in_thread(lane, "another page", {"alpha": "0.35"})
    time.sleep(0.05)
    assert lane.ask("page", "now", {"alpha": "0.3"})["ell"] == 2
    for thread in (costly, waiting, other):
        thread.join()
    assert first == second == [OVERTAKEN]
    assert third[0]["ell"] == 3


def test_a_worker_that_dies_is_replaced(lane):
    lane.ask("page", "now", {})
    assert lane._process is not None
    os.kill(lane._process.pid, signal.SIGKILL)
    assert "given up" in lane.ask("page", "now", {})["error"]["message"]
    assert lane.ask("page", "now", {})["ell"] == 2


def test_a_worker_that_cannot_start_is_said_and_tried_again(lane, monkeypatch):
    def refuse():
        raise BlockingIOError("Resource temporarily unavailable")

    with monkeypatch.context() as patched:
        patched.setattr(lane, "_start", refuse)
        assert "no process could be started" in lane.ask("page", "now", {})["error"]["message"]
    assert lane.ask("page", "now", {})["ell"] == 2


def test_a_mistake_of_ours_is_called_one(capsys):
    found = _answer_or_confession(lambda kind, fields: 1 // 0, "now", {})
    assert "a mistake of theorycalc; please report it: ZeroDivisionError" in found["error"]["message"]
    assert "Traceback" in capsys.readouterr().err


def test_closing_tells_whoever_waits():
    lane = Lane(seconds=60, grace=1)
    thread, found = in_thread(lane, "page", {"activation": COSTLY})
    time.sleep(0.2)
    lane.close()
    thread.join()
    assert "the explorer has ended" in found[0]["error"]["message"]
    assert "the explorer has ended" in lane.ask("page", "now", {})["error"]["message"]


# ---- the command


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "theorycalc", "explore", "--no-browser", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_ctrl_c_ends_it_cleanly():
    process = start("--alpha", "0.1")
    address = [process.stdout.readline() for _ in range(2)][1].strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#token=[\w-]{32}&alpha=0\.1", address)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the workers, too
    out, err = process.communicate(timeout=30)
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
        (["--port", "99999"], "port=99999 must be a whole number from 0 to 65535"),
        (["--port", "here"], "port='here' must be"),
        (["--phi", "much"], "phi='much' is not a number"),
        (["--activation", "rellu"], "did you mean 'relu'"),
    ],
)
def test_bad_options_are_errors(capsys, arguments, words):
    assert main(["explore", "--no-browser", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_every_field_is_an_option():
    assert set(_HELP) == set(FIELDS)


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

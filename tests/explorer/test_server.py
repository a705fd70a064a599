"""The explorer's server answers its own page, and nobody else."""

from __future__ import annotations

import http.client
import json
import re

import pytest

from tests.helpers.explorer import running
from tests.helpers.processes import PATIENCE


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
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(text.encode() if method == "POST" else None)
    response = connection.getresponse()
    found = response.status, response.read().decode(), dict(response.getheaders())
    connection.close()
    return found


@pytest.mark.slow
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

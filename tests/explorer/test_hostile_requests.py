"""Requests to the explorer that no page of ours sends: rebinding, foreign origins, long, slow and crooked ones."""

from __future__ import annotations

import contextlib
import json
import select
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.explorer import running
from tests.helpers.processes import PATIENCE

QUESTION = json.dumps({"page": "test", "fields": {}}).encode()


@pytest.fixture(scope="module")
def explorer():
    with running() as made:
        yield made


def exchange(explorer, request: bytes) -> bytes:
    """Send bytes as they are, and return what comes back until the server closes or has answered once."""
    with socket.create_connection(explorer.server_address[:2], timeout=PATIENCE) as connection:
        connection.sendall(request)
        answer = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while b"\r\n\r\n" not in answer and (more := connection.recv(65536)):
                answer += more
    return answer


def request(explorer, *lines: str, method="POST", path="/api/now", host=None, body=QUESTION) -> bytes:
    host = f"127.0.0.1:{explorer.server_address[1]}" if host is None else host
    head = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"X-Theorycalc-Token: {explorer.token}"]
    head += ["Content-Type: application/json", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.slow
def test_the_same_words_are_answered_when_nothing_is_wrong(explorer):
    assert status(exchange(explorer, request(explorer))) == 200


def test_no_other_name_reaches_it(explorer):
    """DNS rebinding: a foreign name that leads to 127.0.0.1, with the right port."""
    port = explorer.server_address[1]
    for host in (f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"[::1]:{port}", f"0.0.0.0:{port}", ""):
        assert status(exchange(explorer, request(explorer, host=host))) == 421, host
    assert status(exchange(explorer, request(explorer, f"Host: evil.example:{port}"))) == 421
    whole = f"http://evil.example:{port}/api/now"
    assert status(exchange(explorer, request(explorer, path=whole))) == 404


@pytest.mark.parametrize(
    "lines",
    [
        ("Origin: null",),
        ("Origin: https://127.0.0.1",),
        ("Origin: http://127.0.0.1:1",),
        ("Origin: http://evil.example", "Sec-Fetch-Site: same-origin"),
        ("Sec-Fetch-Site: nonsense",),
    ],
)
def test_no_other_origin_is_answered(explorer, lines):
    assert status(exchange(explorer, request(explorer, *lines))) == 403


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "TRACE", "CONNECT", "HEAD", "get"])
def test_no_other_method_is_known(explorer, method):
    answer = exchange(explorer, request(explorer, method=method))
    assert status(answer) == 501
    assert b"Access-Control" not in answer


@pytest.mark.parametrize(
    "path", ["/..%2f..%2fetc/passwd", "/....//state.py", "/%00", "/static/..", "/\\..\\state.py", "/*"]
)
def test_no_path_climbs(explorer, path):
    assert status(exchange(explorer, request(explorer, method="GET", path=path, body=b""))) == 404


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("target", ["http://[x", "http://[::1/", "http://x]/", "http://[1.2.3.4]/"])
def test_no_address_is_refused_in_silence(explorer, method, target, capfd):
    sent = request(explorer, method=method, path=target, body=b"")
    assert status(exchange(explorer, sent)) == 400
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"GET", 400),
        (b"GET /", 421),  # of HTTP/0.9, which knows no Host
        (b"GET / HTTP/0.9", 421),
        (b"POST /api/now", 400),
        (b"GET / HTTP/x", 400),
        (b"GET / HTTP/1.1 junk", 400),
        (b"GET / HTTP/99999999999.1", 400),
        (b"GET / HTTP/2.0", 505),
        (b"\x16\x03\x01\x02", 400),
        (b"\xff\xfe \xfd", 400),
    ],
)
def test_every_line_that_is_not_http_gets_a_status_and_our_headers(explorer, capfd, line, expected):
    answer = exchange(explorer, line + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 ")
    assert status(answer) == expected
    assert b"X-Content-Type-Options: nosniff" in answer
    assert b"Connection: close" in answer or expected == 421
    assert capfd.readouterr() == ("", "")


STARTS = st.sampled_from(["", "/", "//", "http://"])
TARGETS = st.builds("{}{}".format, STARTS, st.text("htp:/[]@%?#.x1\\ ", max_size=20))


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(["GET", "POST"]), target=TARGETS, junk=st.binary(max_size=60))
def test_whatever_is_sent_the_terminal_stays_quiet(explorer, capfd, method, target, junk):
    assert exchange(explorer, request(explorer, method=method, path=target, body=b""))  # a mistake of ours says nothing
    exchange(explorer, junk + b"\r\n\r\n")
    assert capfd.readouterr() == ("", "")


def test_long_requests_are_cut_off(explorer):
    assert status(exchange(explorer, request(explorer, path="/" + "a" * 70_000))) == 414
    assert status(exchange(explorer, request(explorer, "X-Long: " + "a" * 70_000))) == 431
    assert status(exchange(explorer, request(explorer, *(f"X-{i}: 1" for i in range(200))))) == 431
    huge = request(explorer, body=b"").replace(b"Content-Length: 0", b"Content-Length: 1000000000000")
    assert status(exchange(explorer, huge)) == 413


def test_a_chunked_body_is_not_waited_for(explorer):
    chunked = request(explorer, "Transfer-Encoding: chunked", body=b"").replace(b"Content-Length: 0\r\n", b"")
    assert status(exchange(explorer, chunked + b"FFFFFFFF\r\n" + b"a" * 1000)) == 413


def test_slow_clients_keep_nobody_waiting(explorer):
    """Fifty that say nothing, or half of a request; one that asks is answered meanwhile."""
    half, slow = request(explorer)[:-10], []
    with contextlib.ExitStack() as stack:
        for i in range(50):
            connection = stack.enter_context(socket.create_connection(explorer.server_address[:2], timeout=PATIENCE))
            connection.sendall((b"", b"POST /api", half)[i % 3])
            slow.append(connection)
        assert status(exchange(explorer, request(explorer))) == 200
        assert select.select(slow, [], [], 0)[0] == []  # none of them was sent away for it


def test_it_is_not_there_for_other_machines(explorer):
    assert explorer.server_address[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in (x for x in others if not x.startswith("127.")):
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((address, explorer.server_address[1]), timeout=5)

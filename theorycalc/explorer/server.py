"""The server of the page: only for this machine, only with the token, and never for another site's page."""

from __future__ import annotations

import hmac
import json
import secrets
import socket
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import TypeAlias
from urllib.parse import urlencode, urlsplit

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError
from theorycalc.explorer.fields import FIELDS, shown_of
from theorycalc.explorer.workers import Fields, Lane

Request: TypeAlias = "socket.socket | tuple[bytes, socket.socket]"
HOST = "127.0.0.1"
TOKEN_HEADER = "X-Theorycalc-Token"
_UNASKED = 8  # seconds of what nobody pressed a button for
_MOST_BYTES = 16_384  # of a request
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: The lane of each question: quick ones follow a slider at once, the others when it rests or when a button is pressed.
_LANE_OF = {
    "now": "quick",
    "formulas": "quick",
    "choices": "quick",
    "finite": "steady",
    "curve": "steady",
    "outliers": "spectra",
    "simulate": "asked",
}
_STOP = "stop"  # the question that ends another one, which its field names


class Explorer(ThreadingHTTPServer):
    """The server, its token and its workers."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 32

    def __init__(self, port: int) -> None:
        self.lanes: dict[str, Lane] = {}
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = f"port={port} cannot be used on {HOST} ({error}); choose another, or 0 for any that is free"
            raise ArgumentError(reason) from None
        self.token = secrets.token_urlsafe(24)
        self.lanes = {
            "quick": Lane(10, 1),
            "steady": Lane(60, 3, _UNASKED),
            "spectra": Lane(60, 3, _UNASKED),
            "asked": Lane(60, 0),
        }

    @property
    def address(self) -> str:
        """The page, without token or state."""
        return f"http://{HOST}:{self.server_address[1]}/"

    def opening(self, fields: dict[str, str]) -> str:
        """Return the address to open, with the token and the initial values in the fragment, which is never sent."""
        return f"{self.address}#{urlencode({'token': self.token} | fields)}"

    def warm(self) -> None:
        """Let the workers that every page needs load their imports."""
        for name, kind in (("quick", "now"), ("steady", "finite")):
            threading.Thread(target=self.lanes[name].ask, args=("first", kind, {}), daemon=True).start()

    def ask(self, page: str, kind: str, fields: Fields, pressed: bool) -> Fields:
        """Return the answer to a question, computed in its lane."""
        return self.lanes[_LANE_OF[kind]].ask(page, kind, fields, pressed)

    def stop(self, page: str, fields: Fields) -> Fields:
        """Cancel a page's question of the kind named in the fields."""
        kind = fields.get("kind")
        if isinstance(kind, str) and kind in _LANE_OF:
            self.lanes[_LANE_OF[kind]].stop(page, kind)
        return {}

    def server_close(self) -> None:
        """Close the socket and end the workers."""
        super().server_close()
        for lane in self.lanes.values():
            lane.close()

    def handle_error(self, request: Request, client_address: object) -> None:
        """Ignore a browser that has disconnected; show anything else, which is an error of ours."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _RefusalError(Exception):
    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: Explorer
    server_version = f"theorycalc/{__version__}"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 120
    wbufsize = -1  # headers and body in one packet
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Serve the page's files."""
        try:
            self._check_host()
            navigation = self.headers.get("Sec-Fetch-Mode") == "navigate"
            self._check_site(("same-origin", "none", *(("cross-site", "same-site") if navigation else ())))
            kind, body = _file(_path(self.path))
        except _RefusalError as refused:
            self._refuse(refused)
        else:
            self._send(HTTPStatus.OK, kind, body)

    def do_POST(self) -> None:
        """Answer a question from the page."""
        try:
            self._check_host()
            self._check_site(("same-origin",))
            self._check_token()
            page, kind, fields, pressed = self._question()
        except _RefusalError as refused:
            self.close_connection = True  # the rest of the request is not read
            self._refuse(refused)
            return
        answer = self.server.stop(page, fields) if kind == _STOP else self.server.ask(page, kind, fields, pressed)
        self._send(HTTPStatus.OK, "application/json", json.dumps(answer, allow_nan=False).encode())

    def _check_host(self) -> None:
        port = self.server.server_address[1]
        if self.headers.get_all("Host", []) not in ([f"{HOST}:{port}"], [f"localhost:{port}"]):
            raise _RefusalError(HTTPStatus.MISDIRECTED_REQUEST, f"open the page as {self.server.address}")

    def _check_site(self, allowed: tuple[str, ...]) -> None:
        """Refuse requests from other sites' pages, which browsers mark in these two headers."""
        origin = self.headers.get("Origin")
        own = f"http://{self.headers.get('Host')}"
        if (origin is not None and origin != own) or self.headers.get("Sec-Fetch-Site", allowed[0]) not in allowed:
            raise _RefusalError(HTTPStatus.FORBIDDEN, "this server answers only its own page")

    def _check_token(self) -> None:
        given = self.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self.server.token.encode()):
            raise _RefusalError(HTTPStatus.UNAUTHORIZED, "open the address that theorycalc explore has printed")

    def _question(self) -> tuple[str, str, Fields, bool]:
        kind = _path(self.path).removeprefix("/api/")
        if self.path != f"/api/{kind}" or kind not in (*_LANE_OF, _STOP):
            raise _RefusalError(HTTPStatus.NOT_FOUND, "there is no such request")
        if self.headers.get_content_type() != "application/json":
            raise _RefusalError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be JSON")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > _MOST_BYTES:
            raise _RefusalError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {_MOST_BYTES} bytes")
        try:
            question = json.loads(self.rfile.read(int(length)))
            page, fields = question["page"], question["fields"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise _RefusalError(HTTPStatus.BAD_REQUEST, "a request must name a page and its fields") from None
        if not (isinstance(page, str) and len(page) <= 64 and isinstance(fields, dict)):
            raise _RefusalError(HTTPStatus.BAD_REQUEST, "a request must name a page and its fields")
        return page, kind, fields, question.get("pressed") is True

    def _refuse(self, refused: _RefusalError) -> None:
        self._send(refused.status, "text/plain", f"{refused}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.request_version = self.protocol_version  # whatever came, the answer begins with a status
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse bytes that are not HTTP, and methods that are not known, as any other request is refused."""
        self.close_connection = True  # the rest of the request is not read
        self._refuse(_RefusalError(HTTPStatus(code), message or HTTPStatus(code).phrase))

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, so that the terminal stays quiet."""


def _path(target: str) -> str:
    """Return the path in a request line, which may contain any text."""
    try:
        return urlsplit(target).path
    except ValueError:
        raise _RefusalError(HTTPStatus.BAD_REQUEST, "this is not a valid address") from None


def _file(path: str) -> tuple[str, bytes]:
    """Return the type and content of one of the page's files; no other file can be requested.

    >>> _file("/")[0]
    'text/html'
    """
    name = path.removeprefix("/") or "index.html"
    if name == "first.json":
        return "application/json", json.dumps(FIELDS).encode()
    if name == "parameters.json":
        return "application/json", json.dumps({field: shown_of(field) for field in FIELDS}).encode()
    folder = resources.files("theorycalc.explorer").joinpath("static")
    if name not in {entry.name for entry in folder.iterdir()}:
        raise _RefusalError(HTTPStatus.NOT_FOUND, "there is no such page")
    return _TYPES[name[name.rindex(".") :]], folder.joinpath(name).read_bytes()

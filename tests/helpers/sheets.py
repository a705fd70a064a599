"""Sheets of several problems, and a reader of their pages."""

from __future__ import annotations

import functools
from html.parser import HTMLParser

import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM

HOSTILE = "\\input{/etc/passwd} $x$ & %# <script>alert(1)</script> \"'> é中\n\x07"
PROBLEMS = {
    "relu": PROBLEM,
    "gaussian": tc.Problem("gelu", "H1 + H2/2", "1/2", "2/3", "1/10", first_layer="gaussian"),
    "no polynomial": tc.Problem("tanh(x + 1)", "sin(x) + x**2", "3/2", "2/3", "1"),
    "odd": tc.Problem("erf", "H1 + H3/3", "1/2", "2/3", "1/100", step_samples="1/2"),
    "gaps": tc.Problem("x + x**4/9", ["1", "1/2", "0", "1/5"], "1/2", "2/3", "1/10", second_layer="sign"),
    "moments": tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2", "1/3"], "1/2", "2/3", "1/10"),
    "ridgeless": tc.Problem("relu", ["1", "1/2"], "1/2", "2/3", 0),
    "sizes": tc.Problem("gelu", "H1 + H2/2", n=900, d=300, N=600, ridge="1/100", step_samples=450),
}


class Page(HTMLParser):
    """Collects the tags of a page, and refuses one that does not close what it opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "mspace", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def plain(tex: str) -> str:
    """Return LaTeX with its line ends and the breaks of long numbers taken out."""
    return tex.replace(r"\hspace{0pt}", "").replace("\n", " ")


LITERAL = [name for name in PROBLEMS if name != "moments"]  # of which Var σ' is not known


#: A sheet of every problem by the theorem, and of those that have one by the limit of literal networks.
SHEETS = [*((name, "theorem") for name in PROBLEMS), *((name, "literal") for name in LITERAL)]
EVERY_SHEET = pytest.mark.parametrize(("name", "network"), SHEETS)


@functools.cache
def sheet_of(name, network, ell):
    """Return one of them, which no test changes: each takes a tenth of a second."""
    return tc.sheet(PROBLEMS[name], ell=ell, network=network)

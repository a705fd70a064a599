"""The documentation, read page by page: what it links to, shows and names when built, and the anchors of its files."""

from __future__ import annotations

import functools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Image(NamedTuple):
    """A picture: where it is, and what those read who do not see it."""

    source: str
    text: str


class Page(HTMLParser):
    """Collects titles, anchors, links and pictures of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.images: list[Image] = []
        self.headings: list[str] = []
        self._in_heading = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in {"script", "link"}:
            self.links += [found[name] for name in ("src", "href") if name in found]
        if tag == "img":
            self.images.append(Image(found.get("src", ""), found.get("alt", "")))
        if tag == "h1":
            self.headings.append("")
            self._in_heading = True

    def handle_endtag(self, tag: str) -> None:
        self._in_heading = self._in_heading and tag != "h1"

    def handle_data(self, data: str) -> None:
        if self._in_heading:
            self.headings[-1] += data


class Entries(HTMLParser):
    """Collects the entries of an API page: all text below the name of each, the entries within it included."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._open: list[str | None] = []  # the name of each list of definitions around a place, if it is an entry's
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "dl":
            self._open.append("" if (found.get("class") or "").startswith("py ") else None)
        elif tag == "dt" and self._open and self._open[-1] == "" and found.get("id"):
            self._open[-1] = found["id"]
            self.texts[found["id"] or ""] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "dl":
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for name in filter(None, self._open):
            self.texts[name] += data


@functools.cache
def read(path: Path) -> Page:
    """Return a page of the site."""
    return Page(path.read_text(encoding="utf-8"))


def pages(site: Path) -> list[Path]:
    """Return the pages that people read; those of the search and the index of names are Sphinx's own."""
    own = {"search", "genindex", "py-modindex"}
    return [path for path in sorted(site.rglob("*.html")) if path.stem not in own and "_static" not in path.parts]


def broken(page: Path) -> list[str]:
    """Return the links of a page to files or anchors that are not there, and other files that are missing."""
    wrong = []
    for link in read(page).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue  # to the outside, for a reader who clicks
        target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
        anchor = unquote(parts.fragment) if target.suffix == ".html" else ""
        if not target.is_file() or (anchor and anchor not in read(target).anchors):
            wrong.append(link)
    return wrong


@functools.cache
def anchors_of(file: Path) -> set[str]:
    """Return the anchors that MyST and GitHub give to the headings of a file, and those that it names itself."""
    text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))

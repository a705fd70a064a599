"""A report, with and without a simulation, and a reader of its pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps what a test asks for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.references, self.words = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.references += [v for k, v in attributes if k in ("href", "xlink:href", "src", "action", "data", "srcset")]
        self.references += [m for v in given.values() for m in re.findall(r"url\(([^)]*)\)", v or "")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def check_alone(html):
    """Assert that a page is whole and asks nothing of any server."""
    page = Page(html)
    assert not {"script", "iframe", "object", "embed", "link", "form", "img", "image", "base"} & set(page.tags)
    assert not re.findall(r"\son\w+=", re.sub(r">[^<]*<", "><", html))
    assert len(page.ids) == len(set(page.ids))
    targets = [reference.strip("'\"") for reference in page.references]
    assert all(target.startswith("#") and target[1:] in page.ids for target in targets)
    fetched = re.findall(r"(?:url\(|@import\s)\s*['\"]?([^'\")\s]+)", html)
    assert all(target.startswith("#") for target in fetched)
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", "http://www.w3.org/1998/Math/MathML"}
    assert set(re.findall(r"https?://[^\s\"'<>)]*", html)) <= namespaces
    assert "Content-Security-Policy" in html
    assert "default-src 'none'; style-src 'unsafe-inline'" in html
    return page

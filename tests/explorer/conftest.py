"""The page of a running explorer in a headless browser."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.helpers.explorer import WIDTHS, browsing, running
from tests.helpers.processes import PATIENCE


@pytest.fixture(scope="module")
def explorer():
    with running() as made:
        yield made


@pytest.fixture(scope="module")
def browser():
    with browsing() as made:
        yield made


@pytest.fixture
def visit(explorer, browser):
    """A function that opens the page; afterwards nothing may have gone wrong in it, or have left this machine."""
    contexts, wrong, asked = [], [], []

    def go(fields: dict[str, str] | None = None, width: str = "desktop", fragment: str | None = None):
        size = WIDTHS[width]
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        context.set_default_timeout(1000 * PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(explorer.opening(fields or {}) if fragment is None else f"{explorer.address}#{fragment}")
        return page

    yield go
    for context in contexts:
        context.close()
    assert wrong == []
    assert asked
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(explorer.address).netloc}

"""A running explorer and a headless browser, for the tests and the benchmark."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.processes import PATIENCE
from theorycalc.explorer.server import Explorer

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = {"phone": (390, 844), "desktop": (1400, 900)}


@contextlib.contextmanager
def running() -> Iterator[Explorer]:
    explorer = Explorer(0)
    for lane in explorer.lanes.values():
        lane._seconds, lane._unasked = PATIENCE, None  # answers are late on a busy machine, and still right
    explorer.warm()
    thread = threading.Thread(target=explorer.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield explorer
    finally:
        explorer.shutdown()
        thread.join()
        explorer.server_close()


@contextlib.contextmanager
def browsing() -> Iterator[Any]:
    """A headless Chromium; without one the test is skipped, unless THEORYCALC_REQUIRE_BROWSER is set."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        reason = f"no browser was found: none of {', '.join(BROWSERS)}"
        if os.environ.get("THEORYCALC_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=1000 * PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


def settled(page: Any) -> None:
    """Wait until everything belongs to the last change."""
    page.locator("#results:not(.stale) #gain .curve:not(.stale)").first.wait_for(state="attached")
    page.locator("#formula-lines td").first.wait_for(state="attached")
    page.locator("#spectrum .note").filter(has_not_text=re.compile("on its way|values before")).wait_for()

"""The documentation is built once for all tests of its pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.docs_code import ROOT
from tests.helpers.processes import finished
from tests.helpers.typesetters import missing


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages; warnings are errors."""
    if not (ROOT / "node_modules" / "mathjax").exists():
        missing("MathJax", "npm install --no-package-lock")
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-b", "html"]
    words = [*command, "-d", folder / "doctrees", ROOT / "docs", folder / "html"]
    done = finished(words, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return folder / "html"

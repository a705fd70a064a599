"""LaTeX and KaTeX as judges; a test that needs one that is missing is skipped, or fails where it is required."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.helpers.processes import PATIENCE, finished

ROOT = Path(__file__).parents[2]
_KATEX = """
const katex = require('katex');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf-8'));
const failures = [];
for (const text of texts) {
  try { katex.renderToString(text, {strict: 'error', throwOnError: true, displayMode: true}); }
  catch (error) { failures.push([text, error.message]); }
}
console.log(JSON.stringify(failures));
"""


def missing(what: str, how: str) -> None:
    """Skip a test for want of a program, unless THEORYCALC_REQUIRE_TYPESETTERS says that it must be there."""
    words = f"{what} is not installed: {how}"
    if os.environ.get("THEORYCALC_REQUIRE_TYPESETTERS"):
        pytest.fail(words)
    pytest.skip(words)


def latex_errors(displays: Sequence[str], directory: Path) -> list[str]:
    """Compile all displays in one document with amsmath; return LaTeX's complaints."""
    if shutil.which("pdflatex") is None:
        missing("pdflatex", "apt-get install texlive-latex-base")
    body = "\n".join(f"\\[ {display} \\]" for display in displays)
    source = f"\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (directory / "all.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "all.tex"]
    lines = finished(command, cwd=directory, encoding="latin-1").stdout.splitlines()
    complaints = [line for line in lines if line.startswith("!") or "Missing character" in line]
    if not (directory / "all.pdf").exists():
        complaints.append("no PDF was made")
    return complaints


def katex_errors(displays: Sequence[str]) -> list[tuple[str, str]]:
    """Render all displays with KaTeX, its strictness set to errors; return text and message of each failure."""
    if shutil.which("node") is None:
        missing("node", "apt-get install nodejs npm")
    if finished(["node", "-e", "require('katex')"], cwd=ROOT).returncode:
        missing("KaTeX", "npm install --no-package-lock")
    done = subprocess.run(
        ["node", "-e", _KATEX],
        cwd=ROOT,
        input=json.dumps(list(displays)).encode(),
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    return [(text, message) for text, message in json.loads(done.stdout)]

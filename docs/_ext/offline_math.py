"""Copy MathJax from node_modules into the built pages, so that formulas need no network."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import SphinxError

MATHJAX = Path(__file__).parents[2] / "node_modules" / "mathjax" / "es5" / "tex-svg.js"


def check(app: Sphinx) -> None:
    """Raise an error at once if MathJax is missing, instead of after a minute of building."""
    if app.builder.format == "html" and not MATHJAX.exists():
        raise SphinxError("MathJax is missing: 'make docs' gets it from npm, or run npm install --no-package-lock")


def copy(app: Sphinx, error: Exception | None) -> None:
    """Put the one file that draws formulas beside the other static files."""
    if error is None and app.builder.format == "html":
        target = Path(app.outdir, "_static", app.config.mathjax_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(MATHJAX, target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.set_html_assets_policy("always")  # titles with formulas are in the sidebar of every page
    app.connect("builder-inited", check)
    app.connect("build-finished", copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

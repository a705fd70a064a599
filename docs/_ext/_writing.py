"""Pages that are made at build time: written into the sources, where git ignores them."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a page if it changed, so that Sphinx reads no other again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")

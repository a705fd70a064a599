"""Results of long audits, kept in build/audit: one that was stopped goes on, unless the sources have changed."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import theorycalc as tc

FOLDER = Path(__file__).parents[2] / "build" / "audit"
#: Where the numbers come from: a change in any of it makes kept results void.
SOURCES = ("theory/**/*.py", "hermite/*.py", "activations/*.py", "expressions/*.py", "*.py")


@functools.cache
def fingerprint(drawn_by: tuple[str, ...]) -> str:
    """Return what the sources of the numbers are, and the modules here that draw the problems, in short."""
    package = Path(tc.__file__).parent
    files = [path for pattern in SOURCES for path in package.glob(pattern)]
    digest = hashlib.sha256()
    for path in [*sorted(set(files)), *(Path(__file__).with_name(f"{name}.py") for name in drawn_by)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept(
    name: str, settings: dict[str, Any], make: Callable[[], dict[str, Any]] | None, drawn_by: tuple[str, ...]
) -> dict[str, Any] | None:
    """Return what ``make()`` found with these settings and sources, making it only where it is not kept.

    Without ``make`` it is None where nothing is kept.
    """
    key = settings | {"sources": fingerprint(drawn_by)}
    path = FOLDER / f"{name}.json"
    if path.exists():
        before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if before["key"] == key:
            return before["found"]  # type: ignore[no-any-return]
    if make is None:
        return None
    found = json.loads(json.dumps(make()))  # as it will be read
    FOLDER.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"key": key, "found": found}), encoding="utf-8")
    return found  # type: ignore[no-any-return]

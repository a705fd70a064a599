"""Results of long audits, kept in build/audit: one that was stopped goes on, unless sources or versions changed."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import theorycalc as tc

FOLDER = Path(__file__).parents[1] / "build" / "audit"
#: Where the numbers come from: a change in any of it makes kept results void.
PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
SOURCES = ("theory/**/*.py", "hermite/*.py", "model/*.py", "functions/*.py", "numbers/*.py", "results/*.py")


@functools.cache
def fingerprint(made_by: tuple[str, ...]) -> str:
    """Return in short what the numbers come from: sources, the modules here that draw and judge, and versions."""
    package = Path(tc.__file__).parent
    files = [path for pattern in SOURCES for path in package.glob(pattern)]
    digest = hashlib.sha256()
    for path in [*sorted(set(files)), *(Path(__file__).with_name(f"{name}.py") for name in made_by)]:
        digest.update(path.read_bytes())
    digest.update(" ".join([platform.python_version(), *map(version, PACKAGES)]).encode())
    return digest.hexdigest()[:16]


def kept(
    name: str, settings: dict[str, Any], make: Callable[[], dict[str, Any]], made_by: tuple[str, ...]
) -> dict[str, Any]:
    """Return what ``make()`` found with these settings and sources, making it only where it is not kept."""
    key = settings | {"sources": fingerprint(made_by)}
    path = FOLDER / f"{name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if before.get("key") == key:
        return before["found"]  # type: ignore[no-any-return]
    text = json.dumps({"key": key, "found": make()})
    FOLDER.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return json.loads(text)["found"]  # type: ignore[no-any-return]

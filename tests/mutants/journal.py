"""What became of mutants, kept in a file so that a long run can be done in pieces.

It is remembered as long as the package and its tests are unchanged: a weaker test may no longer kill.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutants.running import ROOT, Outcome

PATH = ROOT / "build" / "mutants.json"
_APART = {"survivors.py", "page.py", "__pycache__"}  # neither computes nor tests anything


class Journal:
    """Durations of tests, files of tests that pass on unchanged code, and outcomes by a mutant's key."""

    def __init__(self, path: Path = PATH) -> None:
        self.path, self.state = path, fingerprint()
        self.durations: dict[str, float] = {}
        self.passed: list[str] = []
        self.outcomes: dict[str, Outcome] = {}
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.durations = stored["durations"]
            if stored["state"] == self.state:
                self.passed = stored["passed"]
                self.outcomes = {key: Outcome(*fields) for key, fields in stored["outcomes"].items()}

    def keep(self) -> None:
        """Write what is known."""
        content = {name: getattr(self, name) for name in ("state", "durations", "passed", "outcomes")}
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def fingerprint(root: Path = ROOT) -> str:
    """Return a name for the state of the package and of what its tests are made of."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in ("theorycalc", "tests", "benchmarks") for path in (root / folder).rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and not _APART & set(place.parts):
            digest.update(place.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()

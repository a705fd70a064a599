"""What is known of mutants, kept in a file so that a long run can be done in pieces.

A kill is remembered as long as the package is unchanged; what was not killed is run again: tests may have been added.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutants.running import ROOT, Outcome

PATH = ROOT / "build" / "mutants.json"


class Journal:
    """Durations of tests, and outcomes by a mutant's key."""

    def __init__(self, path: Path = PATH) -> None:
        self.path = path
        self.durations: dict[str, float] = {}
        self.killed: dict[str, str] = {}
        state = fingerprint()
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.durations = stored["durations"]
            self.killed = stored["killed"] if stored["state"] == state else {}
        self.state = state

    def add(self, key: str, outcome: Outcome) -> None:
        """Remember a kill, and how long tests take."""
        if outcome.verdict == "killed":
            self.killed[key] = outcome.detail
        for name, seconds in outcome.durations.items():
            self.durations.setdefault(name, seconds)
        self.path.parent.mkdir(exist_ok=True)
        content = {"state": self.state, "durations": self.durations, "killed": self.killed}
        self.path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def fingerprint() -> str:
    """Return a name for the state of the package."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "theorycalc").rglob("*.py")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()

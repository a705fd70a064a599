"""What is known of mutants, kept in a file so that a long run can be done in pieces.

A kill is remembered as long as the package and its tests are unchanged: a weaker test may no longer kill.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutants.running import ROOT, Outcome

PATH = ROOT / "build" / "mutants.json"
_APART = {"mutants", "__pycache__"}


class Journal:
    """Durations of tests, files of tests that pass, and kills by a mutant's key."""

    def __init__(self, path: Path = PATH) -> None:
        self.path = path
        self.durations: dict[str, float] = {}
        self.killed: dict[str, tuple[str, str]] = {}  # the test and its exception
        self.left: dict[str, tuple[str, str]] = {}  # verdict and detail of what was run and not killed
        self.passed: list[str] = []  # files of tests that pass on unchanged code
        state = fingerprint()
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.durations = stored["durations"]
            if stored["state"] == state:
                self.killed, self.left, self.passed = (stored[name] for name in ("killed", "left", "passed"))
        self.state = state

    def add(self, key: str, outcome: Outcome) -> None:
        """Remember what became of a mutant."""
        self.left.pop(key, None)
        if outcome.verdict == "killed":
            self.killed[key] = outcome.detail, outcome.exception
        else:
            self.left[key] = outcome.verdict, outcome.detail
        self._keep(outcome)

    def add_baseline(self, file: str, outcome: Outcome) -> None:
        """Remember that the tests of a file pass."""
        self.passed.append(file)
        self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        for name, seconds in outcome.durations.items():
            self.durations.setdefault(name, seconds)
        self.path.parent.mkdir(exist_ok=True)
        content = {name: getattr(self, name) for name in ("state", "durations", "killed", "left", "passed")}
        self.path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def fingerprint(root: Path = ROOT) -> str:
    """Return a name for the state of the package and of what its tests are made of.

    Apart from it is what neither computes nor tests anything here: the handbook, and the mutants themselves, each of
    which has its text in its key.
    """
    digest = hashlib.sha256()
    for path in sorted((root / "theorycalc").rglob("*.py")) + sorted((root / "tests").rglob("*")):
        place = path.relative_to(root)
        if path.is_file() and not _APART & set(place.parts[:-1]):
            digest.update(place.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()

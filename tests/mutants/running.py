"""A copy of the repository in which files are changed and marked tests run, and what became of each change."""

from __future__ import annotations

import compileall
import hashlib
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.helpers.processes import started

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "theorycalc"
JOURNAL = ROOT / "build" / "mutants.json"
CPU_SECONDS = 90
_NEEDED = ("theorycalc", "tests", "benchmarks", "pyproject.toml")
_APART = {"page.py", "__pycache__"}  # neither computes nor tests anything
_ENVIRONMENT = {
    "HYPOTHESIS_PROFILE": "mutants",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class Outcome(NamedTuple):
    """What became of a mutant: killed, survived, timeout or broken; by which test and which exception, or why."""

    verdict: str
    detail: str
    exception: str = ""
    judge: int = 0  # which run it was, if there were several


@dataclass(frozen=True)
class Laboratory:
    """The copy, the process that runs tests in it, and how long each took when it was first run."""

    root: Path
    process: subprocess.Popen[str]
    durations: dict[str, float]

    def run(self, selection: Sequence[str], cpu_seconds: int = CPU_SECONDS) -> Outcome:
        """Run pytest with the arguments ``selection`` until a test fails, the fastest ones first."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"selection": list(selection), "durations": self.durations, "cpu_seconds": cpu_seconds}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        found = json.loads(self.process.stdout.readline())
        if "late" in found:
            return Outcome(*(("timeout", f"over {cpu_seconds} s") if found["late"] else ("broken", "pytest died")))
        self.durations.update({**found["durations"], **self.durations})
        if found["failed"]:
            self._check_place(found["theorycalc"])
            return Outcome("killed", found["failed"], found["exception"])
        if found["broken"]:
            return Outcome("broken", found["broken"])
        if not found["passed"]:
            raise RuntimeError(f"no test ran: {selection}")
        self._check_place(found["theorycalc"])
        return Outcome("survived", f"{found['passed']} tests passed")

    def run_changed(self, module: str, text: str, selection: Sequence[str]) -> Outcome:
        """Run tests while a module of the package has another text."""
        path = path_of(self.root / "theorycalc", module)
        original = path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        try:
            return self.run(selection)
        finally:
            path.write_text(original, encoding="utf-8")

    def _check_place(self, place: str | None) -> None:
        if place != str(self.root / "theorycalc" / "__init__.py"):
            raise RuntimeError(f"the tests ran with {place}, not with the copy")


def path_of(package: Path, module: str) -> Path:
    """Return where a module is, such as theory.gains."""
    return package.joinpath(*module.split(".")).with_suffix(".py")


@contextmanager
def laboratory(durations: dict[str, float]) -> Iterator[Laboratory]:
    """Give a laboratory with a fresh copy of what the tests need; it adds to the durations of tests."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        for name in _NEEDED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, root / name)
        # Compiled once, and valid only for the very text: what is changed later is compiled anew, and never stored.
        compileall.compile_dir(root, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        command = [sys.executable, str(root / "tests" / "mutants" / "child.py")]
        environment = os.environ | _ENVIRONMENT | {"PYTHONPATH": str(root)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with started(command, threading.TIMEOUT_MAX, cwd=root, env=environment, text=True, **pipes) as process:
            yield Laboratory(root, process, durations)


class Journal:
    """Durations of tests, files of tests that pass on unchanged code, and outcomes by a mutant's key.

    It is kept in a file, so that a long run can be done in pieces, and is valid as long as the package and its tests
    are unchanged: a weaker test may no longer kill.
    """

    def __init__(self, path: Path = JOURNAL) -> None:
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

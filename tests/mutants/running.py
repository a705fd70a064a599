"""Run marked tests on a copy of the repository, one child process a mutant.

The child is forked from a process that has imported the libraries, but forgets theorycalc and the tests and imports
them from the copy.  It reports where theorycalc came from, so that a run of the wrong code cannot pass for a result.
"""

from __future__ import annotations

import compileall
import importlib
import json
import os
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CPU_SECONDS = 90
_NEEDED = ("theorycalc", "tests", "pyproject.toml")
_LIBRARIES = ("numpy", "scipy.special", "scipy.optimize", "sympy", "mpmath", "flint", "hypothesis.extra.numpy")
_NO_KILL = (ImportError, SyntaxError, NameError)  # such a mutant is broken code, which any test would notice


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: killed, survived, timeout or broken; by which test, or why."""

    verdict: str
    detail: str
    durations: Mapping[str, float]


@contextmanager
def copied_repository() -> Iterator[Path]:
    """Give a copy of what the tests need."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        for name in _NEEDED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, root / name)
        # Compiled once, and valid only for the very text: what is changed later is compiled anew, and never stored.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(root, quiet=2, invalidation_mode=mode)
        yield root


@contextmanager
def replaced(path: Path, text: str) -> Iterator[None]:
    """Let a file of the copy have another text for a while."""
    original = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(original, encoding="utf-8")


class _Recorder:
    """A plugin that runs the fastest tests first and keeps what happened."""

    def __init__(self, durations: Mapping[str, float]) -> None:
        self.known = durations
        self.durations: dict[str, float] = {}
        self.passed = 0
        self.failed: str | None = None
        self.broken: str | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken = f"{report.nodeid} could not be collected"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0.0) + report.duration
        self.passed += report.when == "call" and report.passed

    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]) -> None:
        if not isinstance(node, pytest.Item) or call.excinfo is None:
            return
        if call.excinfo.errisinstance(_NO_KILL):
            self.broken = call.excinfo.exconly()
        else:
            self.failed = node.nodeid
            node.session.shouldstop = "one is enough"


def run_tests(root: Path, selection: Sequence[str], durations: Mapping[str, float]) -> Outcome:
    """Run pytest in a child on the copy at ``root``, until the first failure; ``selection`` are its arguments."""
    for library in _LIBRARIES:
        importlib.import_module(library)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _report(root, selection, durations, writing)
        finally:
            os._exit(1)  # whatever happened, the child must not return into the parent's work
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return Outcome("timeout", f"over {CPU_SECONDS} s", {})
    if not text:
        return Outcome("broken", f"the tests ended with status {status}", {})
    found = json.loads(text)
    if found["theorycalc"] != str(root / "theorycalc" / "__init__.py"):
        raise RuntimeError(f"the tests ran with {found['theorycalc']}, not with the copy")
    if found["failed"]:
        return Outcome("killed", found["failed"], found["durations"])
    if found["broken"]:
        return Outcome("broken", found["broken"], found["durations"])
    if not found["passed"]:
        raise RuntimeError(f"no test ran: {selection}")
    return Outcome("survived", f"{found['passed']} tests passed", found["durations"])


def _report(root: Path, selection: Sequence[str], durations: Mapping[str, float], writing: int) -> None:
    """In the child: run, write what happened, and end without cleaning up what belongs to the parent."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    for name in [name for name in sys.modules if name.split(".")[0] in ("theorycalc", "tests")]:
        del sys.modules[name]
    os.chdir(root)
    os.environ |= {"PYTHONPATH": str(root), "HYPOTHESIS_PROFILE": "mutants", "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    sys.path[:] = [str(root), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    recorder = _Recorder(durations)
    options = ["-q", "--continue-on-collection-errors", "--assert=plain", f"--rootdir={root}"]
    options += ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
    known = "ignore::pytest.PytestAssertRewriteWarning"  # plugins that the parent has imported
    pytest.main([*options, "-W", known, *selection], plugins=[recorder])
    module = sys.modules.get("theorycalc") or importlib.import_module("theorycalc")
    result = {
        "failed": recorder.failed,
        "broken": recorder.broken,
        "passed": recorder.passed,
        "durations": recorder.durations,
        "theorycalc": module.__file__,
    }
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        pipe.write(json.dumps(result))
    os._exit(0)

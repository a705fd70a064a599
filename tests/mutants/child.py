"""Run pytest in forks of one process that has imported the libraries, but nothing of this repository.

A script, started by running.py in the copy of the repository: it reads one request a line and answers each with a line.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Mapping
from typing import Any

import pytest

_LIBRARIES = ("numpy", "scipy.special", "scipy.optimize", "sympy", "mpmath", "flint", "hypothesis.extra.numpy")
_NO_KILL = (ImportError, SyntaxError, NameError)  # such a mutant is broken code, which any test would notice
_OPTIONS = ("-q", "--continue-on-collection-errors", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist")
_KNOWN = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of plugins that are imported already


class Recorder:
    """A plugin that runs the fastest tests first, ends at the first failure, and keeps what happened."""

    def __init__(self, durations: Mapping[str, float]) -> None:
        self.known = durations
        self.durations: dict[str, float] = {}
        self.passed = 0
        self.failed: str | None = None
        self.exception = ""  # the name of what failed it
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
            self.failed, self.exception = node.nodeid, _kind_of(call.excinfo.value)
            node.session.shouldstop = "one is enough"


def _kind_of(error: BaseException) -> str:
    """Return the name of an exception; of a group, such as Hypothesis raises for several examples, of its first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__


def run(request: Mapping[str, Any], writing: int) -> None:
    """In the fork: run the tests and write what happened."""
    resource.setrlimit(resource.RLIMIT_CPU, (request["cpu_seconds"], request["cpu_seconds"] + 5))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    recorder = Recorder(request["durations"])
    pytest.main([*_OPTIONS, *_KNOWN, *request["selection"]], plugins=[recorder])
    found = {name: getattr(recorder, name) for name in ("failed", "exception", "broken", "passed", "durations")}
    found["theorycalc"] = getattr(sys.modules.get("theorycalc"), "__file__", None)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        pipe.write(json.dumps(found))


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Fork for a request, and return what the fork wrote, or how it ended."""
    reading, writing = os.pipe()
    fork = os.fork()
    if fork == 0:
        try:
            os.close(reading)
            run(request, writing)
        finally:
            os._exit(0)  # whatever happened, the fork must not go on with its parent's work
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    _, status = os.waitpid(fork, 0)
    late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    return json.loads(text) if text else {"late": late}


if __name__ == "__main__":
    sys.path[:1] = [os.getcwd()]  # not the directory of this script
    sys.dont_write_bytecode = True
    for library in _LIBRARIES:
        importlib.import_module(library)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)

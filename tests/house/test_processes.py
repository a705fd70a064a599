"""Processes that tests start hear Ctrl-C wherever the tests run, and none is left, however a test ends."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.helpers.processes import alive, finished, started, wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
SLEEPING = [sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(3600)"]
#: Starts a worker, says its number, and cares for neither Ctrl-C nor SIGTERM.
STUBBORN = """
    import signal, subprocess, sys, time
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid, flush=True)
    time.sleep(3600)
"""
#: They start processes in their own way: to measure them, to show what they say, and to be denied it.
OTHERS = {"compatibility/__main__.py", "house/test_fuzz.py"}

in_one_process_and_in_workers = pytest.mark.parametrize("workers", ["0", "1"])


def test_a_child_hears_ctrl_c():
    with started(SLEEPING, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate()[1]
    assert process.returncode == -signal.SIGINT


def test_a_worker_hears_ctrl_c():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.default_int_handler


@in_one_process_and_in_workers
def test_they_hear_it_too_where_the_tests_are_started_in_the_background(workers):
    """As of ``make test &`` in a script, which has the shell ignore Ctrl-C for it."""
    chosen = [f"{__file__}::{test.__name__}" for test in (test_a_child_hears_ctrl_c, test_a_worker_hears_ctrl_c)]
    background = ["bash", "-c", 'trap "" INT; exec "$@"', "bash"]
    done = finished([*background, *PYTEST, "-n", workers, *chosen], cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_nothing_is_left_of_a_test_that_fails():
    there = []

    def failing() -> None:
        with started([sys.executable, "-c", textwrap.dedent(STUBBORN)], stdout=subprocess.PIPE) as process:
            there.extend([process.pid, int(process.stdout.readline())])
            assert all(map(alive, there))
            raise RuntimeError("as a test fails")

    with pytest.raises(RuntimeError, match="as a test fails"):
        failing()
    assert len(there) == 2
    wait_until(lambda: not any(map(alive, there)))


@in_one_process_and_in_workers
def test_nothing_is_left_of_tests_that_are_told_to_end(tmp_path, workers):
    script = """
        from pathlib import Path
        from tests.helpers.processes import started
        from tests.house.test_processes import SLEEPING

        def test_that_takes_an_hour():
            with started(SLEEPING) as process:
                Path("child").write_text(str(process.pid))
                Path("child").rename("child.pid")
                process.wait()
    """
    (tmp_path / "test_long.py").write_text(textwrap.dedent(script))
    command = [*PYTEST, "-p", "tests.conftest", "-n", workers, "test_long.py"]
    options = {"env": os.environ | {"PYTHONPATH": str(ROOT)}, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    with started(command, cwd=tmp_path, **options) as process:
        wait_until((tmp_path / "child.pid").exists, process)
        child = int((tmp_path / "child.pid").read_text())
        assert alive(child)
        process.terminate()
        assert "KeyboardInterrupt" in process.communicate()[0]
        wait_until(lambda: not alive(child))


def test_patience_ends():
    with started(SLEEPING, patience=0.1, stdout=subprocess.DEVNULL) as process:
        assert process.wait() == -signal.SIGKILL


def test_nobody_waits_for_a_process_that_has_ended():
    command = [sys.executable, "-c", "raise SystemExit(3)"]
    with started(command) as process, pytest.raises(AssertionError, match="ended with 3"):
        wait_until(lambda: False, process)


def test_every_process_that_runs_beside_a_test_is_started_here():
    folder = ROOT / "tests"
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "Popen"
    }
    assert found == {"helpers/processes.py", *OTHERS}

"""Faults on purpose: Ctrl-C, killed workers and processes, full disks, wrong clocks and two at once.

``python -m tests.faults`` does it at length and writes docs/faults.md; the tests do a little of each.
Every fault ends in the same question: is what comes out in the end what comes out undisturbed, bit for bit?
And a fault that did not happen proves nothing: each is repeated until it has struck as often as it was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import multiprocessing
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import theorycalc as tc
from benchmarks.pages import DOCS, write_rows
from tests.helpers.problems import NETWORK as PROBLEM
from tests.helpers.processes import finished, heed_signals, members, started, wait_until

SIZES = {"n": 100, "alpha": [0.1, 0.3], "replicates": 120, "seed": 0}
GRID = {"ridge": "1e-3:10:80:log", "n": 100, "alpha": "0.1,0.2,0.3"}  # finite steps: four pieces, not one
COMMON = '--activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --phi 1/2 --psi 2/3 --noise 0.5 --n 100 --resume'
COMMANDS = {
    "simulate": f"simulate {COMMON} --ridge 0.1 --alpha 0.1,0.3 --replicates 120",
    "sweep": f"sweep {COMMON} --alpha {GRID['alpha']} --ridge {GRID['ridge']}",
}
OUTPUTS = {"simulate": "run.json", "sweep": "grid.csv"}
GROWING = {"simulate": "run.json.journal", "sweep": "grid.csv.part"}


def content(path: Path) -> str | bytes:
    """Return the data that must not differ: the bytes of a grid, the records of a run."""
    if path.suffix != ".json":
        return path.read_bytes()
    return json.dumps(json.loads(path.read_text())["records"])


def compute(command: str, path: Path, workers: int = 1) -> None:
    """Run the command's work in this process."""
    if command == "simulate":
        tc.simulate(PROBLEM, **SIZES, workers=workers, output=path, resume=True)
    else:
        tc.sweep(PROBLEM, GRID, output=path, resume=True, workers=workers)


@functools.cache
def undisturbed(command: str) -> str | bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / OUTPUTS[command]
        compute(command, path)
        return content(path)


#: Start a process that only says what went wrong; it has its own group, so that its workers can be struck with it.
silent = functools.partial(started, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")


def words_of(command: str, folder: Path, workers: int = 1) -> list[str]:
    words = [sys.executable, "-m", "theorycalc", *shlex.split(COMMANDS[command]), "--workers", str(workers)]
    return [*words, "--output", str(folder / OUTPUTS[command])]


@contextlib.contextmanager
def judged(command: str) -> Iterator[Path]:
    """Give a folder for the fault; afterwards go on in peace, and compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        compute(command, folder / OUTPUTS[command])
        assert content(folder / OUTPUTS[command]) == undisturbed(command)
        assert os.listdir(folder) == [OUTPUTS[command]]


def at_work(process: subprocess.Popen[str], folder: Path) -> bool:
    """Whether a process has its file open, or is over; an interrupt before that meets Python, and not us."""
    with contextlib.suppress(OSError):
        files = Path(f"/proc/{process.pid}/fd")
        return process.poll() is not None or any(os.readlink(x).startswith(str(folder)) for x in files.iterdir())
    return process.poll() is not None


def has_results(command: str, process: subprocess.Popen[str], folder: Path) -> bool:
    """Whether the growing file has more than its beginning, or the process is over."""
    growing = folder / GROWING[command]
    return process.poll() is not None or (growing.exists() and growing.stat().st_size > 3000)


def is_kept(command: str, folder: Path) -> bool:
    """Whether there is something to continue: a whole record, or a note of points."""
    try:
        if command == "simulate":
            return (folder / GROWING[command]).read_bytes().count(b"\n") > 1
        return bool(json.loads((folder / "grid.csv.progress").read_text())["points"] > 0)
    except FileNotFoundError:  # not yet, or no more: the work may end at any moment
        return False


def struck(process: subprocess.Popen[str], blow: signal.Signals) -> str:
    """Send a signal to a process and all of its workers, as a terminal does, and return its output."""
    with contextlib.suppress(ProcessLookupError):  # it was over
        os.killpg(process.pid, blow)
    return process.communicate()[1]


def none_is_left(process: subprocess.Popen[str]) -> bool:
    return not members(process.pid)


def again(seen: Counter[str], strike: str, count: int) -> Iterator[None]:
    """Yield until so many strikes have been seen; one that comes too late now and then is no failure, always is."""
    for _ in range(3 * count + 12):
        if seen[strike] < count:
            yield
    assert seen[strike] >= count, seen


def stop_at_random(
    command: str, count: int, rng: random.Random, blow: signal.Signals, workers: int = 1
) -> Counter[str]:
    """Start the command again and again on one file, and strike at a random moment of its work."""
    seen: Counter[str] = Counter()
    with judged(command) as folder:
        for _ in again(seen, "stopped", count):
            with silent(words_of(command, folder, workers)) as process:
                wait_until(functools.partial(at_work, process, folder))
                if workers > 1 or rng.random() < 0.5:  # they are at work when there are results, and not before
                    wait_until(functools.partial(has_results, command, process, folder))
                time.sleep(rng.uniform(0, 0.6) ** 2)
                words = struck(process, blow)
                wait_until(functools.partial(none_is_left, process))
            seen["stopped" if process.returncode in (128 + blow, -blow) else "had finished"] += 1
            assert "Traceback" not in words, words
            assert process.returncode in (0, 1, 3, 128 + blow, -blow), (process.returncode, words)
            if process.returncode == 0 or (folder / OUTPUTS[command]).exists():
                assert content(folder / OUTPUTS[command]) == undisturbed(command)
                (folder / OUTPUTS[command]).unlink()
    return seen


def two_at_once(command: str, count: int, rng: random.Random) -> Counter[str]:
    """Start the command twice on one file: one does the work, and the other refuses or comes after it."""
    seen: Counter[str] = Counter()
    for _ in again(seen, "refused", count):
        with judged(command) as folder, contextlib.ExitStack() as stack:
            first = stack.enter_context(silent(words_of(command, folder)))
            time.sleep(rng.uniform(0, 0.5))
            second = stack.enter_context(silent(words_of(command, folder)))
            for process in (first, second):
                _, words = process.communicate()
                refused = process.returncode == 2
                assert refused == ("another process is writing to" in words), words
                assert process.returncode in (0, 1, 2, 3), words  # 1: they differ; 3: too few draws to tell
                seen["refused" if refused else "finished"] += 1
            assert content(folder / OUTPUTS[command]) == undisturbed(command)
    return seen


def kill_workers(command: str, kills: int, rng: random.Random) -> Counter[str]:
    """Kill a worker process of this one again and again while it computes with two."""
    seen: Counter[str] = Counter()
    over = threading.Event()

    def killer(growing: Path) -> None:
        """Wait for the first results, so that the workers are at work, and kill one now and then."""
        while not over.is_set() and not (growing.exists() and growing.stat().st_size > 3000):
            time.sleep(0.002)
        while seen["killed"] < kills and not over.wait(rng.uniform(0, 0.3)):
            if children := multiprocessing.active_children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rng.choice(children).pid, signal.SIGKILL)
                    seen["killed"] += 1

    with judged(command) as folder:
        while seen["killed"] < kills:
            over.clear()
            thread = threading.Thread(target=killer, args=(folder / GROWING[command],))
            thread.start()
            try:
                compute(command, folder / OUTPUTS[command], workers=2)
                seen["finished in spite of it"] += 1
                assert content(folder / OUTPUTS[command]) == undisturbed(command)
                (folder / OUTPUTS[command]).unlink()
            except (tc.SimulationError, tc.SweepError):
                seen["gave up and was resumed"] += 1
            finally:
                over.set()
                thread.join()
    return seen


def fill_the_disk(command: str, count: int, rng: random.Random) -> Counter[str]:
    """Compute onto a disk of a random few kilobytes; make it larger, and go on.  Needs to be root, to mount it."""
    seen: Counter[str] = Counter()
    for _ in again(seen, "was full", count):
        with tempfile.TemporaryDirectory() as folder:
            most = 40_000 if command == "simulate" else 20_000
            mount = ["mount", "-t", "tmpfs", "-o"]
            subprocess.run([*mount, f"size={rng.randint(4096, most)}", "tmpfs", folder], check=True)
            try:
                path = Path(folder) / OUTPUTS[command]
                for _ in range(2):  # once more: it is still full
                    with contextlib.suppress(tc.SimulationError, tc.SweepError, tc.ArgumentError):
                        compute(command, path)
                        seen["had room"] += 1
                        break
                    seen["was full"] += 1
                subprocess.run([*mount, "remount,size=64m", "tmpfs", folder], check=True)
                compute(command, path)
                assert content(path) == undisturbed(command)
                assert os.listdir(folder) == [OUTPUTS[command]]
            finally:
                subprocess.run(["umount", folder], check=True)
    return seen


CLOCKS = """
    import random, sys, time
    rng = random.Random(int(sys.argv[3]))
    years = 365.25 * 86400

    def jumping(clock):
        return lambda: clock() + rng.choice([-10, 0, 10]) * years

    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, jumping(getattr(time, name)))

    from pathlib import Path
    from tests import faults
    faults.compute(sys.argv[1], Path(sys.argv[2]))
"""


def jump_the_clock(command: str, count: int, rng: random.Random) -> Counter[str]:
    """Compute while every reading of a clock is ten years early, late or right; kill it and resume likewise."""
    seen: Counter[str] = Counter()
    for _ in again(seen, "killed and resumed", count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = folder / OUTPUTS[command]
            words = [sys.executable, "-c", textwrap.dedent(CLOCKS), command, str(path)]
            with silent([*words, str(rng.randint(0, 10**6))]) as process:
                while process.poll() is None and not is_kept(command, folder):
                    time.sleep(0.002)
                struck(process, signal.SIGKILL)
            seen["killed and resumed" if is_kept(command, folder) else "had finished"] += 1
            assert finished([*words, str(rng.randint(0, 10**6))]).returncode == 0
            assert content(path) == undisturbed(command)
            assert os.listdir(folder) == [OUTPUTS[command]]
    return seen


class Fault(NamedTuple):
    """A fault, and how often ``make faults`` injects it into each command."""

    do: Callable[[str, int, random.Random], Counter[str]]
    times: int


_CTRL_C = functools.partial(stop_at_random, blow=signal.SIGINT)
_KILL = functools.partial(stop_at_random, blow=signal.SIGKILL)
FAULTS = {
    "Ctrl-C at a random moment": Fault(_CTRL_C, 16),
    "Ctrl-C, to two workers as well": Fault(functools.partial(_CTRL_C, workers=2), 8),
    "the process is killed at a random moment": Fault(_KILL, 8),
    "the process is killed with its two workers": Fault(functools.partial(_KILL, workers=2), 8),
    "a worker is killed, two at work": Fault(kill_workers, 3),
    "two processes on one file": Fault(two_at_once, 3),
    "the disk is full, and then it is not": Fault(fill_the_disk, 16),
    "every reading of a clock may be ten years off": Fault(jump_the_clock, 2),
}

PAGE = DOCS / "faults.md"
_HEAD = "fault | command | events | result | seed"


def do(name: str, command: str, times: int, seed: int) -> Counter[str]:
    """Do one fault; the moments that are drawn depend on the seed and its name alone."""
    return FAULTS[name].do(command, times, random.Random(f"{seed} {name} {command}"))


def main() -> None:
    """Inject many faults and write the results into docs/faults.md; words select faults that begin with them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    options = parser.parse_args()
    heed_signals()
    print(f"seed {options.seed}", flush=True)
    for name, fault in FAULTS.items():
        if name.startswith(tuple(options.names)):
            for command in COMMANDS:
                happened = do(name, command, fault.times, options.seed)
                words = ", ".join(f"{what}: {times}" for what, times in sorted(happened.items()))
                row = [name, command, words, "the same, bit for bit", str(options.seed)]
                write_rows(PAGE, "counts", _HEAD, [row], FAULTS)


if __name__ == "__main__":
    main()

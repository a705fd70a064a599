"""``make soak``: an hour of mixed use with random kills; writes its table into docs/faults.md.

Two people use one explorer, whose workers are killed now and then and which gets bytes that are not HTTP, while sweeps
and simulations on two workers are struck by signals at random moments and resumed.  An answer must be what it was the
first time, a file what it is undisturbed, no process may be left, and the explorer's memory may not grow.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl, urlsplit

from benchmarks.load import MOST_PROCESS_GROWTH
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine
from tests.faults import COMMANDS, stop_at_random
from tests.helpers.memory import peak_memory
from tests.helpers.processes import heed_signals, members, started, wait_until
from theorycalc.explorer.server import TOKEN_HEADER

PAGE = DOCS / "faults.md"
WARM = 0.2  # of the time, after which memory is looked at: caches are bounded, but must fill first
BLOWS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
KINDS = ["now", "formulas", "choices", "finite"]
ACTIVATIONS = ["relu", "tanh", "tanh(x + 1)", "erf", "x + x**2/2", "nonsense("]
_BETWEEN = 0.2  # seconds between two questions of a person


class Explored:
    """An explorer in a process of its own, the people who use it, and what they saw."""

    def __init__(self, process: subprocess.Popen[str], rng: random.Random) -> None:
        assert process.stdout is not None
        address = urlsplit([process.stdout.readline() for _ in range(2)][1].strip())
        self.host, self.token = address.netloc, dict(parse_qsl(address.fragment))["token"]
        self.pid, self.rng, self.over = process.pid, rng, threading.Event()
        self.seen: Counter[str] = Counter()
        self.first: dict[str, object] = {}
        self.failures: list[str] = []
        threads = [self.use, self.use, self.harm]
        self.threads = [threading.Thread(target=self.watched, args=(do,), daemon=True) for do in threads]

    def watched(self, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:  # in a thread it would be lost
            self.failures.append(f"{type(error).__name__}: {error}")

    def use(self) -> None:
        """Ask one question after the other, as a page does."""
        page = str(threading.get_ident())
        headers = {TOKEN_HEADER: self.token, "Content-Type": "application/json"}
        while not self.over.wait(_BETWEEN):
            fields = {"activation": self.rng.choice(ACTIVATIONS), "phi": self.rng.choice(["1/2", "1", "2"])}
            kind, question = self.rng.choice(KINDS), {"page": page, "fields": fields, "pressed": True}
            connection = http.client.HTTPConnection(self.host)
            connection.request("POST", f"/api/{kind}", json.dumps(question), headers)
            answer = json.loads(connection.getresponse().read())
            connection.close()
            if "this was stopped" in str(answer):
                self.seen["answers that a kill or a limit of time stopped"] += 1
            elif self.first.setdefault(f"{kind} {fields}", answer) != answer:
                self.failures.append(f"{kind} of {fields} changed")
            else:
                self.seen["answers"] += 1

    def harm(self) -> None:
        """Send bytes that are not HTTP, and now and then kill a worker."""
        while not self.over.wait(2 * _BETWEEN):
            with contextlib.closing(http.client.HTTPConnection(self.host)) as connection:
                connection.connect()
                with contextlib.suppress(ConnectionError):
                    connection.sock.sendall(self.rng.randbytes(self.rng.randint(1, 200)) + b"\r\n\r\n")
                self.seen["bytes that are not HTTP"] += 1
            if self.rng.random() < 0.02 and (workers := self.workers()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.rng.choice(workers), signal.SIGKILL)
                    self.seen["workers of the explorer killed"] += 1

    def workers(self) -> list[int]:
        return [pid for pid, words in members(self.pid) if "spawn_main" in words]

    def memory(self) -> tuple[float, int]:
        """Return the most memory of the server so far, in MB, and the number of its files and sockets."""
        return peak_memory(self.pid), len(os.listdir(f"/proc/{self.pid}/fd"))


@contextlib.contextmanager
def exploring(rng: random.Random) -> Iterator[Explored]:
    command = [sys.executable, "-m", "theorycalc", "explore", "--no-browser"]
    with started(command, patience=10**6, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        explored = Explored(process, rng)
        for thread in explored.threads:
            thread.start()
        yield explored
        explored.over.set()
        for thread in explored.threads:
            thread.join()
        process.terminate()
        _, words = process.communicate()
        wait_until(lambda: not members(process.pid))
        if words or process.returncode:
            explored.failures.append(f"the explorer ended with {process.returncode} and said: {words[-500:]}")


def main() -> None:
    """Use and harm for so many minutes; fail if anything was lost, changed, said or grown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    options = parser.parse_args()
    heed_signals()
    rng, start, seen, warm = random.Random(options.seed), time.monotonic(), Counter[str](), None
    with exploring(random.Random(options.seed + 1)) as explored:
        while time.monotonic() < start + 60 * options.minutes and not explored.failures:
            command, blow = rng.choice(list(COMMANDS)), rng.choice(BLOWS)
            happened = stop_at_random(command, 1, rng, blow, workers=2)
            seen[f"{command} stopped by {blow.name} and resumed"] += happened["stopped"]
            if warm is None and time.monotonic() > start + 60 * options.minutes * WARM:
                warm = explored.memory()
        after = explored.memory()
    warm = warm or after
    failures = explored.failures
    if after[0] > warm[0] + MOST_PROCESS_GROWTH:
        failures.append(f"the server grew from {warm[0]:.1f} to {after[0]:.1f} MB")
    counts = table("event | times", sorted((explored.seen + seen).items()))
    sizes = (
        f"The server took {warm[0]:.1f} MB at most in the first fifth and {after[0]:.1f} MB in all; it had {warm[1]}"
    )
    minutes = f"{(time.monotonic() - start) / 60:.0f} minutes, seed {options.seed}. {machine()}"
    write_between(PAGE, "soak", [*counts, "", f"{sizes} and {after[1]} files and sockets open.", "", minutes])
    raise SystemExit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()

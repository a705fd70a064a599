"""Fuzz with atheris: python -m tests.fuzz does all of it, python -m tests.fuzz KIND --runs N --seed S a piece of it.

What the pieces did is kept in build/fuzz, with the inputs that reached something new, on which the next piece builds;
--page writes docs/fuzzing.md from it. A piece that is run again with the same seed takes the place of the first.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from benchmarks.timing import machine
from tests.fuzz.inputs import KINDS, seeds, words
from tests.fuzz.page import write_page
from theorycalc import __version__

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "fuzz"
#: How many inputs of each kind make the million.
RUNS = {"expressions": 500_000, "numbers": 250_000, "ranges": 80_000, "activations": 30_000, "commands": 140_000}
_HANG = 60  # seconds after which libFuzzer ends an input that no signal of ours could


def main() -> int:
    """Run the pieces asked for; the exit status is 1 where there was a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kind", nargs="?", choices=RUNS)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=0, help="end a kind after so long, however many inputs it had")
    parser.add_argument("--page", action="store_true", help="only write docs/fuzzing.md")
    options = parser.parse_args()
    clean = True
    if not options.page:
        for kind in [options.kind] if options.kind else RUNS:
            clean &= run_piece(kind, options.runs or RUNS[kind], options.seed, options.seconds)
    if options.page or not options.kind:
        write_page(BUILD)
    return 0 if clean else 1


def run_piece(kind: str, runs: int, seed: int, seconds: int) -> bool:
    """Fuzz one kind of input in a process of its own, note what it did, and say whether nothing was found."""
    folder = BUILD / kind
    reached, begin, results = folder / "reached", folder / "seeds", folder / f"piece-{seed}"
    shutil.rmtree(results, ignore_errors=True)
    for path in (reached, begin, results):
        path.mkdir(parents=True, exist_ok=True)
    for text in seeds(kind):
        data = text.encode("utf-8", "surrogateescape")
        (begin / sha256(data).hexdigest()[:16]).write_bytes(data)
    (folder / "words.txt").write_text("\n".join(map(_entry, words(kind))) + "\n", encoding="ascii")
    settings = {"runs": runs, "seed": seed, "dict": folder / "words.txt", "max_len": KINDS[kind], "timeout": _HANG}
    settings |= {"artifact_prefix": f"{results}/ended-", "verbosity": 0, "rss_limit_mb": 0}
    settings |= {"max_total_time": seconds}
    command = [sys.executable, "-m", "tests.fuzz.fuzzer", kind, str(results)]
    start = time.monotonic()
    done = subprocess.run(
        [*command, *(f"-{name}={value}" for name, value in settings.items()), str(reached), str(begin)],
        check=False,
        cwd=ROOT,
    )
    note = {"kind": kind, "seed": seed, "seconds": round(time.monotonic() - start), "machine": _machine()}
    note |= outcome(results, done.returncode)
    (results / "note.json").write_text(json.dumps(note), encoding="ascii")
    print(note)
    return not note["findings"]


def outcome(results: Path, status: int) -> dict[str, int]:
    """Return what became of the inputs of a piece; what ended the whole process is a finding, too."""
    path = results / "tally.json"
    tally = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    written = len(list(results.glob("finding-*.txt")))
    return {**tally, "findings": max(tally.get("findings", 0), written) + (status != 0 or not tally)}


def _machine() -> str:
    return f"theorycalc {__version__}, atheris {version('atheris')}; {machine()}"


def _entry(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    letters = word.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(c) if chr(c).isalnum() and c < 128 else f"\\x{c:02x}" for c in letters) + '"'


if __name__ == "__main__":
    sys.exit(main())

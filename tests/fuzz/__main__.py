"""Fuzz with atheris: python -m tests.fuzz does all of it, python -m tests.fuzz KIND --runs N --seed S a piece of it.

What the pieces did is kept in build/fuzz, with the inputs that reached something new, on which the next piece builds;
--page writes docs/fuzzing.md from it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

from tests.fuzz.inputs import KINDS, seeds, words
from tests.fuzz.page import write_page

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "fuzz"
#: How many inputs of each kind make the million.
RUNS = {"expressions": 600_000, "numbers": 150_000, "ranges": 80_000, "activations": 20_000, "commands": 150_000}
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
        write_page(BUILD, ROOT / "docs" / "fuzzing.md")
    return 0 if clean else 1


def run_piece(kind: str, runs: int, seed: int, seconds: int) -> bool:
    """Fuzz one kind of input in a process of its own, note what it did, and say whether nothing was found."""
    folder = BUILD / kind
    reached, begin = folder / "reached", folder / "seeds"
    for path in (reached, begin):
        path.mkdir(parents=True, exist_ok=True)
    for text in seeds(kind):
        data = text.encode("utf-8", "surrogateescape")
        (begin / sha256(data).hexdigest()[:16]).write_bytes(data)
    (folder / "words.txt").write_text("\n".join(map(_entry, words(kind))) + "\n", encoding="ascii")
    (folder / "tally.json").unlink(missing_ok=True)
    settings = {"runs": runs, "seed": seed, "dict": folder / "words.txt", "max_len": KINDS[kind], "timeout": _HANG}
    settings |= {"artifact_prefix": f"{folder}/ended-", "verbosity": 0, "rss_limit_mb": 0}
    settings |= {"max_total_time": seconds}
    command = [sys.executable, "-m", "tests.fuzz.fuzzer", kind, str(folder)]
    start = time.monotonic()
    done = subprocess.run(
        [*command, *(f"-{name}={value}" for name, value in settings.items()), str(reached), str(begin)],
        check=False,
        cwd=ROOT,
    )
    if done.returncode or not (folder / "tally.json").exists():
        print(f"{kind}: the fuzzer ended with {done.returncode}; see {folder}", file=sys.stderr)
        return False
    tally = json.loads((folder / "tally.json").read_text(encoding="ascii"))
    note = {"kind": kind, "seed": seed, "seconds": round(time.monotonic() - start), **tally}
    with (BUILD / "pieces.jsonl").open("a", encoding="ascii") as pieces:
        pieces.write(json.dumps(note) + "\n")
    print(note)
    return "findings" not in tally


def _entry(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    letters = word.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(c) if chr(c).isalnum() and c < 128 else f"\\x{c:02x}" for c in letters) + '"'


if __name__ == "__main__":
    sys.exit(main())

"""The fuzzer of one kind of input, as a process: python -m tests.fuzz.fuzzer KIND FOLDER [options of libFuzzer].

An input that is a finding is written into the folder, one for each kind of exception and place, and the rest goes on.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import tempfile
import traceback
from collections import Counter
from hashlib import sha256
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["theorycalc"]):
    from tests.fuzz import checks

    checks.load_everything()

_EVERY = 100


def main() -> None:
    """Fuzz until libFuzzer has had its runs; tally.json says what became of them, but for a harmless last few."""
    kind, results, *options = sys.argv[1:]
    faulthandler.enable()
    checks.warm_up(kind)
    with tempfile.TemporaryDirectory() as folder:
        check = checks.target(kind, Path(folder))
        tally: Counter[str] = Counter()

        def one_input(data: bytes) -> int:
            try:
                found = check(data.decode("utf-8", "surrogateescape"))
            except BaseException as error:  # Ctrl-C that was not dealt with included
                found = "findings"
                _keep(data, error, Path(results))
            tally[found] += 1
            if found == "findings" or tally.total() % _EVERY == 0:  # libFuzzer ends the process without a last word
                (Path(results) / "tally.json").write_text(json.dumps(tally), encoding="ascii")
            return -1 if found == "left out" else 0

        atheris.Setup([sys.argv[0], *options], one_input)
        atheris.Fuzz()


def _keep(data: bytes, error: BaseException, results: Path) -> None:
    """Write the input and where it went wrong, once for each place."""
    where = traceback.extract_tb(error.__traceback__)
    place = next((step for step in reversed(where) if "theorycalc/" in step.filename), where[-1])
    name = sha256(f"{type(error).__name__} {place.filename} {place.name}".encode()).hexdigest()[:12]
    path = results / f"finding-{name}.txt"
    if not path.exists():
        said = "".join(traceback.format_exception(error))
        path.write_text(f"{data.decode('utf-8', 'surrogateescape')!r}\n\n{said}", encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()

"""``make figures``: run the examples at full size; figures and what they print go to docs/examples.

``python -m tests.figures NAME …`` runs some of them.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "examples"
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))
#: Modules that an example needs and an environment may not have.
NEEDS = {"own_features": ("sklearn",), "pytorch_and_scikit_learn": ("torch", "sklearn")}


def lacking(script: Path) -> list[str]:
    """Return the modules that an example needs and that are not installed here."""
    return [name for name in NEEDS.get(script.stem, ()) if importlib.util.find_spec(name) is None]


def run(script: Path, folder: Path) -> str:
    """Run an example in a folder and return what it prints; what it says on stderr is shown."""
    command = [sys.executable, str(script)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", cwd=folder).stdout


def main(names: list[str]) -> None:
    """Run the examples of these names, or all of them."""
    unknown = set(names) - {script.stem for script in SCRIPTS}
    if unknown:
        raise SystemExit(f"no such example: {', '.join(sorted(unknown))}")
    for script in SCRIPTS:
        if names and script.stem not in names:
            continue
        if lacking(script):
            print(f"{script.stem}: skipped, as {' and '.join(lacking(script))} are not installed", flush=True)
            continue
        start = time.perf_counter()
        printed = run(script, FOLDER)
        (FOLDER / f"{script.stem}.txt").write_text(printed, encoding="utf-8")
        print(f"{script.stem}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""What every example shares: a small size for a quick look, and a folder for its figure."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple


class Options(NamedTuple):
    """How large the example is, and where its files go."""

    small: bool
    output: Path


def options(description: str | None) -> Options:
    """Read ``--small`` and ``--output FOLDER`` from the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--small", action="store_true", help="seconds instead of minutes: smaller, noisier")
    parser.add_argument("--output", type=Path, default=Path(), metavar="FOLDER", help="where files go (default: here)")
    chosen = parser.parse_args()
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--output {chosen.output}: {error.strerror}")
    return Options(chosen.small, chosen.output)

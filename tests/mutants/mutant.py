"""One change of the code, and how it is applied to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """``old`` becomes ``new`` in a file below theorycalc/, where it stands exactly once."""

    formula: str
    file: str
    old: str
    new: str
    kind: str


def changed(text: str, mutant: Mutant) -> str:
    """Return the text of the file with the mutant in it."""
    count = text.count(mutant.old)
    if count != 1:
        raise ValueError(f"{mutant.file} has {mutant.old!r} {count} times, not once")
    return text.replace(mutant.old, mutant.new)


def path_of(root: Path, file: str) -> Path:
    """Return where a mutant's file is."""
    return root / "theorycalc" / file

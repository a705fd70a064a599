"""One function of text for each kind of input, ready to be called a million times."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

from tests.fuzz import checks
from tests.fuzz.command import TooLarge, check_command
from tests.fuzz.guards import Finding, Overdue, peak_memory, unwatched
from tests.fuzz.inputs import BETWEEN, seeds

#: MB that the process may have grown by, over all of its inputs, caches included.
MEMORY = 1000
_LONG = 60.0

_CHECKS: dict[str, Callable[[str], bool]] = {
    "expressions": checks.check_expression,
    "numbers": checks.check_number,
    "ranges": checks.check_range,
    "activations": checks.check_activation,
}
_LATE = (
    "csv", "difflib", "encodings.unicode_escape", "encodings.utf_16_be", "encodings.utf_32_be", "inspect", "json",
)  # fmt: skip


def load_everything() -> None:
    """Import what is imported late, so that an import while an input is read would be one that the input caused."""
    import theorycalc

    for module in pkgutil.walk_packages(theorycalc.__path__, "theorycalc."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def target(kind: str, folder: Path) -> Callable[[str], bool]:
    """Return the check of a kind of input; it says whether the input was accepted.

    A request that is fair but takes long raises TooLarge.
    """
    start = peak_memory()

    def check(text: str) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                accepted = check_command(text.split(BETWEEN), folder) if kind == "commands" else _CHECKS[kind](text)
            except Overdue as late:
                if kind == "activations":  # proofs of coefficients may take long; reading may not
                    raise TooLarge(str(late)) from None
                raise Finding(f"{kind}: {late}") from None
        if peak_memory() > start + MEMORY:
            raise Finding(f"{peak_memory() - start:.0f} MB more than at the start")
        return accepted

    return check


def warm_up(kind: str) -> None:
    """Run every seed once, to its end and unwatched, for what other packages import late."""
    with tempfile.TemporaryDirectory() as folder, unwatched():
        for text in seeds(kind):
            with contextlib.suppress(TooLarge, Overdue):
                if kind == "commands":
                    check_command(text.split(BETWEEN), Path(folder), patience=_LONG)
                else:
                    _CHECKS[kind](text)

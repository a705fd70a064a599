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
from tests.fuzz.command import check_command
from tests.fuzz.guards import Finding, Overdue, TooLarge, forget_peak, peak_memory, unwatched
from tests.fuzz.inputs import BETWEEN, seeds

#: MB that one input may take.  A number has 4000 digits at most, and a range has 10,000 numbers, which are 36 MB.
#: A command may print a sweep of a million points, which are 100 MB as numbers and as much as text.
MEMORY = {"expressions": 20, "numbers": 20, "ranges": 50, "activations": 100, "commands": 400}
#: MB that the process may have grown by, over all of its inputs, caches included.
GROWTH = 1000

_CHECKS: dict[str, Callable[[str], bool]] = {
    "expressions": checks.check_expression,
    "numbers": checks.check_number,
    "ranges": checks.check_range,
    "activations": checks.check_activation,
}
_LATE = (
    "csv", "difflib", "encodings.unicode_escape", "encodings.utf_16_be", "encodings.utf_32_be", "inspect", "json",
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg",
    "sympy.assumptions.wrapper", "sympy.sets.setexpr",
)  # fmt: skip


def load_everything() -> None:
    """Import what is imported late, so that an import while an input is read would be one that the input caused."""
    import theorycalc

    for module in pkgutil.walk_packages(theorycalc.__path__, "theorycalc."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def target(kind: str, folder: Path) -> Callable[[str], str]:
    """Return the check of a kind of input; it says what became of the input.

    That is "accepted", "refused", "interrupted", or "left out" for a request that is fair but takes long.
    """
    start = forget_peak()

    def check(text: str) -> str:
        before = forget_peak()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                state = _state(kind, text, folder)
            except TooLarge:
                state = "left out"
            except Overdue as late:
                raise Finding(str(late)) from None
        peak = peak_memory()
        if peak > before + MEMORY[kind]:
            raise Finding(f"{peak - before:.0f} MB for one input")
        if peak > start + GROWTH:
            raise Finding(f"{peak - start:.0f} MB more than at the start")
        return state

    return check


def _state(kind: str, text: str, folder: Path) -> str:
    if kind == "commands":
        return check_command(text.split(BETWEEN), folder)
    return "accepted" if _CHECKS[kind](text) else "refused"


def warm_up(kind: str) -> None:
    """Run every seed once, to its end and unwatched, for what other packages import late."""
    with tempfile.TemporaryDirectory() as folder, unwatched(slack=100):
        for text in seeds(kind):
            with contextlib.suppress(TooLarge):
                _state(kind, text, Path(folder))

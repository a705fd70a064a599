"""Which tests judge a mutant: those marked for its formula; else those of the code around it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from docs._handbook import FORMULAS
from tests.helpers.checks import by_formula
from tests.mutants.generated import Change, formulas_of
from tests.mutants.running import PACKAGE, ROOT


def checking(formulas: Iterable[str]) -> list[str]:
    """Return pytest's arguments for the tests that check some formulas."""
    names, marked = sorted(formulas), by_formula()
    files = sorted({f"tests/{check.file}" for name in names for check in marked[name]})
    return [*(f"--checks={name}" for name in names), *files]


def judges(change: Change, formula: str | None) -> list[list[str]]:
    """Return pytest's arguments for one run after another, until one kills.

    A formula is judged by its own tests, and then, since a function may compute several, by those of the others.
    What no formula names is judged by its doctests and the tests that import its module, and then by those of the
    module's formulas; where there are none, by those of the nearest modules that import it.
    """
    if formula is not None:
        others = set(formulas_of(change)) - {formula}
        return [checking([formula]), *([checking(others)] if others else [])]
    doctests = f"theorycalc/{change.module.replace('.', '/')}.py"
    marked = checking(_nearest(change.module, _formulas_in))
    return [[doctests, *sorted(_nearest(change.module, _tests_of))], *([[*marked, doctests]] if marked else [])]


def _formulas_in(modules: set[str]) -> set[str]:
    return {name for name, entry in FORMULAS.items() if modules & {place.split(": ")[0] for place in entry.code}}


def _tests_of(modules: set[str]) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for module in modules for path in _importing(module, "tests")}


def _nearest(module: str, find: Callable[[set[str]], set[str]]) -> set[str]:
    """Return what is found in a module, or in those that are the fewest imports away."""
    level, seen = {module}, {module}
    while level and not (found := find(level)):
        paths = (path for name in level for path in _importing(name, "theorycalc"))
        level = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths} - seen
        seen |= level
    return found


def _importing(module: str, folder: str) -> list[Path]:
    pattern = "test_*.py" if folder == "tests" else "*.py"
    return [path for path in sorted((ROOT / folder).rglob(pattern)) if f"theorycalc.{module}" in _imports(path)]


@functools.cache
def _imports(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name for node in imports for name in (node.module, *(f"{node.module}.{a.name}" for a in node.names))}

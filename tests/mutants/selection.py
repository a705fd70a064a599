"""Which tests judge a mutant: those marked for its formula; else those of the code around it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
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
    module's formulas, or of the modules that import it.
    """
    if formula is not None:
        others = set(formulas_of(change)) - {formula}
        return [checking([formula]), *([checking(others)] if others else [])]
    doctests = f"theorycalc/{change.module.replace('.', '/')}.py"
    tests = [f"tests/{path.relative_to(ROOT / 'tests').as_posix()}" for path in _importing(change.module, "tests")]
    marked = checking(_around(change.module))
    return [run for run in ([doctests, *tests] if tests else [], [*marked, doctests] if marked else []) if run]


def _around(module: str) -> set[str]:
    """Return the formulas of a module, or of those that are the fewest imports away."""
    level, seen = {module}, {module}
    while level:
        found = {name for name, entry in FORMULAS.items() if level & {place.split(": ")[0] for place in entry.code}}
        if found:
            return found
        paths = (path for name in level for path in _importing(name, "theorycalc"))
        level = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths} - seen
        seen |= level
    return set()


def _importing(module: str, folder: str) -> list[Path]:
    pattern = "test_*.py" if folder == "tests" else "*.py"
    return [path for path in sorted((ROOT / folder).rglob(pattern)) if f"theorycalc.{module}" in _imports(path)]


@functools.cache
def _imports(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name for node in imports for name in (node.module, *(f"{node.module}.{a.name}" for a in node.names))}

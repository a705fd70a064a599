"""Which tests check which formula of the handbook, read from their marks without importing anything."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parents[1]


class Check(NamedTuple):
    """One test that carries ``@pytest.mark.checks(…)``."""

    file: str  # below tests/
    test: str
    formulas: tuple[str, ...]


@functools.cache
def all_checks() -> tuple[Check, ...]:
    """Return every marked test."""
    return tuple(check for path in sorted(HERE.rglob("test_*.py")) for check in _checks(path))


def _checks(path: Path) -> Iterator[Check]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and (names := tuple(_names(node))):
            yield Check(path.relative_to(HERE).as_posix(), node.name, names)


def _names(node: ast.FunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.checks":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def by_formula() -> dict[str, list[Check]]:
    """Return the tests of every formula that has some."""
    found: dict[str, list[Check]] = {}
    for check in all_checks():
        for name in check.formulas:
            found.setdefault(name, []).append(check)
    return found

"""Mutants that a machine makes: every arithmetic operator, factor, range and whole number of the theory, one at a time.

Left out are lines that only set a tolerance, a limit or another constant of an algorithm (module-level names in
capitals), annotations, messages of errors, and docstrings.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.mutants.running import ROOT

SEED = 20240531
SAMPLE = 160
_SWAPS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}


class Change(NamedTuple):
    """One change: the text between two places of a file becomes another."""

    file: str  # below theorycalc/
    function: str  # top-level function or class, "" outside
    line: int
    start: int
    end: int
    new: str
    kind: str

    def applied(self, text: str) -> str:
        """Return the changed text of the file."""
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def shown(self, text: str) -> str:
        """Return the line before and after."""
        before, after = (whole.splitlines()[self.line - 1].strip() for whole in (text, self.applied(text)))
        return f"{before}  →  {after}"


def files() -> list[Path]:
    """Return the files with formulas."""
    package = ROOT / "theorycalc"
    return [path for room in ("theory", "hermite") for path in sorted((package / room).rglob("*.py"))]


def sample() -> list[Change]:
    """Return the sample: changes drawn by a hash of what they change, so that an edit elsewhere leaves it as it is.

    Its beginning is a sample, too, if a run ends before all are done.
    """
    texts = {path.relative_to(ROOT / "theorycalc").as_posix(): path.read_text(encoding="utf-8") for path in files()}

    def drawn(change: Change) -> bytes:
        words = f"{SEED}|{change.file}|{change.function}|{change.kind}|{change.shown(texts[change.file])}"
        return hashlib.sha256(words.encode()).digest()

    return sorted(every(), key=drawn)[:SAMPLE]


@functools.cache
def every() -> tuple[Change, ...]:
    """Return all changes there are, in a fixed order."""
    return tuple(sorted({change for path in files() for change in changes_of(path)}))


def changes_of(path: Path) -> Iterator[Change]:
    """Return every change of a file."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT / "theorycalc").as_posix()
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    for top in ast.parse(text).body:
        if _is_setting(top):
            continue
        function = getattr(top, "name", "")
        for node in _computing(top):
            for start, end, new, kind in _edits(node, text, span):
                yield Change(name, function, node.lineno, start, end, new, kind)


def _is_setting(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()


def _computing(top: ast.stmt) -> Iterator[ast.expr]:
    """Return the expressions below a node that compute: no annotations, no messages, no text."""
    todo: list[ast.AST] = [top]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Raise | ast.JoinedStr):
            continue
        if isinstance(node, ast.expr):
            yield node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            children = value if isinstance(value, list) else [value]
            todo += [child for child in children if isinstance(child, ast.AST)]


def _edits(
    node: ast.expr, text: str, span: Callable[[ast.expr], tuple[int, int]]
) -> Iterator[tuple[int, int, str, str]]:
    data = text.encode()
    if isinstance(node, ast.BinOp) and type(node.op) in _SWAPS:
        sign, other = _SWAPS[type(node.op)]
        between = span(node.left)[1], span(node.right)[0]
        operator = data[slice(*between)].decode()
        if operator.count(sign) == 1:
            yield *between, operator.replace(sign, other), f"{sign} to {other}"
        if isinstance(node.op, ast.Mult):
            for kept in (node.left, node.right):
                if not isinstance(kept, ast.BinOp | ast.IfExp):  # its brackets would be lost
                    yield *span(node), data[slice(*span(kept))].decode(), "dropped factor"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        last = node.args[min(1, len(node.args) - 1)]
        yield *span(last), f"({data[slice(*span(last))].decode()}) + 1", "range longer by one"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield *span(node), str(node.value + 1), "whole number + 1"

"""Mutants that a program makes, and which tests judge each.

One operator, term, factor, power, sign, comparison, range or number is changed at a time.
Left out are constants of an algorithm (module-level tables without functions, and loops that such a constant ends),
annotations, messages of errors, and text.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from docs._handbook import FORMULAS
from tests.helpers.checks import by_formula
from tests.mutants.running import PACKAGE, ROOT, path_of

SEED = 20240531
EACH = 3  # mutants of every formula
REST = 60  # of what no formula names
_ROOMS = ("theory", "hermite")
_SHOWN = 40  # characters around a change
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_OPPOSITE = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
_REVERSED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.NotEq}
_DROPPED = {
    ast.Add: ("term", 2),
    ast.Sub: ("term", 1),
    ast.Mult: ("factor", 2),
    ast.MatMult: ("factor", 2),
    ast.Div: ("divisor", 1),
}
_SYMMETRIC = ("max", "min", "times", "zip", "isinstance", "_dot")


class Change(NamedTuple):
    """One change of one expression."""

    module: str  # below theorycalc, with dots
    function: str  # top-level function or class, "" for a table
    kind: str
    number: int  # among the changes of this kind in this function
    place: int  # among all changes of the module

    def texts(self) -> tuple[str, str]:
        """Return the module before and after, as Python writes it."""
        tree = _tree(self.module)
        _, old, _, new = next(islice(_edits(tree), self.place, None))
        return _plain(self.module), ast.unparse(_Replacing(old, new).visit(tree))

    def shown(self) -> str:
        """Return what is around the change, before and after it."""
        lines = zip(*(text.splitlines() for text in self.texts()), strict=True)
        before, after = next((old.strip(), new.strip()) for old, new in lines if old != new)
        start = _common(before, after)
        same = _common(before[start:][::-1], after[start:][::-1])
        first, last = max(0, start - _SHOWN), max(0, same - _SHOWN)
        return "  →  ".join(text[first : len(text) - last] for text in (before, after))


def _common(first: str, second: str) -> int:
    """Return how many characters two texts begin with alike."""
    return next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


def formulas_of(change: Change) -> tuple[str, ...]:
    """Return the formulas whose code the handbook finds in this function; a table belongs to all of its module."""
    return _formulas_of(change.module, change.function)


@functools.cache
def _formulas_of(module: str, function: str) -> tuple[str, ...]:
    begins = f"{module}: {function}"
    return tuple(
        name
        for name, entry in FORMULAS.items()
        if any(place == begins or (not function and place.startswith(begins)) for place in entry.code)
    )


def sample(formula: str | None) -> list[Change]:
    """Return mutants of a formula, of several kinds, or those of what no formula names, in all modules.

    They are drawn by a hash of function, kind and number, so that an edit or a move elsewhere leaves them as they are.
    """
    if formula is None:
        return _in_turns((change for change in every() if not formulas_of(change)), "module", "")[:REST]
    return _in_turns((change for change in every() if formula in formulas_of(change)), "kind", formula)[:EACH]


def _in_turns(changes: Iterable[Change], field: str, salt: str) -> list[Change]:
    """Return changes in the order of a draw, the first of every module or kind before the second of any."""

    def drawn(change: Change) -> bytes:
        words = f"{SEED}|{salt}|{change.function}|{change.kind}|{change.number}"
        return hashlib.sha256(words.encode()).digest()

    groups: dict[str, list[Change]] = defaultdict(list)
    for change in sorted(changes, key=drawn):
        groups[getattr(change, field)].append(change)
    return [change for turn in zip_longest(*groups.values()) for change in turn if change is not None]


@functools.cache
def every() -> tuple[Change, ...]:
    """Return all changes there are, of the rooms with theory and of the functions that the handbook names."""
    paths = (path for room in _ROOMS for path in (PACKAGE / room).rglob("*.py"))
    modules = {".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths}
    modules |= {place.split(": ")[0] for entry in FORMULAS.values() for place in entry.code}
    found = []
    for module in sorted(modules):
        seen: Counter[tuple[str, str]] = Counter()
        for place, (function, _, kind, _) in enumerate(_edits(_tree(module))):
            found.append(Change(module, function, kind, seen[function, kind], place))
            seen[function, kind] += 1
    return tuple(change for change in found if change.module.startswith(_ROOMS) or formulas_of(change))


def _tree(module: str) -> ast.Module:
    return ast.parse(path_of(PACKAGE, module).read_text(encoding="utf-8"))


@functools.cache
def _plain(module: str) -> str:
    return ast.unparse(_tree(module))


def _edits(tree: ast.Module) -> Iterator[tuple[str, ast.expr, str, ast.expr]]:
    """Return for every change the function, the expression, the kind, and what the expression becomes."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef) or any(
            isinstance(node, ast.Lambda) for node in ast.walk(top)
        ):
            for node in _computing(top):
                for kind, new in _changes(node):
                    yield getattr(top, "name", ""), node, kind, new


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
            if field not in ("annotation", "returns", "decorator_list"):
                children = value if isinstance(value, list) else [value]
                todo += [child for child in children if isinstance(child, ast.AST)]


def _changes(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Return the changes of one expression: their kinds, and what it becomes."""
    match node:
        case ast.BinOp(ast.Constant(0), ast.Mult(), right):  # a zero of the shape of another number
            yield "dropped factor", right
        case ast.BinOp(left, operator, right):
            kind = type(operator)
            if kind in _OPPOSITE:
                other = _OPPOSITE[kind]
                yield f"{_SIGNS[kind]} to {_SIGNS[other]}", ast.BinOp(left, other(), right)
            if kind in _DROPPED:
                what, most = _DROPPED[kind]
                yield from ((f"dropped {what}", kept) for kept in (left, right)[:most])
            if kind is ast.Pow and not isinstance(right, ast.Constant):
                yield "power + 1", ast.BinOp(left, operator, _plus_one(right))
        case ast.UnaryOp(ast.USub(), operand):
            yield "dropped sign", operand
        case ast.Compare(left, [operator], [right]) if type(operator) in _REVERSED:
            yield "reversed comparison", ast.Compare(left, [_REVERSED[type(operator)]()], [right])
        case ast.Call(ast.Name("range"), [*others, last]) if len(others) < 2 and not ast.unparse(last).isupper():
            yield "range longer by one", ast.Call(node.func, [*others, _plus_one(last)], [])
        case ast.Call(function, [*others, ast.Name() as left, ast.Name() as right]):
            if ast.unparse(function) not in _SYMMETRIC and left.id != right.id:
                yield "swapped arguments", ast.Call(function, [*others, right, left], node.keywords)
        case ast.Constant(int(value)) if not isinstance(value, bool):
            yield "whole number + 1", ast.Constant(value + 1)


def _plus_one(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.Add(), ast.Constant(1))


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


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

    def of_formulas(modules: set[str]) -> set[str]:
        return {name for name, entry in FORMULAS.items() if modules & {place.split(": ")[0] for place in entry.code}}

    def of_tests(modules: set[str]) -> set[str]:
        return {path.relative_to(ROOT).as_posix() for module in modules for path in _importing(module, "tests")}

    doctests = f"theorycalc/{change.module.replace('.', '/')}.py"
    marked = checking(_nearest(change.module, of_formulas))
    return [[doctests, *sorted(_nearest(change.module, of_tests))], *([[*marked, doctests]] if marked else [])]


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

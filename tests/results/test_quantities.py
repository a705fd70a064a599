"""The table of quantities: symbols and words, once."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import mpmath
import pytest

import theorycalc as tc
from theorycalc.results.quantities import CLEAN, COLUMNS, COMPARED, MEASURED, NUMERICS, QUANTITIES, shown
from theorycalc.theory.limits import Values


def test_all_quantities_have_a_symbol_and_words():
    assert set(QUANTITIES) == set(Values._fields)
    assert set(COMPARED) <= set(QUANTITIES)
    assert {name.replace("_clean", "") for name in CLEAN} < set(QUANTITIES)
    for name, quantity in COLUMNS.items():
        assert quantity.name == name
        assert quantity.symbol
        assert quantity.words
    assert list(QUANTITIES)[:8] == [
        "test_loss_initial", "test_loss", "train_loss_initial", "train_loss", "train_error_initial", "train_error",
        "test_gain", "train_gain",
    ]  # fmt: skip


def strings_of(path: Path) -> set[str]:
    """Return the texts in a module, but for its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    docstrings = {id(body[0].value) for body in described if body and isinstance(body[0], ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {node.value for node in texts if id(node) not in docstrings}


@pytest.mark.slow
def test_the_words_of_a_quantity_stand_in_one_table():
    words = {text for q in (*MEASURED.values(), *NUMERICS.values()) for text in (q.words, q.heading, q.axis)}
    words = {text for text in words if " " in text}  # "m_1" and "κ" are letters, not words
    root = Path(tc.__file__).parent
    modules = [path for path in root.rglob("*.py") if path != root / "results" / "quantities.py"]
    assert {path.name: found for path in modules if (found := strings_of(path) & words)} == {}


def test_numbers_for_people():
    assert [shown(x) for x in (0.0, 1.0, 1234.5678, 1e-7, -1 / 3)] == ["0", "1", "1234.57", "1e-07", "-0.333333"]
    assert shown(mpmath.mpf(1) / 3) == str(mpmath.mpf(1) / 3)
    assert [shown(-math.inf), shown(None), shown(True, full=True)] == ["−∞", "–", "True"]

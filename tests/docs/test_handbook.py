"""The handbook: every formula is stated, placed and checked by a test; its page can be made."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import theorycalc
from docs._handbook import FORMULAS
from tests.helpers.checks import all_checks, by_formula
from tests.helpers.typesetters import katex_errors
from theorycalc.symbolic.formulas import ENTRIES

STATUSES = ("printed", "corrected", "new")
HANDBOOK = Path(theorycalc.__file__).parents[1] / "docs" / "_handbook"
EXTENSION = Path(theorycalc.__file__).parents[1] / "docs" / "_ext" / "handbook.py"


@pytest.fixture(scope="module")
def extension():
    """The module that writes the page."""
    spec = importlib.util.spec_from_file_location("handbook_page", EXTENSION)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_formula_of_tc_symbolic_is_in_it():
    assert set(ENTRIES) <= set(FORMULAS)


def test_every_formula_has_a_test_and_every_mark_names_a_formula():
    assert set(FORMULAS) - set(by_formula()) == set(), "mark the tests that check it: @pytest.mark.checks(name)"
    assert {name for check in all_checks() for name in check.formulas} <= set(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_its_code_exists(name):
    for place in FORMULAS[name].code:
        module, function = place.split(": ")
        assert hasattr(importlib.import_module(f"theorycalc.{module}"), function), place


def test_it_refers_to_no_private_name():
    assert [place for entry in FORMULAS.values() for place in entry.code if ": _" in place] == []
    for path in HANDBOOK.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        used = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        used |= {node.attr for node in nodes if isinstance(node, ast.Attribute)} - {"_replace"}  # of every NamedTuple
        assert [name for name in used if name.startswith("_")] == [], path


@pytest.mark.parametrize("name", FORMULAS)
def test_nothing_is_left_blank(name):
    entry = FORMULAS[name]
    assert entry.status.startswith(STATUSES)
    assert all((entry.title, entry.derivation, entry.source, entry.domain, entry.code, entry.statement()))
    assert ("new" in entry.status) or "not in the source" not in entry.source


def test_katex_renders_every_statement():
    assert katex_errors([entry.statement() for entry in FORMULAS.values()]) == []


def test_the_page_has_every_formula_with_its_tests_and_numbers(extension):
    page = extension.page()
    for name, checks in by_formula().items():
        assert f"- **Name**: `{name}`" in page
        assert all(f"`{check.file}`" in page for check in checks)
    assert page.count("**Example**") == page.count("```math") == len(FORMULAS)
    examples = [line for line in page.splitlines() if line.startswith("- **Example**")]
    assert not any(re.search(r"\bnan\b|Fraction\(", line) for line in examples)


def test_the_page_shows_numbers_and_letters_as_one_would(extension):
    assert extension.shown((1.5, -2, float("inf"))) == "(1.5, −2, ∞)"
    assert extension.shown(1 - 2j) == "1 − 2i"
    assert extension.prose("c_{>1}, κ̃, m_1, as_printed=True") == "c<sub>&gt;1</sub>, κ̃, m<sub>1</sub>, as_printed=True"
    with pytest.raises(TypeError, match="type str"):
        extension.shown("text")

"""The handbook: every formula is stated, placed and checked by a test; its page can be made."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import sympy

import theorycalc
from docs._handbook import FORMULAS, stand_ins
from docs._handbook.entry import Typed
from docs._handbook.stand_ins import ALPHA, E_H, E_S, E_U, GAMMA, NU, C, G, Q, T, naming_inverses, symbols
from tests.helpers.checks import all_checks, by_formula
from tests.helpers.typesetters import katex_errors
from theorycalc.symbolic.formulas import ENTRIES
from theorycalc.symbolic.symbols import lam, phi, psi
from theorycalc.theory.dressed.fixed_point import balance
from theorycalc.theory.dressed.turning import Nodes

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


@pytest.mark.slow
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
        assert [name for name in used if name.startswith("_") and not name.endswith("__")] == [], path


@pytest.mark.parametrize("name", FORMULAS)
def test_nothing_is_left_blank(name):
    entry = FORMULAS[name]
    assert entry.status.startswith(STATUSES)
    assert all((entry.title, entry.derivation, entry.source, entry.domain, entry.code, entry.statement()))
    assert ("new" in entry.status) or "not in the source" not in entry.source


def test_nearly_every_statement_is_made_by_calling_the_code():
    """A typed statement says why the code takes no symbols."""
    typed = {name: entry.statement for name, entry in FORMULAS.items() if isinstance(entry.statement, Typed)}
    assert len(typed) <= 12
    assert all(statement.reason for statement in typed.values())
    for name in set(FORMULAS) - set(typed):
        names = FORMULAS[name].statement.__code__.co_names
        assert names, f"{name}: the statement calls nothing"


def test_stand_ins_give_the_numbers_of_the_array_code():
    """The fixed point of one node in symbols, evaluated at numbers, is that of arrays of the same numbers."""
    numbers = {letter: 1 + i / 7 for i, letter in enumerate((ALPHA, GAMMA, NU, G, Q, C, lam, phi, psi))}
    numbers |= dict.fromkeys((E_U, E_H, E_S), 1.0)

    def put_in(values: np.ndarray) -> np.ndarray:
        return np.array([float(entry.subs(numbers)) for entry in values.ravel()]).reshape(values.shape)

    network, turning = stand_ins.network(), stand_ins.turning()
    with naming_inverses("T") as inverted:
        symbolic = balance(network, turning, symbols([[lam]]), symbols([[G]]), symbols([[Q]]))
    case = dataclasses.replace(network.step.case, phi=numbers[phi], psi=numbers[psi])
    arrays = ("u_weights", "h_weights", "loadings", "shapes", "noise")
    filled = {name: put_in(getattr(network, name)) for name in arrays}
    network = dataclasses.replace(network, step=dataclasses.replace(network.step, case=case), **filled)
    spread = tuple(put_in(sympy.Integer(0) + part) for part in turning.spread_of)
    weights = turning.nodes.weights._replace(bulk=np.ones(1))
    turning = dataclasses.replace(turning, nodes=Nodes(np.zeros(1), weights), spread_of=spread)
    ridge, g, Q_ = (np.array([[numbers[letter]]]) for letter in (lam, G, Q))
    numeric = balance(network, turning, ridge, g, Q_)
    numbers[T] = 1 / float(inverted["T"][0].subs(numbers))
    for name in ("Q_map", "sigma_map"):
        assert put_in(getattr(symbolic, name)) == pytest.approx(getattr(numeric, name), rel=1e-13)


@pytest.mark.slow
def test_katex_renders_every_statement():
    assert katex_errors([entry.statement() for entry in FORMULAS.values()]) == []


@pytest.mark.slow
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

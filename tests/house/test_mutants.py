"""The machinery of tests/mutants on a few mutants, so that it cannot rot; ``make mutants`` runs all."""

from __future__ import annotations

import ast
import functools

import pytest

from docs._handbook import FORMULAS
from tests.mutants.generated import EACH, REST, Change, checking, every, formulas_of, judges, sample
from tests.mutants.page import SURVIVORS, Result, with_reasons, write_page
from tests.mutants.running import PACKAGE, Journal, Outcome, fingerprint, laboratory, path_of

pytestmark = pytest.mark.slow

QUICK = ("S", "energy", "powers_kept", "gaussian_moment")  # with few tests, and none of properties


@pytest.fixture(scope="module")
def bench():
    with laboratory({}) as found:
        yield found


def with_body(formula, line):
    """The first module of a formula, and its text with another body in the function that is named there."""
    module, function = FORMULAS[formula].code[0].split(": ")
    tree = ast.parse(path_of(PACKAGE, module).read_text(encoding="utf-8"))
    node = next(node for node in tree.body if getattr(node, "name", "") == function)
    node.body = ast.parse(line).body
    return module, ast.unparse(tree)


@functools.cache
def dumped(text):
    return ast.dump(ast.parse(text))


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_has_several_mutants_and_each_parses(formula):
    chosen = sample(formula)
    assert chosen == sample(formula)
    assert len(set(chosen)) == EACH, "its functions compute too little: does the handbook name the right ones?"
    for change in chosen:
        before, after = change.texts()
        assert ast.dump(ast.parse(after)) != dumped(before), change
        assert formula in formulas_of(change)


def test_the_rest_has_mutants_in_many_modules_and_tests_for_all():
    rest = sample(None)
    assert len(set(rest)) == REST
    assert len({change.module for change in rest}) >= 30
    assert not any(map(formulas_of, rest))
    for change in {change.module: change for change in every() if not formulas_of(change)}.values():
        runs = judges(change, None)
        assert runs, change
        assert all(any(argument.startswith("tests/") for argument in run) for run in runs), change


def test_a_change_is_shown_with_what_is_around_it():
    change = next(change for change in sample("r") if change.kind == "* to /")
    before, after = change.shown().split("  →  ")
    assert before.replace(" * ", " / ", 1) == after


def test_unchanged_code_passes(bench):
    assert bench.run(checking(QUICK)).verdict == "survived"


@pytest.mark.parametrize("formula", QUICK)
def test_a_wrong_formula_is_killed_by_a_test_of_its_own(bench, formula):
    change = sample(formula)[0]
    path = path_of(bench.root / "theorycalc", change.module)
    before = path.read_text(encoding="utf-8")
    outcome = bench.run_changed(change.module, change.texts()[1], judges(change, formula)[0])
    assert outcome.verdict == "killed"
    assert outcome.detail.startswith("tests/")
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("line", ["import no_such_module", "return no_such_name"])
def test_broken_code_is_not_a_kill(bench, line):
    assert bench.run_changed(*with_body("energy", line), checking(["energy"])).verdict == "broken"


@pytest.mark.parametrize(
    ("line", "exception"),
    [("return 0", "AssertionError"), ("raise KeyError", "KeyError"), ("return None + 1", "TypeError")],
)
def test_what_killed_is_told(bench, line, exception):
    outcome = bench.run_changed(*with_body("energy", line), checking(["energy"]))
    assert (outcome.verdict, outcome.exception) == ("killed", exception)


def test_an_endless_loop_is_counted_apart(bench):
    module, text = with_body("energy", "while True: pass")
    path_of(bench.root / "theorycalc", module).write_text(text, encoding="utf-8")
    assert bench.run(checking(["energy"]), cpu_seconds=6).verdict == "timeout"
    path_of(bench.root / "theorycalc", module).write_text(path_of(PACKAGE, module).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("theorycalc/a.py", True),
        ("tests/test_a.py", True),
        ("tests/conftest.py", True),
        ("tests/properties/drawing.py", True),
        ("tests/data/numbers.json", True),
        ("tests/mutants.generated.py", True),
        ("tests/mutants/page.py", False),
        ("docs/_handbook/traces.py", False),
    ],
)
def test_outcomes_are_forgotten_when_code_or_tests_change(tmp_path, file, counts):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text("before")
    before = fingerprint(tmp_path)
    path.write_text("after")
    assert (fingerprint(tmp_path) != before) == counts


def test_outcomes_are_remembered(tmp_path):
    journal = Journal(tmp_path / "mutants.json")
    journal.outcomes["some"] = Outcome("killed", "tests/test_a.py::test_that", "KeyError", 1)
    journal.keep()
    assert Journal(journal.path).outcomes == journal.outcomes


def test_the_page_says_what_was_not_killed(monkeypatch, tmp_path):
    def result(formula, kind, *outcome):
        return Result(formula, Change("a.b", "f", kind, 0, 0), "x  →  y", Outcome(*outcome))

    monkeypatch.setitem(SURVIVORS, ("f", "+ to -"), (1, "equivalent", "x is 0"))
    monkeypatch.setitem(SURVIVORS, ("g", "+ to -"), (1, "equivalent", "y is 0"))
    results, unneeded = with_reasons(
        [
            result("H", "* to /", "killed", "tests/test_a.py::test_that_it_holds[3]", "AssertionError"),
            result("H", "/ to *", "killed", "tests/test_a.py::test_that_it_holds[3]", "TypeError", 1),
            result("xi", "+ to -", "survived", "2 tests passed"),
            result("xi", "+ to -", "survived", "2 tests passed"),
            result(None, "dropped sign", "timeout", "over 90 s"),
        ]
    )
    assert [result.reason for result in results] == ["", "", "equivalent: x is 0", "", ""]
    assert "g: + to -" in unneeded
    page = tmp_path / "page.md"
    page.write_text("<!-- formulas -->\n<!-- end -->\n<!-- rest -->\n<!-- end -->\n", encoding="utf-8")
    write_page(results, page)
    text = page.read_text(encoding="utf-8")
    assert "2 of 4 killed: 1 by an assertion, 1 by another exception; 1 by the" in text
    assert "Not killed: 1 equivalent, 1 unexplained." in text
    assert "the score is 2 of 3: 66.7 %." in text
    assert "| `test_a.py`: that it holds |" in text
    assert "| `test_a.py`: that it holds (TypeError), of another formula |" in text
    assert "| **timeout**: unexplained, over 90 s |" in text

"""The machinery of tests/mutants on a few mutants, so that it cannot rot; ``make mutants`` runs all."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from docs._handbook import FORMULAS
from tests.mutants.catalogue import CATALOGUE
from tests.mutants.generated import SAMPLE, every, sample
from tests.mutants.journal import fingerprint
from tests.mutants.mutant import Mutant, changed, path_of
from tests.mutants.page import Result, is_explained, page
from tests.mutants.running import ROOT, laboratory
from tests.mutants.selection import ALGORITHMS, around, checking
from tests.mutants.survivors import SURVIVORS

QUICK = ("xi", "S", "direction", "energy", "spike_order", "powers_kept", "gaussian_moment", "ridge_convention")


def text_of(file):
    return path_of(ROOT, file).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def bench():
    with laboratory() as found:
        yield found


def first_mutant(formula):
    return next(mutant for mutant in CATALOGUE if mutant.formula == formula)


@pytest.mark.parametrize("mutant", CATALOGUE, ids=lambda mutant: f"{mutant.formula}-{mutant.kind}")
def test_each_mutant_changes_one_place_of_code_that_still_parses(mutant):
    text = text_of(mutant.file)
    assert ast.dump(ast.parse(changed(text, mutant))) != ast.dump(ast.parse(text))


def test_a_mutant_that_fits_nowhere_or_twice_is_refused():
    wrong = Mutant("H", "theory/gains.py", "no such text", "", "missing term")
    with pytest.raises(ValueError, match="0 times, not once"):
        changed(text_of(wrong.file), wrong)
    with pytest.raises(ValueError, match="2 times, not once"):
        changed("a + a", Mutant("H", "", "a", "b", "missing term"))


def test_no_mutant_is_there_twice():
    assert max(Counter(CATALOGUE).values()) == 1


def test_unchanged_code_passes(bench):
    assert bench.run(checking(QUICK)).verdict == "survived"


@pytest.mark.parametrize("formula", QUICK)
def test_a_wrong_formula_is_killed_by_a_test_of_its_own(bench, formula):
    mutant = first_mutant(formula)
    outcome = bench.run_changed(mutant.file, changed(text_of(mutant.file), mutant), checking([formula]), {})
    assert outcome.verdict == "killed"
    assert outcome.detail.startswith("tests/")
    assert outcome.exception
    assert bench.root.joinpath("theorycalc", mutant.file).read_text(encoding="utf-8") == text_of(mutant.file)


@pytest.mark.parametrize("line", ["import no_such_module", "return no_such_name"])
def test_broken_code_is_not_a_kill(bench, line):
    mutant = Mutant("energy", "theory/gains.py", "    return factorial(k) * c_star_k**2", f"    {line}", "broken")
    outcome = bench.run_changed(mutant.file, changed(text_of(mutant.file), mutant), checking(["energy"]), {})
    assert outcome.verdict == "broken"


@pytest.mark.parametrize(
    ("line", "exception"),
    [("return c_star_k", "AssertionError"), ("raise KeyError", "KeyError"), ("return None * k", "TypeError")],
)
def test_what_killed_is_told(bench, line, exception):
    mutant = Mutant("energy", "theory/gains.py", "    return factorial(k) * c_star_k**2", f"    {line}", "broken")
    outcome = bench.run_changed(mutant.file, changed(text_of(mutant.file), mutant), checking(["energy"]), {})
    assert (outcome.verdict, outcome.exception) == ("killed", exception)


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("theorycalc/a.py", True),
        ("tests/test_a.py", True),
        ("tests/conftest.py", True),
        ("tests/properties/drawing.py", True),
        ("tests/data/numbers.json", True),
        ("tests/mutants/page.py", False),
        ("docs/_handbook/traces.py", False),
    ],
)
def test_kills_are_forgotten_when_code_or_tests_change(tmp_path, file, counts):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text("before")
    before = fingerprint(tmp_path)
    path.write_text("after")
    assert (fingerprint(tmp_path) != before) == counts


def test_an_endless_loop_is_counted_apart(bench):
    path = bench.root / "theorycalc" / "theory" / "gains.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("    return factorial(k) * c_star_k**2", "    while True:\n        pass"))
    assert bench.run(checking(["energy"]), cpu_seconds=6).verdict == "timeout"
    path.write_text(text, encoding="utf-8")


def test_generated_mutants_parse_and_are_the_same_each_time():
    chosen = sample()
    assert chosen == sample()
    assert len(set(chosen)) == SAMPLE
    for change in chosen:
        text = text_of(change.file)
        assert ast.dump(ast.parse(change.applied(text))) != ast.dump(ast.parse(text)), change


def test_every_generated_mutant_has_tests():
    for change in {(change.file, change.function): change for change in every()}.values():
        assert any(argument.startswith("tests/") for argument in around(change)), change
    modules = {place.split(": ")[0].replace(".", "/") + ".py" for entry in FORMULAS.values() for place in entry.code}
    assert {change.file for change in every()} <= modules | set(ALGORITHMS)


def test_survivors_are_still_drawn():
    drawn = {(change.file, change.shown(text_of(change.file))) for change in sample()}
    assert set(SURVIVORS) <= drawn, "the code changed: these have no use any more"


def test_the_page_says_what_was_not_killed():
    results = [
        Result(
            "H", "a.py", "x  →  y", "wrong sign", "killed", "tests/test_a.py::test_that_it_holds[3]", "AssertionError"
        ),
        Result("H", "a.py", "x  →  w", "wrong sign", "killed", "tests/test_a.py::test_that_it_holds[3]", "TypeError"),
        Result("xi", "a.py", "x  →  z", "wrong sign", "survived", "2 tests passed"),
        Result(None, "b.py", "u  →  v", "+ to -", "timeout", "over 90 s"),
    ]
    assert [is_explained(result) for result in results] == [True, True, False, False]
    text = page(results)
    assert "2 of 3 killed (66.7 %): 1 by an assertion, 1 by another exception; 1 survived." in text
    assert "`test_a.py`: that it holds |" in text
    assert "`test_a.py`: that it holds (TypeError) |" in text
    assert "unexplained" in text

"""The pages on the theory: what they name exists, their tables are today's, and two of their forms by simulation."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from benchmarks import errata, error_rates, later_weights, weights
from benchmarks.pages import read_between
from tests.helpers.matrices import cubic, first_layer, mean_and_error
from tests.helpers.problems import CUBIC

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs" / "theory").glob("*.md"), ROOT / "docs" / "errata.md", ROOT / "docs" / "limits.md"])
SIMULATED = [name for name in errata.TABLES if name != "initial_output"]
NAMED = sorted(
    {
        (page.name, *named)
        for page in PAGES
        for named in re.findall(r"`([\w/]+\.py): (\w+)`", page.read_text(encoding="utf-8"))
    }
)


def test_pages_name_many_functions():
    assert len(PAGES) == 27
    assert len(NAMED) > 60


@pytest.mark.parametrize(("page", "module", "name"), NAMED)
def test_what_a_page_names_exists(page, module, name):
    tree = ast.parse((ROOT / "theorycalc" / module).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert name in defined


def cells(table: list[str]) -> list[list[str]]:
    """The rows of a Markdown table, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def shown(name: str) -> list[list[str]]:
    return cells(read_between(errata.PAGE, name))


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATED)
def test_the_theory_in_the_tables_of_the_errata_is_todays(monkeypatch, name):
    """Networks of the same shape, but tiny, leave the columns of the theory as they are."""
    monkeypatch.setattr(errata, "SIZE", 24)
    monkeypatch.setattr(errata, "shape", lambda n: (12, 18))
    monkeypatch.setattr(errata, "DRAWS", 2)
    for sizes in ("CONSTANT_SIZES", "MISSING_SIZES"):
        monkeypatch.setattr(errata, sizes, dict.fromkeys(getattr(errata, sizes), 2))
    made = cells(errata.TABLES[name](np.random.default_rng(0)))
    assert [(row[0], row[2], row[4]) for row in made] == [(row[0], row[2], row[4]) for row in shown(name)]


def test_the_summary_of_the_errata_repeats_the_numbers_of_its_tables():
    summary, _, rest = errata.PAGE.read_text(encoding="utf-8").partition("## The sources")
    numbers = re.findall(r"\d\.\d{3,}(?: ± \d\.\d+)?", summary)
    assert len(numbers) > 12
    assert [number for number in numbers if number not in rest] == []


@pytest.mark.slow
@pytest.mark.parametrize("cell", [error_rates.CELLS[0], error_rates.CELLS[-1]], ids=lambda cell: cell.activation)
def test_the_theory_in_the_table_of_error_rates_is_todays(cell):
    rows = [row for row in cells(read_between(error_rates.PAGE, "measured")) if tuple(row[:3]) == cell]
    today = tc.error_rate(cell.problem, alpha=error_rates.STEPS)
    expected = [today.error_rate_initial, today.error_rate, today.error_rate_gain]
    for number, row in enumerate(rows):
        assert [text.partition("; ")[2] for text in row[4:]] == [f"{values[number]:.4f}" for values in expected]
    assert len(rows) == len(error_rates.STEPS)


def test_the_theory_in_the_table_of_the_weights_is_todays():
    rows = cells(read_between(ROOT / "docs" / "theory" / "weights.md", "measured"))
    assert len(rows) == len(weights.ACTIVATIONS) * len(weights.SHOWN)
    for activation, eta, *measured in rows:
        problem = weights.Cell(activation, "residual").problem
        for method, place in (("isotropic", 1), ("pencil", 2)):
            found = tc.weight_spectrum(problem, eta=eta, method=method)
            numbers = found.outlier, found.overlap_a, found.overlap_direction, found.overlap_teacher
            said = [re.search(r"; ([\d.]+) \(([\d.]+)\)", cell)[place] for cell in measured[:4]]
            assert said == [f"{number:.3f}" for number in numbers]


@pytest.mark.slow
def test_the_theory_in_the_table_of_several_steps_is_todays():
    rows = iter(cells(read_between(ROOT / "docs" / "theory" / "weights.md", "several steps")))
    for cell in later_weights.CELLS:
        found = later_weights.expected(cell)
        first, second = next(rows), next(rows)
        for row, numbers in zip((first, second), found.outliers, strict=False):
            assert row[:4] == [cell.activation, str(cell.steps), cell.second_layer, f"{cell.eta:g}"]
            assert [re.search(r"; ([\d.]+)", text)[1] for text in row[5:9]] == [f"{number:.3f}" for number in numbers]
        if len(found.outliers) < 2:
            assert second[5].endswith(f"; {found.edges[0][1]:.3f}")
        assert first[-1] == f"{later_weights.expected(cell, method='pencil').outlier:.3f}"
    assert not list(rows)


def size_of(row: list[str]) -> int:
    """The n of a row, or 0 if its table has one size only."""
    found = re.search(r"n = (\d+)$", row[0])
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("name", SIMULATED)
def test_simulations_of_the_errata_reject_what_is_printed(name):
    """Rows where both say the same reject nothing, and extrapolated ones are no simulation."""
    differ = [row for row in shown(name) if row[3] and row[2] != row[4] and "n → ∞" not in row[0]]
    largest = max(map(size_of, differ))
    assert max(abs(float(row[3])) for row in differ if size_of(row) == largest) > 3


@pytest.mark.parametrize("name", SIMULATED)
def test_simulations_of_the_errata_agree_with_ours_at_the_largest_size_and_beyond(name):
    rows = shown(name)
    largest = max(map(size_of, rows))
    assert all(abs(float(row[5])) < 3 for row in rows if "n → ∞" in row[0] or size_of(row) == largest)


@pytest.mark.parametrize("name", [name for name in SIMULATED if max(map(size_of, shown(name)))])
def test_simulations_of_the_errata_approach_ours(name):
    """What is off by more than noise at a size is less off at the next; the rest is noise at every size."""
    series: dict[str, list[list[str]]] = {}
    for row in shown(name):
        if size_of(row):
            series.setdefault(row[0].rpartition(",")[0], []).append(row)
    for rows in series.values():
        assert len(rows) > 1
        for small, large in itertools.pairwise(rows):
            off, next_off = (abs(float(row[1].split(" ± ")[0]) - float(row[4])) for row in (small, large))
            if abs(float(small[5])) > 3:
                assert next_off < off
            else:
                assert abs(float(large[5])) < 3


def test_the_gradient_of_the_errata_shrinks_along_the_residual_only():
    first, *_, last, _ = shown("initial_output")
    fallen = []
    for before, after in zip(first[1:], last[1:], strict=True):
        (small, small_error), (large, large_error) = (map(float, cell.split(" ± ")) for cell in (before, after))
        fallen.append((small - large) / np.hypot(small_error, large_error))
    assert abs(fallen[0]) < 3
    assert fallen[1] > 5


@pytest.mark.slow
def test_forms_with_the_initial_output():
    """s_3, and the form that makes E, from matrices; s k, which s_3 is not, is rejected."""
    n, d, N, ridge, draws = 400, 200, 300, 0.1, 60
    rng = np.random.default_rng(5)
    found = []
    for _ in range(draws):
        X, W, a = rng.standard_normal((n, d)), first_layer(rng, N, d), rng.standard_normal(N) / np.sqrt(N)
        F, along = cubic(X @ W.T), X @ (W.T @ a)
        dual = np.linalg.solve(F @ F.T + ridge * n * np.eye(n), along)
        found.append([along @ dual, F @ a @ dual])
    mean, error = mean_and_error(found)
    c_rest = float(CUBIC.c_rest)
    traces = tc.traces(phi=d / n, psi=d / N, ridge=ridge, c1=1.0, c_rest=c_rest)
    s, missed = n / N * traces.m1, 1 - traces.m2 / traces.m1
    expected = [d / N * (1 + s * c_rest**2) * missed, d / N * missed]  # c_1 = 1
    assert np.abs((mean - expected) / error).max() < 4
    assert abs(mean[0] - n / N * traces.m2) / error[0] > 6

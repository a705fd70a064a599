"""Imports go downward only, and files stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import theorycalc

ROOT = Path(theorycalc.__file__).parent

#: From the ground up: a module may import what stands on its own line or above it.
FLOORS = [
    {
        "_version",
        "errors",
        "exact",
        "letters",
        "progress",
        "executors",
        "blas",
        "ranges",
        "quantities",
        "plots.style",
        "plots.figure",
        "plots.vectors",
        "plots.words",
        "plots.canvas",
        "plots.labels",
        "plots.losses",
    },
    {"numbers", "doubled"},
    {"symbolic_balls", "balls", "hermite.polynomials"},
    {"expressions"},
    {"hermite"},
    {"activations", "plots.coefficients"},
    {"theory", "plots.windows"},
    {"points", "conditions", "fitness"},
    {"frames", "tables"},
    {"results"},
    {
        "prediction",
        "prediction_tables",
        "trace_solver",
        "listing",
        "simulation",
        "plots.predictions",
        "plots.runs",
        "plots.traces",
    },
    {
        "comparison",
        "comparison_tables",
        "expectations",
        "judging",
        "measurements",
        "symbolic",
        "typesetting",
        "spectra",
        "finite_step",
        "step_tables",
        "step_result",
        "plots.beside",
        "plots.steps",
        "plots.alpha",
        "plots.spectra",
        "plots.comparisons",
        "plots.stairs",
        "stairs",
    },
    {"planning", "planning_result", "joint_search", "ranking", "ranking_result", "plots", "grids"},
    {"reporting", "handbook"},
    {"demo", "web"},
    {"cli"},
    {"__main__"},
]


def floor_of(module: str) -> int:
    name = module.removeprefix("theorycalc.")
    return next(i for i, floor in enumerate(FLOORS) if name in floor or name.split(".")[0] in floor)


def imports_of(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    found += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return [name for name in found if name.startswith("theorycalc.")]


def test_imports_go_downward():
    checked = 0
    for path in ROOT.rglob("*.py"):
        module = ".".join(("theorycalc", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        if module == "theorycalc":
            continue  # the thin front door
        for imported in imports_of(path):
            assert floor_of(imported) <= floor_of(module), f"{module} imports {imported}, which stands above it"
            checked += 1
    assert checked > 40


def test_the_simulation_shares_the_description_with_the_theory_and_nothing_else():
    description = ("problem", "windows", "functions", "sizes")
    shared = {f"theorycalc.theory.{name}" for name in description}
    above = ("theorycalc.theory", "theorycalc.prediction", "theorycalc.conditions", "theorycalc.trace_solver")
    for path in (ROOT / "simulation").glob("*.py"):
        for imported in imports_of(path):
            assert imported in shared or not imported.startswith(above), f"{path.name} imports {imported}"


def test_the_rule_would_notice():
    assert floor_of("theorycalc.cli") > floor_of("theorycalc.theory.gains")


def test_files_have_one_reason_to_exist():
    for path in ROOT.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 340, path


def test_nothing_evaluates_text():
    forbidden = {"eval", "exec", "sympify", "parse_expr", "compile", "lambdify"}
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", "")  # a builtin, not a method
                attribute = getattr(node.func, "attr", "")
                assert name not in forbidden, path
                assert attribute not in forbidden - {"compile", "eval", "exec"}, path

"""Seventeen rooms: imports go downward only, names have one meaning, and files stay small."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import theorycalc

ROOT = Path(theorycalc.__file__).parent

#: From the ground up: a room imports itself and the rooms before it, never one behind it.
ROOMS = (
    "errors",
    "numbers",
    "running",
    "functions",
    "hermite",
    "model",
    "theory",
    "results",
    "simulation",
    "comparison",
    "pools",
    "symbolic",
    "sweeps",
    "plots",
    "documents",
    "explorer",
    "cli",
)

#: Modules that load others by name: the front doors of the package and of a room, packages that may be missing, and
#: ``.plot()``, which hands a result to the room that draws.
LOADING_BY_NAME = {"__init__", "cli", "results.table", "model.figures"}

#: What a result is and how it is shown, none of which computes anything.
RESULTS = ("results.base", "results.layout", "results.quantities", "results.table")

#: The simulation must not know the theory: agreement of the two is evidence.
SIMULATION_KNOWS = ("errors", "numbers", "running", "functions", "model", *RESULTS)

#: One meaning in two places: the same quantity, by two approximations.
SAME_MEANING = {"outliers"}


class Import(NamedTuple):
    """One name that a module imports."""

    module: str
    name: str


def modules() -> Iterator[tuple[str, Path]]:
    """Yield every module below the front door, and its file."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] not in ("__init__", "__main__", "_version"):
            yield ".".join(parts).removesuffix(".__init__"), path


def imports_of(path: Path) -> Iterator[Import]:
    """Yield what a file imports of theorycalc: anywhere in it, and for types, too; the version is everybody's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found = [Import(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [Import(alias.name, "") for alias in node.names]
        else:
            continue
        yield from (one for one in found if one.module.startswith("theorycalc") and one.module != "theorycalc._version")


def room_of(module: str) -> int:
    """Return the place of a module's room among all rooms."""
    return ROOMS.index(module.removeprefix("theorycalc.").split(".")[0])


@pytest.mark.parametrize(("module", "path"), list(modules()), ids=lambda value: value if isinstance(value, str) else "")
def test_imports_go_downward(module, path):
    for found in imports_of(path):
        if found.module == "theorycalc":  # the command line comes in as every user does; rooms below it may not
            assert module.startswith("cli."), f"{module} imports the front door"
            continue
        assert room_of(found.module) <= room_of(module), f"{module} imports {found.module}, which stands above it"


def test_modules_are_loaded_by_name_in_few_places():
    """An import by name would go around the rule above; the only way up is that of the figures."""
    loading = set()
    for path in ROOT.rglob("*.py"):
        if re.search(r"\b(import_module|__import__)\(", path.read_text(encoding="utf-8")):
            loading.add(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    assert loading == LOADING_BY_NAME


def test_the_rule_would_notice():
    assert room_of("theorycalc.cli") > room_of("theorycalc.theory.gains")
    assert {Path(*module.split(".")).parts[0] for module, _ in modules()} == set(ROOMS)


def test_the_simulation_shares_the_description_with_the_theory_and_nothing_else():
    for path in (ROOT / "simulation").glob("*.py"):
        for found in imports_of(path):
            known = found.module.removeprefix("theorycalc.")
            assert known.startswith(("simulation", *SIMULATION_KNOWS)), f"{path.name}: {found}"


def test_the_root_holds_the_front_door_and_the_errors():
    assert {path.name for path in ROOT.glob("*.*")} == {
        "__init__.py",
        "__main__.py",
        "_version.py",
        "errors.py",
        "py.typed",
    }


def test_a_module_name_has_one_meaning():
    """Commands and figures are named after what they show; all other modules differ in their names."""
    places = defaultdict(list)
    for module, _ in modules():
        room, _, name = module.rpartition(".")
        if room and room not in ("cli", "plots"):
            places[name].append(module)
    assert [found for name, found in places.items() if len(found) > 1 and name not in SAME_MEANING] == []
    assert not set(places) & set(ROOMS)


@pytest.mark.slow
def test_a_public_type_has_one_meaning():
    places = defaultdict(list)
    for module, path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                name = node.name
            elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                name = ast.unparse(node.target)
            else:
                continue
            if not name.startswith("_"):
                places[name].append(module)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_files_have_one_reason_to_exist():
    for _, path in modules():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 340, path


@pytest.mark.slow
def test_nothing_evaluates_text():
    forbidden = {"eval", "exec", "sympify", "parse_expr", "compile", "lambdify"}
    for _, path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", "")  # a builtin, not a method
                attribute = getattr(node.func, "attr", "")
                assert name not in forbidden, path
                assert attribute not in forbidden - {"compile", "eval", "exec"}, path


def test_summaries_name_the_thing():
    """A summary says "Return the losses", never "What a fit loses", and "True if …", never "Whether …"."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    summaries = [
        (path.relative_to(ROOT), (ast.get_docstring(node) or "").partition("\n")[0])
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, documented)
    ]
    assert [(path, text) for path, text in summaries if re.search(r"^(What|Whether)\b| what ", text)] == []

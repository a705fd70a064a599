"""Every example runs, draws and says what its page promises."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import re
import runpy
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

import theorycalc as tc
from tests.figures import FOLDER, SCRIPTS, lacking
from tests.helpers.docs_code import inside
from tests.helpers.processes import finished
from tests.helpers.typesetters import missing

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
#: What an example may need beside theorycalc and the standard library.
PACKAGES = {"numpy", "scipy", "mpmath", "matplotlib", "distributed", "sklearn", "torch"}

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)


def run_small(script: Path, folder: Path) -> str:
    """Copy an example into an empty folder, run it there at its small size, and return what it prints.

    Workers of an example import its file: such a one has a process of its own, for which the others need not wait.
    """
    folder.mkdir()
    copy = shutil.copy(script, folder)
    if "__main__" in script.read_text(encoding="utf-8"):
        done = finished([sys.executable, "-W", "error", copy, "--small"], cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout
    with pytest.MonkeyPatch.context() as patch, inside(folder), contextlib.redirect_stdout(io.StringIO()) as said:
        patch.setattr(sys, "argv", [copy, "--small"])
        runpy.run_path(copy, run_name="__main__")
    plt.close("all")
    return said.getvalue()


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """Return a function that gives the folder and the text of a small run, which is made once."""
    folder = tmp_path_factory.mktemp("examples")

    @functools.cache
    def result(script: Path) -> tuple[Path, str]:
        return folder / script.stem, run_small(script, folder / script.stem)

    return result


def draws(script: Path) -> bool:
    return "plots.save(" in script.read_text(encoding="utf-8")


def check_figure(path: Path) -> None:
    """An SVG with several labels."""
    root = ElementTree.fromstring(path.read_bytes())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len([node for node in root.iter() if node.get("id", "").startswith("text_")]) > 5


def check_text(text: str) -> None:
    """An aligned table with numbers, and a closing sentence."""
    rows = [line for line in text.splitlines() if re.search(r"\S {2,}\S.*\d", line)]
    assert len(rows) >= 2, text
    assert text.rstrip().splitlines()[-1].endswith("."), text


@each_script
def test_examples_run(script, small_run):
    if lacking(script):
        pytest.skip(f"needs {' and '.join(lacking(script))}")
    folder, text = small_run(script)
    check_text(text)
    written = {path.name for path in folder.iterdir() if path.is_file()}
    assert all(Path(name).stem == script.stem for name in written)  # so that a folder can hold those of all
    if draws(script):
        check_figure(folder / f"{script.stem}.svg")


@each_script
def test_results_at_full_size_are_there(script):
    """``python -m tests.figures NAME`` makes them."""
    check_text((FOLDER / f"{script.stem}.txt").read_text(encoding="utf-8"))
    if draws(script):
        check_figure(FOLDER / f"{script.stem}.svg")


def test_an_example_without_its_modules_says_so(tmp_path):
    for script in filter(lacking, SCRIPTS):
        done = finished([sys.executable, script], cwd=tmp_path)
        assert done.returncode == 1
        assert done.stderr.startswith("this example needs ")


def test_no_result_outlives_its_script():
    names = {script.stem for script in SCRIPTS}
    assert {path.stem for path in FOLDER.iterdir() if path.suffix in {".svg", ".txt", ".tex"}} <= names


@each_script
def test_scripts_have_their_form(script):
    """A title and what is asked and shown; a small size where there is much to compute; short enough to read."""
    source = script.read_text(encoding="utf-8")
    title, empty, *text = (ast.get_docstring(ast.parse(source)) or "").splitlines()
    assert title.endswith(".")
    assert empty == ""
    assert len("".join(text)) > 200
    assert "--small" in source or "tc.simulate" not in source
    assert len(source.splitlines()) <= 110


@each_script
def test_legends_are_clear_of_curves(script):
    """Below the axes, where matplotlib makes room for them; the figures of the product are tested in tests/plots."""
    calls = [node for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    for call in calls:
        if ast.unparse(call.func).endswith(".legend"):
            (place,) = (keyword.value for keyword in call.keywords if keyword.arg == "loc")
            assert ast.literal_eval(place) == "outside lower center"


@each_script
def test_scripts_can_be_copied(script):
    """No module of this repository beside theorycalc, and of that only public names."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    modules = {alias.name: alias.asname for node in imports for alias in node.names}
    sources = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules["theorycalc"] == "tc"
    known = {*sys.stdlib_module_names, "theorycalc", *PACKAGES}
    assert {name.partition(".")[0] for name in (*modules, *sources)} <= known
    assert not any(name.startswith("theorycalc") for name in sources)
    assert not any(name.startswith("theorycalc.") for name in modules)
    public = {"tc": {*tc.__all__}, "tc.plots": {*tc.plots.__all__}, "tc.symbolic": {*tc.symbolic.__all__}}
    used = [(ast.unparse(node.value), node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert all(name in public[owner] for owner, name in used if owner in public), used
    assert not any(name.startswith("_") for _, name in used)


def test_the_document_of_an_example_compiles(small_run):
    if shutil.which("pdflatex") is None:
        missing("pdflatex", "apt-get install texlive-latex-base")
    folder, _ = small_run(next(script for script in SCRIPTS if script.stem == "latex_for_a_paper"))
    build = folder.parent / "latex"
    build.mkdir()
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        f"-output-directory={build}",
    ]
    assert finished([*command, folder / "latex_for_a_paper.tex"], encoding="latin-1").returncode == 0
    assert (build / "latex_for_a_paper.pdf").stat().st_size > 10_000


def test_a_dask_cluster_gives_the_same_bits(small_run):
    _, text = small_run(next(script for script in SCRIPTS if script.stem == "dask_cluster"))
    same, total = re.search(r"(\d+) of (\d+) records are the same to the last bit", text).groups()
    assert same == total

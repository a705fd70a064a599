"""The API reference: a page for each group of public names, and an index by task; each name must be in both."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

from _copyable import copyable
from _tasks import TASKS, Task
from _writing import write
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError


class Group(NamedTuple):
    """One page: its title, its purpose, the module by which a user calls its names, and the names (all, if none)."""

    title: str
    about: str
    module: str
    names: str = ""


GROUPS = {
    "predictions": Group(
        "Predictions",
        "A problem, its limits n → ∞ inside a window, and their ingredients.",
        "theorycalc",
        "Problem Inputs predict Prediction staircase Staircase scaling_law ScalingLaw "
        "traces window window_bounds ridge_from ridge_to",
    ),
    "finite_steps": Group(
        "Finite steps",
        "A network of real size after a step of any size, its spectrum, and planning with it "
        "([how it is computed](../finite_steps.md), [spectra](../spectrum.md)).",
        "theorycalc",
        "step FiniteStep error_rate ErrorRate spectrum Spectrum weight_spectrum WeightSpectrum "
        "best best_ridge best_step samples_needed draws_needed rank_activations Ranking",
    ),
    "features": Group(
        "Your own features",
        "Ridge fits on n points of your own data, predicted from one pool ([how](../own_features.md)).",
        "theorycalc",
        "features FeaturePool FeatureLosses FeatureComparison gcv CrossValidation features_of feature_batches "
        "feature_gain FeatureGain",
    ),
    "activations": Group(
        "Activations and coefficients",
        "Functions as text, their Hermite coefficients and the theorem's conditions "
        "([how they are computed](../coefficients.md)).",
        "theorycalc",
        "activation Activation Teacher coefficients list_activations ActivationList",
    ),
    "simulation": Group(
        "Simulation and comparison",
        "The real network, and the theory judged by standard errors ([the simulator](../simulation.md)).",
        "theorycalc",
        "simulate Run load_run compare Comparison",
    ),
    "sweeps": Group(
        "Sweeps, reports, the explorer",
        "Grids of problems ([how](../sweep.md)), one problem as a file ([how](../report.md)). The page with sliders "
        "is a command, `theorycalc explore` ([how](../explorer.md)).",
        "theorycalc",
        "sweep Sweep report Report",
    ),
    "latex": Group(
        "LaTeX and sheets",
        "Formulas in the paper's notation, and a document of one problem ([how](../formulas.md)).",
        "theorycalc",
        "latex sheet Sheet",
    ),
    "errors": Group(
        "Errors",
        "One family: `except TheoryError` catches every error that bad input can cause. An interruption is a "
        "`KeyboardInterrupt` that carries the finished part.",
        "theorycalc",
        "TheoryError DomainError ExpressionError ArgumentError PrecisionError BudgetError budget RankingInterrupted "
        "SimulationError SimulationInterrupted SweepError SweepInterrupted",
    ),
    "conventions": Group(
        "tc.conventions",
        "Learning rates, penalties and initialisations of other papers and libraries, in ours and back "
        "([the table](../conventions.md)).",
        "theorycalc.model.conventions",
    ),
    "symbolic": Group(
        "tc.symbolic",
        "The formulas as sympy objects, made by the functions that compute the numbers. Symbols are in the table at "
        "the end and, with all others, in the [glossary](../glossary.md).",
        "theorycalc.symbolic",
    ),
    "plots": Group(
        "tc.plots",
        "Figures that need more than one result ([pictures of each](../plots.md)), saving, and the house style.",
        "theorycalc.plots",
    ),
}
UNDOCUMENTED = {"__version__", "symbolic", "plots", "conventions"}  # a text, and modules used by their names
SHOWN_IN_FRONT = {f"theorycalc.model.conventions.{name}" for name in ("ridge_from", "ridge_to")}  # as tc.ridge_from


def names_of(group: Group) -> list[str]:
    """Return the names of a group: those listed, or all public names of a room."""
    return group.names.split() or list(importlib.import_module(group.module).__all__)


def check_complete() -> None:
    """Stop the build where a public name is on no page, on two, or unknown."""
    public = importlib.import_module("theorycalc").__all__
    listed = [name for group in GROUPS.values() if group.names for name in names_of(group)]
    wrong = {name for name in (*public, *listed) if listed.count(name) != (name not in UNDOCUMENTED)}
    wrong |= set(listed) - set(public)
    if wrong:
        raise SphinxError(f"docs/_ext/api_pages.py must have each public name once: {', '.join(sorted(wrong))}")
    shown = [name for task in TASKS for name in names_of_task(task)]
    entries = {f"{group.module}.{name}" for group in GROUPS.values() for name in entries_of(group)}
    entries -= SHOWN_IN_FRONT
    wrong = {name for name in {*shown, *entries} if shown.count(name) != (name in entries)}
    if wrong:
        raise SphinxError(f"TASKS in docs/_ext/api_pages.py must have each entry once: {', '.join(sorted(wrong))}")


def entries_of(group: Group) -> list[str]:
    """Return the names of a group that have entries: functions, classes and errors, and no symbols."""
    room = importlib.import_module(group.module)
    return [name for name in names_of(group) if callable(getattr(room, name))]


def names_of_task(task: Task) -> list[str]:
    """Return the names of a task with their modules."""
    rooms = {f"{stem}.*": GROUPS[stem] for stem in ("conventions", "plots", "symbolic")}
    found = []
    for word in task.names.split():
        group = rooms.get(word)
        found += [f"theorycalc.{word}"] if group is None else [f"{group.module}.{name}" for name in entries_of(group)]
    return [name for name in found if name not in SHOWN_IN_FRONT]


def entry(module: str, name: str) -> str:
    """Return the autodoc directive of a name: exception, class or function."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) and issubclass(value, BaseException):
        return f".. autoexception:: {module}.{name}\n   :show-inheritance:\n"
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n   :members:\n   :inherited-members:\n"
    return f".. autofunction:: {module}.{name}\n"


def symbols_table(module: str, names: list[str]) -> str:
    """Return the symbols among the names of a room, with their letters."""
    from theorycalc.symbolic.symbols import latex_name

    room = importlib.import_module(module)
    rows = [f"| `{name}` | ${latex_name(getattr(room, name).name)}$ |" for name in names]
    return "\n".join(["## Symbols", "", "| name | letter |", "|---|---|", *rows, ""]) if names else ""


def page(group: Group) -> str:
    """Return the text of one page."""
    room = importlib.import_module(group.module)
    plain = [name for name in names_of(group) if not callable(getattr(room, name))]
    entries = [entry(group.module, name) for name in names_of(group) if name not in plain]
    reference = "\n".join(["```{eval-rst}", *entries, "```"])
    return f"# {group.title}\n\n{group.about}\n\n{reference}\n\n{symbols_table(group.module, plain)}"


def generate(app: Sphinx) -> None:
    """Write the pages and their index."""
    check_complete()
    folder = Path(app.srcdir, "api")
    for stem, group in GROUPS.items():
        write(folder / f"{stem}.md", page(group))
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *GROUPS, "```"])
    pages = " · ".join(f"[{group.title}]({stem}.md)" for stem, group in GROUPS.items())
    write(
        folder / "index.md",
        "# API reference\n\nThe public names of `import theorycalc as tc`, by task. Tests run every example.\n\n"
        + "\n".join([f"Pages: {pages}", "", *map(section, TASKS), toctree, ""]),
    )


def section(task: Task) -> str:
    """Return one part of the index: each name as a link, with its summary."""
    items = [f"- {{py:obj}}`{called(name)} <{name}>`: {summary(name)}" for name in names_of_task(task)]
    return "\n".join([f"## {task.title}", "", task.about, "", *items, ""])


def called(name: str) -> str:
    """Return a name as a user writes it."""
    return name.replace("theorycalc.model.", "theorycalc.").replace("theorycalc.", "tc.", 1)


def summary(name: str) -> str:
    """Return the summary of a name in Markdown."""
    module, _, last = name.rpartition(".")
    text = (inspect.getdoc(getattr(importlib.import_module(module), last)) or "").partition("\n")[0]
    text = re.sub(r":\w+:`~?\.?([^`]+)`", r"`\1`", text).replace("``", "`")
    parts = re.split(r"(`[^`]*`)", re.sub(r" \(docs/[^)]*\)", "", text))
    return "".join(part if part.startswith("`") else re.sub(r"([*_$<\[{])", r"\\\1", part) for part in parts)


def comments_of(cls: type) -> dict[str, str]:
    """Return the comments beside the fields of a class."""
    lines = inspect.getsource(cls).splitlines()
    found = (re.fullmatch(r"    (\w+): .*?  # (.+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def list_fields(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Add the attributes of a dataclass to a docstring that does not list them, with the comments beside them."""
    if what != "class" or not dataclasses.is_dataclass(value) or any(".. attribute::" in line for line in lines):
        return
    comments = comments_of(value)
    fields = [field.name for field in dataclasses.fields(value)]
    lines += ["", "Attributes: " + ", ".join(f"``{field}``" for field in fields) + ".", ""]
    lines += [f"- ``{field}``: {comments[field]}" for field in fields if field in comments]
    lines += [""]


def examples_of(app: Sphinx) -> dict[str, list[str]]:
    """Return the lines of the example of each class, from docs/_examples/classes.md."""
    path = Path(app.srcdir, "_examples", "classes.md")
    app.env.note_dependency(str(path))
    text = path.read_text(encoding="utf-8")
    return {
        name: block.splitlines() for name, block in re.findall(r"^## (\w+)\n\n```pycon\n(.*?)^```", text, re.M | re.S)
    }


def prepare_for_napoleon(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Put a heading before the example that ends a docstring, add that of a class, and take np.bool_ for a type."""
    sections = [i for i, line in enumerate(lines) if re.fullmatch("-{3,}", line)]
    starts = [i for i, line in enumerate(lines) if line.startswith(">>>") and sections and i > sections[0]]
    if starts and "Examples" not in lines:
        lines[starts[0] : starts[0]] = ["Examples", "--------", ""]
    if what == "property":  # after a comment napoleon does not take words before a colon for a type
        lines[:0] = ["..", ""]
    lines[:] = [re.sub(r"(?<!`)\bdocs/([\w/]+)\.md(#[\w-]+)?", r":doc:`/\1`", line) for line in lines]
    lines[:] = [re.sub(r"(?<= : )(.*\w)_\b", r"\1\\_", line) for line in lines]
    if what in {"class", "exception"}:
        own = any(line.lstrip().startswith(">>>") for line in lines)
        heading = [".. rubric:: Properties and methods"] if own else ["Examples", "--------"]
        lines += ["", *heading, "", *examples_of(app)[name.rpartition(".")[2]], ""]
    rooms = sorted((group.module for group in GROUPS.values()), key=len)
    lines[:] = copyable(lines, [room for room in rooms if name.startswith(f"{room}.")][-1])


def hide_constructor(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str | None, *_: Any
) -> tuple[str, str] | None:
    """Leave out the constructor of results and errors, which nobody calls; a Problem is made by hand."""
    made = what == "class" or (what == "exception" and signature is not None)
    return ("", "") if made and name != "theorycalc.Problem" else None


def resolve(app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Node) -> nodes.Node | None:
    """Link a type named by its module, such as theorycalc.model.problem.Problem, to its public name; leave others."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    public = f"theorycalc.{target.rpartition('.')[2]}"
    python = env.domains["py"]
    if target.startswith("theorycalc.") and public in python.objects:
        return python.resolve_xref(env, node["refdoc"], app.builder, "obj", public, node, text)
    # types of Python and of other projects, and our private ones, in signatures; a role that a person wrote must lead
    return text if node.get("reftype") in {"class", "data", "obj"} and "py:module" in node else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", generate)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", prepare_for_napoleon, priority=400)
    app.connect("autodoc-process-docstring", list_fields)
    app.connect("autodoc-process-signature", hide_constructor)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

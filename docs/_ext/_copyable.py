"""Examples of docstrings, made so that they run where a reader pastes them: with imports, and names behind ``tc.``."""

from __future__ import annotations

import ast
import builtins
import importlib
import re

#: Public rooms, and how a user writes them.
ROOMS = {
    "theorycalc": "tc",
    "theorycalc.plots": "tc.plots",
    "theorycalc.symbolic": "tc.symbolic",
    "theorycalc.model.conventions": "tc.conventions",
}
IMPORTS = {
    "tc": "import theorycalc as tc",
    "np": "import numpy as np",
    "sympy": "import sympy",
    "Fraction": "from fractions import Fraction",
}


def spelled_in(room: str) -> dict[str, str]:
    """Return the public names as a user writes them, in docstrings of a room: its own first, then those of ``tc``.

    >>> spelled_in("theorycalc")["window"], spelled_in("theorycalc.symbolic")["window"]
    ('tc.window', 'tc.symbolic.window')
    """
    order = sorted(ROOMS, key=lambda one: (one == room, one == "theorycalc"))
    return {name: f"{ROOMS[one]}.{name}" for one in order for name in importlib.import_module(one).__all__}


def copyable(lines: list[str], room: str) -> list[str]:
    """Return a docstring of a room whose examples import the names that they use.

    >>> copyable(["Return it.", "", ">>> step(network, eta=np.pi)", "0.1"], "theorycalc")[2:5]
    ['>>> import numpy as np', '>>> import theorycalc as tc', '>>> tc.step(network, eta=np.pi)']
    """
    places = [i for i, line in enumerate(lines) if re.match(r"\s*(>>>|\.\.\.)( |$)", line)]
    if not places:
        return lines
    margins = [re.match(r"\s*(?:>>>|\.\.\.) ?", lines[i])[0] for i in places]
    source = [lines[i][len(margin) :] for i, margin in zip(places, margins, strict=True)]
    free, public = free_names("\n".join(source)), spelled_in(room)
    for node in sorted(free, key=lambda node: -node.col_offset):
        if node.id in public and node.id != "tc":
            text = source[node.lineno - 1].encode()
            source[node.lineno - 1] = (
                text[: node.col_offset] + public[node.id].encode() + text[node.end_col_offset :]
            ).decode()
    used = {"tc" if node.id in public else node.id for node in free}
    found = list(lines)
    for i, margin, text in zip(places, margins, source, strict=True):
        found[i] = margin + text
    prompt = re.match(r"\s*", margins[0])[0] + ">>> "
    found[places[0] : places[0]] = [prompt + text for name, text in sorted(IMPORTS.items()) if name in used]
    return found


def free_names(source: str) -> list[ast.Name]:
    """Return the names that a program reads and neither binds nor finds among Python's own.

    >>> [node.id for node in free_names("y = [x for x in found(z)]; y")]
    ['found', 'z']
    """
    tree = ast.parse(source)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return [node for node in names if node.id not in bound]

"""``python -m tests.notebooks``: run the notebooks of docs/notebooks, or some by name, and write their outputs anew.

Each runs in a kernel of its own, in an empty folder.  A file keeps what a reader sees and nothing of the machine
that ran it, so that a diff shows changes only.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

from tests.helpers.processes import PATIENCE

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_KEPT = ("alt", "tags")  # metadata of a cell: the words for its figure, and tags
#: What an output is shown as, the first of these that it has; a file keeps no other.
SHOWN = ("text/html", "image/svg+xml", "image/png", "text/latex", "text/plain")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_PROVEN = 25  # characters: longer numbers are proven, and every digit counts


def read(path: Path) -> NotebookNode:
    """Return a notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path) -> NotebookNode:
    """Run a notebook in a folder, with this Python and this theorycalc, and return it with fresh outputs, tidied."""
    notebook = read(path)
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as own:  # settings of nobody, and sockets for nobody else
        kernel = AsyncKernelManager(
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]), transport="ipc", ip=str(Path(own, "kernel"))
        )
        client = NotebookClient(
            notebook,
            km=kernel,
            timeout=PATIENCE,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(cleanup_kc=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": own})
    return tidied(notebook)


def tidied(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook with nothing that depends on who ran it, when and where."""
    notebook = nbformat.from_dict(notebook)
    notebook.metadata = nbformat.from_dict(_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({name: cell.metadata[name] for name in _KEPT if name in cell.metadata})
        for output in cell.get("outputs", ()):
            if "metadata" in output:
                output.metadata = NotebookNode()
                shown = next(kind for kind in SHOWN if kind in output.data)
                output.data = NotebookNode({shown: output.data[shown]})
    return notebook


def text_of(notebook: NotebookNode) -> str:
    """Return a notebook as the content of its file."""
    return str(nbformat.writes(notebook)) + "\n"


def same(found: str, shown: str) -> bool:
    """Compare words and integers exactly, other numbers to the last digit shown, proven ones in every digit."""
    words, fresh = (" ".join(_NUMBER.sub("#", text).split()) for text in (shown, found))
    pairs = zip(_NUMBER.findall(found), _NUMBER.findall(shown), strict=False)
    return words == fresh and all(_same_number(a, b) for a, b in pairs)


def _same_number(found: str, shown: str) -> bool:
    if found == shown:
        return True
    if len(shown) > _PROVEN or not set(shown) & set(".e"):
        return False
    a, b = Decimal(found), Decimal(shown)
    unit = Decimal(1).scaleb(b.as_tuple().exponent)
    return abs(a - b) <= max(unit, abs(b) / 10**9, Decimal("1e-8"))  # what rounding leaves depends on the machine


def differences(stored: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Return where the outputs of a notebook are not those that its file shows; figures only have to be there."""
    wrong = []
    for number, (old, new) in enumerate(zip(stored.cells, fresh.cells, strict=True), start=1):
        shown, found = _shown(old), _shown(new)
        if [kind for kind, _ in shown] != [kind for kind, _ in found]:
            wrong.append(f"cell {number}: shows {[kind for kind, _ in shown]}, found {[kind for kind, _ in found]}")
            continue
        for (kind, text), (_, again) in zip(shown, found, strict=True):
            if not kind.startswith("image/") and not same(again, text):
                wrong.append(f"cell {number}, {kind}:\n{text}\nfound:\n{again}")
    return wrong


def _shown(cell: NotebookNode) -> list[tuple[str, str]]:
    """Return all that the outputs of a cell show, each with its kind."""
    found: list[tuple[str, str]] = []
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            found.append((output.name, output.text))
        elif output.output_type == "error":
            found.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            found += sorted(output.data.items())
    return found


def main(names: list[str]) -> None:
    """Run the notebooks of these names, or all of them, and write them."""
    unknown = set(names) - {path.stem for path in NOTEBOOKS}
    if unknown:
        raise SystemExit(f"no such notebook: {', '.join(sorted(unknown))}")
    for path in NOTEBOOKS:
        if names and path.stem not in names:
            continue
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            made = run(path, Path(folder))
        changed = len(differences(read(path), made))
        path.write_text(text_of(made), encoding="utf-8")
        print(f"{path.stem}: {time.perf_counter() - start:.0f} s, {changed} outputs changed", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The gallery: a page for each script of examples/, with its figure, its output and its source.

Figures and printed text are made by ``make figures``, at full size, and are part of the repository; the pages are not.
A docstring is read in terminals, too, so it has H_1 and n^α, and the page sets them as indices and powers.
A script without its text, without the figure that it saves, or without a docstring stops the build.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

from _writing import write
from handbook import prose
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

SCRIPTS = Path(__file__).parents[2] / "examples"
HEAD = """# Examples

Each is one script that needs theorycalc and nothing else of this repository: copy it into a folder of your own and
change the parameters at its top. Its figure is written into the folder that you run it in. With `--small` it takes
seconds; the figures and numbers here are those of the full size, made by `make figures`.
"""


class Example(NamedTuple):
    """One script: its name, the first line and the rest of its docstring, and whether it has a figure."""

    name: str
    title: str
    text: str
    has_figure: bool


def read(script: Path, results: Path) -> Example:
    """Read a script; raise an error if its page would lack a part."""
    source = script.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source)) or ""
    title, _, text = docstring.partition("\n")
    has_figure = "plots.save(" in source
    needed = [results / f"{script.stem}{ending}" for ending in (".txt", ".svg")[: 1 + has_figure]]
    missing = [path.name for path in needed if not path.exists()]
    if missing:
        raise SphinxError(f"docs/examples lacks {', '.join(missing)}: python -m tests.figures {script.stem}")
    if not title or not text.strip():
        raise SphinxError(f"examples/{script.name} needs a docstring: a title, an empty line, a description")
    return Example(script.stem, title.rstrip("."), text.strip(), has_figure)


def examples(results: Path) -> list[Example]:
    """Return all scripts; raise an error for results whose script is gone."""
    scripts = sorted(SCRIPTS.glob("*.py"))
    left = {path.stem for path in results.glob("*.*") if path.suffix in {".svg", ".txt"}} - {s.stem for s in scripts}
    if left:
        raise SphinxError(f"docs/examples has results without a script: {', '.join(sorted(left))}")
    return [read(script, results) for script in scripts]


def page(example: Example) -> str:
    """Return the page of one script."""
    figure = (
        f"```{{image}} {example.name}.svg\n:alt: {example.title}\n:align: center\n```\n\n" if example.has_figure else ""
    )
    return f"""# {prose(example.title)}

{prose(example.text)}

{figure}## Output

```{{literalinclude}} {example.name}.txt
:language: text
```

## The script

`python {example.name}.py`, or `python {example.name}.py --small` for a quick look; the file is in `examples/`.

```{{literalinclude}} ../../examples/{example.name}.py
:language: python
```
"""


def question(text: str) -> str:
    """Return the beginning of a text up to its first question, or else its first sentence."""
    first = text.partition("\n\n")[0]
    match = re.match(r".*?\?(?=\s|$)", first, re.DOTALL) or re.match(r".*?\.(?=\s|$)", first, re.DOTALL)
    return match[0] if match else first


def card(example: Example) -> str:
    """Return an entry of the index: a thumbnail and the question."""
    first = prose(question(example.text))
    picture = f"[![{example.title}]({example.name}.svg)]({example.name}.md)\n\n" if example.has_figure else ""
    return f":::{{container}}\n{picture}[{prose(example.title)}]({example.name}.md)\n\n{first}\n:::\n"


def generate(app: Sphinx) -> None:
    """Write the pages and the index; remove the pages of scripts that are gone."""
    folder = Path(app.srcdir, "examples")
    found = examples(folder)
    for example in found:
        write(folder / f"{example.name}.md", page(example))
    cards = "\n".join(card(example) for example in found)
    toctree = "\n".join(["```{toctree}", ":hidden:", "", *(example.name for example in found), "```"])
    write(folder / "index.md", f"{HEAD}\n::::{{container}} doors\n{cards}\n::::\n\n{toctree}\n")
    for stale in {path.stem for path in folder.glob("*.md")} - {"index", *(example.name for example in found)}:
        (folder / f"{stale}.md").unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Write docs/handbook.md when the documentation is built: every formula, from the code that computes it."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from docs._handbook import PARTS
from docs._handbook.entry import HandbookEntry, Typed
from tests.helpers.checks import Check, by_formula

HEAD = """\
# Handbook of formulas

One entry for each formula, in the order of the theory. Whenever this page is built, statements are made by calling the
functions with symbols instead of numbers, and examples by calling them with numbers. Dressed features are arrays
over nodes of u and h: their statements come from a network with one node of each, whose weight is written as the mean
that it stands for, $\\mathbb{E}_u$ or $\\mathbb{E}_h$, and with one shape, where others are entries of a matrix. A few
statements are typed, where the code iterates or decomposes numbers; the entry says so. The tests are found by their
marks (`pytest --checks NAME` runs those of one formula), and each formula is [perturbed on purpose](mutants.md) to see
that they notice. `CONTRIBUTING.md` describes how to add a formula.

Status: **printed** is in the source (Moniri, Lee, Hassani and Dobriban, *A Theory of Non-Linear Feature Learning
with One Gradient Step in Two-Layer Neural Networks*, ICML 2024, arXiv 2310.07891, and slides of 31 May 2024),
**corrected** differs from the printed formula, **new** is in neither. λ is the ridge, n, d and N the numbers of
samples, inputs and neurons, φ = d/n, ψ = d/N.

"""


def derived_in(entry: HandbookEntry) -> str:
    """Return a link to the derivation of a formula."""
    page, _ = entry.derivation.split("#")
    return f"[{page.removeprefix('theory/').removesuffix('.md').replace('_', ' ')}]({entry.derivation})"


def page() -> str:
    """Return the whole page."""
    checks = by_formula()
    parts = []
    for title, part in PARTS.items():
        index = ["| formula | meaning | derived in | status |", "|---|---|---|---|"]
        index += [
            f"| [`{name}`](#formula-{_slug(name)}) | {prose(entry.title)} | {derived_in(entry)} "
            f"| {prose(entry.status)} |"
            for name, entry in part.items()
        ]
        entries = [_entry(name, entry, checks.get(name, [])) for name, entry in part.items()]
        parts.append(f"## {prose(title)}\n\n" + "\n".join([*index, "", *entries]))
    return HEAD + "\n".join(parts)


def _slug(name: str) -> str:
    return name.lower().replace("_", "-")


def _entry(name: str, entry: HandbookEntry, checks: list[Check]) -> str:
    made = "Made by calling the code with symbols."
    if isinstance(entry.statement, Typed):
        made = f"Typed by hand and checked by the tests below: {entry.statement.reason}."
    setting = f" ({prose(entry.setting)})" if entry.setting else ""
    values = "; ".join(f"{prose(label)}: {shown(value)}" for label, value in entry.example().items())
    tests = ", ".join(f"`{check.file}`: {check.test.removeprefix('test_').replace('_', ' ')}" for check in checks)
    code = ", ".join(f"`theorycalc/{_path(place)}`: `{place.split(': ')[1]}`" for place in entry.code)
    return f"""\
(formula-{_slug(name)})=
### {_capital(prose(entry.title))}

```math
{entry.statement()}
```

{made}

- **Name**: `{name}`
- **Status**: {prose(entry.status)}; derived in {derived_in(entry)}
- **Source**: {prose(entry.source)}
- **Domain**: {prose(entry.domain)}
- **Example**{setting}: {values}
- **Code**: {code}
- **Checked by**: {tests}

<details><summary>The code</summary>

{"".join(_listing(place) for place in entry.code)}
</details>

"""


def _capital(text: str) -> str:
    return text[0].upper() + text[1:] if re.match("[a-z][a-z ]", text) else text


def prose(text: str) -> str:
    """Return text with the indices and powers of its letters as HTML.

    >>> prose("c_{>1} and n^{3/10}, as_printed=True")
    'c<sub>&gt;1</sub> and n<sup>3/10</sup>, as_printed=True'
    """
    for sign, tag in (("_", "sub"), (r"\^", "sup")):
        found = rf"(?<![A-Za-z_])([^\W\d_]\u0303?\)?){sign}(?:\{{([^}}]*)\}}|([^\W_]|⋆|∞)(?![A-Za-z]))"
        text = re.sub(found, lambda m, tag=tag: f"{m[1]}<{tag}>{html.escape(m[2] or m[3])}</{tag}>", text)
    return text


def _path(place: str) -> str:
    module, _ = place.split(": ")
    return module.replace(".", "/") + ".py"


def _listing(place: str) -> str:
    return f"""\
```{{literalinclude}} ../theorycalc/{_path(place)}
:language: python
:pyobject: {place.split(": ")[1]}
```

"""


def shown(value: Any) -> str:
    """Return a value of an example as text: ten digits, no types."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(shown, value)) + ")"
    if isinstance(value, complex | np.complexfloating):
        sign = "−" if value.imag < 0 else "+"
        return f"{shown(value.real)} {sign} {shown(abs(value.imag))}i"
    if isinstance(value, float | np.floating | sympy.Float):
        return f"{float(value):.10g}".replace("-", "−").replace("inf", "∞")
    if isinstance(value, int | np.integer | Fraction | sympy.Expr):
        return str(value).replace("-", "−")
    raise TypeError(f"an example has a value of type {type(value).__name__}")


def _write(app: Any) -> None:
    path, text = Path(app.srcdir) / "handbook.md", page()
    if not path.exists() or path.read_text(encoding="utf-8") != text:  # else Sphinx would read it again
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

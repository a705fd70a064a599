"""The glossary of symbols, made of the tables that the formulas are printed with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import _meanings as meanings
from _meanings import Meaning
from _writing import write
from sphinx.application import Sphinx

from theorycalc import symbolic
from theorycalc.symbolic import symbols

HEAD = """# Glossary of symbols

Made from the code: the letters are those with which [formulas](formulas.md) are printed. *In Python* is the name in
`tc.symbolic`; letters without one are parts of larger formulas. The pages on [finite steps](#letters-of-finite-steps)
use some letters for other things, and say so there.
"""
#: Letters that are functions of their index in tc.symbolic.
CALLS = {"c": "c(k)", "c_star": "c_star_of(k)"} | {name: f"{name}(ℓ)" for name in ("B", "Delta", "Lambda")}
CALLS |= {"H": "H(k)", "r": "r(p)", "L_tr": "train_loss(ℓ)", "L_te": "test_loss(ℓ)", "F": "feature_expansion(ℓ)"}
CALLS |= {"spike": "spike_order(k)", "E_tr": "train_error(ℓ)"}
ELL = r"\ell"
ARRAY_CALLS = {"Omega": "Omega(ℓ)", "Omega_inverse": "Omega_inverse(ℓ)"}
ARRAY_CALLS |= {"xi": "xi_matrix(ℓ)", "xi_inverse": "xi_inverse_matrix(ℓ)"}


def indices(name: str) -> str:
    """Return the letter that a symbol's index usually is."""
    return {"q": "j", "S": "M"}.get(name) or CALLS.get(name, "T(ℓ)")[-2]


def table(rows: Iterable[tuple[str, str, Meaning]]) -> str:
    """Return symbol, name in Python, meaning and page as a table."""
    lines = ["| symbol | in Python | meaning | where |", "|---|---|---|---|"]
    for latex, call, meaning in rows:
        where = f"[{meaning.page.replace('_', ' ')}](theory/{meaning.page}.md)"
        lines.append(f"| {latex} | {f'`{call}`' if call else '–'} | {meaning.words} | {where} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole glossary."""
    values = {name: getattr(symbolic, name) for name in symbolic.__all__}
    public = {value.name: name for name, value in values.items() if isinstance(value, symbols.PaperSymbol)}
    letters = [(f"${latex}$", public.get(name, ""), meanings.LETTERS[name]) for name, latex in symbols.LATEX.items()]
    indexed = [
        (
            f"${latex.replace('%s', indices(name).replace('ℓ', ELL))}$",
            CALLS.get(name, ""),
            meanings.INDEXED_LETTERS[name],
        )
        for name, latex in symbols.INDEXED.items()
    ]
    arrays = [
        (f"${latex}$", ARRAY_CALLS.get(name, ""), meanings.ARRAYS[name])
        for name, latex in (symbols.TABLES | symbols.MATRICES).items()
    ]
    texts = [(f"${latex}$", "", meaning) for latex, meaning in meanings.LETTERS_OF_THE_TEXTS.items()]
    steps = [(f"${latex}$", "", meaning) for latex, meaning in meanings.LETTERS_OF_FINITE_STEPS.items()]
    words = [(word, "", meaning) for word, meaning in meanings.WORDS.items()]
    sections = {"Letters": letters, "Letters with an index": indexed, "Matrices and vectors": arrays}
    sections |= {"Letters of the texts": texts, "Letters of finite steps": steps, "Words": words}
    return HEAD + "".join(f"\n## {title}\n\n{table(rows)}" for title, rows in sections.items())


def generate(app: Sphinx) -> None:
    """Write the page."""
    write(Path(app.srcdir, "glossary.md"), page())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

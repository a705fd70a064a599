"""list_activations(): every named activation; and Hermite coefficients as a table or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from theorycalc.functions.primitives import NAMED, activation_names, formula_of
from theorycalc.model.activation import Activation
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import is_zero
from theorycalc.results.base import Result
from theorycalc.results.layout import latex_display, latex_number
from theorycalc.results.quantities import number_text
from theorycalc.results.table import Column, Row, Table, aligned, column, columns_of

_WINDOWS = 12  # the last ℓ whose conditions are checked


def windows_text(act: Activation) -> str:
    """Return the range of ℓ ≥ 1 for which the activation meets the conditions of the theorem.

    See docs/theory/hermite.md#what-the-theorems-ask-for.

    >>> windows_text(Activation.from_text("relu")), windows_text(Activation.from_text("sign"))
    ('ℓ ≤ 2', 'none: it jumps')
    """
    if is_zero(act.c1):
        return "none: c_1 = 0"
    smooth = act.is_smooth
    if smooth is False:
        return "none: it jumps" if act.is_continuous is False else "none: its derivatives are not bounded"
    present = act.spikes(_WINDOWS)
    first_missing = next((k for k in range(1, _WINDOWS + 1) if k not in present), None)
    reach = f"ℓ ≤ {_WINDOWS} at least" if first_missing is None else f"ℓ ≤ {first_missing - 1}"
    return reach if smooth else f"{reach}, if its derivatives are bounded"


@dataclass(frozen=True, repr=False, eq=False)
class ActivationList(Result):
    """The named activations, one row of plain data for each."""

    kind: ClassVar[str] = "activations"

    rows: tuple[dict[str, object], ...]

    def _table(self, full: bool) -> Table:
        seen = (
            column("name", "name"),
            *(column(f"c{k}", f"c_{k}", ".4g") for k in (1, 2, 3)),
            column("c_rest", spec=".4g"),
            column("parity", "parity"),
            column("conditions", "theorem holds for"),
            Column("formula, and its parameters", _formula),
        )
        return Table("", columns_of(self.rows), seen, full)

    def text(self, full: bool = False, width: int | None = None) -> str:
        """Return the table as text for a terminal.

        Parameters
        ----------
        full : bool, default False
            Whether numbers have all their digits, or four.
        width : int, optional
            Number of characters to which the last two columns are cut.  Numbers are never cut.
        """
        lines = self.table(full).lines
        if width is None or max(map(len, aligned(lines, indent="").splitlines())) <= width:
            return aligned(lines, indent="")
        fixed = sum(max(len(line[i]) for line in lines) + 2 for i in range(len(lines[0]) - 2))
        room = max(width - fixed - 2, 2)  # of the last two columns
        words = min(max(len(line[-2]) for line in lines), room // 2)
        cut = [[*line[:-2], _cut(line[-2], words), _cut(line[-1], room - words)] for line in lines]
        note = "… cuts a text to the width of the terminal; --csv and --json have all of it"
        return "\n".join([aligned(cut, indent=""), _cut(note, width)])

    def __repr__(self) -> str:
        return self.text()

    def _inputs(self) -> Row:
        return {}


@checked_call
def list_activations() -> ActivationList:
    """Return the named activations.

    Returns
    -------
    ActivationList
        ``rows`` has for each its name, formula, parameters with their defaults, parity, c_1, c_2, c_3, c_{>1} and the
        ℓ for which the theorem's conditions hold; None where a parameter has no default.

    >>> relu = next(row for row in list_activations().rows if row["name"] == "relu")
    >>> relu["formula"], relu["c1"], relu["conditions"]
    ('where(x > 0, x, 0)', 0.5, 'ℓ ≤ 2')
    """
    return ActivationList(tuple(_row(name) for name in activation_names()))


def names_without_parameters() -> tuple[str, ...]:
    """Return the names of activations whose parameters all have defaults.

    >>> "elu" in names_without_parameters(), "threshold" in names_without_parameters()
    (True, False)
    """
    return tuple(name for name in activation_names() if None not in _parameters(name).values())


def _parameters(name: str) -> dict[str, str | None]:
    return dict(NAMED[name].parameters) if name in NAMED else {}


def _row(name: str) -> dict[str, object]:
    parameters = _parameters(name)
    row: dict[str, object] = {"name": name, "formula": formula_of(name), "parameters": parameters}
    if None in parameters.values():  # not a function yet
        return row | dict.fromkeys(("parity", "c1", "c2", "c3", "c_rest", "conditions"))
    act = Activation.from_text(name)
    c = act.coefficients(3)
    numbers = {"c1": float(c[1]), "c2": float(c[2]), "c3": float(c[3]), "c_rest": float(act.c_rest)}
    return row | {"parity": act.parity, **numbers, "conditions": windows_text(act)}


def _formula(row: Row, full: bool) -> str:
    parameters = _parameters(str(row["name"]))
    given = (name if value is None else f"{name} = {value}" for name, value in parameters.items())
    return ", ".join([str(row["formula"]), *given])


def _cut(text: str, width: int) -> str:
    """Return text cut to a width, with … where anything is missing.

    >>> _cut("where(x > 0, x, 0)", 9), _cut("x", 9)
    ('where(x …', 'x')
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def coefficients_text(values: Iterable[object], latex: bool) -> str:
    r"""Return coefficients as a table of k and c_k, or as a LaTeX display.

    >>> print(coefficients_text(Activation.from_text("relu").coefficients(1, exact=True), latex=True))
    $$\begin{aligned}
    c_{0} &= \frac{\sqrt{2}}{2 \sqrt{\pi}} \\
    c_{1} &= \frac{1}{2}
    \end{aligned}$$
    """
    if not latex:
        return aligned([["k", "c_k"], *([str(k), number_text(value)] for k, value in enumerate(values))], indent="")
    import sympy

    shown = [sympy.latex(v) if isinstance(v, sympy.Basic) else latex_number(number_text(v)) for v in values]
    return latex_display(rf"c_{{{k}}} &= {text}" for k, text in enumerate(shown))

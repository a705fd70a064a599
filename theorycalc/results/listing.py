"""list_activations(): every activation that has a name; and how coefficients are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from theorycalc.functions.library import NAMED, activation_names, formula_of
from theorycalc.model.activation import Activation
from theorycalc.numbers.exact import is_zero
from theorycalc.results.base import Result
from theorycalc.results.table import Column, Row, Table, aligned, column, columns_of
from theorycalc.results.values import latex_number

_WINDOWS = 12  # ℓ up to which the conditions are looked at


def windows_text(act: Activation) -> str:
    """Return for which ℓ ≥ 1 the theorem's conditions on the activation hold.

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
    """The named activations: a row for each, of plain data."""

    kind: ClassVar[str] = "activations"

    rows: tuple[dict[str, object], ...]

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with all digits."""
        heads = {"c1": "c_1", "c2": "c_2", "c3": "c_3", "c_rest": "c_{>1}"}
        seen = (
            column("name", "name"),
            *(column(name, heading, ".4g") for name, heading in heads.items()),
            column("parity", "parity"),
            column("conditions", "theorem holds for"),
            Column("formula, and its parameters", _formula),
        )
        return Table("", columns_of(self.rows), seen, full)

    def text(self, full: bool = False, width: int | None = None) -> str:
        """Return the table a person reads, with four digits or all, and its texts cut to a width, if one is given.

        Numbers are never cut: a table is no narrower than its numbers.
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


def list_activations() -> ActivationList:
    """Return the activations that have a name.

    Returns
    -------
    ActivationList
        In ``rows``, for each: its name, formula, parameters with their defaults, parity, c_1, c_2, c_3, c_{>1} and the
        ℓ for which the theorem's conditions hold; None where a parameter without a default must be given first.

    >>> relu = next(row for row in list_activations().rows if row["name"] == "relu")
    >>> relu["formula"], relu["c1"], relu["conditions"]
    ('where(x > 0, x, 0)', 0.5, 'ℓ ≤ 2')
    """
    return ActivationList(tuple(_row(name) for name in activation_names()))


def names_without_parameters() -> tuple[str, ...]:
    """Return the names that are functions by themselves: their parameters, if there are any, have defaults.

    >>> "elu" in names_without_parameters(), "threshold" in names_without_parameters()
    (True, False)
    """
    return tuple(name for name in activation_names() if None not in _parameters(name).values())


def _parameters(name: str) -> dict[str, str | None]:
    return dict(NAMED[name].parameters) if name in NAMED else {}


def _row(name: str) -> dict[str, object]:
    parameters = _parameters(name)
    row: dict[str, object] = {"name": name, "formula": formula_of(name), "parameters": parameters}
    if name not in names_without_parameters():  # nothing to compute
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
    """Return a text within a width, its end replaced by … where it is longer.

    >>> _cut("where(x > 0, x, 0)", 9), _cut("x", 9)
    ('where(x …', 'x')
    """
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def coefficients_text(act: Activation, values: Iterable[object], latex: bool) -> str:
    r"""Return coefficients as a table of k and c_k, or as a LaTeX display.

    >>> act = Activation.from_text("relu")
    >>> print(coefficients_text(act, act.coefficients(1, exact=True), latex=True))
    $$\begin{aligned}
    c_{0} &= \frac{\sqrt{2}}{2 \sqrt{\pi}} \\
    c_{1} &= \frac{1}{2}
    \end{aligned}$$
    """
    if not latex:
        return aligned([["k", "c_k"], *([str(k), number_of(value)] for k, value in enumerate(values))], indent="")
    import sympy

    shown = [sympy.latex(v) if isinstance(v, sympy.Basic) else latex_number(number_of(v)) for v in values]
    lines = (rf"c_{{{k}}} &= {text}" for k, text in enumerate(shown))
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def number_of(value: object) -> str:
    """Return a coefficient as text: a float in full, anything else as it prints itself.

    >>> number_of(0.5)
    '0.5'
    """
    return repr(float(value)) if isinstance(value, float) else str(value)

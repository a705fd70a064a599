"""What the command line shows of activations: their coefficients, and the table of all names."""

from __future__ import annotations

from typing import Any

from theorycalc.activations.activation import Activation
from theorycalc.exact import is_zero
from theorycalc.expressions.library import NAMED, activation_names, formula_of
from theorycalc.expressions.smoothness import is_continuous, is_smooth
from theorycalc.tables import aligned, shown

_WINDOWS = 12  # ℓ up to which the conditions are looked at


def windows_text(act: Activation) -> str:
    """Return for which ℓ ≥ 1 the theorem's conditions on the activation hold (theory section 2).

    >>> windows_text(Activation.from_text("relu")), windows_text(Activation.from_text("sign"))
    ('ℓ ≤ 2', 'none: it jumps')
    """
    assert act.tree is not None
    if is_zero(act.c1):
        return "none: c_1 = 0"
    smooth = is_smooth(act.tree)
    if smooth is False:
        return "none: it jumps" if is_continuous(act.tree) is False else "none: its derivatives are not bounded"
    present = act.spikes(_WINDOWS)
    first_missing = next((k for k in range(1, _WINDOWS + 1) if k not in present), None)
    reach = f"ℓ ≤ {_WINDOWS} at least" if first_missing is None else f"ℓ ≤ {first_missing - 1}"
    return reach if smooth else f"{reach}, if its derivatives are bounded"


def activation_data() -> list[dict[str, Any]]:
    """Return the table of the named activations as plain data.

    >>> next(row for row in activation_data() if row["name"] == "relu")["conditions"]
    'ℓ ≤ 2'
    """
    return [_row(name) for name in activation_names()]


def _row(name: str) -> dict[str, Any]:
    parameters = dict(NAMED[name].parameters) if name in NAMED else {}
    row: dict[str, Any] = {"name": name, "formula": formula_of(name), "parameters": parameters}
    if None in parameters.values():  # a parameter without a default: nothing to compute
        return row | dict.fromkeys(("parity", "c1", "c2", "c3", "c_rest", "conditions"))
    act = Activation.from_text(name)
    c = act.coefficients(3)
    numbers = {"c1": float(c[1]), "c2": float(c[2]), "c3": float(c[3]), "c_rest": float(act.c_rest)}
    return row | {"parity": act.parity, **numbers, "conditions": windows_text(act)}


def activation_table(full: bool = False) -> str:
    """Return the table of the named activations as text, of the numbers six digits or all.

    The longest columns come last: a narrow terminal wraps them, and the numbers stay in line.
    """
    rows = [["name", "c_1", "c_2", "c_3", "c_{>1}", "parity", "theorem holds for", "formula, and its parameters"]]
    for row in activation_data():
        values = ["–" if row[key] is None else shown(row[key], full) for key in ("c1", "c2", "c3", "c_rest")]
        given = (key if value is None else f"{key} = {value}" for key, value in row["parameters"].items())
        formula = ", ".join([row["formula"], *given])
        rows.append([row["name"], *values, row["parity"] or "–", row["conditions"] or "–", formula])
    return aligned(rows, indent="")


def coefficients_text(act: Activation, values: Any, latex: bool) -> str:
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

    shown = [sympy.latex(v) if isinstance(v, sympy.Basic) else _latex_number(number_of(v)) for v in values]
    lines = (rf"c_{{{k}}} &= {text}" for k, text in enumerate(shown))
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def number_of(value: Any) -> str:
    """Return a coefficient as text: a float in full, anything else as it prints itself.

    >>> number_of(0.5)
    '0.5'
    """
    return repr(float(value)) if isinstance(value, float) else str(value)


def _latex_number(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else text

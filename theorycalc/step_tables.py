"""How a finite-step prediction is shown: as a table, as JSON data, in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc._version import __version__
from theorycalc.prediction import Prediction
from theorycalc.tables import aligned, number_data, number_text, shown

if TYPE_CHECKING:
    from theorycalc.step_result import FiniteStep

#: attribute, symbol, meaning
ROWS = (
    ("train_loss_initial", "L_tr(F₀)", "training loss before the step"),
    ("test_loss_initial", "L_te(F₀)", "test loss before the step"),
    ("train_gain", "train gain", "training loss gained"),
    ("test_gain", "test gain", "test loss gained"),
    ("train_loss", "L_tr(F)", "training loss after the step"),
    ("test_loss", "L_te(F)", "test loss after the step"),
)
_MOST_LINES = 60


def _title(found: FiniteStep) -> str:
    n, d, N = found.sizes
    proven = f", {found.digits} digits proven" if found.digits else ""
    ridge = "" if np.ndim(found.ridge) else f", λ = {number_text(found.ridge)}"
    return f"One step at n = {n}, d = {d}, N = {N}{ridge}: {found.method}{proven}"


def _lines(found: FiniteStep, full: bool = False) -> list[list[str]]:
    """Return the table: a column a quantity for several steps, a row a quantity for one."""
    if np.ndim(found.train_gain) == 0:
        step = [["η", number_text(found.eta), "size of the step"]]
        if found.alpha is not None:
            step.insert(0, ["α", number_text(found.alpha), "its exponent, η = n^α"])
        return [*step, *([symbol, number_text(getattr(found, name)), meaning] for name, symbol, meaning in ROWS)]
    names = [("alpha", "α"), ("eta", "η"), ("ridge", "λ"), *((name, symbol) for name, symbol, _ in ROWS[2:])]
    given = {"alpha": found.alpha is not None, "ridge": np.ndim(found.ridge) > 0}
    names = [(name, symbol) for name, symbol in names if given.get(name, True)]
    rows = step_rows(found) if full else step_rows(found)[:_MOST_LINES]
    return [
        [symbol for _, symbol in names],
        *([shown(row[name], full) for name, _ in names] for row in rows),
    ]


def step_rows(found: FiniteStep) -> list[dict[str, Any]]:
    """Return one row for each step and ridge: the sizes, the step, every loss and gain, and what they are worth."""
    names = ("alpha", "eta", "ridge", *(name for name, *_ in ROWS), "error", "converged")
    values = np.broadcast_arrays(*(np.asarray(getattr(found, name), dtype=object) for name in names))
    columns = [column.ravel() for column in values]
    return [found.sizes._asdict() | dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _limit_text(found: FiniteStep, full: bool = False) -> str | None:
    if np.ndim(found.train_gain):
        return None
    limit = found.limit
    if not isinstance(limit, Prediction):
        return f"printed limit: none; {limit}"
    gains = f"train gain {shown(limit.train_gain, full)}, test gain {shown(limit.test_gain, full)}"
    return f"printed limit, ℓ = {limit.ell}: {gains}"


def step_text(found: FiniteStep, full: bool = False) -> str:
    """Return the table a person reads; ``full``, every line of it with all digits."""
    lines = [_title(found), aligned(_lines(found, full))]
    if np.size(found.train_gain) > _MOST_LINES and not full:
        lines.append(f"  … {np.size(found.train_gain) - _MOST_LINES} more")
    limit = _limit_text(found, full)
    lines += [] if limit is None else [f"  {limit}"]
    lines.append(f"  numerics: {_worth(found)}")
    lines += [f"  note  {note}" for note in found.notes]
    return "\n".join(lines)


def _worth(found: FiniteStep) -> str:
    worst = float(np.max(found.error))
    if found.method == "pencil":
        powers = np.unique(found.powers)
        return f"powers up to {powers[-1]}, of which the last two changed {worst:.1g}"
    state = "converged" if np.all(found.converged) else "NOT CONVERGED"
    return f"{state}: finer rules change {worst:.1g} relatively, residual {float(np.max(found.residual)):.1g}"


def step_data(found: FiniteStep) -> dict[str, Any]:
    """Return the result as plain data."""
    limit = None if np.ndim(found.train_gain) else found.limit
    names = ("alpha", "eta", "ridge", *(name for name, *_ in ROWS), "powers", "residual", "error")
    values = {name: getattr(found, name) for name in names}
    return {
        "theorycalc": __version__,
        "inputs": found.problem.to_dict() | found.sizes._asdict(),
        "method": found.method,
        "digits": found.digits,
        "values": {name: None if value is None else number_data(_plain(value)) for name, value in values.items()},
        "converged": np.asarray(found.converged).tolist(),
        "limit": limit.to_dict() if isinstance(limit, Prediction) else limit,
        "notes": list(found.notes),
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def step_html(found: FiniteStep) -> str:
    """Return the table a notebook shows."""
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(x)}</td>" for x in row) + "</tr>" for row in _lines(found))
    words = [f"numerics: {_worth(found)}", *found.notes]
    limit = _limit_text(found)
    words = words if limit is None else [limit, *words]
    notes = "".join(f"<li>{html.escape(word)}</li>" for word in words)
    return f"<table><caption>{html.escape(_title(found))}</caption>{cells}</table><ul>{notes}</ul>"

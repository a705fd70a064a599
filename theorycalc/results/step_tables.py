"""How a finite step is shown: one step with all its losses, or a table of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorycalc.model.problem import Problem
from theorycalc.results.prediction import Prediction
from theorycalc.results.prediction_tables import AFTER
from theorycalc.results.quantities import TRAINING
from theorycalc.results.step_result import FINITE_SIZE
from theorycalc.results.table import MOST_LINES, Table, horizontal, shown, vertical, worth

if TYPE_CHECKING:
    from theorycalc.results.step_result import FiniteStep


def network_words(problem: Problem, gradient: str) -> str:
    """Return which network takes a step, with its sizes.

    >>> network_words(Problem("relu", "H1", n=200, d=100, N=150, ridge="1/10"), "labels")
    'a network whose step is on the labels alone, n = 200, d = 100, N = 150'
    """
    network = "the literal network" if gradient == "residual" else "a network whose step is on the labels alone"
    return f"{network}, n = {problem.n}, d = {problem.d}, N = {problem.N}"


def step_words(eta: float, alpha: float | None, full: bool = False) -> str:
    """Return the size of a step in words.

    >>> step_words(10.0, 0.25), step_words(10.0, None)
    ('η = 10 = n^0.25', 'η = 10')
    """
    return f"η = {shown(eta, full)}" + ("" if alpha is None else f" = n^{shown(alpha, full)}")


def step_table(found: FiniteStep, full: bool = False) -> Table:
    """Return one step with a line for each quantity, or several with a line for each step and ridge."""
    method = "the pencil" if found.method == "pencil" else f"{found.method} features"
    how = f"({method}; {worth(found)})"
    size, notes = found.size, tuple(note for note in found.notes if note != FINITE_SIZE)
    if size == 1:
        row = found.rows[0]
        taken = f"{step_words(row['eta'], row['alpha'], full)}, λ = {shown(row['ridge'], full)}"
        title = f"One step of {network_words(found.problem, found.gradient)}: {taken} {how}"
        remarks = (FINITE_SIZE, _limit(found, full), _numerics(found))
        return Table(title, vertical(row, full), remarks=remarks, notes=notes)
    most = size if full else MOST_LINES
    several = np.ndim(found.ridge) > 0
    columns = [*([] if found.alpha is None else ["alpha"]), "eta", *(["ridge"] if several else []), *AFTER]
    more = (f"… {size - most} more",) if size > most else ()
    ridge = "" if several else f", λ = {shown(found.ridge, full)}"
    title = f"Steps of {network_words(found.problem, found.gradient)}{ridge} {how}"
    remarks = (*more, TRAINING, FINITE_SIZE, _numerics(found))
    return Table(title, horizontal(columns, found.first(most), full), True, remarks, notes=notes)


def _limit(found: FiniteStep, full: bool) -> str:
    limit = found.limit
    if not isinstance(limit, Prediction):
        return f"limit n → ∞: none; {limit}"
    values = {"test loss": limit.test_loss, "test gain": limit.test_gain, "training gain": limit.train_gain}
    listed = ", ".join(f"{words} {shown(np.ravel(value)[0], full)}" for words, value in values.items())
    return f"limit n → ∞ of such networks, ℓ = {limit.ell}: {listed}"


def _numerics(found: FiniteStep) -> str:
    worst = float(np.max(found.error))
    state = "numerics: converged" if np.all(found.converged) else "NOT CONVERGED"
    if found.method == "pencil":
        return f"{state}: powers up to {np.max(found.powers)}, of which the last two changed {worst:.1g}"
    return f"{state}: finer rules change {worst:.1g} relatively, residual {float(np.max(found.residual)):.1g}"

"""The theories that a problem stands for in a comparison: finite-step losses and, where observed, error rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theorycalc.comparison.measurements import steps_of
from theorycalc.errors import ArgumentError, TheoryError, spelled
from theorycalc.model.problem import Problem
from theorycalc.results.error_rates import ErrorRate, error_rate
from theorycalc.results.finite_step import step
from theorycalc.results.quantities import CLEAN, COMPARED, RATES
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import Row
from theorycalc.simulation.run import Run


def finite_theories(
    problem: Problem, run: Run | None, seen: Sequence[Row], gradient: str = "residual"
) -> tuple[list[FiniteStep | ErrorRate], list[str]]:
    """Return the predictions for a problem's observed steps, and the reason if they leave out error rates.

    The target ``gradient`` of the steps is that of the run, if there is one.

    >>> problem = Problem("tanh", "sign(x)", n=60, d=20, N=40, ridge="1/10")
    >>> found, notes = finite_theories(problem, None, [{"eta": 2, "test_loss": 0.9, "error_rate": 0.4}])
    >>> [theory.title for theory in found], notes
    (['finite step (dressed)', 'error rate (dressed)'], [])
    """
    how = _observed_steps(problem, run, seen, gradient)
    if not has_rates(seen):
        return [step(problem, **how)], []
    if not any(name in row for row in seen for name in (*COMPARED, *CLEAN)):
        return [error_rate(problem, **how)], []
    rates, notes = rates_or_note(problem, **how)
    return [step(problem, **how), *rates], notes


def has_rates(seen: Sequence[Row]) -> bool:
    """Return whether error rates were observed.

    >>> has_rates([{"eta": 2, "error_rate": 0.4}])
    True
    """
    return any(name in row for row in seen for name in RATES)


def rates_or_note(problem: Problem, **how: Any) -> tuple[list[ErrorRate], list[str]]:
    """Return the error rates of a step, or a note that says why there are none.

    >>> rates_or_note(Problem("relu", "H1", 1, 1, 1), ell=1)[1][0][:53]
    'error rates are not compared: an error rate needs lab'
    """
    try:
        return [error_rate(problem, **how)], []
    except TheoryError as error:
        return [], [f"error rates are not compared: {error}"]


def _observed_steps(problem: Problem, run: Run | None, seen: Sequence[Row], gradient: str) -> dict[str, Any]:
    """Return the observed network and steps, as arguments of step()."""
    if run is not None:
        s = run.settings
        sizes = {} if problem.has_sizes else {"n": s.n, "d": s.d, "N": s.N}
        return {**sizes, "eta": [taken.eta for taken in s.steps_taken], "ridge": s.ridges[0], "gradient": s.gradient}
    if problem.n is None:
        reason = "measurements are of a network of real size"
        remedy = f"describe it by Problem(…, {spelled('n')}, {spelled('d')}, {spelled('N')})"
        raise ArgumentError(f"{reason}: {remedy}", argument="theory")
    return {"eta": steps_of(seen, problem.n), "gradient": gradient}

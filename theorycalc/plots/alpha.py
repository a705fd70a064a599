"""Gain against α: the windows, their limits as steps, networks of real size as curves, simulations as points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from theorycalc.comparison import compare
from theorycalc.errors import ArgumentError, DomainError, checked_call
from theorycalc.exact import listed
from theorycalc.finite_step import step
from theorycalc.plots.style import (
    COLOURS,
    LINES,
    MARKERS,
    case_title,
    house_style,
    label_ends,
    number_label,
    panels,
)
from theorycalc.plots.windows import SHOWN, draw_limits, shade_windows
from theorycalc.prediction import Prediction, predict
from theorycalc.simulation.run import Run
from theorycalc.theory.problem import Problem

if TYPE_CHECKING:
    from theorycalc.plots.figure import HouseFigure
    from theorycalc.step_result import FiniteStep

_SIZES = (500, 2000)
_EXPONENTS = np.linspace(0.0, 0.55, 45)
_GAINS = (("test_gain", "test loss gained, Λ"), ("train_gain", "training loss gained, Δ"))


class Points(NamedTuple):
    """Simulated gains: n, α, and for each gain its means and standard errors."""

    n: int
    alpha: Sequence[float]
    gains: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    words: str


@checked_call
def gain_against_alpha(problem: Problem, n: Any = None, run: Run | None = None) -> HouseFigure:
    """Draw what a step n^α gains: limits as steps over the windows, and curves for networks of ``n`` samples.

    ``n`` is a number or a list of up to six, by default 500 and 2000, or the number of the run.  The points of ``run``
    have error bars of one standard error.

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> figure = gain_against_alpha(problem, n=1000)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['test loss gained, Λ', 'training loss gained, Δ']
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"gain_against_alpha() takes a Problem, not {type(problem).__name__}")
    if run is not None and not isinstance(run, Run):
        raise ArgumentError(f"run must be a Run, as simulate() returns, not {type(run).__name__}")
    points = None if run is None else points_of(run, problem)
    sizes = _sizes(n, None if points is None else points.n)
    curves = [step(problem, n=size, alpha=_EXPONENTS) for size in sizes]
    return alpha_figure(problem, curves, points)


def _sizes(n: Any, simulated: int | None) -> list[Any]:
    if n is None:
        return list(_SIZES) if simulated is None else [simulated]
    sizes = listed(n, "n")
    if simulated is not None and simulated not in sizes:
        sizes.append(simulated)
    if not 1 <= len(sizes) <= len(COLOURS):
        raise ArgumentError(f"n has {len(sizes)} values; curves can be told apart for 1 to {len(COLOURS)}")
    return sizes


def points_of(run: Run, problem: Problem) -> Points:
    """Return the gains of the network in a run of this problem, at the problem's ridge."""
    settings = run.settings
    if settings.n == 1:
        raise ArgumentError("the run has n = 1: a step has an exponent α for n ≥ 2 only")
    etas = [taken.eta for taken in settings.steps_taken]
    comparison = compare(run, step(problem, n=settings.n, eta=etas))  # refuses runs of other problems
    rows = [row for row in comparison.rows if row["model"] == "network" and row["ridge"] == float(problem.ridge)]
    rows = [row for row in rows if row["eta"] > 0]  # η = 0 is n^−∞
    if not rows:
        raise ArgumentError("the run has no step η > 0 of the network at the problem's ridge: there is nothing to draw")
    of = {name: [row for row in rows if row["quantity"] == name] for name, _ in _GAINS}
    alphas = [math.log(row["eta"]) / math.log(settings.n) for row in of["test_gain"]]
    gains = {name: ([r["observed"] for r in found], [r["standard_error"] for r in found]) for name, found in of.items()}
    counts = [row["replicates"] for row in rows]  # an interrupted run has more of some steps than of others
    draws = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"
    return Points(settings.n, alphas, gains, f"simulated, {draws} draws ± s.e.")


def alpha_figure(problem: Problem, curves: Sequence[FiniteStep], points: Points | None) -> HouseFigure:
    """Draw finite-step curves over α, with the limits of the problem's windows."""
    limits, ceiling, missing = _limits(problem)
    with house_style():
        figure, axes = panels(2, 1, height=4.0, sharex=True)
        for axis, (name, label) in zip(axes, _GAINS, strict=True):
            shade_windows(axis, named=axis is axes[0])
            top = None if ceiling is None else float(getattr(ceiling, name))
            draw_limits(axis, {ell: float(getattr(found, name)) for ell, found in limits.items()}, top)
            ends = []
            for i, curve in enumerate(curves):
                order = np.argsort(curve.alpha)
                gains = np.asarray(getattr(curve, name))[order]
                axis.plot(np.asarray(curve.alpha)[order], gains, color=COLOURS[i], ls=LINES[i], zorder=5)
                ends.append((gains[-1], f"n = {number_label(curve.sizes.n)}", COLOURS[i]))
                if points is not None and points.n == curve.sizes.n:
                    means, errors = points.gains[name]
                    words = points.words if axis is axes[0] else None
                    how = {"color": COLOURS[i], "mec": "white", "mew": 0.5, "elinewidth": 0.9, "zorder": 6}
                    axis.errorbar(points.alpha, means, errors, fmt=MARKERS[i], label=words, **how)
            axis.set(ylabel=label)
            axis.margins(x=0, y=0.06)
            axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))
            label_ends(axis, ends)
        axes[0].plot([], [], color="black", lw=2, label="printed limit of each window")
        axes[0].legend(loc="lower right", handlelength=1.6)
        axes[-1].set(xlabel=r"α, exponent of the step $\eta = n^\alpha$")
        axes[0].set_title(case_title(problem), pad=13)
        if missing is not None:
            axes[-1].text(0.02, 0.97, missing, transform=axes[-1].transAxes, va="top", fontsize=7.5)
        return figure


def _limits(problem: Problem) -> tuple[dict[int, Prediction], Prediction | None, str | None]:
    """Return the limits of the windows, their ceiling, and from where on they are not known."""
    limits: dict[int, Prediction] = {}
    missing = None
    for ell in range(1, SHOWN + 1):
        try:
            limits[ell] = predict(problem, ell=ell)
        except DomainError:
            missing = f"no limit is known for ℓ ≥ {ell}"
            break
    try:
        return limits, predict(problem, ell="inf"), missing
    except DomainError:
        return limits, None, missing

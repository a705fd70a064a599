"""Gain against α: limits of the windows as steps, networks of real size as curves, simulations as points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from theorycalc.comparison.compare import compare
from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import NumberLike, NumbersLike, listed
from theorycalc.plots.canvas import canvas, check_curves, entitle, error_points, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.stairs import (
    LIMIT,
    LITERAL,
    SHOWN,
    StepCurve,
    check_literal,
    check_step,
    curve_of,
    draw_limits,
    draw_spread,
    shade_windows,
)
from theorycalc.plots.style import COLOURS, LINES, thin
from theorycalc.plots.words import ELL, QUANTITIES, case_title, gradient_label, parameter_words
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.staircase import Staircase, staircase
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import number
from theorycalc.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.container import Container, ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

_SIZES = (500, 2000)
_EXPONENTS = np.linspace(0.0, 0.55, 45)
_GAINS = ("test_gain", "train_gain")


class SimulatedPoints(NamedTuple):
    """Simulated gains: n, α, and for each gain its means and standard errors."""

    n: int
    alpha: Sequence[float]
    gains: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    words: str


class Limits(NamedTuple):
    """Limits of the windows by ℓ, their ceiling, and a note on the first ℓ for which there is none."""

    by_ell: Mapping[int, Prediction]
    ceiling: Prediction | None
    missing: str | None


@checked_call
@figure_of(
    ax="One Axes to draw into, for the test loss, or two, for both losses.",
    refused=", an argument is of the wrong kind, the run, the steps or the literal limits belong to another problem",
)
def gain_against_alpha(
    problem: Problem,
    n: NumbersLike | None = None,
    run: Run | None = None,
    steps: FiniteStep | Sequence[FiniteStep] | None = None,
    literal: Staircase | bool = True,
    gradient: str | None = None,
    ax: object = None,
    **style: object,
) -> Figure:
    r"""Draw the gains of a step n^α: window limits as steps, and curves for networks with ``n`` samples.

    Parameters
    ----------
    problem : Problem
        The problem whose limits are drawn.
    n : int or list of up to six, optional
        Sizes of networks, whose curves are computed; by default 500 and 2000, or the number of the run.
    run : Run, optional
        A simulation of the problem; its means are points with error bars of one standard error.
    steps : FiniteStep or list of up to six, optional
        Curves over α that were computed before, drawn in place of those of ``n``.
    literal : bool or Staircase, optional
        Whether the limits of literal networks are drawn, dashed, beside those of the theorem, or these themselves.
    gradient : str, optional
        "residual", the literal network's step, or "labels"; by default that of the run, or "residual".

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> figure = gain_against_alpha(problem, n=1000)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['test loss gained, $\\Lambda$', 'training loss gained, $\\Delta$']
    """
    check_problem(problem, "gain_against_alpha")
    if run is not None and not isinstance(run, Run):
        raise ArgumentError(f"run must be a Run, as simulate() returns, not {type(run).__name__}", argument="run")
    gradient = ("residual" if run is None else run.settings.gradient) if gradient is None else gradient
    points = None if run is None else points_of(run, problem)
    curves = _curves(problem, n, steps, None if points is None else points.n, gradient)
    return alpha_figure(problem, curves, points, (True, literal_limits(literal, problem, gradient)), ax, style)


def literal_limits(literal: Staircase | bool, problem: Problem, gradient: str) -> Staircase | None:
    """Return the limits of literal networks to draw, if any; some activations have none."""
    if not isinstance(literal, bool):
        check_literal(literal, problem)
        return literal
    try:
        return staircase(problem, SHOWN, network="literal", gradient=gradient) if literal else None
    except DomainError:
        return None


def _curves(
    problem: Problem,
    n: NumbersLike | None,
    steps: FiniteStep | Sequence[FiniteStep] | None,
    simulated: int | None,
    gradient: str,
) -> list[StepCurve]:
    """Return the curves to draw: those given as finite steps, or those of the sizes."""
    if steps is None:
        found = (step(problem, n=size, alpha=_EXPONENTS, gradient=gradient) for size in _sizes(n, simulated))
        return [curve_of(one) for one in found]
    if n is not None:
        reason = "give n, whose curves are computed, or steps, which are drawn as they are, not both"
        raise ArgumentError(reason, argument="steps")
    listed = list(steps) if isinstance(steps, (list, tuple)) else [steps]
    if not 1 <= len(listed) <= len(COLOURS):
        reason = f"steps has {len(listed)} curves; they can be told apart for 1 to {len(COLOURS)}"
        raise ArgumentError(reason, argument="steps")
    curves = [curve_of(found) for found in listed]
    for curve in curves:
        check_step(curve.found, problem)
    return curves


def _sizes(n: NumbersLike | None, simulated: int | None) -> list[NumberLike]:
    if n is None:
        return list(_SIZES) if simulated is None else [simulated]
    sizes = listed(n, "n")
    if simulated is not None and simulated not in sizes:
        sizes.append(simulated)
    check_curves("n", len(sizes))
    return sizes


def points_of(run: Run, problem: Problem) -> SimulatedPoints:
    """Return the network's gains in a run of this problem, at the problem's ridge."""
    settings = run.settings
    if settings.n == 1:
        raise ArgumentError("the run has n = 1: a step has an exponent α for n ≥ 2 only", argument="run")
    etas = [taken.eta for taken in settings.steps_taken]
    theory = step(problem, n=settings.n, eta=etas, gradient=settings.gradient)
    comparison = compare(run, theory)  # refuses runs of other problems
    rows = [row for row in comparison.rows if row["model"] == "network" and row["ridge"] == float(problem.ridge)]
    rows = [row for row in rows if number(row, "eta") > 0]  # η = 0 is n^−∞
    if not rows:
        reason = "the run has no step η > 0 of the network at the problem's ridge: there is nothing to draw"
        raise ArgumentError(reason, argument="run")
    of = {name: [row for row in rows if row["quantity"] == name] for name in _GAINS}
    alphas = [math.log(number(row, "eta")) / math.log(settings.n) for row in of["test_gain"]]
    gains = {name: ([r["observed"] for r in found], [r["standard_error"] for r in found]) for name, found in of.items()}
    counts = [int(number(row, "replicates")) for row in rows]  # an interrupted run has more of some steps
    draws = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"
    return SimulatedPoints(settings.n, alphas, gains, f"simulated at n = {settings.n}, {draws} draws ± s.e.")


def alpha_figure(
    problem: Problem,
    curves: Sequence[StepCurve],
    points: SimulatedPoints | None,
    stairs: tuple[bool, Staircase | None],
    ax: object,
    style: Mapping[str, object],
    with_spread: bool = False,
) -> Figure:
    """Draw finite steps as curves over α, with the limits of the problem's windows and the scatter of one run.

    ``stairs`` says whether the limits of the theorem are drawn, and has those of literal networks, if they are.
    """
    limits = limits_of(problem) if stairs[0] else None
    with canvas(ax, style, 2, 1, height=4.1, sharex=True) as sheet:
        for axes, name in zip(sheet.axes, _GAINS, strict=False):
            shade_windows(axes, named=axes is sheet.axes[0], inside=not sheet.own)
            keys = _draw_stairs(axes, limits, stairs[1], name)
            ends = []
            for number, curve in enumerate(curves):
                look = next_curve(axes, number)
                marker = look.pop("marker")
                gid = f"{name}:{curve.gid}"
                how = sheet.main(curve.words, gid=gid, zorder=5, **look)
                ends += axes.plot(curve.alpha, curve.values(name), **how)
                if with_spread:
                    middle, spread = curve.values(name), curve.spread(name)
                    keys.append(draw_spread(axes, curve.alpha, middle, spread, ends[-1].get_color(), name))
                if points is not None and points.n == curve.found.sizes.n:
                    keys.append(_draw_points(axes, points, name, ends[-1].get_color(), marker))
            entitle(axes, y=QUANTITIES[name])
            axes.margins(x=0, y=0.06 if sheet.own else 0.12)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]), auto=None)
            explain(sheet, axes, ends, keys if axes is sheet.axes[-1] else ())
        entitle(sheet.axes[-1], x=parameter_words("alpha"))
        gradient = gradient_label(curves[0].found.gradient)
        entitle(sheet.axes[0], title=f"{case_title(problem)}{gradient}", pad=13 if sheet.own else None)
        return sheet.figure


def _draw_stairs(axes: Axes, limits: Limits | None, literal: Staircase | None, name: str) -> list[Artist | Container]:
    """Draw the theorem's limits, with those of literal networks dashed; return the entries of the legend."""
    keys: list[Artist | Container] = []
    if limits is not None:
        ceiling = None if limits.ceiling is None else float(getattr(limits.ceiling, name))
        heights = {ell: float(getattr(found, name)) for ell, found in limits.by_ell.items()}
        words = LIMIT if limits.missing is None else f"{LIMIT};\n{limits.missing}"
        keys.append(draw_limits(axes, heights, ceiling, f"{name}:limit", label=words))
    if literal is not None:
        heights = {int(p.ell): float(getattr(p, name)) for p in literal.predictions if 1 <= p.ell <= SHOWN}
        how = {"label": LITERAL} | ({"lw": thin(1.2), "ls": LINES[1]} if limits is not None else {})
        keys.append(draw_limits(axes, heights, None, f"{name}:literal", **how))
    return keys


def _draw_points(
    axes: Axes, points: SimulatedPoints, name: str, colour: ColorType, marker: object
) -> ErrorbarContainer:
    means, errors = points.gains[name]
    how = {"fmt": marker, "color": colour, "label": points.words, "elinewidth": thin(0.7), "zorder": 6}
    edge = {"mec": axes.get_facecolor(), "mew": thin(0.4)}
    return error_points(axes, points.alpha, means, errors, f"{name}:simulated", **how, **edge)


def limits_of(problem: Problem) -> Limits:
    """Return the known limits of the windows shown."""
    limits: dict[int, Prediction] = {}
    missing = None
    for ell in range(1, SHOWN + 1):
        try:
            limits[ell] = predict(problem, ell=ell)
        except DomainError:
            missing = f"no limit is known for {ELL} ≥ {ell}"
            break
    try:
        return Limits(limits, predict(problem, ell="inf"), missing)
    except DomainError:
        return Limits(limits, None, missing)

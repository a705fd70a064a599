"""Staircase.plot(): the gain of each window ℓ, its ceiling, and finite steps and literal networks beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.style import LINES, TEST, TRAIN, LineStyle, ink, thin
from theorycalc.plots.windows import LITERAL, Stairs, StepCurve, check_literal, check_step, curve_of
from theorycalc.plots.words import case_title, check_drawable, number_label, parameter_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from theorycalc.results.step_result import FiniteStep

_LITERAL, _CURVE = LINES[3], LINES[5]  # training gains have LINES[1], and ceilings LINES[2]
_GAINS = {"test_gain": (r"test, $\Lambda_\ell$", TEST), "train_gain": (r"training, $\Delta_\ell$", TRAIN)}


@figure_of("result : Staircase", refused=", the finite step or the literal limits are of another problem")
def staircase_figure(
    result: Stairs,
    step: FiniteStep | None = None,
    literal: Stairs | None = None,
    ax: object = None,
    **style: object,
) -> Figure:
    """Draw the gains against ℓ with their ceilings; a hollow marker is a window that adds nothing since c_ℓ = 0.

    Parameters
    ----------
    step : FiniteStep, optional
        A list of steps of a network of real size, drawn as a curve through the windows of their α.
    literal : Staircase, optional
        The limits of literal networks, ``tc.staircase(problem, network="literal")``, drawn dash-dotted.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> staircase_figure(tc.staircase(problem, 3)).axes[0].get_ylabel()
    'loss gained, limit $n$ → ∞'
    """
    for p in (*result.predictions, *([] if result.ceiling is None else [result.ceiling])):
        check_drawable(p, ("test_gain", "train_gain"))
    curve = None if step is None else curve_of(step)
    if curve is not None:
        check_step(curve.found, result.problem)
    if literal is not None:
        check_literal(literal, result.problem)
    with canvas(ax, style, height=2.5) as sheet:
        axes = sheet.axes[0]
        ends: list[Line2D] = []
        keys: dict[str, Line2D] = {}
        for name in _GAINS:
            line, others = _draw_gain(sheet, axes, result, name)
            ends += others
            if literal is not None:
                _draw_literal(axes, literal, name, line)
            if curve is not None:
                _draw_curve(axes, curve, name, line)
        if literal is not None:
            keys["literal"] = _key(axes, "literal", LITERAL, _LITERAL)
        if curve is not None:
            keys["curve"] = _key(axes, "curve", curve.words, _CURVE)
        if any(not x for x in _adding(result)):
            how = {"color": ink(), "marker": "o", "ls": "", "mfc": axes.get_facecolor()}
            (keys["nothing"],) = axes.plot([], [], gid="key:nothing", label=r"$c_\ell = 0$: nothing new", **how)
        entitle(axes, x=parameter_words("ell"), y="loss gained, limit n → ∞", title=case_title(result.problem))
        axes.margins(x=0.04)
        axes.set_xlim(result.predictions[0].ell - 0.3, result.predictions[-1].ell + 0.3, auto=None)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]), auto=None)
        explain(sheet, axes, ends, list(keys.values()))
        return sheet.figure


def _adding(result: Stairs) -> list[bool]:
    """Return which windows add a spike."""
    return [p.ell == 0 or int(p.ell) in p.spikes for p in result.predictions]


def _draw_gain(sheet: Canvas, axes: Axes, result: Stairs, name: str) -> tuple[Line2D, list[Line2D]]:
    """Draw the stairs of a gain, and its ceiling; return the stairs, and all lines that are named at their ends."""
    words, number = _GAINS[name]
    ells = np.array([int(p.ell) for p in result.predictions])
    gains = np.array([float(getattr(p, name)) for p in result.predictions])
    how = sheet.main(words, gid=name, drawstyle="steps-mid", **next_curve(axes, number))
    (line,) = axes.plot(*_with_gaps(ells, gains), **how)
    empty = ~np.array(_adding(result))
    if empty.any():
        same: Look = {"color": line.get_color(), "marker": line.get_marker(), "ls": ""}
        axes.plot(ells[empty], gains[empty], gid=f"{name}:nothing", mfc=axes.get_facecolor(), **same)
    if result.ceiling is None:
        return line, [line]
    top = float(getattr(result.ceiling, name))
    look: Look = {"color": line.get_color(), "lw": thin(0.7), "ls": LINES[2], "label": f"ceiling {number_label(top)}"}
    return line, [line, axes.axhline(top, gid=f"{name}:ceiling", **look)]


def _with_gaps(ells: NDArray[np.int64], gains: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return every ℓ from the first to the last, without a gain where it was not asked for."""
    every = np.arange(ells[0], ells[-1] + 1)
    filled = np.full(len(every), np.nan)
    filled[ells - ells[0]] = gains
    return every, filled


def _draw_literal(axes: Axes, literal: Stairs, name: str, line: Line2D) -> None:
    ells = np.array([int(p.ell) for p in literal.predictions])
    gains = np.array([float(getattr(p, name)) for p in literal.predictions])
    look: Look = {"color": line.get_color(), "lw": thin(0.9), "ls": _LITERAL, "drawstyle": "steps-mid"}
    axes.plot(*_with_gaps(ells, gains), gid=f"{name}:literal", **look)


def _draw_curve(axes: Axes, curve: StepCurve, name: str, line: Line2D) -> None:
    """Draw a finite step over ℓ: each window is one wide, and α runs through it as 1/(1 − 2α) does."""
    inside = curve.alpha < 0.5
    places = window_place(curve.alpha[inside])
    look: Look = {"color": line.get_color(), "lw": thin(0.7), "ls": _CURVE, "gid": f"{name}:{curve.gid}"}
    axes.plot(places, curve.values(name)[inside], **look)


def _key(axes: Axes, name: str, words: str, dashes: LineStyle) -> Line2D:
    """Return the legend's entry of a line style that both gains have, in the colour of neither."""
    (key,) = axes.plot([], [], gid=f"key:{name}", label=words, color=ink(), lw=thin(0.9), ls=dashes)
    return key


def window_place(alpha: float | Floats) -> Floats:
    """Return where α < 1/2 lies on an axis of ℓ on which window ℓ reaches from ℓ − 1/2 to ℓ + 1/2.

    >>> from theorycalc.theory.windows import window_bounds
    >>> [round(float(window_place(float(edge))), 12) for edge in window_bounds(3)]
    [2.5, 3.5]
    """
    return np.asarray(1 / (1 - 2 * np.asarray(alpha, dtype=float)) - 0.5)

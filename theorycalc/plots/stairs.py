"""The windows of α: their limits as steps over α or ℓ, as a staircase, with curves of finite steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.model.sizes import difference
from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.style import BAND, LINES, PALE, SHADE, SHADES, TEST, TRAIN, LineStyle, ink, thin
from theorycalc.plots.words import ELL, case_title, check_drawable, number_label, parameter_words
from theorycalc.results.step_result import FiniteStep
from theorycalc.theory.windows import window_bounds

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType

    from theorycalc.model.problem import Problem
    from theorycalc.results.staircase import Staircase

_NAMED = 4  # windows that are wide enough for a number
LIMIT = "limit of each window (theorem)"
LITERAL = "limit of literal networks"
ONE_RUN = "± one standard deviation of a single run"
SHOWN = 12  # windows whose limits are drawn; those beyond are narrower than a line is thick
_LITERAL, _CURVE = LINES[3], LINES[5]  # training gains have LINES[1], and ceilings LINES[2]
_GAINS = {"test_gain": (r"test, $\Lambda_\ell$", TEST), "train_gain": (r"training, $\Delta_\ell$", TRAIN)}


def shade_windows(axes: Axes, named: bool, inside: bool = False) -> None:
    """Shade the windows ℓ = 1, 2, … up to α = 1/2 in two tones, with their numbers if ``named``, above or ``inside``.

    Axes that have them already stay as they are.
    """
    if any(patch.get_gid() == "window:1" for patch in axes.patches):
        return
    for ell in range(1, SHOWN + 1):
        low, high = map(float, window_bounds(ell))
        axes.axvspan(low, high, color=SHADE, alpha=SHADES[ell % 2], lw=0, zorder=0, gid=f"window:{ell}")
        if named and ell <= _NAMED:
            _name(axes, (low + high) / 2, f"{ELL} = {ell}" if ell <= 2 else str(ell), f"window:{ell}:label", inside)
    rest = float(window_bounds(SHOWN)[1])
    axes.axvspan(rest, 0.5, color=SHADE, alpha=SHADES[1], lw=0, zorder=0, gid="window:rest")
    axes.axvline(0.5, color=PALE, lw=thin(0.5), zorder=1, gid="window:end")
    if named:
        _name(axes, (float(window_bounds(_NAMED)[1]) + 0.5) / 2, "…", "window:rest:label", inside)


def _name(axes: Axes, place: float, text: str, gid: str, inside: bool) -> None:
    across = axes.get_xaxis_transform()
    how: Look = {"transform": across, "ha": "center", "fontsize": "small", "gid": gid, "clip_on": inside}
    axes.text(place, 0.99 if inside else 1.01, text, va="top" if inside else "bottom", **how)


def draw_limits(axes: Axes, limits: dict[int, float], ceiling: float | None, name: str = "limit", **how: Any) -> Line2D:
    """Draw the limits of the windows as one broken line of steps, with a thin line for their ceiling; return the steps.

    ``name`` is the gid of the steps, and that of the ceiling is ``name:ceiling``; ``how`` are properties of the steps.
    """
    places = [(*map(float, window_bounds(ell)), np.nan) for ell in limits]
    heights = [(value, value, np.nan) for value in limits.values()]
    style: Look = {"color": ink(), "lw": thin(1.5), "solid_capstyle": "butt", "zorder": 4, "gid": name}
    (steps,) = axes.plot(np.ravel(places), np.ravel(heights), **(style | how))
    if ceiling is not None:
        axes.axhline(ceiling, color=ink(), lw=thin(0.5), ls=(0, (1, 2)), zorder=1, gid=f"{name}:ceiling")
        how = {"textcoords": "offset points", "fontsize": "small", "gid": f"{name}:ceiling:label"}
        axes.annotate(r"$\ell \to \infty$", (0, ceiling), (2, 1.5), **how)
    return steps


def draw_spread(axes: Axes, x: Floats, middle: Floats, spread: Floats, colour: ColorType, name: str) -> Artist:
    """Draw a band of one standard deviation of a single run around a curve; return its legend entry."""
    how: Look = {"color": colour, "alpha": BAND, "lw": 0, "zorder": 1.5, "label": ONE_RUN, "gid": f"{name}:spread"}
    return axes.fill_between(x, middle - spread, middle + spread, **how)


class StepCurve(NamedTuple):
    """A finite step over α, in increasing order: its sizes as words and as a gid, and the order of its points."""

    found: FiniteStep
    words: str
    gid: str
    alpha: Floats
    order: Floats

    def values(self, name: str) -> Floats:
        """Return a quantity in the order of α."""
        found: Floats = np.asarray(getattr(self.found, name), dtype=float)
        return np.asarray(found[self.order])

    def spread(self, name: str) -> Floats:
        """Return the standard deviation of a quantity over draws, in the order of α."""
        found: Floats = np.asarray(getattr(self.found.spread, name), dtype=float)
        return np.asarray(found[self.order])


def curve_of(found: object) -> StepCurve:
    """Return a finite step as a curve over α, without steps η = 0, for which α is −∞."""
    if not isinstance(found, FiniteStep):
        raise ArgumentError(f"a curve is a FiniteStep, as step() returns, not {type(found).__name__}", argument="steps")
    if np.shape(found.test_gain) != np.shape(found.eta) or np.ndim(found.eta) != 1:
        raise ArgumentError("a curve over α needs a FiniteStep of a list of steps, at one ridge", argument="steps")
    n = found.sizes.n
    if n == 1:
        raise ArgumentError("the finite step has n = 1: a step has an exponent α for n ≥ 2 only", argument="steps")
    eta = np.asarray(found.eta, dtype=float)
    with np.errstate(divide="ignore"):
        alpha = np.log(eta) / math.log(n) if found.alpha is None else np.asarray(found.alpha, dtype=float)
    order = np.argsort(alpha, kind="stable")
    order = order[np.isfinite(alpha[order])]
    return StepCurve(found, f"n = {number_label(n)}", f"n={n}", alpha[order], order)


def check_step(found: FiniteStep, problem: Problem) -> None:
    """Refuse a finite step of a problem other than the one whose limits are drawn."""
    other = difference(problem, found.problem, [float(ridge) for ridge in np.ravel(found.ridge)])
    if other is not None:
        raise ArgumentError(f"the limits and the finite step describe different problems: {other}", argument="steps")


def check_literal(literal: Staircase, problem: Problem) -> None:
    """Refuse limits of literal networks of another problem."""
    if not isinstance(getattr(literal, "predictions", None), (list, tuple)):
        raise ArgumentError(
            f"literal must be a Staircase, as tc.staircase(problem, network='literal') returns, not "
            f"{type(literal).__name__}",
            argument="literal",
        )
    if literal.problem != problem:
        reason = "the limits of literal networks belong to another problem than the theorem's"
        raise ArgumentError(reason, argument="literal")


@figure_of("result : Staircase", refused=", the finite step or the literal limits belong to another problem")
def staircase_figure(
    result: Staircase,
    step: FiniteStep | None = None,
    literal: Staircase | None = None,
    ax: object = None,
    **style: object,
) -> Figure:
    """Draw the gains against ℓ with their ceilings; a hollow marker is a window that adds nothing because c_ℓ = 0.

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
                look: Look = {"color": line.get_color(), "lw": thin(0.9), "ls": _LITERAL, "drawstyle": "steps-mid"}
                axes.plot(*_with_gaps(literal, name), gid=f"{name}:literal", **look)
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
        return explain(sheet, axes, ends, list(keys.values()))


def _adding(result: Staircase) -> list[bool]:
    """Return, for each window, whether it adds a spike."""
    return [p.ell == 0 or int(p.ell) in p.spikes for p in result.predictions]


def _draw_gain(sheet: Canvas, axes: Axes, result: Staircase, name: str) -> tuple[Line2D, list[Line2D]]:
    """Draw the steps of a gain, and its ceiling; return the steps, and all lines to label at their ends."""
    words, number = _GAINS[name]
    how = sheet.main(words, gid=name, drawstyle="steps-mid", **next_curve(axes, number))
    (line,) = axes.plot(*_with_gaps(result, name), **how)
    empty = [p for p, adds in zip(result.predictions, _adding(result), strict=True) if not adds]
    if empty:
        same: Look = {"color": line.get_color(), "marker": line.get_marker(), "ls": ""}
        gains = [float(getattr(p, name)) for p in empty]
        axes.plot([p.ell for p in empty], gains, gid=f"{name}:nothing", mfc=axes.get_facecolor(), **same)
    if result.ceiling is None:
        return line, [line]
    top = float(getattr(result.ceiling, name))
    look: Look = {"color": line.get_color(), "lw": thin(0.7), "ls": LINES[2], "label": f"ceiling {number_label(top)}"}
    return line, [line, axes.axhline(top, gid=f"{name}:ceiling", **look)]


def _with_gaps(result: Staircase, name: str) -> tuple[list[int], list[float]]:
    """Return every ℓ from the first to the last with its gain, or NaN if it was not requested."""
    gains = {int(p.ell): float(getattr(p, name)) for p in result.predictions}
    every = list(range(min(gains), max(gains) + 1))
    return every, [gains.get(ell, math.nan) for ell in every]


def _draw_curve(axes: Axes, curve: StepCurve, name: str, line: Line2D) -> None:
    """Draw a finite step over ℓ: each window has width one, and α runs through it as 1/(1 − 2α) does."""
    inside = curve.alpha < 0.5
    places = window_place(curve.alpha[inside])
    look: Look = {"color": line.get_color(), "lw": thin(0.7), "ls": _CURVE, "gid": f"{name}:{curve.gid}"}
    axes.plot(places, curve.values(name)[inside], **look)


def _key(axes: Axes, name: str, words: str, dashes: LineStyle) -> Line2D:
    """Return the legend entry of a line style shared by both gains, in a neutral colour."""
    (key,) = axes.plot([], [], gid=f"key:{name}", label=words, color=ink(), lw=thin(0.9), ls=dashes)
    return key


def window_place(alpha: float | Floats) -> Floats:
    """Return the position of α < 1/2 on an ℓ-axis where window ℓ extends from ℓ − 1/2 to ℓ + 1/2.

    >>> from theorycalc.theory.windows import window_bounds
    >>> [round(float(window_place(float(edge))), 12) for edge in window_bounds(3)]
    [2.5, 3.5]
    """
    return np.asarray(1 / (1 - 2 * np.asarray(alpha, dtype=float)) - 0.5)

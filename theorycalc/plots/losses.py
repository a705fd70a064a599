"""Losses and the training error before and after a step: one pair of each as a dumbbell, several as curves.

Prediction.plot() and FiniteStep.plot() draw them; a finite step over α is drawn by :mod:`theorycalc.plots.alpha`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.model.enums import StepMethod
from theorycalc.plots.alpha import alpha_figure, literal_limits
from theorycalc.plots.canvas import Canvas, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, given_legend, wide_scale
from theorycalc.plots.stairs import curve_of, draw_spread
from theorycalc.plots.style import ERROR, LINES, PALE, TEST, TRAIN, ink, thin
from theorycalc.plots.words import (
    ELL,
    QUANTITIES,
    check_drawable,
    gradient_label,
    number_label,
    parameter_words,
    subject,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from theorycalc.results.prediction import Prediction
    from theorycalc.results.step_result import FiniteStep, Spread

_LOOKS = {"test_loss": TEST, "train_loss": TRAIN, "train_error": ERROR}
_SHORT = {name: QUANTITIES[name].partition(",")[0] for name in _LOOKS}
_GAINS = {"test_loss": ("test_gain", "Λ"), "train_loss": ("train_gain", "Δ")}  # the training error has no gain
_BOTH = "loss or error (training loss\nwith penalty, error without)"
_DRAWN = (*_LOOKS, *(f"{name}_initial" for name in _LOOKS))


def change_figure(result: Any, title: str, noise: float, ax: Any, style: Mapping[str, Any]) -> Figure:
    """Draw the losses and the training error of a result before and after the step, and the gains of the losses."""
    check_drawable(result, _DRAWN)
    with canvas(ax, style, height=2.5) as sheet:
        axes = sheet.axes[0]
        lefts = [left for name in _LOOKS for left in _dumbbell(sheet, axes, result, name)]
        hollow = axes.get_facecolor()
        keys = []
        for words, fill in (("before the step", hollow), ("after the step", ink())):
            how = {"color": ink(), "marker": "o", "linestyle": "", "markerfacecolor": fill, "label": words}
            keys += axes.plot([], [], gid=f"key:{words.split()[0]}", **how)
        if noise > 0:
            words = rf"label noise $\sigma_\varepsilon^2$ = {number_label(noise)}"
            keys.append(axes.axvline(noise, color=PALE, lw=thin(0.6), ls=LINES[2], gid="noise", label=words))
        entitle(axes, x="loss or error", title=title)
        rows = {-number: QUANTITIES[name].replace(", ", ",\n") for name, number in _LOOKS.items()}
        axes.set_yticks(list(rows), list(rows.values()))
        axes.set_ylim(min(rows) - 0.6, 0.6, auto=None)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.18)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0], *(_edge(axes, *left) for left in lefts)), auto=None)
        axes.spines["left"].set_visible(False)
        if sheet.own:
            explain(sheet, axes, keys=keys)
        else:
            given_legend(sheet, axes, keys)
        return sheet.figure


def _dumbbell(sheet: Canvas, axes: Axes, result: Any, name: str) -> list[tuple[float, int]]:
    """Draw one quantity before and after the step; return the positions with text on their left, and its length."""
    hollow, height = axes.get_facecolor(), -_LOOKS[name]
    box = {"boxstyle": "square,pad=0.1", "fc": hollow, "ec": "none"}  # the line of the noise passes behind words
    near: dict[str, Any] = {"textcoords": "offset points", "bbox": box}
    before, after = (_number(result, key) for key in (f"{name}_initial", name))
    look = next_curve(axes, _LOOKS[name]) | {"linestyle": ""}
    (point,) = axes.plot(after, height, **sheet.main(_SHORT[name], gid=name, **look))
    colour = point.get_color()
    same: dict[str, Any] = {"color": colour, "marker": point.get_marker(), "markerfacecolor": hollow}
    axes.plot(before, height, linestyle="", gid=f"{name}_initial", **same)
    gain, symbol = _GAINS.get(name, (name, None))
    if before != after:
        how = {"arrowstyle": "-|>", "color": colour, "lw": thin(0.9), "shrinkA": 3, "shrinkB": 2.5}
        axes.annotate("", (after, height), (before, height), arrowprops=how, gid=f"{gain}:arrow")
    side = 1 if before >= after else -1  # where before is
    for value, way, gid in ((before, side, f"{name}_initial"), (after, -side, name)):
        place = near | {"va": "center", "ha": "left" if way > 0 else "right"}
        axes.annotate(f"{value:.4g}", (value, height), (6 * way, 0), gid=f"{gid}:label", **place)
    least = min(before, after)
    lefts = [(least, len(f"{least:.4g}") + 2)]
    if symbol is not None:
        words, middle = f"gain {symbol} = {_number(result, gain):.4g}", (before + after) / 2
        axes.annotate(words, (middle, height), (0, 7.5), ha="center", gid=f"{gain}:label", **near)
        lefts.append((middle, len(words) // 2))
    return lefts


def _number(result: object, name: str) -> float:
    """Return the only number of a result that may have it in an array."""
    return float(np.ravel(getattr(result, name))[0])


def _edge(axes: Axes, place: float, letters: int) -> float:
    """Return the left end of an axis that leaves room for so many letters to the left of a place."""
    from matplotlib import rcParams

    width = axes.get_position().width * axes.figure.bbox.width / axes.figure.dpi
    share = min(0.4, letters * 0.5 * float(rcParams["font.size"]) / 72 / width)  # small axes have less room than wanted
    return (place - share * axes.get_xlim()[1]) / (1 - share)


def curves_figure(
    result: Any,
    name: str,
    places: Any,
    title: str,
    ax: Any,
    style: Mapping[str, Any],
    spread: Spread | None = None,
) -> Figure:
    """Draw a result's losses and training error over one parameter: dashed before the step, solid after it.

    Between the two curves of a loss its gain is shaded, or the scatter of a single run around it, if that is given.
    """
    check_drawable(result, _DRAWN)
    order = np.argsort(np.asarray(places, dtype=float))
    x = np.asarray(places, dtype=float)[order]
    heights = {key: np.broadcast_to(np.asarray(getattr(result, key), dtype=float), x.shape)[order] for key in _DRAWN}
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        hollow = axes.get_facecolor()
        ends: list[Line2D] = []
        bands: list[Artist] = []
        some = [{"markersize": thin(2.4), "markevery": (0.05 + k / 12, 0.25)} for k in range(3)]  # told apart in grey
        for key, number in _LOOKS.items():
            look = next_curve(axes, number) | {"linestyle": "-"}
            ends += axes.plot(x, heights[key], **sheet.main(_SHORT[key], gid=key, **some[number], **look))
        for (key, number), line in zip(_LOOKS.items(), ends, strict=True):
            before = heights[f"{key}_initial"]
            look = {"color": line.get_color(), "marker": line.get_marker(), "mfc": hollow, "ls": LINES[1]}
            look |= {"lw": thin(0.8), "label": sheet.named(f"{_SHORT[key]}, before")}
            axes.plot(x, before, gid=f"{key}_initial", **some[number], **look)
            if key in _GAINS and spread is not None:
                deviation = np.broadcast_to(getattr(spread, key), x.shape)[order]
                bands.append(draw_spread(axes, x, heights[key], deviation, line.get_color(), key))
            elif key in _GAINS:
                shade = {"color": line.get_color(), "alpha": 0.15, "lw": 0}
                axes.fill_between(x, heights[key], before, gid=_GAINS[key][0], **shade)
        keys: list[Artist] = bands[:1]
        for words, dashes, width, fill in (("before", LINES[1], 0.8, hollow), ("after", "-", 1.0, ink())):
            if sheet.own:  # in given axes the legend names every curve
                how = {"color": ink(), "marker": "o", "ms": thin(2.4), "mfc": fill, "ls": dashes, "lw": thin(width)}
                keys += axes.plot([], [], label=f"{words} the step", gid=f"key:{words}", **how)
        entitle(axes, x=parameter_words(name), y=_BOTH, title=title)
        wide_scale(axes, x)
        axes.margins(x=0)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]), auto=None)
        return explain(sheet, axes, ends, keys)


@figure_of("found : Prediction")
def prediction_figure(found: Prediction, ax: object = None, **style: object) -> Figure:
    r"""Draw a prediction: one point as losses before and after the step, an array as curves over its parameter.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> figure = prediction_figure(tc.predict(problem, ell=2))
    >>> figure.axes[0].get_title(loc="left").splitlines()
    ['relu, teacher $H_{1}$ + $H_{2}$/2', 'limit $n$ → ∞, $\\ell$ = 2']
    """
    ell = "∞" if found.ell == math.inf else found.ell
    title = f"{subject(found.problem)}\nlimit n → ∞, {ELL} = {ell}"
    varying = {name: value for name, value in found.overrides.items() if np.size(np.asarray(value)) > 1}
    if np.size(found.test_gain) == 1:
        noise = float(np.ravel(np.asarray(found.overrides.get("noise", found.problem.noise)))[0])
        return change_figure(found, title, noise**2, ax, style)
    if len(varying) != 1 or np.ndim(found.test_gain) != 1:
        raise ArgumentError(
            f"plot() draws one point or a list over one parameter; this prediction has an array of shape "
            f"{np.shape(found.test_gain)} over {', '.join(varying)}: sweep() draws two parameters as a heat map",
            argument=next(iter(varying), None),
        )
    ((name, places),) = varying.items()
    return curves_figure(found, name, places, title, ax, style)


@figure_of("found : FiniteStep", "One Axes to draw into, or two where steps over α have both losses.")
def step_figure(found: FiniteStep, ax: object = None, **style: object) -> Figure:
    r"""Draw a finite step; a list over α (with the limits of such networks), η or λ becomes curves.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> step_figure(tc.step(problem, n=1000, alpha=0.3)).axes[0].get_title(loc="left").splitlines()[1]
    '$n$ = 1000, $\\eta$ = 7.943'
    """
    shape = np.shape(found.test_gain)
    title = f"{subject(found.problem)}\nn = {found.sizes.n}{gradient_label(found.gradient)}"
    if shape == ():
        noise = float(found.problem.noise) ** 2
        return change_figure(found, f"{title}, η = {float(found.eta):.4g}", noise, ax, style)
    steps, ridges = np.size(found.eta) > 1, np.size(found.ridge) > 1
    if len(shape) != 1 or (steps and ridges):
        reason = f"plot() draws one step, or a list of steps or of ridges; this result has an array of shape {shape}"
        raise ArgumentError(f"{reason}: sweep() draws two parameters as a heat map", argument="ridge")
    if ridges:
        title = f"{title}, η = {float(np.ravel(found.eta)[0]):.4g}"
        return curves_figure(found, "ridge", found.ridge, title, ax, style)
    has_spread = found.method != StepMethod.PENCIL  # which also knows activations that have no function
    if found.alpha is None:
        return curves_figure(found, "eta", found.eta, title, ax, style, found.spread if has_spread else None)
    problem = replace(found.problem, ridge=float(np.ravel(found.ridge)[0]))
    literal = literal_limits(True, problem, found.gradient)
    stairs = (literal is None, literal)  # the step is one of literal networks, whose limits differ from the theorem's
    return alpha_figure(problem, [curve_of(found)], None, stairs, ax, style, with_spread=has_spread)

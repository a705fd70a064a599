"""FeatureGain.plot(): the gain of a training over n and λ as a heat map, and its learning curves at the best λ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, is_wide, plain_numbers, wide_scale
from theorycalc.plots.style import LINES, ink, thin
from theorycalc.plots.sweeps import cell_edges
from theorycalc.plots.words import QUANTITIES, number_label, parameter_words
from theorycalc.results.quantities import QUANTITIES as TABLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from theorycalc.pools.gained import FeatureGain

_POINTS = "n, points of the fit"
_WIDTH = 6.4  # inches
_MARKED = 12  # points of a curve that have markers
_SIGNED = "PuOr"  # two colours that the colour-blind tell apart, white between them


@figure_of("gain : FeatureGain", "One Axes to draw into, or two where there are lists of n and λ.")
def feature_gain_figure(gain: FeatureGain, ax: object = None, **style: object) -> Figure:
    """Draw the gain over n and λ with the test losses at the best λ beside it, or losses over a list of n or of λ.

    >>> import theorycalc as tc
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((400, 30))
    >>> y = np.tanh(2 * x[:, 0])
    >>> after = np.column_stack([y + 0.3 * rng.standard_normal(400), x])
    >>> gain = tc.feature_gain(tc.features(x, y), tc.features(after, y), [40, 80, 160], [0.01, 0.1, 1])
    >>> [axes.get_xlabel() for axes in feature_gain_figure(gain).axes[:2]]
    ['$n$, points of the fit', '$n$, points of the fit']
    """
    if np.ndim(gain.test_gain) == 2 and min(np.shape(gain.test_gain)) > 1 and gain.best is not None:
        with canvas(ax, style, 1, 2, kind="pcolormesh", width=_WIDTH, height=2.7) as sheet:
            keys = _draw_map(sheet, gain, gain.best)
            for axes in sheet.axes[1:]:
                explain(sheet, axes, _draw_losses(sheet, axes, gain.best, {}))
            explain(sheet, sheet.axes[0], keys=keys)
            return sheet.figure
    with canvas(ax, style, height=2.6) as sheet:
        explain(sheet, sheet.axes[0], _draw_losses(sheet, sheet.axes[0], gain, sheet.style))
        return sheet.figure


def _draw_map(sheet: Canvas, gain: FeatureGain, best: FeatureGain) -> list[Line2D]:
    """Draw the gain over n and λ, the line where it is 0, and the best λ before and after."""
    axes = sheet.axes[0]
    n, ridge = np.asarray(gain.n, dtype=float), np.asarray(gain.ridge, dtype=float)
    rows, columns = np.argsort(ridge), np.argsort(n)
    values = np.asarray(gain.test_gain)[np.ix_(columns, rows)].T
    n, ridge = n[columns], ridge[rows]
    limit = float(np.max(np.abs(values)))
    scale: Look = {} if {"norm", "vmin", "vmax"} & set(sheet.style) else {"vmin": -limit, "vmax": limit}
    how = sheet.main(gid="test_gain", cmap=_SIGNED, edgecolors="face", **scale)  # no seams between cells
    mesh = axes.pcolormesh(*(cell_edges(places, wide=is_wide(places)) for places in (n, ridge)), values, **how)
    _scale_of_n(axes, n)
    wide_scale(axes, ridge, "y")
    if values.min() < 0 < values.max():
        axes.contour(n, ridge, values, [0.0], colors=[ink()], linewidths=thin(0.8)).set_gid("zero")
    axes.autoscale(False)  # the best λ may lie outside
    lines = [
        axes.plot(best.n, getattr(best, name), color=ink(), ls=LINES[i], lw=thin(1), gid=name, label=f"best λ {words}")[
            0
        ]
        for i, (name, words) in enumerate((("ridge", "after"), ("ridge_initial", "before")))
    ]
    entitle(axes, x=_POINTS, y=parameter_words("ridge"), title="what the features gained")
    bar = sheet.figure.colorbar(mesh, ax=axes, label=TABLE["test_gain"].words)
    bar.ax.set(ylim=(min(0.0, float(values.min())), max(0.0, float(values.max()))), gid="test_gain:colours")
    return lines


def _draw_losses(sheet: Canvas, axes: Axes, gain: FeatureGain, style: Mapping[str, object]) -> list[Line2D]:
    """Draw test losses before and after over n, or over λ where there is one n."""
    over_n = gain.best is None or np.size(gain.n) > 1
    places = np.ravel(np.asarray(gain.n if over_n else gain.ridge, dtype=float))
    order = np.argsort(places)
    lines = []
    for i, (name, words) in enumerate((("test_loss", "after"), ("test_loss_initial", "before"))):
        look = next_curve(axes, i) | ({"marker": ""} if len(places) > _MARKED else {})
        look |= {"linestyle": ""} if len(places) == 1 else {}
        heights = np.ravel(getattr(gain, name))[order]
        lines += axes.plot(places[order], heights, gid=name, **{**look, **style, "label": sheet.named(words)})
    (_scale_of_n if over_n else wide_scale)(axes, places)
    axes.set_ylim(bottom=0)
    entitle(axes, x=_POINTS if over_n else parameter_words("ridge"), y=QUANTITIES["test_loss"])
    entitle(axes, title=_title(gain, over_n))
    return lines


def _scale_of_n(axes: Axes, n: Floats) -> None:
    wide_scale(axes, n)
    if is_wide(n):
        plain_numbers(axes.xaxis)


def _title(gain: FeatureGain, over_n: bool) -> str:
    if gain.best is None:
        return "ridge fits at the best λ of each"
    if over_n:
        return f"ridge fits at λ = {number_label(float(np.ravel(gain.ridge)[0]))}"
    return f"ridge fits on n = {int(np.ravel(gain.n)[0])} points"

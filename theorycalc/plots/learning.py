"""Figures of pools: learning curves with measured points, and the gains of training over n and λ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Canvas, Look, canvas, check_curves, entitle, error_points, figure_of, next_curve
from theorycalc.plots.labels import explain, is_wide, plain_numbers, wide_scale
from theorycalc.plots.style import LINES, ink, thin
from theorycalc.plots.sweeps import cell_edges
from theorycalc.plots.words import QUANTITIES, check_drawable, number_label, parameter_words
from theorycalc.results.quantities import QUANTITIES as TABLE
from theorycalc.results.table import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from theorycalc.pools.feature_losses import FeatureLosses
    from theorycalc.pools.feature_pool import FeaturePool
    from theorycalc.pools.gained import FeatureGain
    from theorycalc.pools.splits import FeatureComparison

_POINTS = "n, points of the fit"
_MARKED = 12  # points of a curve that have markers
_RIDGES = (1e-3, 1e-1, 10.0)  # times the mean eigenvalue, beside the best of each n
_WIDTH = 6.4  # inches
_SIGNED = "PuOr"  # two colours that the colour-blind tell apart, white between them


@figure_of("losses : FeatureLosses")
def losses_figure(losses: FeatureLosses, ax: object = None, **style: object) -> Figure:
    """Draw the test loss against n with a curve for each λ, or against λ if there is only one n.

    >>> import theorycalc as tc
    >>> x = np.random.default_rng(0).standard_normal((500, 10))
    >>> losses_figure(tc.features(x, x[:, 0] ** 2 + x[:, 1]).losses([20, 50, 100], [0.1, 1])).axes[0].get_xlabel()
    '$n$, points of the fit'
    """
    check_drawable(losses, ["test_loss"])
    with canvas(ax, style, height=2.8) as sheet:
        axes = sheet.axes[0]
        ends = _curves(sheet, axes, losses)
        _finish(axes, losses, np.size(losses.n) == 1)
        return explain(sheet, axes, ends)


@figure_of("pool : FeaturePool")
def pool_figure(pool: FeaturePool, ax: object = None, **style: object) -> Figure:
    """Draw learning curves of a pool: at the best λ for each n, and at three fixed λ.

    >>> import theorycalc as tc
    >>> x = np.random.default_rng(0).standard_normal((500, 10))
    >>> pool_figure(tc.features(x, x[:, 0] ** 2 + x[:, 1])).axes[0].get_ylabel()
    'test loss'
    """
    best = pool.learning_curve()
    ridges = [float(f"{np.mean(pool.eigenvalues) * share:.0e}") for share in _RIDGES]  # round numbers
    fixed = pool.losses(np.atleast_1d(best.n).tolist(), ridges)
    with canvas(ax, style, height=2.8) as sheet:
        axes = sheet.axes[0]
        ends = [*_curves(sheet, axes, best, words="best λ"), *_curves(sheet, axes, fixed, first=1)]
        _finish(axes, best, against_ridge=False)
        return explain(sheet, axes, ends)


@figure_of("comparison : FeatureComparison")
def splits_figure(comparison: FeatureComparison, ax: object = None, **style: object) -> Figure:
    """Draw predicted test losses as curves, and random splits as points with standard errors.

    >>> import theorycalc as tc
    >>> x = np.random.default_rng(0).standard_normal((500, 10))
    >>> y = x[:, 0] ** 2 + x[:, 1]
    >>> splits_figure(tc.features(x, y).compare(x, y, [20, 50], 0.1, draws=3)).axes[0].get_xlabel()
    '$n$, points of the fit'
    """
    losses = comparison.losses
    check_drawable(losses, ["test_loss"])
    against_ridge = np.size(losses.n) == 1
    rows = [row for row in comparison.rows if row["quantity"] == "test_loss"]
    with canvas(ax, style, height=2.8) as sheet:
        axes = sheet.axes[0]
        ends = _curves(sheet, axes, losses)
        held = [None] if against_ridge else [float(ridge) for ridge in np.atleast_1d(losses.ridge)]
        for line, ridge in zip(ends, held, strict=True):
            here = [row for row in rows if ridge is None or row["ridge"] == ridge]
            x = [number(row, "ridge" if against_ridge else "n") for row in here]
            y, errors = ([number(row, name) for row in here] for name in ("observed", "standard_error"))
            look: Look = {"color": line.get_color(), "linestyle": "", "marker": line.get_marker() or "o"}
            error_points(axes, x, y, errors, f"observed:{ridge}", **look)
            line.set_marker("")
        _finish(axes, losses, against_ridge)
        return explain(sheet, axes, ends)


def _curves(sheet: Canvas, axes: Axes, losses: FeatureLosses, words: str | None = None, first: int = 0) -> list[Any]:
    """Draw a curve for each λ or, if there is only one n, one curve against λ; return the lines."""
    sizes, ridges = np.atleast_1d(losses.n), np.atleast_1d(losses.ridge)
    if len(sizes) == 1 or words is not None:
        x = ridges if words is None else sizes
        look = _look(axes, first, len(x))
        label = f"n = {sizes[0]}" if words is None else words
        return axes.plot(x, np.ravel(losses.test_loss), **sheet.main(label, gid="test_loss", **look))
    table = np.reshape(losses.test_loss, (len(sizes), -1))
    if table.shape[1] != len(ridges):  # the best ridge of each n
        return _curves(sheet, axes, losses, "best λ", first)
    check_curves("ridge", len(ridges), first)
    lines: list[Any] = []
    for number_, ridge in enumerate(ridges, start=first):
        look = _look(axes, number_, len(sizes))
        how = sheet.main(f"λ = {number_label(float(ridge))}", gid=f"test_loss:ridge={ridge:g}", **look)
        lines += axes.plot(sizes, table[:, number_ - first], **how)
    return lines


def _look(axes: Axes, number: int, points: int) -> Look:
    """Return the style of a curve, with markers if it has few points."""
    return next_curve(axes, number) | ({} if points <= _MARKED else {"marker": ""})


def _finish(axes: Axes, losses: FeatureLosses, against_ridge: bool) -> None:
    axes.set_xscale("log")
    low, high = axes.get_ylim()
    if high > 5 * max(low, 1e-300):
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
    title = f"ridge fits to {losses.N} features, from a pool of {losses.M} points"
    entitle(axes, x=parameter_words("ridge") if against_ridge else _POINTS, y=TABLE["test_loss"].heading, title=title)


@figure_of("gain : FeatureGain", "One Axes to draw into, or two where there are lists of n and λ.")
def feature_gain_figure(gain: FeatureGain, ax: object = None, **style: object) -> Figure:
    """Draw the gain over n and λ next to test losses at the best λ, or losses over a list of n or λ.

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
            return explain(sheet, sheet.axes[0], keys=keys)
    with canvas(ax, style, height=2.6) as sheet:
        return explain(sheet, sheet.axes[0], _draw_losses(sheet, sheet.axes[0], gain, sheet.style))


def _draw_map(sheet: Canvas, gain: FeatureGain, best: FeatureGain) -> list[Line2D]:
    """Draw the gain over n and λ, its zero line, and the best λ before and after."""
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
    """Draw test losses before and after over n, or over λ if there is only one n."""
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

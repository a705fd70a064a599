"""FeatureLosses.plot(), FeaturePool.plot() and FeatureComparison.plot(): learning curves, with measured points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, error_points, figure_of, next_curve
from theorycalc.plots.labels import explain, plain_numbers
from theorycalc.plots.style import COLOURS
from theorycalc.plots.words import check_drawable, number_label, parameter_words
from theorycalc.results.quantities import QUANTITIES
from theorycalc.results.table import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from theorycalc.pools.feature_losses import FeatureLosses
    from theorycalc.pools.feature_pool import FeaturePool
    from theorycalc.pools.splits import FeatureComparison

_POINTS = "n, points of the fit"
_MARKED = 12  # points of a curve that have markers
_RIDGES = (1e-3, 1e-1, 10.0)  # times the mean eigenvalue, beside the best of each n


@figure_of("losses : FeatureLosses")
def losses_figure(losses: FeatureLosses, ax: object = None, **style: object) -> Figure:
    """Draw the test loss against n, a curve for each λ, or against λ where there is one n.

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
        explain(sheet, axes, ends)
        return sheet.figure


@figure_of("pool : FeaturePool")
def pool_figure(pool: FeaturePool, ax: object = None, **style: object) -> Figure:
    """Draw learning curves of a pool: with the best λ for each n, and with three that stay the same.

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
        explain(sheet, axes, ends)
        return sheet.figure


@figure_of("comparison : FeatureComparison")
def splits_figure(comparison: FeatureComparison, ax: object = None, **style: object) -> Figure:
    """Draw predicted test losses as curves, and those of random splits as points with their standard errors.

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
        explain(sheet, axes, ends)
        return sheet.figure


def _curves(sheet: Canvas, axes: Axes, losses: FeatureLosses, words: str | None = None, first: int = 0) -> list[Any]:
    """Draw a curve for each λ, or, where there is one n, one curve against λ; return the lines."""
    sizes, ridges = np.atleast_1d(losses.n), np.atleast_1d(losses.ridge)
    if len(sizes) == 1 or words is not None:
        x = ridges if words is None else sizes
        look = _look(axes, first, len(x))
        label = f"n = {sizes[0]}" if words is None else words
        return axes.plot(x, np.ravel(losses.test_loss), **sheet.main(label, gid="test_loss", **look))
    table = np.reshape(losses.test_loss, (len(sizes), -1))
    if table.shape[1] != len(ridges):  # the best ridge of each n
        return _curves(sheet, axes, losses, "best λ", first)
    if len(ridges) + first > len(COLOURS):
        raise ArgumentError(
            f"ridge has {len(ridges)} values; curves can be told apart for 1 to {len(COLOURS) - first}",
            argument="ridge",
        )
    lines: list[Any] = []
    for number_, ridge in enumerate(ridges, start=first):
        look = _look(axes, number_, len(sizes))
        how = sheet.main(f"λ = {number_label(float(ridge))}", gid=f"test_loss:ridge={ridge:g}", **look)
        lines += axes.plot(sizes, table[:, number_ - first], **how)
    return lines


def _look(axes: Axes, number: int, points: int) -> Look:
    """Return the look of a curve, with markers where its points are few."""
    return next_curve(axes, number) | ({} if points <= _MARKED else {"marker": ""})


def _finish(axes: Axes, losses: FeatureLosses, against_ridge: bool) -> None:
    axes.set_xscale("log")
    low, high = axes.get_ylim()
    if high > 5 * max(low, 1e-300):
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
    title = f"ridge fits to {losses.N} features, from a pool of {losses.M} points"
    entitle(
        axes, x=parameter_words("ridge") if against_ridge else _POINTS, y=QUANTITIES["test_loss"].heading, title=title
    )

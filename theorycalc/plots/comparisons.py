"""Comparison.plot(): theory against simulation, as z and as predicted against observed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.plots.style import COLOURS, INK, MARKERS, PALE, SHADES, finished, house_style, panels, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from theorycalc.comparison import Comparison

_BAND = 3.0  # standard errors
_LARGE = 10.0  # |z| beyond which the axis is logarithmic
#: Quantities from the top down.
_NAMES = {
    "test_gain": "test gain, Λ",
    "train_gain": "training gain, Δ",
    "test_loss": "test loss after",
    "train_loss": "training loss after",
    "test_loss_initial": "test loss before",
    "train_loss_initial": "training loss before",
}
_Row = dict[str, Any]


def comparison_figure(comparison: Comparison) -> Figure:
    """Draw z of every row by quantity, with the band of ±3 standard errors, and observed against predicted.

    Rows are told apart by what differs most: the theory, else the step, else the ridge.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    >>> run = tc.simulate(problem, n=60, alpha=0.1, replicates=3)
    >>> figure = comparison_figure(tc.compare(run, tc.predict(problem, ell=1)))
    >>> figure.axes[0].get_xlabel()
    'z = (observed − predicted) / standard error'
    """
    groups = _groups(comparison.rows)
    with house_style():
        figure, (top, bottom) = panels(2, 1, height=4.9, height_ratios=[1.15, 1])
        _draw_z(top, comparison, groups)
        _draw_pairs(bottom, groups)
        return finished(figure)


def _groups(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    """Return the rows by what tells them apart, if that has at most as many values as there are colours."""
    words: tuple[Callable[[_Row], str], ...] = (
        lambda row: str(row["theory"]),
        lambda row: f"η = {row['eta']:.4g}" if row["alpha"] is None else f"α = {row['alpha']:.4g}",
        lambda row: f"λ = {row['ridge']:.4g}",
    )
    for word in words:
        groups: dict[str, list[_Row]] = {}
        for row in rows:
            groups.setdefault(word(row), []).append(row)
        if 1 < len(groups) <= len(COLOURS):
            return groups
    return {str(rows[0]["theory"]) if len({row["theory"] for row in rows}) == 1 else "all rows": list(rows)}


def _draw_z(axes: Axes, comparison: Comparison, groups: dict[str, list[_Row]]) -> None:
    largest = max((abs(row["z"]) for row in comparison.rows if math.isfinite(row["z"])), default=0.0)
    edge = max(1.15 * largest, 4.2)
    axes.axvspan(-_BAND, _BAND, color=SHADES[0], lw=0, zorder=0)
    axes.axvline(0, color=PALE, lw=0.6, zorder=1)
    if edge > _LARGE:
        axes.set_xscale("symlog", linthresh=_BAND, linscale=1.0)
        edge *= 1.6
        ticks = [side * size for size in (3, 10, 100, 1000) for side in (-1, 1) if size < edge]
        axes.set_xticks([0, *ticks], [f"{tick:g}" for tick in (0, *ticks)])
        axes.set_xticks([], minor=True)
    for height, name in enumerate(reversed(_NAMES)):
        for i, rows in enumerate(groups.values()):
            here = [row for row in rows if row["quantity"] == name]
            places = height + 0.32 - 0.64 * (i + (np.arange(len(here)) + 0.5) / max(len(here), 1)) / len(groups)
            for place, row in zip(places, here, strict=True):
                z = row["z"] if math.isfinite(row["z"]) else math.copysign(edge, row["z"])
                marker = MARKERS[i] if math.isfinite(row["z"]) else ">" if z > 0 else "<"
                fill = COLOURS[i] if row in comparison.differing else "white"
                axes.plot(z, place, marker, color=COLOURS[i], mfc=fill, ms=3.6, clip_on=False)
    axes.set(yticks=range(len(_NAMES)), yticklabels=list(reversed(_NAMES.values())), ylim=(-0.6, len(_NAMES) - 0.4))
    axes.set(xlim=(-edge, edge), xlabel="z = (observed − predicted) / standard error")
    axes.tick_params(axis="y", length=0)
    differing = len(comparison.differing)
    verdict = "none differs" if not differing else f"{differing} (filled) differ"
    axes.set_title(f"{comparison.looks} looks, {verdict} at level {comparison.level:g}", x=0, ha="left")
    axes.annotate(
        "±3 s.e.", (_BAND, len(_NAMES) - 0.45), (-1.5, 0), textcoords="offset points", ha="right", va="top", fontsize=7
    )


def _draw_pairs(axes: Axes, groups: dict[str, list[_Row]]) -> None:
    for i, (word, rows) in enumerate(groups.items()):
        pairs = np.array([[row["predicted"], row["observed"], row["standard_error"]] for row in rows])
        how: dict[str, Any] = {"color": COLOURS[i], "mfc": "white", "ms": 3.6, "elinewidth": 0.8, "label": plain(word)}
        axes.errorbar(pairs[:, 0], pairs[:, 1], pairs[:, 2], fmt=MARKERS[i], **how)
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    ends = [min(low, left), max(high, right)]
    axes.plot(ends, ends, color=INK, lw=0.6, zorder=0)
    axes.set(xlabel="predicted", ylabel="observed ± s.e.", xlim=ends, ylim=ends)
    axes.legend(loc="upper left", handletextpad=0.3, borderpad=0.1)

"""Labels at the ends of curves, legends outside the axes, and plain numbers on an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Canvas, Look
from theorycalc.plots.style import is_default

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import Container
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_SMALL = 0.833  # of font.size: matplotlib's "small"
_LETTERS = 17  # that a legend has side by side, on an inch
_SHORT = 24  # letters of labels that stand in two columns under given axes
_SIGNS = {"o": "○●", "s": "□■", "D": "◇◆", "^": "△▲", "v": "▽▼"}  # markers as letters, hollow and full


def explain(sheet: Canvas, axes: Axes, ends: Sequence[Line2D] = (), keys: Sequence[Artist | Container] = ()) -> Figure:
    """Label the curves ``ends`` at their ends and the artists ``keys`` in a legend, and return the figure.

    In a figure of ours curves are named at their right ends and the others in a legend under the axes, so that
    nothing is covered.  In given axes all are in one legend: under the axes if the figure has a layout engine, which
    makes room for it, else where matplotlib finds most room.
    """
    if not sheet.own:
        listed = axes.get_legend_handles_labels()[0]
        if listed:
            given_legend(sheet, axes, listed)
        return sheet.figure
    label_ends(axes, ends)
    if keys:
        _legend(sheet.figure, list(keys))
    return sheet.figure


def given_legend(sheet: Canvas, axes: Axes, keys: Sequence[Artist | Container]) -> None:
    """Draw a legend in axes given by the user."""
    if sheet.figure.get_layout_engine() is None:
        axes.legend(handles=keys)
        return
    from matplotlib import rcParams
    from matplotlib.transforms import ScaledTranslation

    below = 4.0 * float(rcParams["font.size"]) / 72  # ticks, their labels and that of the axis, in inches
    under = axes.transAxes + ScaledTranslation(0, -below, sheet.figure.dpi_scale_trans)
    columns = 2 if len(keys) > 1 and max(len(str(key.get_label())) for key in keys) < _SHORT else 1
    how: Look = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": under}
    axes.legend(handles=keys, ncols=columns, borderaxespad=0, **how)


def _legend(figure: Figure, keys: list[Artist | Container]) -> None:
    """Draw a legend under the axes, and make the figure taller by its height, unless the user has set the size."""
    width, height = figure.get_size_inches()
    longest = max(len(str(key.get_label())) for key in keys)
    rows = math.ceil(len(keys) / max(1, int(_LETTERS * width) // (longest + 6)))
    figure.legend(handles=keys, loc="outside lower center", ncols=math.ceil(len(keys) / rows), columnspacing=1.2)
    if is_default("figure.figsize"):
        figure.set_size_inches(width, height + rows * _spacing())


def _spacing() -> float:
    """Return the height of a line of small letters, in inches."""
    from matplotlib import rcParams

    return 1.5 * _SMALL * float(rcParams["font.size"]) / 72


def label_ends(axes: Axes, lines: Sequence[Line2D]) -> None:
    """Write the labels of lines to the right of the axes, each near the line's end and clear of the others."""
    if not lines:
        return
    box = axes.get_position()
    inches = box.height * axes.figure.bbox.height / axes.figure.dpi
    low, high = axes.get_ylim()
    forward = axes.get_yaxis().get_transform().transform
    bottom, top = (float(forward(edge)) for edge in (low, high))
    wanted = [(float(forward(_end(line))) - bottom) / (top - bottom) for line in lines]
    gap = 0.83 * _spacing() / inches
    for place, line in zip(spread(wanted, gap), lines, strict=True):
        axes.annotate(
            _sign(line) + str(line.get_label()),
            (1.0, place),
            xycoords="axes fraction",
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            color=line.get_color(),
            fontsize="small",
            annotation_clip=False,
            gid=f"{line.get_gid()}:label",
        )


def _end(line: Line2D) -> float:
    heights: NDArray[np.float64] = np.ma.filled(np.ma.asarray(line.get_ydata(), dtype=float), np.nan)
    return float(heights[np.isfinite(heights)][-1])


def _sign(line: Line2D) -> str:
    """Return the marker of a line as a letter, for prints in grey."""
    signs = _SIGNS.get(str(line.get_marker()))
    if signs is None:
        return ""
    full = line.get_markerfacecolor() == line.get_markeredgecolor()
    return f"{signs[full]} "


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Return heights in [0, 1], at least ``gap`` apart, near the desired ones and in the same order.

    >>> [round(x, 6) for x in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    >>> [round(x, 6) for x in spread([0.0, 0.01], 0.1)]
    [0.0, 0.1]
    """
    groups: list[tuple[list[int], float]] = []  # members from below, and the height of the lowest
    for i in sorted(range(len(wanted)), key=lambda i: wanted[i]):
        members = [i]
        lowest = _lowest(members, wanted, gap)
        while groups and groups[-1][1] + len(groups[-1][0]) * gap > lowest + 1e-12:
            members = groups.pop()[0] + members
            lowest = _lowest(members, wanted, gap)
        groups.append((members, lowest))
    places = [0.0] * len(wanted)
    for members, lowest in groups:
        for rank, i in enumerate(members):
            places[i] = lowest + rank * gap
    return places


def _lowest(members: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    """Return the lower end, within [0, 1], of a stack of labels centred on the mean of the desired heights."""
    height = (len(members) - 1) * gap
    middle = sum(wanted[i] for i in members) / len(members)
    return max(0.0, min(middle - height / 2, 1.0 - height))


def plain_numbers(axis: Axis) -> None:
    """Write the ticks 1, 2, 5, 10, … of a logarithmic axis as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def is_wide(values: Floats) -> bool:
    """Return whether values are positive and span more than a factor of twenty.

    >>> is_wide(np.array([1.0, 30.0])), is_wide(np.array([0.0, 30.0]))
    (True, False)
    """
    return bool(values.min() > 0 and values.max() > 20 * values.min())


def wide_scale(axes: Axes, values: Sequence[object] | Floats, name: str = "x") -> None:
    """Make an axis logarithmic if its positive values span more than a factor of twenty."""
    if is_wide(np.asarray(values, dtype=float)):
        getattr(axes, f"set_{name}scale")("log")

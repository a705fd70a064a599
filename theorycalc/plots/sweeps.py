"""Sweep.plot(): a quantity over one axis as curves, over two as a heat map, over a third, short one in panels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.parameters import PARAMETERS
from theorycalc.numbers.exact import read
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, is_wide, wide_scale
from theorycalc.plots.style import COLOURS, COLUMN
from theorycalc.plots.words import (
    activation_words,
    number_label,
    numbers_of,
    parameter_words,
    plain,
    symbol_of,
    teacher_words,
)
from theorycalc.results.quantities import axis_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    from theorycalc.sweeps.axes import Axis
    from theorycalc.sweeps.result import Sweep

_PREFERRED = ("test_gain", "test_loss")  # what is drawn unless a quantity is named
_PANELS = 4  # values of a third axis that have a panel each
_WIDE = 10  # a quantity that spans more than this factor has a logarithmic scale of colours
_LISTED = 6  # values of an axis that an error names
_VECTORS = 2500  # cells of a heat map that are drawn as vectors

_Array: TypeAlias = np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Along:
    """One axis of the picture: its name, the positions of its values on paper and their labels, in increasing order."""

    name: str
    places: NDArray[np.float64]
    labels: tuple[str, ...]
    named: bool  # values are names, or numbers of windows, with equal distances

    def __len__(self) -> int:
        return len(self.labels)


@figure_of(
    "sweep : Sweep",
    "One Axes to draw into, or one for each panel.",
    ", too many axes vary, ``at`` names a value that it lacks",
)
def sweep_figure(
    sweep: Sweep,
    quantity: str | None = None,
    at: Mapping[str, object] | None = None,
    ax: object = None,
    **style: object,
) -> Figure:
    """Draw one quantity of a sweep over the axes with more than one value.

    One axis gives a curve, two give a heat map with a colour bar; if one of two axes has up to six names or ℓ, it
    gives a curve for each.  A third axis of up to four values gives a panel for each.

    Parameters
    ----------
    quantity : str, optional
        The quantity; by default ``test_gain``, ``test_loss`` or the first that the sweep has.
    at : mapping, optional
        The values at which other axes stay, such as ``{"ell": 2}``.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10")
    >>> found = tc.sweep(problem, {"ell": 1, "phi": "0.1:2:5", "ridge": "1e-3:10:9:log"})
    >>> sweep_figure(found, "test_loss").axes[1].get_ylabel()
    'test loss'
    """
    known = sweep.grid.quantities
    name = next((one for one in _PREFERRED if one in known), known[0]) if quantity is None else quantity
    values, fixed, axes = _selected(sweep, name, {} if at is None else at)
    panel, axes, values = _panel_axis(axes, values)
    missing = int(np.ma.getmaskarray(values).sum())
    if missing == values.size:
        raise DomainError(f"no point of the sweep has a finite {name}: there is nothing to draw", argument="quantity")
    count = 1 if panel is None else len(panel)
    mapped = len(axes) == 2 and not (axes[0].named and len(axes[0]) <= len(COLOURS))  # else a curve for each value
    rows, columns = (2, 2) if count == 4 else (1, count)
    how = {"width": COLUMN if columns == 1 else 1.1 + 2.2 * columns, "height": 0.3 + 2.3 * rows, "sharey": True}
    with canvas(ax, style, rows, columns, kind="pcolormesh" if mapped else "plot", sharex=True, **how) as sheet:
        drawn = _draw_maps if mapped else _draw_curves
        drawn(sheet, name, axes, values)
        for number, one in enumerate(sheet.axes):
            words = "" if panel is None else f"{_symbol(panel.name)} = {panel.labels[number]}"
            first = _title(sweep, fixed, missing) if number == 0 and not (sheet.own and count > 1) else ""
            entitle(one, title="\n".join(filter(None, (first, words))))
            if sheet.own:
                one.label_outer()
        if sheet.own and count > 1:
            sheet.figure.suptitle(_title(sweep, fixed, missing), fontsize="medium")
        return sheet.figure


def _selected(sweep: Sweep, name: str, at: Mapping[str, object]) -> tuple[_Array, dict[str, str], list[Along]]:
    """Return the values with infinite ones masked, the axes with one fixed value, and the axes that vary."""
    values: _Array = np.ma.masked_invalid(np.ma.asarray(sweep[name], dtype=float))
    known = [axis.name for axis in sweep.grid.axes]
    for other in at:
        if other not in known:
            raise ArgumentError(f"at: the sweep has no axis {other!r}; it has {', '.join(known)}", argument="at")
    fixed: dict[str, str] = {}
    varying: list[Along] = []
    for axis in sweep.grid.axes:
        here = len(varying)
        if axis.name in at or len(axis) == 1:
            index = _index(axis, at[axis.name]) if axis.name in at else 0
            values = values.take(index, axis=here)
            fixed[axis.name] = _label(axis, index)
            continue
        along, order = _along(axis)
        values = values.take(order, axis=here)
        varying.append(along)
    return values, fixed, varying


def _index(axis: Axis, wanted: object) -> int:
    """Return the index of the value on an axis that ``at`` names."""
    labels = [axis.label(i) for i in range(len(axis))]
    if axis.is_text:
        found = [label == wanted for label in labels]
    else:
        value = math.inf if str(wanted) == "inf" else float(read(wanted, axis.name))
        found = [math.isclose(float(label), value) for label in labels]
    if any(found):
        return found.index(True)
    some = ", ".join(map(str, labels[:_LISTED])) + (", …" if len(labels) > _LISTED else "")
    raise ArgumentError(f"at: {axis.name}={wanted!r} is not in the sweep; it has {some}", argument="at")


def _along(axis: Axis) -> tuple[Along, Sequence[int]]:
    """Return an axis of the picture, and the order of its values."""
    labels = [axis.label(i) for i in range(len(axis))]
    named = axis.is_text or axis.name == "ell"
    order = range(len(axis)) if axis.is_text else sorted(range(len(axis)), key=lambda i: float(labels[i]))
    places = np.arange(len(axis), dtype=float) if named else np.array([float(labels[i]) for i in order])
    return Along(axis.name, places, tuple(_label(axis, i) for i in order), named), order


def _label(axis: Axis, index: int) -> str:
    label = axis.label(index)
    if isinstance(label, str):
        return plain(label)
    return "∞" if label == math.inf else number_label(float(label))


def _symbol(name: str) -> str:
    known = name in PARAMETERS and PARAMETERS[name].domain is not None
    return symbol_of(name) if known else name.replace("_", " ")


def _panel_axis(axes: list[Along], values: _Array) -> tuple[Along | None, list[Along], _Array]:
    """Return the axis of the panels, and the others in order: names, then the longer axis, which runs to the right.

    The values get a dimension for the panels, the curves or rows, and the points.
    """
    if not axes:
        reason = "the sweep has one point, and plot() draws lists: predict() or step() draw one point"
        raise ArgumentError(reason, argument="at")
    if len(axes) > 3 or (len(axes) == 3 and min(map(len, axes)) > _PANELS):
        lengths = ", ".join(f"{axis.name} ({len(axis)} values)" for axis in axes)
        some = max(axes, key=lambda axis: (axis.named, -len(axis)))
        reason = f"plot() draws two axes, and a third of up to {_PANELS} values; this sweep varies along {lengths}"
        remedy = f"say where the others stay, such as at={{{some.name!r}: {some.labels[0]}}}"
        raise ArgumentError(f"{reason}: {remedy}", argument="at")
    rank = sorted(range(len(axes)), key=lambda i: (not axes[i].named, len(axes[i])))
    panel = None
    if len(axes) == 3:
        panel = next(i for i in rank if len(axes[i]) <= _PANELS)
        rank.remove(panel)
    kept = [axes[i] for i in rank]
    moved = values.transpose([*([] if panel is None else [panel]), *rank])
    shape = (1 if panel is None else len(axes[panel]), 1 if len(kept) == 1 else len(kept[0]), len(kept[-1]))
    return None if panel is None else axes[panel], kept, moved.reshape(shape)


def _draw_curves(sheet: Canvas, name: str, along: list[Along], values: _Array) -> None:
    """Draw a curve for each name, or the only one there is."""
    x = along[-1]
    for axes, block in zip(sheet.axes, values, strict=False):
        ends = []
        for number, heights in enumerate(block):
            look = next_curve(axes, number)
            look["linestyle"] = "" if x.named else look["linestyle"]
            if not x.named and len(x) > 15:
                look["marker"] = ""
            words = f"{_symbol(along[0].name)} = {along[0].labels[number]}" if len(along) > 1 else axis_words(name)
            gid = f"{name}:{number + 1}" if len(along) > 1 else name
            ends += axes.plot(x.places, heights, **sheet.main(words, gid=gid, **look))
        entitle(axes, x=parameter_words(x.name), y=axis_words(name))
        _scale(axes, x, "x")
        if len(along) > 1 or not sheet.own:
            explain(sheet, axes, keys=ends if axes is sheet.axes[-1] else ())


def _draw_maps(sheet: Canvas, name: str, along: list[Along], values: _Array) -> None:
    """Draw a heat map in each panel, all with the same colour scale."""
    rows, columns = along
    scale: Look = {} if {"norm", "vmin", "vmax"} & set(sheet.style) else {"norm": _colours(values)}
    meshes = []
    for axes, block in zip(sheet.axes, values, strict=False):
        how = sheet.main(gid=name, edgecolors="face", **scale, rasterized=block.size > _VECTORS)  # no seams
        meshes.append(axes.pcolormesh(_edges(columns), _edges(rows), block, **how))
        entitle(axes, x=parameter_words(columns.name), y=parameter_words(rows.name))
        _scale(axes, columns, "x")
        _scale(axes, rows, "y")
    bar = sheet.figure.colorbar(meshes[0], ax=list(sheet.axes), label=axis_words(name))
    bar.ax.set_gid(f"{name}:colours")


def _colours(values: _Array) -> Normalize:
    """Return the colour scale, logarithmic if positive values span more than a factor of ten."""
    from matplotlib import colors

    low, high = float(values.min()), float(values.max())
    return (colors.LogNorm if 0 < low < high / _WIDE else colors.Normalize)(low, high)


def _scale(axes: Axes, along: Along, way: str) -> None:
    """Write the names along an axis, or make it logarithmic if it spans a wide range."""
    if along.named:
        getattr(axes, f"set_{way}ticks")(along.places, along.labels)
    else:
        wide_scale(axes, along.places, way)


def _edges(along: Along) -> NDArray[np.float64]:
    return cell_edges(along.places, wide=not along.named and is_wide(along.places))


def cell_edges(places: NDArray[np.float64], wide: bool) -> NDArray[np.float64]:
    """Return the borders of cells around increasing positions, halfway between them on a linear or logarithmic scale.

    >>> cell_edges(np.array([1.0, 4.0]), wide=True)
    array([0.5, 2. , 8. ])
    """
    x = np.log(places) if wide else places
    middle = (x[1:] + x[:-1]) / 2
    edges = np.concatenate(([2 * x[0] - middle[0]], middle, [2 * x[-1] - middle[-1]]))
    return np.asarray(np.exp(edges) if wide else edges)


def _title(sweep: Sweep, fixed: dict[str, str], missing: int) -> str:
    """Return a title: activation and teacher unless they vary, fixed values, and how many points have no value."""
    problem = sweep.grid.problem
    varying = [axis.name for axis in sweep.grid.axes]
    words = [] if "activation" in varying else [activation_words(problem.activation)]
    words += [] if "teacher" in varying else [f"teacher {teacher_words(problem.teacher)}"]
    numbers = [f"{_symbol(name)} = {value}" for name, value in fixed.items()]
    lacking = "1 point has no value" if missing == 1 else f"{missing} points have no value" if missing else ""
    numbers += [numbers_of(problem, without=varying), lacking]
    return "\n".join(", ".join(filter(None, line)) for line in (words, numbers))

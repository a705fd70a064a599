"""Spectrum.plot(): the density of the bulk, outliers that theory expects, and eigenvalues of simulated networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, spelled
from theorycalc.model.sizes import difference
from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.style import PALE, thin
from theorycalc.plots.words import gradient_label, subject
from theorycalc.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

    from theorycalc.results.spectrum import Spectrum
    from theorycalc.results.weight_spectrum import WeightSpectrum
    from theorycalc.running.journal import Record

FAR = 3.0  # times the upper edge: an outlier beyond it has a logarithmic axis
_DEEP = 30.0  # a bulk that reaches deeper than this factor has one, too
_DECADES = 1e-4  # of the upper edge, where a logarithmic axis begins at the latest
_POINTS = 400
_BINS = 40
_LETTERS = 12  # of a line of an outlier's label
_LEVEL = 0.13  # the height of a line, as a share of that of the axes
_SIMULATED = "#b9c4cf"


class Observed(NamedTuple):
    """Values of simulated networks: of each replicate equally many quantiles, and those above the bulk."""

    quantiles: Floats
    outside: Floats
    words: str


@figure_of("found : Spectrum", refused=", the run is of another network or step")
def spectrum_figure(found: Spectrum, run: object = None, ax: object = None, **style: object) -> Figure:
    r"""Draw a spectrum; ``run``, simulated with ``spectrum=True``, adds the histogram and the outliers observed.

    The axis is logarithmic, and the density per unit of ln z, where an outlier is far from the
    bulk, or the bulk comes near 0.

    Parameters
    ----------
    run : Run, optional
        A simulation of the same network and step, with ``spectrum=True``.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> spectrum_figure(tc.spectrum(problem)).axes[0].get_xlabel()
    '$z$, eigenvalue of $F_0F_0^{\\!\\top}\\!/n$'
    """
    observed = None if run is None else _observed(found, run)
    outliers = np.zeros(0) if found.outliers is None else np.asarray(found.outliers, dtype=float)
    low, edge = found.edges[0][0], _upper_edge(found)
    far = bool(low < edge / _DEEP or (outliers.size and outliers.max() > FAR * edge))
    start = max(low, _DECADES * edge) if far else 0.0
    with canvas(ax, style, height=2.4) as sheet:
        axes = sheet.axes[0]
        if far:
            axes.set_xscale("log")
        bulk, outlier = next_curve(axes, 0), next_curve(axes, 1)
        heights = [] if observed is None else [histogram(axes, observed, start, edge, far)]
        for i, interval in enumerate(found.edges):
            z = points_between(*interval, start)
            density = np.asarray(found.density(z)) * (z if far else 1.0)
            heights.append(float(np.quantile(density, 0.98)))  # it may be infinite at 0
            gid = "density" if i == 0 else f"density:{i + 1}"
            how = sheet.main("_" if i else "bulk, theory", gid=gid, color=bulk["color"])
            (line,) = axes.plot(z, density, **how)
            axes.fill_between(z, density, color=line.get_color(), alpha=0.15, lw=0, gid=f"{gid}:area")
        right = max([edge, *outliers, *([] if observed is None else observed.outside)])
        limits = axis_limits(axes, start / 1.3 if far else -0.02 * right, right, [*outliers])
        top = _mark(axes, found, outliers, outlier["color"], max(heights))
        if found.edge_after is not None:
            how = {"color": bulk["color"], "ls": "--", "lw": thin(0.9), "gid": "edge"}
            axes.axvline(found.edge_after, 0, 1.1 * max(heights) / top, label="edge of the bulk after the step", **how)
        words = "density per unit of ln z" if far else "density of eigenvalues"
        matrix = "F_0F_0" if found.step is None else "FF"
        entitle(axes, y=words, x=rf"z, eigenvalue of ${matrix}^{{\!\top}}\!/n$", title=_title(found))
        axes.set_ylim(0, top, auto=None)
        axes.set_xlim(*limits, auto=None)
        explain(sheet, axes, keys=axes.get_legend_handles_labels()[0])
        return sheet.figure


def _title(found: Spectrum) -> str:
    atom = f"; {found.atom:.3g} of all are 0" if found.atom > 0 else ""
    step = "before the step" if found.step is None else f"n = {found.step.n}, η = {found.step.eta:.4g}"
    gradient = "" if found.step is None else gradient_label(found.step.gradient)
    return f"{subject(found.problem)}\n{step}{gradient}{atom}"


def points_between(low: float, high: float, start: float) -> Floats:
    """Return points inside an interval, close together at its ends, where the density is steep."""
    turn = np.cos(np.linspace(np.pi, 0, _POINTS + 2)[1:-1])
    if start == 0:
        return np.asarray((low + high) / 2 + (high - low) / 2 * turn)
    left, right = np.log(max(low, start)), np.log(high)
    return np.asarray(np.exp((left + right) / 2 + (right - left) / 2 * turn))


def histogram(axes: Axes, observed: Observed, start: float, edge: float, far: bool) -> float:
    """Draw the bulk of the simulated values, and those beyond it as ticks; return how high it is."""
    high = 1.1 * edge
    bins = np.geomspace(start, high, _BINS + 1) if far else np.linspace(0, high, _BINS + 1)
    values = observed.quantiles[(observed.quantiles > 1e-9 * edge) & (observed.quantiles <= high)]
    counts, _ = np.histogram(values, bins)
    widths = np.diff(np.log(bins) if far else bins)
    shares = counts / observed.quantiles.size / widths
    axes.stairs(shares, bins, fill=True, color=_SIMULATED, label=observed.words, gid="simulated")
    if observed.outside.size:
        how: Look = {"color": PALE, "mew": thin(0.7), "ms": 7, "clip_on": False, "zorder": 3}
        how |= {"label": "of these, beyond the bulk", "gid": "simulated:outliers"}
        axes.plot(observed.outside, np.zeros(observed.outside.size), "|", **how)
    return float(shares.max())


def axis_limits(axes: Axes, left: float, right: float, marks: Sequence[float]) -> tuple[float, float]:
    """Set and return the limits of an axis that has room for a label to the right of the last mark."""
    forward, back = axes.xaxis.get_transform().transform, axes.xaxis.get_transform().inverted().transform
    low, high, *places = (float(forward(value)) for value in (left, right, *marks))
    room = min(0.5, label_width(axes))
    end = max([high + 0.06 * (high - low), *(low + (place - low) / (1 - room) for place in places)])
    limits = left, float(back(end))
    axes.set_xlim(*limits, auto=None)
    return limits


def label_width(axes: Axes) -> float:
    """Return the width of a label of an outlier as a share of that of the axes."""
    from matplotlib import rcParams

    width = axes.get_position().width * axes.figure.bbox.width / axes.figure.dpi
    return _LETTERS * 0.42 * float(rcParams["font.size"]) / 72 / width


def _mark(axes: Axes, found: Spectrum, outliers: Floats, colour: ColorType, high: float) -> float:
    """Mark each expected outlier, with the power of the step direction that it mostly is; return the axis' top."""
    if not outliers.size:
        return 1.3 * high
    heights, top = label_heights(axes, outliers, high, lines=2)
    overlaps = found.alignments if found.alignments is not None else np.zeros((0, 1))
    axes.vlines(outliers, 0, heights, color=colour, lw=thin(0.8), gid="outliers:stems")
    how: Look = {"marker": "v", "color": colour, "ls": "", "label": "outliers, theory (squared overlap)"}
    axes.plot(outliers, heights, gid="outliers", **how)
    for i, (place, height, squared) in enumerate(zip(outliers, heights, overlaps, strict=True)):
        largest = int(np.argmax(squared))
        between = "" if found.deviations is None else f" ± {found.deviations[i]:.2g}"
        text = f"{place:.3g}{between}\n" + rf"$H_{{{largest}}}$: {squared[largest]:.2f}"
        how = {"textcoords": "offset points", "va": "center", "fontsize": "small", "gid": f"outliers:{i + 1}:label"}
        axes.annotate(text, (place, height), (5, 0), **how)
    return top


def label_heights(axes: Axes, outliers: Sequence[float] | Floats, high: float, lines: int) -> tuple[Floats, float]:
    """Return the heights of the labels of outliers of a bulk so ``high``, and the top of the axis.

    Labels are to the right of their outliers, and so of the bulk; of two that are near each other the left one is
    higher: no label covers another one or a stem.
    """
    places = (axes.transData + axes.transAxes.inverted()).transform([(x, 0.0) for x in outliers])[:, 0]
    levels, step = _levels(places, label_width(axes)), _LEVEL * lines
    top = float(max(1.3 * high, 0.5 * high / max(0.2, 1 - step * (levels.max() + 0.6))))
    return 0.5 * high + step * top * levels, top


def _levels(places: Floats, width: float) -> Floats:
    """Return how high each label stands that is so wide and to the right of its place: above those it would cover.

    >>> _levels(np.array([0.9, 0.8, 0.3]), 0.2)
    array([0., 1., 0.])
    """
    levels = np.zeros(places.size)
    falling = np.argsort(-places)
    for right, left in pairwise(falling):
        if places[right] - places[left] < width:
            levels[left] = levels[right] + 1
    return levels


def _observed(found: Spectrum, run: object) -> Observed:
    records, suffix = records_of(found, run), "_initial" if found.step is None else ""
    quantiles = np.concatenate([_numbers(record, f"quantiles{suffix}") for record in records])
    tops = [_numbers(record, f"top{suffix}") for record in records]
    return seen_beside(_upper_edge(found), quantiles, tops)


def _upper_edge(found: Spectrum) -> float:
    """Return the upper edge of the bulk, the higher one of those before and after the step."""
    return max(found.edges[-1][1], found.edge_after or 0.0)


def seen_beside(edge: float, quantiles: Floats, tops: Sequence[Floats]) -> Observed:
    """Return all quantiles, and the largest values of each draw that are beyond the upper edge of a bulk."""
    outside = np.concatenate([top[top > 1.02 * edge] for top in tops])
    return Observed(quantiles, outside, f"simulated, {len(tops)} draws")


def records_of(found: Spectrum | WeightSpectrum, run: object) -> list[Record]:
    """Return the records of a run that are of the step of a spectrum, or refuse a run of something else."""
    if not isinstance(run, Run):
        raise ArgumentError(f"run must be a Run, as simulate() returns, not {type(run).__name__}", argument="run")
    settings = run.settings
    if not settings.spectrum:
        raise ArgumentError(f"the run has no eigenvalues: simulate with {spelled('spectrum', True)}", argument="run")
    same_ridge = replace(found.problem, ridge=settings.problem.ridge)  # on which no eigenvalue depends
    other = difference(same_ridge, settings.problem, settings.ridges)
    if other is not None:
        raise ArgumentError(f"the spectrum and the run are of different problems: {other}", argument="run")
    if found.step is None:
        records = list({record["replicate"]: record for record in reversed(run.records)}.values())  # they share F₀
    else:
        if (found.step.n, found.step.N) != (settings.n, settings.N):
            sizes = f"n = {found.step.n}, N = {found.step.N}"
            raise ArgumentError(
                f"the spectrum is of {sizes}, the run of n = {settings.n}, N = {settings.N}", argument="run"
            )
        eta = found.step.eta
        records = [record for record in run.records if math.isclose(record["eta"], eta, rel_tol=1e-9)]
    if not records:
        raise ArgumentError("the run has no finished replicate of the step that the spectrum is for", argument="run")
    return records


def _numbers(record: Record, name: str) -> Floats:
    """Return eigenvalues of a record, which may come from a file."""
    try:
        values = np.asarray(record["spectrum"][name], dtype=float)
    except (LookupError, TypeError, ValueError):
        values = np.array([np.nan])
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ArgumentError(
            f"replicate {record['replicate']} of the run has no {name} of its eigenvalues", argument="run"
        )
    return values

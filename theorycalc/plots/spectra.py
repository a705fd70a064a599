"""Spectrum.plot() and WeightSpectrum.plot(): bulk, outliers expected by theory, and values of simulated networks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from theorycalc.simulation.records import weights_of
from theorycalc.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

    from theorycalc.results.spectrum import Spectrum
    from theorycalc.results.weight_spectrum import WeightSpectrum
    from theorycalc.running.journal import Record

_FAR = 3.0  # times the upper edge: an outlier beyond it has a logarithmic axis
_DEEP = 30.0  # a bulk that reaches deeper than this factor has one, too
_POINTS = 400
_BINS = 40
_LETTERS = 12  # of a line of an outlier's label
_LEVEL = 0.13  # the height of a line, as a share of that of the axes
_SIMULATED = "#b9c4cf"
_REFUSED = ", the run belongs to another network or step"


class _Observed(NamedTuple):
    """Values of simulated networks: equally many quantiles from each replicate, and the values above the bulk."""

    quantiles: Floats
    outside: Floats
    words: str


class _Expected(NamedTuple):
    """Expected outliers with their labels, and a name for the values whose density is drawn."""

    places: Sequence[float]
    labels: Sequence[str]
    key: str  # of the legend
    right: int  # points between an outlier and its label
    values: str
    letter: str
    axis: str
    lowest: float  # share of the upper edge where a logarithmic axis begins at the latest


@figure_of("found : Spectrum", refused=_REFUSED)
def spectrum_figure(found: Spectrum, run: object = None, ax: object = None, **style: object) -> Figure:
    r"""Draw a spectrum; ``run``, simulated with ``spectrum=True``, adds its histogram and observed outliers.

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
    observed = None if run is None else _eigenvalues(found, run)
    places = [] if found.outliers is None else found.outliers.tolist()
    labels = []
    for i, (place, squared) in enumerate(
        zip(places, [] if found.alignments is None else found.alignments, strict=True)
    ):
        largest = int(np.argmax(squared))
        between = "" if found.deviations is None else f" ± {found.deviations[i]:.2g}"
        labels.append(f"{place:.3g}{between}\n" + rf"$H_{{{largest}}}$: {squared[largest]:.2f}")
    key, matrix = "outliers, theory (squared overlap)", "F_0F_0" if found.step is None else "FF"
    axis = rf"z, eigenvalue of ${matrix}^{{\!\top}}\!/n$"
    expected = _Expected(places, labels, key, 5, "eigenvalues", "z", axis, 1e-4)
    return _figure(found, expected, observed, found.edges[0][0] < _upper_edge(found) / _DEEP, ax, style)


@figure_of("found : WeightSpectrum", refused=_REFUSED)
def weights_figure(found: WeightSpectrum, run: object = None, ax: object = None, **style: object) -> Figure:
    r"""Draw the singular values of W; ``run`` adds observed values.

    If the outlier is far from the bulk, the axis is logarithmic and the density is per unit of ln σ.

    Parameters
    ----------
    run : Run, optional
        A simulation of the same network with ``spectrum=True``.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> weights_figure(tc.weight_spectrum(problem)).axes[0].get_xlabel()
    '$\\sigma$, singular value of $W_0$'
    """
    observed = None if run is None else _singular_values(found, run)
    labels = []
    for i, (place, *overlaps) in enumerate(found.outliers):
        where = f"{place:.3g} ± {found.deviations[i]:.2g}" if found.deviations else f"{place:.3g}"
        named = zip(("$a$", "step", r"$\beta_{\star}$"), overlaps, strict=True)
        labels.append("\n".join([where, *(f"{name}: {overlap:.2f}" for name, overlap in named)]))
    key = f"{'outlier' if len(labels) == 1 else 'outliers'}, theory (squared overlaps)"
    axis = f"σ, singular value of ${'W_0' if found.step is None else 'W'}$"
    places = [one.place for one in found.outliers]
    expected = _Expected(places, labels, key, 8, "singular values", "σ", axis, 1e-2)
    return _figure(found, expected, observed, False, ax, style)


def _figure(
    found: Spectrum | WeightSpectrum,
    expected: _Expected,
    observed: _Observed | None,
    deep: bool,
    ax: object,
    style: Mapping[str, object],
) -> Figure:
    """Draw a bulk with expected outliers and observed values; a ``deep`` bulk has a logarithmic axis."""
    places, edge = expected.places, _upper_edge(found)
    far = deep or max(places, default=0.0) > _FAR * edge
    start = max(found.edges[0][0], expected.lowest * edge) if far else 0.0
    with canvas(ax, style, height=2.4) as sheet:
        axes = sheet.axes[0]
        if far:
            axes.set_xscale("log")
        bulk, outlier = next_curve(axes, 0), next_curve(axes, 1)
        heights = [] if observed is None else [_histogram(axes, observed, start, edge, far)]
        for i, interval in enumerate(found.edges):
            z = _points_between(*interval, start)
            density = np.asarray(found.density(z)) * (z if far else 1.0)
            heights.append(float(np.quantile(density, 0.98)))  # it may be infinite at 0
            gid = "density" if i == 0 else f"density:{i + 1}"
            how = sheet.main("_" if i else "bulk, theory", gid=gid, color=bulk["color"])
            (line,) = axes.plot(z, density, **how)
            axes.fill_between(z, density, color=line.get_color(), alpha=0.15, lw=0, gid=f"{gid}:area")
        right = max([edge, *places, *([] if observed is None else observed.outside)])
        limits = _axis_limits(axes, start / 1.3 if far else -0.02 * right, right, places)
        top = _mark(axes, expected, outlier["color"], max(heights))
        after = getattr(found, "edge_after", None)  # which weights have in their edges
        if after is not None:
            how = {"color": bulk["color"], "ls": "--", "lw": thin(0.9), "gid": "edge"}
            axes.axvline(after, 0, 1.1 * max(heights) / top, label="edge of the bulk after the step", **how)
        words = f"density per unit of ln {expected.letter}" if far else f"density of {expected.values}"
        entitle(axes, y=words, x=expected.axis, title=_title(found))
        axes.set_ylim(0, top, auto=None)
        axes.set_xlim(*limits, auto=None)
        return explain(sheet, axes, keys=axes.get_legend_handles_labels()[0])


def _title(found: Spectrum | WeightSpectrum) -> str:
    atom = f"; {found.atom:.3g} of all are 0" if found.atom > 0 else ""
    step = "before the step" if found.step is None else f"n = {found.step.n}, η = {found.step.eta:.4g}"
    gradient = "" if found.step is None else gradient_label(found.step.gradient)
    return f"{subject(found.problem)}\n{step}{gradient}{atom}"


def _upper_edge(found: Spectrum | WeightSpectrum) -> float:
    """Return the upper edge of the bulk, the higher of those before and after the step."""
    return max(found.edges[-1][1], getattr(found, "edge_after", None) or 0.0)


def _points_between(low: float, high: float, start: float) -> Floats:
    """Return points inside an interval, denser near its ends, where the density is steep."""
    turn = np.cos(np.linspace(np.pi, 0, _POINTS + 2)[1:-1])
    if start == 0:
        return np.asarray((low + high) / 2 + (high - low) / 2 * turn)
    left, right = np.log(max(low, start)), np.log(high)
    return np.asarray(np.exp((left + right) / 2 + (right - left) / 2 * turn))


def _histogram(axes: Axes, observed: _Observed, start: float, edge: float, far: bool) -> float:
    """Draw the simulated bulk as a histogram, and values beyond it as ticks; return the histogram's height."""
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


def _axis_limits(axes: Axes, left: float, right: float, marks: Sequence[float]) -> tuple[float, float]:
    """Set and return the limits of an axis that leave room for a label to the right of the last mark."""
    forward, back = axes.xaxis.get_transform().transform, axes.xaxis.get_transform().inverted().transform
    low, high, *places = (float(forward(value)) for value in (left, right, *marks))
    room = min(0.5, _label_width(axes))
    end = max([high + 0.06 * (high - low), *(low + (place - low) / (1 - room) for place in places)])
    limits = left, float(back(end))
    axes.set_xlim(*limits, auto=None)
    return limits


def _label_width(axes: Axes) -> float:
    """Return the width of an outlier's label as a fraction of the width of the axes."""
    from matplotlib import rcParams

    width = axes.get_position().width * axes.figure.bbox.width / axes.figure.dpi
    return _LETTERS * 0.42 * float(rcParams["font.size"]) / 72 / width


def _mark(axes: Axes, expected: _Expected, colour: ColorType, high: float) -> float:
    """Mark each expected outlier with its label above a bulk of height ``high``; return the top of the axis.

    Labels are to the right of their outliers, and so of the bulk; of two that are near each other the left one is
    higher: no label covers another one or a stem.
    """
    if not expected.places:
        return 1.3 * high
    places = (axes.transData + axes.transAxes.inverted()).transform([(x, 0.0) for x in expected.places])[:, 0]
    levels, step = _levels(places, _label_width(axes)), _LEVEL * (expected.labels[0].count("\n") + 1)
    top = float(max(1.3 * high, 0.5 * high / max(0.2, 1 - step * (levels.max() + 0.6))))
    heights = 0.5 * high + step * top * levels
    axes.vlines(expected.places, 0, heights, color=colour, lw=thin(0.8), gid="outliers:stems")
    axes.plot(expected.places, heights, marker="v", color=colour, ls="", label=expected.key, gid="outliers")
    look: Look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
    for i, (place, height, text) in enumerate(zip(expected.places, heights, expected.labels, strict=True)):
        axes.annotate(text, (place, height), (expected.right, 0), gid=f"outliers:{i + 1}:label", **look)
    return top


def _levels(places: Floats, width: float) -> Floats:
    """Return the level of each label, ``width`` wide and to the right of its mark, above any label it would cover.

    >>> _levels(np.array([0.9, 0.8, 0.3]), 0.2)
    array([0., 1., 0.])
    """
    levels = np.zeros(places.size)
    falling = np.argsort(-places)
    for right, left in pairwise(falling):
        if places[right] - places[left] < width:
            levels[left] = levels[right] + 1
    return levels


def _eigenvalues(found: Spectrum, run: object) -> _Observed:
    suffix = "_initial" if found.step is None else ""
    seen = [[_numbers(record, f"{name}{suffix}") for name in ("quantiles", "top")] for record in _records(found, run)]
    return _beside(_upper_edge(found), seen)


def _singular_values(found: WeightSpectrum, run: object) -> _Observed:
    if found.step is None:
        raise ArgumentError("a run records the weights after its steps: give the spectrum a step, too", argument="run")
    seen = []
    for record in _records(found, run):
        values = weights_of(record)
        if not values:
            which = f"replicate {record['replicate']} of the run"
            raise ArgumentError(f"{which} has no singular values of W", argument="run")
        seen.append([np.asarray(values[name], dtype=float) for name in ("quantiles", "top")])
    return _beside(_upper_edge(found), seen)


def _beside(edge: float, seen: Sequence[Sequence[Floats]]) -> _Observed:
    """Return all quantiles, and those of each draw's largest values that exceed the upper edge of a bulk."""
    quantiles, tops = (np.concatenate(part) for part in zip(*seen, strict=True))
    return _Observed(quantiles, tops[tops > 1.02 * edge], f"simulated, {len(seen)} draws")


def _records(found: Spectrum | WeightSpectrum, run: object) -> list[Record]:
    """Return the records of a run at the step of a spectrum; refuse a run that has none."""
    if not isinstance(run, Run):
        raise ArgumentError(f"run must be a Run, as simulate() returns, not {type(run).__name__}", argument="run")
    settings = run.settings
    if not settings.spectrum:
        raise ArgumentError(f"the run has no eigenvalues: simulate with {spelled('spectrum', True)}", argument="run")
    same_ridge = replace(found.problem, ridge=settings.problem.ridge)  # on which no eigenvalue depends
    other = difference(same_ridge, settings.problem, settings.ridges)
    if other is not None:
        raise ArgumentError(f"the spectrum and the run describe different problems: {other}", argument="run")
    if found.step is None:
        records = list({record["replicate"]: record for record in reversed(run.records)}.values())  # they share F₀
    else:
        if (found.step.n, found.step.N) != (settings.n, settings.N):
            sizes = f"n = {found.step.n}, N = {found.step.N}"
            reason = f"the spectrum is of {sizes}, the run of n = {settings.n}, N = {settings.N}"
            raise ArgumentError(reason, argument="run")
        eta = found.step.eta
        records = [record for record in run.records if math.isclose(record["eta"], eta, rel_tol=1e-9)]
    if not records:
        raise ArgumentError("the run has no finished replicate of the step that the spectrum is for", argument="run")
    return records


def _numbers(record: Record, name: str) -> Floats:
    """Return the eigenvalues in a record, which may come from a file."""
    try:
        values = np.asarray(record["spectrum"][name], dtype=float)
    except (LookupError, TypeError, ValueError):
        values = np.array([np.nan])
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        reason = f"replicate {record['replicate']} of the run has no {name} of its eigenvalues"
        raise ArgumentError(reason, argument="run")
    return values

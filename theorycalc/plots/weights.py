"""WeightSpectrum.plot(): the density of the singular values of W, the outliers, and simulated networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.spectra import (
    FAR,
    Observed,
    axis_limits,
    histogram,
    label_heights,
    points_between,
    records_of,
    seen_beside,
)
from theorycalc.plots.style import thin
from theorycalc.plots.words import gradient_label, subject
from theorycalc.simulation.records import weights_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

    from theorycalc.results.weight_spectrum import WeightSpectrum

_LOWEST = 1e-2  # of the upper edge, where a logarithmic axis begins at the latest


@figure_of("found : WeightSpectrum", refused=", the run is of another network or step")
def weights_figure(found: WeightSpectrum, run: object = None, ax: object = None, **style: object) -> Figure:
    r"""Draw the singular values of W; ``run`` adds those that were observed.

    The axis is logarithmic, and the density per unit of ln σ, where the outlier is far from the bulk.

    Parameters
    ----------
    run : Run, optional
        A simulation of the same network with ``spectrum=True``.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> weights_figure(tc.weight_spectrum(problem)).axes[0].get_xlabel()
    '$\\sigma$, singular value of $W_0$'
    """
    observed = None if run is None else _observed(found, run)
    (low, edge), places = found.edges[0], [one.place for one in found.outliers]
    far = max(places, default=0.0) > FAR * edge
    start = max(low, _LOWEST * edge) if far else 0.0
    with canvas(ax, style, height=2.4) as sheet:
        axes = sheet.axes[0]
        if far:
            axes.set_xscale("log")
        bulk, mark = next_curve(axes, 0), next_curve(axes, 1)
        heights = [] if observed is None else [histogram(axes, observed, start, edge, far)]
        sigma = points_between(low, edge, start)
        density = np.asarray(found.density(sigma)) * (sigma if far else 1.0)
        (line,) = axes.plot(sigma, density, **sheet.main("bulk, theory", gid="density", color=bulk["color"]))
        axes.fill_between(sigma, density, color=line.get_color(), alpha=0.15, lw=0, gid="density:area")
        right = max([edge, *places, *([] if observed is None else observed.outside)])
        limits = axis_limits(axes, start / 1.3 if far else -0.02 * right, right, places)
        top = _mark(axes, found, mark["color"], max([float(np.quantile(density, 0.98)), *heights]))
        words = "density per unit of ln σ" if far else "density of singular values"
        entitle(axes, y=words, x=f"σ, singular value of ${'W_0' if found.step is None else 'W'}$", title=_title(found))
        axes.set_ylim(0, top, auto=None)
        axes.set_xlim(*limits, auto=None)
        explain(sheet, axes, keys=axes.get_legend_handles_labels()[0])
        return sheet.figure


def _title(found: WeightSpectrum) -> str:
    atom = f"; {found.atom:.3g} of all are 0" if found.atom > 0 else ""
    step = "before the step" if found.step is None else f"n = {found.step.n}, η = {found.step.eta:.4g}"
    gradient = "" if found.step is None else gradient_label(found.step.gradient)
    return f"{subject(found.problem)}\n{step}{gradient}{atom}"


def _mark(axes: Axes, found: WeightSpectrum, colour: ColorType, high: float) -> float:
    """Mark the expected outliers, with the overlaps of their vectors; return the top of the axis."""
    outliers = found.outliers
    if not outliers:
        return 1.3 * high
    places = [one.place for one in outliers]
    heights, top = label_heights(axes, places, high, lines=4)
    axes.vlines(places, 0, heights, color=colour, lw=thin(0.8), gid="outlier:stem")
    several = "outlier" if len(outliers) == 1 else "outliers"
    how: Look = {"marker": "v", "color": colour, "ls": "", "label": f"{several}, theory (squared overlaps)"}
    axes.plot(places, heights, gid="outlier", **how)
    for i, (place, *overlaps) in enumerate(outliers):
        named = zip(("$a$", "step", r"$\beta_{\star}$"), overlaps, strict=True)
        where = f"{place:.3g} ± {found.deviations[i]:.2g}" if found.deviations else f"{place:.3g}"
        text = "\n".join([where, *(f"{name}: {overlap:.2f}" for name, overlap in named)])
        gid = "outlier:label" if i == 0 else f"outlier:{i + 1}:label"
        how = {"textcoords": "offset points", "va": "center", "fontsize": "small", "gid": gid}
        axes.annotate(text, (place, heights[i]), (8, 0), **how)
    return top


def _observed(found: WeightSpectrum, run: object) -> Observed:
    if found.step is None:
        raise ArgumentError("a run records the weights after its steps: give the spectrum a step, too", argument="run")
    quantiles, tops = [], []
    for record in records_of(found, run):
        seen = weights_of(record)
        if not seen:
            raise ArgumentError(
                f"replicate {record['replicate']} of the run has no singular values of W", argument="run"
            )
        quantiles.append(_floats(seen["quantiles"]))
        tops.append(_floats(seen["top"]))
    return seen_beside(found.edges[-1][1], np.concatenate(quantiles), tops)


def _floats(values: object) -> Floats:
    return np.asarray(values, dtype=float)

"""TraceResult.plot(): m_1 and m_2 over one parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, wide_scale
from theorycalc.plots.words import QUANTITIES, check_drawable, number_label, parameter_words, symbol_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.trace_solver import TraceResult


@figure_of("found : TraceResult")
def traces_figure(found: TraceResult, ax: object = None, **style: object) -> Figure:
    r"""Draw m_1 and m_2 over the parameter that was given as a list.

    >>> import theorycalc as tc
    >>> found = tc.traces(phi="1/2", psi="2/3", ridge=[0.1, 1, 10], c1="1/2", c_rest="3/10")
    >>> traces_figure(found).axes[0].get_xlabel()
    '$\\lambda$, ridge (weight decay)'
    """
    varying = {name: value for name, value in found.parameters.items() if np.size(np.asarray(value)) > 1}
    if len(varying) != 1 or np.ndim(found.m1) != 1:
        raise ArgumentError(
            f"plot() draws traces over a list of one parameter; these are of shape {np.shape(found.m1)}"
            + (f" over {', '.join(varying)}" if varying else ""),
            argument=next(iter(varying), None),
        )
    check_drawable(found, ("m1", "m2"))
    ((name, places),) = varying.items()
    order = np.argsort(np.asarray(places, dtype=float))
    x = np.asarray(places, dtype=float)[order]
    with canvas(ax, style) as sheet:
        axes = sheet.axes[0]
        ends = []
        for number, trace in enumerate(("m1", "m2")):
            look = next_curve(axes, number) | {"marker": ""}
            heights = np.asarray(getattr(found, trace), dtype=float)[order]
            ends += axes.plot(x, heights, **sheet.main(QUANTITIES[trace].split()[-1], gid=trace, **look))
            wide_scale(axes, heights, "y")
        wide_scale(axes, x)
        axes.margins(x=0)
        fixed = {key: float(np.ravel(np.asarray(value))[0]) for key, value in found.parameters.items() if key != name}
        title = ", ".join(f"{symbol_of(key)} = {number_label(value)}" for key, value in fixed.items())
        entitle(axes, x=parameter_words(name), y="traces $m_1$, $m_2$", title=title)
        explain(sheet, axes, ends)
        return sheet.figure

"""ErrorRate.plot(), TraceResult.plot() and ScalingLaw.plot(): curves over one parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, plain_numbers, wide_scale
from theorycalc.plots.style import LINES, PALE, thin
from theorycalc.plots.words import ELL, QUANTITIES, check_drawable, number_label, parameter_words, subject, symbol_of
from theorycalc.results.quantities import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.error_rates import ErrorRate
    from theorycalc.results.scaling_law import ScalingLaw
    from theorycalc.results.trace_solver import TraceResult


@figure_of("found : ErrorRate")
def error_rate_figure(found: ErrorRate, ax: object = None, **style: object) -> Figure:
    r"""Draw error rates before and after the step: one pair as points, a list as curves over α, η or λ.

    >>> import theorycalc as tc
    >>> found = tc.error_rate(tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10"), ell=1, ridge=[0.01, 0.1, 1])
    >>> error_rate_figure(found).axes[0].get_xlabel()
    '$\\lambda$, ridge (weight decay)'
    """
    name, places = _places(found)
    order = np.argsort(places)
    x = places[order]
    how: dict[str, Any] = {} if len(x) > 1 else {"linestyle": ""}
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        after, before = (
            np.broadcast_to(np.ravel(getattr(found, key)), x.shape)[order]
            for key in ("error_rate", "error_rate_initial")
        )
        look = next_curve(axes, 0) | how
        ends = axes.plot(x, after, **sheet.main("after the step", gid="error_rate", **look))
        pale: dict[str, Any] = {
            "color": ends[0].get_color(),
            "mfc": axes.get_facecolor(),
            "lw": thin(0.8),
            "linestyle": LINES[1],
        }
        words = sheet.named("before the step")
        ends += axes.plot(x, before, gid="error_rate_initial", marker="o", label=words, **pale | how)
        axes.axhline(0, lw=0, gid="zero")  # a rate is seen beside 0
        entitle(axes, x=parameter_words(name), y=QUANTITIES["error_rate"], title=_title(found, name))
        wide_scale(axes, x)
        return explain(sheet, axes, ends)


def _places(found: ErrorRate) -> tuple[str, Any]:
    """Return the parameter that varies, or the ridge of a single point, and its values."""
    varying = [name for name in ("alpha", "eta", "ridge") if np.size(np.asarray(getattr(found, name))) > 1]
    if "alpha" in varying and "eta" in varying:
        varying.remove("eta")  # which follows from α
    if len(varying) > 1 or np.ndim(found.error_rate) > 1:
        raise ArgumentError(
            f"plot() draws one step, or a list of steps or of ridges; these rates have an array of shape "
            f"{np.shape(found.error_rate)}",
            argument="ridge",
        )
    name = varying[0] if varying else "ridge"
    return name, np.ravel(np.asarray(getattr(found, name), dtype=float))


def _title(found: ErrorRate, name: str) -> str:
    if found.sizes is None:
        where = f"limit n → ∞, {ELL} = {shown(found.ell)}"
    else:
        where = f"n = {found.sizes.n}"
        if name == "ridge":
            where += f", η = {number_label(float(np.ravel(np.asarray(found.eta))[0]))}"
    if name != "ridge":
        where += f", λ = {number_label(float(np.ravel(np.asarray(found.ridge))[0]))}"
    return f"{subject(found.problem)}\n{where}"


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
        return explain(sheet, axes, ends)


@figure_of("found : ScalingLaw")
def scaling_law_figure(found: ScalingLaw, ax: object = None, **style: object) -> Figure:
    """Draw the excess of the test loss over its infimum against n or N; a dashed line has the known exponent.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("x", "H1", n=10**9, d=2000, N=10**9, ridge="1e-18", inputs="power(3/2, 2)")
    >>> scaling_law_figure(tc.scaling_law(problem, "n", [20, 40, 80])).axes[0].get_xlabel()
    '$n$, number of samples'
    """
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        number = sum(str(line.get_gid()).startswith("excess") for line in axes.lines)
        words = "after the step" if found.ell else "before the step"
        ends = axes.plot(
            found.sizes, found.excess, **sheet.main(words, gid=f"excess:{number}", **next_curve(axes, number))
        )
        if found.known is not None:
            known: dict[str, Any] = {"color": PALE, "lw": thin(0.8), "linestyle": LINES[1], "gid": f"known:{number}"}
            middle = len(found.sizes) // 2
            line = found.excess[middle] * (found.sizes / found.sizes[middle]) ** -found.known
            ends += axes.plot(found.sizes, line, label=sheet.named(f"exponent {found.known:.3g}"), **known)
        axes.set(xscale="log", yscale="log")
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if high < 100 * low:  # more decades have ticks enough
                plain_numbers(axis)
        entitle(axes, x=parameter_words(found.growing), y="test loss beyond its least", title=subject(found.problem))
        return explain(sheet, axes, ends)

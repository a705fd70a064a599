"""ErrorRate.plot(): error rates before and after a step, over α, η or λ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, wide_scale
from theorycalc.plots.style import LINES, thin
from theorycalc.plots.words import ELL, QUANTITIES, number_label, parameter_words, subject
from theorycalc.results.quantities import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.error_rates import ErrorRate


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
        explain(sheet, axes, ends)
        return sheet.figure


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

"""Activation.plot(): Hermite coefficients as stems, with their signs, and zeros that are exact."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.plots.canvas import canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.style import PALE, ink, thin
from theorycalc.plots.words import activation_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.model.activation import Activation

_MARGIN = 3.0  # room below the smallest coefficient, as a factor


@figure_of("act : name, formula or Activation")
def coefficients_figure(act: Activation | str, k: int = 12, ax: object = None, **style: object) -> Figure:
    r"""Draw ``|c_j|√(j!)`` for j = 0, …, k, whose squares sum to E σ(Z)², on a logarithmic axis.

    A filled triangle up is a positive coefficient, a hollow one down a negative one; a cross on the axis is a
    coefficient that is exactly zero, a question mark one that was not told from zero.

    Parameters
    ----------
    k : int, default 12
        The last coefficient.

    >>> coefficients_figure("relu", 6).axes[0].get_title(loc="left")
    'relu: $c_k = \\mathrm{E}\\,\\sigma(Z)H_k(Z)/k!$'
    """
    from theorycalc.model.reading import activation

    known = activation(act)
    values = np.asarray(known.coefficients(k), dtype=float)
    undecided = set(known.undecided(len(values) - 1))
    roots = np.exp([math.lgamma(j + 1) / 2 for j in range(len(values))])
    sizes = np.abs(values) * roots
    shown = [j for j, size in enumerate(sizes) if size > 0 and j not in undecided]
    zeros = [j for j, size in enumerate(sizes) if size == 0 and j not in undecided]
    floor = min((sizes[j] for j in shown), default=1.0) / _MARGIN
    with canvas(ax, style, height=2.5) as sheet:
        axes = sheet.axes[0]
        axes.set_yscale("log")
        keys = []
        for number, (positive, marker, words) in enumerate(((True, "^", "$c_k > 0$"), (False, "v", "$c_k < 0$"))):
            places = [j for j in shown if (values[j] > 0) == positive]
            look = next_curve(axes, number) | {"marker": marker, "linestyle": ""}
            if places:
                name = "positive" if positive else "negative"
                fill = {} if positive else {"markerfacecolor": axes.get_facecolor()}
                how = sheet.main(words, gid=f"coefficients:{name}", **look, **fill)
                keys += axes.plot(places, sizes[places], **how)
                stems = {"color": keys[-1].get_color(), "lw": thin(0.9), "ls": "-" if positive else (0, (2, 1))}
                axes.vlines(places, floor, sizes[places], gid=f"coefficients:{name}:stems", **stems)
        on_the_axis = {"ls": "", "clip_on": False, "zorder": 5}
        if zeros:
            how = {"color": ink(), "marker": "x", "label": "exactly 0", "gid": "coefficients:zero"}
            keys += axes.plot(zeros, [floor] * len(zeros), **how, **on_the_axis)
        if undecided:
            how = {"color": PALE, "marker": "$?$", "label": "not told from 0", "gid": "coefficients:undecided"}
            keys += axes.plot(sorted(undecided), [floor] * len(undecided), **how, **on_the_axis)
        estimated = ", estimated" if known.guarantee == "estimated" else ""
        title = rf"{activation_words(known)}{estimated}: $c_k = \mathrm{{E}}\,\sigma(Z)H_k(Z)/k!$"
        size = r"size of the coefficient, $|c_k|\sqrt{k!}$"
        entitle(axes, x="k, degree of the Hermite polynomial", y=size, title=title)
        axes.set_ylim(floor, max((sizes[j] for j in shown), default=1.0) * 2.2, auto=None)
        axes.xaxis.get_major_locator().set_params(integer=True)
        return explain(sheet, axes, keys=keys)

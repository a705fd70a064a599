"""Activation.plot(): Hermite coefficients as stems, with their signs, and zeros that are exact."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.plots.style import COLOURS, INK, PALE, house_style, panels, plain

if TYPE_CHECKING:
    from theorycalc.activations.activation import Activation
    from theorycalc.plots.figure import HouseFigure

_MARGIN = 3.0  # room below the smallest coefficient, as a factor


def coefficients_figure(act: Activation | str, k: int = 12) -> HouseFigure:
    r"""Draw ``|c_j|√(j!)`` for j = 0, …, k, whose squares sum to E σ(Z)², on a logarithmic axis.

    A filled triangle up is a positive coefficient, a hollow one down a negative one; a cross on the axis is a
    coefficient that is exactly zero, a question mark one that was not told from zero.

    >>> coefficients_figure("relu", 6).axes[0].get_title(loc="left")
    'relu: $c_k = \\mathrm{E}\\,\\sigma(Z)H_k(Z)/k!$'
    """
    from theorycalc.activations.reading import activation

    known = activation(act)
    values = np.asarray(known.coefficients(k), dtype=float)
    undecided = _undecided(known, values)
    roots = np.exp([math.lgamma(j + 1) / 2 for j in range(len(values))])
    sizes = np.abs(values) * roots
    shown = [j for j, size in enumerate(sizes) if size > 0 and j not in undecided]
    zeros = [j for j, size in enumerate(sizes) if size == 0 and j not in undecided]
    floor = min((sizes[j] for j in shown), default=1.0) / _MARGIN
    with house_style():
        figure, (axes,) = panels(height=2.2)
        axes.set_yscale("log")
        for positive, marker, colour, words in (
            (True, "^", COLOURS[0], "$c_k > 0$"),
            (False, "v", COLOURS[1], "$c_k < 0$"),
        ):
            places = [j for j in shown if (values[j] > 0) == positive]
            if places:
                axes.vlines(places, floor, sizes[places], color=colour, lw=1.2, ls="-" if positive else (0, (2, 1)))
                fill = colour if positive else "white"
                axes.plot(places, sizes[places], marker, color=colour, mfc=fill, ms=5, label=words)
        if zeros:
            axes.plot(zeros, [floor] * len(zeros), "x", color=INK, ms=4.5, clip_on=False, zorder=5, label="exactly 0")
        if undecided:
            how = {"color": PALE, "marker": "$?$", "ls": "", "ms": 5, "clip_on": False, "zorder": 5}
            axes.plot(sorted(undecided), [floor] * len(undecided), label="not told from 0", **how)
        estimated = ", estimated" if known.guarantee == "estimated" else ""
        axes.set(xlabel="k, degree of the Hermite polynomial", ylabel=r"$|c_k|\sqrt{k!}$")
        axes.set_title(rf"{plain(known.name)}{estimated}: $c_k = \mathrm{{E}}\,\sigma(Z)H_k(Z)/k!$")
        axes.set_ylim(floor, max((sizes[j] for j in shown), default=1.0) * 2.2)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(loc="upper right", ncols=2, columnspacing=1.2, handletextpad=0.2, handlelength=1.2)
        return figure


def _undecided(known: Activation, values: np.ndarray) -> set[int]:
    """Return the k of which it is not known whether c_k is zero."""
    last = len(values) - 1
    if known.tree is not None:
        from theorycalc.activations.coefficients import undecided_coefficients

        return set(undecided_coefficients(known.tree, last))
    errors = known.estimate(last).errors
    return {j for j, (value, error) in enumerate(zip(values, errors, strict=True)) if abs(value) <= error}

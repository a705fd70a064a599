"""Double descent: the losses and the training error against the number of neurons per sample, for several ridges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import listed
from theorycalc.plots.canvas import canvas, entitle, next_curve
from theorycalc.plots.labels import explain, plain_numbers
from theorycalc.plots.style import COLOURS, PALE, thin
from theorycalc.plots.words import ELL, QUANTITIES, number_label, numbers_of, subject
from theorycalc.results.prediction import predict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RIDGES = ("1/10000", "1/100", "1")
_RATIOS = np.geomspace(0.1, 10, 301)  # N/n, with N = n in the middle
_PANELS = ("test_loss", "train_loss", "train_error")


@checked_call
def double_descent(problem: Problem, ell: Any = 0, ridge: Any = _RIDGES, ax: Any = None, **style: Any) -> Figure:
    r"""Draw test loss, training loss and training error against N/n at the problem's φ, for up to six ridges λ > 0.

    Parameters
    ----------
    problem : Problem
        The network and its data; N/n and the ridge replace its ψ and λ.
    ell : int or "inf", default 0
        Number of spikes; 0 is the network before the step.
    ridge : number or sequence of up to six, λ > 0, default 1/10000, 1/100 and 1
        Ridges, one for each curve.
    ax : matplotlib Axes or sequence of three, optional
        Axes to draw into: one for the test loss, or three for test loss, training loss (with penalty) and training
        error (without).  Default: those of a new figure.
    style : optional
        Properties of the curves, such as ``color``.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    TheoryError
        An argument is out of its range, or the theory has no limit for the problem.

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    >>> [axes.get_ylabel().replace("\n", " ") for axes in double_descent(problem, ell=2).axes]
    ['test loss', 'training loss, with penalty', 'training error, no penalty']
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"double_descent() takes a Problem, not {type(problem).__name__}", argument="problem")
    ridges = listed(ridge, "ridge")
    if not 1 <= len(ridges) <= len(COLOURS):
        raise ArgumentError(
            f"ridge has {len(ridges)} values; curves can be told apart for 1 to {len(COLOURS)}", argument="ridge"
        )
    psi = float(problem.phi) / _RATIOS  # N/n = φ/ψ
    curves = [predict(problem, ell=ell, psi=psi, ridge=value) for value in ridges]
    strengths = [float(np.ravel(np.asarray(curve.overrides["ridge"]))[0]) for curve in curves]
    if min(strengths) == 0:
        raise DomainError(
            "double_descent() needs ridge > 0: without a ridge the test loss is infinite at N = n", argument="ridge"
        )
    with canvas(ax, style, len(_PANELS), 1, height=5.3, sharex=True) as sheet:
        for axes, name in zip(sheet.axes, _PANELS, strict=False):
            ends = []
            for number, (curve, strength) in enumerate(zip(curves, strengths, strict=True)):
                look = next_curve(axes, number) | {"marker": ""}
                how = sheet.main(f"λ = {number_label(strength)}", gid=f"{name}:ridge={strength:g}", **look)
                ends += axes.plot(_RATIOS, np.asarray(getattr(curve, name)), **how)
            axes.axvline(1, color=PALE, lw=thin(0.5), zorder=0, gid=f"{name}:N=n")
            axes.set_xscale("log")
            axes.margins(x=0)
            entitle(axes, y=QUANTITIES[name].replace(", ", ",\n"))
            if name == "test_loss" and axes.get_ylim()[1] > 20 * max(axes.get_ylim()[0], 1e-300):
                axes.set_yscale("log")
                plain_numbers(axes.yaxis)
            else:
                axes.set_ylim(bottom=0, auto=None)
            explain(sheet, axes, ends)
        when = "before the step" if curves[0].ell == 0 else f"after the step, limit n → ∞, {ELL} = {curves[0].ell}"
        first = sheet.axes[0]
        place = {"xycoords": first.get_xaxis_transform(), "textcoords": "offset points", "va": "top"}
        first.annotate("N = n", (1, 1), (2, -1), gid="test_loss:N=n:label", **place)
        entitle(first, title=f"{subject(problem)}\n{when}\n{numbers_of(problem, without=('psi', 'ridge'))}")
        entitle(sheet.axes[-1], x="N/n, neurons per sample")
        return sheet.figure

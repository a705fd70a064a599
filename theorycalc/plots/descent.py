"""Double descent: the losses against the number of neurons per sample, for several ridges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, checked_call
from theorycalc.exact import listed
from theorycalc.plots.style import (
    COLOURS,
    LINES,
    PALE,
    house_style,
    label_ends,
    number_label,
    panels,
    plain,
    plain_numbers,
)
from theorycalc.prediction import predict
from theorycalc.theory.problem import Problem

if TYPE_CHECKING:
    from theorycalc.plots.figure import HouseFigure

_RIDGES = ("1/10000", "1/100", "1")
_RATIOS = np.geomspace(0.1, 10, 301)  # N/n, with N = n in the middle
_PANELS = (("test_loss", "test loss"), ("train_loss", "training loss"))


@checked_call
def double_descent(problem: Problem, ell: Any = 0, ridge: Any = _RIDGES) -> HouseFigure:
    """Draw test and training loss against N/n at the problem's φ, for up to six ridges λ > 0.

    ``ell`` spikes are there; ``ell=0`` is the network before the step.

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    >>> double_descent(problem, ell=2).axes[0].get_ylabel()
    'test loss'
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"double_descent() takes a Problem, not {type(problem).__name__}")
    ridges = listed(ridge, "ridge")
    if not 1 <= len(ridges) <= len(COLOURS):
        raise ArgumentError(f"ridge has {len(ridges)} values; curves can be told apart for 1 to {len(COLOURS)}")
    psi = float(problem.phi) / _RATIOS  # N/n = φ/ψ
    curves = [predict(problem, ell=ell, psi=psi, ridge=value) for value in ridges]
    strengths = [float(np.ravel(curve.overrides["ridge"])[0]) for curve in curves]
    if min(strengths) == 0:
        raise DomainError("double_descent() needs ridge > 0: without a ridge the test loss is infinite at N = n")
    with house_style():
        figure, axes = panels(2, 1, height=3.8, sharex=True)
        for axis, (name, label) in zip(axes, _PANELS, strict=True):
            ends = []
            for i, (curve, strength) in enumerate(zip(curves, strengths, strict=True)):
                losses = np.asarray(getattr(curve, name))
                axis.plot(_RATIOS, losses, color=COLOURS[i], ls=LINES[i])
                ends.append((float(losses[-1]), f"λ = {number_label(strength)}", COLOURS[i]))
            axis.axvline(1, color=PALE, lw=0.7, zorder=0)
            axis.set(xscale="log", ylabel=label)
            axis.margins(x=0)
            if name == "test_loss" and axis.get_ylim()[1] > 20 * max(axis.get_ylim()[0], 1e-300):
                axis.set_yscale("log")
                plain_numbers(axis.yaxis)
            else:
                axis.set_ylim(bottom=0)
            label_ends(axis, ends)
        when = "before the step" if curves[0].ell == 0 else f"after the step, ℓ = {curves[0].ell}"
        axes[0].set_title(f"{plain(problem.activation.name)}, φ = {float(problem.phi):.4g}, {when}")
        axes[0].annotate(
            "N = n", (1, 1), (2, -1), xycoords=axes[0].get_xaxis_transform(), textcoords="offset points", va="top"
        )
        axes[-1].set(xlabel="N/n, neurons per sample")
        return figure

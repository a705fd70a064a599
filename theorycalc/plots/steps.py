"""FiniteStep.plot(): one step as losses before and after; several as curves over α, η or λ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.alpha import alpha_figure
from theorycalc.plots.beside import curve_of
from theorycalc.plots.losses import change_figure, curves_figure
from theorycalc.plots.words import subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.step_result import FiniteStep


def step_figure(found: FiniteStep, ax: object = None, **style: object) -> Figure:
    """Draw a finite step, or a list of them over α (with the limits of the windows), over η or over λ.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> step_figure(tc.step(problem, n=1000, alpha=0.3)).axes[0].get_title(loc="left").splitlines()[1]
    'n = 1000, η = 7.943'
    """
    shape = np.shape(found.test_gain)
    title = f"{subject(found.problem)}\nn = {found.sizes.n}"
    if shape == ():
        noise = float(found.problem.noise) ** 2
        return change_figure(found, f"{title}, η = {float(found.eta):.4g}", noise, ax, style)
    steps, ridges = np.size(found.eta) > 1, np.size(found.ridge) > 1
    if len(shape) != 1 or (steps and ridges):
        raise ArgumentError(
            f"plot() draws one step, or a list of steps or of ridges; this result has an array of shape {shape}: "
            "sweep() draws two parameters as a heat map"
        )
    if ridges:
        title = f"{title}, η = {float(np.ravel(found.eta)[0]):.4g}"
        return curves_figure(found, "ridge", found.ridge, title, ax, style)
    if found.alpha is None:
        return curves_figure(found, "eta", found.eta, title, ax, style)
    problem = replace(found.problem, ridge=float(np.ravel(found.ridge)[0]))
    return alpha_figure(problem, [curve_of(found)], None, None, ax, style)

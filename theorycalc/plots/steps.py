"""FiniteStep.plot(): one step as losses before and after; several as curves over α, η or λ."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.alpha import alpha_figure
from theorycalc.plots.losses import change_figure, curves_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.step_result import FiniteStep


def step_figure(found: FiniteStep) -> Figure:
    """Draw a finite step, or a list of them over α (with the limits of the windows), over η or over λ.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> step_figure(tc.step(problem, n=1000, alpha=0.3)).axes[0].get_title(loc="left")
    'relu, n = 1000, η = 7.943'
    """
    shape = np.shape(found.test_gain)
    title = f"{found.problem.activation.name}, n = {found.sizes.n}"
    if shape == ():
        return change_figure(found, f"{title}, η = {float(found.eta):.4g}", float(found.problem.noise) ** 2)
    steps, ridges = np.size(found.eta) > 1, np.size(found.ridge) > 1
    if len(shape) != 1 or (steps and ridges):
        raise ArgumentError(
            f"plot() draws one step, or a list of steps or of ridges; this result has an array of shape {shape}"
        )
    if ridges:
        return curves_figure(found, "ridge", found.ridge, f"{title}, η = {float(np.ravel(found.eta)[0]):.4g}")
    if found.alpha is None:
        return curves_figure(found, "eta", found.eta, title)
    return alpha_figure(replace(found.problem, ridge=float(np.ravel(found.ridge)[0])), [found], None)

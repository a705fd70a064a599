"""Prediction.plot(): losses before and after the step, of one point or over one parameter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.losses import change_figure, curves_figure
from theorycalc.plots.words import ELL, subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.prediction import Prediction


def prediction_figure(found: Prediction, ax: object = None, **style: object) -> Figure:
    r"""Draw a prediction: one point as losses before and after, an array of one parameter as curves over it.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> figure = prediction_figure(tc.predict(problem, ell=2))
    >>> figure.axes[0].get_title(loc="left").splitlines()
    ['relu, teacher $H_{1}$ + $H_{2}$/2', 'limit n → ∞, $\\ell$ = 2']
    """
    ell = "∞" if found.ell == math.inf else found.ell
    title = f"{subject(found.problem)}\nlimit n → ∞, {ELL} = {ell}"
    varying = {name: value for name, value in found.overrides.items() if np.size(np.asarray(value)) > 1}
    if np.size(found.test_gain) == 1:
        noise = float(np.ravel(np.asarray(found.overrides.get("noise", found.problem.noise)))[0])
        return change_figure(_Single(found), title, noise**2, ax, style)
    if len(varying) != 1 or np.ndim(found.test_gain) != 1:
        raise ArgumentError(
            f"plot() draws one point or a list over one parameter; this prediction has an array of shape "
            f"{np.shape(found.test_gain)} over {', '.join(varying)}: sweep() draws two parameters as a heat map"
        )
    ((name, places),) = varying.items()
    return curves_figure(found, name, places, title, ax, style)


class _Single:
    """The one number that each array of a prediction has."""

    def __init__(self, found: Prediction) -> None:
        self._found = found

    def __getattr__(self, name: str) -> float:
        return float(np.ravel(getattr(self._found, name))[0])

"""Figures of results, each by a function that returns a matplotlib figure, and their style.

Results draw themselves with ``.plot()``; a figure of several results has its function here.
"""

from __future__ import annotations

from theorycalc.plots.alpha import gain_against_alpha as gain_against_alpha
from theorycalc.plots.curves import best_figure as best_figure
from theorycalc.plots.curves import coefficients_figure as coefficients_figure
from theorycalc.plots.curves import error_rate_figure as error_rate_figure
from theorycalc.plots.curves import ranking_figure as ranking_figure
from theorycalc.plots.curves import traces_figure as traces_figure
from theorycalc.plots.diagrams import double_descent as double_descent
from theorycalc.plots.diagrams import phase_diagram as phase_diagram
from theorycalc.plots.learning import losses_figure as losses_figure
from theorycalc.plots.learning import pool_figure as pool_figure
from theorycalc.plots.learning import splits_figure as splits_figure
from theorycalc.plots.losses import prediction_figure as prediction_figure
from theorycalc.plots.losses import step_figure as step_figure
from theorycalc.plots.observed import comparison_figure as comparison_figure
from theorycalc.plots.observed import run_figure as run_figure
from theorycalc.plots.saving import save as save
from theorycalc.plots.spectra import spectrum_figure as spectrum_figure
from theorycalc.plots.spectra import weights_figure as weights_figure
from theorycalc.plots.stairs import staircase_figure as staircase_figure
from theorycalc.plots.style import house_style as house_style
from theorycalc.plots.sweeps import sweep_figure as sweep_figure

__all__ = sorted(name for name, value in vars().items() if callable(value))  # noqa: PLE0605 - the functions above


def __dir__() -> list[str]:
    return __all__

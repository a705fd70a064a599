"""Figures of results, each by a function that returns a matplotlib figure, and their style.

Results draw themselves with ``.plot()``; a figure of several results has its function here.  Names are loaded
when they are first used, so that a result can draw itself without everything above it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theorycalc.plots.alpha import gain_against_alpha as gain_against_alpha
    from theorycalc.plots.best import best_figure as best_figure
    from theorycalc.plots.best import ranking_figure as ranking_figure
    from theorycalc.plots.coefficients import coefficients_figure as coefficients_figure
    from theorycalc.plots.comparisons import comparison_figure as comparison_figure
    from theorycalc.plots.descent import double_descent as double_descent
    from theorycalc.plots.learning import losses_figure as losses_figure
    from theorycalc.plots.learning import pool_figure as pool_figure
    from theorycalc.plots.learning import splits_figure as splits_figure
    from theorycalc.plots.losses import prediction_figure as prediction_figure
    from theorycalc.plots.losses import step_figure as step_figure
    from theorycalc.plots.phases import phase_diagram as phase_diagram
    from theorycalc.plots.rates import error_rate_figure as error_rate_figure
    from theorycalc.plots.runs import run_figure as run_figure
    from theorycalc.plots.saving import save as save
    from theorycalc.plots.spectra import spectrum_figure as spectrum_figure
    from theorycalc.plots.stairs import staircase_figure as staircase_figure
    from theorycalc.plots.style import house_style as house_style
    from theorycalc.plots.sweeps import sweep_figure as sweep_figure
    from theorycalc.plots.traces import traces_figure as traces_figure
    from theorycalc.plots.weights import weights_figure as weights_figure

_HOME = {
    "best_figure": "best",
    "coefficients_figure": "coefficients",
    "comparison_figure": "comparisons",
    "double_descent": "descent",
    "error_rate_figure": "rates",
    "gain_against_alpha": "alpha",
    "house_style": "style",
    "losses_figure": "learning",
    "phase_diagram": "phases",
    "pool_figure": "learning",
    "prediction_figure": "losses",
    "ranking_figure": "best",
    "run_figure": "runs",
    "save": "saving",
    "spectrum_figure": "spectra",
    "splits_figure": "learning",
    "staircase_figure": "stairs",
    "step_figure": "losses",
    "sweep_figure": "sweeps",
    "traces_figure": "traces",
    "weights_figure": "weights",
}

__all__ = [*_HOME]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'theorycalc.plots' has no attribute {name!r}")
    value = getattr(import_module(f"theorycalc.plots.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

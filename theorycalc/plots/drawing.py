"""draw(): the figure of any result, called by every result's ``.plot()``."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from theorycalc.comparison.verdict import Comparison
from theorycalc.errors import ArgumentError
from theorycalc.model.activation import Activation
from theorycalc.plots.best import best_figure, ranking_figure
from theorycalc.plots.coefficients import coefficients_figure
from theorycalc.plots.comparisons import comparison_figure
from theorycalc.plots.feature_gains import feature_gain_figure
from theorycalc.plots.learning import losses_figure, pool_figure, splits_figure
from theorycalc.plots.losses import prediction_figure, step_figure
from theorycalc.plots.rates import error_rate_figure
from theorycalc.plots.runs import run_figure
from theorycalc.plots.scaling_laws import scaling_law_figure
from theorycalc.plots.spectra import spectrum_figure
from theorycalc.plots.stairs import staircase_figure
from theorycalc.plots.sweeps import sweep_figure
from theorycalc.plots.traces import traces_figure
from theorycalc.plots.weights import weights_figure
from theorycalc.pools.feature_losses import FeatureLosses
from theorycalc.pools.feature_pool import FeaturePool
from theorycalc.pools.gained import FeatureGain
from theorycalc.pools.splits import FeatureComparison
from theorycalc.results.error_rates import ErrorRate
from theorycalc.results.listing import ActivationList
from theorycalc.results.prediction import Prediction
from theorycalc.results.ranking import Ranking
from theorycalc.results.scaling_law import ScalingLaw
from theorycalc.results.search import Best
from theorycalc.results.spectrum import Spectrum
from theorycalc.results.staircase import Staircase
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.trace_solver import TraceResult
from theorycalc.results.weight_spectrum import WeightSpectrum
from theorycalc.simulation.run import Run
from theorycalc.sweeps.result import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def draw(result: object, ax: object = None, **style: object) -> Figure:
    """Return the matplotlib figure of a result; each kind of result has its own options beside ``ax`` and style.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> draw(tc.predict(problem, ell=2)).axes[0].get_xlabel()
    'loss or error'
    """
    name = type(result).__name__
    kind = f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
    instead = ", only of each activation in it" if isinstance(result, ActivationList) else ""
    raise ArgumentError(f"there is no figure of {kind}{instead}", argument="result")


draw.register(Activation, coefficients_figure)
draw.register(Best, best_figure)
draw.register(Comparison, comparison_figure)
draw.register(ErrorRate, error_rate_figure)
draw.register(FeatureComparison, splits_figure)
draw.register(FeatureGain, feature_gain_figure)
draw.register(FeatureLosses, losses_figure)
draw.register(FeaturePool, pool_figure)
draw.register(FiniteStep, step_figure)
draw.register(Prediction, prediction_figure)
draw.register(Ranking, ranking_figure)
draw.register(Run, run_figure)
draw.register(ScalingLaw, scaling_law_figure)
draw.register(Spectrum, spectrum_figure)
draw.register(Staircase, staircase_figure)
draw.register(Sweep, sweep_figure)
draw.register(TraceResult, traces_figure)
draw.register(WeightSpectrum, weights_figure)

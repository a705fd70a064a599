"""theorycalc: a calculator of the features that one large gradient step teaches a two-layer network.

Names are loaded when they are first used, so that ``import theorycalc`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__

if TYPE_CHECKING:
    from theorycalc import plots as plots
    from theorycalc import symbolic as symbolic
    from theorycalc.comparison.compare import compare as compare
    from theorycalc.comparison.verdict import Comparison as Comparison
    from theorycalc.documents.report import Report as Report
    from theorycalc.documents.report import report as report
    from theorycalc.documents.sheet import Sheet as Sheet
    from theorycalc.documents.sheet import sheet as sheet
    from theorycalc.errors import ArgumentError as ArgumentError
    from theorycalc.errors import DomainError as DomainError
    from theorycalc.errors import ExpressionError as ExpressionError
    from theorycalc.errors import PrecisionError as PrecisionError
    from theorycalc.errors import RankingInterrupted as RankingInterrupted
    from theorycalc.errors import SimulationError as SimulationError
    from theorycalc.errors import SimulationInterrupted as SimulationInterrupted
    from theorycalc.errors import SweepError as SweepError
    from theorycalc.errors import SweepInterrupted as SweepInterrupted
    from theorycalc.errors import TheoryError as TheoryError
    from theorycalc.model import conventions as conventions
    from theorycalc.model.activation import Activation as Activation
    from theorycalc.model.conventions import ridge_from as ridge_from
    from theorycalc.model.conventions import ridge_to as ridge_to
    from theorycalc.model.inputs import Inputs as Inputs
    from theorycalc.model.problem import Problem as Problem
    from theorycalc.model.reading import activation as activation
    from theorycalc.model.reading import coefficients as coefficients
    from theorycalc.model.teacher import Teacher as Teacher
    from theorycalc.pools.feature_losses import FeatureLosses as FeatureLosses
    from theorycalc.pools.feature_pool import FeaturePool as FeaturePool
    from theorycalc.pools.feature_pool import features as features
    from theorycalc.pools.gained import FeatureGain as FeatureGain
    from theorycalc.pools.gained import feature_gain as feature_gain
    from theorycalc.pools.networks import feature_batches as feature_batches
    from theorycalc.pools.networks import features_of as features_of
    from theorycalc.pools.splits import CrossValidation as CrossValidation
    from theorycalc.pools.splits import FeatureComparison as FeatureComparison
    from theorycalc.pools.splits import gcv as gcv
    from theorycalc.results.error_rates import ErrorRate as ErrorRate
    from theorycalc.results.error_rates import error_rate as error_rate
    from theorycalc.results.finite_step import step as step
    from theorycalc.results.listing import ActivationList as ActivationList
    from theorycalc.results.listing import list_activations as list_activations
    from theorycalc.results.planning import best as best
    from theorycalc.results.planning import best_ridge as best_ridge
    from theorycalc.results.planning import best_step as best_step
    from theorycalc.results.planning import samples_needed as samples_needed
    from theorycalc.results.prediction import Prediction as Prediction
    from theorycalc.results.prediction import predict as predict
    from theorycalc.results.ranking import Ranking as Ranking
    from theorycalc.results.ranking import rank_activations as rank_activations
    from theorycalc.results.repetitions import draws_needed as draws_needed
    from theorycalc.results.scaling_law import ScalingLaw as ScalingLaw
    from theorycalc.results.scaling_law import scaling_law as scaling_law
    from theorycalc.results.spectrum import Spectrum as Spectrum
    from theorycalc.results.spectrum import spectrum as spectrum
    from theorycalc.results.staircase import Staircase as Staircase
    from theorycalc.results.staircase import staircase as staircase
    from theorycalc.results.step_result import FiniteStep as FiniteStep
    from theorycalc.results.trace_solver import traces as traces
    from theorycalc.results.weight_spectrum import WeightSpectrum as WeightSpectrum
    from theorycalc.results.weight_spectrum import weight_spectrum as weight_spectrum
    from theorycalc.simulation.experiment import simulate as simulate
    from theorycalc.simulation.run import Run as Run
    from theorycalc.simulation.run import load_run as load_run
    from theorycalc.sweeps.result import Sweep as Sweep
    from theorycalc.sweeps.sweeping import sweep as sweep
    from theorycalc.symbolic.latex import latex as latex
    from theorycalc.theory.windows import window as window
    from theorycalc.theory.windows import window_bounds as window_bounds

_HOME = {
    "Activation": "model.activation",
    "ActivationList": "results.listing",
    "ArgumentError": "errors",
    "Comparison": "comparison.verdict",
    "CrossValidation": "pools.splits",
    "DomainError": "errors",
    "ErrorRate": "results.error_rates",
    "ExpressionError": "errors",
    "FeatureGain": "pools.gained",
    "FeatureComparison": "pools.splits",
    "FeatureLosses": "pools.feature_losses",
    "FeaturePool": "pools.feature_pool",
    "FiniteStep": "results.step_result",
    "Inputs": "model.inputs",
    "PrecisionError": "errors",
    "Prediction": "results.prediction",
    "Problem": "model.problem",
    "Ranking": "results.ranking",
    "RankingInterrupted": "errors",
    "Report": "documents.report",
    "Run": "simulation.run",
    "ScalingLaw": "results.scaling_law",
    "Sheet": "documents.sheet",
    "SimulationError": "errors",
    "SimulationInterrupted": "errors",
    "Spectrum": "results.spectrum",
    "Staircase": "results.staircase",
    "Sweep": "sweeps.result",
    "SweepError": "errors",
    "SweepInterrupted": "errors",
    "Teacher": "model.teacher",
    "TheoryError": "errors",
    "WeightSpectrum": "results.weight_spectrum",
    "activation": "model.reading",
    "best": "results.planning",
    "best_ridge": "results.planning",
    "best_step": "results.planning",
    "coefficients": "model.reading",
    "compare": "comparison.compare",
    "error_rate": "results.error_rates",
    "feature_batches": "pools.networks",
    "feature_gain": "pools.gained",
    "features": "pools.feature_pool",
    "features_of": "pools.networks",
    "gcv": "pools.splits",
    "latex": "symbolic.latex",
    "list_activations": "results.listing",
    "load_run": "simulation.run",
    "predict": "results.prediction",
    "rank_activations": "results.ranking",
    "report": "documents.report",
    "ridge_from": "model.conventions",
    "ridge_to": "model.conventions",
    "samples_needed": "results.planning",
    "scaling_law": "results.scaling_law",
    "draws_needed": "results.repetitions",
    "sheet": "documents.sheet",
    "simulate": "simulation.experiment",
    "spectrum": "results.spectrum",
    "staircase": "results.staircase",
    "step": "results.finite_step",
    "sweep": "sweeps.sweeping",
    "traces": "results.trace_solver",
    "weight_spectrum": "results.weight_spectrum",
    "window": "theory.windows",
    "window_bounds": "theory.windows",
}

#: Modules that are used by their name.
_ROOMS = {"conventions": "model.conventions", "plots": "plots", "symbolic": "symbolic"}

__all__ = ["__version__", *_HOME, *_ROOMS]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"theorycalc.{_ROOMS[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'theorycalc' has no attribute {name!r}")
    value = getattr(import_module(f"theorycalc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""theorycalc: a calculator of the features that one large gradient step teaches a two-layer network.

Names are loaded when they are first used, so that ``import theorycalc`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__

if TYPE_CHECKING:
    from theorycalc import plots as plots, symbolic as symbolic
    from theorycalc.comparison.compare import compare as compare
    from theorycalc.comparison.verdict import Comparison as Comparison
    from theorycalc.documents.report import Report as Report, report as report
    from theorycalc.documents.sheet import Sheet as Sheet, sheet as sheet
    from theorycalc.errors import (
        ArgumentError as ArgumentError,
        BudgetError as BudgetError,
        DomainError as DomainError,
        ExpressionError as ExpressionError,
        PrecisionError as PrecisionError,
        RankingInterrupted as RankingInterrupted,
        SimulationError as SimulationError,
        SimulationInterrupted as SimulationInterrupted,
        SweepError as SweepError,
        SweepInterrupted as SweepInterrupted,
        TheoryError as TheoryError,
    )
    from theorycalc.model import conventions as conventions
    from theorycalc.model.activation import Activation as Activation
    from theorycalc.model.budgets import budget as budget
    from theorycalc.model.conventions import ridge_from as ridge_from, ridge_to as ridge_to
    from theorycalc.model.inputs import Inputs as Inputs
    from theorycalc.model.problem import Problem as Problem
    from theorycalc.model.reading import activation as activation, coefficients as coefficients
    from theorycalc.model.teacher import Teacher as Teacher
    from theorycalc.pools.feature_losses import FeatureLosses as FeatureLosses
    from theorycalc.pools.feature_pool import FeaturePool as FeaturePool, features as features
    from theorycalc.pools.gained import FeatureGain as FeatureGain, feature_gain as feature_gain
    from theorycalc.pools.networks import feature_batches as feature_batches, features_of as features_of
    from theorycalc.pools.splits import (
        CrossValidation as CrossValidation,
        FeatureComparison as FeatureComparison,
        gcv as gcv,
    )
    from theorycalc.results.error_rates import ErrorRate as ErrorRate, error_rate as error_rate
    from theorycalc.results.finite_step import step as step
    from theorycalc.results.listing import ActivationList as ActivationList, list_activations as list_activations
    from theorycalc.results.planning import (
        best as best,
        best_ridge as best_ridge,
        best_step as best_step,
        samples_needed as samples_needed,
    )
    from theorycalc.results.prediction import Prediction as Prediction, predict as predict
    from theorycalc.results.ranking import Ranking as Ranking, rank_activations as rank_activations
    from theorycalc.results.repetitions import draws_needed as draws_needed
    from theorycalc.results.scaling_law import ScalingLaw as ScalingLaw, scaling_law as scaling_law
    from theorycalc.results.spectrum import Spectrum as Spectrum, spectrum as spectrum
    from theorycalc.results.staircase import Staircase as Staircase, staircase as staircase
    from theorycalc.results.step_result import FiniteStep as FiniteStep
    from theorycalc.results.trace_solver import traces as traces
    from theorycalc.results.weight_spectrum import WeightSpectrum as WeightSpectrum, weight_spectrum as weight_spectrum
    from theorycalc.simulation.experiment import simulate as simulate
    from theorycalc.simulation.run import Run as Run, load_run as load_run
    from theorycalc.sweeps.result import Sweep as Sweep
    from theorycalc.sweeps.sweeping import sweep as sweep
    from theorycalc.symbolic.latex import latex as latex
    from theorycalc.theory.windows import window as window, window_bounds as window_bounds

#: The public names of each module.
_NAMES = {
    "comparison.compare": "compare",
    "comparison.verdict": "Comparison",
    "documents.report": "Report report",
    "documents.sheet": "Sheet sheet",
    "errors": (
        "ArgumentError BudgetError DomainError ExpressionError PrecisionError RankingInterrupted SimulationError "
        "SimulationInterrupted SweepError SweepInterrupted TheoryError"
    ),
    "model.activation": "Activation",
    "model.budgets": "budget",
    "model.conventions": "ridge_from ridge_to",
    "model.inputs": "Inputs",
    "model.problem": "Problem",
    "model.reading": "activation coefficients",
    "model.teacher": "Teacher",
    "pools.feature_losses": "FeatureLosses",
    "pools.feature_pool": "FeaturePool features",
    "pools.gained": "FeatureGain feature_gain",
    "pools.networks": "feature_batches features_of",
    "pools.splits": "CrossValidation FeatureComparison gcv",
    "results.error_rates": "ErrorRate error_rate",
    "results.finite_step": "step",
    "results.listing": "ActivationList list_activations",
    "results.planning": "best best_ridge best_step samples_needed",
    "results.prediction": "Prediction predict",
    "results.ranking": "Ranking rank_activations",
    "results.repetitions": "draws_needed",
    "results.scaling_law": "ScalingLaw scaling_law",
    "results.spectrum": "Spectrum spectrum",
    "results.staircase": "Staircase staircase",
    "results.step_result": "FiniteStep",
    "results.trace_solver": "traces",
    "results.weight_spectrum": "WeightSpectrum weight_spectrum",
    "simulation.experiment": "simulate",
    "simulation.run": "Run load_run",
    "sweeps.result": "Sweep",
    "sweeps.sweeping": "sweep",
    "symbolic.latex": "latex",
    "theory.windows": "window window_bounds",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

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

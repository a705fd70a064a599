"""theorycalc: what one large gradient step teaches a two-layer network, computed.

Names are loaded when they are first used, so that ``import theorycalc`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__

if TYPE_CHECKING:
    from theorycalc import plots as plots
    from theorycalc import symbolic as symbolic
    from theorycalc.activations.activation import Activation as Activation
    from theorycalc.activations.coefficients import coefficients as coefficients
    from theorycalc.activations.reading import activation as activation
    from theorycalc.activations.teacher import Teacher as Teacher
    from theorycalc.comparison import Comparison as Comparison
    from theorycalc.comparison import compare as compare
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
    from theorycalc.finite_step import step as step
    from theorycalc.grids.result import Sweep as Sweep
    from theorycalc.grids.sweeping import sweep as sweep
    from theorycalc.joint_search import best as best
    from theorycalc.listing import ActivationList as ActivationList
    from theorycalc.listing import list_activations as list_activations
    from theorycalc.planning import best_ridge as best_ridge
    from theorycalc.planning import best_step as best_step
    from theorycalc.planning import samples_needed as samples_needed
    from theorycalc.prediction import Prediction as Prediction
    from theorycalc.prediction import predict as predict
    from theorycalc.ranking import rank_activations as rank_activations
    from theorycalc.ranking_result import Ranking as Ranking
    from theorycalc.reporting.report import Report as Report
    from theorycalc.reporting.report import report as report
    from theorycalc.simulation.experiment import simulate as simulate
    from theorycalc.simulation.run import Run as Run
    from theorycalc.simulation.run import load_run as load_run
    from theorycalc.spectra import Spectrum as Spectrum
    from theorycalc.spectra import spectrum as spectrum
    from theorycalc.stairs import Staircase as Staircase
    from theorycalc.stairs import staircase as staircase
    from theorycalc.step_result import FiniteStep as FiniteStep
    from theorycalc.theory.conventions import ridge_from as ridge_from
    from theorycalc.theory.problem import Problem as Problem
    from theorycalc.theory.windows import window as window
    from theorycalc.theory.windows import window_bounds as window_bounds
    from theorycalc.trace_solver import traces as traces
    from theorycalc.typesetting.latex import latex as latex
    from theorycalc.typesetting.sheet import Sheet as Sheet
    from theorycalc.typesetting.sheet import sheet as sheet

_HOME = {
    "Activation": "activations.activation",
    "ActivationList": "listing",
    "ArgumentError": "errors",
    "Comparison": "comparison",
    "DomainError": "errors",
    "ExpressionError": "errors",
    "FiniteStep": "step_result",
    "PrecisionError": "errors",
    "Prediction": "prediction",
    "Problem": "theory.problem",
    "Ranking": "ranking_result",
    "RankingInterrupted": "errors",
    "Report": "reporting.report",
    "Run": "simulation.run",
    "Sheet": "typesetting.sheet",
    "SimulationError": "errors",
    "SimulationInterrupted": "errors",
    "Spectrum": "spectra",
    "Staircase": "stairs",
    "Sweep": "grids.result",
    "SweepError": "errors",
    "SweepInterrupted": "errors",
    "Teacher": "activations.teacher",
    "TheoryError": "errors",
    "activation": "activations.reading",
    "best": "joint_search",
    "best_ridge": "planning",
    "best_step": "planning",
    "coefficients": "activations.coefficients",
    "compare": "comparison",
    "latex": "typesetting.latex",
    "list_activations": "listing",
    "load_run": "simulation.run",
    "predict": "prediction",
    "rank_activations": "ranking",
    "report": "reporting.report",
    "ridge_from": "theory.conventions",
    "samples_needed": "planning",
    "sheet": "typesetting.sheet",
    "simulate": "simulation.experiment",
    "spectrum": "spectra",
    "staircase": "stairs",
    "step": "finite_step",
    "sweep": "grids.sweeping",
    "traces": "trace_solver",
    "window": "theory.windows",
    "window_bounds": "theory.windows",
}

_ROOMS = ("plots", "symbolic")  # packages that are used by their name

__all__ = ["__version__", *_HOME, *_ROOMS]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"theorycalc.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'theorycalc' has no attribute {name!r}")
    value = getattr(import_module(f"theorycalc.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""Answers to the page's questions: each function returns plain data for one part of it.

A part that the theory cannot give carries the reason as ``refused``; the page still shows the others.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from theorycalc.documents.html import mathml
from theorycalc.errors import DomainError, TheoryError, about
from theorycalc.explorer.copied import calls_of, command_of, python_of
from theorycalc.explorer.densities import bulk, outliers, weights
from theorycalc.explorer.fields import FIELDS, Data, PageCase, case_of, or_refused
from theorycalc.model.initialisations import INITIALISATIONS, Layers, layers_from
from theorycalc.model.parameters import OPTIONS, PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import takes_signs
from theorycalc.model.sizes import Sizes, in_float64, sizes_of
from theorycalc.numbers.exact import spell
from theorycalc.results.error_rates import error_rate
from theorycalc.results.finite_step import step
from theorycalc.results.listing import names_without_parameters
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.quantities import CLEAN, value_of
from theorycalc.results.step_result import FiniteStep, few_samples
from theorycalc.running.budget import allowing, one_budget
from theorycalc.symbolic import cases, folding
from theorycalc.symbolic.printer import Line, display, expression
from theorycalc.theory.conditions import conditions_of
from theorycalc.theory.windows import window, window_bounds

_SLOW = ("finite", "curve", "outliers")  # their lanes end them, and a button gives them more time
_LARGEST_EXPONENT = 700  # of e, in floats
_STAIRS = 8  # the largest ℓ that is drawn
_LARGEST_FORMULA = 12
_PATH_POINTS = 61
_PATH_DECADES = 3  # of λ on either side of the chosen one
_CURVE = [i / 50 for i in range(31)]  # α = 0, 0.02, …, 0.6
_IN_FORMULAS = ("activation", "step_samples", *OPTIONS)  # fields that formulas depend on
_LOSSES = ("train_loss", "test_loss", "train_loss_initial", "test_loss_initial")
_VALUES = ("train_gain", "test_gain", *_LOSSES, "train_error", "train_error_initial", *CLEAN)
_THEORYS_LAYERS = "rows of W₀ of length 1, entries of √N a of standard deviation 1"
_NUMBERS = ("phi", "psi", "ridge", "noise")


def answer(kind: str, fields: dict[str, object]) -> Data:
    """Return the part of the page named by ``kind``, or an error with its field.

    >>> answer("now", {})["ell"], answer("now", {"phi": "-1"})["error"]["field"]
    (2, 'phi')
    """
    try:
        if kind == "simulate":
            from theorycalc.explorer.simulated import simulated  # loaded by the worker that needs it

            others = {name: value for name, value in fields.items() if name != "draws"}
            return simulated(case_of(others), fields.get("draws"))
        with one_budget():
            case = case_of(fields)
            if kind not in _SLOW:
                return PARTS[kind](case)
        with allowing(float("inf")):
            return PARTS[kind](case)
    except TheoryError as error:
        message, reason = str(error), getattr(error, "reason", None)
        shown = message.removeprefix(f"{reason}\n") if reason and message.startswith(f"{reason}\n") else ""
        field = error.argument if error.argument in FIELDS else None
        return {"error": {"field": field, "message": reason if shown else message, "shown": shown}}


def _eta(case: PageCase) -> float | None:
    """Return η, or None if it is out of the range of floats."""
    if case.eta is not None:
        return in_float64(case.eta, "eta")
    exponent = float(case.alpha) * math.log(case.n)
    return math.exp(exponent) if exponent < _LARGEST_EXPONENT else None


def now(case: PageCase) -> Data:
    """Return the parts that follow a slider immediately: staircases, limits, losses, and spectra before the step.

    Limits and staircases are two: ``theorem``, and ``literal``, the limit of literal networks.
    """
    ell, no_limit = _window(case)
    problem, literal = case.problem, ("literal", case.gradient)
    given = {"alpha": case.alpha} | {name: getattr(problem, name) for name in _NUMBERS}
    numbers = {name: in_float64(x, name) for name, x in given.items()}
    with about("n"):
        sizes = sizes_of(problem, case.n)
    stairs = {"theorem": _staircase(problem), "literal": or_refused(lambda: _staircase(problem, *literal))}
    limits = {}
    if ell is not None:
        limits = {"theorem": _limit(problem, ell), "literal": or_refused(lambda: _limit(problem, ell, *literal))}
    steps = tuple(name for name, limit in limits.items() if "refused" not in limit)
    rates = _rates(case, ell)
    rated = tuple(name for name in steps or ("before",) if "error_rate" in rates.get(name, {}))
    return {
        "numbers": numbers,
        "sizes": sizes._asdict(),
        "eta": _eta(case),
        "initialisation": initialisation_of(problem, sizes),
        "alpha": case.texts["alpha"] if case.eta is None else f"{case.alpha:.4g} (η = {case.texts['eta']})",
        "gradient": case.gradient,
        "ell": ell,
        "no_limit": no_limit,
        "limit": limits,
        "staircase": stairs,
        "rates": rates,
        "path": or_refused(lambda: _path(problem, ell, case.gradient)),
        "spectrum": or_refused(lambda: bulk(dataclasses.replace(problem, ridge=1), case.n)),
        "weights": weights(dataclasses.replace(problem, ridge=1), **case.how),
        "formulas": " ".join([str(ell), *(case.texts[name] for name in _IN_FORMULAS)]),
        "python": python_of(case.texts, case.n, steps, rated),
        "command": command_of(case.texts, case.n, steps, rated),
    }


def finite(case: PageCase) -> Data:
    """Return the finite step at the chosen α by dressed features, a warning if n is small, and the code for it."""
    found = or_refused(lambda: _one_step(step(case.problem, **case.how)))
    rate = {"rate": _rate(case.problem, **case.how)} if takes_signs(case.problem.teacher) else {}
    if "refused" in found:
        return found | rate
    rated = ("network",) if "error_rate" in rate.get("rate", {}) else ()
    code = {"python": calls_of(case.texts, case.n, ("network",), rated)}
    return found | rate | code | {"command": command_of(case.texts, case.n, ("network",), rated)}


def curve(case: PageCase) -> Data:
    """Return finite steps along α, by dressed features."""
    found = or_refused(lambda: _finite_data(step(case.problem, n=case.n, alpha=_CURVE, gradient=case.gradient)))
    return found | {"alpha": _CURVE}


def formulas(case: PageCase) -> Data:
    """Return Δ_ℓ and Λ_ℓ of the window of α, as MathML and as LaTeX."""
    ell, no_limit = _window(case)
    if ell is None:
        return {"refused": no_limit}
    if ell > _LARGEST_FORMULA:
        return {"refused": f"formulas are shown up to ℓ = {_LARGEST_FORMULA}; this is window ℓ = {ell}"}
    return or_refused(lambda: _gains(case.problem, ell))


def _gains(problem: Problem, ell: int) -> Data:
    gains = folding.both_gains(cases.case_of(ell, problem, exact=False))
    return {
        "ell": ell,
        "statement": [_mathml(line) for line in gains.statement],
        "where": [_mathml(line) for line in gains.where],
        "latex": display(gains.statement, gains.where),
    }


def _mathml(line: Line) -> list[str]:
    right = f"{line.relation} {expression(line.right)}"
    return [mathml(rf"\displaystyle {side}") for side in (expression(line.left), right)]


def choices(case: PageCase) -> Data:
    """Return the named activations that need no parameter, and how different libraries draw layers of these sizes."""
    drawn = _initialisations(sizes_of(case.problem, case.n))
    texts = {name: {field: str(spell(value)) for field, value in one._asdict().items()} for name, one in drawn.items()}
    words = {"theory": _THEORYS_LAYERS} | {name: one.words for name, one in INITIALISATIONS.items()}
    layers = {name: {"words": words[name], "fields": fields} for name, fields in texts.items()}
    return {"activations": sorted(names_without_parameters()), "initialisations": layers}


def initialisation_of(problem: Problem, sizes: Sizes) -> str | None:
    """Return the name of the initialisation that draws the layers of a problem, or None.

    >>> problem = Problem("relu", "H1", "1/2", "2/3", 1, first_scale="1/sqrt(3)", second_scale="1/sqrt(3)")
    >>> sizes = Sizes(1000, 500, 750)
    >>> initialisation_of(problem, sizes), initialisation_of(Problem("relu", "H1", "1/2", "2/3", 1), sizes)
    (None, 'theory')
    """
    own = Layers(**{field: getattr(problem, field) for field in Layers._fields})
    return next((name for name, layers in _initialisations(sizes).items() if layers == own), None)


@lru_cache(maxsize=64)
def _initialisations(sizes: Sizes) -> dict[str, Layers]:
    """Return the layers of the theory, and those that libraries draw at these sizes."""
    defaults: dict[str, Any] = {field: PARAMETERS[field].default for field in Layers._fields}
    drawn = {name: layers_from(name, d=sizes.d, N=sizes.N) for name in INITIALISATIONS}
    return {"theory": Layers(**defaults)} | drawn


def _window(case: PageCase) -> tuple[int | None, str | None]:
    """Return the ℓ of the step's window, or the reason why it has none."""
    try:
        return window(case.alpha), None
    except DomainError as error:
        return None, str(error)


def _predicted(problem: Problem, ell: int | str, network: str, gradient: str | None, **numbers: Any) -> Prediction:
    """Return a limit n → ∞; its problem is at fixed numbers, so that its constants are cached between slider moves."""
    given = {name: getattr(problem, name) for name in _NUMBERS} | numbers
    return predict(_fixed(problem), ell=ell, network=network, gradient=gradient, **given)


@lru_cache(maxsize=64)
def _fixed(problem: Problem) -> Problem:
    return dataclasses.replace(problem, phi=1, psi=1, ridge=1, noise=1)


def _values(found: Prediction) -> Data:
    values = {name: value_of(found, name) for name in _VALUES}
    if not all(map(math.isfinite, values.values())):
        reason = "ridge=0 where N = n (φ = ψ): the test loss is infinite; with λ > 0 it is finite"
        raise DomainError(reason, argument="ridge")
    return values


@lru_cache(maxsize=64)
def _limit(problem: Problem, ell: int, network: str = "theorem", gradient: str | None = None) -> Data:
    """Return the limit n → ∞ in window ℓ, with notes and the conditions that fail or are assumed."""
    found = _predicted(problem, ell, network, gradient)
    conditions = conditions_of(problem, ell, network)
    return _values(found) | {
        "fails": [c.statement for c in conditions if c.holds is False],
        "assumed": [c.statement for c in conditions if c.holds is None],
        "notes": list(found.notes[1:]),  # the page says itself which network is meant
    }


def _rates(case: PageCase, ell: int | None) -> Data:
    """Return error rates before the step and in both limits for labels ±1; nothing for other labels."""
    if not takes_signs(case.problem.teacher):
        return {}
    limits: dict[str, Data] = {"before": {"ell": 0}}
    if ell is not None:
        limits |= {"theorem": {"ell": ell}, "literal": {"ell": ell, "network": "literal", "gradient": case.gradient}}
    return {name: _rate(case.problem, **how) for name, how in limits.items()}


@lru_cache(maxsize=64)
def _rate(problem: Problem, **how: Any) -> Data:
    return or_refused(lambda: {"error_rate": float(error_rate(problem, **how).error_rate)})


@lru_cache(maxsize=64)
def _staircase(problem: Problem, network: str = "theorem", gradient: str | None = None) -> Data:
    """Return the gains for ℓ = 0, 1, …, the bounds of their windows, and the ceiling ℓ = ∞ if it is known."""

    def values(ell: int | str) -> Data:
        return _values(_predicted(problem, ell, network, gradient))

    windows = [None, *([float(x) for x in window_bounds(ell)] for ell in range(1, _STAIRS + 1))]
    steps = [values(ell) | {"ell": ell, "window": window} for ell, window in enumerate(windows)]
    return {"steps": steps, "ceiling": or_refused(lambda: values("inf"))}


@lru_cache(maxsize=64)
def _path(problem: Problem, ell: int | None, gradient: str) -> Data:
    """Return the losses against λ before the step and, where limits exist, after it."""
    middle = float(problem.ridge) or 0.1
    ridges = np.geomspace(middle * 10**-_PATH_DECADES, middle * 10**_PATH_DECADES, _PATH_POINTS)

    def losses(*limit: Any) -> Data:
        found = _predicted(problem, *limit, ridge=ridges)
        return {name: getattr(found, name).tolist() for name in _LOSSES}

    if ell is None:
        return {"ridge": ridges.tolist(), "theorem": losses(0, "theorem", None)}
    literal = or_refused(lambda: losses(ell, "literal", gradient))
    return {"ridge": ridges.tolist(), "theorem": losses(ell, "theorem", None), "literal": literal}


def _one_step(found: FiniteStep) -> Data:
    spread = {name: float(value) for name, value in found.spread._asdict().items()}
    return _finite_data(found) | {"spread": spread, "warning": few_samples(found.sizes.n)}


def _finite_data(found: FiniteStep) -> Data:
    values = {name: np.asarray(value_of(found, name)).tolist() for name in (*_VALUES, "converged")}
    return values | {"method": found.method, "notes": list(found.notes)}


_PARTS: tuple[Callable[[PageCase], Data], ...] = (now, finite, curve, outliers, formulas, choices)
PARTS = {part.__name__: part for part in _PARTS}

"""What theories expect at the places of observations, and whether both are of the same problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import read_rational
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.quantities import COMPARED
from theorycalc.results.step_result import Place
from theorycalc.results.table import Row, number, number_or_none
from theorycalc.simulation.run import Run

#: Losses and gains by name, one number for each ridge of a place.
Expected: TypeAlias = Mapping[str, Sequence[float] | NDArray[np.float64]]


@runtime_checkable
class Theory(Protocol):
    """Anything else than a Prediction that says what to expect of a network, such as a curve for finite steps."""

    @property
    def problem(self) -> Problem:
        """The problem it is of."""

    @property
    def title(self) -> str:
        """A short name for tables."""

    def expected(self, place: Place) -> Expected | None:
        """Return losses and gains at a step for every ridge of the place, or None if it is of another step."""


#: What observations are compared with.
AnyTheory: TypeAlias = Prediction | Theory


class HasProblem(Protocol):
    """A theory, or anything else that is of a problem."""

    @property
    def problem(self) -> Problem:
        """The problem it is of."""


class SizedNetwork(Protocol):
    """A network of real size: the settings of a simulation, or a finite step."""

    @property
    def problem(self) -> Problem:
        """The problem at the realised ratios."""

    @property
    def n(self) -> int:
        """The number of samples."""

    @property
    def d(self) -> int:
        """The number of inputs."""

    @property
    def N(self) -> int:
        """The number of neurons."""

    @property
    def ridges(self) -> tuple[float, ...]:
        """Every ridge."""

    @property
    def step_samples(self) -> float:
        """The number of samples of the step."""


def eta_of(alpha: float | None, eta: float | None, n: int) -> float:
    """Return the step, from its exponent where that was given.

    >>> eta_of(0.5, None, 100), eta_of(None, 3.0, 100)
    (10.0, 3.0)
    """
    if eta is not None:
        return eta
    assert alpha is not None
    return math.pow(n, alpha)


def place_of(theory: AnyTheory, run: Run | None, observed: Row) -> Place:
    """Return the network and the step that a row was observed at."""
    alpha, eta = number_or_none(observed, "alpha"), number_or_none(observed, "eta")
    if run is not None:
        s = run.settings
        return Place(s.problem, Sizes(s.n, s.d, s.N), alpha, eta, s.ridges)
    sizes: Sizes | None = getattr(theory, "sizes", None)
    if eta is None and sizes is not None:
        eta = eta_of(alpha, None, sizes.n)
    ridge = float(theory.problem.ridge) if observed["ridge"] is None else number(observed, "ridge")
    return Place(theory.problem, sizes, alpha, eta, (ridge,))


def expected_at(theory: AnyTheory, place: Place) -> Expected | None:
    """Return losses and gains that a theory expects at a place, or None if it is of another step."""
    if not isinstance(theory, Prediction):
        return theory.expected(place)
    if theory.alpha is not None and place.alpha != float(read_rational(theory.alpha, "alpha")):
        return None
    again = predict(
        place.problem,
        ell=theory.ell,
        form=theory.form,
        as_printed=theory.as_printed,
        network=theory.network,
        gradient=theory.gradient,
        ridge=np.array(place.ridges),
    )
    return {name: getattr(again, name) for name in COMPARED}


def value_of(theory: AnyTheory, expected: Expected, name: str, at: int) -> float:
    """Return what a theory expects at one ridge; what is no number would agree with everything."""
    try:
        value = float(expected[name][at])
    except (LookupError, TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise ArgumentError(f"the theory {title_of(theory)} gives no number for {name} at ridge {at}")
    return value


def title_of(theory: AnyTheory) -> str:
    """Return a short name of a theory for tables."""
    if not isinstance(theory, Prediction):
        return str(theory.title)
    ell = "∞" if theory.ell == math.inf else theory.ell
    kind = "limit of literal networks, " if theory.network == "literal" else ""
    return f"{kind}ℓ = {ell}, as printed" if theory.as_printed else f"{kind}ℓ = {ell}"


def difference(theory: HasProblem, settings: SizedNetwork) -> str | None:
    """Say in what the problem of ``theory`` is not the run's, sizes apart by less than one, or return None."""
    predicted, simulated = theory.problem, settings.problem
    points: dict[str, list[float]] = {
        name: [float(getattr(predicted, name))] for name in ("phi", "psi", "ridge", "noise")
    }
    if isinstance(theory, Prediction):
        points |= {name: [float(x) for x in np.ravel(np.asarray(value))] for name, value in theory.overrides.items()}
    samples = Fraction(predicted.step_ratio)
    sizes, simulated_sizes = getattr(theory, "sizes", None), Sizes(settings.n, settings.d, settings.N)
    if sizes not in (None, simulated_sizes):  # limits have none
        return f"sizes are {_written(sizes)} and {_written(simulated_sizes)}"
    same = {
        "activation": predicted.activation.is_same_function(simulated.activation),
        "teacher": _parts(predicted.teacher) == _parts(simulated.teacher),
        "phi": all(abs(phi * settings.n - settings.d) < 1 for phi in points["phi"]),
        "psi": all(abs(settings.d / psi - settings.N) < 1 for psi in points["psi"]),
        "ridge": set(points["ridge"]) <= set(settings.ridges),
        "noise": set(points["noise"]) == {float(simulated.noise)},
        "step_samples": abs(samples * settings.n - settings.step_samples) < 1,
    }
    for name in ("first_layer", "second_layer"):
        same[name] = getattr(predicted, name) == getattr(simulated, name)
    for name, equal in same.items():
        if not equal:
            shown = ", ".join(f"{x:g}" for x in points[name][:3]) if name in points else getattr(predicted, name)
            here = ", ".join(f"{x:g}" for x in settings.ridges) if name == "ridge" else getattr(simulated, name)
            return f"{name} is {shown} and {here}"
    return None


def _written(sizes: Sizes) -> str:
    return "n = {}, d = {}, N = {}".format(*sizes)


def _parts(teacher: Teacher) -> tuple[object, object]:
    """Return what a teacher is, without the text it was written in."""
    return teacher.coefficients, teacher.second_moment

"""error_rate(): how often a ridge fit has the wrong sign, in the limit and for networks of real size.

See docs/theory/error_rate.md.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, spelled
from theorycalc.model.enums import GradientTarget, LimitForm, NetworkKind, StepMethod
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import Sizes
from theorycalc.model.spikes import NONE, Spikes, read_ell
from theorycalc.numbers.exact import Exact, NumberLike, NumbersLike, Value, spell
from theorycalc.results.base import Points, argument
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import Prediction, Window, predict
from theorycalc.results.quantities import RATES, shown, worth
from theorycalc.results.rate_values import exact_rates, float_rates, rates_of_step
from theorycalc.results.step_result import FiniteStep, Place, few_samples, finite_size, network_words, step_words
from theorycalc.results.table import Row, Table, column, lines_table
from theorycalc.running.budget import one_budget
from theorycalc.running.executors import one_blas_thread
from theorycalc.theory.checks import guarantee_of, plan_of
from theorycalc.theory.conditions import ON_CORRUPTED, conditions_of, network_note, notes_of
from theorycalc.theory.dressed.classifier import ACCURACY
from theorycalc.theory.signs import sign_labels

_CLEAN = "a sign is wrong where it differs from the teacher's, whatever noise and corruption do to labels"
_NO_GAIN = "the gain is smaller than the last proven digit of the rates, and shown as 0"
_FINITE = "rates before the step are those of n → ∞: at finite n all rates are off by a share of order 1/n"


@dataclass(frozen=True, repr=False, eq=False)
class ErrorRate(Points):
    """The share of points at which the fit has the wrong sign, before and after the step: numbers, or arrays.

    ``sizes``, ``eta`` and ``method`` are those of a network of real size, and None in the limit n → ∞; ``ell``,
    ``spikes`` and ``network`` are those of the limit.  ``error`` is the change by finer rules.
    """

    kind: ClassVar[str] = "error_rate"

    problem: Problem
    alpha: Fraction | float | NDArray[np.float64] | None
    ridge: Exact | NDArray[np.float64] | NDArray[np.object_]
    gradient: GradientTarget
    error_rate_initial: Value
    error_rate: Value
    error_rate_gain: Value
    converged: bool | NDArray[np.bool_]
    notes: tuple[str, ...]
    sizes: Sizes | None = None
    eta: float | NDArray[np.float64] | None = None
    method: StepMethod | None = None
    error: float | NDArray[np.float64] | None = None
    ell: int | float | None = None
    spikes: tuple[int, ...] | str | None = None
    network: NetworkKind | None = None
    digits: int | None = None

    @property
    def title(self) -> str:
        """A short name for comparison tables."""
        if self.sizes is not None:
            return f"error rate ({self.method})"
        kind = " of literal networks" if self.network == NetworkKind.LITERAL else ""
        return f"error rate{kind}, ℓ = {shown(self.ell)}"

    @functools.cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition of the theorems with its state, if the rates are those of a limit."""
        if self.ell is None or self.network is None:
            return ()
        return conditions_of(self.problem, self.ell, self.network)

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64), "enclosed" (proven) or "estimated" (c_k are estimates)."""
        return guarantee_of(self.problem, self.digits)

    def expected(self, place: Place) -> dict[str, NDArray[np.float64]] | None:
        """Return the rates for each ridge of an observation, or None for another step."""
        ridge = list(place.ridges)
        if self.sizes is None:
            if self.alpha is not None and place.alpha != float(self.alpha):
                return None
            how = functools.partial(error_rate, ell=self.ell, network=self.network, gradient=self.gradient)
            again = how(place.problem, ridge=ridge)
        else:
            steps = np.asarray(self.eta, dtype=float)
            if place.eta is None or not np.any(np.isclose(steps, place.eta, rtol=1e-12, atol=0)):
                return None
            sizes = place.sizes or self.sizes
            again = error_rate(place.problem, **sizes._asdict(), eta=place.eta, ridge=ridge, gradient=self.gradient)
        return again._observable()

    def _table(self, full: bool) -> Table:
        how, data = f"({worth(self.guarantee, self.digits)})", self._columns()
        what, unmet = self._what(full), tuple(str(one) for one in self.conditions if one.holds is not True)
        if self.size == 1:
            (row,) = self.rows
            taken = "" if self.eta is None else f"{step_words(row['eta'], row['alpha'], full)}, "
            title = f"Error rate of {what}: {taken}λ = {shown(row['ridge'], full)} {how}"
            lines = [(RATES[name].heading, row[name], RATES[name].words) for name in RATES]
            return lines_table(title, lines, full, conditions=unmet, notes=self.notes)
        several = {name: np.ndim(getattr(self, name)) > 0 for name in ("alpha", "eta", "ridge")}
        seen = [*(name for name, many in several.items() if many), *RATES]
        title = f"Error rates of {what} {how}"
        return Table(title, data, tuple(map(column, seen)), full, conditions=unmet, notes=self.notes)

    def _what(self, full: bool) -> str:
        if self.sizes is not None:
            return network_words(self.problem, self.gradient)
        at = "" if self.alpha is None else f", α = {shown(self.alpha, full)}"
        spikes = Spikes.read(self.spikes) if self.spikes is not None else NONE
        kind = "the theorem's limit n → ∞"
        if self.network == NetworkKind.LITERAL:
            kind = "the limit n → ∞ of literal networks"
        return f"{kind}, ℓ = {shown(self.ell)}{at}, spikes K = {spikes}"

    def _arguments(self) -> Row:
        exact = self.digits is not None
        given: Row = {name: argument(getattr(self.problem, name), exact) for name in ("phi", "psi", "noise")}
        alpha = float(self.alpha) if isinstance(self.alpha, Fraction) else self.alpha
        if self.sizes is not None:
            return {**self.sizes._asdict(), **given, "ridge": self.ridge, "alpha": alpha, "eta": self.eta}
        spikes = None if self.spikes is None else Spikes.read(self.spikes).cell
        ridge = argument(self.ridge, exact)
        return {**given, "ridge": ridge, "ell": self.ell, "alpha": alpha, "spikes": spikes}

    def _quantities(self) -> Row:
        found: Row = {name: getattr(self, name) for name in RATES}
        return found if self.error is None else {**found, "error": self.error, "converged": self.converged}

    def _inputs(self) -> Row:
        names = ("network", "gradient") if self.sizes is None else ("gradient", "method")
        inputs = self.problem.to_dict() | {name: getattr(self, name) for name in names}
        if isinstance(self.ridge, np.ndarray):
            del inputs["ridge"]
        elif float(self.problem.ridge) != float(self.ridge):
            inputs["ridge"] = spell(self.ridge)
        return inputs


@checked_call
@one_budget()
@one_blas_thread()
def error_rate(
    problem: Problem,
    *,
    ell: Window | None = None,
    alpha: NumbersLike | None = None,
    eta: NumbersLike | None = None,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    ridge: NumbersLike | None = None,
    network: str | None = None,
    gradient: str | None = None,
    digits: int | None = None,
) -> ErrorRate:
    """Predict how often the sign of the ridge fit differs from the teacher's, before and after one gradient step.

    Give ``ell`` (or ``alpha`` and a problem without sizes) for the limit n → ∞, and ``n``, or a problem with sizes,
    for a network of real size.  If the mean of labels was subtracted, it is added to the fit before its sign is taken.

    Parameters
    ----------
    problem : Problem
        The network and its data; its teacher must be ±1, such as "sign(x)" or "sign(H1 + H2/2)".
    ell : int or "inf", optional
        Number ℓ ≥ 0 of the window of a limit, or "inf" for the limit of all windows.
    alpha : number or array, optional
        Exponent of the step η = n^α; in the limit one number, whose window gives ℓ.
    eta : number or array, 0 ≤ η ≤ 1e12, optional
        The step η itself, of a network of real size.
    n, d, N : int, optional
        Numbers of samples, inputs and neurons of a network of real size.
    ridge : number or array, λ ≥ 0, optional
        Ridge in place of the problem's; an array broadcasts with the steps.  Networks of real size need λ > 0.
    network : {"theorem", "literal"}, optional
        In the limit, whether it is the theorem's (default) or that of literal networks.
    gradient : {"residual", "labels"}, optional
        Target of the step.  Default: "residual" for networks of real size and for network="literal".
    digits : int, optional
        Number of proven decimal digits of rates in the limit; by default they are computed in float64.

    Returns
    -------
    ErrorRate
        The rates before and after the step, and their difference.

    Raises
    ------
    TheoryError
        The teacher is not ±1, or an argument is missing, out of its range, or does not go with the others.

    >>> problem = Problem("tanh(x + 1)", "sign(x)", "1/2", "2/3", "1/10")
    >>> found = error_rate(problem, ell=3)
    >>> round(float(found.error_rate_initial), 4), round(float(found.error_rate), 4)
    (0.2756, 0.1882)
    >>> print(error_rate(problem, ell=3, digits=30).error_rate)
    0.188179022631884467015796121201
    >>> round(float(error_rate(problem, n=600, alpha=0.4).error_rate), 4)
    0.2105
    """
    check_problem(problem, "error_rate")
    sign_labels(problem)
    if ell is None and alpha is None and eta is None:
        raise ArgumentError(
            f"the step is missing: give {spelled('ell')} or {spelled('alpha')} of the limit n → ∞, or {spelled('n')} "
            f"with {spelled('alpha')} or {spelled('eta')} of a network of real size",
            argument="alpha",
        )
    sized = {"n": n, "d": d, "N": N, "eta": eta}
    if ell is not None or (alpha is not None and not problem.has_sizes and n is None and eta is None):
        for name, value in sized.items():
            if value is not None:
                raise ArgumentError(
                    f"{spelled(name)} belongs to a network of real size, and "
                    f"{spelled('alpha' if ell is None else 'ell')} here to the limit n → ∞: give "
                    f"{spelled('n')} with {spelled('alpha')} or {spelled('eta')}, or {spelled('ell')} alone",
                    argument=name,
                )
        asked = NetworkKind.THEOREM if network is None else network
        return _limit(problem, ell, digits, alpha=alpha, ridge=ridge, network=asked, gradient=gradient)
    if digits is not None:
        reason = (
            f"{spelled('digits')}: digits are proven only for rates in the limit n → ∞, which {spelled('ell')} selects"
        )
        raise ArgumentError(f"{reason}; those of networks of real size are computed in float64", argument="digits")
    if network is not None:
        raise ArgumentError(
            f"{spelled('network', network)} is for limits, which {spelled('ell')} selects; a network of real size is "
            f"the literal one, or with {spelled('gradient', GradientTarget.LABELS)} that of the theorem's step",
            argument="network",
        )
    taken = GradientTarget.RESIDUAL if gradient is None else gradient
    return _finite(step(problem, n=n, d=d, N=N, alpha=alpha, eta=eta, ridge=ridge, gradient=taken))


def _limit(problem: Problem, ell: Window | None, digits: int | None, **how: Any) -> ErrorRate:
    endless = ell is not None and read_ell(ell) == math.inf  # whose rate needs no covariance, as its losses do
    found: Prediction = predict(problem, ell=1 if endless else ell, digits=digits, **how)
    degree = math.inf if endless else found.ell
    plan = plan_of(problem, degree, LimitForm.CLOSED, False, found.network, found.gradient)
    at = found.overrides.get("ridge", problem.ridge)
    rates = float_rates(plan, at) if digits is None else exact_rates(plan, at, digits)
    which = found.network, found.gradient
    of_rates = (note for note in notes_of(problem, degree, plan.spikes, *which) if note != ON_CORRUPTED)
    lost = digits is not None and plan.spikes and np.any(np.asarray(rates.gained) == 0)
    return ErrorRate(
        problem=problem,
        ell=degree,
        spikes=plan.spikes.value,
        alpha=found.alpha,
        ridge=at if digits is not None else np.asarray(at, dtype=float)[()],
        network=found.network,
        gradient=found.gradient,
        error_rate_initial=rates.before,
        error_rate=rates.after,
        error_rate_gain=rates.gained,
        converged=True,
        notes=(_CLEAN, network_note(problem, *which, plan.spikes), *of_rates, *([_NO_GAIN] if lost else [])),
        digits=digits,
    )


def _finite(taken: FiniteStep) -> ErrorRate:
    """Return the rates of networks with given losses."""
    found, n = rates_of_step(taken), taken.sizes.n
    of_rates = (note for note in taken.notes if note not in (finite_size(n), ON_CORRUPTED))  # which are on losses
    names = ("problem", "sizes", "alpha", "eta", "ridge", "gradient", "method")
    return ErrorRate(
        **{name: getattr(taken, name) for name in names},
        error_rate_initial=found.before,
        error_rate=found.after,
        error_rate_gain=found.gained,
        error=found.error,
        converged=found.error <= ACCURACY,
        notes=(_CLEAN, few_samples(n, _FINITE) or _FINITE, *of_rates),
    )

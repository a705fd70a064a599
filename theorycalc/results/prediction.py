"""predict(): from a Problem to its Prediction in the limit n → ∞."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from theorycalc.errors import ArgumentError, one_of, spelled, true_or_false
from theorycalc.model.enums import GradientTarget, LimitForm, NetworkKind
from theorycalc.model.points import exact_points, float_points, map_exact, map_floats
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.model.spikes import Spikes, read_ell
from theorycalc.model.supported import check_supported
from theorycalc.numbers.balls import require_exact
from theorycalc.numbers.exact import Exact, NumberLike, NumbersLike, Value, check_digits, is_array, read_rational, spell
from theorycalc.results.base import Points, argument
from theorycalc.results.layout import latex_display, latex_number
from theorycalc.results.quantities import AFTER, CLEAN_AFTER, MEASURED, TRAINING, shown, worth
from theorycalc.results.table import Columns, Row, Table, column
from theorycalc.running.budget import more_for, one_budget
from theorycalc.theory.checks import (
    check_exact,
    check_labels,
    check_points,
    check_proof,
    checked_terms,
    gradient_of,
    guarantee_of,
    plan_of,
)
from theorycalc.theory.conditions import conditions_of, network_note, notes_of
from theorycalc.theory.limits import ball_values, fields_of, float_values
from theorycalc.theory.plans import Point, needs_slope
from theorycalc.theory.windows import window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from theorycalc.results.step_result import Place

Overrides: TypeAlias = "dict[str, Exact | NDArray[np.float64] | NDArray[np.object_]]"
Window: TypeAlias = int | float | str  # ℓ, or "inf"
_SLIDES = "Λ_ℓ as the slides print it, without the factor φ/(ψm_1²); L_te(F) follows from it"
_NETWORK = ("network", "gradient")
_NEGATIVE = "a negative squared error is impossible"


@dataclass(frozen=True, repr=False, eq=False)
class Prediction(Points):
    """The losses and gains of one problem in the limit n → ∞, or of each point in an array of problems.

    Numbers are floats, numpy arrays, or mpf whose ``digits`` digits are proven.
    """

    kind: ClassVar[str] = "prediction"

    problem: Problem
    overrides: Overrides  # values that replace the problem's φ, ψ, λ and σ_ε
    ell: int | float
    alpha: Fraction | float | None
    spikes: tuple[int, ...] | str  # K, or "all", "odd", "1+even"
    m1: Value
    m2: Value
    m1_slope: Value
    m2_slope: Value
    kappa: Value
    rho: Value
    train_loss_initial: Value
    test_loss_initial: Value
    train_gain: Value
    test_gain: Value
    train_loss: Value  # the ridge objective, penalty included
    test_loss: Value
    train_error_initial: Value
    train_error: Value  # (1/n)‖ỹ − Fâ‖², without the penalty
    guarantee: str  # "rounded" (float64), "enclosed" (proven by balls) or "estimated" (from estimated c_k)
    digits: int | None
    form: LimitForm
    as_printed: bool
    network: NetworkKind
    gradient: GradientTarget
    test_loss_clean_initial: Value | None = None
    test_loss_clean: Value | None = None
    test_gain_clean: Value | None = None

    @functools.cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition of the theorems with its state."""
        return conditions_of(self.problem, self.ell, self.network, self.gradient)

    @functools.cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks on how the prediction was made, and on its limitations."""
        spikes = Spikes.read(self.spikes)
        which = self.network, self.gradient
        first = network_note(self.problem, *which, spikes, self.as_printed)
        said = (first, *notes_of(self.problem, self.ell, spikes, *which))
        if not self.as_printed:
            return said
        negative = any(loss < 0 for loss in np.ravel(np.asarray(self.test_loss, dtype=object)))
        return (*said, f"{_SLIDES} and is negative: {_NEGATIVE}" if negative else _SLIDES)

    @property
    def title(self) -> str:
        """A short name for tables of comparisons."""
        ell = "∞" if self.ell == math.inf else self.ell
        kind = "limit of literal networks, " if self.network == NetworkKind.LITERAL else ""
        return f"{kind}ℓ = {ell}, as printed" if self.as_printed else f"{kind}ℓ = {ell}"

    def expected(self, place: Place) -> dict[str, NDArray[np.float64]] | None:
        """Return losses and gains at a place for each of its ridges, or None if its step is another one."""
        if self.alpha is not None and place.alpha != float(self.alpha):
            return None
        how: dict[str, Any] = {name: getattr(self, name) for name in ("ell", "form", "as_printed", *_NETWORK)}
        return predict(place.problem, **how, ridge=np.array(place.ridges))._observable()

    def _table(self, full: bool) -> Table:
        return predictions_table([self], full)

    def _arguments(self) -> Row:
        given = {name: self.overrides.get(name, getattr(self.problem, name)) for name in Point._fields}
        exact = self.digits is not None
        step = None if self.alpha is None else argument(self.alpha, exact)
        inputs = {name: argument(value, exact) for name, value in given.items()}
        return inputs | {"ell": self.ell, "alpha": step, "spikes": Spikes.read(self.spikes).cell}

    def _quantities(self) -> Row:
        return {name: value for name in MEASURED if (value := getattr(self, name)) is not None}

    def _inputs(self) -> Row:
        given = {name: None if isinstance(x, np.ndarray) else spell(x) for name, x in self.overrides.items()}
        how = {name: getattr(self, name) for name in (*_NETWORK, "form", "as_printed")}
        inputs = self.problem.to_dict() | given | how
        return {name: value for name, value in inputs.items() if name not in given or value is not None}

    def _repr_latex_(self) -> str:
        ell = r"\infty" if self.ell == math.inf else str(self.ell)
        lines = []
        for name, value in self._quantities().items():
            shape = np.shape(np.asarray(value))
            text = rf"\text{{array of shape }}{shape}" if shape else latex_number(shown(value))
            lines.append(rf"{MEASURED[name].latex.replace(chr(92) + 'ell', ell)} &= {text}")
        return latex_display(lines)


@checked_call
@one_budget()
def predict(
    problem: Problem,
    *,
    ell: Window | None = None,
    alpha: NumberLike | None = None,
    digits: int | None = None,
    form: str = LimitForm.CLOSED,
    as_printed: bool = False,
    network: str = NetworkKind.THEOREM,
    gradient: str | None = None,
    phi: NumbersLike | None = None,
    psi: NumbersLike | None = None,
    ridge: NumbersLike | None = None,
    noise: NumbersLike | None = None,
) -> Prediction:
    """Predict losses and gains in the limit n → ∞, by the theorem or for literal networks.

    Parameters
    ----------
    ell : int or "inf", optional
        Number ℓ ≥ 0 of the window, or "inf" for the limit of all windows.  Give either ``ell`` or ``alpha``.
    alpha : number, optional
        Exponent of a step n^α, whose window gives ℓ.
    as_printed : bool, default False
        Whether Λ_1 or Λ_2 is as the slides print it, without the factor φ/(ψm_1²).
    network : {"theorem", "literal"}, default "theorem"
        "theorem": Δ_ℓ as the paper prints it and Λ_ℓ with its factor restored, for a step on the labels
        alone and spikes h^k.  "literal": the limit that networks tend to, whose step is on the residual y − f₀ and
        lengthens neurons, so that their second spike is h² + τ.
    gradient : {"residual", "labels"}, optional
        Target of the step.  Default: "residual" for network="literal"; the theorem's step is on the labels.
    phi, psi, ridge, noise : number or array, optional
        Used in place of those of the problem; arrays broadcast: φ > 0, ψ > 0, λ ≥ 0, σ_ε ≥ 0.

    Returns
    -------
    Prediction
        Losses before and after the step, gains, m_1, m_2, κ and ρ, with the conditions of the theorems.

    Raises
    ------
    TheoryError
        An argument is out of its range, or the problem lacks a coefficient that ℓ needs.

    >>> from theorycalc import Activation
    >>> problem = Problem(Activation.from_moments("1/2", "3/10"), ["1", "1/2"], "1/2", "2/3", "1/10", "1/2")
    >>> round(predict(problem, ell=2).test_gain, 6)
    0.401391
    >>> print(predict(problem, ell=2, digits=30).test_gain)
    0.401390549679759389871842424592
    >>> relu = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2")
    >>> [round(predict(relu, ell=2, network=name).test_gain, 4) for name in ("theorem", "literal")]
    [0.4025, 0.2863]
    """
    check_problem(problem, "predict")
    check_supported(problem, "limits")
    given = {"phi": phi, "psi": psi, "ridge": ridge, "noise": noise}
    parameters = {name: getattr(problem, name) if value is None else value for name, value in given.items()}
    true_or_false(as_printed, "as_printed")
    degree = _read_ell(ell, alpha)
    network, gradient = one_of(network, "network", NetworkKind), gradient_of(network, gradient)
    form = one_of(form, "form", LimitForm)
    plan, names = plan_of(problem, degree, form, as_printed, network, gradient), fields_of(problem)
    if digits is None:
        points = float_points(parameters)
        check_points(plan, Point(*points))
        terms = checked_terms(plan)
        check_labels(terms.c_star, float(np.min(Point(*points).noise)))
        values = map_floats(lambda *point: float_values(plan, terms, Point(*point)), points, len(names))
    else:
        digits = more_for(check_digits(digits))
        check_exact(problem)
        check_proof(plan)
        if needs_slope(plan):
            for kind in problem.unit_kinds:
                require_exact(kind.slope_variance, "slope_variance")
        points = exact_points(parameters)
        check_points(plan, Point(*points))
        values = map_exact(lambda *point: ball_values(plan, point, digits), points, len(names), digits)
    return Prediction(
        problem,
        {name: value for name, value in zip(given, points, strict=True) if given[name] is not None},
        degree,
        None if alpha is None else read_rational(alpha, "alpha"),
        plan.spikes.value,
        **dict(zip(names, values, strict=True)),
        guarantee=guarantee_of(problem, digits),
        digits=digits,
        form=form,
        as_printed=as_printed,
        network=network,
        gradient=gradient,
    )


def _read_ell(ell: Window | None, alpha: NumberLike | None) -> int | float:
    if (ell is None) == (alpha is None):
        reason = f"give either {spelled('ell')} or {spelled('alpha')} (the step is n^α, and ℓ follows from its window)"
        raise ArgumentError(reason, argument="ell")
    if is_array(ell, "ell"):
        raise ArgumentError(
            f"{spelled('ell', ell)}: a Prediction is of one ℓ; tc.staircase(problem, ell=[1, 2]) predicts several, "
            'and tc.sweep(problem, over={"ell": [1, 2]}) also takes lists of other parameters',
            argument="ell",
        )
    if is_array(alpha, "alpha"):
        reason = f"{spelled('alpha', alpha)}: a Prediction is of one window"
        raise ArgumentError(f"{reason}; tc.sweep(problem, over={{'alpha': …}}) takes a list", argument="alpha")
    return window(alpha) if ell is None else read_ell(ell)


def which_limit(prediction: Prediction) -> str:
    """Return the name of a prediction's limit, to begin a title.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> which_limit(tc.predict(problem, ell=1))
    "The theorem's limit n → ∞"
    >>> which_limit(tc.predict(problem, ell=1, network="literal", gradient="labels"))
    'The limit n → ∞ of networks whose step is on the labels alone'
    """
    if prediction.as_printed:
        return "The limit n → ∞ with Λ_ℓ as the slides print it"
    if prediction.network == NetworkKind.THEOREM:
        return "The theorem's limit n → ∞"
    literal = prediction.gradient == GradientTarget.RESIDUAL
    return f"The limit n → ∞ of {'literal networks' if literal else 'networks whose step is on the labels alone'}"


def predictions_table(predictions: Sequence[Prediction], full: bool = False) -> Table:
    """Return the table of one point, with all quantities, or of many, with varying inputs, losses and gains only."""
    first, data = predictions[0], _joined([prediction._columns() for prediction in predictions])
    notes = tuple(dict.fromkeys(note for prediction in predictions for note in prediction.notes))
    unmet, quality = unmet_conditions(*predictions), worth(first.guarantee, first.digits)
    size = sum(prediction.size for prediction in predictions)
    if size == 1:
        step = "" if first.alpha is None else f", α = {shown(first.alpha)}"
        title = (
            f"{which_limit(first)}, ℓ = {shown(first.ell)}{step}, spikes K = {Spikes.read(first.spikes)} ({quality})"
        )
        return Table(title, data, None, full, conditions=unmet, notes=notes)
    seen = tuple(map(column, [*_varying(predictions), *AFTER, *(name for name in CLEAN_AFTER if name in data)]))
    return Table(f"{which_limit(first)} at {size} points ({quality})", data, seen, full, (TRAINING,), unmet, notes)


def _joined(parts: Sequence[Columns]) -> Columns:
    """Return the columns of several predictions, one after another."""
    if len(parts) == 1:
        return parts[0]
    return {name: [item for part in parts for item in np.asarray(part[name], object).tolist()] for name in parts[0]}


def _varying(predictions: Sequence[Prediction]) -> list[str]:
    """Return the inputs to show: ℓ, α if it was given, and the parameters that are arrays."""
    given = [item for one in predictions for item in one.overrides.items()]
    arrays = {name for name, value in given if isinstance(value, np.ndarray) and value.size > 1}
    alpha = ["alpha"] if any(one.alpha is not None for one in predictions) else []
    return ["ell", *alpha, *(name for name in ("phi", "psi", "ridge", "noise") if name in arrays)]


def unmet_conditions(*predictions: Prediction) -> tuple[str, ...]:
    """Return as text the conditions that fail, then those that are assumed."""
    conditions = dict.fromkeys(c for prediction in predictions for c in prediction.conditions if c.holds is not True)
    return tuple(map(str, sorted(conditions, key=lambda condition: condition.holds is None)))

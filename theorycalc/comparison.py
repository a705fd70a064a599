"""compare(): what theory predicts against what a simulation observed, judged by standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from theorycalc.conditions import spikes_of
from theorycalc.errors import ArgumentError, DomainError, checked_call
from theorycalc.exact import read_rational
from theorycalc.prediction import Prediction, predict
from theorycalc.results import Result
from theorycalc.simulation.records import VALUES
from theorycalc.simulation.run import Run
from theorycalc.simulation.settings import Settings
from theorycalc.tables import Table
from theorycalc.theory.problem import Problem
from theorycalc.theory.windows import window

if TYPE_CHECKING:
    from theorycalc.plots.figure import HouseFigure

LEVEL = 0.01


@runtime_checkable
class Theory(Protocol):
    """Anything else than a Prediction that says what a run should show, such as a curve for finite steps."""

    @property
    def problem(self) -> Problem:
        """The problem it is of."""

    @property
    def title(self) -> str:
        """A short name for tables."""

    def expected(self, settings: Settings, cell: int) -> Mapping[str, Sequence[float]] | None:
        """Return each loss and gain for every ridge of the settings, or None if it is of another step."""


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Predictions beside observations: one row for each theory, cell, model, ridge and quantity.

    A row has ``predicted``, ``observed``, ``standard_error``, ``z`` = (observed − predicted)/standard error, and
    ``p``, the probability of so large a ``|z|`` if the prediction is right: that of Student's t with as many
    degrees of freedom as there are replicates less one, since the error is estimated from them.

    There are as many looks as rows, so some ``|z|`` are large by chance.  A row differs at the ``level`` if its p is
    below level/looks (Bonferroni): then a right theory is rejected with a probability of at most ``level``,
    however the rows depend on each other, as they do, a gain being the difference of two losses.
    """

    kind: ClassVar[str] = "comparison"

    rows: tuple[dict[str, Any], ...]
    level: float
    notes: tuple[str, ...]
    problem: Problem | None = None  # of the first theory

    @property
    def looks(self) -> int:
        """The number of comparisons made."""
        return len(self.rows)

    @property
    def agrees(self) -> bool:
        """Whether no row differs."""
        return not self.differing

    @property
    def differing(self) -> tuple[dict[str, Any], ...]:
        """The rows that differ at the level, all looks accounted for."""
        return tuple(row for row in self.rows if row["p"] * self.looks < self.level)

    @property
    def worst(self) -> dict[str, Any]:
        """The row that agrees least."""
        return min(self.rows, key=lambda row: (row["p"], -abs(row["z"])))

    def plot(self) -> HouseFigure:
        """Draw every z, and predictions against observations, as a matplotlib figure."""
        from theorycalc.plots.comparisons import comparison_figure

        return comparison_figure(self)

    def _inputs(self) -> dict[str, Any]:
        return {} if self.problem is None else self.problem.to_dict()

    def _details(self) -> dict[str, Any]:
        return {"level": self.level, "looks": self.looks, "agrees": self.agrees}

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with every row and all digits."""
        from theorycalc.comparison_tables import comparison_table

        return comparison_table(self, full)


@checked_call
def compare(run: Run, theory: Prediction | Theory | Iterable[Prediction | Theory], level: float = LEVEL) -> Comparison:
    """Compare a run with a prediction, or with each of several.

    A prediction is evaluated again at the realised ratios d/n and d/N and at every ridge of the run.  One made
    for ``ell`` is compared with every cell, one made for ``alpha`` with the cell of that α.  Theory and
    simulation of different problems are not compared.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    >>> run = tc.simulate(problem, n=60, alpha=0.1, replicates=3)
    >>> comparison = compare(run, tc.predict(problem, ell=1))
    >>> comparison.looks, comparison.rows[0]["quantity"]
    (6, 'train_loss_initial')
    >>> compare(run, tc.predict(tc.Problem("tanh(x + 1)", "H1", "1/2", "2/3", "1/10", noise=1), ell=1))
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: the prediction and the run are of different problems: noise is 1 and 0
    """
    if not isinstance(run, Run):
        raise ArgumentError(f"compare() takes a Run, as simulate() returns, not {type(run).__name__}")
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise DomainError(f"level={level!r} must be a probability between 0 and 1")
    theories = _listed(theory)
    _check_run(run)
    for one in theories:
        other = difference(one, run.settings)
        if other is not None:
            raise ArgumentError(f"the prediction and the run are of different problems: {other}")
    summary = run.summary()
    rows: list[dict[str, Any]] = []
    for one in theories:
        found = _rows_of(one, run.settings, summary)
        if not found:
            raise ArgumentError(f"the run has no cell of the step that the prediction {_title(one)} is for")
        rows += found
    return Comparison(tuple(rows), float(level), _notes(run, theories), theories[0].problem)


def _listed(theory: Any) -> list[Any]:
    single = isinstance(theory, (Prediction, Theory))
    theories = [theory] if single else list(theory) if isinstance(theory, Iterable) else []
    if not theories or not all(isinstance(one, (Prediction, Theory)) for one in theories):
        raise ArgumentError("compare() takes a Prediction, as predict() returns, or a list of them")
    return theories


def _check_run(run: Run) -> None:
    """Refuse what no theory here describes, and what has no error bar."""
    if run.settings.corrupt > 0:
        raise ArgumentError(f"the run has corrupt={run.settings.corrupt:g}; the theory has no corrupted labels")
    counts = [0] * len(run.settings.steps_taken)
    for record in run.records:
        counts[record["cell"]] += 1
    for cell, count in enumerate(counts):
        if count < 2:
            raise ArgumentError(f"cell {cell} of the run has {count} finished replicates; an error bar needs 2")


def _rows_of(theory: Any, settings: Settings, summary: list[dict[str, Any]]) -> list[dict[str, Any]]:
    limit = _limit(theory, settings) if isinstance(theory, Prediction) else None
    rows = []
    for observed in summary:
        cell = observed["cell"]
        if isinstance(theory, Prediction):
            expected = limit if _is_for(theory, settings, cell) else None
        else:
            expected = theory.expected(settings, cell)
        if expected is not None:
            at = settings.ridges.index(observed["ridge"])
            rows += [_row(_title(theory), observed, name, _value(theory, expected, name, at)) for name in VALUES]
    return rows


def _value(theory: Any, expected: Mapping[str, Sequence[float]], name: str, at: int) -> float:
    """Return what a theory expects at one ridge; what is no number would agree with everything."""
    try:
        value = float(expected[name][at])
    except (LookupError, TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise ArgumentError(f"the theory {_title(theory)} gives no number for {name} at ridge {at} of the run")
    return value


def _limit(prediction: Prediction, settings: Settings) -> dict[str, Any]:
    """Return the prediction's values for the sizes and ridges of the run."""
    again = predict(
        settings.problem,
        ell=prediction.ell,
        form=prediction.form,
        as_printed=prediction.as_printed,
        ridge=np.array(settings.ridges),
    )
    return {name: getattr(again, name) for name in VALUES}


def _is_for(prediction: Prediction, settings: Settings, cell: int) -> bool:
    if prediction.alpha is None:
        return True
    return settings.steps_taken[cell].alpha == float(read_rational(prediction.alpha, "alpha"))


def _row(title: str, observed: dict[str, Any], name: str, predicted: float) -> dict[str, Any]:
    from scipy.special import stdtr

    mean, error = observed[name], observed[f"{name}_se"]
    difference = mean - predicted
    z = difference / error if error > 0 else math.copysign(math.inf, difference) if difference else 0.0
    where = {key: observed[key] for key in ("cell", "alpha", "eta", "model", "ridge", "replicates")}
    return {
        "theory": title,
        **where,
        "quantity": name,
        "predicted": predicted,
        "observed": mean,
        "standard_error": error,
        "z": z,
        "p": float(2 * stdtr(observed["replicates"] - 1, -abs(z))),
    }


def _title(theory: Any) -> str:
    if not isinstance(theory, Prediction):
        return str(theory.title)
    ell = "∞" if theory.ell == math.inf else theory.ell
    return f"ℓ = {ell}, as printed" if theory.as_printed else f"ℓ = {ell}"


def difference(theory: Any, settings: Settings) -> str | None:
    """Say in what the problem of ``theory`` is not the run's, sizes apart by less than one, or return None."""
    predicted, simulated = theory.problem, settings.problem
    points: dict[str, list[float]] = {
        name: [float(getattr(predicted, name))] for name in ("phi", "psi", "ridge", "noise")
    }
    if isinstance(theory, Prediction):
        points |= {name: [float(x) for x in np.ravel(value)] for name, value in theory.overrides.items()}
    samples = Fraction(1) if predicted.step_samples is None else Fraction(predicted.step_samples)
    same = {
        "activation": _same_function(predicted.activation, simulated.activation),
        "teacher": _parts(predicted.teacher) == _parts(simulated.teacher),
        "phi": all(abs(phi * settings.n - settings.d) < 1 for phi in points["phi"]),
        "psi": all(abs(settings.d / psi - settings.N) < 1 for psi in points["psi"]),
        "ridge": set(points["ridge"]) <= set(settings.ridges),
        "noise": set(points["noise"]) == {float(simulated.noise)},
        "step_samples": abs(samples * settings.n - settings.step_samples) < 1,
    }
    for name in ("first_layer", "initial_output", "second_layer"):
        same[name] = getattr(predicted, name) == getattr(simulated, name)
    for name, equal in same.items():
        if not equal:
            shown = ", ".join(f"{x:g}" for x in points[name][:3]) if name in points else getattr(predicted, name)
            here = ", ".join(f"{x:g}" for x in settings.ridges) if name == "ridge" else getattr(simulated, name)
            return f"{name} is {shown} and {here}"
    return None


def _same_function(one: Any, other: Any) -> bool:
    if one.tree is not None and other.tree is not None:
        return bool(one.tree == other.tree)
    return bool(one == other)


def _parts(teacher: Any) -> tuple[Any, Any]:
    """Return what a teacher is, without the text it was written in."""
    return teacher.coefficients, teacher.second_moment


def _has_the_spikes(prediction: Prediction, alpha: float) -> bool:
    """Say whether the window of α has the spikes of the prediction."""
    try:
        return spikes_of(prediction.problem, window(repr(alpha))) == prediction.spikes
    except DomainError:  # a boundary, or beyond all windows
        return False


def _notes(run: Run, theories: Sequence[Any]) -> tuple[str, ...]:
    settings = run.settings
    notes = list(dict.fromkeys(note for one in theories for note in getattr(one, "notes", ())))
    alphas = [step.alpha for step in settings.steps_taken if step.alpha is not None]
    for one in theories:
        if isinstance(one, Prediction) and one.alpha is None and one.ell != 0:
            others = [alpha for alpha in alphas if not _has_the_spikes(one, alpha)]
            if others:
                notes.append(f"ℓ = {one.ell} is not the window of α = {', '.join(f'{x:g}' for x in others)}")
    if settings.steps > 1:
        notes.append(f"the run takes {settings.steps} steps and the theory one: this shows how far, and tests nothing")
    if settings.inputs != "gaussian":
        notes.append(f"the run has {settings.inputs} inputs and the theory Gaussian ones")
    if not run.complete:
        notes.append("the run is incomplete")
    return tuple(notes)

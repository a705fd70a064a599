"""compare(): theory against what a simulation, or you, observed, judged by standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from theorycalc.comparison.comparison_tables import comparison_table
from theorycalc.comparison.expectations import (
    AnyTheory,
    Expected,
    Theory,
    difference,
    eta_of,
    expected_at,
    place_of,
    title_of,
    value_of,
)
from theorycalc.comparison.judging import FEWEST_DRAWS, ComparedRow, PredictedRow, judged
from theorycalc.comparison.measurements import Measurements, read_measurements
from theorycalc.errors import ArgumentError, DomainError, about, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.results.base import Result
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import Prediction
from theorycalc.results.quantities import COMPARED
from theorycalc.results.table import Row, Table, number, number_or_none
from theorycalc.simulation.run import Run
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.windows import window

LEVEL = 0.01
TheoryLike: TypeAlias = AnyTheory | Problem


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Predictions beside observations: one row for each theory, step, model, ridge and quantity.

    A row has ``predicted``, ``observed``, ``standard_error``, ``z`` = (observed − predicted)/standard error, and
    ``p``, the probability of so large a ``|z|`` if the prediction is right: that of Student's t with as many
    degrees of freedom as there are draws less one, since the error is estimated from them.

    With many comparisons some ``|z|`` are large by chance.  A judged row differs at the ``level`` if its p is below
    level/looks (Bonferroni), that is, if its ``|z|`` is above ``critical``: then a right theory is rejected with a
    probability of at most ``level``, however the rows depend on each other, as they do, a gain being the difference of
    two losses.  ``detectable`` is the deviation that these draws would have shown nine times in ten.
    """

    kind: ClassVar[str] = "comparison"

    rows: tuple[ComparedRow, ...]
    level: float
    notes: tuple[str, ...]
    problem: Problem | None = None  # of the first theory

    @property
    def judged(self) -> tuple[ComparedRow, ...]:
        """The rows that count for the verdict; the others stand beside them."""
        return tuple(row for row in self.rows if row["judged"])

    @property
    def looks(self) -> int:
        """The number of comparisons that are judged."""
        return len(self.judged)

    @property
    def differing(self) -> tuple[ComparedRow, ...]:
        """The judged rows that differ at the level, all of them accounted for."""
        return tuple(row for row in self.judged if row["p"] * self.looks < self.level)

    @property
    def verdict(self) -> str:
        """Whether theory and observation "agree" or "differ"; "too few draws" below eight in a row."""
        if any(row["replicates"] is not None and row["replicates"] < FEWEST_DRAWS for row in self.judged):
            return "too few draws"
        return "differ" if self.differing else "agree"

    @property
    def agrees(self) -> bool:
        """Whether the verdict is that they agree."""
        return self.verdict == "agree"

    @property
    def worst(self) -> ComparedRow:
        """The judged row that agrees least."""
        return min(self.judged, key=lambda row: (row["p"], -abs(row["z"])))

    def _inputs(self) -> Row:
        return {} if self.problem is None else self.problem.to_dict()

    def _details(self) -> Row:
        return {"level": self.level, "looks": self.looks, "agrees": self.agrees}

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with every row and all digits."""
        return comparison_table(self, full)


@checked_call
def compare(
    observed: Run | Measurements,
    theory: TheoryLike | Iterable[TheoryLike] | None = None,
    *,
    beside: TheoryLike | Iterable[TheoryLike] = (),
    quantities: str | Iterable[str] | None = None,
    level: float = LEVEL,
) -> Comparison:
    """Compare a simulated run, or your own measurements, with theory.

    Parameters
    ----------
    observed
        A :class:`Run`, or measurements: a data frame, a dict of columns, a list of dicts or the path of a CSV file with
        columns ``eta`` or ``alpha``, ``ridge``, and losses and gains by their names here, with standard errors as
        ``NAME_se`` or several rows for each step and ridge.
    theory
        What is judged: a :class:`FiniteStep`, a :class:`Prediction`, a list of them, or a :class:`Problem`, which
        stands for its finite-step theory at the observed steps.  None: that of the run's own network.
    beside
        Predictions that are shown and not judged.
    quantities
        Names of the losses and gains that are judged.  None: the gains where they were observed, since losses before
        the step, and so all losses, are predicted for n → ∞ and off by a share of order 1/n; else everything observed.
    level
        The probability, at most, with which a theory that is right is called different.

    Returns
    -------
    Comparison
        Predicted, observed, z and a verdict.

    Raises
    ------
    TheoryError
        Theory and observation are of different problems, or there is no error bar.

    A prediction is evaluated again at the realised ratios d/n and d/N and at every ridge that was observed.  One made
    for ``ell`` is compared with every step, one made for ``alpha`` with the step of that α.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh", "sin(x)", n=60, d=20, N=40, ridge="1/10")
    >>> run = tc.simulate(problem, eta=2, replicates=10)
    >>> comparison = compare(run, beside=tc.predict(problem, ell=1))
    >>> len(comparison.rows), comparison.looks, comparison.verdict
    (16, 2, 'agree')
    >>> measured = {"eta": [2, 2, 2], "test_loss": [0.28, 0.36, 0.31]}
    >>> compare(measured, problem).verdict
    'too few draws'
    >>> compare(run, tc.predict(tc.Problem("tanh", "sin(x)", n=60, d=20, N=40, ridge="1/10", noise=1), ell=1))
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: theory and observation are of different problems: noise is 1 and 0
    """
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise DomainError(f"level={level!r} must be a probability between 0 and 1", argument="level")
    if isinstance(observed, (Prediction, Theory, Problem)):
        raise ArgumentError(
            "compare() takes what was observed first, a Run or measurements, and the theory after it",
            argument="observed",
        )
    run = observed if isinstance(observed, Run) else None
    seen: tuple[Row, ...]
    with about("observed"):
        seen, notes = (observed.rows, ()) if isinstance(observed, Run) else read_measurements(observed)
    theories = [_theory(one, run, seen) for one in _listed(theory, run)]
    others = [_theory(one, run, seen) for one in _listed(beside, run, optional=True)]
    if run is not None:
        _check_run(run, [*theories, *others])
    names = _judged_names(quantities, seen)
    rows: list[PredictedRow] = []
    for one, judging in [*((one, names) for one in theories), *((one, []) for one in others)]:
        found = _rows_of(one, run, seen, judging)
        if not found:
            raise ArgumentError(
                f"nothing was observed at the step that the prediction {title_of(one)} is for", argument="theory"
            )
        rows += found
    notes += _notes(run, [*theories, *others])
    return Comparison(judged(rows, float(level)), float(level), notes, theories[0].problem)


def _judged_names(quantities: str | Iterable[str] | None, seen: Iterable[Row]) -> list[str]:
    """Return the quantities that are judged; without a choice the gains, or all where no gain was observed."""
    observed = [name for name in COMPARED if any(name in row for row in seen)]
    if quantities is None:
        return [name for name in observed if name.endswith("_gain")] or observed
    chosen = [quantities] if isinstance(quantities, str) else list(quantities)
    for name in chosen:
        if name not in observed:
            raise ArgumentError(
                f"quantities: {name!r} was not observed; what was is {', '.join(observed)}", argument="quantities"
            )
    return chosen


def _listed(
    theory: TheoryLike | Iterable[TheoryLike] | None, run: Run | None, optional: bool = False
) -> list[TheoryLike]:
    if theory is None and run is not None and not optional:
        return [run.problem]
    kinds = (Prediction, Theory, Problem)
    theories = [theory] if isinstance(theory, kinds) else list(theory) if isinstance(theory, Iterable) else []
    if not all(isinstance(one, kinds) for one in theories) or not (theories or optional):
        raise ArgumentError(
            "compare() takes as theory what step() or predict() returns, a list of them, or a Problem, which stands "
            "for its finite-step theory",
            argument="theory",
        )
    return theories


def _theory(theory: TheoryLike, run: Run | None, seen: Iterable[Row]) -> AnyTheory:
    """Return a theory; a problem stands for its finite steps at the observed ones."""
    if not isinstance(theory, Problem):
        return theory
    if run is not None:
        etas = [taken.eta for taken in run.settings.steps_taken]
        n, d, N = (None, None, None) if theory.has_sizes else (run.settings.n, run.settings.d, run.settings.N)
        return step(theory, n=n, d=d, N=N, eta=etas, ridge=run.settings.ridges[0], gradient=run.settings.gradient)
    if theory.n is None:
        raise ArgumentError(
            "measurements are of a network of real size: "
            f"describe it by Problem(…, {spelled('n')}, {spelled('d')}, {spelled('N')})",
            argument="theory",
        )
    given = ((number_or_none(row, "alpha"), number_or_none(row, "eta")) for row in seen)
    return step(theory, eta=list(dict.fromkeys(eta_of(*one, theory.n) for one in given)))


def _check_run(run: Run, theories: Iterable[AnyTheory]) -> None:
    """Refuse runs that no theory here describes, that have no error bar, or that are of another problem."""
    if run.settings.corrupt > 0:
        raise ArgumentError(
            f"the run has corrupt={run.settings.corrupt:g}; the theory has no corrupted labels", argument="observed"
        )
    counts = [0] * len(run.settings.steps_taken)
    for record in run.records:
        counts[run.settings.cells[record["alpha"], record["eta"]]] += 1
    for cell, count in enumerate(counts):
        if count < 2:
            raise ArgumentError(
                f"cell {cell} of the run has {count} finished replicates; an error bar needs 2", argument="observed"
            )
    for one in theories:
        other = difference(one, run.settings)
        if other is not None:
            raise ArgumentError(f"theory and observation are of different problems: {other}", argument="theory")


def _rows_of(theory: AnyTheory, run: Run | None, seen: Iterable[Row], judging: Sequence[str]) -> list[PredictedRow]:
    rows = []
    known: dict[object, Expected | None] = {}
    for observed in seen:
        place = place_of(theory, run, observed)
        if place.step not in known:
            known[place.step] = expected_at(theory, place)
        expected = known[place.step]
        if expected is not None:
            here = {**observed, "ridge": place.ridges[0]} if observed["ridge"] is None else observed
            at, names = place.ridges.index(number(here, "ridge")), [name for name in COMPARED if name in here]
            predicted = {name: value_of(theory, expected, name, at) for name in names}
            rows += [_row(title_of(theory), here, name, predicted[name], name in judging) for name in names]
    return rows


def _row(title: str, observed: Row, name: str, predicted: float, judged: bool) -> PredictedRow:
    mean, error = number(observed, name), number(observed, f"{name}_se")
    difference = mean - predicted
    z = difference / error if error > 0 else math.copysign(math.inf, difference) if difference else 0.0
    return {
        "theory": title,
        "cell": int(number(observed, "cell")),
        "alpha": number_or_none(observed, "alpha"),
        "eta": number_or_none(observed, "eta"),
        "model": str(observed["model"]),
        "ridge": number(observed, "ridge"),
        "replicates": number_or_none(observed, "replicates"),
        "quantity": name,
        "predicted": predicted,
        "observed": mean,
        "standard_error": error,
        "z": z,
        "judged": judged,
    }


def _has_the_spikes(prediction: Prediction, alpha: float) -> bool:
    """Say whether the window of α has the spikes of the prediction."""
    try:
        return spikes_of(prediction.problem, window(repr(alpha))).value == prediction.spikes
    except DomainError:  # a boundary, or beyond all windows
        return False


def _notes(run: Run | None, theories: Sequence[AnyTheory]) -> tuple[str, ...]:
    notes = list(dict.fromkeys(note for one in theories for note in getattr(one, "notes", ())))
    if run is None:
        return tuple(notes)
    settings = run.settings
    for one in theories:
        gradient = getattr(one, "gradient", settings.gradient)
        if gradient != settings.gradient:
            notes.append(f"{title_of(one)}: its step is on the {gradient}, the run's on the {settings.gradient}")
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

"""compare(): theory against the observations of a simulation, or your own, judged by standard errors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from theorycalc.comparison.finite_theories import finite_theories
from theorycalc.comparison.measurements import Measurements, eta_of, read_measurements
from theorycalc.comparison.verdict import Comparison, PredictedRow, doubts, judged, predicted_row
from theorycalc.errors import ArgumentError, DomainError, given
from theorycalc.model.enums import InputLaw, NetworkKind
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import Sizes, difference, sizes_of
from theorycalc.results.prediction import Prediction
from theorycalc.results.quantities import COMPARED, OBSERVED
from theorycalc.results.step_result import Place
from theorycalc.results.table import Row, number, number_or_none
from theorycalc.simulation.run import Run
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.windows import window

#: Losses and gains by name, one number for each ridge of a place.
Expected: TypeAlias = Mapping[str, Sequence[float] | NDArray[np.float64]]


@runtime_checkable
class Theory(Protocol):
    """Any result that predicts the losses of a network: a limit, finite steps, or error rates."""

    @property
    def problem(self) -> Problem:
        """The problem that the theory describes."""

    @property
    def title(self) -> str:
        """A short name for tables."""

    def expected(self, place: Place) -> Expected | None:
        """Return losses and gains at a step for every ridge of the place, or None for a step it does not describe."""


TheoryLike: TypeAlias = Theory | Problem


@checked_call
def compare(
    observed: Run | Measurements,
    theory: TheoryLike | Iterable[TheoryLike] | None = None,
    *,
    beside: TheoryLike | Iterable[TheoryLike] = (),
    quantities: str | Iterable[str] | None = None,
    level: float = 0.01,
) -> Comparison:
    """Compare a simulated run, or your own measurements, with theory.

    Parameters
    ----------
    observed : Run, data frame, mapping, sequence or path
        A :class:`Run`, or measurements: a data frame, a dict of columns, a list of dicts or the path of a CSV file with
        columns ``eta`` or ``alpha``, ``ridge``, and losses and gains by their names here, with standard errors as
        ``NAME_se`` or several rows for each step and ridge.
    theory : FiniteStep, Prediction, ErrorRate, Problem or a sequence of them, optional
        The theory that is judged; a :class:`Problem` stands for its finite-step theory at the observed steps, of losses
        and, where they were observed, of error rates.  Default: that of the run's own network.
    beside : FiniteStep, Prediction, ErrorRate, Problem or a sequence of them, default ()
        Predictions that are shown and not judged.
    quantities : str or sequence of str, optional
        Names of the losses and gains that are judged.  Default: the gains if they were observed, since losses before
        the step, and so all losses, are predicted for n → ∞ and off by a share of order 1/n; else everything observed.
    level : float, 0 < level < 1, default 0.01
        Largest probability with which a right theory is called different.

    Returns
    -------
    Comparison
        Predictions, observations, z and a verdict.

    Raises
    ------
    TheoryError
        Theory and observation describe different problems, or there is no error bar.

    Notes
    -----
    A prediction is evaluated again at the realised ratios d/n and d/N and at every observed ridge.  One made for
    ``ell`` is compared with every step, one made for ``alpha`` with the step of that α.

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
    theorycalc.errors.ArgumentError: theory and observation describe different problems: noise is 1 and 0
    """
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise DomainError(f"{given('level', level)} must be a probability between 0 and 1", argument="level")
    if isinstance(observed, (Theory, Problem)):
        reason = "compare() takes the observations first, a Run or measurements, and the theory after them"
        raise ArgumentError(reason, argument="observed")
    run = observed if isinstance(observed, Run) else None
    seen: tuple[Row, ...]
    listed = _listed(theory, run)
    sizes = next((one for one in map(_sizes_of, listed) if one is not None), None)
    seen, notes = (observed.rows, ()) if isinstance(observed, Run) else read_measurements(observed, sizes)
    theories, unknown = _theories(listed, run, seen)
    others, unshown = _theories(_listed(beside, run, optional=True), run, seen)
    if run is not None:
        _check_run(run, [*theories, *others])
    names = _judged_names(quantities, seen)
    rows: list[PredictedRow] = []
    doubted: list[str] = []  # of measurements; a run is of the network that it says
    for one, judging in [*((one, names) for one in theories), *((one, []) for one in others)]:
        found, why = _rows_of(one, run, seen, judging)
        if not found:
            reason = f"nothing was observed at the step that the prediction {one.title} is for"
            raise ArgumentError(reason, argument="theory")
        rows += found
        doubted += why if judging and run is None else []
    for name in () if quantities is None else names:
        if not any(row["judged"] and row["quantity"] == name for row in rows):
            raise ArgumentError(f"quantities: {name!r} is not predicted by this theory", argument="quantities")
    notes = tuple(dict.fromkeys((*doubted, *notes, *unknown, *unshown, *_notes(run, [*theories, *others]))))
    return Comparison(judged(rows, float(level)), float(level), notes, theories[0].problem)


def _judged_names(quantities: str | Iterable[str] | None, seen: Iterable[Row]) -> list[str]:
    """Return the quantities to be judged: by default the gains, or all quantities if no gain was observed."""
    observed = [name for name in OBSERVED if any(name in row for row in seen)]
    if quantities is None:
        return [name for name in observed if "_gain" in name] or observed
    chosen = [quantities] if isinstance(quantities, str) else list(quantities)
    for name in chosen:
        if name not in observed:
            reason = f"quantities: {name!r} was not observed, only {', '.join(observed)}"
            raise ArgumentError(reason, argument="quantities")
    return chosen


def _listed(
    theory: TheoryLike | Iterable[TheoryLike] | None, run: Run | None, optional: bool = False
) -> list[TheoryLike]:
    if theory is None and run is not None and not optional:
        return [run.problem]
    kinds = (Theory, Problem)
    theories = [theory] if isinstance(theory, kinds) else list(theory) if isinstance(theory, Iterable) else []
    if not all(isinstance(one, kinds) for one in theories) or not (theories or optional):
        raise ArgumentError(
            "compare() takes as theory a result of step() or predict(), a list of them, or a Problem, which stands for "
            "its finite-step theory",
            argument="theory",
        )
    return theories


def _theories(
    given: Iterable[TheoryLike], run: Run | None, seen: Sequence[Row]
) -> tuple[list[Theory], tuple[str, ...]]:
    """Return the theories, with problems replaced by their finite steps, and notes on quantities that these lack."""
    parts: list[tuple[Sequence[Theory], list[str]]] = [
        finite_theories(one, run, seen) if isinstance(one, Problem) else ([one], []) for one in given
    ]
    return [one for theories, _ in parts for one in theories], tuple(note for _, notes in parts for note in notes)


def _sizes_of(theory: TheoryLike) -> Sizes | None:
    """Return the sizes of the network that a theory describes, or None if it knows only the ratios."""
    problem = theory if isinstance(theory, Problem) else theory.problem
    sizes: Sizes | None = getattr(theory, "sizes", None)
    return sizes_of(problem) if sizes is None and problem.has_sizes else sizes


def _check_run(run: Run, theories: Iterable[Theory]) -> None:
    """Refuse runs without error bars, or of a problem other than the theories'."""
    settings = run.settings
    counts = Counter(settings.cells[record["alpha"], record["eta"]] for record in run.records)
    for cell in range(len(settings.steps_taken)):
        if counts[cell] < 2:
            reason = f"cell {cell} of the run has {counts[cell]} finished replicates; an error bar needs 2"
            raise ArgumentError(reason, argument="observed")
    for one in theories:
        other = difference(one.problem, settings.problem, settings.ridges, getattr(one, "overrides", None))
        sizes, here = getattr(one, "sizes", None), Sizes(settings.n, settings.d, settings.N)
        if sizes not in (None, here):  # limits have none
            other = "sizes are n = {}, d = {}, N = {} and n = {}, d = {}, N = {}".format(*sizes, *here)
        if other is not None:
            raise ArgumentError(f"theory and observation describe different problems: {other}", argument="theory")


def _rows_of(
    theory: Theory, run: Run | None, seen: Iterable[Row], judging: Sequence[str]
) -> tuple[list[PredictedRow], list[str]]:
    """Return the rows for one theory, and doubts about the observations."""
    rows, notes = [], []
    known: dict[object, Expected | None] = {}
    for observed in seen:
        place = place_of(theory, run, observed)
        if place.step not in known:
            known[place.step] = theory.expected(place)
        expected = known[place.step]
        if expected is not None:
            here = {**observed, "ridge": place.ridges[0]} if observed["ridge"] is None else observed
            at, names = place.ridges.index(number(here, "ridge")), _names_of(theory, expected, here)
            predicted = {name: value_of(theory, expected, name, at) for name in names}
            found = [predicted_row(theory.title, here, name, predicted[name], name in judging) for name in names]
            rows += found
            notes += doubts(found, expected, at)
    return rows, notes


def _names_of(theory: Theory, expected: Expected, here: Row) -> list[str]:
    """Return the quantities both observed and expected; a theory of losses must predict every one in COMPARED."""
    seen, needed = [name for name in OBSERVED if name in here], set(COMPARED if set(COMPARED) & set(expected) else ())
    names = [name for name in seen if name in needed or name in expected]
    if not names:
        raise ArgumentError(f"the theory {theory.title} gives no {' or '.join(seen)}", argument="theory")
    return names


def _has_the_spikes(prediction: Prediction, alpha: float) -> bool:
    """Return whether the window of α has the same spikes as the prediction."""
    try:
        lengthened = prediction.network == NetworkKind.LITERAL
        return spikes_of(prediction.problem, window(repr(alpha)), lengthened).value == prediction.spikes
    except DomainError:  # a boundary, or beyond all windows
        return False


def _notes(run: Run | None, theories: Sequence[Theory]) -> tuple[str, ...]:
    notes = list(dict.fromkeys(note for one in theories for note in getattr(one, "notes", ())))
    if run is None:
        return tuple(notes)
    settings = run.settings
    for one in theories:
        gradient = getattr(one, "gradient", settings.gradient)
        if gradient != settings.gradient:
            notes.append(f"{one.title}: its step is on the {gradient}, the run's on the {settings.gradient}")
    alphas = [step.alpha for step in settings.steps_taken if step.alpha is not None]
    for one in theories:
        if isinstance(one, Prediction) and one.alpha is None and one.ell != 0:
            others = [alpha for alpha in alphas if not _has_the_spikes(one, alpha)]
            if others:
                notes.append(f"ℓ = {one.ell} is not the window of α = {', '.join(f'{x:g}' for x in others)}")
    if settings.reuse_batch:
        notes.append(
            f"the run takes its {settings.problem.steps} steps on one batch and the theory has a fresh one for each: "
            "this shows their distance, and does not test the theory"
        )
    if settings.input_law != InputLaw.GAUSSIAN:
        notes.append(f"the run has {settings.input_law} inputs and the theory Gaussian ones")
    if not run.complete:
        notes.append("the run is incomplete")
    return tuple(notes)


def place_of(theory: Theory, run: Run | None, observed: Row) -> Place:
    """Return the network and the step of an observed row."""
    alpha, eta = number_or_none(observed, "alpha"), number_or_none(observed, "eta")
    if run is not None:
        s = run.settings
        return Place(s.problem, Sizes(s.n, s.d, s.N), alpha, eta, s.ridges)
    sizes: Sizes | None = getattr(theory, "sizes", None)
    if eta is None and sizes is not None:
        eta = eta_of(alpha, None, sizes.n)
    ridge = float(theory.problem.ridge) if observed["ridge"] is None else number(observed, "ridge")
    return Place(theory.problem, sizes, alpha, eta, (ridge,))


def value_of(theory: Theory, expected: Expected, name: str, at: int) -> float:
    """Return the number that a theory expects at one ridge; refuse NaN, which would agree with everything."""
    try:
        value = float(expected[name][at])
    except (LookupError, TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        reason = f"the theory {theory.title} gives no number for {name} at ridge {at}"
        raise ArgumentError(reason, argument="theory")
    return value

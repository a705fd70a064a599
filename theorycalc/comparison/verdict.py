"""Comparison: predictions against observations, judged by standard errors, with a verdict in words and any doubts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypedDict

import numpy as np
from numpy.typing import NDArray

from theorycalc.model.problem import Problem
from theorycalc.results.base import Result
from theorycalc.results.layout import with_error
from theorycalc.results.quantities import COLUMNS, TRAINING
from theorycalc.results.repetitions import FEWEST_DRAWS, thresholds
from theorycalc.results.table import Column, Row, Table, column, columns_of, number, number_or_none
from theorycalc.simulation.run import step_text

_MOST_SHOWN = 48
_FAR, _SHARE = 5, 0.1  # standard errors and share of the prediction by which a loss before the step differs much
_NEAR = 3  # standard errors within which a number fits
_BEFORE = ("train_loss_initial", "test_loss_initial", "test_loss_clean_initial")
_WITHOUT_PENALTY = {"train_loss": "train_error", "train_loss_initial": "train_error_initial"}


class PredictedRow(TypedDict):
    """One quantity of one network, step and ridge, observed and predicted."""

    theory: str
    cell: int
    alpha: float | None
    eta: float | None
    model: str
    ridge: float
    replicates: float | None
    quantity: str
    predicted: float
    observed: float
    standard_error: float
    z: float
    judged: bool


class ComparedRow(PredictedRow):
    """A predicted row with its p-value, the critical |z| of the level, and the detectable deviation."""

    p: float
    critical: float
    detectable: float


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Predictions against observations: one row for each theory, step, model, ridge and quantity.

    A row has ``predicted``, ``observed``, ``standard_error``, ``z`` = (observed − predicted)/standard error, and
    ``p``, the probability of so large a ``|z|`` if the prediction is right: that of Student's t with one degree of
    freedom fewer than draws, since the error is estimated from them.

    With many comparisons some ``|z|`` are large by chance.  A judged row differs at the ``level`` if its p is below
    level/looks (Bonferroni), that is, if its ``|z|`` is above ``critical``: then a right theory is rejected with a
    probability of at most ``level``, even though rows depend on each other, a gain being the difference of two losses.
    ``detectable`` is the deviation that these draws would have shown nine times in ten.
    """

    kind: ClassVar[str] = "comparison"

    rows: tuple[ComparedRow, ...]
    level: float
    notes: tuple[str, ...]
    problem: Problem | None = None  # of the first theory

    @property
    def judged(self) -> tuple[ComparedRow, ...]:
        """The rows that count towards the verdict; the others are only shown."""
        return tuple(row for row in self.rows if row["judged"])

    @property
    def looks(self) -> int:
        """The number of judged comparisons."""
        return len(self.judged)

    @property
    def differing(self) -> tuple[ComparedRow, ...]:
        """The judged rows that differ at the level, corrected for the number of comparisons."""
        return tuple(row for row in self.judged if row["p"] * self.looks < self.level)

    @property
    def verdict(self) -> str:
        """The verdict on the theory: "agree", "differ", or "too few draws" if a row has fewer than eight."""
        if any(row["replicates"] is not None and row["replicates"] < FEWEST_DRAWS for row in self.judged):
            return "too few draws"
        return "differ" if self.differing else "agree"

    @property
    def agrees(self) -> bool:
        """True if the verdict is "agree"."""
        return self.verdict == "agree"

    @property
    def worst(self) -> ComparedRow:
        """The judged row that agrees least."""
        return min(self.judged, key=lambda row: (row["p"], -abs(row["z"])))

    @property
    def verdict_text(self) -> str:
        """The verdict as a sentence, with the level, the number of comparisons, and the detectable deviation."""
        largest = f"the largest |z| is {abs(self.worst['z']):.1f}, p = {self.worst['p']:.2g}"
        comparisons = f"{self.looks} comparison{'' if self.looks == 1 else 's'} at level {self.level:g}"
        if self.verdict == "too few draws":
            fewest = min(row["replicates"] for row in self.judged if row["replicates"] is not None)
            return f"Too few draws to tell: {fewest:g}, and a verdict needs {FEWEST_DRAWS} ({comparisons}, {largest})."
        if self.looks > 1:  # a p between the two is no difference
            largest += f"; a difference needs p < {self.level:g}/{self.looks}"
        if self.verdict == "differ":
            return f"Theory and observation differ in {len(self.differing)} of {comparisons} ({largest})."
        return f"Theory and observation agree: none of {comparisons} differs ({largest}). {self._power()}"

    def _power(self) -> str:
        """Return a sentence on the detectable deviation, that of the test gain if it was observed."""
        seen = [row["quantity"] for row in self.judged]
        name = "test_gain" if "test_gain" in seen else seen[0]
        shares = sensitivity(self.judged, name)
        median, worst = (f"{float(f'{share:.2g}'):g} %" for share in shares)  # 140, where .2g alone writes 1.4e+02
        steps = "" if shares[0] == shares[1] else f" (median; {worst} at worst)"
        return f"A deviation of {median} of the {COLUMNS[name].heading}{steps} would have shown nine times in ten."

    def _table(self, full: bool) -> Table:
        rows, hidden = self.rows, 0 if full else max(len(self.rows) - _MOST_SHOWN, 0)
        if hidden:
            rows = tuple(sorted(rows, key=lambda row: row["p"])[:_MOST_SHOWN])
        more = (f"{hidden} rows that agree better are not shown",) if hidden else ()
        differing = self.differing if self.verdict == "differ" else ()  # too few draws tell nothing of a row either
        seen = (
            column("theory"),
            Column("step", step_text),
            column("model"),
            column("ridge"),
            Column("quantity", lambda row, full: COLUMNS[str(row["quantity"])].heading),
            column("predicted", spec=".4g"),
            Column(
                "observed", lambda row, full: with_error(number(row, "observed"), number(row, "standard_error"), full)
            ),
            column("z", spec="+.1f"),
            Column("", lambda row, full: "differs" if row in differing else "" if row["judged"] else "not judged"),
        )
        which = (TRAINING,) if any(str(row["quantity"]).startswith("train_") for row in rows) else ()
        return Table(self.verdict_text, columns_of(rows), seen, full, which, notes=(*self.notes, *more))

    def _inputs(self) -> Row:
        return {} if self.problem is None else self.problem.to_dict()

    def _details(self) -> Row:
        return {"level": self.level, "looks": self.looks, "agrees": self.agrees}


def predicted_row(title: str, observed: Row, name: str, predicted: float, judged: bool) -> PredictedRow:
    """Return the predicted and the observed value of one quantity, with z."""
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


def judged(rows: Iterable[PredictedRow], level: float) -> tuple[ComparedRow, ...]:
    """Return the rows, each with its p, the critical |z| of the level, and the detectable deviation.

    Probabilities are those of Student's t, or of the normal law if the draws were not counted.

    >>> row = {"z": 1.0, "standard_error": 0.1, "replicates": 21, "judged": True}
    >>> found = judged([row], level=0.05)[0]
    >>> round(found["p"], 3), round(found["critical"], 3), round(found["detectable"], 3)
    (0.329, 2.086, 0.341)
    """
    from scipy.special import ndtr, stdtr

    listed = list(rows)
    share = level / max(1, sum(row["judged"] for row in listed))
    found: list[ComparedRow] = []
    for row in listed:
        draws, z = row["replicates"], -abs(row["z"])
        p = 2 * (ndtr(z) if draws is None else stdtr(draws - 1, z))
        critical, shows = thresholds(draws, share)
        found.append({**row, "p": float(p), "critical": critical, "detectable": shows * row["standard_error"]})
    return tuple(found)


def sensitivity(rows: Iterable[ComparedRow], quantity: str) -> tuple[float, float]:
    """Return the detectable deviations of a quantity, in per cent of its prediction: the median and the largest.

    >>> rows = [{"quantity": "test_gain", "detectable": 0.01, "predicted": 0.2}]
    >>> sensitivity(rows, "test_gain")
    (5.0, 5.0)
    """
    shares = sorted(
        100 * row["detectable"] / abs(row["predicted"]) if row["predicted"] else math.inf
        for row in rows
        if row["quantity"] == quantity
    )
    return shares[len(shares) // 2], shares[-1]


def comparison_rows(seen: Iterable[Row], comparison: Comparison | None) -> list[Row]:
    """Return one row for each observed quantity, in the columns of a comparison; empty cells have no prediction."""
    theory: dict[tuple[object, ...], list[Row]] = {}
    for row in () if comparison is None else comparison.rows:
        theory.setdefault((row["cell"], row["model"], row["ridge"], row["quantity"]), []).append(row)
    rows: list[Row] = []
    for observed in seen:
        for name in (name for name in observed if f"{name}_se" in observed):
            place = observed["cell"], observed["model"], observed["ridge"], name
            numbers = {"quantity": name, "observed": observed[name], "standard_error": observed[f"{name}_se"]}
            bare = {key: observed.get(key) for key in ComparedRow.__annotations__} | numbers
            rows += theory.get(place, [bare])
    return rows


def doubts(
    rows: Iterable[PredictedRow], expected: Mapping[str, Sequence[float] | NDArray[np.float64]], at: int
) -> list[str]:
    """Return doubts about the rows of one place, given the numbers that a theory expects at the ridge ``at``.

    >>> row = {"quantity": "test_loss_initial", "predicted": 0.2, "observed": 0.3, "standard_error": 0.01, "z": 10.0}
    >>> doubts([row], {"test_loss_initial": [0.2]}, 0)[0][:42]
    'even the test loss before the step differs'
    """
    listed = {row["quantity"]: row for row in rows}
    fitting = [
        (name, other)
        for name, other in _WITHOUT_PENALTY.items()
        if name in listed and other not in listed and other in expected
        if _fits_instead(listed[name], float(expected[other][at]))
    ]
    notes = [
        f"the numbers in {name} fit {other}, the error without the penalty, and not {name}: rename the column"
        for name, other in fitting
    ]
    far = [name for name in _BEFORE if name in listed and _is_far(listed[name])]
    return notes + [
        f"even the {COLUMNS[name].heading} the step differs: check the initialisation "
        "(tc.conventions.layers_from), the convention of the ridge (tc.ridge_from) and the teacher, before the "
        "learning rate"
        for name in far
        if not (fitting and name in _WITHOUT_PENALTY)
    ]


def _fits_instead(row: PredictedRow, other: float) -> bool:
    return abs(row["z"]) > _NEAR and abs(row["observed"] - other) <= _NEAR * row["standard_error"]


def _is_far(row: PredictedRow) -> bool:
    return abs(row["z"]) > _FAR and abs(row["observed"] - row["predicted"]) > _SHARE * row["predicted"]

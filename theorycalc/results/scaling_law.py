"""scaling_law(): the test loss against n or N with all other sizes fixed, and its decay exponent.

See docs/theory/power_laws.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, DomainError, one_of, spelled
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumbersLike, is_zero, listed, whole
from theorycalc.results.base import Points
from theorycalc.results.prediction import predict
from theorycalc.results.quantities import QUANTITIES
from theorycalc.results.table import Row, Table, column
from theorycalc.theory.case import float_case
from theorycalc.theory.windows import exponent_over_neurons, exponent_over_samples

_USUAL = 12  # sizes
_ROUNDING = 1e-12  # of the test loss, below which nothing is known of what is beyond the least
_NEGLIGIBLE = 1e-9  # ridge
_FAR = 100  # by which the other size is larger where one limits the loss alone
_RATIO = {"n": "phi", "N": "psi"}
_KNOWN = {"n": exponent_over_samples, "N": exponent_over_neurons}
_COLUMNS = {
    "size": "size",
    "test_loss": QUANTITIES["test_loss"].heading,
    "excess": "beyond the least",
    "exponent": "local exponent",
}


@dataclass(frozen=True, repr=False, eq=False)
class ScalingLaw(Points):
    """The limit of the test loss at several n or N with everything else fixed, and how fast it falls."""

    kind: ClassVar[str] = "scaling_law"
    meanings: ClassVar[dict[str, str]] = {
        "growing": "the size that grows, n or N",
        "sizes": "values of n or N",
        "excess": "excess of the test loss over its minimum for linear functions of the inputs",
        "exponent": "local exponent −d log(excess)/d log(size), between neighbours",
        "known": "exponent that is known for power laws of linear features without ridge and noise, or None",
    }

    problem: Problem
    growing: str
    ell: int
    sizes: NDArray[np.int64]
    test_loss: Floats
    excess: Floats
    exponent: Floats
    known: float | None
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]

    def _table(self, full: bool) -> Table:
        when = "after the step" if self.ell else "before the step"
        title = f"Test loss against {self.growing}, {when}" + (
            "" if self.known is None else f"; the known exponent is {self.known:.4g}"
        )
        seen = tuple(column(name, words) for name, words in _COLUMNS.items())
        unmet = tuple(str(one) for one in self.conditions if one.holds is not True) if self.ell else ()
        return Table(title, self._columns(), seen, full, conditions=unmet, notes=self.notes)

    def _arguments(self) -> Row:
        return {"size": self.sizes}

    def _quantities(self) -> Row:
        return {name: getattr(self, name) for name in ("test_loss", "excess", "exponent")}

    def _inputs(self) -> Row:
        return self.problem.to_dict() | {"growing": self.growing, "ell": self.ell, "known": self.known}


@checked_call
def scaling_law(problem: Problem, growing: str = "n", sizes: NumbersLike | None = None, *, ell: int = 0) -> ScalingLaw:
    """Predict the test loss against n or N with everything else fixed, and its decay exponent.

    Parameters
    ----------
    problem : Problem
        A network with sizes n, d and N; with inputs that follow a power law, ``inputs="power(3/2, 2)"``, the loss
        follows one, too.  The batch of the step keeps its share of n.
    growing : {"n", "N"}, default "n"
        The size that grows.
    sizes : sequence of int, optional
        Its values, at least 3.  Default: twelve values from 10 to d, or to 100 if d is less.
    ell : {0, 1}, default 0
        Before the step, or after one that learns its direction.

    Returns
    -------
    ScalingLaw
        Losses, their excess over the minimum for linear functions, and local exponents.

    Raises
    ------
    TheoryError
        The problem has ratios and no sizes, a size is not a whole number, or the theory does not hold for its inputs.

    >>> problem = Problem("x", "H1", n=10**9, d=2000, N=10**9, ridge="1e-18", inputs="power(3/2, 2)")
    >>> law = scaling_law(problem, "n", [20, 40, 80])
    >>> law.exponent.round(2).tolist(), law.known
    ([0.99, 1.01, 1.02], 1.0)
    """
    check_problem(problem, "scaling_law")
    grown = one_of(growing, "growing", tuple(_RATIO))
    step = whole(ell, "ell", "0, before the step, or 1, after it", low=0, high=1)
    if problem.d is None:
        wanted = f"a problem with sizes, {', '.join(map(spelled, ('n', 'd', 'N')))}"
        raise ArgumentError(f"scaling_law() needs {wanted}: one of them grows", argument="problem")
    values = _sizes(sizes, problem.d)
    ratio: dict[str, Any] = {_RATIO[grown]: problem.d / values}
    found = predict(problem, ell=step, **ratio)
    case = float_case(problem, "labels")
    loss = np.asarray(found.test_loss, dtype=float)
    excess = loss - float(case.noise_variance + case.rest)
    if not np.all(excess > _ROUNDING * loss):
        reason = "at some of these sizes the test loss equals its minimum to float64 rounding; take smaller ones"
        raise DomainError(reason, argument="sizes")
    exponent = -np.gradient(np.log(excess), np.log(values))
    return ScalingLaw(
        problem=problem,
        growing=grown,
        ell=step,
        sizes=values.astype(np.int64),
        test_loss=loss,
        excess=excess,
        exponent=exponent,
        known=_known(problem, grown, values[-1]),
        conditions=found.conditions,
        notes=found.notes,
    )


def _sizes(given: NumbersLike | None, d: int) -> Floats:
    if given is None:
        return np.unique(np.geomspace(10, max(d, 100), _USUAL).astype(int)).astype(float)
    values = [whole(size, "sizes", "a whole number from 1") for size in listed(given, "sizes")]
    if len(values) < 3 or sorted(set(values)) != values:
        raise ArgumentError(
            f"{spelled('sizes')}: an exponent needs at least 3 sizes in increasing order", argument="sizes"
        )
    return np.array(values, dtype=float)


def _known(problem: Problem, growing: str, largest: float) -> float | None:
    """Return the exponent of linear features if it is known: for a, b > 1, no noise or ridge, and one small size."""
    law = None if problem.inputs is None else problem.inputs.law
    is_linear = is_zero(problem.unit_activation.c_rest) and len(problem.teacher.coefficients) == 1
    others = {"n": problem.N, "N": problem.n}
    is_free = is_zero(problem.noise) and problem.ridge <= _NEGLIGIBLE and float(others[growing] or 0) >= _FAR * largest
    if law is None or not is_linear or not is_free or law.decay <= 1 or law.share_decay <= 1:
        return None
    return float(_KNOWN[growing](law.decay, law.share_decay))

"""What a finite-step prediction is: numbers, how good they are, and what follows from them (theory section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes
from theorycalc.numbers.systems import FLOATS
from theorycalc.results.base import Points, argument
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.quantities import NUMERICS, QUANTITIES
from theorycalc.results.table import Table
from theorycalc.theory.fitness import guarantee_of
from theorycalc.theory.pencil.powers import pencil_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMPARED = (
    "train_loss_initial",
    "test_loss_initial",
    "train_gain",
    "test_gain",
    "train_loss",
    "test_loss",
    "train_error_initial",
    "train_error",
)


#: What every finite step leaves out; ``error`` does not have it.
FINITE_SIZE = (
    "losses before the step are those of n → ∞: at finite n all losses are off by a share of order 1/n, some per cent "
    "at n of some hundreds"
)


class Place(NamedTuple):
    """Where something was observed: the problem, its sizes, one step, and the ridges there."""

    problem: Problem
    sizes: Sizes | None  # None: those of the theory
    alpha: float | None
    eta: float | None
    ridges: tuple[float, ...]

    @property
    def step(self) -> tuple[Any, ...]:
        """What tells one place of a run from another."""
        return self.alpha, self.eta, self.ridges


@dataclass(frozen=True, repr=False, eq=False)
class FiniteStep(Points):
    """The losses and gains of one step of size η in a network of n, d, N: numbers, or arrays over α (or η) and λ.

    ``converged`` says whether the numerics reached their accuracy, and ``error`` is their error as far as it is known:
    for dressed features the relative change by finer rules; for the pencil the change by its last two powers, which
    beyond small steps is the error of the series itself.  ``error`` is numerical only: losses before the step are those
    of n → ∞, so at finite n all losses are off by a share of order 1/n as well, which no field has: some per cent at n
    of some hundreds.  Gains are those of size n.
    """

    kind: ClassVar[str] = "step"

    problem: Problem  # at the ratios d/n and d/N
    sizes: Sizes
    alpha: Any
    eta: Any
    ridge: Any
    gradient: str  # "residual" or "labels"
    train_gain: Any
    test_gain: Any
    train_loss: Any  # the ridge objective, penalty included
    test_loss: Any
    train_error: Any  # (1/n)‖ỹ − Fâ‖², without the penalty
    train_loss_initial: Any
    test_loss_initial: Any
    train_error_initial: Any
    method: str
    powers: Any  # the largest power p of the pencil
    residual: Any  # of the fixed point of dressed features
    error: Any
    converged: Any
    digits: int | None
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """A short name for tables."""
        return f"finite step ({self.method})"

    @property
    def limit(self) -> Prediction | str:
        """The limit of such networks for n → ∞ in the window of α, or why there is none."""
        if self.alpha is None:
            return "the step was given by η: a window is a range of α"
        if np.ndim(self.alpha):
            return "the steps are several: ask for the limit of each α"
        try:
            step: Any = {"alpha": self.alpha, "ridge": self.ridge, "gradient": self.gradient}
            return predict(self.problem, network="literal", **step)
        except DomainError as error:
            return str(error)

    @property
    def strengths(self) -> dict[int, Any]:
        """The size of the k-th spike in units of the noise it must leave, D_k N^{(1−k)/2}, by k."""
        pencil = pencil_of(self.problem, self.sizes.N, self.gradient)
        found = pencil.strengths(FLOATS, self.eta)
        return dict(zip(pencil.spikes, found, strict=True))

    @property
    def outliers(self) -> Any:
        """The eigenvalues of FFᵀ/n that the step drives out of the bulk, largest first; of one step only."""
        return self._spectrum.outliers

    @property
    def alignments(self) -> Any:
        """The squared overlaps of each outlier's left singular vector with H_0(h), H_1(h), …; of one step only."""
        return self._spectrum.alignments

    @property
    def _spectrum(self) -> Any:
        from theorycalc.results.spectrum import spectrum

        if np.ndim(self.eta):
            raise ArgumentError("outliers are found for one step at a time")
        n, d, N = self.sizes
        return spectrum(self.problem, n=n, d=d, N=N, eta=float(self.eta), gradient=self.gradient, method=self.method)

    def expected(self, place: Place) -> dict[str, Any] | None:
        """Return losses and gains at an observed step for every ridge of the place; None if it is another step."""
        steps = np.asarray(self.eta, dtype=float)
        if place.eta is None or not np.any(np.isclose(steps, place.eta, rtol=1e-12, atol=0)):
            return None
        from theorycalc.results.finite_step import step

        n, d, N = self.sizes if place.sizes is None else place.sizes
        how: Any = {"gradient": self.gradient, "method": self.method}
        again = step(place.problem, n=n, d=d, N=N, eta=place.eta, ridge=list(place.ridges), **how)
        return {name: getattr(again, name) for name in COMPARED}

    def plot(self, ax: Any = None, **style: Any) -> Figure:
        """Draw the losses of one step, or the curve over several, and return the matplotlib figure.

        ``ax`` is an Axes to draw into, or two for the gains over α; ``style`` are properties of the points or curves.
        """
        from theorycalc.plots.drawing import draw

        return draw(self, ax=ax, **style)

    @property
    def guarantee(self) -> str:
        """How good the arithmetic is: "rounded" (float64), "enclosed" (the pencil's gains, proven) or "estimated"."""
        return guarantee_of(self.problem, self.digits)

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with every row and all digits."""
        from theorycalc.results.step_tables import step_table

        return step_table(self, full)

    def _arguments(self) -> dict[str, Any]:
        exact = self.digits is not None
        given = {name: argument(getattr(self.problem, name), exact) for name in ("phi", "psi", "noise")}
        ridge = argument(self.problem.ridge, exact) if exact else self.ridge
        return self.sizes._asdict() | given | {"ridge": ridge, "alpha": self.alpha, "eta": self.eta}

    def _quantities(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*QUANTITIES, *NUMERICS) if hasattr(self, name)}

    def _inputs(self) -> dict[str, Any]:
        inputs = self.problem.to_dict() | {"gradient": self.gradient, "method": self.method}
        if np.ndim(self.ridge):
            del inputs["ridge"]
        elif float(self.problem.ridge) != self.ridge:
            inputs["ridge"] = float(self.ridge)
        return inputs

    def _details(self) -> dict[str, Any]:
        limit = self.limit
        return {"limit": limit.to_dict() if isinstance(limit, Prediction) else limit}

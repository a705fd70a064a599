"""FiniteStep: the losses and gains after one step of a network of real size, and their accuracy.

See docs/theory/pencil.md#the-gains and docs/theory/dressed.md#the-losses.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, TheoryError
from theorycalc.model.enums import GradientTarget, NetworkKind, StepMethod
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes
from theorycalc.numbers.exact import Value
from theorycalc.numbers.overflow import within_float64
from theorycalc.numbers.systems import FLOATS
from theorycalc.results.base import Points, argument
from theorycalc.results.prediction import Prediction, predict
from theorycalc.results.quantities import (
    AFTER,
    CLEAN,
    CLEAN_AFTER,
    NUMERICS,
    QUANTITIES,
    TRAINING,
    shown,
    worth,
)
from theorycalc.results.table import Row, Table, column
from theorycalc.theory.checks import guarantee_of
from theorycalc.theory.dressed.finite_size import LossPair
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.over_networks import deviations
from theorycalc.theory.pencil.numerics import pencil_of

if TYPE_CHECKING:
    from theorycalc.results.spectrum import Spectrum

#: The error of order 1/n of every finite step, which its ``error`` leaves out.
FINITE_SIZE = "known terms of order 1/n are included; the others are a few per cent of the losses at n of a few hundred"
_FEW = 100  # samples, below which what is not counted is large
_SMALL = (
    "known terms of order 1/n are included; at n = 225 networks were measured 0 to 3 % below dressed "
    "features (docs/limits.md)"
)


def few_samples(n: int, words: str = _SMALL) -> str | None:
    """Return a warning, with these words, if errors of order 1/n are large, or None.

    >>> few_samples(100), few_samples(10)[:17]
    (None, 'n = 10 is small: ')
    """
    return None if n >= _FEW else f"n = {n} is small: {words}"


def finite_size(n: int) -> str:
    """Return the note on the error of order 1/n: a warning if there are few samples."""
    return few_samples(n) or FINITE_SIZE


class Place(NamedTuple):
    """The network, step and ridges of an observation."""

    problem: Problem
    sizes: Sizes | None  # None: those of the theory
    alpha: float | None
    eta: float | None
    ridges: tuple[float, ...]

    @property
    def step(self) -> tuple[object, ...]:
        """The step and the ridges, which distinguish the places of a run."""
        return self.alpha, self.eta, self.ridges


class Spread(NamedTuple):
    """Standard deviations over draws of the network and its data: the scatter of a single run."""

    train_loss_initial: NDArray[np.float64]
    test_loss_initial: NDArray[np.float64]
    train_loss: NDArray[np.float64]
    test_loss: NDArray[np.float64]
    train_gain: NDArray[np.float64]
    test_gain: NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class FiniteStep(Points):
    """The losses and gains of one step η for a network of n, d, N: numbers, or arrays over α (or η) and λ.

    ``converged`` says whether the numerics reached their accuracy, and ``error`` is their known error: for dressed
    features the relative change by finer rules; for the pencil the change by its last two powers, which beyond small
    steps is the error of the series itself.  ``error`` is numerical only: at finite n all losses are also off by
    unknown terms of order 1/n, which no field contains: a few per cent at n of a few hundred.
    """

    kind: ClassVar[str] = "step"

    problem: Problem  # at the ratios d/n and d/N
    sizes: Sizes
    alpha: float | NDArray[np.float64] | None
    eta: float | NDArray[np.float64]
    ridge: float | NDArray[np.float64]
    gradient: GradientTarget
    train_gain: Value
    test_gain: Value
    train_loss: Value  # the ridge objective, penalty included
    test_loss: Value
    train_error: Value  # (1/n)‖ỹ − Fâ‖², without the penalty
    train_loss_initial: Value
    test_loss_initial: Value
    train_error_initial: Value
    method: StepMethod
    error: float | NDArray[np.float64]
    converged: bool | NDArray[np.bool_]
    digits: int | None
    notes: tuple[str, ...]
    powers: int | NDArray[np.int64] | None = None  # the largest power p of the pencil
    residual: float | NDArray[np.float64] | None = None  # of the fixed point of dressed features
    test_loss_clean_initial: Value | None = None
    test_loss_clean: Value | None = None
    test_gain_clean: Value | None = None

    @property
    def title(self) -> str:
        """A short name for tables."""
        return f"finite step ({self.method})"

    @property
    def limit(self) -> Prediction | str:
        """The limit n → ∞ of such networks in the window of α, or the reason why there is none."""
        if self.alpha is None:
            return "the step was given by η: a window is a range of α"
        if np.ndim(self.alpha):
            return "there are several steps: ask for the limit of each α"
        try:
            literal = NetworkKind.LITERAL
            return predict(self.problem, alpha=self.alpha, ridge=self.ridge, network=literal, gradient=self.gradient)
        except TheoryError as error:
            return str(error)

    @property
    def strengths(self) -> dict[int, float | NDArray[np.float64]]:
        """The size of each k-th spike, in units of the noise it must exceed, D_k N^{(1−k)/2}, keyed by k."""
        pencil = pencil_of(self.problem, self.sizes.N, self.gradient)
        with within_float64(lambda: vars(self.problem)):
            found = pencil.strengths(FLOATS, self.eta)
        return dict(zip(pencil.spikes, found, strict=True))

    @functools.cached_property
    def spread(self) -> Spread:
        """The standard deviation of each loss and gain over draws of the network, its batches and n test points.

        One run differs from the prediction by about as much.  They are estimated to about a third
        (docs/theory/finite_size.md#one-draw).
        """
        names = "eta", "ridge", "train_loss_initial", "test_loss_initial", "train_gain", "test_gain"
        values = np.broadcast_arrays(*(getattr(self, name) for name in names))
        eta, ridge, *known = (np.asarray(x, dtype=float).ravel() for x in values)
        description = step_of(self.problem, self.sizes.N, self.gradient)
        pairs = LossPair(*known[:2]), LossPair(*known[2:])
        with within_float64(lambda: vars(self.problem)):
            found = deviations(description, eta, ridge, *pairs, float(self.sizes.n))
        return Spread(**{name: x.reshape(values[0].shape)[()] for name, x in found.items()})

    @property
    def outliers(self) -> NDArray[np.float64] | None:
        """The eigenvalues of FFᵀ/n that a single step moves out of the bulk, largest first."""
        return self._spectrum.outliers

    @property
    def alignments(self) -> NDArray[np.float64] | None:
        """The squared overlaps of each outlier's left singular vector with H_0(h), H_1(h), …, for a single step."""
        return self._spectrum.alignments

    @property
    def _spectrum(self) -> Spectrum:
        from theorycalc.results.spectrum import spectrum

        if np.ndim(self.eta):
            raise ArgumentError("outliers are found for one step at a time", argument="eta")
        n, d, N = self.sizes
        method = StepMethod.DRESSED if self.method == StepMethod.ISOTROPIC else self.method  # which is a form of it
        return spectrum(self.problem, n=n, d=d, N=N, eta=float(self.eta), gradient=self.gradient, method=method)

    def expected(self, place: Place) -> dict[str, NDArray[np.float64]] | None:
        """Return losses and gains for each ridge of an observation, or None for another step."""
        steps = np.asarray(self.eta, dtype=float)
        if place.eta is None or not np.any(np.isclose(steps, place.eta, rtol=1e-12, atol=0)):
            return None
        from theorycalc.results.finite_step import step

        sizes, ridge = place.sizes or self.sizes, list(place.ridges)
        how = functools.partial(step, gradient=self.gradient, method=self.method)
        return how(place.problem, **sizes._asdict(), eta=place.eta, ridge=ridge)._observable()

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64), "enclosed" (the pencil's gains, proven) or "estimated"."""
        return guarantee_of(self.problem, self.digits)

    def _table(self, full: bool) -> Table:
        method = "the pencil" if self.method == StepMethod.PENCIL else f"{self.method} features"
        how = f"({method}; {worth(self.guarantee, self.digits)})"
        network, of_order = network_words(self.problem, self.gradient), finite_size(self.sizes.n)
        notes = tuple(note for note in self.notes if note != of_order)
        data, numerics = self._columns(), _numerics(self)
        if self.size == 1:
            (row,) = self.rows
            taken = f"{step_words(row['eta'], row['alpha'], full)}, λ = {shown(row['ridge'], full)}"
            remarks = of_order, *_one_run(self), _limit(self, full), numerics
            steps = steps_words(self.problem).capitalize()
            return Table(f"{steps} of {network}: {taken} {how}", data, None, full, remarks, notes=notes)
        several = np.ndim(self.ridge) > 0
        seen = [*([] if self.alpha is None else ["alpha"]), "eta", *(["ridge"] if several else []), *AFTER]
        seen += [name for name in CLEAN_AFTER if name in data]
        title = f"Steps of {network}{'' if several else f', λ = {shown(self.ridge, full)}'} {how}"
        return Table(title, data, tuple(map(column, seen)), full, (TRAINING, of_order, numerics), notes=notes)

    def _arguments(self) -> Row:
        exact = self.digits is not None
        given = {name: argument(getattr(self.problem, name), exact) for name in ("phi", "psi", "noise")}
        ridge = argument(self.problem.ridge, exact) if exact else self.ridge
        return self.sizes._asdict() | given | {"ridge": ridge, "alpha": self.alpha, "eta": self.eta}

    def _quantities(self) -> Row:
        known = {name: getattr(self, name) for name in (*QUANTITIES, *NUMERICS) if hasattr(self, name)}
        return known | {name: value for name in CLEAN if (value := getattr(self, name)) is not None}

    def _plain(self) -> tuple[Row, Row]:
        arguments, quantities = super()._plain()
        if self.method == StepMethod.PENCIL:  # which also knows activations that have no function
            return arguments, quantities
        scatter = self.spread._asdict().items()
        return arguments, {
            **quantities,
            **{f"{name}_spread": value if np.ndim(value) else float(value) for name, value in scatter},
        }

    def _inputs(self) -> Row:
        inputs = self.problem.to_dict() | {"gradient": self.gradient, "method": self.method}
        if np.ndim(self.ridge):
            del inputs["ridge"]
        elif float(self.problem.ridge) != self.ridge:
            inputs["ridge"] = float(self.ridge)
        return inputs

    def _details(self) -> Row:
        limit = self.limit
        return {"limit": limit.to_dict() if isinstance(limit, Prediction) else limit}


def network_words(problem: Problem, gradient: str) -> str:
    """Return, in words, the network that takes a step, with its sizes.

    >>> network_words(Problem("relu", "H1", n=200, d=100, N=150, ridge="1/10"), "labels")
    'a network whose step is on the labels alone, n = 200, d = 100, N = 150'
    """
    literal = gradient == GradientTarget.RESIDUAL
    network = "the literal network" if literal else "a network whose step is on the labels alone"
    return f"{network}, n = {problem.n}, d = {problem.d}, N = {problem.N}"


def steps_words(problem: Problem) -> str:
    """Return, in words, the number of steps in a problem.

    >>> steps_words(Problem("relu", "H1", 1, 1, 1)), steps_words(Problem("relu", "H1", 1, 1, 1, steps=3))
    ('one step', '3 steps')
    """
    return "one step" if problem.steps == 1 else f"{problem.steps} steps"


def step_words(eta: object, alpha: object, full: bool = False) -> str:
    """Return, in words, the size of a step.

    >>> step_words(10.0, 0.25), step_words(10.0, None)
    ('η = 10 = n^0.25', 'η = 10')
    """
    return f"η = {shown(eta, full)}" + ("" if alpha is None else f" = n^{shown(alpha, full)}")


def _one_run(found: FiniteStep) -> tuple[str, ...]:
    """Return, in words, the scatter of a single network; the pencil also covers activations without a function."""
    if found.method == StepMethod.PENCIL:
        return ()
    names = ("test_loss", "test_gain", "train_gain")
    listed = (f"{QUANTITIES[name].heading} ± {float(getattr(found.spread, name)):.2g}" for name in names)
    return (f"one run differs by about: {', '.join(listed)}",)


def _limit(found: FiniteStep, full: bool) -> str:
    limit = found.limit
    if not isinstance(limit, Prediction):
        return f"limit n → ∞: none; {limit}"
    (row, *_) = limit.rows
    names = ("test_loss", "test_gain", "train_gain")
    listed = ", ".join(f"{QUANTITIES[name].heading} {shown(row[name], full)}" for name in names)
    return f"limit n → ∞ of such networks, ℓ = {limit.ell}: {listed}"


def _numerics(found: FiniteStep) -> str:
    worst = float(np.max(found.error))
    state = "numerics: converged" if np.all(found.converged) else "NOT CONVERGED"
    if found.powers is not None:
        return f"{state}: powers up to {np.max(found.powers)}, of which the last two changed {worst:.1g}"
    residual = 0.0 if found.residual is None else float(np.max(found.residual))
    return f"{state}: finer rules change {worst:.1g} relatively, residual {residual:.1g}"

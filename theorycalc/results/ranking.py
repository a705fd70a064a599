"""rank_activations(): activations ordered by their test loss after a step, for one teacher and one size."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from theorycalc.errors import (
    ArgumentError,
    BudgetError,
    DomainError,
    ExpressionError,
    PrecisionError,
    RankingInterrupted,
    about,
    one_of,
    spelled,
)
from theorycalc.model.activation import Activation
from theorycalc.model.enums import GradientTarget, NetworkKind, Tuning
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.reading import ActivationLike, activation
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import Sizes, step_size
from theorycalc.model.spikes import read_ell
from theorycalc.numbers.exact import NumberLike, is_zero
from theorycalc.results.base import Result
from theorycalc.results.finite_step import step
from theorycalc.results.listing import names_without_parameters
from theorycalc.results.planning import best, best_ridge, best_step
from theorycalc.results.prediction import Prediction, Window, predict
from theorycalc.results.quantities import AFTER, QUANTITIES, Plain, number_data
from theorycalc.results.search import network_sizes, ridge_range
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import Column, Row, Table, column, columns_of
from theorycalc.running.terminal import progress

_POINTS, _ZOOMS = 65, 3  # ridges of a limit that are tried at a time, and how often
_TUNED_STEP, _TUNED_RIDGE = (Tuning.BOTH, Tuning.STEP), (Tuning.BOTH, Tuning.RIDGE)


class Ranked(NamedTuple):
    """One activation: its step and ridge, with its losses and gains there or the reason why it has none."""

    activation: str
    test_loss: float | None = None
    test_gain: float | None = None
    train_loss: float | None = None
    train_error: float | None = None
    train_gain: float | None = None
    eta: float | None = None
    ridge: float | None = None
    at_edge: bool | None = None  # whether the minimum is at the edge of the range that was searched
    reason: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Result):
    """Activations in order of predicted loss, the best first; those without a value come last."""

    kind: ClassVar[str] = "ranking"

    problem: Problem
    sizes: Sizes | None  # of a finite step
    ell: int | float | None  # of a limit
    network: NetworkKind
    gradient: GradientTarget
    tune: Tuning
    by: str
    entries: tuple[Ranked, ...]

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One row for each activation, the best first: its rank, losses, gains, step and ridge, or the reason."""
        return tuple(
            {"rank": None if entry.reason else place, **entry._asdict()} for place, entry in enumerate(self.entries, 1)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The activations that are not ranked, each with the reason."""
        return tuple(f"{entry.activation} is not ranked: {entry.reason}" for entry in self.entries if entry.reason)

    def _table(self, full: bool) -> Table:
        shown = ["activation", "test_loss", "test_gain", *([] if self.by in ("test_loss", "test_gain") else [self.by])]
        shown += [] if self.sizes is None else ["eta"]
        edge = Column("", lambda row, full: "at the edge of the range" if row["at_edge"] else "")
        ranked = [row for row in self.rows if row["rank"] is not None]
        seen = *map(column, ("rank", *shown, "ridge")), edge
        return Table(self.title, columns_of(ranked), seen, full, notes=self.notes)

    @property
    def title(self) -> str:
        """The order, the teacher, and the network or limit."""
        kind = "in the limit" if self.sizes is None else "after one step at"
        teacher = self.problem.teacher.name or self.problem.teacher.typed() or "known by its moments"
        heading = QUANTITIES[self.by].heading
        return f"Activations by {heading} for the teacher {teacher}, {kind} {self.subject}, {self.each}"

    @property
    def subject(self) -> str:
        """The size of the network, or the limit."""
        if self.sizes is None:
            return f"ℓ = {self.ell} ({self.network})"
        n, d, N = self.sizes
        literal = self.gradient == GradientTarget.RESIDUAL
        return f"n = {n}, d = {d}, N = {N}" + ("" if literal else ", on the labels alone")

    @property
    def each(self) -> str:
        """The choice of step and ridge, in words."""
        own = [name for name, tuned in (("step", _TUNED_STEP), ("ridge", _TUNED_RIDGE)) if self.tune in tuned]
        return f"each at its own best {' and '.join(own)}" if own else "all at one ridge"

    def _inputs(self) -> Row:
        chosen = ("activation", "ridge") if self.tune in _TUNED_RIDGE else ("activation",)
        return {name: value for name, value in self.problem.to_dict().items() if name not in chosen}

    def _details(self) -> Row:
        return {
            "sizes": None if self.sizes is None else self.sizes._asdict(),
            "ell": number_data(self.ell),
            **{name: getattr(self, name) for name in ("network", "gradient", "tune", "by")},
        }


@checked_call
def rank_activations(
    problem: Problem,
    activations: Iterable[ActivationLike] | None = None,
    *,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    ell: Window | None = None,
    tune: str | None = None,
    by: str = "test_loss",
    gradient: str | None = None,
    network: str | None = None,
) -> Ranking:
    """Rank activations on one problem by predicted loss after a step, each at its own best step and ridge.

    An activation twice as large wants a ridge four times as large and a step half as large, so one ridge or one step
    for all favours activations of one size: by default each has its own.

    Parameters
    ----------
    problem : Problem
        The teacher, sizes or ratios, noise and laws; the ranked activations replace its own activation and ridge.
    activations : sequence of str or Activation, optional
        Names, formulas or :class:`Activation` objects.  Default: every named one without required parameters and with
        c_1 ≠ 0, and the problem's own.
    alpha, eta : number, optional
        One step for all, as in :func:`step`; without them each activation has its own best step.
    ell : int or "inf", optional
        Rank limits instead of networks of real size, as in :func:`predict`.
    tune : {"both", "ridge", "step", "none"}, optional
        "both": each at its own best step and ridge, the default.  "ridge": at its own best ridge, the default where
        ``alpha``, ``eta`` or ``ell`` is given.  "step": at its own best step and the problem's ridge.  "none": at the
        given step and the problem's ridge.  Best means the lowest test loss.
    by : str, default "test_loss"
        "test_loss", "train_loss" or "train_error", the least first; "test_gain" or "train_gain", the largest first.
    gradient : {"residual", "labels"}, optional
        Target of the step.  Default: "residual", of the literal network; "labels" for network="theorem".
    network : {"literal", "theorem"}, default "literal"
        Limit that ``ell`` ranks: that of literal networks, or the theorem's.

    Returns
    -------
    Ranking
        One row for each activation; those that cannot be computed come last, with the reason.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range, a formula cannot be read, or no activation can be computed.
    RankingInterrupted
        Ctrl-C; its ``ranking`` has the activations that were done.

    >>> problem = Problem("relu", "H1 + H2/2", n=200, d=100, N=150, ridge="1/10", noise="1/2")
    >>> [row["activation"] for row in rank_activations(problem, ["relu", "tanh", "softplus"], eta=5).rows]
    ['softplus', 'tanh', 'relu']
    """
    check_problem(problem, "rank_activations")
    one_of(by, "by", AFTER)
    tuning = _tuning(tune, alpha is not None or eta is not None, ell is not None)
    limit = one_of(NetworkKind.LITERAL if network is None else network, "network", NetworkKind)
    usual = GradientTarget.LABELS if limit == NetworkKind.THEOREM else GradientTarget.RESIDUAL
    target = one_of(usual if gradient is None else gradient, "gradient", GradientTarget)
    if ell is None:
        if limit == NetworkKind.THEOREM:
            reason = f"{spelled('network', 'theorem')} is a limit"
            remedy = f"give {spelled('ell')}, or {spelled('gradient', GradientTarget.LABELS)} for the theorem's step"
            raise ArgumentError(f"{reason}: {remedy}", argument="network")
        sizes = network_sizes(problem, n, d, N)
        size = None if tuning in _TUNED_STEP else step_size(sizes.n, alpha, eta)[1]
        measured = functools.partial(_after_a_step, sizes=sizes, eta=size, tune=tuning, gradient=target)
    else:
        if any(given is not None for given in (n, d, N, alpha, eta)):
            raise ArgumentError(
                f"{spelled('ell')} ranks limits, which have no {spelled('n')}, {spelled('d')}, {spelled('N')}, "
                f"{spelled('alpha')} and {spelled('eta')}",
                argument="ell",
            )
        sizes, ell = None, read_ell(ell)
        measured = functools.partial(_in_the_limit, ell=ell, network=limit, gradient=target, tune=tuning)
    known = _activations(problem, activations)

    def ranking(entries: Sequence[Ranked]) -> Ranking:
        sign = -1 if by.endswith("gain") else 1  # the best first, and those with a reason last
        ordered = sorted(entries, key=lambda e: (e.reason is not None, 0 if e.reason else sign * getattr(e, by)))
        return Ranking(problem, sizes, ell, limit, target, tuning, by, tuple(ordered))

    done: list[Ranked] = []
    try:
        for given in progress(known, len(known), "ranking activations"):
            done.append(_entry(problem, given, measured))  # noqa: PERF401 - entries before an interruption are kept
    except KeyboardInterrupt:
        kept = f"{len(done)} of {len(known)} activations are done, and in the .ranking of this exception"
        stopped = RankingInterrupted(f"interrupted; {kept}")
        stopped.ranking = ranking(done)
        raise stopped from None
    if all(entry.reason for entry in done):
        reason = f"no activation can be ranked; {done[0].activation}: {done[0].reason}"
        raise DomainError(reason, argument="activations")
    return ranking(done)


def _tuning(tune: str | None, step: bool, limit: bool) -> Tuning:
    """Return the settings that each activation may choose: only the ridge for a given step or a limit."""
    if tune is None:
        return Tuning.RIDGE if step or limit else Tuning.BOTH
    tuning = one_of(tune, "tune", Tuning)
    if (step or limit) and tuning in _TUNED_STEP:
        given = f"{spelled('alpha')} or {spelled('eta')} is given" if step else "a limit has none"
        reason = f"{spelled('tune', tune)} chooses a step, and {given}"
        remedy = f"take {spelled('tune', Tuning.RIDGE)} or {spelled('tune', Tuning.NONE)}"
        raise ArgumentError(f"{reason}: {remedy}", argument="tune")
    if not (step or limit) and tuning not in _TUNED_STEP:
        reason = f"{spelled('tune', tune)} chooses no step"
        remedy = f"give {spelled('alpha')} or {spelled('eta')}, or {spelled('ell')} for limits"
        raise ArgumentError(f"{reason}: {remedy}", argument="tune")
    return tuning


def _activations(problem: Problem, given: Iterable[ActivationLike] | None) -> list[Activation | Ranked]:
    """Return the activations to rank; one that the theory does not allow becomes an entry with the reason."""
    if given is None:
        named = [activation(name) for name in names_without_parameters()]
        found = [known for known in named if not is_zero(known.c1)]
        return [*found, *([] if problem.activation.name in {known.name for known in found} else [problem.activation])]
    items = [given] if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable) else list(given)
    if not items:
        reason = "activations= is empty; give names or formulas, or leave it out for all that have a name"
        raise ArgumentError(reason, argument="activations")
    return [_read(item) for item in items]


def _read(item: ActivationLike) -> Activation | Ranked:
    try:
        with about("activations"):
            return activation(item)
    except ExpressionError:  # a mistyped name is told at once
        raise
    except (DomainError, BudgetError) as error:
        return Ranked(str(item), reason=str(error))


def _entry(problem: Problem, given: Activation | Ranked, measured: Callable[[Problem], Ranked]) -> Ranked:
    if isinstance(given, Ranked):
        return given
    try:
        return measured(dataclasses.replace(problem, activation=given))
    except (DomainError, PrecisionError, BudgetError) as error:
        return Ranked(given.name, reason=str(error))


def _after_a_step(case: Problem, sizes: Sizes, eta: float | None, tune: Tuning, gradient: GradientTarget) -> Ranked:
    if tune == Tuning.NONE:
        found = step(case, **sizes._asdict(), eta=eta, gradient=gradient)
        return _ranked(found, eta=eta, ridge=float(case.ridge))
    if tune == Tuning.RIDGE:
        chosen = best_ridge(case, **sizes._asdict(), eta=eta, gradient=gradient)
    else:
        chosen = (best if tune == Tuning.BOTH else best_step)(case, **sizes._asdict(), gradient=gradient)
    return _ranked(chosen.step, eta=chosen.eta, ridge=chosen.ridge, at_edge=chosen.at_edge)


def _in_the_limit(
    case: Problem, ell: int | float, network: NetworkKind, gradient: GradientTarget, tune: Tuning
) -> Ranked:
    limit = functools.partial(predict, case, ell=ell, network=network, gradient=gradient)
    if tune == Tuning.NONE:
        return _ranked(limit(), ridge=float(case.ridge))
    low, high = ridge_range(case)
    at_edge = None
    for _ in range(_ZOOMS):
        ridges = np.geomspace(low, high, _POINTS)
        least = int(np.argmin(np.asarray(limit(ridge=ridges).test_loss)))
        at_edge = least in (0, _POINTS - 1) if at_edge is None else at_edge
        low, high = ridges[max(least - 1, 0)], ridges[min(least + 1, _POINTS - 1)]
    ridge = float(ridges[least])
    return _ranked(limit(ridge=ridge), ridge=ridge, at_edge=at_edge)


def _ranked(
    found: FiniteStep | Prediction, ridge: float, eta: float | None = None, at_edge: bool | None = None
) -> Ranked:
    values = {name: float(getattr(found, name)) for name in AFTER}
    return Ranked(found.problem.activation.name, **values, eta=eta, ridge=ridge, at_edge=at_edge, reason=None)

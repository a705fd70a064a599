"""rank_activations(): which activation has the least test loss after a step, on one teacher and at one size."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypedDict

import numpy as np

from theorycalc.errors import (
    ArgumentError,
    DomainError,
    ExpressionError,
    PrecisionError,
    RankingInterrupted,
    about,
    one_of,
    spelled,
)
from theorycalc.model.activation import Activation
from theorycalc.model.problem import GRADIENTS, ActivationLike, Problem
from theorycalc.model.reading import activation
from theorycalc.model.signatures import checked_call, documented
from theorycalc.model.sizes import Sizes, step_size
from theorycalc.model.spikes import read_ell
from theorycalc.numbers.exact import NumberLike, is_zero
from theorycalc.results.finite_step import step
from theorycalc.results.joint_search import best
from theorycalc.results.listing import names_without_parameters
from theorycalc.results.planning import best_ridge, best_step, network_sizes, ridge_range
from theorycalc.results.prediction import NETWORKS, Prediction, Window, predict
from theorycalc.results.ranking_result import BY, TUNED, Ranked, Ranking
from theorycalc.results.step_result import FiniteStep
from theorycalc.running.terminal import progress

_POINTS, _ZOOMS = 65, 3  # ridges of a limit that are tried at a time, and how often


class _Measured(TypedDict, total=False):
    """What is known of one activation."""

    test_loss: float
    test_gain: float
    train_loss: float
    train_error: float
    train_gain: float
    eta: float | None
    ridge: float
    at_edge: bool | None


@documented
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
    """Rank activations on one problem by what is predicted after a step, each at its own best step and ridge.

    An activation twice as large wants a ridge four times as large and a step half as large, so one ridge or one step
    for all favours activations of one size: by default each has its own.

    Parameters
    ----------
    problem
        The teacher, sizes or ratios, noise and laws; its activation and its ridge give way to those that are ranked.
    activations
        Names, formulas or :class:`Activation` objects; by default every named one that needs no parameter and has
        c_1 ≠ 0, and the problem's own.
    n, d, N
        As in :func:`step`.
    gradient
        "residual", of the literal network (the default), or "labels", of the theorem.
    alpha, eta
        One step for all, as in :func:`step`; without them each activation has its own best step.
    ell
        Rank limits instead of networks of real size, as in :func:`predict`.
    tune
        "both": each at its own best step and ridge, the default.  "ridge": at its own best ridge, the default where
        ``alpha``, ``eta`` or ``ell`` is given.  "step": at its own best step and the problem's ridge.  "none": at the
        given step and the problem's ridge.  Best means the least test loss.
    by
        "test_loss", "train_loss" or "train_error", the least first; "test_gain" or "train_gain", the largest first.
    network
        Of ``ell``: "literal", the limit that networks tend to (default), or "theorem".

    Returns
    -------
    Ranking
        One row for each activation; those that cannot be computed come last, with the reason.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range, a formula cannot be read, or no activation can be computed.
    RankingInterrupted
        Ctrl-C; ``ranking`` has the activations that were done.

    >>> problem = Problem("relu", "H1 + H2/2", n=200, d=100, N=150, ridge="1/10", noise="1/2")
    >>> [row["activation"] for row in rank_activations(problem, ["relu", "tanh", "softplus"], eta=5).rows]
    ['softplus', 'tanh', 'relu']
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"rank_activations() takes a Problem, not {type(problem).__name__}", argument="problem")
    one_of(by, "by", BY)
    tune = _tuned(tune, alpha is not None or eta is not None, ell is not None)
    network = one_of("literal" if network is None else network, "network", NETWORKS)
    gradient = one_of(
        ("labels" if network == "theorem" else "residual") if gradient is None else gradient, "gradient", GRADIENTS
    )
    if ell is None:
        if network == "theorem":
            raise ArgumentError(
                f"network='theorem' is a limit: give {spelled('ell')}, "
                f"or {spelled('gradient', 'labels')} for the theorem's step",
                argument="network",
            )
        sizes = network_sizes(problem, n, d, N)
        size = None if tune in ("both", "step") else step_size(sizes.n, alpha, eta)[1]
        measured = functools.partial(_after_a_step, sizes=sizes, eta=size, tune=tune, gradient=gradient)
    else:
        if any(given is not None for given in (n, d, N, alpha, eta)):
            raise ArgumentError(
                f"{spelled('ell')} ranks limits, which have no {spelled('n')}, {spelled('d')}, {spelled('N')}, "
                f"{spelled('alpha')} and {spelled('eta')}",
                argument="ell",
            )
        sizes, ell = None, read_ell(ell)
        measured = functools.partial(_in_the_limit, ell=ell, network=network, gradient=gradient, tune=tune)
    known = _activations(problem, activations)

    def ranking(entries: Sequence[Ranked]) -> Ranking:
        return Ranking(problem, sizes, ell, network, gradient, tune, by, _sorted(entries, by))

    done: list[Ranked] = []
    try:
        for given in progress(known, len(known), "ranking activations"):
            done.append(_entry(problem, given, measured))  # noqa: PERF401 - what is done is kept
    except KeyboardInterrupt:
        kept = f"{len(done)} of {len(known)} activations are done, and in the .ranking of this exception"
        stopped = RankingInterrupted(f"interrupted; {kept}")
        stopped.ranking = ranking(done)
        raise stopped from None
    if all(entry.reason for entry in done):
        raise DomainError(
            f"no activation can be ranked; {done[0].activation}: {done[0].reason}", argument="activations"
        )
    return ranking(done)


def _tuned(tune: str | None, step: bool, limit: bool) -> str:
    """Return what each activation chooses for itself; a step that is given, or a limit, leaves it the ridge."""
    if tune is None:
        return "ridge" if step or limit else "both"
    one_of(tune, "tune", TUNED)
    if (step or limit) and tune in ("both", "step"):
        given = f"{spelled('alpha')} or {spelled('eta')} is given" if step else "a limit has none"
        raise ArgumentError(
            f"tune={tune!r} chooses a step, and {given}: take {spelled('tune', 'ridge')} or {spelled('tune', 'none')}",
            argument="tune",
        )
    if not (step or limit) and tune in ("ridge", "none"):
        raise ArgumentError(
            f"tune={tune!r} chooses no step: give {spelled('alpha')} or {spelled('eta')}, "
            f"or {spelled('ell')} for limits",
            argument="tune",
        )
    return tune


def _activations(problem: Problem, given: Iterable[ActivationLike] | None) -> list[Activation | Ranked]:
    """Return the activations to rank; one that is no function of the theory, as an entry with the reason."""
    if given is None:
        named = [activation(name) for name in names_without_parameters()]
        found = [known for known in named if not is_zero(known.c1)]
        return [*found, *([] if problem.activation.name in {known.name for known in found} else [problem.activation])]
    items = [given] if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable) else list(given)
    if not items:
        raise ArgumentError(
            "activations= is empty; give names or formulas, or leave it out for all that have a name",
            argument="activations",
        )
    return [_read(item) for item in items]


def _read(item: ActivationLike) -> Activation | Ranked:
    try:
        with about("activations"):
            return activation(item)
    except ExpressionError:  # a mistyped name is told at once
        raise
    except DomainError as error:
        return Ranked(str(item), reason=str(error))


def _entry(problem: Problem, given: Activation | Ranked, measured: Callable[[Problem], _Measured]) -> Ranked:
    if isinstance(given, Ranked):
        return given
    try:
        return Ranked(given.name, **measured(dataclasses.replace(problem, activation=given)))
    except (DomainError, PrecisionError) as error:
        return Ranked(given.name, reason=str(error))


def _after_a_step(case: Problem, sizes: Sizes, eta: float | None, tune: str, gradient: str) -> _Measured:
    where = {**sizes._asdict(), "gradient": gradient}
    if tune == "none":
        return _values(step(case, eta=eta, **where)) | {"eta": eta, "ridge": float(case.ridge)}
    if tune == "ridge":
        chosen = best_ridge(case, eta=eta, **where)
    else:
        chosen = best(case, **where) if tune == "both" else best_step(case, **where)
    found = step(case, eta=chosen.eta, ridge=chosen.ridge, **where)
    return _values(found) | {"eta": chosen.eta, "ridge": chosen.ridge, "at_edge": chosen.at_edge}


def _in_the_limit(case: Problem, ell: int | float, network: str, gradient: str, tune: str) -> _Measured:
    limit = functools.partial(predict, case, ell=ell, network=network, gradient=gradient)
    if tune == "none":
        return _values(limit()) | {"ridge": float(case.ridge)}
    low, high = ridge_range(case)
    at_edge = None
    for _ in range(_ZOOMS):
        ridges = np.geomspace(low, high, _POINTS)
        least = int(np.argmin(np.asarray(limit(ridge=ridges).test_loss)))
        at_edge = least in (0, _POINTS - 1) if at_edge is None else at_edge
        low, high = ridges[max(least - 1, 0)], ridges[min(least + 1, _POINTS - 1)]
    ridge = float(ridges[least])
    return _values(limit(ridge=ridge)) | {"ridge": ridge, "at_edge": at_edge}


def _values(found: FiniteStep | Prediction) -> _Measured:
    return _Measured(
        test_loss=float(found.test_loss),
        test_gain=float(found.test_gain),
        train_loss=float(found.train_loss),
        train_error=float(found.train_error),
        train_gain=float(found.train_gain),
    )


def _sorted(entries: Sequence[Ranked], by: str) -> tuple[Ranked, ...]:
    sign = -1 if by.endswith("gain") else 1
    computed = [entry for entry in entries if entry.reason is None]
    return (
        *sorted(computed, key=lambda entry: sign * getattr(entry, by)),
        *(e for e in entries if e.reason is not None),
    )

"""Planning an experiment: the best ridge, the best step, or both, and the number of samples that reveals the limit.

See docs/theory/windows.md#how-slowly-this-becomes-true and docs/theory/dressed.md#the-losses.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from theorycalc.errors import DomainError, one_of, spelled
from theorycalc.model.enums import GradientTarget, NetworkKind
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import in_float64, sizes_of, step_size
from theorycalc.numbers.exact import Floats, NumberLike, read_rational, whole
from theorycalc.results.finite_step import step
from theorycalc.results.prediction import predict
from theorycalc.results.search import (
    TOLERANCE,
    Best,
    Search,
    best_of,
    is_better,
    joint_minimum,
    minimum,
    network_sizes,
    ridge_range,
    rows_of_losses,
    step_range,
)
from theorycalc.results.step_result import FiniteStep
from theorycalc.running.terminal import progress, waiting
from theorycalc.theory.windows import window

_BOTH = ("eta", "ridge")
_JOINT_GRID = (13, 15)  # steps and ridges
_LARGEST_N = 10**24
_FEWEST = 20
_DOUBT = 10  # times the error that finer rules show: a gain that is nearer to the goal decides nothing


@checked_call
def best_ridge(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
) -> Best:
    """Return the ridge λ that minimises the predicted test loss after a step.

    Parameters
    ----------
    problem : Problem
        The network and its data; its own ridge plays no part.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    >>> round(best_ridge(problem, n=1000, alpha=0.3).ridge, 2)
    0.43
    """
    check_problem(problem, "best_ridge")
    sizes = network_sizes(problem, n, d, N)
    eta = step_size(sizes.n, alpha, eta)[1]
    after = functools.partial(step, problem, **sizes._asdict(), eta=eta, gradient=gradient)
    ends = ridge_range(problem)
    search = minimum("ridge", lambda log_ridge: after(ridge=np.exp(log_ridge)).test_loss, ends)
    return best_of(after(ridge=math.exp(search.place)), ("ridge",), search, None, ends)


@checked_call
def best_step(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    ridge: NumberLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
) -> Best:
    """Return the step η, the learning rate, that minimises the predicted test loss, and whether larger steps do harm.

    >>> problem = Problem("erf", "H1 + H3/3", "1/2", "2/3", "1/10")
    >>> best_step(problem, n=1000).larger_hurts
    True
    """
    check_problem(problem, "best_step")
    sizes = network_sizes(problem, n, d, N)
    ridge = problem.ridge if ridge is None else read_rational(ridge, "ridge")
    after = functools.partial(step, problem, **sizes._asdict(), ridge=ridge, gradient=gradient)
    ends = step_range(problem, sizes.n, one_of(gradient, "gradient", GradientTarget))
    search = minimum("eta", lambda log_step: after(eta=np.exp(log_step)).test_loss, ends)
    found = after(eta=math.exp(search.place))
    if not is_better(found, float(found.test_loss_initial)):
        found, search = after(eta=0), search._replace(at_ends=("eta",))
    hurts = float(after(eta=ends[1]).test_loss) > float(found.test_loss) * (1 + TOLERANCE)
    return best_of(found, ("eta",), search, hurts, ends)


@checked_call
def best(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
) -> Best:
    """Return the step η, the learning rate, and the ridge λ that together minimise the predicted test loss.

    Parameters
    ----------
    problem : Problem
        The network and its data; its own ridge plays no part.

    Returns
    -------
    Best
        Step and ridge to three digits, and the losses and gains at them.  ``at_ends`` names those of "eta" and "ridge"
        that ended at the edge of their range, "eta" also if no step at all is best; ``larger_hurts`` says that the
        largest step is worse at its own best ridge; ``searched`` is the range of the steps, which ends where float64
        does.

    >>> found = best(Problem("tanh", "sin(x)", n=900, d=300, N=600, ridge="1/100", noise="1/10"))
    >>> f"{found.eta:.3g} {found.ridge:.2g} {found.test_loss:.4f}"
    '17.7 0.063 0.1224'
    """
    check_problem(problem, "best")
    sizes = network_sizes(problem, n, d, N)
    target = one_of(gradient, "gradient", GradientTarget)
    where = functools.partial(step, problem, **sizes._asdict(), gradient=target)

    def after(log_step: float | Floats, log_ridge: float | Floats) -> FiniteStep:
        return where(eta=np.exp(log_step), ridge=np.exp(log_ridge))

    with waiting("looking for the best step and ridge"):
        ranges = step_range(problem, sizes.n, target), ridge_range(problem)
        steps, ridges = (np.log(np.geomspace(*ends, count)) for ends, count in zip(ranges, _JOINT_GRID, strict=True))
        losses = rows_of_losses(lambda x: np.asarray(after(x, ridges).test_loss, dtype=float), steps)
        steps = steps[: len(losses)]
        place, at_ends = joint_minimum(_BOTH, lambda x: float(after(*x.tolist()).test_loss), (steps, ridges), losses)
        found = after(*place.tolist())
        searched = math.exp(steps[0]), math.exp(steps[-1])
        still, largest = (best_ridge(problem, **sizes._asdict(), eta=eta, gradient=target) for eta in (0, searched[1]))
    least = float(found.test_loss)
    hurts = largest.test_loss > min(least, still.test_loss) * (1 + TOLERANCE)
    search = Search(float(place[0]), at_ends, steps, losses.min(axis=1))  # each step at its own best ridge
    joint = best_of(found, _BOTH, search, hurts, searched)
    if is_better(found, still.test_loss):
        return joint
    tried = dataclasses.replace(still, chosen=joint.chosen, grid=joint.grid, losses=joint.losses, searched=searched)
    return dataclasses.replace(tried, at_ends=("eta", *still.at_ends), larger_hurts=hurts)  # no step at all


@checked_call
def samples_needed(
    problem: Problem, *, ell: int, fraction: NumberLike, alpha: NumberLike, gradient: str = GradientTarget.RESIDUAL
) -> int:
    """Return the smallest n at which a step n^α reaches a given fraction of the limit of the training gain.

    The gains of spikes beyond ℓ, which a finite network also has, count.  Networks have at least 20 samples, inputs and
    neurons.

    Parameters
    ----------
    problem : Problem
        The network and its data, at its ratios φ and ψ.
    ell : int
        Number ℓ ≥ 1 of a window.
    fraction : number
        Share of the limit of literal networks, ``predict(problem, ell=ell, network="literal")``; between 0 and 1.
    alpha : number
        Exponent of a step inside the window ℓ.

    Returns
    -------
    int
        n, to four digits.

    Raises
    ------
    TheoryError
        An argument is out of its range, or no network up to n = 10^24 shows the fraction.

    >>> problem = Problem("tanh(x + 1)", "H1", "1/2", "2/3", "1/10", noise="1/2")
    >>> n = samples_needed(problem, ell=1, fraction=0.9, alpha="0.2")
    >>> 10**3 < n < 10**5
    True
    """
    check_problem(problem, "samples_needed")
    gradient = one_of(gradient, "gradient", GradientTarget)
    share = in_float64(read_rational(fraction, "fraction"), "fraction")
    if not 0 < share < 1:
        raise DomainError(f"{spelled('fraction', fraction)} must lie between 0 and 1", argument="fraction")
    ell = whole(ell, "ell")
    if window(alpha) != ell:
        reason = f"{spelled('alpha', alpha)} is in window ℓ = {window(alpha)}, not in {spelled('ell', ell)}"
        raise DomainError(f"{reason}: its limit is Δ_{window(alpha)}", argument="alpha")
    goal = share * float(predict(problem, ell=ell, network=NetworkKind.LITERAL, gradient=gradient).train_gain)
    if goal <= 0:
        raise DomainError("nothing is gained in the limit, so there is no fraction of it to see", argument="teacher")

    def reached(n: int) -> bool:
        found = step(problem, n=n, alpha=alpha, gradient=gradient)
        excess = float(found.train_gain) - goal
        if not found.converged and abs(excess) <= _DOUBT * float(found.error) * float(found.train_loss_initial):
            reason = f"rounding hides whether n = {n:.0e} shows {share:g} of the limit for ℓ = {ell}"
            detail = f"its losses are known to {float(found.error):.1g}; ask for a smaller fraction"
            raise DomainError(f"{reason}: {detail}", argument="fraction")
        return excess >= 0

    phi, psi = float(problem.phi), float(problem.psi)
    first = math.ceil(_FEWEST * max(1.0, 1 / phi, psi / phi))
    if first > _LARGEST_N:
        reason = f"{_FEWEST} inputs and neurons need n = {float(first):.0e} samples, and no more than"
        name = "phi" if psi <= 1 else "psi"
        raise DomainError(f"{reason} {float(_LARGEST_N):g} are tried; take ratios nearer to 1", argument=name)
    sizes_of(problem, first)  # only for its refusals
    high = first
    doublings = math.ceil(math.log(_LARGEST_N / high, 4))
    for _ in progress(range(doublings), doublings, "looking for the number of samples"):
        if reached(high):
            break
        high *= 4
    else:
        reason = f"even n = {high:.0e} shows less than {share:g} of the limit for ℓ = {ell}"
        raise DomainError(f"{reason}; a step nearer to the end of the window may show it", argument="fraction")
    low = max(high // 4, first - 1)  # smaller sizes were not tried
    while high - low > max(1, low // 10_000):  # four digits
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high

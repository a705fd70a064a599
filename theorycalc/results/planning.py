"""Planning an experiment: the best ridge, the best step, and how many samples show the limit.

See docs/theory/windows.md#how-slowly-this-becomes-true.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from theorycalc.errors import ArgumentError, DomainError, one_of
from theorycalc.model.problem import GRADIENTS, POSITIVE, Problem
from theorycalc.model.signatures import checked_call, documented
from theorycalc.model.sizes import Sizes, in_float64, sizes_of, step_size
from theorycalc.numbers.exact import Floats, NumberLike, Value, read_rational, whole
from theorycalc.results.finite_step import step
from theorycalc.results.planning_result import Best, Search, best_of
from theorycalc.results.prediction import predict
from theorycalc.running.terminal import progress
from theorycalc.theory.fitness import checked_case
from theorycalc.theory.windows import window

_RIDGES = (1e-6, 1e4)  # times Var σ, the scale of F₀F₀ᵀ/n
_RIDGE_GRID = 41
_EXPONENTS = (-0.3, 0.7)  # of n, times the step whose first spike is of the size of the bulk
_EXPONENT_GRID = 41
_LARGEST_N = 10**24
_FEWEST = 20
TOLERANCE = 1e-6  # of a search, as a share of its range; and of a loss
_DOUBT = 10  # times the error that finer rules show: a gain that is nearer to the goal decides nothing


@documented
@checked_call
def best_ridge(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = "residual",
) -> Best:
    """Return the ridge λ that minimises the predicted test loss after a step.

    Parameters
    ----------
    problem
        The network and its data; its own ridge plays no part.
    n, d, N, alpha, eta, gradient
        As in :func:`step`.

    Returns
    -------
    Best
        The ridge, and the losses and gains at it.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    >>> round(best_ridge(problem, n=1000, alpha=0.3).ridge, 2)
    0.43
    """
    check_problem(problem, "best_ridge")
    n, d, N = network_sizes(problem, n, d, N)
    _, size = step_size(n, alpha, eta)
    low, high = ridge_range(problem)

    def loss(log_ridge: float | Floats) -> Value:
        return step(problem, n=n, eta=size, d=d, N=N, ridge=np.exp(log_ridge), gradient=gradient).test_loss

    search = _minimum(loss, np.linspace(math.log(low), math.log(high), _RIDGE_GRID))
    found = step(problem, n=n, eta=size, d=d, N=N, ridge=math.exp(search.place), gradient=gradient)
    return best_of(found, ("ridge",), search, None, (low, high))


@documented
@checked_call
def best_step(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    ridge: NumberLike | None = None,
    gradient: str = "residual",
) -> Best:
    """Return the step η, the learning rate, that minimises the predicted test loss, and whether a larger step hurts.

    Parameters
    ----------
    problem
        The network and its data.
    n, d, N, ridge, gradient
        As in :func:`step`.

    Returns
    -------
    Best
        The step, and the losses and gains after it.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range.

    >>> problem = Problem("erf", "H1 + H3/3", "1/2", "2/3", "1/10")
    >>> best_step(problem, n=1000).larger_hurts
    True
    """
    check_problem(problem, "best_step")
    n, d, N = network_sizes(problem, n, d, N)
    lam = problem.ridge if ridge is None else read_rational(ridge, "ridge")

    def loss(log_step: float | Floats) -> Value:
        return step(problem, n=n, eta=np.exp(log_step), d=d, N=N, ridge=lam, gradient=gradient).test_loss

    low, high = step_range(problem, n, gradient)
    grid = np.linspace(math.log(low), math.log(high), _EXPONENT_GRID)
    search = _minimum(loss, grid)
    at_edge = search.at_edge
    found = step(problem, n=n, eta=math.exp(search.place), d=d, N=N, ridge=lam, gradient=gradient)
    # no step at all is better, or as good
    if float(found.test_gain) <= float(found.error) * float(found.test_loss_initial):
        found, at_edge = step(problem, n=n, eta=0, d=d, N=N, ridge=lam, gradient=gradient), True
    hurts = float(loss(grid[-1])) > float(found.test_loss) * (1 + TOLERANCE)
    return best_of(found, ("eta",), search._replace(at_edge=at_edge), hurts, (low, high))


@documented
@checked_call
def samples_needed(
    problem: Problem, *, ell: int, fraction: NumberLike, alpha: NumberLike, gradient: str = "residual"
) -> int:
    """Return the least n at which a step n^α shows a fraction of the training gain that networks tend to.

    Gains of spikes beyond ℓ, which a finite network has too, count.  Networks have at least 20 samples, inputs and
    neurons.

    Parameters
    ----------
    problem
        The network and its data, at its ratios φ and ψ.
    ell, alpha
        A window ℓ, and the exponent of a step inside it.
    fraction
        Of the limit of literal networks, ``predict(problem, ell=ell, network="literal")``; between 0 and 1.

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
    one_of(gradient, "gradient", GRADIENTS)
    share = in_float64(read_rational(fraction, "fraction"), "fraction")
    if not 0 < share < 1:
        raise DomainError(f"fraction={fraction} must lie between 0 and 1", argument="fraction")
    ell = whole(ell, "ell", POSITIVE)
    if window(alpha) != ell:
        raise DomainError(
            f"alpha={alpha} is in window ℓ = {window(alpha)}, not in ell={ell}: its limit is Δ_{window(alpha)}",
            argument="alpha",
        )
    goal = share * float(predict(problem, ell=ell, network="literal", gradient=gradient).train_gain)
    if goal <= 0:
        raise DomainError("nothing is gained in the limit, so there is no fraction of it to see", argument="teacher")

    def reached(n: int) -> bool:
        found = step(problem, n=n, alpha=alpha, gradient=gradient)
        excess = float(found.train_gain) - goal
        if not found.converged and abs(excess) <= _DOUBT * float(found.error) * float(found.train_loss_initial):
            raise DomainError(
                f"rounding hides whether n = {n:.0e} shows {share:g} of the limit for ℓ = {ell}: its losses are known "
                f"to {float(found.error):.1g}; ask for a smaller fraction"
            )
        return excess >= 0

    high = _first_size(problem)
    doublings = math.ceil(math.log(_LARGEST_N / high, 4))
    for _ in progress(range(doublings), doublings, "looking for the number of samples"):
        if reached(high):
            break
        high *= 4
    else:
        raise DomainError(
            f"even n = {high:.0e} shows less than {share:g} of the limit for ℓ = {ell}; a step nearer to the end of "
            "the window may show it"
        )
    low = max(high // 4, _first_size(problem) - 1)  # what is smaller was not tried, and is no network
    while high - low > max(1, low // 10_000):  # a network size is not wanted to more digits
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def check_problem(problem: object, verb: str) -> None:
    """Refuse what is no problem.

    >>> check_problem(3, "best_ridge")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: best_ridge() takes a Problem, not int
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"{verb}() takes a Problem, not {type(problem).__name__}", argument="problem")


def network_sizes(problem: Problem, n: NumberLike | None, d: NumberLike | None, N: NumberLike | None) -> Sizes:
    """Return the sizes of a network whose steps can be compared with powers of n.

    >>> network_sizes(Problem("relu", "H1", "1/2", "2/3", "1/10"), 300, None, None)
    Sizes(n=300, d=150, N=225)
    """
    sizes = sizes_of(problem, n, d, N)
    if sizes.n == 1:
        raise DomainError("n=1: steps are compared with powers of n, which needs n ≥ 2", argument="n")
    return sizes


def ridge_range(problem: Problem) -> tuple[float, float]:
    """Return the least and the largest ridge that are tried.

    >>> ridge_range(Problem("identity", "H1", "1/2", "2/3", "1/10"))
    (1e-06, 10000.0)
    """
    scale = float(problem.activation.c1) ** 2 + float(problem.activation.c_rest) ** 2
    return _RIDGES[0] * scale, _RIDGES[1] * scale


def step_range(problem: Problem, n: int, gradient: str) -> tuple[float, float]:
    """Return the least and the largest step that are tried.

    >>> [round(eta, 2) for eta in step_range(Problem("identity", "H1", "1/2", "2/3", "1/10"), 1000, "labels")]
    [0.1, 102.79]
    """
    case = checked_case(problem, gradient)
    unit = 1 / (abs(case.c1) * math.sqrt(case.kappa))
    return unit * float(n) ** _EXPONENTS[0], unit * float(n) ** _EXPONENTS[1]


def _first_size(problem: Problem) -> int:
    """Return an n at which the network has some tens of inputs and neurons."""
    phi, psi = float(problem.phi), float(problem.psi)
    first = math.ceil(_FEWEST * max(1.0, 1 / phi, psi / phi))
    sizes_of(problem, first)
    return first


def _minimum(loss: Callable[[float | Floats], Value], grid: Floats) -> Search:
    """Return where a function is least: on a grid at once, then between the neighbours of the least point."""
    values = np.asarray(loss(grid), dtype=float)
    least = int(np.argmin(values))
    if least in (0, len(grid) - 1):
        return Search(float(grid[least]), True, grid, values)
    found = minimize_scalar(
        lambda x: float(loss(float(x))),
        bounds=(grid[least - 1], grid[least + 1]),
        method="bounded",
        options={"xatol": TOLERANCE * (grid[-1] - grid[0])},
    )
    return Search(float(found.x), False, grid, values)

"""step(): the losses of a network of real size after one gradient step of any size.

See docs/theory/pencil.md and docs/theory/dressed.md.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

import flint
import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, DomainError, one_of, spelled
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.enums import GradientTarget, SecondLayer, StepMethod
from theorycalc.model.points import exact_points, object_array
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import LARGEST_ETA, Sizes, about_step, in_float64, realised, sizes_of, step_size
from theorycalc.model.spikes import NONE
from theorycalc.model.supported import check_steps, check_steps_of_inputs, check_supported
from theorycalc.numbers.balls import require_exact, to_mpf
from theorycalc.numbers.exact import NumberLike, NumbersLike, check_digits, is_array, read_rational
from theorycalc.numbers.systems import Array
from theorycalc.results.clean_steps import clean_losses, learned_by_pencil, proven_clean
from theorycalc.results.step_result import FiniteStep, finite_size
from theorycalc.running.budget import more_for, one_budget
from theorycalc.running.executors import one_blas_thread
from theorycalc.running.terminal import waiting
from theorycalc.theory.checks import check_exact, check_own_mean, check_signal, checked_case
from theorycalc.theory.conditions import ON_CORRUPTED, check_known, notes_of_functions
from theorycalc.theory.covariance import check_self_averaging
from theorycalc.theory.dressed.accuracy import ACCURACY
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.finite_losses import at_size
from theorycalc.theory.gains import InitialLosses, train_error
from theorycalc.theory.limits import ball_untrained, float_untrained
from theorycalc.theory.over_networks import mean_losses
from theorycalc.theory.pencil.numerics import Pencil, ball_gains, float_gains, mean_gains, pencil_of
from theorycalc.theory.plans import has_own_mean
from theorycalc.theory.traces import in_resolvent

T = TypeVar("T")

#: Numbers by name, for pairs of η and λ, and the energy of the teacher that a step adds to a fit to clean labels.
_Found: TypeAlias = "tuple[dict[str, NDArray[Any]], Array | None]"

_THEORIES = {
    StepMethod.DRESSED: "dressed features",
    StepMethod.ISOTROPIC: "isotropic features",
    StepMethod.PENCIL: "the pencil",
}
_LATER = "later steps also find directions other than û, which is left out: simulated gains were up to a quarter higher"
_FIRST_ORDER = (
    "all a_i are equal and c_2 ≠ 0: even a small step changes the bulk in first order, which the pencil neglects; "
    "method='dressed' includes it"
)
_SEVERAL = "right for small steps; simulated test gains of large ones differed by 5 to 13 %"
_LEFT_OUT = "terms of order 1/n by ‖x‖² and by lengths that the step changes are left out"
_RIDGES = (1e-20, 1e20)
_SERIES_ERROR = 1e-3  # largest change by the last powers of a pencil that is called converged


@checked_call
@one_budget()
@one_blas_thread()
def step(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumbersLike | None = None,
    eta: NumbersLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    ridge: NumbersLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
    method: str = StepMethod.DRESSED,
    digits: int | None = None,
) -> FiniteStep:
    """Predict the losses of a network of real size after one gradient step of any size on its first layer.

    Parameters
    ----------
    n, d, N : int, optional
        Numbers of samples, inputs and neurons.  d and N follow from φ and ψ, and all three from a problem with sizes.
    alpha : number or array, optional
        Exponent of the step η = n^α.  Give either ``alpha`` or ``eta``; arrays broadcast with ``ridge``.
    eta : number or array, 0 ≤ η ≤ 1e12, optional
        The step η itself, the learning rate.
    ridge : number or array, 1e-20 ≤ λ ≤ 1e20, optional
        Ridge in place of the problem's.
    digits : int, optional
        Number of digits to prove, for method="pencil"; inputs must then be exact.  Default: float64.

    Returns
    -------
    FiniteStep
        Losses before and after the step and its gains, with those terms of order 1/n that are known: of losses before
        the step, and the cost of features.

    Raises
    ------
    TheoryError
        An argument is missing or out of its range, or rounding leaves no digits of the losses.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2")
    >>> found = step(problem, n=1000, alpha=0.3)
    >>> round(float(found.train_gain), 4), round(float(found.test_gain), 4)
    (0.1633, 0.2634)
    """
    check_problem(problem, "step")
    method = one_of(method, "method", StepMethod)
    gradient = one_of(gradient, "gradient", GradientTarget)
    check_supported(problem, _THEORIES[method])
    check_steps(problem, gradient)
    check_steps_of_inputs(problem)
    check_own_mean(problem, gradient)
    sizes = sizes_of(problem, n, d, N)
    case = realised(problem, sizes)
    check_self_averaging(case, gradient)
    if digits is not None:
        return _proven(case, sizes, alpha, eta, ridge, gradient, method, more_for(check_digits(digits)))
    exponents, etas = _steps(sizes.n, alpha, eta)
    ridges = _ridges(case.ridge if ridge is None else ridge)
    try:
        shape = np.broadcast_shapes(etas.shape, ridges.shape)
    except ValueError:
        reason = f"the shapes of the steps, {etas.shape}, and of ridge, {ridges.shape}, differ"
        remedy = "for a grid of both, give ridges as a column: ridge=[[0.01], [0.1]]"
        raise ArgumentError(f"{reason}; {remedy}", argument="ridge") from None
    flat_eta, flat_ridge = (np.broadcast_to(x, shape).ravel() for x in (etas, ridges))
    m1, initial = float_untrained(checked_case(with_few_kinds(case), gradient), flat_ridge)
    with about_step(alpha):
        if method == StepMethod.PENCIL:
            values, learned = _pencil(pencil_of(case, sizes.N, gradient), flat_eta, flat_ridge, m1, initial)
        else:
            isotropic = method == StepMethod.ISOTROPIC
            values, learned = _dressed(step_of(case, sizes.N, gradient, isotropic), flat_eta, flat_ridge, initial)
    values |= clean_losses(case, gradient, flat_ridge, values["test_gain"], learned)
    return FiniteStep(
        problem=case,
        sizes=sizes,
        alpha=None if exponents is None else exponents[()],
        eta=etas[()],
        ridge=ridges[()],
        gradient=gradient,
        method=method,
        **{name: np.reshape(value, shape)[()] for name, value in values.items()},
        digits=None,
        notes=_notes(case, sizes.n, gradient, method),
    )


def _dressed(case: DressedStep, eta: Array, ridge: Array, initial: InitialLosses) -> _Found:
    if eta.max() > LARGEST_ETA:
        reason = f"the step η = {eta.max():g} is beyond {LARGEST_ETA:g}, the largest computed in float64"
        raise DomainError(reason, argument="eta")
    limit = np.array(initial)
    with waiting("computing steps"):
        found = mean_losses(case, eta, ridge, limit)
    before, gains = at_size(case, ridge, limit, found.gains)
    error = np.full(len(eta), found.error)
    accuracy = {"residual": found.residual, "error": error, "converged": error <= ACCURACY}
    return _named(before, gains[:2], before - gains) | accuracy, found.learned


def _pencil(pencil: Pencil, eta: Array, ridge: Array, m1: Array, initial: InitialLosses) -> _Found:
    gains = mean_gains(pencil, eta, ridge)
    after = initial.test_loss - gains.test
    left = ridge * in_resolvent(m1, pencil.case.phi, pencil.case.psi)
    losses = initial.train_loss - gains.train, after, train_error(left, after, operator.mul)
    accuracy = {"powers": gains.top, "error": gains.change, "converged": gains.change <= _SERIES_ERROR}
    return _named(initial, (gains.train, gains.test), losses) | accuracy, learned_by_pencil(pencil, eta, ridge, left)


def _named(before: Iterable[T], gains: Iterable[T], losses: Iterable[T]) -> dict[str, T]:
    """Return by name the losses and training error before the step, both gains, and the losses and error after it."""
    names = ("train_loss", "test_loss", "train_error")
    first = [f"{name}_initial" for name in names]
    return dict(zip((*first, "train_gain", "test_gain", *names), (*before, *gains, *losses), strict=True))


def _notes(problem: Problem, n: int, gradient: GradientTarget, method: StepMethod) -> tuple[str, ...]:
    """Return notes on the network taking a finite step, and on the accuracy of its numbers."""
    network = "the literal network: its step is on the residual y − f₀"
    if gradient == GradientTarget.LABELS:
        network = "the step is on the labels alone, as in the theorem; gradient='residual' is the literal network"
    notes = [network, finite_size(n), *notes_of_functions(problem)]
    if problem.activation.derivative_source == "difference" and method != StepMethod.PENCIL:
        notes.append("its derivative is a central difference; Activation.from_callable(…, derivative=…) takes another")
    if problem.second_layer != SecondLayer.GAUSSIAN:
        notes.append(f"second_layer={problem.second_layer!r}: less tested than Gaussian")
    if has_own_mean(problem, gradient):
        notes.append("the initial output has a random mean: losses and gains are means over networks")
    notes += [] if problem.fit_fidelity == 1 else [ON_CORRUPTED]
    if problem.steps > 1 and (method == StepMethod.PENCIL or problem.teacher.directions > 1):
        notes.append(f"{problem.steps} steps count as one of their sum on {problem.steps}n₀ points: {_SEVERAL}")
    notes += [] if problem.inputs is None else [f"inputs with a covariance, {problem.inputs.words}: {_LEFT_OUT}"]
    if method == StepMethod.ISOTROPIC:
        notes.append("the rest of the gradient counts as even noise: method='dressed' includes its shape")
    if method == StepMethod.PENCIL:
        alike = problem.second_layer == SecondLayer.CONSTANT and problem.activation.c2 != 0
        notes.append(
            _FIRST_ORDER if alike else "the pencil keeps the leading term of each spike: right for small steps"
        )
    if problem.teacher.directions > 1:
        seen = "the pencil learns along û alone: features h·x, which method='dressed' includes, learn more"
        notes.append(seen if method == StepMethod.PENCIL else "features h·x also learn directions other than û")
    if problem.teacher.directions > 1 and problem.steps > 1:
        notes.append(_LATER)
    return tuple(notes)


def _steps(n: int, alpha: object, eta: object) -> tuple[Array | None, Array]:
    """Return α, if given, and η, as arrays."""
    given = eta if alpha is None else alpha
    name = "eta" if alpha is None else "alpha"
    if not is_array(given, name):
        exponent, size = step_size(n, alpha, eta)
        return (None if exponent is None else np.asarray(exponent)), np.asarray(size)
    if alpha is not None and eta is not None:
        step_size(n, alpha, eta)  # raises: give one of them
    items = object_array(given, name)
    numbers = [read_rational(x, name) for x in items.ravel()]
    pairs = [step_size(n, *((x, None) if eta is None else (None, x))) for x in numbers]
    sizes = np.array([size for _, size in pairs]).reshape(items.shape)
    exponents = None if alpha is None else np.array([x for x, _ in pairs]).reshape(items.shape)
    return exponents, sizes


def _ridges(ridge: object) -> Array:
    items = object_array(ridge, "ridge")
    numbers = np.array([in_float64(read_rational(x, "ridge"), "ridge") for x in items.ravel()]).reshape(items.shape)
    if not np.all(numbers > 0):
        reason = "a finite step needs ridge > 0: at 0 the fit may be singular at a real size"
        raise DomainError(reason, argument="ridge")
    if not np.all((numbers >= _RIDGES[0]) & (numbers <= _RIDGES[1])):
        low, high = _RIDGES
        reason = f"{spelled('ridge')} of a finite step must lie between {low:g} and {high:g}"
        raise DomainError(reason, argument="ridge")
    return numbers


def _proven(
    case: Problem,
    sizes: Sizes,
    alpha: object,
    eta: object,
    ridge: object,
    gradient: GradientTarget,
    method: StepMethod,
    digits: int,
) -> FiniteStep:
    """Return the step by the pencil with proven digits, for exact inputs."""
    if method != StepMethod.PENCIL:
        reason = f"{spelled('digits')} is for {spelled('method', StepMethod.PENCIL)}"
        raise ArgumentError(f"{reason}; dressed features are computed by quadrature, to 1e-8", argument="digits")
    if not case.activation.is_provable:
        reason = f"{spelled('digits')} of a finite step needs the activation as text, whose coefficients can be proven"
        raise ArgumentError(reason, argument="digits")
    if any(object_array(x, name).ndim for name, x in (("alpha", alpha), ("eta", eta), ("ridge", ridge))):
        raise ArgumentError(f"{spelled('digits')} takes one step and one ridge at a time", argument="digits")
    if ridge is not None:
        case = dataclasses.replace(case, ridge=read_rational(ridge, "ridge"))
    _ridges(case.ridge)
    check_exact(case)
    if has_own_mean(case, gradient):
        raise ArgumentError(
            f"{spelled('centred', False)}: the initial output has a random mean, over which gains are averaged by "
            f"quadrature; leave {spelled('digits')} out, or use {spelled('gradient', GradientTarget.LABELS)}",
            argument="digits",
        )
    exact_points({name: getattr(case, name) for name in ("phi", "psi", "ridge", "noise")})
    check_known(case, 0, NONE, gradient)
    check_signal(case, case.noise, gradient)
    exponent, size = step_size(sizes.n, alpha, eta)
    name, value = ("eta", eta) if alpha is None else ("alpha", alpha)
    number = require_exact(read_rational(value, name), name)
    assert isinstance(number, Fraction)

    def enclosed() -> flint.arb:
        given = flint.arb(flint.fmpq(number.numerator, number.denominator))
        return given if alpha is None else (flint.arb(sizes.n).log() * given).exp()

    pencil = pencil_of(case, sizes.N, gradient)
    with about_step(alpha):
        chosen = float_gains(pencil, np.array([size]), np.array([float(case.ridge)]))
    top = int(chosen.top[0])
    initial = InitialLosses(*(to_mpf(x, digits) for x in ball_untrained(case, gradient, digits + 5)))
    gains = [to_mpf(gain, digits) for gain in ball_gains(pencil, enclosed, top, digits)]
    train, test = initial.train_loss - gains[0], initial.test_loss - gains[1]
    left = initial.train_loss and initial.train_error / initial.test_loss  # (λs)², the ratio of errors to losses
    proven = f"{digits} digits of the gains by powers up to {top} are proven"
    values = _named(initial, gains, (train, test, left * test)) | proven_clean(pencil, enclosed, top, digits, gains[1])
    return FiniteStep(
        problem=case,
        sizes=sizes,
        alpha=exponent,
        eta=size,
        ridge=float(case.ridge),
        gradient=gradient,
        method=method,
        **values,
        powers=top,
        error=float(chosen.change[0]),
        converged=bool(chosen.change[0] <= _SERIES_ERROR),
        digits=digits,
        notes=(*_notes(case, sizes.n, gradient, method), proven),
    )

"""step(): what a network of real size shows after a step of any size (theory section 9)."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np

from theorycalc.balls import to_mpf
from theorycalc.conditions import notes_of_functions
from theorycalc.errors import ArgumentError, DomainError, checked_call, one_of
from theorycalc.exact import check_digits, is_array, read_rational, require_exact
from theorycalc.numbers import MPF
from theorycalc.points import object_array
from theorycalc.prediction import predict
from theorycalc.progress import waiting
from theorycalc.step_result import FiniteStep
from theorycalc.theory.dressed.accuracy import ACCURACY, dressed_losses
from theorycalc.theory.dressed.network import Step
from theorycalc.theory.dressed.setup import step_of
from theorycalc.theory.pencil_engines import ball_gains, float_gains, pencil_of
from theorycalc.theory.problem import Problem
from theorycalc.theory.sizes import Sizes, in_float64, realised, sizes_of, step_size

METHODS = ("dressed", "isotropic", "pencil")
_LARGEST_ETA = 1e12
_RIDGES = (1e-20, 1e20)
_SERIES_ERROR = 1e-3  # what the last powers of the pencil may change, to call it converged

_Array = np.ndarray[Any, Any]


class _Found(NamedTuple):
    """What a method finds, for pairs of η and λ."""

    train_gain: _Array
    test_gain: _Array
    train_loss: _Array
    test_loss: _Array
    powers: _Array | None
    residual: _Array | None
    error: _Array
    converged: _Array


@checked_call
def step(
    problem: Problem,
    *,
    n: int,
    alpha: Any = None,
    eta: Any = None,
    d: int | None = None,
    N: int | None = None,
    ridge: Any = None,
    method: str = "dressed",
    digits: int | None = None,
) -> FiniteStep:
    """Predict what a network of n samples, d inputs and N neurons shows after one step of size η = n^α.

    d and N follow from φ and ψ, or are given.  ``alpha``, ``eta`` and ``ridge`` may be arrays that broadcast.
    ``method="dressed"`` holds for any step; ``method="isotropic"`` is the same with the rest of the gradient as even
    noise; ``method="pencil"`` keeps the leading term of each spike, is right for small steps, and gives ``digits``
    proven digits on request.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", initial_output="included")
    >>> found = step(problem, n=1000, alpha=0.3)
    >>> round(float(found.train_gain), 4), round(float(found.test_gain), 4)
    (0.162, 0.2635)
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"step() takes a Problem, not {type(problem).__name__}")
    method = one_of(method, "method", METHODS)
    sizes = sizes_of(problem, n, d, N)
    case = realised(problem, sizes)
    if digits is not None:
        return _proven(case, sizes, alpha, eta, ridge, method, check_digits(digits))
    exponents, etas = _steps(sizes.n, alpha, eta)
    ridges = _ridges(case.ridge if ridge is None else ridge)
    try:
        shape = np.broadcast_shapes(etas.shape, ridges.shape)
    except ValueError:
        raise ArgumentError(f"the shapes of the steps, {etas.shape}, and of ridge, {ridges.shape}, differ") from None
    flat_eta, flat_ridge = (np.broadcast_to(x, shape).ravel() for x in (etas, ridges))
    initial = predict(case, ell=0, ridge=flat_ridge)
    before = initial.train_loss, initial.test_loss
    if method == "pencil":
        found = _pencil(case, sizes.N, flat_eta, flat_ridge, before)
    else:
        found = _dressed(step_of(case, sizes.N, method == "isotropic"), flat_eta, flat_ridge, before)

    def shaped(value: _Array | None) -> Any:
        return None if value is None else np.reshape(value, shape)[()]

    return FiniteStep(
        problem=case,
        sizes=sizes,
        alpha=None if exponents is None else exponents[()],
        eta=etas[()],
        ridge=ridges[()],
        train_gain=shaped(found.train_gain),
        test_gain=shaped(found.test_gain),
        train_loss=shaped(found.train_loss),
        test_loss=shaped(found.test_loss),
        train_loss_initial=shaped(before[0]),
        test_loss_initial=shaped(before[1]),
        method=method,
        powers=shaped(found.powers),
        residual=shaped(found.residual),
        error=shaped(found.error),
        converged=shaped(found.converged),
        digits=None,
        notes=_notes(case, method),
    )


def _dressed(case: Step, eta: _Array, ridge: _Array, before: tuple[_Array, _Array]) -> _Found:
    if eta.max() > _LARGEST_ETA:
        raise DomainError(
            f"the step η = {eta.max():g} is beyond {_LARGEST_ETA:g}, the largest that float64 is used for"
        )
    with waiting("computing steps"):
        found = dressed_losses(case, eta, ridge, np.array(before))
    error = np.full(len(eta), found.error)
    train_gain, test_gain = found.gains
    return _Found(train_gain, test_gain, found.train, found.test, None, found.residual, error, error <= ACCURACY)


def _pencil(case: Problem, N: int, eta: _Array, ridge: _Array, before: tuple[_Array, _Array]) -> _Found:
    gains = float_gains(pencil_of(case, N), eta, ridge)
    after = (before[0] - gains.train, before[1] - gains.test)
    return _Found(gains.train, gains.test, *after, gains.top, None, gains.change, gains.change <= _SERIES_ERROR)


def _notes(problem: Problem, method: str) -> tuple[str, ...]:
    """Return what a reader should know of a finite-step prediction."""
    notes = notes_of_functions(problem)
    if problem.activation.function is not None and problem.activation.slope is None and method != "pencil":
        notes.append("its derivative is a central difference; Activation.from_callable(…, derivative=…) takes another")
    if problem.initial_output == "neglected":
        notes.append("the step is taken on the labels alone; initial_output='included' is the literal network")
    if problem.second_layer != "gaussian":
        notes.append(f"second_layer={problem.second_layer!r}: less tested than Gaussian")
    if method == "isotropic":
        notes.append("the rest of the gradient counts as even noise: method='dressed' knows its shape")
    if method == "pencil":
        notes.append("the pencil keeps the leading term of each spike: right for small steps")
    return tuple(notes)


def _steps(n: int, alpha: Any, eta: Any) -> tuple[_Array | None, _Array]:
    """Return α, where it was given, and η as arrays."""
    given = eta if alpha is None else alpha
    name = "eta" if alpha is None else "alpha"
    if not is_array(given, name):
        exponent, size = step_size(n, alpha, eta)
        return (None if exponent is None else np.asarray(exponent)), np.asarray(size)
    if alpha is not None and eta is not None:
        step_size(n, alpha, eta)  # says to give one of them
    items = object_array(given, name)
    pairs = [step_size(n, *((x, None) if eta is None else (None, x))) for x in items.ravel()]
    sizes = np.array([size for _, size in pairs]).reshape(items.shape)
    exponents = None if alpha is None else np.array([x for x, _ in pairs]).reshape(items.shape)
    return exponents, sizes


def _ridges(ridge: Any) -> _Array:
    items = object_array(ridge, "ridge")
    numbers = np.array([in_float64(read_rational(x, "ridge"), "ridge") for x in items.ravel()]).reshape(items.shape)
    if not np.all(numbers > 0):
        raise DomainError("a finite step needs ridge > 0: at 0 the fit may be singular at a real size")
    if not np.all((numbers >= _RIDGES[0]) & (numbers <= _RIDGES[1])):
        raise DomainError("ridge= of a finite step must lie between {:g} and {:g}".format(*_RIDGES))
    return numbers


def _proven(case: Problem, sizes: Sizes, alpha: Any, eta: Any, ridge: Any, method: str, digits: int) -> FiniteStep:
    """Return the pencil with proven digits, at exact inputs."""
    if method != "pencil":
        raise ArgumentError("digits= is for method='pencil'; dressed features are quadrature, good to 1e-8")
    if case.activation.tree is None:
        raise ArgumentError("digits= of a finite step needs the activation as text, whose coefficients can be proven")
    if any(object_array(x, name).ndim for name, x in (("alpha", alpha), ("eta", eta), ("ridge", ridge))):
        raise ArgumentError("digits= takes one step and one ridge at a time")
    if ridge is not None:
        case = dataclasses.replace(case, ridge=ridge)
    _ridges(case.ridge)
    exponent, size = step_size(sizes.n, alpha, eta)
    name, value = ("eta", eta) if alpha is None else ("alpha", alpha)
    number = require_exact(read_rational(value, name), name)
    assert isinstance(number, Fraction)

    def enclosed() -> flint.arb:
        given = flint.arb(flint.fmpq(number.numerator, number.denominator))
        return given if alpha is None else (flint.arb(sizes.n).log() * given).exp()

    pencil = pencil_of(case, sizes.N)
    chosen = float_gains(pencil, np.array([size]), np.array([float(case.ridge)]))
    top = int(chosen.top[0])
    context = MPF(digits).context
    initial = predict(case, ell=0, digits=digits + 5)
    train, test = (to_mpf(gain, context) for gain in ball_gains(pencil, enclosed, top, digits))
    before = context.mpf(initial.train_loss), context.mpf(initial.test_loss)
    return FiniteStep(
        problem=case,
        sizes=sizes,
        alpha=exponent,
        eta=size,
        ridge=float(case.ridge),
        train_gain=train,
        test_gain=test,
        train_loss=before[0] - train,
        test_loss=before[1] - test,
        train_loss_initial=before[0],
        test_loss_initial=before[1],
        method=method,
        powers=top,
        residual=None,
        error=float(chosen.change[0]),
        converged=bool(chosen.change[0] <= _SERIES_ERROR),
        digits=digits,
        notes=(*_notes(case, method), f"{digits} digits of the gains by powers up to {top} are proven"),
    )

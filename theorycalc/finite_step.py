"""step(): what a network of real size shows after a step of any size (theory section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from theorycalc.balls import to_mpf
from theorycalc.errors import ArgumentError, DomainError, checked_call, one_of
from theorycalc.exact import check_digits, read_rational, require_exact
from theorycalc.numbers import MPF
from theorycalc.prediction import Prediction, predict
from theorycalc.theory.dressed.accuracy import ACCURACY, dressed_losses
from theorycalc.theory.dressed.setup import step_of
from theorycalc.theory.pencil_engines import Pencil, ball_gains, float_gains, pencil_of
from theorycalc.theory.problem import Problem
from theorycalc.theory.sizes import Sizes, realised, sizes_of, step_size

METHODS = ("dressed", "pencil")


@dataclass(frozen=True, repr=False, eq=False)
class FiniteStep:
    """What one step of size η teaches a network of n, d, N: one number each, or arrays over α (or η) and λ.

    ``converged`` says whether the numerics reached their accuracy; ``error`` is what is known of their error: for dressed
    features what finer rules change, relatively; for the pencil what its last two powers changed, which beyond small
    steps is the error of the series itself.
    """

    problem: Problem  # at the ratios d/n and d/N
    sizes: Sizes
    alpha: Any
    eta: Any
    ridge: Any
    train_gain: Any
    test_gain: Any
    train_loss: Any
    test_loss: Any
    train_loss_initial: Any
    test_loss_initial: Any
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
        """The prediction for n → ∞ in the window of α, or why there is none."""
        if self.alpha is None:
            return "the step was given by η: a window is a range of α"
        if np.ndim(self.alpha):
            return "the steps are several: ask for the limit of each α"
        try:
            return predict(self.problem, alpha=self.alpha, ridge=None if np.ndim(self.ridge) else self.ridge)
        except DomainError as error:
            return str(error)

    @property
    def strengths(self) -> dict[int, Any]:
        """The size of the k-th spike in units of the noise it must leave, D_k N^{(1−k)/2}, by k."""
        from theorycalc.theory.pencil import strengths

        pencil = pencil_of(self.problem, self.sizes.N)
        kappa = step_of(self.problem, self.sizes.N).kappa
        found = strengths(pencil.spikes, pencil.coefficients, self.eta, np.sqrt(kappa), np.sqrt(self.sizes.N))
        return dict(zip(pencil.spikes, found, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON."""
        from theorycalc.step_tables import step_data

        return step_data(self)

    def __repr__(self) -> str:
        from theorycalc.step_tables import step_text

        return step_text(self)

    def _repr_html_(self) -> str:
        from theorycalc.step_tables import step_html

        return step_html(self)


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
    ``method="dressed"`` holds for any step; ``method="pencil"`` keeps the leading term of each spike, is right for small
    steps, and gives ``digits`` proven digits on request.

    >>> problem = Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", initial_output="included")
    >>> found = step(problem, n=1000, alpha=0.3)
    >>> round(found.train_gain, 4), round(found.test_gain, 4)
    (0.1614, 0.2615)
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
    if method == "pencil":
        gains = float_gains(pencil_of(case, sizes.N), flat_eta, flat_ridge)
        values = (gains.train, gains.test, initial.train_loss - gains.train, initial.test_loss - gains.test)
        extra = {
            "powers": gains.top,
            "residual": None,
            "error": gains.change,
            "converged": gains.change <= _SERIES_ERROR,
        }
    else:
        found = dressed_losses(step_of(case, sizes.N), flat_eta, flat_ridge)
        moved = flat_eta > 0  # without a step nothing is gained, not even by rounding
        values = (
            np.where(moved, initial.train_loss - found.train, 0.0),
            np.where(moved, initial.test_loss - found.test, 0.0),
            found.train,
            found.test,
        )
        error = np.full(len(flat_eta), found.error)
        extra = {"powers": None, "residual": found.residual, "error": error, "converged": error <= ACCURACY}

    def shaped(value: Any) -> Any:
        return None if value is None else np.reshape(value, shape)[()]

    return FiniteStep(
        case,
        sizes,
        None if exponents is None else exponents[()],
        etas[()],
        ridges[()],
        *(shaped(value) for value in (*values, initial.train_loss, initial.test_loss)),
        method=method,
        **{name: shaped(value) for name, value in extra.items()},
        digits=None,
        notes=notes_of(case, method),
    )


_SERIES_ERROR = 1e-3


def notes_of(problem: Problem, method: str) -> tuple[str, ...]:
    """Return what a reader should know of a finite-step prediction."""
    notes = []
    if problem.initial_output == "neglected":
        notes.append("the step is taken on the labels alone; initial_output='included' is the literal network")
    if problem.second_layer != "gaussian":
        notes.append(
            f"second_layer={problem.second_layer!r}: the law of a is the only change; less tested than Gaussian"
        )
    if method == "pencil":
        notes.append("the pencil keeps the leading term of each spike: right for small steps")
    return tuple(notes)


def _steps(n: int, alpha: Any, eta: Any) -> tuple[np.ndarray[Any, Any] | None, np.ndarray[Any, Any]]:
    given = eta if alpha is None else alpha
    if not isinstance(given, (list, tuple, np.ndarray)):
        exponent, size = step_size(n, alpha, eta)
        return (None if exponent is None else np.asarray(exponent)), np.asarray(size)
    items = np.asarray(given, dtype=object)
    pairs = [step_size(n, *((x, None) if eta is None else (None, x))) for x in items.ravel()]
    if not pairs:
        raise ArgumentError("the list of steps is empty")
    sizes = np.array([size for _, size in pairs]).reshape(items.shape)
    exponents = None if alpha is None else np.array([x for x, _ in pairs]).reshape(items.shape)
    return exponents, sizes


def _ridges(ridge: Any) -> np.ndarray[Any, Any]:
    items = np.asarray(ridge, dtype=object) if isinstance(ridge, (list, tuple, np.ndarray)) else None
    if items is None:
        numbers = np.asarray(float(read_rational(ridge, "ridge")))
    else:
        numbers = np.array([float(read_rational(x, "ridge")) for x in items.ravel()]).reshape(items.shape)
    if numbers.size == 0 or not np.all(numbers > 0):
        raise DomainError("a finite step needs ridge > 0: at 0 the fit may be singular at a real size")
    return numbers


def _proven(case: Problem, sizes: Sizes, alpha: Any, eta: Any, ridge: Any, method: str, digits: int) -> FiniteStep:
    """Return the pencil with proven digits, at exact inputs."""
    if method != "pencil":
        raise ArgumentError("digits= is for method='pencil'; dressed features are quadrature, good to 1e-8")
    if case.activation.tree is None:
        raise ArgumentError("digits= of a finite step needs the activation as text, whose coefficients can be proven")
    if any(np.ndim(x) for x in (alpha, eta, ridge)):
        raise ArgumentError("digits= takes one step and one ridge at a time")
    if ridge is not None:
        case = _with_ridge(case, ridge)
    for name in ("phi", "psi", "ridge", "noise"):
        require_exact(getattr(case, name), name)
    exponent, size = step_size(sizes.n, alpha, eta)
    exact = Fraction(
        require_exact(read_rational(eta if alpha is None else alpha, "eta" if alpha is None else "alpha"), "alpha")
    )  # type: ignore[arg-type]

    def enclosed(bits: int) -> flint.arb:
        number = flint.arb(flint.fmpq(exact.numerator, exact.denominator))
        return number if alpha is None else (flint.arb(sizes.n).log() * number).exp()

    pencil: Pencil = pencil_of(case, sizes.N)
    chosen = float_gains(pencil, np.array([size]), np.array([float(case.ridge)]))
    top = int(chosen.top[0])
    context = MPF(digits).context
    train, test = (to_mpf(value, context) for value in ball_gains(pencil, enclosed, top, digits))
    initial = predict(case, ell=0, digits=digits + 5)
    return FiniteStep(
        case,
        sizes,
        exponent,
        size,
        float(case.ridge),
        train,
        test,
        context.mpf(initial.train_loss) - train,
        context.mpf(initial.test_loss) - test,
        context.mpf(initial.train_loss),
        context.mpf(initial.test_loss),
        method=method,
        powers=top,
        residual=None,
        error=float(chosen.change[0]),
        converged=bool(chosen.change[0] <= _SERIES_ERROR),
        digits=digits,
        notes=(*notes_of(case, method), f"{digits} digits of the pencil with powers up to {top} are proven"),
    )


def _with_ridge(case: Problem, ridge: Any) -> Problem:
    import dataclasses

    return dataclasses.replace(case, ridge=ridge)

"""The one exception family of theorycalc.

Every error that bad input can cause is a :class:`TheoryError`; catching that
catches them all.  Each also derives from the built-in exception a Python
programmer would expect (``ValueError``, ``TypeError``, ``ArithmeticError``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=type)


class TheoryError(Exception):
    """Base of every error that theorycalc raises on purpose."""


class DomainError(TheoryError, ValueError):
    """A value lies where the theory, or its float64 evaluation, is not defined."""


class ExpressionError(DomainError):
    """The text of an activation or teacher cannot be read, or is not a real function that the theory allows."""


class ArgumentError(TheoryError, TypeError):
    """A call with a missing, unknown or contradictory argument."""


class PrecisionError(TheoryError, ArithmeticError):
    """The digits asked for cannot be given: the input is inexact, or a limit was reached."""


class SimulationError(TheoryError, RuntimeError):
    """A simulation that could not be finished; ``run`` is what was done, where something was."""

    run: Any = None


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation; ``run`` is what was done until then."""

    run: Any = None


class SweepError(TheoryError, RuntimeError):
    """A sweep that could not be finished; ``sweep`` is what was done, where it is not in a file."""

    sweep: Any = None


class RankingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a ranking of activations; ``ranking`` is of those that were done until then."""

    ranking: Any = None


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C during a sweep; ``sweep`` is what was done until then, where it is not in a file."""

    sweep: Any = None


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the known word nearest to ``word``, or nothing.

    >>> suggestion("rigde", ["ridge", "phi"])
    "; did you mean 'ridge'?"
    >>> suggestion("ReLU", ["relu", "elu"])
    "; did you mean 'relu'?"
    """
    import difflib  # only for those who mistype

    names = list(known)
    near = [name for name in names if name.lower() == word.lower()] or difflib.get_close_matches(word, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


#: Words of other libraries, what they mean, what that is called here, and of which functions it is an argument.
_ELSEWHERE = (
    ("lr learning_rate step_size eta", "the learning rate", ("eta", "alpha"), "step()"),
    (
        "lam lambda_ lamb lmbda reg regularization weight_decay l2",
        "the ridge penalty λ (tc.ridge_from converts other conventions)",
        ("ridge",),
        "Problem()",
    ),
    ("alpha", "a ridge penalty (α, the exponent of the step, is for predict() and step())", ("ridge",), "Problem()"),
    ("epochs steps n_steps num_steps iterations", "more gradient steps than one", ("steps",), "simulate()"),
    ("width hidden hidden_size n_hidden n_neurons", "the number of neurons", ("N", "psi"), "Problem()"),
    ("samples n_samples num_samples", "the number of samples", ("n", "phi"), "step()"),
    ("dim dimension input_dim n_inputs n_features", "the number of inputs", ("d", "phi"), "Problem()"),
    ("sigma noise_std noise_level", "the standard deviation of the noise", ("noise",), "Problem()"),
    ("initial_output", "the gradient's target, residual or labels,", ("gradient",), "step()"),
    ("seed random_state random_seed", "the seed", ("seed",), "simulate()"),
    ("n_jobs num_workers", "the number of processes", ("workers",), "simulate()"),
    ("trials n_trials repeats", "the number of draws", ("replicates",), "simulate()"),
)
_MEANING = {"alpha": " (η = n^α)", "phi": " (φ = d/n)", "psi": " (ψ = d/N)"}


def called_here(word: str, parameters: Iterable[str]) -> str:
    """Return what a word of another library is called among the parameters, or the nearest of them, or nothing.

    >>> called_here("lr", ["n", "eta"]), called_here("lr", ["phi"])[:46]
    ('; give the learning rate as eta=', '; give the learning rate as eta= or alpha= (η ')
    >>> called_here("etta", ["n", "eta"])
    "; did you mean 'eta'?"
    """
    known = list(parameters)
    for words, meaning, ours, functions in _ELSEWHERE:
        if word.lower() in words.split():
            here = [name for name in ours if name in known]
            names = " or ".join(f"{name}={_MEANING.get(name, '')}" for name in here or ours)
            return f"; give {meaning} as {names}" + ("" if here else f", which {functions} takes")
    return suggestion(word, known)


def one_of(value: object, name: str, allowed: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of the allowed words, else raise :class:`DomainError`.

    >>> one_of("sphere", "first_layer", ("sphere", "gaussian"))
    'sphere'
    """
    if isinstance(value, str) and value in allowed:
        return value
    choices = ", ".join(repr(word) for word in allowed)
    hint = suggestion(value, allowed) if isinstance(value, str) else ""
    raise DomainError(f"{name}={value!r} is not known; choose one of {choices}{hint}")


def true_or_false(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False, else raise :class:`ArgumentError`.

    >>> true_or_false(True, "resume")
    True
    """
    if not isinstance(value, bool):
        raise ArgumentError(f"{name}={value!r} must be True or False")
    return value


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """Turn the ``TypeError`` of a call that does not fit the signature into an :class:`ArgumentError`.

    >>> @checked_call
    ... def area(width, height): return width * height
    >>> area(1, hieght=2)
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: area() has no argument 'hieght'; did you mean 'height'?
    """
    title = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ArgumentError:  # comes from inside, and says what is wrong
            raise
        except TypeError:
            import inspect  # slow to import, and needed by wrong calls only

            signature = inspect.signature(function)
            for word in kwargs:
                if word not in signature.parameters:
                    hint = called_here(word, signature.parameters)
                    raise ArgumentError(f"{title}() has no argument {word!r}{hint}") from None
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise ArgumentError(f"{title}(): {error}") from None
            raise  # the call fitted: the error comes from inside

    return wrapper


def checked_construction(cls: T) -> T:
    """Class decorator: :func:`checked_call` for the constructor of a dataclass."""
    constructor = cls.__dict__["__init__"]
    setattr(cls, "__init__", checked_call(constructor))  # noqa: B010 - mypy forbids the assignment
    return cls

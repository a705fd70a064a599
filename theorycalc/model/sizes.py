"""Whole numbers of samples, inputs and neurons from ratios, the ratios they realise, and the size of the step.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, TheoryError, called, spelled
from theorycalc.model.inputs import read_inputs
from theorycalc.model.parameters import OPTIONS
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import Exact, NumberLike, read_rational, whole

LARGEST_ETA = 1e12  # for finite steps and spectra in float64
_LARGEST_SIZE = 10**100  # whose squares and cubes are numbers of float64, too


class Sizes(NamedTuple):
    """n samples, d inputs, N neurons."""

    n: int
    d: int
    N: int


def sizes_of(
    problem: Problem, n: NumberLike | None = None, d: NumberLike | None = None, N: NumberLike | None = None
) -> Sizes:
    """Return n, d = round(φn) and N = round(d/ψ); a given d or N must agree with these to within 1.

    n may be left out where the problem itself has sizes.

    >>> sizes_of(Problem("relu", ["1"], "1/2", "2/3", "1/10"), 1001)
    Sizes(n=1001, d=501, N=752)
    >>> sizes_of(Problem("relu", ["1"], n=900, d=300, N=600, ridge="1/10"))
    Sizes(n=900, d=300, N=600)
    """
    samples = problem.n if n is None else whole(n, "n")
    if samples is None:
        raise ArgumentError(
            f"{spelled('n')} is missing: give {spelled('n')} here, or describe the problem by its sizes, {_by_sizes()}",
            argument="n",
        )
    wanted = Fraction(problem.phi) * samples
    inputs = _rounded(wanted, "d", f"φn at n={samples}") if d is None else _given(d, "d", wanted, "φn")
    if inputs < problem.teacher.directions:
        needed = f"{problem.teacher} has {problem.teacher.directions} orthonormal directions"
        raise DomainError(f"{needed}, and d = {inputs} inputs have no more than {inputs}", argument="teacher")
    wanted = inputs / Fraction(problem.psi)
    neurons = _rounded(wanted, "N", f"d/ψ at d={inputs}") if N is None else _given(N, "N", wanted, "d/ψ")
    sizes = Sizes(samples, inputs, neurons)
    for name, size in sizes._asdict().items():
        if size > _LARGEST_SIZE:
            reason = f"{name} is beyond {float(_LARGEST_SIZE):g}, the largest size that is computed"
            raise DomainError(f"{reason}; {called('predict')} has the limit n → ∞", argument=name)
    return sizes


def realised(problem: Problem, sizes: Sizes) -> Problem:
    """Return the problem with these sizes and the ratios that they realise: φ = d/n, ψ = d/N and n₀/n."""
    samples = None
    if problem.step_samples is not None:
        samples = _rounded(Fraction(problem.step_ratio) * sizes.n, "step_samples", f"n₀ at n={sizes.n}")
    ratios = {"phi": None, "psi": None}
    return Problem(**(vars(problem) | ratios | {"step_samples": samples} | sizes._asdict()))


def _by_sizes() -> str:
    return f"{spelled('n')}, {spelled('d')} and {spelled('N')} in place of {spelled('phi')} and {spelled('psi')}"


def _rounded(wanted: Fraction, name: str, formula: str) -> int:
    size = math.floor(wanted + Fraction(1, 2))
    if size < 1:
        raise DomainError(f"{name} = {formula} rounds to 0; take a larger n", argument=name)
    return size


def _given(size: NumberLike, name: str, wanted: Fraction, formula: str) -> int:
    number = whole(size, name)
    if abs(number - wanted) >= 1:
        reason = f"{spelled(name, number)} contradicts the problem, whose {formula} is {in_float64(wanted, formula):g}"
        raise DomainError(f"{reason}; leave it out, or describe the problem by its sizes, {_by_sizes()}", argument=name)
    return number


def in_float64(value: Exact, name: str) -> float:
    """Return a number as a float; raise an error if it is too large or too small for one.

    >>> in_float64(Fraction(1, 4), "ridge")
    0.25
    """
    try:
        result = float(value)
    except OverflowError:
        raise DomainError(f"{name} is beyond 1.8e308, the largest number of float64", argument=name) from None
    if not result and value != 0:
        raise DomainError(f"{name} is below 4.9e-324, the smallest number of float64, and is not zero", argument=name)
    return result


@contextmanager
def about_step(alpha: object) -> Iterator[None]:
    """Make errors about the step in a block name α or η, whichever was given.

    >>> with about_step(alpha=None):
    ...     raise DomainError("too many powers of n", argument="alpha")  # whose argument is now eta
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: too many powers of n
    """
    try:
        yield
    except TheoryError as error:
        if error.argument in ("alpha", "eta"):
            error.argument = "eta" if alpha is None else "alpha"
        raise


def step_size(n: int, alpha: NumberLike | None, eta: NumberLike | None) -> tuple[float | None, float]:
    """Return α, or None if η was given, and η = n^α; exactly one of the two must be given.

    >>> step_size(10_000, "1/4", None)
    (0.25, 10.0)
    """
    if (alpha is None) == (eta is None):
        missing, surplus = ("the step is missing: ", "") if eta is None else ("", ", and not both")
        names = f"either {spelled('alpha')} (the step is η = n^α) or {spelled('eta')}"
        raise ArgumentError(f"{missing}give {names}{surplus}", argument="alpha")
    name, value = ("eta", eta) if alpha is None else ("alpha", alpha)
    number = in_float64(read_rational(value, name), name)
    try:
        size = number if alpha is None else float(n) ** number
    except OverflowError:
        size = math.inf
    if size < 0:
        raise DomainError(f"{spelled(name, value)} must not be negative", argument=name)
    if not math.isfinite(size):
        raise DomainError(f"{spelled(name, value)}: the step η = n^α is too large for float64", argument=name)
    return (None if alpha is None else number), size


def difference(
    predicted: Problem, simulated: Problem, ridges: Sequence[float], points: Mapping[str, object] | None = None
) -> str | None:
    """Return, in words, the first difference between a predicted and a simulated problem, or None.

    The simulated problem has sizes, from which φn and d/ψ may differ by less than one, and all of ``ridges``;
    ``points`` replace the predicted φ, ψ, λ and σ_ε.

    >>> predicted = Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> difference(predicted, Problem("relu", "H1", n=200, d=100, N=150, ridge="1/10", noise=1), [0.1])
    'noise is 0 and 1'
    """
    n, d, N = sizes_of(simulated)
    numbers = attrgetter("directions", "coefficients", "second_moment")
    names = ("phi", "psi", "ridge", "noise")
    given = {name: getattr(predicted, name) for name in names} | dict(points or {})
    values = {name: [float(x) for x in np.ravel(np.asarray(given[name]))] for name in names}
    same = {
        "activation": predicted.activation.is_same_function(simulated.activation),
        "teacher": numbers(predicted.teacher) == numbers(simulated.teacher)  # of one direction not its text, too
        and (predicted.teacher.directions == 1 or predicted.teacher == simulated.teacher),
        "phi": all(abs(phi * n - d) < 1 for phi in values["phi"]),
        "psi": all(abs(d / psi - N) < 1 for psi in values["psi"]),
        "ridge": set(values["ridge"]) <= set(ridges),
        "noise": set(values["noise"]) == {float(simulated.noise)},
        "step_samples": abs(Fraction(predicted.step_ratio) - Fraction(simulated.step_ratio)) * n < 1,
    }
    for name in OPTIONS:
        same[name] = getattr(predicted, name) == getattr(simulated, name)
    same["inputs"] = read_inputs(predicted.inputs, d) == simulated.inputs
    for name, equal in same.items():
        if not equal:
            shown = ", ".join(f"{x:g}" for x in values[name][:3]) if name in values else getattr(predicted, name)
            here = ", ".join(f"{x:g}" for x in ridges) if name == "ridge" else getattr(simulated, name)
            return f"{name} is {shown} and {here}"
    return None

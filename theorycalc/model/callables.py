"""User functions of numpy, torch or JAX arrays or of single numbers: their values, names and formulas."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import DomainError, TheoryError
from theorycalc.numbers.exact import ArrayLike, Floats

#: A function of the user, which is called with an array, a tensor or a number.
UserFunction: TypeAlias = Callable[..., Any]

_PROBES = np.linspace(-2.3, 3.1, 21)
_FEW = slice(3, 8)  # some of them, with another sum, mean, beginning and maximum
_ALIKE = {"rtol": 1e-5, "atol": 1e-6}  # in single precision

_LIBRARIES = (
    *("numpy", "scipy.special", "math"),
    *("torch.nn.functional", "torch", "torch.special"),
    *("jax.nn", "jax.numpy", "jax.lax", "jax.scipy.special"),
)
_FORMULAS = {  # where the same word is not the same function in our library; JAX's gelu is the one by tanh
    **dict.fromkeys(("absolute", "fabs"), ("abs",)),
    "gelu": ("gelu", "gelu_tanh"),
    "soft_sign": ("softsign",),
    "hard_silu": ("hardswish",),
}
_POINTS = np.linspace(-5, 5, 41)
_TOLERANCE = 1e-5  # of single precision


def values_of(function: UserFunction, x: ArrayLike) -> Floats:
    """Return function(x) for an array, in the function's precision, single or double.

    A numpy array is tried first, then, where torch is in use, a tensor, then one number after the other.

    >>> import math
    >>> values_of(np.square, np.array([1.0, 3.0])), values_of(math.sin, np.zeros(2))
    (array([1., 9.]), array([0., 0.]))
    """
    x = np.asarray(x) if getattr(x, "dtype", None) in (np.float32, np.float64) else np.asarray(x, dtype=float)
    forms: list[UserFunction] = [
        function,
        lambda x: np.array([float(function(item)) for item in x.ravel()]).reshape(x.shape),
    ]
    torch = sys.modules.get("torch")
    if torch is not None:
        forms.insert(1, lambda x: function(torch.from_numpy(x)))
    reasons: list[Exception] = []
    for form in forms:
        try:
            result = form(x)
            array = np.asarray(result.detach().numpy() if hasattr(result, "detach") else result)
            break
        except Exception as error:  # any error of a user's function is reported
            reasons.append(error)
    else:
        *_, array_reason, _ = reasons
        taken = "a numpy array" if torch is None else "a numpy array, a tensor of float64"
        reason = f"the function takes neither {taken} nor one number: {array_reason}"
        raise DomainError(reason, argument="function") from array_reason
    if array.dtype.kind not in "fiub":
        reason = f"the function must return real numbers, not {type(result).__name__} ({array.dtype})"
        raise DomainError(reason, argument="function")
    if array.shape not in (x.shape, ()):
        reason = f"the function must return one number for each; of shape {x.shape} it made {array.shape}"
        raise DomainError(reason, argument="function")
    array = array if array.shape == x.shape else np.full(x.shape, array)
    return array if array.dtype.kind == "f" else array.astype(float)


def point_values_of(function: UserFunction, points: Floats) -> Floats:
    """Return function(points) in float64 for points of shape (…, r): one number for each point.

    >>> point_values_of(lambda t: t[..., 0] * t[..., 1], np.array([[2.0, 3.0]]))
    array([6.])
    """
    points = np.asarray(points, dtype=float)
    torch = sys.modules.get("torch")
    try:
        with np.errstate(all="ignore"):  # values that are not finite are refused where they matter
            result = function(points)
    except Exception as error:  # any error of a user's function is reported
        if torch is None:
            reason = f"the function does not take an array of shape (…, {points.shape[-1]}): {error}"
            raise DomainError(reason, argument="function") from error
        result = function(torch.from_numpy(points))
    array = np.asarray(result.detach().numpy() if hasattr(result, "detach") else result)
    if array.dtype.kind not in "fiub" or array.shape != points.shape[:-1]:
        reason = "the function must return one real number for each point"
        made = f"of shape {points.shape} it made {array.shape} ({array.dtype})"
        raise DomainError(f"{reason}; {made}", argument="function")
    return array.astype(float)


def check_pointwise(function: UserFunction, directions: int) -> None:
    """Refuse a function that does not treat each point (t_1, …, t_r) separately.

    >>> check_pointwise(lambda t: t[..., 0] - t[..., 0].mean(), 2)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: <lambda> does not take each point of an array on its own: its values depend on \
the others, or on chance
    """
    points = np.column_stack([np.roll(_PROBES, 5 * j) for j in range(directions)])
    _check_alone(function, point_values_of(function, points[_FEW]), point_values_of(function, points)[_FEW], "point")


def _check_alone(function: UserFunction, alone: Floats, together: Floats, each: str) -> None:
    if not np.allclose(alone, together, **_ALIKE, equal_nan=True):
        reason = f"does not take each {each} of an array on its own: its values depend on the others, or on chance"
        raise DomainError(f"{name_of(function)} {reason}", argument="function")


def check_elementwise(function: UserFunction) -> None:
    """Refuse a function that does not treat each number separately, such as softmax, a mean or dropout.

    >>> check_elementwise(np.cumsum)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: cumsum does not take each number of an array on its own: its values depend on \
the others, or on chance
    """
    name = name_of(function)
    if isinstance(function, type):
        raise DomainError(f"{name} is a class, not a function; pass an instance, such as {name}()", argument="function")
    with np.errstate(all="ignore"):
        alone, together = values_of(function, _PROBES[_FEW]), values_of(function, _PROBES)[_FEW]
    _check_alone(function, alone, together, "number")


def name_of(function: UserFunction) -> str:
    """Return the name of a function.

    >>> name_of(np.tanh)
    'tanh'
    """
    return str(getattr(function, "__name__", type(function).__name__))


def difference(function: UserFunction, x: ArrayLike) -> Floats:
    """Return the derivative as a central difference, good to about 1e-10 in float64 and 1e-4 in single precision.

    >>> difference(np.sin, np.array([0.0, np.pi])).round(8)
    array([ 1., -1.])
    """
    x = np.asarray(x, dtype=float)
    h = np.cbrt(precision_of(values_of(function, _PROBES))) * np.maximum(1, np.abs(x))
    above, below = x + h, x - h
    slope: Floats = (values_of(function, above).astype(float) - values_of(function, below)) / (above - below)
    return slope


def precision_of(values: Floats) -> float:
    """Return the relative rounding error of a function's values.

    >>> precision_of(np.ones(1, np.float32)) == 2**-23
    True
    """
    return float(np.finfo(values.dtype).eps)


class Recognised(NamedTuple):
    """The name of a function in its library, and its formula."""

    name: str
    formula: str


def recognised(function: UserFunction) -> Recognised | None:
    """Return the formula of a well-known function once its values confirm it, or None.

    >>> recognised(np.tanh), recognised(lambda x: x + 1)
    (Recognised(name='numpy.tanh', formula='tanh'), None)
    """
    called = name_of(function)
    for library, word in product(_LIBRARIES, (called, called.replace("_", ""))):
        if getattr(sys.modules.get(library), word, None) is function:
            for formula in _FORMULAS.get(word, (word,)):
                if _agree(function, formula):
                    return Recognised(f"{library}.{word}", formula)
    return None


def _agree(function: UserFunction, formula: str) -> bool:
    """Return whether the formula is known and has the values of the function."""
    from theorycalc.functions.evaluate import compile_numpy
    from theorycalc.functions.grammar import parse

    try:
        with np.errstate(all="ignore"):
            ours, theirs = compile_numpy(parse(formula))(_POINTS), values_of(function, _POINTS)
    except TheoryError:
        return False
    return bool(np.allclose(theirs, ours, rtol=_TOLERANCE, atol=_TOLERANCE))

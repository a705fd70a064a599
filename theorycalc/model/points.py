"""Parameters that may be arrays: reading them, and mapping a function over all their points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.balls import float_of, to_mpf
from theorycalc.numbers.exact import Exact, as_numpy, is_array, read, read_rational, require_exact, sign
from theorycalc.numbers.systems import MPF
from theorycalc.running.progress import progress

_CHUNK = 16_384  # points at a time: a dozen arrays of them stay in the cache
_FLOAT_SMALLEST, _FLOAT_LARGEST = 1e-20, 1e20
_MAY_BE_SMALL = {"c_⋆"}  # higher coefficients of the teacher: what is small next to the others does not matter
_MAY_BE_ZERO = {"ridge", "noise", "c_rest", "c_⋆1", "the largest of noise and c_⋆"}
_MAY_BE_NEGATIVE = {"c1", "c_⋆1", "c_⋆"}
_MAY_BE_IRRATIONAL = {"noise", "c1", "c_rest"}


def float_points(parameters: Mapping[str, Any]) -> list[Any]:
    """Return each parameter as a float or a float64 array, checked.

    >>> float_points({"phi": "1/2", "ridge": [0, 1]})
    [0.5, array([0., 1.])]
    """
    points = [_floats(value, name) for name, value in parameters.items()]
    _check_shapes(parameters, points)
    return points


def exact_points(parameters: Mapping[str, Any]) -> list[Any]:
    """Return each parameter as an exact number or an object array of them, checked.

    >>> exact_points({"phi": "1/2"})
    [Fraction(1, 2)]
    """
    points: list[Any] = []
    for name, value in parameters.items():
        if is_array(value, name):
            array = object_array(value, name)
            exact = np.empty(array.shape, dtype=object)
            for index, item in np.ndenumerate(array):
                exact[index] = _exact(item, _place(name, index), name)
            points.append(exact)
        else:
            points.append(_exact(value, name, name))
    _check_shapes(parameters, points)
    return points


def object_array(value: Any, name: str) -> np.ndarray[Any, Any]:
    """Return numbers, or lists of lists of them, as an array of what was given; it has at least one.

    >>> object_array(["1/2", 3], "ridge")
    array(['1/2', 3], dtype=object)
    """
    value = as_numpy(value, name)
    try:
        array = np.asarray(value, dtype=object)
    except ValueError:
        raise DomainError(f"{name} is not a rectangular array of numbers") from None
    if array.size == 0:
        raise DomainError(f"{name} is empty; give at least one number")
    return array


def _exact(value: Any, place: str, name: str) -> Exact:
    if type(value) is Fraction and value.numerator > 0:  # the common case, without detours
        return value
    number = _read(value, place, name)
    _check_sign(number, place, name)
    return require_exact(number, place)


def _read(value: Any, place: str, name: str) -> Exact:
    return (read if name in _MAY_BE_IRRATIONAL else read_rational)(value, place)


def _place(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _check_sign(number: Exact, place: str, name: str) -> None:
    found = sign(number)
    if found == 0 and name not in _MAY_BE_ZERO:
        raise DomainError(f"{place}={number} must not be zero")
    if found < 0 and name not in _MAY_BE_NEGATIVE:
        raise DomainError(f"{place}={number} must {'not be negative' if name in _MAY_BE_ZERO else 'be positive'}")


def _floats(value: Any, name: str) -> Any:
    if not is_array(value, name):
        number = _read(value, name, name)
        _check_sign(number, name, name)
        result = float_of(number, name)
        check_float_range(result, name)
        return result
    array = as_numpy(value, name)
    array = array if type(array) is np.ndarray and array.size else object_array(array, name)
    if array.dtype.kind in "OUS":
        floats = np.empty(array.shape)
        for index, item in np.ndenumerate(array):
            floats[index] = float_of(_read(item, _place(name, index), name), _place(name, index))
        array = floats
    elif array.dtype.kind not in "fiu":
        raise DomainError(f"{name} is an array of {array.dtype}, not of real numbers")
    array = np.asarray(array, dtype=float)
    _check_range(array, name)
    return array


def check_float_range(value: float, name: str) -> None:
    """Refuse a number that float64 is not used for here."""
    if not _FLOAT_SMALLEST <= value <= _FLOAT_LARGEST:  # the common case goes without an array
        _check_range(np.asarray(value), name)


def _check_range(array: np.ndarray[Any, Any], name: str) -> None:
    size = np.abs(array) if name in _MAY_BE_NEGATIVE else array
    good = (size >= _FLOAT_SMALLEST) & (size <= _FLOAT_LARGEST)
    if name in _MAY_BE_ZERO:
        good |= size == 0
    if name in _MAY_BE_SMALL:
        good |= size <= _FLOAT_LARGEST
    if good.all():
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    bad = array[index]
    place = _place(name, index)
    if not np.isfinite(bad):
        raise DomainError(f"{place}={bad} is not a finite number")
    _check_sign(float(bad), place, name)
    raise DomainError(
        f"{place}={bad} is beyond what float64 is used for here, {_FLOAT_SMALLEST:g} to {_FLOAT_LARGEST:g}; use digits="
    )


def _check_shapes(parameters: Mapping[str, Any], points: Sequence[Any]) -> None:
    if not any(isinstance(p, np.ndarray) for p in points):
        return
    try:
        np.broadcast_shapes(*(np.shape(p) for p in points))
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(p)}" for name, p in zip(parameters, points, strict=True) if np.shape(p))
        raise DomainError(f"the shapes do not broadcast: {shapes}") from None


def map_floats(function: Callable[..., Sequence[Any]], points: Sequence[Any], outputs: int) -> list[Any]:
    """Apply ``function`` to float points, chunk by chunk; scalars in give floats out.

    >>> map_floats(lambda x, y: (x + y, x * y), [2.0, np.array([3.0, 4.0])], 2)
    [array([5., 6.]), array([6., 8.])]
    """
    if not any(isinstance(p, np.ndarray) for p in points):
        return [float(value) for value in function(*(np.float64(p) for p in points))]
    shape = np.broadcast_shapes(*(np.shape(p) for p in points))
    results = [np.empty(shape) for _ in range(outputs)]
    varying = [i for i, p in enumerate(points) if np.size(p) > 1]
    arguments = [np.float64(np.asarray(p).item()) if np.size(p) == 1 else p for p in points]
    iterator = np.nditer(
        [points[i] for i in varying] + results,
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly"]] * len(varying) + [["writeonly"]] * outputs,  # type: ignore[arg-type]
        op_dtypes=[np.dtype(float)] * (len(varying) + outputs),
        buffersize=_CHUNK,
    )
    with iterator:
        chunks = -(-int(np.prod(shape)) // _CHUNK)
        for blocks in progress(iterator, chunks, "evaluating"):
            for i, block in zip(varying, blocks, strict=False):
                arguments[i] = block
            for target, value in zip(blocks[len(varying) :], function(*arguments), strict=True):
                target[...] = value
    return results


def map_exact(function: Callable[..., Sequence[Any]], points: Sequence[Any], outputs: int, digits: int) -> list[Any]:
    """Apply ``function``, which returns balls, to exact points; results are mpf, or object arrays of them."""
    context = MPF(digits).context
    if not any(isinstance(p, np.ndarray) for p in points):
        return [to_mpf(value, context) for value in function(*points)]
    shape = np.broadcast_shapes(*(np.shape(p) for p in points))
    broadcast = [np.broadcast_to(np.asarray(p, dtype=object), shape) for p in points]
    results = [np.empty(shape, dtype=object) for _ in range(outputs)]
    for index in progress(np.ndindex(shape), int(np.prod(shape)), "proving"):
        for target, value in zip(results, function(*(p[index] for p in broadcast)), strict=True):
            target[index] = to_mpf(value, context)
    return results

"""Numbers of parameters, one or many: reading them within their range, and mapping a function over all points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import flint
import numpy as np

from theorycalc.errors import ArgumentError, DomainError, about, spelled
from theorycalc.model.parameters import PARAMETERS, Domain
from theorycalc.numbers.balls import float_of, require_exact, to_mpf
from theorycalc.numbers.exact import (
    EnclosedNumber,
    Exact,
    Floats,
    NumberLike,
    NumbersLike,
    Objects,
    PointLike,
    Scalar,
    Value,
    as_numpy,
    is_array,
    numpy_array,
    parse_number,
    read,
    read_rational,
    sign,
)
from theorycalc.running.terminal import progress

_CHUNK = 16_384  # points at a time: a dozen arrays of them stay in the cache
_FLOAT_SMALLEST, _FLOAT_LARGEST = 1e-20, 1e20
_MANY = ("phi", "psi", "ridge", "noise")  # of which predict() takes arrays


def read_number(value: NumberLike, name: str) -> Exact:
    """Return one number, in the range given for the parameter by the table.

    >>> read_number("1/2", "noise")
    Fraction(1, 2)
    """
    if not _is_one(value, name):
        many = f"predict(problem, {name}=…)" if name in _MANY else f"sweep(problem, {{{name!r}: …}})"
        raise ArgumentError(f"{name}: a Problem is one case; pass an array to {many}", argument=name)
    return _number(value, name, _domain(name))


def read_ratio(value: NumberLike, name: str) -> Fraction | float:
    """Return one rational number, in the range given for the parameter by the table.

    >>> read_ratio("0.1", "phi")
    Fraction(1, 10)
    """
    number = read_number(value, name)
    assert isinstance(number, (Fraction, float))
    return number


def read_constant(value: NumberLike, name: str) -> Scalar:
    """Return one number, as :func:`read_number` does; text may also be a formula without x, such as "1/sqrt(3)".

    >>> read_constant("1/sqrt(3)", "first_scale")
    sqrt(3)/3
    """
    return _known(read_number(constant_of(value, name) if isinstance(value, str) else value, name), name)


def _known(number: Exact, name: str) -> Scalar:
    if isinstance(number, EnclosedNumber):
        raise DomainError(f"{name} must be an exact number or a float", argument=name)
    return number


def read_scalar(value: NumberLike, name: str, reason: str = " must not be negative") -> Scalar:
    """Return one non-negative number that is not a parameter; text may be a formula without x.

    >>> read_scalar("1/sqrt(3)", "lr"), read_scalar(0.5, "lr")
    (sqrt(3)/3, 0.5)
    """
    number = _known(constant_of(value, name) if isinstance(value, str) else read(value, name), name)
    if sign(number) < 0:
        raise DomainError(f"{name}={value}{reason}", argument=name)
    return number


def constant_of(text: str, name: str) -> Exact:
    """Return the number written as text, in digits or as a formula without x, such as "sqrt(2)/2".

    >>> constant_of("1/2", "noise"), constant_of("sqrt(2)/2", "noise")
    (Fraction(1, 2), sqrt(2)/2)
    """
    try:
        return parse_number(text, name)
    except DomainError:
        from theorycalc.functions.evaluate import to_sympy
        from theorycalc.functions.grammar import parse
        from theorycalc.functions.tree import is_constant

        with about(name):
            tree = parse(text)
        if not is_constant(tree):
            raise DomainError(f"{name}={text!r} is not a number", argument=name.partition(" ")[0]) from None
        return read(to_sympy(tree), name)


def float_points(parameters: Mapping[str, object]) -> list[PointLike]:
    """Return each parameter as a float or a float64 array, after checking its range.

    >>> float_points({"phi": "1/2", "ridge": [0, 1]})
    [0.5, array([0., 1.])]
    """
    return _points(parameters, _float, _floats)


def exact_points(parameters: Mapping[str, object]) -> list[PointLike]:
    """Return each parameter as an exact number or an object array of them, after checking its range.

    >>> exact_points({"phi": "1/2"})
    [Fraction(1, 2)]
    """
    return _points(parameters, _exact, _exacts)


def _points(
    parameters: Mapping[str, object],
    one: Callable[[object, str, Domain], PointLike],
    many: Callable[[object, str, Domain], PointLike],
) -> list[PointLike]:
    points: list[PointLike] = []
    for name, value in parameters.items():
        if _is_one(value, name):
            points.append(one(value, name, _domain(name)))
        else:
            with about(name):  # an error is about the parameter, not about one of its places
                points.append(many(value, name, _domain(name)))
    _check_shapes(parameters, points)
    return points


def _is_one(value: object, name: str) -> bool:
    return isinstance(value, (Fraction, float, str, int)) or not is_array(value, name)


def object_array(value: object, name: str) -> Objects:
    """Return numbers, or nested lists of them, unread in an array with at least one element.

    >>> object_array(["1/2", 3], "ridge")
    array(['1/2', 3], dtype=object)
    """
    given = as_numpy(value, name)
    try:
        array = np.asarray(given, dtype=object)
    except ValueError:
        raise DomainError(f"{name} is not a rectangular array of numbers", argument=name) from None
    if array.size == 0:
        raise DomainError(f"{name} is empty; give at least one number", argument=name)
    return array


def _domain(name: str) -> Domain:
    domain = PARAMETERS[name].domain
    assert domain is not None
    return domain


def _number(value: object, place: str, domain: Domain) -> Exact:
    """Return one number, after checking its range."""
    if type(value) is Fraction and value.numerator > 0 and domain.most is None:  # the common case goes without a check
        return value
    number = (read if domain.irrational else read_rational)(value, place)
    _check_sign(number, place, domain)
    return number


def _check_sign(number: Exact, place: str, domain: Domain) -> None:
    found = sign(number)
    if (found == 0 and not domain.zero) or (found < 0 and not domain.negative):
        wanted = "not be zero" if domain.negative else "not be negative" if domain.zero else "be positive"
        raise DomainError(f"{spelled(place, number)} must {wanted}", argument=place.partition("[")[0])
    if domain.most is not None and float(number) > domain.most:
        reason = f"{spelled(place, number)} must not be more than {domain.most}"
        raise DomainError(reason, argument=place.partition("[")[0])


def _place(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def _exact(value: object, place: str, domain: Domain) -> Exact:
    return require_exact(_number(value, place, domain), place)


def _exacts(value: object, name: str, domain: Domain) -> Objects:
    array = object_array(value, name)
    exact = np.empty(array.shape, dtype=object)
    for index, item in np.ndenumerate(array):
        exact[index] = _exact(item, _place(name, index), domain)
    return exact


def _float(value: object, name: str, domain: Domain) -> float:
    number = float_of(_number(value, name, domain), name)
    check_float_range(number, name, domain)
    return number


def _floats(value: object, name: str, domain: Domain) -> Floats:
    array = numpy_array(value, name)
    if array is None or not array.size:
        array = object_array(value, name)
    if array.dtype.kind in "OUS":
        floats = np.empty(array.shape)
        for index, item in np.ndenumerate(array):
            place = _place(name, index)
            floats[index] = float_of((read if domain.irrational else read_rational)(item, place), place)
    elif array.dtype.kind in "fiu":
        floats = np.asarray(array, dtype=float)
    else:
        raise DomainError(f"{name} is an array of {array.dtype}, not of real numbers", argument=name)
    _check_range(floats, name, domain)
    return floats


def check_float_range(value: float, name: str, domain: Domain | None = None, argument: str | None = None) -> None:
    """Refuse a number too small or too large for float64 here.

    ``domain`` and the ``argument`` of an error are by default those of the parameter of this name.
    """
    if not _FLOAT_SMALLEST <= value <= _FLOAT_LARGEST:  # the common case goes without an array
        with about(argument or name):
            _check_range(np.asarray(value), name, _domain(name) if domain is None else domain)


def _check_range(array: Floats, name: str, domain: Domain) -> None:
    size = np.abs(array) if domain.negative else array
    good = (size >= _FLOAT_SMALLEST) & (size <= _FLOAT_LARGEST)
    if domain.zero:
        good |= size == 0
    if domain.small:
        good |= size <= _FLOAT_LARGEST
    if good.all():
        return
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    bad = array[index]
    place = _place(name, index)
    if not np.isfinite(bad):
        raise DomainError(f"{spelled(place, bad)} is not a finite number", argument=name)
    _check_sign(float(bad), place, domain)
    between = f"{_FLOAT_SMALLEST:g} to {_FLOAT_LARGEST:g}"
    reason = f"{spelled(place, bad)} is beyond the range of float64 here, {between}; use {spelled('digits')}"
    raise DomainError(reason, argument=name)


def _check_shapes(parameters: Mapping[str, object], points: Sequence[object]) -> None:
    shapes = {name: p.shape for name, p in zip(parameters, points, strict=True) if isinstance(p, np.ndarray)}
    if len(shapes) < 2:
        return
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise DomainError(f"the shapes do not broadcast: {listed}", argument=next(iter(shapes))) from None


def map_floats(function: Callable[..., Sequence[Value]], points: Sequence[PointLike], outputs: int) -> list[Value]:
    """Return ``function`` of float points, computed chunk by chunk; scalars give floats.

    >>> map_floats(lambda x, y: (x + y, x * y), [2.0, np.array([3.0, 4.0])], 2)
    [array([5., 6.]), array([6., 8.])]
    """
    if not any(isinstance(p, np.ndarray) for p in points):
        return [float(value) for value in function(*(np.float64(p) for p in points))]
    arrays: list[Floats] = [np.asarray(p, dtype=float) for p in points]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    results: list[Floats] = [np.empty(shape) for _ in range(outputs)]
    varying = [i for i, array in enumerate(arrays) if array.size > 1]
    arguments: list[np.float64 | Floats] = [np.float64(a.item()) if a.size == 1 else a for a in arrays]
    iterator = np.nditer(
        [arrays[i] for i in varying] + results,
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
    return list(results)


def map_exact(
    function: Callable[..., Sequence[flint.arb]], points: Sequence[PointLike], outputs: int, digits: int
) -> list[Value]:
    """Return ``function``, whose values are balls, of exact points, as mpf or object arrays of them."""
    if not any(isinstance(p, np.ndarray) for p in points):
        return [to_mpf(value, digits) for value in function(*points)]
    arrays: list[Objects] = [np.asarray(p, dtype=object) for p in points]
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    broadcast = [np.broadcast_to(array, shape) for array in arrays]
    results: list[Objects] = [np.empty(shape, dtype=object) for _ in range(outputs)]
    for index in progress(np.ndindex(shape), int(np.prod(shape)), "proving"):
        for target, value in zip(results, function(*(p[index] for p in broadcast)), strict=True):
            target[index] = to_mpf(value, digits)
    return list(results)


def real_points(given: NumbersLike, name: str) -> Floats:
    """Return finite real numbers as an array of floats; an error names their argument.

    >>> real_points([1, 2], "z")
    array([1., 2.])
    """
    try:
        places = np.asarray(given)
        if places.dtype.kind not in "fiu":
            raise TypeError
        places = places.astype(float)
    except (TypeError, ValueError):
        raise DomainError(f"{name}={given!r} is not a real number or an array of real numbers", argument=name) from None
    if not np.isfinite(places).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(places))[0])
        raise DomainError(f"{name}{list(index) if index else ''}={places[index]} is not a finite number", argument=name)
    return places

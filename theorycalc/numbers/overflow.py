"""The range of float64: a number that leaves it, anywhere in a computation, is one error of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fractions import Fraction

import numpy as np

from theorycalc.errors import PrecisionError, TheoryError, spelled
from theorycalc.numbers.exact import read_rational

_RANGE = f"{np.finfo(float).tiny:.2g} to {np.finfo(float).max:.2g}"
_EXTREME = 9  # powers of ten: numbers nearer to 1 are not blamed
_LONGEST = 40  # characters of a number that a message shows


@contextmanager
def within_float64(arguments: Callable[[], Mapping[str, object]]) -> Iterator[None]:
    """Refuse a computation at the first number that float64 cannot hold, before it becomes an infinity or a NaN.

    The error is about the most extreme number among ``arguments()``.  Blocks that expect infinities say so by
    ``np.errstate``.

    >>> with within_float64(lambda: {"noise": "1e200"}):
    ...     np.float64(1e200) ** 2
    Traceback (most recent call last):
    ...
    theorycalc.errors.PrecisionError: a number of this computation is beyond float64, 2.2e-308 to 1.8e+308 (overflow \
encountered in scalar power); take less extreme numbers than noise='1e200'
    """
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except TheoryError:  # some of which are arithmetic errors, too
        raise
    except ArithmeticError as error:
        detail = error.args[-1] if error.args else type(error).__name__  # not the number of an error of the system
        raise _beyond(f"a number of this computation is beyond float64, {_RANGE} ({detail})", arguments()) from error
    except np.linalg.LinAlgError as error:
        reason = f"rounding leaves no digits: a matrix of this computation has no inverse in float64 ({error})"
        raise _beyond(reason, arguments()) from error


def _beyond(reason: str, arguments: Mapping[str, object]) -> PrecisionError:
    name = most_extreme(arguments)
    if name is None:
        return PrecisionError(f"{reason}; take less extreme numbers")
    shown = spelled(name, arguments[name])
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    return PrecisionError(f"{reason}; take less extreme numbers than {shown}", argument=name)


def refuse_nan(values: Mapping[str, object]) -> None:
    """Refuse numbers and arrays that have lost all digits; infinities have not.

    >>> refuse_nan({"test_loss": np.inf, "name": "relu"})
    """
    for name, value in values.items():
        lost = isinstance(value, float) and math.isnan(value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            lost = bool(np.isnan(value).any())
        if lost:
            reason = f"rounding leaves no digits of {name}: it is no number in float64"
            raise PrecisionError(f"{reason}; take sizes, scales and a step that are less extreme")


def most_extreme(arguments: Mapping[str, object]) -> str | None:
    """Return the name of the number farthest from 1, or None where all are near it.

    >>> most_extreme({"phi": "1/2", "n": 10**400, "noise": 1e-200, "activation": "relu"})
    'n'
    """
    sizes = {name: _powers_of_ten(value, name) for name, value in arguments.items()}
    name = max(sizes, key=sizes.__getitem__, default=None)
    return None if name is None or sizes[name] < _EXTREME else name


def _powers_of_ten(value: object, name: str) -> float:
    """Return |log₁₀| of a number, and 0 for 0 and for anything else."""
    if isinstance(value, (int, float, str, Fraction)):
        with suppress(TheoryError):
            top, bottom = read_rational(value, name).as_integer_ratio()
            return abs(math.log10(abs(top)) - math.log10(bottom)) if top else 0.0
    return 0.0

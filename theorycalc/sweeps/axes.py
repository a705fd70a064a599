"""The axes of a grid: the parameters that vary, with their values, each checked before any work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from theorycalc.errors import PYTHON, ArgumentError, DomainError, about, one_of, spelling, true_or_false
from theorycalc.model.biases import read_biases
from theorycalc.model.inputs import read_inputs
from theorycalc.model.parameters import CHANNELS, FLAGS, OPTIONS, PARAMETERS, SCALES
from theorycalc.model.points import float_points, read_constant, read_ratio
from theorycalc.model.reading import read_activation, read_teacher
from theorycalc.model.signatures import called_here
from theorycalc.model.sizes import step_size
from theorycalc.model.spikes import read_ell
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import numpy_array, parse_number, read, read_rational, spell, whole
from theorycalc.numbers.ranges import read_numbers
from theorycalc.theory.windows import window

if TYPE_CHECKING:
    from theorycalc.numbers.exact import Floats

#: A value of an axis as it is written in tables.
Label: TypeAlias = int | float | str

OF_THE_PROBLEM = (
    *("activation", "teacher", "phi", "psi", "ridge", "noise"),
    *OPTIONS,
    "step_samples",
)
OF_LIMITS = (*OF_THE_PROBLEM, "ell", "alpha", "network", "gradient")
OF_STEPS = (*OF_THE_PROBLEM, "n", "alpha", "eta", "gradient", "method")


@dataclass(frozen=True, eq=False)
class Axis:
    """One parameter of a grid: its values for computations, and their labels for tables.

    For α of a limit ``values`` are the ℓ of the windows or, as text, why α lies in none.
    """

    name: str
    values: Floats | tuple[object, ...]
    labels: Floats | tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_text(self) -> bool:
        """True if the labels are texts."""
        return isinstance(self.labels[0], str)

    def label(self, index: int) -> Label:
        """Return one label as a plain Python number or a text."""
        return float(self.labels[index]) if isinstance(self.labels, np.ndarray) else self.labels[index]


def read_axes(over: object, has_sizes: bool = False) -> tuple[tuple[Axis, ...], bool]:
    """Return the axes of a grid, and whether they are those of finite steps.

    They are if ``n`` is among them or, for a problem that has sizes, ``eta``.

    >>> axes, finite = read_axes({"ell": [1, 2], "ridge": "0.1:0.3:3"})
    >>> [axis.name for axis in axes], finite, axes[1].labels
    (['ell', 'ridge'], False, array([0.1, 0.2, 0.3]))
    """
    if not isinstance(over, Mapping) or not over:
        raise ArgumentError(
            'over= names what varies, such as {"ridge": "1e-3:10:9:log", "ell": [1, 2]}', argument="over"
        )
    finite = "n" in over or (has_sizes and "eta" in over)
    allowed = OF_STEPS if finite else OF_LIMITS
    for name in over:
        if name not in allowed:
            reason = f"{name!r} cannot vary{_why(name, finite)}; choose from {', '.join(allowed)}"
            raise ArgumentError(reason, argument="over")
    steps = ("alpha", "eta") if finite else ("ell", "alpha")
    if sum(name in over for name in steps) != 1:
        of = "finite steps" if finite else "limits"
        reason = f"a grid of {of} needs one of {steps[0]} and {steps[1]}, with one value or more"
        raise ArgumentError(reason, argument=steps[0])
    return tuple(_read_axis(name, value, finite) for name, value in over.items()), finite


def _why(name: object, finite: bool) -> str:
    if name in OF_STEPS:
        return " without n: it belongs to finite steps"
    if name in OF_LIMITS:
        return " with n: it belongs to limits"
    known = OF_STEPS if finite else OF_LIMITS
    return called_here(name, known) if isinstance(name, str) else ""


def _read_axis(name: str, given: object, finite: bool) -> Axis:
    reader = _windows if name == "alpha" and not finite else _READERS.get(name, _words)
    with about(name):
        axis = reader(name, given)
    if not len(axis):
        raise ArgumentError(f"{name} is empty; give at least one value", argument=name)
    twice = _repeated(axis.labels)
    if twice is not None:
        raise DomainError(f"{name} has {twice} twice; every value is one line of the grid", argument=name)
    return axis


def _repeated(labels: Floats | tuple[Label, ...]) -> Label | None:
    if isinstance(labels, np.ndarray):
        ordered = np.sort(labels)
        same = ordered[1:][ordered[1:] == ordered[:-1]]
        return None if same.size == 0 else float(same[0])
    return next((label for label, count in Counter(labels).items() if count > 1), None)


def _listed(given: object, name: str) -> list[object]:
    """Return the list of values of an axis; a text contains a list or a range of numbers."""
    if isinstance(given, str):
        return list(read_numbers(given, name))
    array = numpy_array(given, name)
    if array is not None and array.ndim > 1:
        raise ArgumentError(f"{name} is an array of {array.ndim} dimensions; an axis has one", argument=name)
    if array is not None:
        return list(array) if array.ndim else [given]
    return list(given) if isinstance(given, Iterable) else [given]


def _points(name: str, given: object) -> Axis:
    """Return an axis of φ, ψ, λ or σ_ε: float64 for limits, and with exact numbers kept for finite steps."""
    array = numpy_array(given, name)
    if array is not None and array.ndim == 1 and array.dtype.kind in "fiu":
        floats = np.asarray(float_points({name: array})[0], dtype=float)
        return Axis(name, floats, floats)
    values = _listed(given, name)
    if not values:
        return Axis(name, (), ())
    floats = np.asarray(float_points({name: values})[0], dtype=float)
    return Axis(name, tuple(read(value, name) for value in values), floats)


def _ratio(value: object, name: str) -> int | Fraction | float:
    """Return a ratio or a whole number; with sizes, a whole number of points."""
    ratio = read_ratio(value, name)
    return int(ratio) if ratio == int(ratio) else ratio


def _constant_items(given: object, name: str) -> list[object]:
    """Return a list of scales or shares; each may be a formula without x, such as "1/sqrt(3)"."""
    return list(given.split(",")) if isinstance(given, str) and "(" in given else _listed(given, name)


def _windows(name: str, given: object) -> Axis:
    """Return the α of limits, each with its window or the reason why it has none; refuse if none has a window."""
    exact = [read_rational(value, name) for value in _listed(given, name)]
    ells: list[int | str] = []
    with spelling(PYTHON):  # a file says the same, whoever asked for it
        for value in exact:
            try:
                ells.append(window(value))
            except DomainError as error:
                ells.append(str(error))
    if exact and all(isinstance(ell, str) for ell in ells):
        raise DomainError(f"no alpha has a window: {ells[0]}", argument="alpha")
    return Axis(name, tuple(ells), np.array([float(value) for value in exact]))


def _steps(name: str, given: object) -> Axis:
    values = _listed(given, name)
    for value in values:
        step_size(2, *((value, None) if name == "alpha" else (None, value)))
    floats = np.array([float(read(value, name)) for value in values])
    return Axis(name, floats, floats)


def _ells(name: str, given: object) -> Axis:
    words = [word.strip() for word in given.split(",")] if isinstance(given, str) else _listed(given, name)
    values: list[int | float] = []
    for word in words:
        items = read_numbers(word, name) if isinstance(word, str) and word != "inf" else [word]
        values += map(read_ell, items)
    return Axis(name, tuple(values), tuple(values))


def _size(value: object, name: str) -> int:
    return whole(parse_number(value, name) if isinstance(value, str) else value, name, "a positive whole number")


def _several(given: object, name: str = "") -> list[object]:
    """Return the items of a list, or the single item that is given."""
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def _teachers(name: str, given: object) -> Axis:
    items = [given] if isinstance(given, Teacher) else _several(given)
    if not isinstance(given, str) and items and all(map(_is_number, items)):
        raise ArgumentError(
            f"teacher={given!r} is one list of coefficients; a grid takes a list of teachers, "
            'such as ["H1 + H2/2", "H1"] or [["1", "1/2"], ["1"]]',
            argument="teacher",
        )
    found = [read_teacher(item) for item in items]
    labels = (one.name or ",".join(str(spell(c)) for c in one.coefficients) for one in found)
    return Axis(name, tuple(found), tuple(labels))


def _is_number(item: object) -> bool:
    if isinstance(item, (Teacher, list, tuple, Mapping)):
        return False
    try:
        read(item, "teacher")
    except DomainError:
        return False
    return True


def _each(
    items: Callable[[object, str], list[object]],
    read_item: Callable[[Any, str], object],
    label: Callable[[Any], Label],
) -> Callable[[str, object], Axis]:
    """Return a reader for axes whose values are read individually; labels that are floats become an array."""

    def read_values(name: str, given: object) -> Axis:
        values = tuple(read_item(item, name) for item in items(given, name))
        labels = tuple(map(label, values))
        return Axis(name, values, np.array(labels) if label is float else labels)

    return read_values


def _itself(value: Label) -> Label:
    return value


_words = _each(_several, lambda word, name: one_of(word, name, PARAMETERS[name].options or ()), _itself)
#: How the values of each axis are read; all other axes are options, whose words the table of parameters has.
_READERS: dict[str, Callable[[str, object], Axis]] = {
    **dict.fromkeys(("phi", "psi", "ridge", "noise"), _points),
    **dict.fromkeys((*SCALES, *CHANNELS), _each(_constant_items, read_constant, float)),
    **dict.fromkeys(FLAGS, _each(_several, true_or_false, lambda value: "yes" if value else "no")),
    **dict.fromkeys(("steps", "n"), _each(_listed, _size, _itself)),
    "biases": _each(_several, lambda item, name: read_biases(item), lambda found: str(found or "none")),
    "inputs": _each(_several, lambda item, name: read_inputs(item), lambda found: str(found or "identity")),
    "activation": _each(_several, lambda item, name: read_activation(item), attrgetter("name")),
    "teacher": _teachers,
    "step_samples": _each(_listed, _ratio, float),
    "ell": _ells,
    "alpha": _steps,
    "eta": _steps,
}

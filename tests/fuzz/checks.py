"""What may happen to text: an answer that is right in itself, or an error of ours, and nothing else.

Every check says whether the text was accepted; it raises a Finding, or lets an exception of a wrong kind through.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import pkgutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from tests.fuzz.command import check_command
from tests.fuzz.guards import Finding, Overdue, TooLarge, forget_peak, unwatched, watched, within
from tests.fuzz.inputs import BETWEEN, seeds
from tests.helpers.memory import peak_memory
from theorycalc.errors import DomainError, ExpressionError, TheoryError
from theorycalc.functions.grammar import parse
from theorycalc.functions.tree import Tree, size
from theorycalc.hermite.coefficients import check_defined
from theorycalc.model.activation import Activation
from theorycalc.model.reading import read_teacher, teacher_items
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.exact import Exact, parse_number
from theorycalc.numbers.ranges import read_numbers
from theorycalc.running.terminal import width

#: Seconds of processor time that reading an input may take while the fuzzer counts every branch.
SECONDS = {"expressions": 1.0, "numbers": 0.2, "ranges": 2.0, "activations": 2.0}
#: Seconds after which what is computed from an activation, and may take long, is left out.
PROOFS = 2.0
_POINTS = (-2.0, -0.375, 0.0, 0.5, 1.25)
_LARGEST_TREE = 1000
_READ_BACK = 1000  # characters
_MOST_VALUES = 10_000
_LONGEST_MESSAGE = 5000
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


@contextlib.contextmanager
def _bounded(kind: str) -> Iterator[None]:
    seconds = SECONDS[kind]
    with watched(), within(seconds, lambda: Overdue(f"{kind}: read for longer than {seconds} s")):
        yield


def check_expression(text: str) -> bool:
    """Read an expression: its tree is small, and its own text is read as the same."""
    with _bounded("expressions"):
        try:
            tree = parse(text)
        except ExpressionError as error:
            _check_caret(str(error))
            return False
        if size(tree) > _LARGEST_TREE:
            raise Finding(f"a tree of {size(tree)} nodes")
        shown = str(tree)
        if len(shown) <= _READ_BACK and _is_another(shown, tree):
            raise Finding(f"{shown!r} is read as another tree")
    return True


def _is_another(shown: str, tree: Tree) -> bool:
    """Whether text is read, and not as the tree; it may be too large to be read although the tree is not."""
    try:
        return parse(shown) != tree
    except ExpressionError as error:
        return "too large" not in str(error)


def check_activation(text: str) -> bool:
    """Make an activation and a teacher of the text: every number of them is finite, or refused."""
    with _bounded("activations"):
        function = _unless_refused(_read_function, text)
        teacher = _unless_refused(lambda given: read_teacher(teacher_items(given) or given), text)
    try:
        with watched(), within(PROOFS, lambda: Overdue(f"longer than {PROOFS} s")):
            moments = _unless_refused(lambda one: _floats(*one.coefficients[:3]), teacher)
            found = [_unless_refused(_of_activation, function), moments]
    except Overdue as late:
        raise TooLarge(str(late)) from None
    for values in found:
        if not all(map(math.isfinite, values or ())):
            raise Finding(f"the numbers are {values}")
    return any(found)


def _unless_refused(make: Callable[[_Given], _Made], given: _Given | None) -> _Made | None:
    """Return what is made of something, None where it is refused or of nothing."""
    if given is None:
        return None
    try:
        return make(given)
    except TheoryError as error:
        _check_length(str(error))
        return None


def _read_function(text: str) -> str:
    """Return the formula, which is one; an Activation would decide at once which of its first coefficients are zero."""
    check_defined(parse(text))
    return text


def _of_activation(text: str) -> list[float]:
    """Return c_1, c_{>1}, the mean, c_0, …, c_4 and some values."""
    found = Activation.from_text(text)
    moments = _floats(found.c1, found.c_rest, found.mean)
    return [*moments, *map(float, found.coefficients(4)), *found(_POINTS)]


def _floats(*exact: Exact) -> list[float]:
    """Return exact numbers as a prediction reads them; those beyond float64 are refused."""
    with ball_precision(64):
        return [nearest_float(ball(number), "a moment") for number in exact]


def check_number(text: str) -> bool:
    """Read a number: it is read back from its own text, and Python's Fraction agrees where it can read it."""
    with _bounded("numbers"):
        try:
            value = parse_number(text)
        except DomainError as error:
            _check_length(str(error))
            return False
        if len(str(value)) < _READ_BACK and parse_number(str(value)) != value:
            raise Finding(f"{value} is not read back")
        try:
            other = Fraction(text)
        except ValueError:  # blanks beside the sign or the slash, an exponent before a slash
            return True
        if other != value:
            raise Finding(f"{text!r} is read as {value}, by Python as {other}")
    return True


def check_range(text: str) -> bool:
    """Read numbers, lists and ranges: they are as many as may be, and are exact."""
    with _bounded("ranges"):
        try:
            values = read_numbers(text, "ridge")
        except TheoryError as error:
            _check_length(str(error))
            return False
        if not 1 <= len(values) <= _MOST_VALUES or not all(type(value) is Fraction for value in values):
            raise Finding(f"{len(values)} values")
        first, last = (
            text.split(",", maxsplit=1)[0].split(":", maxsplit=1)[0],
            text.rsplit(",", maxsplit=1)[-1].split(":")[:2][-1],
        )
        if (values[0], values[-1]) != (parse_number(first), parse_number(last)):
            raise Finding(f"{text!r} begins with {values[0]} and ends with {values[-1]}")
    return True


def _check_length(message: str) -> None:
    if not 0 < len(message) <= _LONGEST_MESSAGE:
        raise Finding(f"a message of {len(message)} characters")


def _check_caret(message: str) -> None:
    """An error of the grammar shows the text, in letters that have a shape, with a caret under the place."""
    _check_length(message)
    _, shown, caret = message.rsplit("\n", 2)
    if caret.strip() != "^" or len(caret) > width(shown) + 1 or not shown.isprintable():
        raise Finding(f"a message without a place: {message!r}")


#: MB that one input may take.  A number has 4000 digits at most, and a range has 10,000 numbers, which are 36 MB.
#: A command may print a sweep of a million points, which are 100 MB as numbers and as much as text.
MEMORY = {"expressions": 20, "numbers": 20, "ranges": 50, "activations": 100, "commands": 400}
#: MB that the process may have grown by, over all of its inputs, caches included.
GROWTH = 1000

_CHECKS: dict[str, Callable[[str], bool]] = {
    "expressions": check_expression,
    "numbers": check_number,
    "ranges": check_range,
    "activations": check_activation,
}
_LATE = (
    "csv", "difflib", "encodings.unicode_escape", "encodings.utf_16_be", "encodings.utf_32_be", "inspect", "json",
    "matplotlib.backends.backend_agg", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg",
    "sympy.assumptions.wrapper", "sympy.sets.setexpr",
)  # fmt: skip


def load_everything() -> None:
    """Import what is imported late, so that an import while an input is read would be one that the input caused."""
    import theorycalc

    for module in pkgutil.walk_packages(theorycalc.__path__, "theorycalc."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in _LATE:
        importlib.import_module(name)


def target(kind: str, folder: Path) -> Callable[[str], str]:
    """Return the check of a kind of input; it says what became of the input.

    That is "accepted", "refused", "interrupted", or "left out" for a request that is fair but takes long.
    """
    start = forget_peak()

    def check(text: str) -> str:
        before = forget_peak()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                state = _state(kind, text, folder)
            except TooLarge:
                state = "left out"
            except Overdue as late:
                raise Finding(str(late)) from None
        peak = peak_memory()
        if peak > before + MEMORY[kind]:
            raise Finding(f"{peak - before:.0f} MB for one input")
        if peak > start + GROWTH:
            raise Finding(f"{peak - start:.0f} MB more than at the start")
        return state

    return check


def _state(kind: str, text: str, folder: Path) -> str:
    if kind == "commands":
        return check_command(text.split(BETWEEN), folder)
    return "accepted" if _CHECKS[kind](text) else "refused"


def warm_up(kind: str) -> None:
    """Run every seed once, unwatched and for longer than the fuzzer, for what other packages import late."""
    with tempfile.TemporaryDirectory() as folder, unwatched(slack=4):
        for text in seeds(kind):
            with contextlib.suppress(TooLarge, Overdue):
                _state(kind, text, Path(folder))

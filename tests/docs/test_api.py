"""The API pages: each public name has its signature, parameters, result, errors, and an example that can be copied."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import pytest

import theorycalc
from docs._ext import _copyable
from docs._ext._copyable import free_names
from tests.helpers.docs_site import Entries
from theorycalc import plots, symbolic
from theorycalc.model import conventions

ROOMS = {
    "theorycalc": theorycalc,
    "theorycalc.plots": plots,
    "theorycalc.symbolic": symbolic,
    "theorycalc.model.conventions": conventions,
}
#: Methods that take objects of the package's own, which no user makes.
INTERNAL = {"expected": "compare() makes the Place that it takes"}
#: Results that are named tuples: their two methods are Python's own.
OF_TUPLES = {"count", "index"}


class Member(NamedTuple):
    """A method or a property of a public class: their names, and the function."""

    owner: str
    name: str
    function: Callable[..., object]
    is_property: bool


def public() -> Iterator[tuple[str, object]]:
    """Yield the public functions and classes with the names of their entries."""
    for room, module in ROOMS.items():
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not inspect.ismodule(value):
                yield f"{room}.{name}", value


def members() -> Iterator[Member]:
    """Yield the public methods and properties of public classes, inherited ones included."""
    for name, value in public():
        if not inspect.isclass(value) or issubclass(value, BaseException):
            continue
        for key in dir(value):
            found = inspect.getattr_static(value, key)
            is_property = isinstance(found, (property, cached_property))
            function = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", found)
            if not key.startswith("_") and inspect.isfunction(function):
                yield Member(name, key, function, is_property)


FUNCTIONS = {name: value for name, value in public() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in public() if inspect.isclass(value)}
MEMBERS = {f"{member.owner}.{member.name}": member for member in members()}


def parameters(function: Callable[..., object]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]


def lacking(text: str, function: Callable[..., object], is_function: bool) -> list[str]:
    """Return what an entry does not show of a function or method: parameters, result, errors."""
    after = text.partition("Parameters")[2]
    missing = [name for name in parameters(function) if not re.search(rf"(?<!\w){name}(?!\w)", after)]
    returned = inspect.signature(function).return_annotation
    if returned not in {"None", inspect.Signature.empty} and not re.search(r"^Return(s|\b)", text, re.MULTILINE):
        missing.append("Returns")
    if is_function and parameters(function) and "Raises" not in text:
        missing.append("Raises")
    return missing


def prompts(text: str) -> list[str]:
    """Return the lines of the examples in a text, as Python reads them."""
    return [line.strip()[4:] for line in text.splitlines() if line.strip().startswith((">>>", "..."))]


def letters(text: str) -> str:
    """Return the letters and digits of a text, which no typography changes."""
    return re.sub(r"\W", "", text)


def test_each_has_a_summary_of_one_sentence():
    for name, value in [*FUNCTIONS.items(), *CLASSES.items(), *((n, m.function) for n, m in MEMBERS.items())]:
        summary, _, rest = (inspect.getdoc(value) or "").partition("\n")
        assert summary.endswith((".", "!", "?")), (name, summary)
        assert not rest or rest.startswith("\n"), f"{name}: the summary is one line"


def test_docstrings_describe_parameters_and_results():
    for name, function in FUNCTIONS.items():
        assert not lacking(inspect.getdoc(function) or "", function, True), name
    for name, member in MEMBERS.items():
        assert member.is_property or not lacking(inspect.getdoc(member.function) or "", member.function, False), name


@pytest.mark.slow
def test_pages_show_what_each_name_takes_returns_raises_and_an_example(site):
    texts: dict[str, str] = {}
    for page in (site / "api").glob("*.html"):
        texts |= Entries(page.read_text(encoding="utf-8")).texts
    for name, function in FUNCTIONS.items():
        assert not lacking(texts[name], function, True), name
        assert prompts(texts[name]), name
    for name in CLASSES:
        assert prompts(texts[name]), name
    for name, member in MEMBERS.items():
        assert member.is_property or not lacking(texts[name], member.function, False), name
        shown = prompts(texts[name]) or [line for line in prompts(texts[member.owner]) if f".{member.name}" in line]
        assert shown or member.name in INTERNAL, f"no example shows {name}"
    for name, function in [*FUNCTIONS.items(), *((n, member.function) for n, member in MEMBERS.items())]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        if not re.search("`|docs/", summary):  # roles and links
            assert letters(summary) in letters(texts[name]), name
    for name in (*FUNCTIONS, *CLASSES):
        free = {node.id for node in free_names("\n".join(prompts(texts[name])))}
        assert not free, f"the examples of {name} lack imports"


def test_the_examples_of_the_tools_hold():
    assert doctest.testmod(_copyable).failed == 0


def test_the_walk_would_notice():
    text = "Return it.\n\nParameters\n----------\nx : int\n\nReturns\n-------\nint\n\n>>> f(1)\n2"

    def good(x: int) -> int: ...
    def bad(x: int, y: int) -> int: ...

    assert lacking(text, good, False) == []
    assert lacking(text, bad, True) == ["y", "Raises"]
    assert lacking("Return it.", good, False) == ["x"]
    assert prompts(text) == ["f(1)"]

"""Searches for the best step and ridge, which pages and commands ask for again and again: each takes seconds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

import theorycalc as tc
from theorycalc.results import planning, ranking

SEARCHES = {name: getattr(planning, name) for name in ("best", "best_step", "best_ridge")}


@functools.cache
def found(name: str, problem: tc.Problem, shown: str, options: tuple[tuple[str, Any], ...]) -> Any:
    """Return what a search finds; ``shown`` keeps problems apart that are equal and written in another way."""
    return SEARCHES[name](problem, **dict(options))


def searched_once() -> Iterator[None]:
    """Let tests search once for the same request, in Python, by commands and in rankings."""

    def remembered(name: str) -> Any:
        return lambda problem, **options: found(name, problem, repr(problem), tuple(sorted(options.items())))

    with pytest.MonkeyPatch.context() as patch:
        for name in SEARCHES:
            patch.setattr(tc, name, remembered(name), raising=False)
            patch.setattr(planning, name, remembered(name))
            patch.setattr(ranking, name, remembered(name))
        yield

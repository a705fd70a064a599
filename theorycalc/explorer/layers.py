"""How libraries draw layers, as texts of the page's fields."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theorycalc.explorer.fields import Data
from theorycalc.model.initialisations import INITIALISATIONS, Layers, layers_from
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import spell

#: The theory's own layers.
OWN = "theory"
_WORDS = {OWN: "rows of W₀ of length 1, entries of √N a of standard deviation 1"} | {
    name: initialisation.words for name, initialisation in INITIALISATIONS.items()
}


def initialisations(d: int, N: int) -> Data:
    """Return the words of every initialisation, and the texts of the four fields that describe its layers.

    >>> initialisations(500, 750)["torch"]["fields"]["first_scale"]
    'sqrt(3)/3'
    """
    found = {}
    for name, layers in _all(d, N).items():
        fields = {field: str(spell(value)) for field, value in layers._asdict().items()}
        found[name] = {"words": _WORDS[name], "fields": fields}
    return found


def initialisation_of(problem: Problem, d: int, N: int) -> str | None:
    """Return the name of the initialisation that draws the layers of a problem, or None.

    >>> problem = Problem("relu", "H1", "1/2", "2/3", 1, first_scale="1/sqrt(3)", second_scale="1/sqrt(3)")
    >>> initialisation_of(problem, 500, 750), initialisation_of(Problem("relu", "H1", 1, 1, 1), 500, 500)
    (None, 'theory')
    """
    own = Layers(**{field: getattr(problem, field) for field in Layers._fields})
    return next((name for name, layers in _all(d, N).items() if layers == own), None)


@lru_cache(maxsize=64)
def _all(d: int, N: int) -> dict[str, Layers]:
    defaults: dict[str, Any] = {field: PARAMETERS[field].default for field in Layers._fields}
    own = Layers(**defaults)
    return {OWN: own} | {name: layers_from(name, d=d, N=N) for name in INITIALISATIONS}

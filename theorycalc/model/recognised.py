"""Functions of numpy, scipy, torch and JAX whose formula is known here: numpy.tanh is tanh."""

from __future__ import annotations

import sys
from itertools import product
from typing import NamedTuple

import numpy as np

from theorycalc.errors import TheoryError
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.model.callables import UserFunction, name_of, values_of

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


class Recognised(NamedTuple):
    """The name of a function in its library, and its formula."""

    name: str
    formula: str


def recognised(function: UserFunction) -> Recognised | None:
    """Return the formula of a well-known function, which its values must confirm, or None.

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
    """Say whether the formula is known and has the function's values."""
    try:
        with np.errstate(all="ignore"):
            ours, theirs = compile_numpy(parse(formula))(_POINTS), values_of(function, _POINTS)
    except TheoryError:
        return False
    return bool(np.allclose(theirs, ours, rtol=_TOLERANCE, atol=_TOLERANCE))

"""Expressions in x as immutable trees: what the grammar makes, and all else reads.

A tree is data.  Numbers are exact rationals; functions are the primitives of ``FUNCTIONS`` and nothing
else; a piecewise function is a ``Where``.  Named activations such as relu or gelu are trees, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

#: The primitive functions of one argument.  All but abs, sign and step are analytic on the real line or refuse
#: (log, sqrt outside x > 0, tan at its poles).
FUNCTIONS = (
    "exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh",
    "erf", "erfc", "sigmoid", "softplus", "abs", "sign", "step",
)  # fmt: skip

COMPARISONS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Number:
    """An exact rational number."""

    value: Fraction


@dataclass(frozen=True)
class Constant:
    """``"pi"`` or ``"e"``."""

    name: str


@dataclass(frozen=True)
class Variable:
    """The argument x."""


@dataclass(frozen=True)
class Sum:
    """A sum of two or more terms."""

    terms: tuple[Tree, ...]


@dataclass(frozen=True)
class Product:
    """A product of two or more factors."""

    factors: tuple[Tree, ...]


@dataclass(frozen=True)
class Power:
    """A base to a rational exponent; a quotient is a product with a power −1."""

    base: Tree
    exponent: Fraction


@dataclass(frozen=True)
class Call:
    """One of ``FUNCTIONS`` of an argument."""

    function: str
    argument: Tree


@dataclass(frozen=True)
class Where:
    """``then`` where ``left comparison right``, else ``otherwise``; max, min and clip are made of it."""

    left: Tree
    comparison: str
    right: Tree
    then: Tree
    otherwise: Tree


Tree: TypeAlias = Number | Constant | Variable | Sum | Product | Power | Call | Where

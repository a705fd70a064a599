"""Expressions in x as immutable trees: what the grammar makes, and all else reads.

A tree is data.  Numbers are exact rationals; functions are the primitives of ``FUNCTIONS`` and nothing
else; a piecewise function is a ``Where``.  Named activations such as relu or gelu are trees, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

T = TypeVar("T", bound=type)

#: The primitive functions of one argument.  All but abs, sign and step are analytic on the real line or refuse
#: (log, sqrt outside x > 0, tan at its poles).
FUNCTIONS = (
    "exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "asinh",
    "erf", "erfc", "sigmoid", "softplus", "abs", "sign", "step",
)  # fmt: skip

COMPARISONS = ("<", "<=", ">", ">=")


def _hash_once(cls: T) -> T:
    """Class decorator: keep the hash of a node, which walks all of its tree; it is not carried to other processes."""
    walk: Callable[[object], int] = cls.__dict__["__hash__"]

    def hash_of(self: object) -> int:
        if "_hash" not in self.__dict__:
            self.__dict__["_hash"] = walk(self)
        return int(self.__dict__["_hash"])

    def state_of(self: object) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    setattr(cls, "__hash__", hash_of)  # noqa: B010 - mypy forbids the assignment
    setattr(cls, "__getstate__", state_of)  # noqa: B010
    return cls


@_hash_once
@dataclass(frozen=True)
class Rational:
    """An exact rational number."""

    value: Fraction


@_hash_once
@dataclass(frozen=True)
class Constant:
    """``"pi"`` or ``"e"``."""

    name: str


@_hash_once
@dataclass(frozen=True)
class Variable:
    """The argument x."""


@_hash_once
@dataclass(frozen=True)
class Sum:
    """A sum of two or more terms."""

    terms: tuple[Tree, ...]


@_hash_once
@dataclass(frozen=True)
class Product:
    """A product of two or more factors."""

    factors: tuple[Tree, ...]


@_hash_once
@dataclass(frozen=True)
class Power:
    """A base to a rational exponent; a quotient is a product with a power −1."""

    base: Tree
    exponent: Fraction


@_hash_once
@dataclass(frozen=True)
class Call:
    """One of ``FUNCTIONS`` of an argument."""

    function: str
    argument: Tree


@_hash_once
@dataclass(frozen=True)
class Where:
    """``then`` where ``left comparison right``, else ``otherwise``; max, min and clip are made of it."""

    left: Tree
    comparison: str
    right: Tree
    then: Tree
    otherwise: Tree


Tree: TypeAlias = Rational | Constant | Variable | Sum | Product | Power | Call | Where

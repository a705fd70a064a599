"""Expressions in x, or in directions t_j, as immutable trees; their text; and one walk that evaluates them.

A tree is data.  Numbers are exact rationals; functions are the rows of :mod:`theorycalc.functions.primitives` and
nothing else; a piecewise function is a ``Where``.  Named activations such as relu or gelu are trees, too.
"""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar, dataclass_transform

from theorycalc.functions.primitives import PRIMITIVES, Primitive

T = TypeVar("T", bound=type)
V = TypeVar("V")
#: A value that is computed only if it is asked for.
Branch: TypeAlias = Callable[[], V]

_SUM, _PRODUCT, _POWER = 1, 2, 3  # how tightly an operation binds
_BRIEF = 200  # characters


@dataclass_transform(frozen_default=True)
def _node(cls: T) -> T:
    """Class decorator: a frozen dataclass that computes its hash once, and does not pickle it.

    Its text is one that the grammar reads back; terms and factors are sorted by it.
    """
    node: T = dataclass(frozen=True)(cls)  # type: ignore[assignment]
    walk: Callable[[object], int] = node.__dict__["__hash__"]

    def hash_of(self: object) -> int:
        if "_hash" not in self.__dict__:
            self.__dict__["_hash"] = walk(self)
        return int(self.__dict__["_hash"])

    def state_of(self: object) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    setattr(node, "__hash__", hash_of)  # noqa: B010 - mypy forbids the assignment
    setattr(node, "__getstate__", state_of)  # noqa: B010
    setattr(node, "__str__", lambda self: _show(self, 0))  # noqa: B010
    return node


@_node
class Rational:
    """An exact rational number."""

    value: Fraction


@_node
class Constant:
    """``"pi"`` or ``"e"``."""

    name: str


@_node
class Variable:
    """The argument x."""


@_node
class Direction:
    """The argument t_j = β_j·x of a teacher of several directions; a tree with directions has no x."""

    index: int


@_node
class Sum:
    """A sum of two or more terms."""

    terms: tuple[Tree, ...]


@_node
class Product:
    """A product of two or more factors."""

    factors: tuple[Tree, ...]


@_node
class Power:
    """A base to a rational exponent; a quotient is a product with a power −1."""

    base: Tree
    exponent: Fraction


@_node
class Call:
    """A primitive function of an argument."""

    function: str
    argument: Tree


@_node
class Where:
    """``then`` where ``condition > 0`` (``>= 0`` unless ``strict``), else ``otherwise``; max and min are such trees."""

    condition: Tree
    strict: bool
    then: Tree
    otherwise: Tree


Tree: TypeAlias = Rational | Constant | Variable | Direction | Sum | Product | Power | Call | Where


def parts(tree: Tree) -> tuple[Tree, ...]:
    """Return the trees directly below.

    >>> parts(Call("exp", Variable()))
    (Variable(),)
    """
    match tree:
        case Sum(below) | Product(below):
            return below
        case Power(inner, _) | Call(_, inner):
            return (inner,)
        case Where(condition, _, then, otherwise):
            return (condition, then, otherwise)
    return ()


def size(tree: Tree) -> int:
    """Return the number of nodes.

    >>> size(Call("exp", Sum((Constant("pi"), Variable()))))
    4
    """
    count, stack = 0, [tree]
    while stack:
        count += 1
        stack.extend(parts(stack.pop()))
    return count


@functools.lru_cache(maxsize=1024)
def is_constant(tree: Tree) -> bool:
    """Return whether the tree contains neither x nor a direction.

    >>> is_constant(Call("exp", Rational(Fraction(1)))), is_constant(Variable())
    (True, False)
    """
    return not isinstance(tree, Variable | Direction) and all(map(is_constant, parts(tree)))


def brief(tree: Tree) -> str:
    """Return the text of a tree for a message; a long text is cut, and its length given.

    >>> from theorycalc.functions.grammar import parse
    >>> brief(parse("tanh(x + 1)")), len(brief(parse("H75(x)")))
    ('tanh(1 + x)', 219)
    """
    text = str(tree)
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}… ({len(text)} characters)"


@functools.lru_cache(maxsize=1024)  # sorting shows the same parts again and again
def _show(tree: Tree, outer: int) -> str:
    match tree:
        case Rational(value):
            simple = value.denominator == 1 and value >= 0
            return str(value) if simple or outer <= _SUM else f"({value})"
        case Constant(name):
            return name
        case Variable():
            return "x"
        case Direction(index):
            return f"t{index}"
        case Sum(terms):
            text = " + ".join(_show(term, _SUM) for term in terms).replace("+ -", "- ")
            return f"({text})" if outer > 0 else text
        case Product(factors):
            text = _show_product(factors)
            return f"({text})" if outer >= _PRODUCT else text
        case Power(base, exponent):
            if exponent == Fraction(1, 2):
                return f"sqrt({_show(base, 0)})"
            if _is_below(tree):
                return _show(Product((tree,)), outer)
            raised = str(exponent) if exponent.denominator == 1 and exponent > 0 else f"({exponent})"
            text = f"{_show(base, _POWER)}**{raised}"
            return f"({text})" if outer >= _POWER else text
        case Call(function, argument):
            return f"{function}({_show(argument, 0)})"
        case Where(condition, strict, then, otherwise):  # pragma: no branch - no other kind of tree
            comparison = ">" if strict else ">="
            return f"where({_show(condition, 0)} {comparison} 0, {_show(then, 0)}, {_show(otherwise, 0)})"


def _is_below(power: Power) -> bool:
    """Return True if a power is written as a divisor: not a power of a power, and a root only if of a constant."""
    is_plain = power.exponent.denominator == 1 or isinstance(power.base, Constant)
    return power.exponent < 0 and is_plain and not isinstance(power.base, Power)


def _show_product(factors: tuple[Tree, ...]) -> str:
    """Return over/under, with the sign in front and the factors with negative powers below."""
    coefficient = factors[0].value if isinstance(factors[0], Rational) else Fraction(1)
    rest = factors[1:] if isinstance(factors[0], Rational) else factors
    below = [f for f in rest if isinstance(f, Power) and _is_below(f)]
    over = [f for f in rest if f not in below]
    under: list[Tree] = [f.base if f.exponent == -1 else Power(f.base, -f.exponent) for f in below]
    if abs(coefficient.numerator) != 1 or not over:
        over.insert(0, Rational(Fraction(abs(coefficient.numerator))))
    if coefficient.denominator != 1:
        under.insert(0, Rational(Fraction(coefficient.denominator)))
    text = ("-" if coefficient < 0 else "") + "*".join(_show(f, _PRODUCT) for f in over)
    if len(under) > 1:
        return f"{text}/({'*'.join(_show(f, _PRODUCT) for f in under)})"
    return f"{text}/{_show(under[0], _PRODUCT)}" if under else text


class Interpretation(ABC, Generic[V]):
    """The meaning of numbers, powers and functions in a number system whose values have the type V."""

    @abstractmethod
    def rational(self, value: Fraction) -> V:
        """Return a rational number."""

    @abstractmethod
    def constant(self, name: str) -> V:
        """Return π or e."""

    @abstractmethod
    def power(self, exponent: Fraction) -> Callable[[V], V]:
        """Return the function that raises to an exponent."""

    @abstractmethod
    def function(self, row: Primitive) -> Callable[[V], V]:
        """Return the meaning of a primitive function."""

    @abstractmethod
    def where(self, condition: V, strict: bool, then: Branch[V], otherwise: Branch[V]) -> V:
        """Return the value of the branch that the condition chooses, or both joined if it is undecided."""

    def coordinate(self, points: V, index: int) -> V:
        """Return t_j at points with several coordinates, if these have a meaning here."""
        raise NotImplementedError  # pragma: no cover - trees with directions are compiled for arrays and symbols only

    def add(self, terms: Sequence[Callable[[V], V]]) -> Callable[[V], V]:
        """Return the sum of two or more functions."""
        return lambda x: functools.reduce(operator.add, (term(x) for term in terms))

    def multiply(self, factors: Sequence[Callable[[V], V]]) -> Callable[[V], V]:
        """Return the product of two or more functions."""
        return lambda x: functools.reduce(operator.mul, (factor(x) for factor in factors))

    def compiled(self, tree: Tree) -> Callable[[V], V]:
        """Return the tree as a function of x."""
        match tree:
            case Variable():
                return lambda x: x
            case Direction(index):
                return lambda x: self.coordinate(x, index)
            case Rational() | Constant():
                value = self.rational(tree.value) if isinstance(tree, Rational) else self.constant(tree.name)
                return lambda x: value
            case Sum(below) | Product(below):
                parts = [self.compiled(part) for part in below]
                return self.add(parts) if isinstance(tree, Sum) else self.multiply(parts)
            case Power(base, exponent):
                return _composed(self.power(exponent), self.compiled(base))
            case Call(name, argument):
                return _composed(self.function(PRIMITIVES[name]), self.compiled(argument))
            case Where(condition, strict, then, otherwise):  # pragma: no branch - no other kind of tree
                decides, yes, no = map(self.compiled, (condition, then, otherwise))
                return lambda x: self.where(decides(x), strict, lambda: yes(x), lambda: no(x))


def _composed(outer: Callable[[V], V], inner: Callable[[V], V]) -> Callable[[V], V]:
    return lambda x: outer(inner(x))

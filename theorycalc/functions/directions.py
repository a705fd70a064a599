"""Teachers of several directions t1, …, t4 as text: their trees, their Hermite series and the planes of their kinks.

See docs/theory/several_directions.md#the-direction-that-the-step-sees.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from theorycalc.errors import DomainError, ExpressionError
from theorycalc.functions.algebra import expand, map_parts, replace, xi
from theorycalc.functions.build import X, add, mul
from theorycalc.functions.enclosures import float_of
from theorycalc.functions.grammar import Parser, parse
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.reader import DIRECTION, Budget, Token, error_at, tokenize
from theorycalc.functions.tree import Call, Direction, Power, Product, Rational, Sum, Tree, Where, is_constant, parts
from theorycalc.running.budget import spends

if TYPE_CHECKING:
    import sympy

MOST_DIRECTIONS = 4
_HIGHEST_DEGREE = 60  # of a polynomial of several directions
_REAL = 1e-9  # relative imaginary part of a root that is real

V = TypeVar("V")
#: The powers of t_1, …, t_r in a term.
Powers: TypeAlias = tuple[int, ...]


class TeacherTree(NamedTuple):
    """The tree of a teacher; one of several directions has no x."""

    tree: Tree
    directions: int


class Plane(NamedTuple):
    """The points with normal·t + offset = 0, where a function may have a kink or a jump."""

    normal: tuple[float, ...]
    offset: float


def parse_teacher(text: str) -> TeacherTree:
    """Return the tree of a teacher: an expression in x, or in t1, …, tr with r ≤ 4; t1 alone means x.

    >>> str(parse_teacher("t1 + t1*t2").tree), str(parse_teacher("H2(t1)").tree)
    ('t1 + t1*t2', '-1 + x**2')
    >>> parse_teacher("t1 + t3")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ExpressionError: t3 without t2: number the directions t1, t2, … without a gap
      t1 + t3
           ^
    """
    if not isinstance(text, str):
        raise DomainError(f"an expression is text, not {type(text).__name__}")
    return _parse(text)


@functools.lru_cache(maxsize=512)
@spends("reading")
def _parse(text: str) -> TeacherTree:
    tokens = tokenize(text)
    named = [token for token in tokens if token.kind == "name" and DIRECTION.fullmatch(token.text)]
    if not named:
        return TeacherTree(parse(text), 1)
    known = {f"t{j}": Direction(j) for j in range(1, MOST_DIRECTIONS + 1)}
    present = {token.text for token in named}
    for token in named:
        if token.text not in known:
            reason = (
                f"{token.text} is not a direction: a teacher has at most {MOST_DIRECTIONS}, t1 to t{MOST_DIRECTIONS}"
            )
            raise error_at(text, token.column, reason)
        missing = [name for name in known if name < token.text and name not in present]
        if missing:
            reason = f"{token.text} without {missing[0]}: number the directions t1, t2, … without a gap"
            raise error_at(text, token.column, reason)
    tree = _DirectionParser(text, tokens, dict(known), Budget()).whole()
    return TeacherTree(_renamed(tree, {1: X}), 1) if len(present) == 1 else TeacherTree(tree, len(present))


def components(tree: Tree) -> list[tuple[Tree, tuple[int, ...]]]:
    """Split a sum into parts that share no direction, each with its directions renamed t1, t2, …, and their indices.

    >>> [(str(part), at) for part, at in components(parse_teacher("tanh(t1*t3) + t1 + abs(t2)").tree)]
    [('t1 + tanh(t1*t2)', (1, 3)), ('abs(t1)', (2,))]
    """
    groups: list[tuple[set[int], list[Tree]]] = []
    for term in sorted(tree.terms, key=is_constant) if isinstance(tree, Sum) else (tree,):
        used, terms = directions_of(term), [term]
        met = [group for group in groups if group[0] & used] if used else groups[:1]  # a constant belongs anywhere
        groups = [group for group in groups if group not in met]
        for others, more in met:
            used, terms = used | others, more + terms
        groups.append((used, terms))
    ordered = [(tuple(sorted(used)), add(*terms)) for used, terms in groups]
    ordered.sort(key=operator.itemgetter(0))
    return [(_renamed(part, {j: Direction(i) for i, j in enumerate(at, start=1)}), at) for at, part in ordered]


def directions_of(tree: Tree) -> set[int]:
    """Return the indices of the directions in a tree.

    >>> directions_of(parse_teacher("t1 + t1*t2").tree)
    {1, 2}
    """
    return {tree.index} if isinstance(tree, Direction) else set().union(*map(directions_of, parts(tree)))


def _renamed(tree: Tree, names: Mapping[int, Tree]) -> Tree:
    return names[tree.index] if isinstance(tree, Direction) else map_parts(tree, lambda part: _renamed(part, names))


class _DirectionParser(Parser):
    """The parser of a function of t1, …, t4, in which x is not allowed."""

    def _name(self, token: Token) -> Tree:
        if token.text == "x":
            raise self._error("x and t1, t2, … do not mix: write t1 for x", token)
        return super()._name(token)

    def _x(self) -> Tree:
        raise ExpressionError("a name alone is a function of x, which does not mix with t1, t2, …: write its argument")


class _Ring(NamedTuple, Generic[V]):
    """Numbers that serve as coefficients of a polynomial."""

    read: Callable[[Tree], V | None]
    plus: Callable[[V, V], V]
    times: Callable[[V, V], V]
    most: int  # products of coefficients in one product of polynomials


_RATIONALS: _Ring[Fraction] = _Ring(
    lambda tree: tree.value if isinstance(tree, Rational) else None, lambda a, b: a + b, lambda a, b: a * b, 100_000
)
_TREES: _Ring[Tree] = _Ring(
    lambda tree: tree if is_constant(tree) else None, add, lambda a, b: expand(mul(a, b)), 1_000
)


def units(directions: int) -> list[Powers]:
    """Return the exponents of t_1, t_2, ….

    >>> units(2)
    [(1, 0), (0, 1)]
    """
    return [tuple(int(i == j) for i in range(directions)) for j in range(directions)]


def hermite_series(tree: Tree, directions: int) -> dict[Powers, Tree] | None:
    """Return b_α of a polynomial g = Σ_α b_α H_{α_1}(t_1)…H_{α_r}(t_r), as trees without t; None for other functions.

    >>> {a: str(b) for a, b in hermite_series(parse_teacher("t1**3 + t1*t2/sqrt(2)").tree, 2).items()}
    {(1, 1): 'sqrt(2)/2', (3, 0): '1', (1, 0): '3'}
    """
    rational = _polynomial(tree, directions, _RATIONALS)
    if rational is not None:
        found = _in_hermite(rational, directions, lambda c, factor: c * factor, _RATIONALS.plus)
        return {powers: Rational(c) for powers, c in found.items() if c}
    general = _polynomial(tree, directions, _TREES)
    if general is None:
        return None
    return _in_hermite(general, directions, lambda c, factor: mul(Rational(Fraction(factor)), c), _TREES.plus)


def _polynomial(tree: Tree, directions: int, ring: _Ring[V]) -> dict[Powers, V] | None:
    """Return the coefficients of a polynomial by powers, or None if it is too large or not a polynomial."""
    constant = ring.read(tree)
    if constant is not None:
        return {(0,) * directions: constant}
    match tree:
        case Direction(index):
            one = ring.read(Rational(Fraction(1)))
            assert one is not None
            return {units(directions)[index - 1]: one}
        case Sum(below):
            found = [_polynomial(part, directions, ring) for part in below]
            terms = [item for p in found if p is not None for item in p.items()]
            return None if None in found else _collected(terms, ring.plus)
        case Product(below):
            return _product([_polynomial(part, directions, ring) for part in below], ring)
        case Power(base, exponent) if exponent.denominator == 1 and 0 < exponent <= _HIGHEST_DEGREE:
            return _product([_polynomial(base, directions, ring)] * int(exponent), ring)
    return None


def _product(factors: list[dict[Powers, V] | None], ring: _Ring[V]) -> dict[Powers, V] | None:
    known = [p for p in factors if p is not None]
    degree = sum(max(map(sum, p)) for p in known if p)
    if len(known) < len(factors) or degree > _HIGHEST_DEGREE:
        return None
    result = known[0]
    for other in known[1:]:
        if len(result) * len(other) > ring.most:
            return None
        pairs = ((p, q, a, b) for p, a in result.items() for q, b in other.items())
        terms = [(tuple(map(sum, zip(p, q, strict=True))), ring.times(a, b)) for p, q, a, b in pairs]
        result = _collected(terms, ring.plus)
    return result


def _collected(terms: Iterable[tuple[Powers, V]], plus: Callable[[V, V], V]) -> dict[Powers, V]:
    found: dict[Powers, V] = {}
    for powers, c in terms:
        found[powers] = plus(found[powers], c) if powers in found else c
    return found


def _in_hermite(
    polynomial: dict[Powers, V], directions: int, scaled: Callable[[V, int], V], plus: Callable[[V, V], V]
) -> dict[Powers, V]:
    """Return the coefficients in products of Hermite polynomials, by t^p = Σ_i ξ_{p,i} H_i, direction by direction."""
    for j in range(directions):
        terms = [
            ((*powers[:j], i, *powers[j + 1 :]), scaled(c, xi(powers[j], i)))
            for powers, c in polynomial.items()
            for i in range(powers[j], -1, -2)
        ]
        polynomial = _collected(terms, plus)
    return polynomial


def kink_planes(tree: Tree, directions: int) -> tuple[tuple[Plane, ...], bool]:
    """Return the planes on which the tree may have a kink, and whether these are all of its kinks.

    >>> kink_planes(parse_teacher("relu(t1 - 2*t2)").tree, 2)
    ((Plane(normal=(1.0, -2.0), offset=0.0),), True)
    >>> kink_planes(parse_teacher("sign(t1 + t1*t2)").tree, 2)
    ((Plane(normal=(0.0, 1.0), offset=1.0), Plane(normal=(1.0, 0.0), offset=0.0)), True)
    """
    found: dict[Plane, None] = {}
    complete = True
    stack = [tree]
    while stack:
        part = stack.pop()
        stack.extend(parts(part))
        if isinstance(part, Where):
            planes = _zeros(part.condition, directions)
        elif isinstance(part, Call) and PRIMITIVES[part.function].sides:
            planes = _zeros(part.argument, directions)
        else:
            continue
        complete = complete and planes is not None
        found |= dict.fromkeys(planes or ())
    return tuple(found), complete


def _zeros(tree: Tree, directions: int) -> list[Plane] | None:
    """Return the planes on which a tree is zero, or None if its zeros are not planes."""
    if is_constant(tree):
        return []
    if isinstance(tree, Power):
        return _zeros(tree.base, directions)
    if isinstance(tree, Product):
        return _zeros_of_all(tree.factors, directions)
    inner = _where_inside(tree)
    if inner is not None:  # of either branch; some of these planes may lie where the other one holds
        return _zeros_of_all([replace(tree, inner, branch) for branch in (inner.then, inner.otherwise)], directions)
    found = _polynomial(tree, directions, _TREES)
    if found is None:
        return None
    floats = {powers: float_of(c) for powers, c in found.items()}
    if max(map(sum, floats)) == 1:
        return [Plane(tuple(floats.get(unit, 0.0) for unit in units(directions)), floats.get((0,) * directions, 0.0))]
    used = [j for j in range(directions) if any(powers[j] for powers in floats)]
    if len(used) == 1:
        normal = tuple(float(i == used[0]) for i in range(directions))
        return [Plane(normal, -root) for root in _roots(floats, used[0])]
    factors = _factors(tree, directions)
    return _zeros_of_all(factors, directions) if factors else None


def _zeros_of_all(trees: Iterable[Tree], directions: int) -> list[Plane] | None:
    each = [_zeros(tree, directions) for tree in trees]
    return None if None in each else [plane for planes in each for plane in planes or ()]


def _factors(tree: Tree, directions: int) -> list[Tree]:
    """Return the factors of a rational polynomial of several directions, or nothing if it has only one."""
    found = _polynomial(tree, directions, _RATIONALS)
    if found is None:
        return []
    import sympy

    letters = sympy.symbols(f"t1:{directions + 1}")
    given = {powers: sympy.Rational(c.numerator, c.denominator) for powers, c in found.items()}
    factors = [factor for factor, _ in sympy.Poly(given, *letters).factor_list()[1]]
    if len(factors) < 2:
        return []
    return [add(*(_term(powers, c) for powers, c in factor.terms())) for factor in factors]


def _term(powers: Powers, c: sympy.Rational) -> Tree:
    parts = [Direction(j) for j, power in enumerate(powers, start=1) for _ in range(power)]
    return mul(Rational(Fraction(int(c.p), int(c.q))), *parts)


def _where_inside(tree: Tree) -> Where | None:
    if isinstance(tree, Where):
        return tree
    return next((found for part in parts(tree) if (found := _where_inside(part)) is not None), None)


def _roots(floats: dict[Powers, float], j: int) -> list[float]:
    """Return the real roots of a polynomial in one direction."""
    degree = max(powers[j] for powers in floats)
    coefficients = [0.0] * (degree + 1)
    for powers, c in floats.items():
        coefficients[powers[j]] += c
    roots = np.polynomial.polynomial.polyroots(coefficients)
    return sorted({float(root.real) for root in roots if abs(root.imag) <= _REAL * max(1, abs(root))})

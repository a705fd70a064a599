"""Biases of the neurons: a table of kinds with their shares, or a law that a quadrature rule turns into one.

See docs/theory/kinds.md#the-network.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import DomainError, about, spelled
from theorycalc.model.levels import written
from theorycalc.model.points import read_constant
from theorycalc.numbers.balls import float_of
from theorycalc.numbers.exact import Exact, Floats, NumberLike, Scalar, is_negative, is_zero, read_rational, spell

if TYPE_CHECKING:
    from theorycalc.model.activation import Activation
    from theorycalc.model.problem import Problem

#: Biases as a user may write them: a law or a table as text, {bias: share}, or pairs of both.
BiasesLike: TypeAlias = "str | Biases | Mapping[NumberLike, NumberLike] | Sequence[tuple[NumberLike, NumberLike]]"

MOST_KINDS = 64
_WIDEST = 10  # width of a law, whose rule has a number of nodes that grows with it
_NODES = 64  # of the rule of a law of width 1 or less, on either side of 0
_FEW_NODES = 10  # of the rule of a law for finite steps
_END = 8.5  # standard deviations beyond which a normal law holds less than 1e-16
_WANTED = "a table such as {0: '1/2', 1: '1/2'} or '0:1/2, 1:1/2', or a law, 'normal(1)' or 'uniform(1)'"


class Kind(NamedTuple):
    """The neurons with one bias, and their share of all neurons."""

    bias: Scalar
    share: Fraction | float


@dataclass(frozen=True, repr=False)
class Biases:
    """The kinds of neurons, in the order of their biases; for a law, the nodes and weights of a rule."""

    kinds: tuple[Kind, ...]
    law: str | None = None

    def __str__(self) -> str:
        """Return the text that recreates them.

        >>> str(read_biases({1: 2, 0: 1})), str(read_biases("normal(0.5)"))
        ('0:1/3, 1:2/3', 'normal(1/2)')
        """
        return self.law or ", ".join(f"{written(kind.bias)}:{written(kind.share)}" for kind in self.kinds)

    def __repr__(self) -> str:
        return repr(str(self))

    @property
    def width(self) -> Scalar:
        """The width of a law, or the largest bias in a table."""
        law = None if self.law is None else _law(self.law)
        return self.kinds[-1].bias if law is None else law[1]

    @property
    def is_proven(self) -> bool:
        """True for a table; a law is replaced by a float64 rule, for which no digits are proven."""
        return self.law is None

    def drawn(self, source: np.random.Generator, count: int) -> Floats:
        """Return the biases of ``count`` neurons; from a table, each kind in proportion to its share, in random order.

        >>> sorted(read_biases({0: "1/3", 1: "2/3"}).drawn(np.random.default_rng(0), 6).tolist())
        [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
        """
        if self.law is not None:
            is_normal = self.law.startswith("normal")
            return float(self.width) * (source.standard_normal(count) if is_normal else source.uniform(-1, 1, count))
        ends = np.cumsum([float(kind.share) for kind in self.kinds])
        places = np.searchsorted(ends[:-1], (np.arange(count) + 0.5) / count)
        return source.permutation(np.array([float(kind.bias) for kind in self.kinds])[places])


def read_biases(given: object) -> Biases | None:
    """Return the biases described by a table, pairs or text, or None for None.

    Shares are relative: they are divided by their sum.  Kinds of the same bias are one.

    >>> read_biases("0:1, 1:1") == read_biases([(1, "1/2"), (0, "1/4"), (0, "1/4")])
    True
    >>> len(read_biases("uniform(1)").kinds)
    64
    """
    if given is None or isinstance(given, Biases):
        return given
    with about("biases"):
        if isinstance(given, str):
            return _read_text(given)
        return _table(_pairs(list(given.items()) if isinstance(given, Mapping) else given))


class KindNumbers(NamedTuple):
    """The numbers of one kind of neuron that limits need: its share of all neurons, c_1, c_{>1}, c_0 and c_2."""

    share: Fraction | float
    c1: Exact
    c_rest: Exact
    mean: Exact
    c2: Exact | None


def unit_kinds(activation: Activation, scale: Scalar, biases: Biases | None) -> tuple[Activation, ...]:
    """Return σ(g_w x + b) for each kind in a table; for a law, with c_k(b) analytic in b, at b = 0 and its width."""
    if biases is None:
        return (activation.stretched(scale),)
    shifts = [kind.bias for kind in biases.kinds] if biases.law is None else [Fraction(0), biases.width]
    return tuple(activation.stretched(scale, bias) for bias in shifts)


@functools.lru_cache(maxsize=64)
def kind_numbers(activation: Activation, scale: Scalar, biases: Biases) -> tuple[KindNumbers, ...]:
    """Return the numbers of each kind: exact or enclosed for a table, float64 for a law."""
    found = unit_kinds(activation, scale, biases)  # refuses an activation without values
    if biases.law is not None:
        return tuple(_estimated(activation, float(scale), float(bias), share) for bias, share in biases.kinds)
    return tuple(
        KindNumbers(kind.share, shifted.c1, shifted.c_rest, shifted.mean, shifted.c2)
        for kind, shifted in zip(biases.kinds, found, strict=True)
    )


def with_few_kinds(problem: Problem) -> Problem:
    """Return a problem for finite steps, in which a law of biases becomes a short table.

    >>> from theorycalc.model.problem import Problem
    >>> len(with_few_kinds(Problem("tanh", "H1", 1, 1, 1, intercept=True, biases="normal(1)")).biases.kinds)
    10
    """
    biases = problem.biases
    if biases is None or (biases.law is None and len(biases.kinds) <= _FEW_NODES):
        return problem
    if biases.law is None:
        reason = f"{spelled('biases')} has {len(biases.kinds)} kinds of neurons; finite steps follow up to {_FEW_NODES}"
        raise DomainError(reason, argument="biases")
    is_normal = biases.law.startswith("normal")
    rule = np.polynomial.hermite_e.hermegauss if is_normal else np.polynomial.legendre.leggauss
    nodes, weights = rule(_FEW_NODES)
    shares = weights / weights.sum()
    kinds = (Kind(float(biases.width) * x, share) for x, share in zip(nodes.tolist(), shares.tolist(), strict=True))
    return replace(problem, biases=Biases(tuple(kinds)))


def _estimated(activation: Activation, scale: float, bias: float, share: Fraction | float) -> KindNumbers:
    """Return the numbers of σ(g_w x + b), by float64 quadrature of 1 + σ(g_w x + b) − σ(b)."""
    from theorycalc.model.sampled import estimate

    kinks = [(kink - bias) / scale for kink in activation.kink_floats]
    center = float(activation(np.array([bias]))[0])
    with about("activation"):  # with 1 at the centre, it has a scale where neurons are as good as dead
        found = estimate(lambda x: 1 + (activation(scale * x + bias) - center), kinks, 2)
    mean, slope, second = map(float, found.coefficients)
    return KindNumbers(share, slope, math.sqrt(found.rest_squared), mean - 1 + center, second)


def _pairs(given: object) -> list[tuple[NumberLike, NumberLike]]:
    items: list[object] = list(given) if isinstance(given, Iterable) else [given]
    pairs = [tuple(item) for item in items if isinstance(item, (tuple, list)) and len(item) == 2]
    if len(pairs) < len(items):
        raise DomainError(f"{spelled('biases', given)} is not {_WANTED}", argument="biases")
    return pairs


def _read_text(text: str) -> Biases:
    law = _law(text)
    if law is not None:
        return _of_law(*law)
    parts = [part.split(":") for part in re.split(r",(?![^(]*\))", text)]
    if any(len(part) != 2 for part in parts):
        raise DomainError(f"{spelled('biases', text)} is not {_WANTED}", argument="biases")
    return _table([(bias.strip(), share.strip()) for bias, share in parts])


def _law(text: str) -> tuple[str, Scalar] | None:
    """Return the name of a law and its width: the standard deviation, or half the length of the interval."""
    found = re.fullmatch(r"\s*(normal|uniform)\s*(?:\((.*)\))?\s*", text)
    if found is None:
        return None
    width = read_constant(found[2] or "1", "biases")
    if is_zero(width) or is_negative(width):
        raise DomainError(f"{spelled('biases', text)}: the width of a law must be positive", argument="biases")
    return found[1], width


def _of_law(name: str, width: Scalar) -> Biases:
    """Return the rule for a law: an equally spaced one for the normal law, a Gauss rule for the uniform law."""
    if width > _WIDEST:
        text = f"{name}({spell(width)})"
        raise DomainError(f"{spelled('biases', text)}: laws are computed up to a width of {_WIDEST}", argument="biases")
    half = math.ceil(_NODES * max(1, float(width)))
    if name == "normal":
        nodes = np.linspace(-_END, _END, 2 * half + 1)
        weights = np.exp(-(nodes**2) / 2)
    else:
        nodes, weights = np.polynomial.legendre.leggauss(half)
    shares = weights / np.sum(weights)
    kinds = tuple(Kind(float(width) * float(node), float(share)) for node, share in zip(nodes, shares, strict=True))
    return Biases(kinds, f"{name}({spell(width)})")


def _table(pairs: Sequence[tuple[NumberLike, NumberLike]]) -> Biases:
    shares: dict[Scalar, Fraction] = {}
    for bias, share in pairs:
        value, part = read_constant(bias, "biases"), Fraction(read_rational(share, "biases"))
        if part <= 0:
            raise DomainError(f"biases: the share {share} of the bias {bias} must be positive", argument="biases")
        shares[value] = shares.get(value, Fraction(0)) + part
    if not shares or len(shares) > MOST_KINDS:
        reason = f"has {len(shares)} kinds of neurons; 1 to {MOST_KINDS} are computed"
        raise DomainError(f"{spelled('biases')} {reason}", argument="biases")
    whole = sum(shares.values(), Fraction(0))
    return Biases(tuple(Kind(bias, shares[bias] / whole) for bias in sorted(shares, key=_in_float64)))


def _in_float64(bias: Scalar) -> float:
    return float_of(bias, "biases", tiny_is_zero=True)

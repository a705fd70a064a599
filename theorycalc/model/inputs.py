"""Inputs with a covariance Σ: its eigenvalues, how many inputs have each, and the teacher's share in each.

See docs/theory/inputs.md#the-inputs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import flint

from theorycalc.errors import ArgumentError, DomainError, about, spelled
from theorycalc.model import levels
from theorycalc.model.levels import MOST_EIGENVALUES, ExactLevel, PowerLaw, read_levels, read_part, written
from theorycalc.model.signatures import checked_call, documented_methods
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import NumberLike, whole

#: A level as a user may write it: eigenvalue, weight and, unless the teacher prefers no direction, its share.
LevelLike: TypeAlias = "tuple[NumberLike, NumberLike] | tuple[NumberLike, NumberLike, NumberLike]"
#: Inputs as a user may write them: text, levels, or what a constructor of :class:`Inputs` returns.
InputsLike: TypeAlias = "str | Inputs | Sequence[LevelLike]"

_WANTED = (
    "levels such as [(3, '1/4', '1/2'), ('1/3', '3/4', '1/2')] or '3:1/4:1/2, 1/3:3/4:1/2' (eigenvalue, weight, share "
    "of the teacher), or 'two_level(9, 1/4, 1/2)', 'power(1/3, 1/2)' or 'power(1/3, 1/2, 400)'"
)


@documented_methods
@dataclass(frozen=True, repr=False)
class Inputs:
    """The covariance Σ of the inputs: levels by decreasing eigenvalue, of mean 1; weights and shares each sum to 1.

    The constructors return inputs for ``Problem(inputs=…)``.
    Only the shape of Σ counts: eigenvalues are divided by their mean, weights and shares by their sums.  A scale of all
    inputs is one of the first layer, ``Problem(first_scale=…)``.  The share of a level is that of v = Σ^½β⋆, of length
    1: how much of the variance of β⋆·x it brings.  Without shares β⋆ prefers no direction, and a level has its share of
    the trace.
    """

    levels: tuple[ExactLevel, ...]
    law: PowerLaw | None = None
    count: int | None = field(default=None, compare=False)  # of eigenvalues where they are a list, one for each input

    @classmethod
    @checked_call
    @about("inputs")
    def given(cls, eigenvalues: Iterable[NumberLike], shares: Iterable[NumberLike] | None = None) -> Inputs:
        """Return inputs with these eigenvalues, one for each input.

        Parameters
        ----------
        eigenvalues : list of numbers
            Those of Σ, none negative; only their ratios count.
        shares : list of numbers, optional
            The teacher's share in each; by default it is that of the trace.

        Raises
        ------
        TheoryError
            The lists differ in length, or a number is out of its range.

        >>> Inputs.given([3, 1, 1, 1], [1, 1, 0, 0])
        '2:1/4:1/2, 2/3:3/4:1/2'
        """
        first = list(eigenvalues)
        second: list[NumberLike | None] = [None] * len(first) if shares is None else list(shares)
        if len(first) != len(second):
            reason = f"inputs: {len(first)} eigenvalues and {len(second)} shares; each needs one"
            raise ArgumentError(reason, argument="inputs")
        found = read_levels([(eigenvalue, 1, share) for eigenvalue, share in zip(first, second, strict=True)])
        return cls(found, count=len(first))

    @classmethod
    @checked_call
    @about("inputs")
    def two_level(cls, ratio: NumberLike, weight: NumberLike = "1/2", share: NumberLike | None = None) -> Inputs:
        """Return inputs with two eigenvalues.

        Parameters
        ----------
        ratio : number
            The upper eigenvalue divided by the lower one.
        weight : number
            The share of the inputs that have the upper one, between 0 and 1 (default 1/2).
        share : number, optional
            The teacher's share in the upper one; by default it is that of the trace.

        >>> Inputs.two_level(3, "1/4", "1/2")
        '2:1/4:1/2, 2/3:3/4:1/2'
        """
        part = read_part(weight, "the weight")
        if not 0 < part < 1:
            raise DomainError(f"inputs: the weight {weight} must be between 0 and 1", argument="inputs")
        upper = None if share is None else read_part(share, "the share")
        if upper is not None and upper > 1:
            raise DomainError(f"inputs: the share {share} must be between 0 and 1", argument="inputs")
        rest = None if upper is None else 1 - upper
        return cls(read_levels([(ratio, part, upper), (1, 1 - part, rest)]))

    @classmethod
    @checked_call
    @about("inputs")
    def power_law(cls, a: NumberLike, b: NumberLike | None = None, d: NumberLike | None = None) -> Inputs:
        """Return inputs whose j-th eigenvalue is ∝ j^−a, with teacher's shares ∝ j^−b.

        Parameters
        ----------
        a : number
            Exponent a ≥ 0 of the eigenvalues.
        b : number, optional
            Exponent b of the shares; by default b = a, a teacher that prefers no direction.
        d : int, optional
            Number of inputs; a problem with sizes has its own.

        >>> Inputs.power_law("1/2", 1, d=3)
        'power(1/2, 1, 3)'
        """
        decay = read_part(a, "the exponent")
        law = PowerLaw(decay, decay if b is None else read_part(b, "the exponent of the shares", negative=True))
        if d is None:
            return cls((), law)
        wanted = f"the number of inputs, 1 to {MOST_EIGENVALUES}"
        count = whole(read_part(d, "the number of inputs"), "inputs", wanted, high=MOST_EIGENVALUES)
        pairs = zip(*(levels.powers(count, part) for part in law), strict=True)
        return cls(tuple(ExactLevel(count * one, Fraction(1, count), share) for one, share in pairs), law, count)

    @classmethod
    @checked_call
    def from_data(cls, X: object, y: object = None) -> Inputs:
        """Return the covariance of the columns of a data matrix and, given labels, the teacher's shares.

        The shares are those of v = Σ^−½E[xy], less what chance adds to them.

        Parameters
        ----------
        X : array
            Points in rows; more points than columns.
        y : array, optional
            A label for each point; by default the teacher prefers no direction.

        Returns
        -------
        Inputs
            For ``Problem(inputs=…)``.  Whether the theory holds for them is checked there.

        Raises
        ------
        TheoryError
            The arrays do not fit, hold values that are not finite, or the labels follow no direction.

        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((4000, 2)) * [2.0, 1.0]
        >>> found = Inputs.from_data(X, X[:, 0])
        >>> [round(level.eigenvalue, 1) for level in found.levels], round(found.levels[0].share, 2)
        ([1.6, 0.4], 1.0)
        """
        return cls.given(*levels.estimated(X, y))

    def __str__(self) -> str:
        """Return the text that recreates them.

        >>> str(read_inputs([(3, "1/4"), (1, "3/4")])), str(Inputs.power_law("0.5"))
        ('2:1/4:1/2, 2/3:3/4:1/2', 'power(1/2)')
        """
        if self.law is None:
            return ", ".join(":".join(map(written, level)) for level in self.levels)
        decay, share_decay = self.law
        shown = [decay] if share_decay == decay and self.count is None else [decay, share_decay]
        return f"power({', '.join(map(written, shown))}{'' if self.count is None else f', {self.count}'})"

    def __repr__(self) -> str:
        return repr(str(self))

    @property
    def words(self) -> str:
        """The text, with floats rounded; or, if that is shorter, the number of levels and the largest eigenvalue.

        >>> Inputs.two_level(0.1).words
        '1.818:0.5:0.9091, 0.1818:0.5:0.09091'
        >>> Inputs.given(range(1, 101)).words
        '100 eigenvalues, the largest 1.98 times their mean'
        """
        if self.law is not None or (len(self.levels) <= 4 and self.is_exact):
            return str(self)
        if len(self.levels) <= 4:
            return ", ".join(":".join(f"{float(value):.4g}" for value in level) for level in self.levels)
        return f"{len(self.levels)} eigenvalues, the largest {float(self.levels[0].eigenvalue):.3g} times their mean"

    @property
    def is_identity(self) -> bool:
        """True where all eigenvalues are equal."""
        return self.law.decay == 0 if self.law is not None else len(self.levels) == 1

    @property
    def is_exact(self) -> bool:
        """True if no number is a binary float, so that digits can be proven."""
        numbers = self.law or [value for level in self.levels for value in level]
        return all(isinstance(value, Fraction) for value in numbers)

    def for_dimension(self, d: int) -> Inputs:
        """Return these inputs in dimension d: whole numbers of inputs for each level, or a power law of d eigenvalues.

        >>> Inputs.two_level(3, "1/4", "1/2").for_dimension(7)
        '21/11:2/7:1/2, 7/11:5/7:1/2'
        """
        if self.law is not None:
            return Inputs.power_law(*self.law, d)
        if self.count is not None and d % self.count:
            reason = f"inputs: {self.count} eigenvalues, one for each input, do not fit {spelled('d', d)}"
            raise DomainError(reason, argument="inputs")
        counts = self.multiplicities(d)
        return Inputs(
            read_levels(
                [(level.eigenvalue, count, level.share) for level, count in zip(self.levels, counts, strict=True)]
            ),
            count=self.count,
        )

    def multiplicities(self, d: int) -> list[int]:
        """Return the number of inputs in each level, d in total, by largest remainders.

        >>> Inputs.two_level(3, "1/4", "1/2").multiplicities(7)
        [2, 5]
        """
        wanted = [Fraction(level.weight) * d for level in self.levels]
        counts = [math.floor(count) for count in wanted]
        by_remainder = sorted(range(len(counts)), key=lambda j: counts[j] - wanted[j])
        for j in by_remainder[: d - sum(counts)]:
            counts[j] += 1
        if 0 in counts:
            reason = f"inputs: {len(self.levels)} eigenvalues do not fit into {spelled('d', d)} inputs"
            raise DomainError(f"{reason}; take a larger d, or fewer eigenvalues", argument="inputs")
        return counts


def read_inputs(given: object, d: int | None = None) -> Inputs | None:
    """Return the inputs that text or levels describe, for d inputs if d is known; None stands for the identity.

    >>> read_inputs("power(1/2)", 3), read_inputs("1:1/2, 1:1/2")
    ('power(1/2, 1/2, 3)', None)
    """
    if given is None:
        return None
    with about("inputs"):
        found = given if isinstance(given, Inputs) else _read_text(given) if isinstance(given, str) else _table(given)
        if found.is_identity:
            return None
        if d is not None:
            return found.for_dimension(d)
        if found.law is not None and not found.levels:
            raise ArgumentError(
                f"{spelled('inputs', found)} needs the number of inputs: write {found.for_dimension(400)!s}, or give "
                f"the sizes {spelled('n')}, {spelled('d')} and {spelled('N')}",
                argument="inputs",
            )
        return found


def _read_text(text: str) -> Inputs:
    law = re.fullmatch(r"\s*(two_level|power)\s*\((.*)\)\s*", text)
    if law is not None:
        numbers = [part.strip() for part in law[2].split(",")]
        if not 1 <= len(numbers) <= 3 or not all(numbers):
            raise DomainError(f"{spelled('inputs', text)} is not {_WANTED}", argument="inputs")
        return Inputs.two_level(*numbers) if law[1] == "two_level" else Inputs.power_law(*numbers)
    return _table([tuple(part.split(":")) for part in text.split(",")])


def _table(given: object) -> Inputs:
    items: list[object] = list(given) if isinstance(given, Iterable) else [given]
    rows = [tuple(item) for item in items if isinstance(item, (tuple, list)) and len(item) in (2, 3)]
    if len(rows) < len(items) or len({len(level) for level in rows}) != 1:
        shown = given if isinstance(given, (str, int, float)) else items
        raise DomainError(f"{spelled('inputs', shown)} is not {_WANTED}", argument="inputs")
    return Inputs(read_levels([(level[0], level[1], level[2] if len(level) == 3 else None) for level in rows]))


def ball_levels(inputs: Inputs) -> tuple[tuple[flint.arb, flint.arb, flint.arb], ...]:
    """Return the eigenvalue, weight and share of each level as balls of the current precision.

    >>> [float(value) for value in ball_levels(read_inputs("two_level(3, 1/4, 1/2)"))[0]]
    [2.0, 0.25, 0.5]
    """
    if inputs.law is None:
        return tuple((ball(one.eigenvalue), ball(one.weight), ball(one.share)) for one in inputs.levels)
    assert inputs.count is not None  # read_inputs() has seen to it
    places = range(1, inputs.count + 1)
    eigenvalues, shares = ([ball(Fraction(j)) ** -ball(decay) for j in places] for decay in inputs.law)
    trace, whole_share = sum(eigenvalues[1:], eigenvalues[0]), sum(shares[1:], shares[0])
    weight = ball(Fraction(1, inputs.count))
    return tuple(
        (inputs.count * eigenvalue / trace, weight, share / whole_share)
        for eigenvalue, share in zip(eigenvalues, shares, strict=True)
    )

"""Numbers of a function, enclosed to any accuracy: Hermite coefficients, c_{>1}, E f², covariances.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from math import factorial

import flint

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.functions.algebra import polynomial_trees, substitute, xi
from theorycalc.functions.build import ZERO, X, add, mul, negative, number
from theorycalc.functions.enclosures import ball_of, constant_sign
from theorycalc.functions.properties import derivative, parity_modulo_polynomial
from theorycalc.functions.tree import Tree, brief
from theorycalc.hermite.coefficients import coefficients_balls, second_moment_ball, variance_rest_ball
from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes
from theorycalc.numbers.balls import ball, ball_precision, bits_for
from theorycalc.numbers.exact import EnclosedNumber, Exact, is_zero
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.running.budget import spends

HIGHEST_INDEX = 200  # of a coefficient that is computed for a function that is not a polynomial
_SIGN_DIGITS = 15  # of an enclosure that is to exclude 0; more precision was tried already where it does not
_REACHES = (16, 32, 64, 128, HIGHEST_INDEX)  # of the Hermite series of a covariance
_SLACK_BITS = 40  # of the working precision, which the remainder of that series may cost
_FIRST_BLOCK = 8  # coefficients are computed up to this index or a power of two beyond: one pass serves several


@dataclass(frozen=True)
class TreeNumber(EnclosedNumber):
    """A number that belongs to a function f, given by its tree; its errors name the activation or the teacher."""

    tree: Tree
    role: str = field(default="activation", kw_only=True, compare=False, repr=False)

    def _undecided(self, name: str, subject: str, value: flint.arb, kind: str) -> DomainError:
        return DomainError(
            f"{name} of {brief(self.tree)} is undecided: {subject} lies in {value.str(3)}, which contains 0, "
            f"and its structure does not show it to be {kind}",
            argument=self.role,
        )

    @property
    def is_proven(self) -> bool:
        """True where the quadrature comes with a proof."""
        return coefficients_balls(self.tree, 1, _SIGN_DIGITS)[1] == "enclosed"


@dataclass(frozen=True)
class HermiteCoefficient(TreeNumber):
    """c_k of f."""

    index: int

    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around c_k, exactly zero where the structure shows it to be."""
        exact = decided_coefficient(self.tree, self.index)
        if exact is not None:
            with ball_precision(bits_for(digits) + 10):
                return ball_of(exact)
        return coefficients_balls(self.tree, reach_of(self.index), digits)[0][self.index]

    def sign(self) -> int:
        """Return the sign, by structure or by an enclosure that excludes 0."""
        exact = decided_coefficient(self.tree, self.index)
        found = constant_sign(exact) if exact is not None else self._enclosed_sign()
        if found is None:
            raise self._undecided(f"c_{self.index}", "it", self.enclosure(_SIGN_DIGITS), "zero")
        return found

    def _enclosed_sign(self) -> int | None:
        value = self.enclosure(_SIGN_DIGITS)
        if value.contains(0):
            return 0 if value.is_exact() else None
        return 1 if value > 0 else -1


@dataclass(frozen=True)
class RestNorm(TreeNumber):
    """c_{>1} of f: the square root of its variance less c_1²."""

    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around c_{>1}."""
        self.sign()  # few digits show first whether it is decided at all
        squared = variance_rest_ball(self.tree, digits)
        with ball_precision(bits_for(digits) + 10):
            return squared.sqrt()

    def sign(self) -> int:
        """Return 1, or 0 for a function that is linear by its structure."""
        squared = variance_rest_ball(self.tree, _SIGN_DIGITS)
        if squared.contains(0) and not squared.is_exact():
            raise self._undecided("c_{>1}", "its square", squared, "linear")
        return 0 if squared == 0 else 1


@dataclass(frozen=True)
class SecondMoment(TreeNumber):
    """E f(Z)²."""

    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around E f(Z)²."""
        return second_moment_ball(self.tree, digits)

    def sign(self) -> int:
        """Return 1, or 0 for the zero function."""
        return 0 if self.tree == ZERO else 1


@dataclass(frozen=True)
class SlopeVariance(TreeNumber):
    """Var f'(Z), where f' is taken between kinks."""

    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around Var f' = c_1(f')² + c_{>1}(f')², which is 0 for a linear f."""
        slope = derivative(self.tree)
        first, rest = coefficients_balls(slope, 1, digits)[0][1], variance_rest_ball(slope, digits)
        with ball_precision(bits_for(digits) + 10):
            return first**2 + rest

    @property
    def is_proven(self) -> bool:
        """True where the quadrature of f' comes with a proof."""
        return HermiteCoefficient(derivative(self.tree), 1).is_proven

    def sign(self) -> int:
        """Return 1, or 0 for a linear function."""
        return 0 if self.enclosure(_SIGN_DIGITS) == 0 else 1


def reach_of(k: int) -> int:
    """Return the index up to which coefficients are computed when c_k is requested.

    >>> reach_of(3), reach_of(9)
    (8, 16)
    """
    if k > HIGHEST_INDEX:
        reason = f"c_k is computed up to k = {HIGHEST_INDEX}, not {k}; for ℓ beyond it use {spelled('ell', 'inf')}"
        raise DomainError(reason, argument="ell")
    return min(max(_FIRST_BLOCK, 1 << (k - 1).bit_length()), HIGHEST_INDEX)


@functools.lru_cache(maxsize=256)
@spends("the coefficients of")
def spikes_of_tree(tree: Tree, ell: int) -> tuple[int, ...]:
    """Return K = {1 ≤ k ≤ ℓ: c_k ≠ 0}; refuse if some c_k is undecided.

    >>> from theorycalc.functions.grammar import parse
    >>> spikes_of_tree(parse("softplus"), 6)
    (1, 2, 4, 6)
    """
    enclosures = coefficients_balls(tree, reach_of(ell), _SIGN_DIGITS)[0]
    present = []
    for k in range(1, ell + 1):
        shown = decided_coefficient(tree, k) is None and not enclosures[k].contains(0)
        if shown or HermiteCoefficient(tree, k).sign():
            present.append(k)
    return tuple(present)


@functools.lru_cache(maxsize=1024)
def hermite_of_polynomial(tree: Tree) -> tuple[Tree, ...] | None:
    """Return c_0, c_1, … of a polynomial as trees without x, or None for any other tree.

    >>> from theorycalc.functions.grammar import parse
    >>> [str(c) for c in hermite_of_polynomial(parse("H1 + H2/sqrt(2)"))]
    ['0', '1', 'sqrt(2)/2']
    """
    coefficients = polynomial_trees(tree)
    return None if coefficients is None else _hermite(coefficients)


def _hermite(coefficients: tuple[Tree, ...]) -> tuple[Tree, ...]:
    known = [(p, c) for p, c in enumerate(coefficients) if c != ZERO]
    return tuple(add(*(mul(number(xi(p, k)), c) for p, c in known if xi(p, k))) for k in range(len(coefficients)))


@functools.lru_cache(maxsize=1024)
def _structure(tree: Tree) -> tuple[str, tuple[Tree, ...]] | None:
    """Return the parity that tree − P has, and the Hermite coefficients of the polynomial P."""
    found = parity_modulo_polynomial(tree)
    return None if found is None else (found[0], _hermite(found[1]))


def decided_coefficient(tree: Tree, k: int) -> Tree | None:
    """Return c_k as a tree without x if the structure gives it, as for polynomials and by parity, or None.

    >>> from theorycalc.functions.grammar import parse
    >>> decided_coefficient(parse("relu"), 1), decided_coefficient(parse("relu"), 2)
    (Rational(value=Fraction(1, 2)), None)
    """
    polynomial = hermite_of_polynomial(tree)
    if polynomial is None:
        structure = _structure(tree)
        if structure is None or (k % 2 == 1) == (structure[0] == "odd"):
            return None
        polynomial = structure[1]
    return polynomial[k] if k < len(polynomial) else ZERO


def infinite_spikes(tree: Tree) -> Spikes:
    """Return all k whose c_k the structure does not force to zero: every k, every odd k, or 1 and every even k.

    >>> from theorycalc.functions.grammar import parse
    >>> [str(infinite_spikes(parse(name))) for name in ("tanh", "relu", "elu")]
    ['every odd k', '1 and every even k', 'every k']
    """
    structure = _structure(tree)
    if structure is None:
        return ALL
    parity, polynomial = structure
    besides = [k for k, c in enumerate(polynomial) if c != ZERO and k > (1 if parity == "even" else 0)]
    if besides:
        reason = f"{spelled('ell', 'inf')} is not computed for {brief(tree)}"
        raise DomainError(f"{reason}: besides every {parity} k, its spikes are k = {besides}", argument="ell")
    return ODD if parity == "odd" else ONE_AND_EVEN


@dataclass(frozen=True)
class TreeCovariance:
    """C(t) = E[f(Z)f(Z')] at correlation t of Z and Z': Σ_k k! c_k² t^k, in balls with a proven remainder.

    The terms beyond K are at most |t|^{K+1} times their energy, E f² − Σ_{k≤K} k! c_k².
    See docs/theory/training_gain.md#the-staircase-and-its-ceiling.
    """

    tree: Tree

    def __call__(self, ns: NumberSystem, t: Number) -> Number:
        """Return a ball around C(t), |t| ≤ 1."""
        bits = flint.ctx.prec
        digits = int(bits * 0.30103) + 1
        total = second_moment_ball(self.tree, digits)
        if t == 1:
            return total
        if t == -1:
            mirrored = mul(self.tree, substitute(self.tree, negative(X)))
            return coefficients_balls(mirrored, 0, digits)[0][0]
        for reach in _REACHES:
            energies = [factorial(k) * c**2 for k, c in enumerate(coefficients_balls(self.tree, reach, digits)[0])]
            partial = sum((e * t**k for k, e in enumerate(energies)), flint.arb(0))
            left = (total - sum(energies, flint.arb(0))).nonnegative_part() * abs(t) ** (reach + 1)
            if t == 0 or left < total * flint.arb(2) ** (_SLACK_BITS - bits):
                return partial + flint.arb(0, left.upper())
        raise PrecisionError(
            f"the Hermite series of {brief(self.tree)} converges too slowly at correlation {t.str(5)} for these "
            "digits; ask for fewer digits, or give Teacher.from_moments a covariance= in closed form",
            argument="teacher",
        )


@dataclass(frozen=True)
class RootMeanSquare(EnclosedNumber):
    """√(Σ πx²) for numbers x with shares π: the root mean square of a coefficient over the kinds of neurons."""

    parts: tuple[tuple[Exact, Exact], ...]  # shares and numbers

    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around the root: a sum of positive terms loses no digits."""
        with ball_precision(bits_for(digits) + 20):
            return sum((ball(share) * ball(x) ** 2 for share, x in self.parts), flint.arb(0)).sqrt()

    @property
    def is_proven(self) -> bool:
        """True where all numbers are exact or proven."""
        numbers = [number for part in self.parts for number in part]
        return not any(isinstance(x, float) or (isinstance(x, EnclosedNumber) and not x.is_proven) for x in numbers)

    def sign(self) -> int:
        """Return 1, or 0 if all numbers are 0."""
        return int(any(not is_zero(x) for _, x in self.parts))

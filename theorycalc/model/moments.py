"""Activations given by numbers: c_1 and c_{>1}, or the coefficients of a polynomial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from theorycalc.errors import DomainError, about, spelled
from theorycalc.model.activation import Activation
from theorycalc.model.spikes import check_indices, read_indices
from theorycalc.numbers.exact import Exact, NumberLike, Scalar, as_numpy, is_negative, is_zero, read, spell, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

HIGHEST_DEGREE = 1000

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class MomentsActivation(Activation):
    """An activation known only by numbers: enough for every limit, but not for a network."""

    is_typed: bool = False  # whether c_1, c_{>1} and the k with c_k ≠ 0 are all that was given

    has_values: ClassVar[bool] = False

    def _values(self, x: ArrayLike) -> NoReturn:
        self._needs_function("a value")

    def derivative(self, x: ArrayLike) -> NoReturn:
        self._needs_function("derivative()")

    def centered(self) -> NoReturn:
        self._needs_function("centered()")

    def _coefficients(self, k: int, digits: int | None, exact: bool) -> NoReturn:
        self._needs_function("coefficients()")

    def undecided(self, k: int) -> NoReturn:
        self._needs_function("undecided()")

    def _needs_function(self, wanted: str) -> NoReturn:
        reason = f"{wanted} needs the function: {self.name} is known by its moments only"
        raise DomainError(f"{reason}; write it as text, such as 'H1 + H2/2'", argument="activation")

    def described(self) -> str:
        return "known by its coefficients"

    def _stretched(self, scale: Scalar, bias: Scalar) -> Activation:
        name, what = ("first_scale", "weights of another length") if scale != 1 else ("biases", "biases")
        reason = f"activation {self.name} is known by its numbers only, which say nothing about {what}"
        raise DomainError(f"{reason}; write it as text, or leave {spelled(name)} out", argument=name)

    def options(self) -> dict[str, str] | None:
        if not self.is_typed or not all(isinstance(value, (Fraction, float)) for value in (self.c1, self.c_rest)):
            return None
        present = {} if self.present is None else {"present": ",".join(map(str, self.present))}
        return {"c1": str(spell(self.c1)), "c_rest": str(spell(self.c_rest))} | present

    def python(self) -> str:
        if not self.is_typed:
            return super().python()
        present = "" if self.present is None else f", present={self.present}"
        return f"tc.Activation.from_moments({spell(self.c1)!r}, {spell(self.c_rest)!r}{present})"


def read_moments(c1: NumberLike, c_rest: NumberLike, present: Iterable[int] | None) -> MomentsActivation:
    """Return the activation with the given moments, after checking that they are consistent.

    >>> read_moments("1/2", 0, None).present
    (1,)
    """
    first, rest = read(c1, "c1"), read(c_rest, "c_rest")
    if is_negative(rest):
        reason = f"{spelled('c_rest', c_rest)} is negative; c_{{>1}} is a root: give it as it is, not its square"
        raise DomainError(reason, argument="c_rest")
    known = None if present is None else read_indices(present)
    if is_zero(rest) and known is None:  # only the linear part is left
        known = () if is_zero(first) else (1,)
    if known is not None:
        check_indices(known, linear=not is_zero(first), rest=not is_zero(rest))
    c2 = Fraction(0) if known is not None and 2 not in known else None
    name = f"moments(c1={c1}, c_rest={c_rest})"
    spread = Fraction(0) if is_zero(rest) else None
    return MomentsActivation(first, rest, known, c2, name, slope_variance=spread, is_typed=True)


def by_index(given: Mapping[int, T], name: str) -> tuple[T | int, list[T | int]]:
    """Return c_0 and [c_1, c_2, …] from a table {k: c_k}, in which missing coefficients are zero.

    >>> by_index({1: 1, 3: "1/6"}, "teacher")
    (0, [1, 0, '1/6'])
    """
    wanted = f"the index of a coefficient, 0 to {HIGHEST_DEGREE}, in a table such as {{1: 1, 2: '1/2'}}"
    with about(name):
        found = {whole(k, f"{name}: k", wanted, 0, HIGHEST_DEGREE): value for k, value in given.items()}
    if not found:
        raise DomainError(f"{name} is empty; give a table of coefficients such as {{1: 1, 2: '1/2'}}", argument=name)
    return found.get(0, 0), [found.get(k, 0) for k in range(1, max(found) + 1)] or [0]


def read_list(given: object, name: str, symbol: str) -> list[Exact]:
    """Return coefficients c_1, c_2, … given as a list or an array with at least one.

    >>> read_list(["1", "1/2"], "teacher", "c_⋆")
    [Fraction(1, 1), Fraction(1, 2)]
    """
    values = as_numpy(given, name)
    unordered = isinstance(values, (str, bytes, dict, set))
    if unordered or getattr(values, "ndim", 1) != 1 or not isinstance(values, Iterable):
        reason = f"{name}={values!r} is not a list of {symbol}1, {symbol}2, …, such as ['1', '1/2']"
        raise DomainError(reason, argument=name)
    with about(name):
        found = [read(c, f"{name} {symbol}{k}") for k, c in enumerate(values, start=1)]
    if not found:
        raise DomainError(f"{name} is empty; give {symbol}1, {symbol}2, …", argument=name)
    return found


def read_coefficients(given: object) -> MomentsActivation:
    """Return the polynomial activation c_1 H_1 + c_2 H_2 + ….

    >>> read_coefficients(["1", "1/2"]).c_rest
    sqrt(2)/2
    """
    mean, listed = by_index(given, "coefficients") if isinstance(given, Mapping) else (0, given)
    values = read_list(listed, "coefficients", "c_")
    import sympy

    exact: list[sympy.Expr] = [
        sympy.Rational(*c.as_integer_ratio()) if isinstance(c, (Fraction, float)) else c for c in values
    ]
    energies = {k: factorial(k) * c**2 for k, c in enumerate(exact[1:], start=2)}
    rest = sympy.sqrt(sum(energies.values(), sympy.Integer(0)))
    spread = sum((k * energy for k, energy in energies.items()), sympy.Integer(0))
    if any(isinstance(c, float) for c in values):
        rest, spread = float(rest), float(spread)
    known = tuple(k for k, c in enumerate(values, start=1) if not is_zero(c))
    c2 = values[1] if len(values) > 1 else Fraction(0)
    name = f"hermite({', '.join(map(str, values))})"
    return MomentsActivation(values[0], rest, known, c2, name, read(mean, "c_0"), spread)

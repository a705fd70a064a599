"""The activation σ as the limits see it: c_1, c_{>1} and which c_k are not zero (theory section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

from theorycalc.errors import DomainError, checked_call
from theorycalc.exact import Exact, is_negative, is_zero, read, spell


@dataclass(frozen=True)
class Activation:
    """A centred activation, known by what every limit depends on.

    Make one with :meth:`from_moments` or :meth:`from_coefficients`.
    """

    c1: Exact
    c_rest: Exact
    present: tuple[int, ...] | None  # the k with c_k ≠ 0; None: not known
    c2: Exact | None  # None: not known
    name: str

    @classmethod
    @checked_call
    def from_moments(cls, c1: Any, c_rest: Any, present: Iterable[int] | None = None) -> Activation:
        """Describe an activation by c_1, c_{>1} ≥ 0 (not its square) and the k with c_k ≠ 0.

        ``present`` is taken at its word: what it does not list is zero.  Without it nothing
        is known of the c_k, and a prediction assumes c_1, …, c_ℓ ≠ 0 and says so.

        >>> Activation.from_moments(c1="1/2", c_rest="3/10", present=(1, 2, 4)).present
        (1, 2, 4)
        """
        first, rest = read(c1, "c1"), read(c_rest, "c_rest")
        if is_negative(rest):
            raise DomainError(f"c_rest={c_rest} is negative; c_{{>1}} is a root: give it as it is, not its square")
        known = None if present is None else _indices(present)
        if is_zero(rest):  # nothing but the linear part
            known = (() if is_zero(first) else (1,)) if known is None else known
        if known is not None:
            _check_present(known, linear=not is_zero(first), rest=not is_zero(rest))
        c2 = Fraction(0) if known is not None and 2 not in known else None
        return cls(first, rest, known, c2, name=f"moments(c1={c1}, c_rest={c_rest})")

    @classmethod
    @checked_call
    def from_coefficients(cls, coefficients: Iterable[Any]) -> Activation:
        """Describe the polynomial activation c_1 H_1 + c_2 H_2 + … by its coefficients.

        >>> act = Activation.from_coefficients(["1", "1/2", "3/10"])
        >>> act.present, act.c_rest
        ((1, 2, 3), sqrt(26)/5)
        """
        values = [read(c, f"c_{k}") for k, c in enumerate(coefficients, start=1)]
        if not values:
            raise DomainError("coefficients is empty; give c_1, c_2, …")
        import sympy

        exact = [sympy.Rational(*c.as_integer_ratio()) if not isinstance(c, sympy.Expr) else c for c in values]
        squared = sum((factorial(k) * c**2 for k, c in enumerate(exact[1:], start=2)), sympy.Integer(0))
        rest: Any = sympy.sqrt(squared)
        if any(isinstance(c, float) for c in values):
            rest = float(rest)
        known = tuple(k for k, c in enumerate(values, start=1) if not is_zero(c))
        c2 = values[1] if len(values) > 1 else read(0, "c_2")
        shown = ", ".join(str(c) for c in values)
        return cls(values[0], read(rest, "c_rest"), known, c2, name=f"hermite({shown})")

    def spikes(self, ell: int) -> tuple[int, ...]:
        """Return K = {k ≤ ℓ: c_k ≠ 0}; 1, …, ℓ where the c_k are not known.

        >>> Activation.from_moments("1/2", "3/10", present=(1, 2, 4)).spikes(3)
        (1, 2)
        """
        return tuple(k for k in (range(1, ell + 1) if self.present is None else self.present) if k <= ell)

    def to_dict(self) -> dict[str, Any]:
        """Return what is known of the activation, as JSON shows it."""
        return {
            "name": self.name,
            "c1": spell(self.c1),
            "c_rest": spell(self.c_rest),
            "c2": None if self.c2 is None else spell(self.c2),
            "present": None if self.present is None else list(self.present),
        }


def _indices(present: Iterable[int]) -> tuple[int, ...]:
    try:
        indices = sorted(set(present))
    except TypeError:
        raise DomainError(f"present={present!r} is not a list of indices such as (1, 2, 4)") from None
    for k in indices:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise DomainError(f"present={present!r}: {k!r} is not an index k ≥ 1 (an activation is centred, c_0 = 0)")
    return tuple(indices)


def _check_present(present: tuple[int, ...], linear: bool, rest: bool) -> None:
    if linear != (1 in present):
        raise DomainError(f"present={present} contradicts c1: c_1 is {'not ' if linear else ''}zero")
    if rest != any(k > 1 for k in present):
        raise DomainError(f"present={present} contradicts c_rest: c_{{>1}} is {'not ' if rest else ''}zero")

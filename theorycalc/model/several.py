"""Teachers of several directions, y = g(t_1, …, t_r) + ε: the part of them that one step can see, and the rest.

See docs/theory/several_directions.md#the-direction-that-the-step-sees.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from theorycalc.errors import ArgumentError, about
from theorycalc.functions.directions import (
    MOST_DIRECTIONS,
    Plane,
    components,
    hermite_series,
    kink_planes,
    parse_teacher,
)
from theorycalc.functions.tree import Tree
from theorycalc.model.callables import UserFunction, check_pointwise, name_of, point_values_of
from theorycalc.model.cubature import Component, direction_moments
from theorycalc.model.formula import formula_teacher
from theorycalc.model.seen_part import estimated_numbers, exact_numbers, seen_energy
from theorycalc.model.teacher import Teacher, WrittenTeacher
from theorycalc.numbers.exact import Exact, Floats, Scalar, is_zero, spell, whole
from theorycalc.running.budget import spends

if TYPE_CHECKING:
    import sympy

_NO_GRADIENT = "E∇g = 0: one step sees none of the teacher's {} directions"
_SEEN = (
    "the step sees the direction û = ({}): {} of the energy of the labels without noise; the other {} is not learned "
    "in the limit n → ∞"
)


@dataclass(frozen=True, repr=False)
class MultiTeacher(Teacher, ABC):
    """A teacher g(t_1, …, t_r) less its mean; ``coefficients`` are c_{û,k} along û, the direction that a step sees.

    ``second_moment`` is that of the whole of g, unless the step sees all of it.
    """

    seen: tuple[Exact, ...] = field(kw_only=True)  # û
    hessian: tuple[tuple[float, ...], ...] = field(kw_only=True)  # E[g(ttᵀ − 1)]
    seen_energy: Scalar = field(kw_only=True)  # E E[g|t_û]² less the squared mean: Σ_k k! c_{û,k}²
    unseen_energy: Scalar = field(kw_only=True)  # the rest of Var g

    @property
    def directions(self) -> int:
        return len(self.seen)

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The known planes between which g is smooth."""
        return ()

    @abstractmethod
    def _values(self, points: Floats) -> Floats: ...

    @abstractmethod
    def described(self) -> sympy.Expr | str:
        """Return its formula in t_1, t_2, …, or a phrase about how it is known."""

    def centered_values(self) -> Callable[[Floats], Floats]:
        """Return g less its mean as a function of arrays of shape (count, r)."""
        mean = float(self.mean)
        return lambda points: self._values(points) - mean

    def to_dict(self) -> dict[str, object]:
        """Return the text and the numbers of the teacher, û and both energies among them."""
        return super().to_dict() | {
            "directions": self.directions,
            "seen": [spell(u) for u in self.seen],
            "seen_energy": spell(self.seen_energy),
            "unseen_energy": spell(self.unseen_energy),
        }

    def notes(self) -> list[str]:
        if is_zero(self.coefficients[0]):
            return [_NO_GRADIENT.format(self.directions)]
        direction = ", ".join(f"{float(u):.4g}" for u in self.seen)
        parts = self.seen_energy, self.unseen_energy
        shares = (f"{float(100 * part / (parts[0] + parts[1])):.3g} %" for part in parts)  # exact, however large
        return [_SEEN.format(direction, *shares)]


@dataclass(frozen=True, repr=False)
class FormulaMultiTeacher(WrittenTeacher, MultiTeacher):
    """A polynomial of several directions, written as a formula: its numbers are exact."""

    @property
    def has_all_coefficients(self) -> bool:
        return not self.is_sampled

    @property
    def lipschitz(self) -> bool | None:
        series = hermite_series(self.tree, self.directions)
        return None if series is None else all(sum(powers) <= 1 for powers in series)

    def _values(self, points: Floats) -> Floats:
        return _compiled(self.tree)(points)

    def described(self) -> sympy.Expr:
        from theorycalc.functions.evaluate import to_sympy

        return to_sympy(self.tree)


@dataclass(frozen=True, repr=False)
class EstimatedFormulaTeacher(FormulaMultiTeacher):
    """A formula of several directions other than a polynomial: its numbers are estimated by quadrature."""

    error: float = field(kw_only=True)
    share_error: float = field(kw_only=True)  # of the energy that the step sees, as a share of all

    is_sampled: ClassVar[bool] = True

    @property
    def planes(self) -> tuple[Plane, ...]:
        return kink_planes(self.tree, self.directions)[0]

    def notes(self) -> list[str]:
        return [*super().notes(), _estimated(self.text, self.error, self.share_error)]


@dataclass(frozen=True, repr=False)
class SampledMultiTeacher(MultiTeacher):
    """A function of several directions known by its values: its numbers are estimated by quadrature."""

    function: UserFunction = field(kw_only=True)
    error: float = field(kw_only=True)
    share_error: float = field(kw_only=True)  # of the energy that the step sees, as a share of all

    is_sampled: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"Teacher.multi({name_of(self.function)}, directions={self.directions})"

    def _values(self, points: Floats) -> Floats:
        return point_values_of(self.function, points)

    def described(self) -> str:
        return "known by quadrature"

    def notes(self) -> list[str]:
        return [*super().notes(), _estimated(name_of(self.function), self.error, self.share_error)]


def _estimated(name: str, error: float, share: float) -> str:
    return (
        f"the teacher {name} is known by quadrature: its coefficients are estimates, good to about {error:.0e}, and "
        f"so is the share of the energy that the step sees, good to about {100 * share:.0e} %"
    )


def read_text_teacher(text: str) -> Teacher:
    """Return the teacher given as an expression in x or in t1, t2, ….

    >>> read_text_teacher("t1 + t1*t2").seen, read_text_teacher("t1 + t1**2").directions
    ((Fraction(1, 1), Fraction(0, 1)), 1)
    """
    tree, directions = parse_teacher(text)
    return formula_teacher(tree, text) if directions == 1 else _multi_teacher(tree, directions, text)


def multi_teacher(given: object, directions: object) -> Teacher:
    """Return the teacher of r directions given as text or as a function of arrays of shape (…, r).

    >>> round(multi_teacher(lambda t: t[..., 0] + t[..., 1], 2).coefficients[0], 9)
    1.414213562
    """
    if isinstance(given, str):
        found = read_text_teacher(given)
        if directions is not None and found.directions != directions:
            reason = f"directions={directions!r} contradicts the text, which has {found.directions}"
            raise ArgumentError(reason, argument="directions")
        return found
    if not callable(given):
        reason = f"Teacher.multi() takes a text or a function, not {type(given).__name__}"
        raise ArgumentError(reason, argument="function")
    wanted = f"the number of directions, 2 to {MOST_DIRECTIONS}; for one use Teacher.from_callable"
    count = whole(directions, "directions", wanted, 2, MOST_DIRECTIONS)
    function = given
    with about("function"):
        check_pointwise(function, count)
        component = Component(lambda points: point_values_of(function, points), tuple(range(count)), ())
        numbers = _estimated_numbers([component], count)
    return SampledMultiTeacher(**numbers, function=function)


@functools.lru_cache(maxsize=256)
@spends("reading", 2)
def _multi_teacher(tree: Tree, directions: int, text: str) -> FormulaMultiTeacher:
    series = hermite_series(tree, directions)
    if series is not None:
        return FormulaMultiTeacher(**exact_numbers(series, directions)._asdict(), text=text, tree=tree)
    found = [
        Component(_compiled(part), tuple(j - 1 for j in at), kink_planes(part, len(at))[0])
        for part, at in components(tree)
    ]
    with about("teacher"):
        numbers = _estimated_numbers(found, directions)
    return EstimatedFormulaTeacher(**numbers, text=text, tree=tree)


def _estimated_numbers(parts: Sequence[Component], directions: int) -> dict[str, Any]:
    """Return the numbers of a sum, with the errors of its coefficients and of the share of energy that is seen."""
    moments = direction_moments(parts, directions)
    along = seen_energy(parts, moments)
    errors = {"error": moments.error, "share_error": along.error / moments.variance if moments.variance else 0.0}
    return estimated_numbers(moments, along)._asdict() | errors


@functools.lru_cache(maxsize=256)
def _compiled(tree: Tree) -> Callable[[Floats], Floats]:
    from theorycalc.functions.evaluate import compile_numpy

    return compile_numpy(tree, axes=1)

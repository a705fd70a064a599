"""The pencil of a problem: which powers of the step it keeps, and their strengths (docs/theory/pencil.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.case import Case, ball_case, float_case
from theorycalc.theory.pencil.equations import spike_factor, strengths

POWERS = (2, 4, 6, 8, 10, 12)  # largest powers tried, odd ones just below included


@dataclass(frozen=True)
class Pencil:
    """A case with N neurons, in one number system, ready for steps and ridges."""

    problem: Problem
    gradient: str
    N: int
    spikes: tuple[int, ...]
    c: tuple[Number, ...]  # c_0, c_1, …
    case: Case

    def strengths(self, ns: NumberSystem, eta: Number) -> list[Number]:
        """Return the size of each spike after a step η."""
        root_N = ns.sqrt(ns.rational(Fraction(self.N)))  # N may be beyond int64
        return strengths(self.spikes, self.c, eta, ns.sqrt(self.case.kappa), root_N)

    def factor(self, ns: NumberSystem, eta: Number) -> list[list[Number]]:
        """Return Y after a step η, with Y Yᵀ the Gram matrix of what multiplies H_0(h), H_1(h), …."""
        return spike_factor(ns, self.spikes, self.strengths(ns, eta), self.case.second_layer)

    def up_to(self, top: int) -> Pencil:
        """Return the pencil of the spikes k ≤ ``top`` alone."""
        return replace(self, spikes=tuple(k for k in self.spikes if k <= top))


def pencil_of(problem: Problem, N: int, gradient: str, powers: int = POWERS[-1]) -> Pencil:
    """Return the pencil of a problem in float64, with the spikes k ≤ ``powers``, for N neurons.

    ``gradient`` says what the step is taken on, the "residual" or the "labels".

    >>> pencil_of(Problem("erf", "H1", "1/2", "2/3", "1/10"), N=750, gradient="labels", powers=4).spikes
    (1, 3)
    """
    spikes = problem.activation.spikes(powers)
    c = coefficients_up_to(problem.activation, max(spikes))
    return Pencil(problem, gradient, N, spikes, tuple(c), float_case(problem, gradient))


def in_balls(pencil: Pencil) -> Pencil:
    """Return the pencil in balls of the current precision."""
    activation = pencil.problem.activation
    c = tuple(ball(activation.enclosed_coefficient(k)) for k in range(max(pencil.spikes) + 1))
    return replace(pencil, c=c, case=ball_case(pencil.problem, pencil.gradient))


def coefficients_up_to(activation: Activation, top: int) -> list[float]:
    """Return c_0 = 0, c_1, …, c_top in float64, or say that they are not known.

    >>> coefficients_up_to(Activation.from_moments("1/2", "3/10"), 1)
    [0.0, 0.5]
    """
    known = [Fraction(0), activation.c1, *([] if activation.c2 is None else [activation.c2])]
    if top < len(known):
        return [float(c) for c in known[: top + 1]]
    if not activation.has_values:
        raise DomainError(
            f"the step brings powers up to {top} out of the bulk, and c_{top} of {activation.name} is not known; "
            "write the activation as text, such as 'relu' or 'H1 + H2/2 + 3*H3/10'",
            argument="activation",
        )
    return [0.0, *(float(c) for c in activation.coefficients(top)[1:])]

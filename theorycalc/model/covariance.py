"""E[f(Z)f(Z')] of a function at a correlation t, by its Hermite series with a proven remainder.

See docs/theory/training_gain.md#the-staircase-and-its-ceiling.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import flint

from theorycalc.errors import PrecisionError
from theorycalc.functions.algebra import substitute
from theorycalc.functions.build import X, mul, negative
from theorycalc.functions.tree import Tree, brief
from theorycalc.hermite.coefficients import coefficients_balls, second_moment_ball
from theorycalc.model.computed import HIGHEST_INDEX
from theorycalc.numbers.systems import Number, NumberSystem

_REACHES = (16, 32, 64, 128, HIGHEST_INDEX)
_SLACK_BITS = 40  # of the working precision, which the remainder may cost


@dataclass(frozen=True)
class TreeCovariance:
    """C(t) = Σ_k k! c_k² t^k, a formula for balls.

    What the first K terms leave is at most |t|^{K+1} times the energy that they leave, E f² − Σ_{k≤K} k! c_k².
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
            "digits; ask for fewer digits, or give Teacher.from_moments a covariance= in closed form"
        )

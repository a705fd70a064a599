"""Hermite coefficients by mpmath's quadrature, which shares nothing with ours, and the bits to compare in."""

import mpmath
from flint import arb

from theorycalc.numbers.balls import to_mpf

BITS = 400


def by_mpmath(function, kinks, k: int, square: bool = False) -> mpmath.mpf:
    """c_k by mpmath's quadrature, split at the kinks and many other points."""
    with mpmath.workdps(28):
        ends = [mpmath.sqrt(2) if kink == "sqrt(2)" else mpmath.mpf(kink) for kink in kinks]
        points = sorted({mpmath.mpf(x) for x in (-13, -6, -3, -1, 1, 3, 6, 13)} | set(ends))

        def integrand(x):
            value = function(x)
            before, polynomial = 0, 1
            for j in range(k):
                before, polynomial = polynomial, x * polynomial - j * before
            return value * (value if square else polynomial) * mpmath.exp(-x * x / 2)

        total = mpmath.quad(integrand, points) / mpmath.sqrt(2 * mpmath.pi)
        return total if square else total / mpmath.factorial(k)


def is_near(enclosure: arb, value: mpmath.mpf, tolerance: float) -> bool:
    with mpmath.workdps(40):
        return abs(mpmath.mpf(to_mpf(enclosure, mpmath.mp.dps)) - value) <= tolerance

"""A teacher that is no polynomial."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import theorycalc as tc


def sine_teacher(mean=Fraction(0)):
    """sin(z) + mean, whose covariance contains mean²."""
    root = sp.exp(-sp.Rational(1, 2))
    return tc.Teacher.from_moments(
        [root, 0, -root / 6, 0, root / 120],
        second_moment=(1 - sp.exp(-2)) / 2 + sp.Rational(mean.numerator, mean.denominator) ** 2,
        mean=mean,
        covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t) + ns.rational(mean**2),
    )

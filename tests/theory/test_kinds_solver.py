"""The solution for several kinds of neurons: float64 against balls, and what balls prove."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest

from tests.theory.test_kinds import drawn
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.theory.kinds import KindMoments
from theorycalc.theory.kinds_solver import ball_kind_traces, enclose_kinds, float_kind_traces
from theorycalc.theory.solver import ball_traces

EXACT = [
    KindMoments(Fraction(1, 3), Fraction(1, 2), Fraction(1, 5)),
    KindMoments(Fraction(2, 3), Fraction(1, 7), Fraction(3, 2)),
]
SIZES = Fraction(1, 2), Fraction(2, 3), Fraction(1, 10)


def in_balls(kinds: list[KindMoments]) -> list[KindMoments]:
    return [KindMoments(*map(ball, kind)) for kind in kinds]


@pytest.mark.parametrize("seed", range(3))
def test_floats_are_as_good_as_their_type(seed):
    kinds, sizes = drawn(seed, 3, points=12)
    floats = np.array(float_kind_traces(kinds, *sizes))
    with ball_precision(300):
        for point, size in enumerate(sizes.T):
            exact = ball_kind_traces(in_balls(kinds), *(ball(float(x)) for x in size), 300)
            assert all(value.rel_accuracy_bits() > 200 for value in exact)
            assert floats[:, point] == pytest.approx([float(value.mid()) for value in exact], rel=1e-13)


@pytest.mark.parametrize("bits", [120, 1000])
def test_one_kind_has_the_digits_of_section_three(bits):
    with ball_precision(bits):
        kind = in_balls([EXACT[0]._replace(share=Fraction(1))])
        found = ball_kind_traces(kind, *map(ball, SIZES), bits)
        wanted = ball_traces(SIZES, kind[0].c1, kind[0].c_rest, bits)
        for one, other in zip(found, wanted, strict=True):
            assert one.overlaps(other)
            assert one.rel_accuracy_bits() > bits - 40


def test_sizes_beyond_float64():
    """λ = 10^-300: for N < n, p → 1 − φ/ψ, so m_1 → (1/4)(3/4)/λ."""
    tiny = Fraction(1, 10**300)
    with ball_precision(2200):
        found = ball_kind_traces(in_balls(EXACT), *map(ball, SIZES[:2]), ball(tiny), 2200)
        assert abs(found.m1 * ball(tiny) - ball(Fraction(3, 16))) < 1e-100


def test_a_ball_too_wide_proves_nothing():
    with ball_precision(100):
        wide = [kind._replace(c1=flint.arb(kind.c1, 0.1)) for kind in in_balls(EXACT)]
        assert all(x.is_nan() for x in enclose_kinds(wide, *map(ball, SIZES), 100))

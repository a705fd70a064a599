"""The energy that a step sees of functions with kinks and jumps, against closed forms, sampling and the full series."""

import math
from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc

PHI = 1 / math.sqrt(2 * math.pi)


def test_a_jump_along_the_direction_is_seen_whole():
    teacher = tc.Teacher.multi("sign(t1)+0*t2")
    assert (teacher.unseen_energy, teacher.seen_energy) == (0, pytest.approx(1, abs=1e-13))
    assert "100 % of the energy" in teacher.notes()[0]


def test_a_product_that_jumps():
    """E[sign(t_1)sign(1 + t_2)|t_1] = sign(t_1)(2Φ(1) − 1)."""
    exact = math.erf(1 / math.sqrt(2)) ** 2
    problem = tc.Problem("relu", "sign(t1 + t1*t2)", "1/2", "2/3", "1/10")
    assert problem.teacher.seen_energy == pytest.approx(exact, abs=1e-13)
    assert problem.teacher.share_error < 1e-12
    assert any("46.6 % of the energy" in note for note in tc.predict(problem, ell=2).notes)


def test_a_kink_along_the_direction():
    assert tc.Teacher.multi("relu(t1) + t1*t2").seen_energy == pytest.approx(1 / 2 - PHI**2, abs=1e-13)


@pytest.mark.parametrize("weight", ["1", "1/3", "1/100"])
def test_a_sum_of_a_jump_and_a_line(weight):
    """Given u, sign(t_1) explains (2/π) arcsin(û_1²), and all linear parts add up to c_1²."""
    a = float(Fraction(weight))
    teacher = tc.Teacher.multi(f"sign(t1) + {weight}*t2")
    length = 4 * PHI**2 + a**2
    share = 4 * PHI**2 / length
    exact = length + 2 / math.pi * (math.asin(share) - share)
    assert teacher.seen_energy == pytest.approx(exact, abs=1e-11)
    assert teacher.share_error < 1e-11


def test_a_rotation_changes_nothing():
    plain = tc.Teacher.multi("sign(t1)*relu(t2 + 1) + t2/2")
    turned = tc.Teacher.multi("sign(3*t1/5 + 4*t2/5)*relu(3*t2/5 - 4*t1/5 + 1) + (3*t2 - 4*t1)/10")
    assert turned.seen_energy == pytest.approx(plain.seen_energy, rel=1e-11)


def test_a_smooth_function_has_the_energy_of_its_series():
    teacher = tc.Teacher.multi("tanh(t1) + t1*tanh(t2)/2 + t2")
    series = sum(math.factorial(k) * c**2 for k, c in enumerate(teacher.coefficients, start=1))
    assert teacher.seen_energy == pytest.approx(series, rel=1e-7)
    assert teacher.seen_energy >= series


@pytest.mark.slow
def test_three_directions_against_draws():
    """E[g|u]² is the mean of g at two points that share û·t and have nothing else in common."""
    teacher = tc.Teacher.multi("sign(t1 + t2 - t3)*t1 + abs(t2)")
    seen = np.array([float(u) for u in teacher.seen])
    one, other = np.random.default_rng(0).standard_normal((2, 400_000, 3))
    other += np.outer((one - other) @ seen, seen)
    values = teacher.centered_values()
    products = values(one) * values(other)
    assert abs(products.mean() - teacher.seen_energy) < 4 * products.std() / math.sqrt(len(products))

"""What a step sees: numbers of polynomials by hand and under rotations, and energies against forms and sampling."""

import math
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.functions.directions import hermite_series, parse_teacher
from theorycalc.model.seen_part import along_direction, exact_numbers, series_energy

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


def test_a_rotation_changes_no_energy():
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


def numbers_of(text):
    tree, directions = parse_teacher(text)
    return exact_numbers(hermite_series(tree, directions), directions)


@pytest.mark.checks("seen_coefficients")
def test_by_hand():
    found = numbers_of("t1 + t1*t2 + H2(t2)/2 + 7")
    assert (found.coefficients, found.second_moment, found.mean) == ((1,), Fraction(5, 2) + 49, 7)
    assert (found.seen, found.seen_energy, found.unseen_energy) == ((1, 0), 1, Fraction(3, 2))
    assert found.hessian == ((0, 1), (1, 1))


@pytest.mark.checks("seen_coefficients")
def test_every_degree_has_its_coefficient():
    assert along_direction({}, (1, 1)) == {1: 0}
    assert along_direction({(0, 1): 5}, (2, 3)) == {1: 15}
    assert along_direction({(0, 3): 1, (2, 1): 1}, (2, 3)) == {1: 0, 2: 0, 3: 39}
    assert series_energy({(0, 3): 2, (2, 1): 1}) == 26


@pytest.mark.checks("seen_coefficients")
def test_a_gradient_of_irrational_length():
    found = numbers_of("t1 + t2 + t1*t2 + H3(t1)/6")
    assert found.coefficients == (sp.sqrt(2), Fraction(1, 2), sp.sqrt(2) / 24)
    assert found.seen == (sp.sqrt(2) / 2, sp.sqrt(2) / 2)
    assert found.seen_energy == 2 + Fraction(1, 2) + Fraction(6 * 2, 576)
    assert found.seen_energy + found.unseen_energy == 2 + 1 + Fraction(1, 6)


def test_irrational_coefficients():
    found = numbers_of("sqrt(2)*t1 + H2(t2)/sqrt(2) + pi*t1*t2")
    assert found.seen == (1, 0)
    assert found.coefficients == (sp.sqrt(2),)
    assert found.unseen_energy == 1 + sp.pi**2
    assert found.hessian[0][1] == pytest.approx(3.141592653589793)


def test_a_function_of_one_combination_is_seen_whole():
    found = numbers_of("t1 + t2 + (t1 + t2)**2")
    assert found.second_moment is None
    assert found.unseen_energy == 0
    assert found.coefficients == (sp.sqrt(2), 2)
    irrational = numbers_of("t1/sqrt(2) + t2/sqrt(2) + H2(t1/sqrt(2) + t2/sqrt(2))")
    assert irrational.second_moment is None
    assert irrational.coefficients == (1, 1)


def test_without_a_gradient():
    found = numbers_of("H2(t1)*t2 + t1*t2 + H3(t1)")
    assert (found.seen, found.coefficients) == ((1, 0), (0, 0, 1))
    assert found.unseen_energy == 3


def test_nothing_is_left():
    found = numbers_of("t1 - t1 + t2 - t2")
    assert (found.coefficients, found.second_moment) == ((0,), None)


_COEFFICIENTS = st.lists(st.integers(-4, 4), min_size=9, max_size=9).filter(lambda c: c[0] or c[1])


@pytest.mark.slow
@given(_COEFFICIENTS)
@settings(max_examples=25, deadline=None)
def test_a_rotation_changes_nothing(c):
    """g(Ot) with O = (3/5, 4/5; −4/5, 3/5) has the numbers of g, and û is turned."""
    powers = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (3, 0), (2, 1), (1, 2), (0, 4)]
    form = " + ".join(f"({a})*a**{p}*b**{q}" for a, (p, q) in zip(c, powers, strict=True))
    turned = form.replace("a", "(3*t1/5 + 4*t2/5)").replace("b", "(3*t2/5 - 4*t1/5)")
    plain, other = numbers_of(form.replace("a", "t1").replace("b", "t2")), numbers_of(turned)
    zero = all(coefficient == 0 for coefficient in plain.coefficients[:1])
    if zero:  # û is then t_1 in either
        assert plain.seen_energy + plain.unseen_energy == other.seen_energy + other.unseen_energy
        return
    assert plain.coefficients == other.coefficients
    assert (plain.second_moment, plain.mean, plain.seen_energy) == (other.second_moment, other.mean, other.seen_energy)
    (u, v), (w, z) = plain.seen, other.seen
    assert sp.simplify(sp.sympify(w) - (3 * sp.sympify(u) - 4 * sp.sympify(v)) / 5) == 0
    assert sp.simplify(sp.sympify(z) - (4 * sp.sympify(u) + 3 * sp.sympify(v)) / 5) == 0


@given(_COEFFICIENTS)
@settings(max_examples=25, deadline=None)
def test_energies_add_up(c):
    text = f"{c[0]}*t1 + {c[1]}*t2 + {c[2]}*t1*t2 + {c[3]}*H2(t1) + {c[4]}*H3(t2)".replace("+ -", "- ")
    found = numbers_of(text)
    whole = c[0] ** 2 + c[1] ** 2 + c[2] ** 2 + 2 * c[3] ** 2 + 6 * c[4] ** 2
    seen = sum(factorial(k) * sp.sympify(b) ** 2 for k, b in enumerate(found.coefficients, start=1))
    assert found.seen_energy + found.unseen_energy == whole
    assert sp.simplify(seen) == found.seen_energy
    assert found.unseen_energy >= 0


def test_a_sum_over_degrees_without_the_gradient_is_not_the_series():
    """The diagonal entries b_{k e_1} alone, a wrong formula, differ where û is not t_1."""
    found = numbers_of("t1 + t2 + t1*t2")
    assert found.coefficients[1] != 0  # b_20 = b_02 = 0


def test_proven_digits():
    problem = tc.Problem("relu", "t1 + t2 + t1*t2", phi="1/2", psi="2/3", ridge="1/10", noise="1/3")
    exact = tc.predict(problem, ell=2, digits=40)
    moments = tc.Teacher.from_moments([sp.sqrt(2), "1/2"], "3")
    by_moments = tc.Problem("relu", moments, phi="1/2", psi="2/3", ridge="1/10", noise="1/3")
    assert str(exact.test_gain) == str(tc.predict(by_moments, ell=2, digits=40).test_gain)
    assert float(exact.test_gain) == pytest.approx(tc.predict(problem, ell=2).test_gain, rel=1e-14)

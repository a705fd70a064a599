"""Teachers of several directions: how they are read, stored, compared and refused."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.model.reproduce import problem_call, problem_from_dict, problem_options, problem_to_dict
from theorycalc.model.several import MultiTeacher, multi_teacher, read_text_teacher

TEXTS = ["t1 + t1*t2 + H2(t2)/2", "t1 + t2 + t1*t2/sqrt(3) + 1", "relu(t1) + t1*relu(t2)", "t1*t2"]


def problem_of(teacher, **options):
    return tc.Problem("relu", teacher, phi="1/2", psi="2/3", ridge="1/10", **options)


def test_one_direction_is_a_teacher_of_x_to_the_digit():
    one, x = (tc.predict(problem_of(text), ell=2, digits=40) for text in ("t1 + t1**2", "x + x**2"))
    assert str(one.test_gain) == str(x.test_gain)
    assert str(one.train_loss) == str(x.train_loss)
    assert read_text_teacher("t1 + t1**2").directions == 1
    sine = [tc.predict(problem_of(text), ell=3, digits=30).test_gain for text in ("sin(t1)", "sin(x)")]
    assert str(sine[0]) == str(sine[1])


@pytest.mark.parametrize("text", TEXTS)
def test_it_comes_back(text):
    problem = problem_of(text)
    assert problem_from_dict(json.loads(json.dumps(problem_to_dict(problem)))) == problem
    assert pickle.loads(pickle.dumps(problem)) == problem
    assert hash(pickle.loads(pickle.dumps(problem.teacher))) == hash(problem.teacher)
    assert problem_options(problem)["teacher"] == text
    assert eval(problem_call(problem), {"tc": tc}) == problem
    assert repr(problem.teacher) == f"Teacher({text!r})"
    assert problem.to_dict()["teacher"]["directions"] == problem.teacher.directions == 2


def test_teachers_differ():
    first, second = (tc.Teacher.multi(text) for text in ("t1 + t1*t2", "t1 + H2(t2)/sqrt(2)"))
    assert first.coefficients == second.coefficients
    assert first.second_moment == second.second_moment
    assert first != second
    assert first == tc.Teacher.multi("t1 + t1*t2", directions=2)
    assert {first, tc.Teacher.from_text("t1 + t1*t2")} == {first}


def test_notes_say_what_is_seen():
    (note,) = tc.Teacher.multi("t1 + t1*t2 + H2(t2)/2").notes()
    assert "û = (1, 0): 40 % of the energy of the labels without noise; the other 60 % is not learned" in note
    assert note in tc.predict(problem_of("t1 + t1*t2 + H2(t2)/2"), ell=1).notes
    estimated = tc.Teacher.multi("tanh(t1 + t2)").notes()
    assert "estimates" in estimated[1]


def test_without_a_gradient_nothing_is_gained():
    found = tc.predict(problem_of("t1*t2"), ell=2)
    assert found.test_gain == found.train_gain == found.rho == 0
    assert any("E∇g = 0" in note for note in found.notes)


@pytest.mark.parametrize("text", TEXTS)
def test_values(text):
    teacher = tc.Teacher.multi(text)
    points = np.random.default_rng(0).standard_normal((4000, 2))
    found = teacher.centered_values()(points)
    assert found.shape == (4000,)
    energy = float(teacher.seen_energy) + float(teacher.unseen_energy)
    assert abs(found.mean()) < 4 * np.sqrt(energy / 4000)
    slopes = (found[:, None] * points).mean(axis=0)
    error = (found[:, None] * points).std(axis=0) / np.sqrt(4000)
    assert np.all(np.abs(slopes - float(teacher.coefficients[0]) * np.array(teacher.seen, dtype=float)) < 4 * error)


def test_a_function_has_the_numbers_of_its_formula():
    def function(t):
        return t[..., 0] + t[..., 0] * t[..., 1] + np.sin(t[..., 1]) + 1

    sampled = tc.Teacher.multi(function, directions=2)
    formula = tc.Teacher.multi("t1 + t1*t2 + sin(t2) + 1")
    assert isinstance(sampled, MultiTeacher)
    assert sampled.is_sampled
    assert sampled.seen == pytest.approx(formula.seen, abs=1e-12)
    assert sampled.coefficients[:6] == pytest.approx(formula.coefficients[:6], abs=1e-12)
    assert sampled.second_moment == pytest.approx(formula.second_moment)
    assert sampled.typed() is None
    assert sampled.python() == "teacher"
    assert repr(sampled) == "Teacher.multi(function, directions=2)"
    assert sampled == tc.Teacher.multi(function, directions=2)
    assert tc.predict(problem_of(sampled), ell=2).test_gain > 0
    with pytest.raises(tc.TheoryError, match="not readable"):
        problem_from_dict(problem_to_dict(problem_of(sampled)))


def test_digits_of_estimates_are_refused():
    with pytest.raises(tc.PrecisionError, match="is not a polynomial: its coefficients come from quadrature"):
        tc.predict(problem_of("relu(t1) + t2"), ell=1, digits=20)
    with pytest.raises(tc.DomainError, match="only c_⋆1 to c_⋆40 are computed for a teacher of several directions"):
        tc.predict(problem_of("relu(t1) + t2"), ell="inf")


def test_a_polynomial_has_every_window():
    ends = [tc.predict(problem_of("t1 + t2 + t1*t2 + H3(t2)"), ell=ell).test_gain for ell in (4, "inf")]
    assert 0 < ends[0] <= ends[1]


@pytest.mark.parametrize(
    ("given", "directions", "words"),
    [
        ("t1 + t2", 3, "contradicts the text"),
        (3, 2, "takes a text or a function"),
        (np.tanh, 2, "one real number for each point"),
        (lambda t: t[..., 0], 1, "2 to 4"),
        (lambda t: t[..., 0], 5, "2 to 4"),
        (lambda t: t[..., 0], None, "2 to 4"),
        (lambda t: t[..., 2], 2, "does not take an array of shape"),
        (lambda t: t[..., 0] - t[..., 1].mean(), 2, "on its own"),
        (lambda t: 1j * t[..., 0], 2, "one real number"),
        (lambda t: t[..., 0] / 0.0, 2, "finite"),
    ],
)
def test_refusals(given, directions, words):
    with pytest.raises(tc.TheoryError, match=words):
        multi_teacher(given, directions)


def test_an_activation_has_no_directions():
    with pytest.raises(tc.ExpressionError, match="'t1' is a direction") as refusal:
        tc.Problem("relu(t1)", "t1 + t2", phi=1, psi=1, ridge=1)
    assert refusal.value.argument == "activation"


def test_energy_counts_in_the_direction_of_the_step():
    """κ = c_{û,1}² + φ E g², with all of E g²."""
    found = tc.predict(problem_of("3*t1 + 4*t2 + t1*t2"), ell=1)
    assert found.kappa == pytest.approx(25 + 0.5 * 26)
    assert problem_of("3*t1 + 4*t2 + t1*t2").teacher.coefficients == (5, Fraction(12, 25))


def test_numbers_beyond_float64_are_exact_where_they_can_be():
    teacher = tc.Teacher.multi("1e300*t1 + 1e300*t1*t2")
    assert "50 % of the energy" in teacher.notes()[0]
    assert float(tc.predict(problem_of(teacher), ell=1, digits=10).rho) == pytest.approx(0.5**0.5)  # κ = 2c_{û,1}²
    with pytest.raises(tc.TheoryError, match="too large or too small for float64"):
        tc.Teacher.multi("relu(t1)*t2 + 1e300")


_PARTS = st.sampled_from(["t1", "t2", "2", "1/3", "(t1 - t2)", "relu(t1)", "tanh(t2)", "H3(t1)", "abs(t2 - 1)", "pi"])


@pytest.mark.slow
@given(st.lists(st.tuples(_PARTS, st.sampled_from("+-*")), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_any_text_gives_finite_numbers_or_is_refused(parts):
    text = "".join(f"{part} {operator} " for part, operator in parts) + "t1*t2"
    try:
        teacher = tc.Teacher.multi(text)
    except tc.TheoryError:
        return
    numbers = [*teacher.coefficients, teacher.mean, *teacher.seen, teacher.seen_energy, teacher.unseen_energy]
    assert np.all(np.isfinite([float(x) for x in numbers]))
    assert sum(float(u) ** 2 for u in teacher.seen) == pytest.approx(1)
    assert float(teacher.unseen_energy) >= 0

"""How often a sign is wrong: bivariate normal probabilities, and integrals of steps."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

import theorycalc as tc
from theorycalc.theory.label_lines import SignLabels
from theorycalc.theory.signs import FitLaw, both_below, normal_mean, sign_changes, sign_labels, wrong_share


def density(x):
    return math.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize("r", [-0.99, -0.3, 0.0, 0.5, 0.999])
@pytest.mark.parametrize("x", [-2.0, -1e-9, 0.0, 0.7])
@pytest.mark.parametrize("y", [-1.3, 0.0, 2.5])
def test_both_below_is_the_integral_over_one_of_them(x, y, r):
    off = math.sqrt(1 - r**2)
    turn = [y / r] if r and -9 < y / r < x else []
    expected = quad(lambda z: density(z) * ndtr((y - r * z) / off), -9, x, epsabs=1e-13, points=turn, limit=200)[0]
    found = both_below(*(np.array([value]) for value in (x, y, r, off)))
    assert found[0] == pytest.approx(expected, abs=3e-13)


def by_integral(labels, center, scale, mean, slope, variance):
    """Return the same chance by an integral over g."""

    def wrong(g):
        t, f = center + scale * g, (mean + labels.offset + slope * g) / math.sqrt(variance)
        sign = labels.signs[int(np.searchsorted(labels.places, t))]
        return density(g) * ndtr(-sign * f)

    turns = sorted((place - center) / scale for place in labels.places)
    edges = [-9, *(turn for turn in turns if -9 < turn < 9), 9]
    return sum(quad(wrong, low, high, epsabs=1e-13)[0] for low, high in pairwise(edges))


@pytest.mark.parametrize(
    "labels",
    [SignLabels((0.0,), (-1, 1), 0.0), SignLabels((-2.4, 0.4), (1, -1, 1), -0.3), SignLabels((0.3,), (1, -1), 0.1)],
)
@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize("law", [(0.2, 0.7, 0.4), (-1.0, -0.5, 0.1), (0.0, 0.0, 1.0)])
def test_the_share_of_wrong_signs_is_an_integral_over_the_label(labels, law):
    found = wrong_share(labels, np.array([0.4]), 0.8, FitLaw(*(np.array([x]) for x in law)))
    assert found[0] == pytest.approx(by_integral(labels, 0.4, 0.8, *law), abs=1e-12)


def test_a_fit_that_is_the_teacher_is_never_wrong_and_its_opposite_always():
    labels = SignLabels((0.0,), (-1, 1), 0.0)
    h = np.linspace(-2, 2, 5)
    sure = np.full(5, 1e-24)
    np.testing.assert_allclose(wrong_share(labels, 0 * h, 1.0, FitLaw(0 * h, 1 + 0 * h, sure)), 0, atol=1e-11)
    np.testing.assert_allclose(wrong_share(labels, 0 * h, 1.0, FitLaw(0 * h, -1 + 0 * h, sure)), 1, atol=1e-11)
    np.testing.assert_allclose(wrong_share(labels, 0 * h, 1.0, FitLaw(0 * h, 0 * h, 1 + 0 * h)), 0.5, atol=1e-15)


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("place", [0.3, 1e-3, -2.25, 0.0])
def test_means_of_fast_steps(width, place):
    found = normal_mean(lambda h: ndtr((h - place) / width), [place])
    assert found == pytest.approx(ndtr(-place / math.sqrt(1 + width**2)), abs=1e-12)


def test_where_a_function_changes_its_sign():
    np.testing.assert_allclose(sign_changes(lambda h: h**3 - h), [-1, 0, 1], atol=1e-12)
    assert sign_changes(lambda h: 0 * h) == sign_changes(lambda h: 1 + h**2) == []


@pytest.mark.slow
def test_only_signs_have_an_error_rate():
    with pytest.raises(
        tc.DomainError, match=r"labels ±1, and the teacher H1 \+ H2 has others; write .*sign\(H1 \+ H2"
    ) as e:
        sign_labels(tc.Problem("relu", "H1 + H2", 1, 1, 1))
    assert e.value.argument == "teacher"
    with pytest.raises(tc.DomainError, match="needs the places where its sign changes"):
        sign_labels(tc.Problem("relu", lambda x: -np.sign(x), 1, 1, 1))
    given = tc.Problem("relu", tc.Teacher.from_callable(np.sign, kinks=[0]), 1, 1, 1)
    assert sign_labels(given) == SignLabels((0.0,), (-1, 1), 0.0)


def test_flips_leave_a_part_of_the_mean():
    whole, flipped = (
        sign_labels(tc.Problem("relu", "sign(x - 1)", 1, 1, 1, flip_step="1/5", flip_fit=q)) for q in (0, "1/10")
    )
    assert flipped.places == whole.places
    assert flipped.offset == pytest.approx(0.8 * whole.offset)
    assert whole.offset == pytest.approx(1 - 2 * ndtr(1))


def test_the_mean_that_labels_lack_comes_back():
    centred = sign_labels(tc.Problem("relu", "sign(H1 + H2/2)", 1, 1, 1))
    np.testing.assert_allclose(centred.places, [-1 - math.sqrt(2), math.sqrt(2) - 1])
    assert centred.signs == (1, -1, 1)
    assert centred.offset == pytest.approx(1 - 2 * (ndtr(centred.places[1]) - ndtr(centred.places[0])))
    raw = sign_labels(tc.Problem("relu", "sign(H1 + H2/2)", 1, 1, 1, intercept=True, centred_labels=False))
    assert raw == centred  # the constant of the fit learns the mean, and the theory has labels without it


@pytest.mark.parametrize("variance", [-1e-18, math.nan])
def test_a_variance_without_digits_is_refused(variance):
    labels = sign_labels(tc.Problem("relu", "sign(x)", 1, 1, 1))
    with pytest.raises(tc.PrecisionError, match="use digits= for this problem") as error:
        wrong_share(labels, np.zeros(2), 1.0, FitLaw(np.zeros(2), np.ones(2), np.array([1.0, variance])))
    assert error.value.argument == "ridge"

"""Anderson's acceleration: linear maps, maps that plain iteration does not settle, and points where a map fails.

Zeros between two places, whose signs roundings may change.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.numbers.iteration import settle, zero_between


def test_a_linear_map_is_settled_in_about_as_many_steps_as_it_has_dimensions():
    rng = np.random.default_rng(0)
    matrix, constant = rng.standard_normal((5, 5)) / 4, rng.standard_normal(5)
    found = settle(lambda x: matrix @ x + constant, np.zeros(5), 1e-12, most=12)
    assert found.change < 1e-12
    assert np.allclose(found.point, np.linalg.solve(np.eye(5) - matrix, constant), rtol=1e-10)


def test_a_map_that_moves_away_is_settled_too():
    found = settle(lambda x: 3 - 2 * x, np.array([5.0]), 1e-12)
    assert abs(found.point[0] - 1) < 1e-11


def test_it_goes_on_from_the_last_image_where_the_map_fails():
    tried = []

    def image(x):
        tried.append(float(x[0]))
        return np.array([np.nan]) if len(tried) == 3 else np.cos(x)

    found = settle(image, np.array([1.0]), 1e-12)
    assert found.change < 1e-12
    assert tried[3] == np.cos(tried[1])


def test_a_map_that_fails_at_the_start_leaves_it():
    found = settle(lambda x: x * np.nan, np.array([2.0]), 1e-12)
    assert (found.point[0], found.change) == (2.0, np.inf)


def test_without_a_fixed_point_the_change_tells():
    assert settle(lambda x: x + 1, np.array([0.0]), 1e-12, most=5).change > 1e-3


def test_a_zero_between_two_places():
    assert abs(zero_between(lambda x: x**3 - 5, 1.0, 3.0, 1e-12) - 5 ** (1 / 3)) < 1e-11


def test_signs_that_rounding_makes_have_no_zero_between():
    signs = itertools.repeat(1e-17)
    with pytest.raises(tc.PrecisionError, match="rounding leaves no digits") as caught:
        zero_between(lambda _: next(signs), 1.0, 2.0, 1e-9)
    assert caught.value.argument == "eta"

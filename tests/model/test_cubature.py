"""Means over several directions, against closed forms and another quadrature."""

import math

import numpy as np
import pytest

from theorycalc.errors import DomainError
from theorycalc.functions.directions import Plane, components, kink_planes, parse_teacher
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.model.cubature import Component, direction_moments, nodes


def moments_of(text):
    tree, directions = parse_teacher(text)
    parts = [
        Component(compile_numpy(part, axes=1), tuple(j - 1 for j in at), kink_planes(part, len(at))[0])
        for part, at in components(tree)
    ]
    return direction_moments(parts, directions)


PHI = 1 / math.sqrt(2 * math.pi)


def test_a_product_of_kinks():
    """E relu(t_1) = φ, E relu(t_1)² = 1/2, E t_1 relu(t_1) = 1/2."""
    found = moments_of("relu(t1) + t1*relu(t2)")
    assert found.seen == pytest.approx([1, 0], abs=0)
    assert found.coefficients[0] == pytest.approx(1 / 2 + PHI, abs=1e-13)
    assert found.coefficients[1] == pytest.approx(PHI / 2, abs=1e-13)
    assert found.variance == pytest.approx(1 / 2 - PHI**2 + 1 / 2 + 2 * PHI / 2, abs=1e-12)
    assert found.hessian == pytest.approx(np.array([[PHI, 0.5], [0.5, 0]]), abs=1e-12)


def test_a_kink_across_the_axes():
    """relu(t_1 + 2t_2) is √5 relu of one direction."""
    found = moments_of("relu(t1 + 2*t2)")
    assert found.seen == pytest.approx(np.array([1, 2]) / math.sqrt(5), abs=1e-13)
    assert found.coefficients[:4] == pytest.approx(np.array([1 / 2, PHI / 2, 0, -PHI / 24]) * math.sqrt(5), abs=1e-13)
    assert found.variance == pytest.approx(5 * (1 / 2 - PHI**2), abs=1e-12)
    assert found.error < 1e-10


def test_a_large_mean_costs_no_digits_of_the_variance():
    plain, raised = moments_of("relu(t1)*t2"), moments_of("relu(t1)*t2 + 1000000")
    assert raised.mean == pytest.approx(1e6, rel=1e-12)
    assert raised.variance == pytest.approx(plain.variance, rel=1e-9)
    assert plain.mean == 0


def test_kinks_that_meet():
    """E max(t_1, t_2) = 1/√π, and max = (t_1 + t_2)/2 + |t_1 − t_2|/2."""
    found = moments_of("max(t1, t2)*relu(t1 + t2)")
    tree = parse_teacher("max(t1, t2)*relu(t1 + t2)").tree
    angle = (np.arange(400_000) + 0.5) / 400_000 * 2 * np.pi  # homogeneous of degree 2: a mean over the circle
    circle = compile_numpy(tree, axes=1)(np.column_stack([np.cos(angle), np.sin(angle)]))
    assert found.mean == pytest.approx(2 * circle.mean(), rel=1e-9)
    assert found.variance + found.mean**2 == pytest.approx(8 * (circle**2).mean(), rel=1e-9)


@pytest.mark.slow
def test_three_directions():
    """The maximum of three: its mean 3/(2√π), and E max² = 1 + √3/(2π)."""
    found = moments_of("max(t1, t2, t3)")
    assert found.mean == pytest.approx(3 / (2 * math.sqrt(math.pi)), abs=1e-8)
    assert found.variance + found.mean**2 == pytest.approx(1 + math.sqrt(3) / (2 * math.pi), abs=1e-8)
    assert found.seen == pytest.approx(np.ones(3) / math.sqrt(3), abs=1e-8)
    assert found.coefficients[0] == pytest.approx(1 / math.sqrt(3), abs=1e-8)  # the mean of three, and a rest beside it


@pytest.mark.slow
def test_parts_without_a_common_direction():
    """tanh(t_1)cos(t_2) + relu(t_3)t_4, in parts and at once."""
    text = "tanh(t1)*cos(t2) + relu(t3) + 2"
    tree = parse_teacher(text).tree
    apart = moments_of(text)
    whole = direction_moments([Component(compile_numpy(tree, axes=1), (0, 1, 2), kink_planes(tree, 3)[0])], 3)
    assert apart.seen == pytest.approx(whole.seen, abs=1e-7)
    assert apart.coefficients[:8] == pytest.approx(whole.coefficients[:8], abs=1e-7)
    assert apart.variance == pytest.approx(whole.variance, rel=1e-7)
    assert apart.mean == pytest.approx(whole.mean, rel=1e-7)
    assert apart.hessian == pytest.approx(whole.hessian, abs=1e-6)


@pytest.mark.slow
def test_unknown_kinks_cost_digits_that_the_error_admits():
    def function(t):
        return np.maximum(t[:, 0] + t[:, 1], 0)

    blind = direction_moments([Component(function, (0, 1), ())], 2)
    known = direction_moments([Component(function, (0, 1), (Plane((1.0, 1.0), 0.0),))], 2)
    assert 1e-9 < blind.error < 1e-4
    assert known.error < 1e-11
    assert abs(blind.variance - known.variance) < 10 * blind.error * known.variance


@pytest.mark.slow
@pytest.mark.parametrize("text", ["1/t1 + t2", "log(t1)*t2", "exp(t1**2)*t2", "sqrt(t1 + t2)", "1/(t1 - t2)"])
def test_functions_without_a_second_moment(text):
    with pytest.raises(DomainError):
        moments_of(text)


@pytest.mark.parametrize("text", ["1e200*tanh(t1*t2)", "1e-200*tanh(t1*t2)"])
def test_values_beyond_float64(text):
    with pytest.raises(DomainError, match="too large or too small"):
        moments_of(text)


@pytest.mark.parametrize("directions", [1, 2])
def test_nodes_are_a_rule_of_the_normal_law(directions):
    total, squares = 0.0, np.zeros(directions)
    cuts = [[] for _ in range(directions)]
    for points, weights in nodes(directions, cuts, (2.5, 12)):
        total += weights.sum()
        squares += weights @ points**4
    assert total == pytest.approx(1, abs=1e-12)
    assert squares == pytest.approx(3, abs=1e-10)

"""Weights after several steps: one step, sampled matrices, and networks that reject wrong formulas."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from benchmarks.later_weights import SIZES, Cell, expected, largest
from tests.helpers.matrices import mean_and_error
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.followed_weights import FollowedLaw, followed_law, is_followed, outlier_at, outliers_of
from theorycalc.theory.weights import edges_of, law_after, outlier_of


def step(activation="tanh(x + 1)", steps=1, **options):
    problem = tc.Problem(activation, "H1 + H2/sqrt(2)", **SIZES, ridge=1, noise="1/2", steps=steps, **options)
    return step_of(problem, SIZES["N"], "labels")


@pytest.mark.checks("followed_weights")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform", "sign", "constant"])
@pytest.mark.parametrize("eta", [4.0, 20.0])
def test_one_step_is_that_of_the_closed_condition(second_layer, eta):
    one = step("relu", second_layer=second_layer)
    assert not is_followed(one)
    (found,) = outliers_of(followed_law(one, eta))
    assert found == pytest.approx(outlier_of(law_after(one, eta)), rel=1e-5)
    assert edges_of(followed_law(one, eta)) == pytest.approx(edges_of(law_after(one, eta)), rel=1e-9)


@pytest.mark.checks("followed_weights")
def test_one_step_of_neurons_with_biases():
    one = step("relu", biases={-1: "1/2", "1/2": "1/2"}, intercept=True)
    (found,) = outliers_of(followed_law(one, 8.0))
    assert found == pytest.approx(outlier_of(law_after(one, 8.0)), rel=1e-5)


def of_two_directions(d, N):
    """Displacements along e_1 and e_2 that are correlated over neurons, and rows of two lengths."""
    z = np.repeat([[-1.4, -0.5, 0.5, 1.4]], N // 4, axis=0).ravel()
    z /= math.sqrt(np.mean(z**2))
    loads = np.stack([3 * z + z**2, 1.5 * z**2 - z], axis=-1) / math.sqrt(N)
    lengths = 1 + 0.3 * z**2
    law = FollowedLaw(
        ratio=N / d,
        layer=z,
        nodes=np.full(N, 1 / N),
        lengths=lengths,
        loads=loads,
        second=z / math.sqrt(N),
        along=loads @ [0.6, 0.8],
        teacher=loads[:, 0],
    )
    return law, np.sqrt(lengths)


@pytest.mark.slow
@pytest.mark.checks("followed_weights")
def test_two_outliers_of_sampled_matrices():
    """Places and overlaps within four standard errors, or the 1/N of a finite matrix."""
    d, N, rng, seen = 300, 400, np.random.default_rng(5), []
    law, lengths = of_two_directions(d, N)
    for _ in range(40):
        W = lengths[:, None] * rng.standard_normal((N, d)) / math.sqrt(d)
        W[:, :2] += law.loads
        left, values, right = np.linalg.svd(W, full_matrices=False)
        overlaps = left.T @ law.second, right[:, :2] @ [0.6, 0.8], right[:, 0]
        seen.append(np.array([values, *(overlap**2 for overlap in overlaps)])[:, :3].T)
    mean, error = mean_and_error(seen)
    found = np.array(outliers_of(law))
    assert found.shape == (2, 4)
    assert np.all(np.abs(mean[:2] - found) < 4 * error[:2] + 2 / N * np.maximum(found, 1))
    assert mean[2, 0] == pytest.approx(edges_of(law)[1], rel=2 * d ** (-2 / 3))


@pytest.mark.checks("followed_weights")
def test_a_weak_second_direction_stays_in_the_bulk():
    law, _ = of_two_directions(300, 400)
    weak = replace(law, loads=law.loads * [1, 1e-3])
    assert len(outliers_of(weak)) == 1
    assert outliers_of(replace(law, loads=1e-3 * law.loads)) == ()
    assert outliers_of(replace(law, loads=np.zeros((400, 0)))) == ()


@pytest.mark.checks("followed_weights")
def test_overlaps_of_all_directions_are_those_of_a_vector():
    """The right vector is in the span of the displacements, but for what M has of it: both outliers add up to less."""
    law, _ = of_two_directions(300, 400)
    each = [replace(law, along=law.loads[:, i]) for i in (0, 1)]
    for index, place in enumerate(outliers_of(law)):
        shares = [outliers_of(one)[index].overlap_direction for one in each]
        assert 0 < sum(shares) < 1, place


@pytest.mark.slow
@pytest.mark.checks("followed_weights")
@pytest.mark.parametrize("cell", [Cell("tanh(x + 1)", 3, "gaussian", 12.0), Cell("relu", 3, "sign", 10.0)], ids=str)
def test_networks_reject_one_step_of_the_sum(cell):
    """Both outliers and their overlaps; one step of the sum, and neurons without what they share, are far off."""
    rng = np.random.default_rng(17)
    mean, error = mean_and_error([largest(rng, cell) for _ in range(24)])
    found = np.array(expected(cell).outliers)
    room = np.array([0.02 * found[0, 0], 0.02, 0.02, 0.03])
    assert found.shape == (2, 4)
    assert np.all(np.abs(mean - found) <= np.maximum(3 * error, room))
    three = step(cell.activation, cell.steps, second_layer=cell.second_layer)
    law = followed_law(three, cell.eta)
    summed = outlier_of(law_after(three, cell.eta))
    assert abs(mean[0, 1] - summed.overlap_a) > 5 * error[0, 1]
    direct = replace(law, loads=np.stack([law.along], axis=-1))  # only what is along the steps
    assert len(outliers_of(direct)) == 1
    moved = {name: 0.9 * getattr(law, name) for name in ("loads", "along", "teacher")}
    shorter = replace(law, lengths=np.ones_like(law.lengths), **moved)
    assert abs(mean[0, 0] - outliers_of(shorter)[0].place) > 3 * error[0, 0]


def test_an_outlier_at_its_own_place():
    law, _ = of_two_directions(300, 400)
    first, _ = outliers_of(law)
    high, low = law.lengths.max() + 1e-9, law.lengths.max() + 1e4
    for _ in range(200):
        x = (high + low) / 2
        found = outlier_at(x, 1, law)
        high, low = (x, low) if found.place < first.place else (high, x)
    assert found == pytest.approx(first, rel=1e-9)

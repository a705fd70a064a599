"""The outlier of the weights against real networks, by standard errors, and wrong formulas that these reject."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from benchmarks.weights import Cell, draws_of, networks
from tests.helpers.matrices import mean_and_error
from theorycalc.results.quantities import WEIGHTS
from theorycalc.simulation.records import weights_of
from theorycalc.theory.case import float_case
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.dressed.nodes_of_kinds import kept_share
from theorycalc.theory.weights import law_after, leading_outlier, outlier_of

SIZES = (600, 300, 450)
STEPS = (4.0, 8.0, 20.0)
DRAWS = 24
SPREAD = np.array([0.03, 0.03, 0.03, 0.03])  # of a place, relative, and of overlaps

CELLS = [
    Cell("relu", "residual", SIZES),
    Cell("tanh(x + 1)", "labels", SIZES),
    Cell("erf", "residual", SIZES, second_layer="constant"),
    Cell("softplus", "residual", SIZES, second_layer="sign"),
    Cell("mish", "labels", SIZES, first_layer="gaussian"),
    Cell("tanh(x + 1)", "residual", (600, 400, 200), first_layer="gaussian"),
]


def seen(cell, steps=STEPS, draws=DRAWS, seed=11):
    """Mean and standard error of place and overlaps, for every step."""
    records = draws_of(cell, seed, draws, steps)
    return mean_and_error([[[record[name] for name in WEIGHTS] for record in draw] for draw in records])


@pytest.mark.slow
@pytest.mark.checks("weights_outlier", "weights_overlaps", "weights_rows", "weight_outlier")
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_place_and_overlaps_of_networks(cell):
    """Within three standard errors, or 3 % of the place and 0.03 of an overlap."""
    means, errors = seen(cell)
    for eta, mean, error in zip(STEPS, means, errors, strict=True):
        found = tc.weight_spectrum(cell.problem, eta=eta, gradient=cell.gradient)
        expected = np.array([found.outlier, found.overlap_a, found.overlap_direction, found.overlap_teacher])
        room = SPREAD * np.array([found.outlier, 1, 1, 1])
        assert np.all(np.abs(mean - expected) <= np.maximum(3 * error, room))


@pytest.mark.slow
@pytest.mark.checks("weights_outlier", "weights_overlaps")
def test_networks_reject_a_residual_without_the_initial_output_s_part():
    """Leading order, and κ in the place of κ̃, are more than five standard errors off."""
    cell = Cell("softplus", "residual", SIZES)
    means, errors = seen(cell, steps=(4.0,), draws=24)
    step = step_of(cell.problem, 450, "residual")
    right = np.array(outlier_of(law_after(step, 4.0)))
    wrong = {
        "leading order": leading_outlier(step.case, 4.0),
        "κ of the labels": outlier_of(replace(law_after(step, 4.0), kappa=float_case(cell.problem, "labels").kappa)),
    }
    assert np.all(np.abs(means[0] - right) < 4 * errors[0])
    for name, numbers in wrong.items():
        assert np.max(np.abs(means[0] - np.array(numbers)) / errors[0]) > 5, name


@pytest.mark.slow
@pytest.mark.checks("weights_bulk", "weights_rows")
def test_networks_have_longer_rows():
    """Their mean squared length across the step is that of the bulk, to 3 %, where W₀ has 1."""
    cell, eta = Cell("relu", "residual", SIZES, second_layer="sign"), 40.0
    squares = []
    for drawn, (after,) in networks(cell, 3, DRAWS, (eta,)):
        direction = drawn.gradient.direction
        along = after @ direction / np.linalg.norm(direction)
        squares.append(np.mean(np.sum(after**2, axis=1) - along**2))
    mean, error = mean_and_error(squares)
    expected = tc.weight_spectrum(cell.problem, eta=eta).mean
    assert abs(mean - expected) < max(3 * error, 0.03 * expected)
    assert expected > 2


@pytest.mark.slow
@pytest.mark.checks("weights_rows")
@pytest.mark.parametrize("activation", ["relu", "erf"])
def test_a_neuron_s_own_output_pulls_it_back(activation):
    """w_i·w_{0,i} is 1 − mηa² on average, of which c_1² comes with the direction; c_1² alone, or twice, is rejected."""
    cell, eta = Cell(activation, "residual", SIZES, second_layer="sign"), 40.0
    draws = networks(cell, 5, DRAWS, (eta,))
    kept = [np.mean(np.sum(after * drawn.ladder.initial, axis=1)) for drawn, (after,) in draws]
    mean, error = mean_and_error(kept)
    c1, unit = float(cell.problem.activation.c1), eta / 450
    beside = kept_share(step_of(cell.problem, 450, "residual").own_output, eta, 1 / 450)
    assert abs(mean - (beside - c1**2 * unit)) < 4 * error
    assert abs(mean - (1 - c1**2 * unit)) > 6 * error
    assert abs(mean - (beside - 2 * c1**2 * unit)) > 6 * error


OPTIONS = {
    "scales": {"first_scale": "3/2", "second_scale": 2, "second_layer": "uniform"},
    "corrupted": {"corrupt_step": "3/10", "corrupt_fit": "1/2", "intercept": True},
    "flipped": {"flip_step": "1/5"},
    "two steps": {"steps": 2, "gradient": "labels"},
}


@pytest.mark.slow
@pytest.mark.checks("weights_outlier", "weights_overlaps", "unit_step")
@pytest.mark.parametrize("name", OPTIONS)
def test_weights_of_networks_with_options(name):
    """Within three standard errors, or 3 % of the place and 0.03 of an overlap; without the options they are not."""
    options, eta, draws = dict(OPTIONS[name]), 10.0, 16
    gradient = options.pop("gradient", "residual")
    n, d, N = (size // 2 for size in SIZES)
    plain = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", n=n, d=d, N=N, ridge="1/10", noise="1/2")
    problem = replace(plain, **options)
    run = tc.simulate(problem, n=n, eta=eta, replicates=draws, seed=3, gradient=gradient, spectrum=True)
    mean, error = mean_and_error([[weights_of(record)[name] for name in WEIGHTS] for record in run.records])

    def near(case):
        found = tc.weight_spectrum(case, eta=eta, gradient=gradient)
        expected = np.array([found.outlier, found.overlap_a, found.overlap_direction, found.overlap_teacher])
        return np.abs(mean - expected) <= np.maximum(3 * error, SPREAD * np.array([found.outlier, 1, 1, 1]))

    assert near(problem).all()
    assert not near(plain).all()

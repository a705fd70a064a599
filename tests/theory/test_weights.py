"""Singular values of the weights: closed forms, spiked matrices, reductions, and real networks with standard errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.matrices import mean_and_error, unit
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.weight_density import bulk_after, bulk_before, weight_density
from theorycalc.theory.weights import (
    WeightLaw,
    edges_of,
    excess,
    law_after,
    law_before,
    leading_outlier,
    left_overlap,
    outlier_of,
    outlier_square,
    overlaps_of,
    right_overlap,
    square_at,
    step_strength,
)

DRAWS = 24
TEACHER = "H1 + H2/sqrt(2)"


def problem(activation="tanh(x + 1)", n=600, d=300, N=450, **options):
    return tc.Problem(activation, TEACHER, n=n, d=d, N=N, ridge="1/10", noise="1/2", **options)


def one_length(strength, ratio, own=0.0, length=1.0):
    """A law in which all rows are equally long; the strength is θ²κ."""
    one = np.ones(1)
    return WeightLaw(ratio, math.sqrt(strength), own, 1.0, 0.5, one, one, one, length * one)


def moments(bulk):
    """The mass of a density, and its mean of σ², by Chebyshev's rule between the edges."""
    low, high = bulk.edges
    angle = (np.arange(800) + 0.5) * (math.pi / 800)
    sigma = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
    share = weight_density(bulk, sigma) * (high - low) / 2 * np.sin(angle) * (math.pi / 800)
    return share.sum(), share @ sigma**2


@pytest.mark.checks("weight_outlier")
@pytest.mark.parametrize(("N", "d"), [(300, 200), (150, 300), (240, 240)])
@pytest.mark.parametrize("strength", [2.5, 12.0])
def test_the_closed_forms_are_those_of_a_spiked_matrix(N, d, strength):
    """Rows of N(0, I/d), plus a rank-one matrix: within four standard errors, or the 1/N of a finite matrix."""
    rng = np.random.default_rng([N, d, int(strength)])
    draws = []
    for _ in range(60):
        a, b = unit(rng, N), unit(rng, d)
        matrix = rng.standard_normal((N, d)) / math.sqrt(d) + math.sqrt(strength) * np.outer(a, b)
        left, values, right = np.linalg.svd(matrix, full_matrices=False)
        draws.append((values[0] ** 2, (left[:, 0] @ a) ** 2, (right[0] @ b) ** 2))
    seen, error = mean_and_error(draws)
    expected = [formula(strength, N / d) for formula in (outlier_square, left_overlap, right_overlap)]
    assert np.all(np.abs(seen - expected) < 4 * error + np.array(expected) / N)


@pytest.mark.checks("weight_outlier", "weights_outlier", "weights_overlaps")
def test_equal_rows_give_the_closed_forms_exactly():
    x, t, c, rho = sp.symbols("x t c rho", positive=True)
    one = np.array([sp.Integer(1)], dtype=object)
    law = WeightLaw(c, sp.sqrt(t), sp.Integer(0), sp.Integer(1), rho, one, one, one, one)
    (root,) = sp.solve(excess(x, law), x)
    assert root == 1 + t
    assert sp.simplify(square_at(root, law) - outlier_square(t, c)) == 0
    found = overlaps_of(root, law)
    right = right_overlap(t, c)
    for overlap, expected in zip(found, (left_overlap(t, c), right, rho**2 * right), strict=True):
        assert sp.simplify(overlap - expected) == 0


@pytest.mark.checks("weights_outlier", "weights_overlaps")
def test_the_initial_output_weakens_the_spike_by_2c1_squared_eta():
    """With the residual 1 + ϑ² becomes 1 + ϑ² − 2c_1²η, the covariance of W's columns along a."""
    x, eta, c1, kappa, c = sp.symbols("x eta c_1 kappa c", positive=True)
    one = np.array([sp.Integer(1)], dtype=object)
    law = WeightLaw(c, c1 * eta, c1, kappa, sp.Integer(1), one, one, one, one)
    (root,) = sp.solve(sp.together(excess(x, law)), x)
    assert sp.simplify(root - (1 + step_strength(c1, eta, kappa) - 2 * c1**2 * eta)) == 0
    strength = root - 1
    assert sp.simplify(overlaps_of(root, law)[0] - left_overlap(strength, c)) == 0


@pytest.mark.checks("weights_outlier", "weights_overlaps", "weights_bulk")
@pytest.mark.parametrize(("N", "d"), [(400, 250), (200, 320)])
def test_rows_of_all_lengths(N, d):
    """The matrix that the derivation starts from: rows kw + u(c_1b + noise), and −c_1W₀ᵀa in the direction b."""
    rng, c1, eta, kappa, v, m = np.random.default_rng([7, N]), 0.8, 6.0, 2.0, 4.0, 9.0
    draws = []
    for _ in range(40):
        a = rng.standard_normal(N)
        a /= np.linalg.norm(a)
        W0, noise = (rng.standard_normal((N, d)) / math.sqrt(d) for _ in range(2))
        teacher = unit(rng, d)
        b = teacher + math.sqrt(kappa - c1**2 - 1) * unit(rng, d) - c1 * a @ W0
        W = (1 - m * eta * a**2)[:, None] * W0 + eta * a[:, None] * (c1 * b + math.sqrt(v) * noise)
        left, values, right = np.linalg.svd(W, full_matrices=False)
        draws.append((values[0], *((left[:, 0] @ a) ** 2, (right[0] @ b) ** 2 / (b @ b), (right[0] @ teacher) ** 2)))
    seen, error = mean_and_error(draws)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    squares, weights = nodes**2, weights / weights.sum()
    kept = 1 - m * eta / N * squares
    law = WeightLaw(N / d, c1 * eta, c1, kappa, 1.0, weights, squares, kept, kept**2 + v * eta**2 / N * squares)
    keep = law.nodes > 1e-6  # the far nodes of a Gaussian, which no matrix has
    cut = WeightLaw(N / d, c1 * eta, c1, kappa, 1.0, *(x[keep] for x in (weights, squares, kept, law.lengths)))
    expected = np.array(outlier_of(cut))
    assert np.all(np.abs(seen - expected) < 4 * error + 2 * expected / d)
    even = np.array(outlier_of(one_length((c1 * eta) ** 2 * kappa, N / d)))  # leading order: rejected
    assert np.any(np.abs(seen - even) > 8 * error + 2 * expected / d)


@pytest.mark.checks("weights_bulk", "weights_edges")
@pytest.mark.parametrize("ratio", [1e-6, 0.01, 0.5, 1.0, 1.5, 4.0, 1e4])
def test_before_the_step_it_is_marchenko_and_pastur_s_law(ratio):
    low, high = edges_of(law_before(ratio))
    assert low == pytest.approx(abs(1 - math.sqrt(ratio)), abs=1e-7)
    assert high == pytest.approx(1 + math.sqrt(ratio), rel=1e-12)
    sigma = np.linspace(low, high, 9)[1:-1]
    expected = np.sqrt((high**2 - sigma**2) * (sigma**2 - low**2)) / (math.pi * ratio * sigma)
    np.testing.assert_allclose(weight_density(bulk_before(ratio), sigma), expected, rtol=1e-6)


@pytest.mark.checks("weights_bulk", "weights_edges")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform", "sign", "constant"])
@pytest.mark.parametrize(("N", "d"), [(450, 300), (300, 300), (100, 300)])
@pytest.mark.parametrize(("eta", "gradient"), [(2, "residual"), (8, "labels"), (40, "residual"), (200, "labels")])
def test_mass_and_mean_of_the_bulk(second_layer, N, d, eta, gradient):
    bulk = bulk_after(step_of(problem("relu", N=N, d=d, second_layer=second_layer), N, gradient), float(eta))
    mass, mean = moments(bulk)
    beyond = 1 / N if second_layer == "gaussian" else 0.0  # one neuron of N is expected beyond the edge
    assert 0 <= min(1, d / N) - mass + 3e-6 < 2 * beyond + 1e-5
    assert mean == pytest.approx(bulk.mean, rel=20 * beyond + 1e-8)


@pytest.mark.checks("weights_bulk", "weights_edges")
@pytest.mark.parametrize("ratio", [0.01, 0.5, 0.7, 2.25])
def test_the_density_vanishes_like_a_root_beside_an_edge(ratio):
    """Newton's steps end at rounding there, where two roots meet: they were an error."""
    bulk = bulk_before(ratio)
    low, high = bulk.edges
    near = 10.0 ** np.arange(-13, -8, 0.25) * (high - low)
    for sigma in (low + near, high - near):
        expected = np.sqrt((high**2 - sigma**2) * (sigma**2 - low**2)) / (math.pi * ratio * sigma)
        np.testing.assert_allclose(weight_density(bulk, sigma), expected, rtol=0.05, atol=1e-6)


@pytest.mark.checks("weights_bulk")
@pytest.mark.parametrize("eta", [None, 4])
def test_the_density_is_continuous_at_0(eta):
    square = tc.weight_spectrum(problem("relu", n=400, d=200, N=200), eta=eta)
    at, *near = square.density([0.0, 1e-9, 1e-6])
    assert at > 0.6
    assert near == pytest.approx([at, at], rel=1e-9)
    assert tc.weight_spectrum(problem("relu", n=400, d=200, N=300), eta=eta).density(0.0) == 0  # between atom and bulk


@pytest.mark.checks("weights_bulk", "weights_edges")
def test_few_neurons_of_one_length_are_in_the_density():
    """Biases with a second layer of signs: Newton's method ended at real roots, and 3.4 % of the mass were missing."""
    few = problem("relu", n=600, d=300, N=100, second_layer="sign", biases="normal(1)", intercept=True)
    found = tc.weight_spectrum(few, eta=40, gradient="labels")
    assert moments(found.bulk) == pytest.approx((1, found.bulk.mean), rel=1e-9)


@pytest.mark.checks("weights_edges")
def test_the_density_at_an_edge_that_is_off_by_its_rule_is_0():
    """A large step and x just outside the bulk, which is real: the map takes for ever to come there."""
    found = tc.weight_spectrum(tc.Problem("relu", "H1 + H2/2", n=400, d=300, N=100, ridge="1/10", noise="1/2"), eta=100)
    low, _ = found.bulk.edges
    assert weight_density(found.bulk, np.array([low * (1 + 5e-9)]))[0] < 1e-3


@pytest.mark.checks("weights_bulk", "weights_edges")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform"])
def test_the_density_has_the_bulk_of_matrices_with_long_rows(second_layer):
    """Shares of singular values below five points, by a matrix of such rows."""
    rng, N, d, strength = np.random.default_rng(3), 1200, 800, 2.5
    a = rng.standard_normal(N) if second_layer == "gaussian" else rng.uniform(-math.sqrt(3), math.sqrt(3), N)
    values = np.linalg.svd(
        np.sqrt(1 + strength * a**2)[:, None] * rng.standard_normal((N, d)) / math.sqrt(d), compute_uv=False
    )
    step = step_of(problem("relu", n=1600, d=d, N=N, second_layer=second_layer), N, "labels")
    bulk = bulk_after(step, math.sqrt(strength * N / step.spread))
    low, high = bulk.edges
    assert values[-1] == pytest.approx(low, abs=0.02)
    if second_layer == "uniform":  # a sharp edge; a draw's is off by n^{-2/3}
        assert values[0] == pytest.approx(high, rel=2 * d ** (-2 / 3))
    for point in np.quantile(values, [0.1, 0.3, 0.5, 0.7, 0.9]):
        angle = (np.arange(400) + 0.5) * (math.pi / 400)
        sigma = (low + point) / 2 - (point - low) / 2 * np.cos(angle)
        share = weight_density(bulk, sigma) @ np.sin(angle) * (point - low) / 2 * math.pi / 400 * N / d
        assert share == pytest.approx(np.mean(values <= point), abs=4 / d)  # eigenvalues are rigid: O(1/d)


@pytest.mark.checks("weights_rows")
@pytest.mark.parametrize(("activation", "slope"), [("relu", lambda z: 1.0 * (z > 0)), ("erf", None), ("x", None)])
def test_the_own_output_by_its_definition(activation, slope):
    """E[Zσ(σ' − c_1)] of centred functions, instead of E[(Z² − 1)σ²]/2 − c_1²."""
    functions = {
        "relu": (lambda z: np.maximum(z, 0) - 1 / math.sqrt(2 * math.pi), slope),
        "erf": (np.vectorize(math.erf), lambda z: 2 / math.sqrt(math.pi) * np.exp(-(z**2))),
        "x": (lambda z: z, np.ones_like),
    }
    sigma, slope = functions[activation]
    z = np.linspace(-9, 9, 360_001)
    weight = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    expected = float(np.sum(weight * z * sigma(z) * (slope(z) - np.sum(weight * slope(z)))))
    law = law_after(step_of(problem(activation), 450, "residual"), eta=8.0)
    assert law.kept == pytest.approx(1 - expected * 8 * law.squares / 450, abs=1e-6)


@pytest.mark.checks("weights_outlier", "weights_overlaps", "weights_bulk", "weight_outlier")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_leading_order_is_the_limit_of_wide_networks(gradient):
    """With η²/N → 0 and η large both orders agree: the residual's difference falls like 1/η."""
    errors = []
    for eta in (10.0, 1000.0):
        step = step_of(problem(n=2 * 10**12, d=10**12, N=15 * 10**11), 15 * 10**11, gradient)
        found, leading = outlier_of(law_after(step, eta)), leading_outlier(step.case, eta)
        errors.append(max(abs(np.array(found) / np.array(leading) - 1)))
    assert errors[1] < (1e-6 if gradient == "labels" else 2e-3)
    assert gradient == "labels" or errors[1] == pytest.approx(errors[0] / 100, rel=0.5)


@pytest.mark.checks("weights_outlier")
def test_a_small_step_drives_nothing_out():
    step = step_of(problem(), 450, "residual")
    for eta in (0.0, 1e-12, 0.5):
        assert outlier_of(law_after(step, eta)) is None
        assert leading_outlier(step.case, eta) is None
    assert edges_of(law_after(step, 0.0)) == pytest.approx(edges_of(law_before(1.5)), rel=1e-12)


@given(
    st.floats(-3, 3),
    st.floats(-2, 4),
    st.floats(-2, 2),
    st.floats(0, 1),
    st.floats(0, 30),
    st.floats(0, 2),
    st.floats(0, 1),
)
@pytest.mark.checks("weights_outlier", "weights_overlaps", "weights_edges")
def test_overlaps_are_shares_and_the_outlier_is_outside(ratio, eta, c1, known, v, m, rho):
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    squares, weights = nodes**2, weights / weights.sum()
    c1, eta, N = 10.0**c1, 10.0**eta, 500
    kept = 1 - m * eta / N * squares
    teacher = math.sqrt(rho)
    law = WeightLaw(
        10.0**ratio, c1 * eta, c1 * known, 1 + (c1 * known) ** 2, teacher, weights, squares, kept,
        kept**2 + v * eta**2 / N * squares,
    )  # fmt: skip
    found = outlier_of(law)
    low, high = edges_of(law)
    assert 0 <= low <= high
    if found is not None:
        assert found.place >= high * (1 - 1e-9)
        assert all(0 <= overlap <= 1 for overlap in found[1:])


@pytest.mark.checks("weights_bulk", "weights_edges")
@pytest.mark.parametrize("ratio", [1e-17, 1e-10, 1e10, 1e14, 1e17, 1e19])
def test_edges_before_the_step_at_any_ratio(ratio):
    """|1 − √c| and 1 + √c: a sum of positive terms, where 1 − c + c(1 + …) leaves few digits or none."""
    assert bulk_before(ratio).edges == pytest.approx((abs(1 - math.sqrt(ratio)), 1 + math.sqrt(ratio)), rel=1e-12)


@pytest.mark.checks("weights_bulk", "weights_outlier")
def test_an_outlier_of_very_many_neurons():
    """u² v is small beside 1 there, so that even noise changes little of the leading order."""
    case = tc.Problem("tanh(x + 1)", TEACHER, "1/2", "1e-14", "1/10", "1/2")
    even, leading = (tc.weight_spectrum(case, n=1000, eta=1e6, method=method) for method in ("isotropic", "pencil"))
    above = even.outlier - even.edges[0][1], leading.outlier - leading.edges[0][1]
    assert above[0] == pytest.approx(above[1], rel=1e-2)

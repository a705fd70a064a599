"""Outliers of the pencil: numbers of the theory, closed forms, and spiked matrices with their standard errors."""

from __future__ import annotations

from math import factorial, pi, sqrt

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermeval

import theorycalc as tc
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.bulk import bulk_of
from theorycalc.theory.pencil.outliers import StepSize, pencil_outliers, powers_kept

SIZES, DRAWS = (600, 300, 450), 16


def pencil_spectrum(case, **step):
    return tc.spectrum(case, method="pencil", **step)


def example(**options):
    sizes = {"n": 2000, "d": 1000, "N": 1500}
    return tc.Problem("relu", "H1 + H2/sqrt(2)", ridge="1/10", noise="1/2", **sizes, **options)


@pytest.mark.checks("outliers", "strengths")
@pytest.mark.parametrize(("alpha", "places"), [("0.2", [3.84]), ("0.3", [13.7]), ("0.4", [59.1, 13.5])])
def test_the_outliers_of_relu(alpha, places):
    found = pencil_spectrum(example(), alpha=alpha, gradient="labels", powers=2)
    np.testing.assert_allclose(found.outliers, places, rtol=4e-3)
    assert found.edges[0][1] == pytest.approx(2.03, abs=5e-3)


@pytest.mark.checks("powers_kept")
def test_the_powers_that_leave_the_bulk():
    assert [powers_kept(alpha) for alpha in (-0.1, 0.0, 0.2, 0.25, 0.3, 0.34, 1 / 3, 0.4)] == [1, 1, 1, 1, 2, 3, 2, 4]
    assert [powers_kept(alpha) for alpha in (0.45, 0.455)] == [9, 11]
    for alpha in (0.46, 0.5):
        with pytest.raises(tc.DomainError, match="more than 12 powers"):
            powers_kept(alpha)


@pytest.mark.checks("outliers", "overlaps")
@pytest.mark.parametrize("strength", [0.8, 0.95, 1.0, 1.3, 3.0, 1e3, 1e8])
@pytest.mark.parametrize("ratio", ["3/4", "5/2"])
def test_one_spike_on_noise(strength, ratio):
    """With c_1 → 0 it is a rank-one matrix plus noise: Benaych-Georges and Nadakuditi's formulas, above D⁴ = N/n."""
    c1 = 1e-5
    activation = tc.Activation.from_moments(c1, 1.0)
    r = tc.Problem(activation, ["1"], ratio, 1, 1).phi
    problem = tc.Problem(activation, ["1"], r, 1, 1)
    kappa = tc.predict(problem, ell=1).kappa
    bulk = bulk_of(problem.phi, problem.psi, c1, 1.0)
    eta = strength / (c1**2 * sqrt(kappa))
    found = pencil_outliers(problem, bulk, StepSize(1000, round(1000 * float(r)), 0.1, eta, "labels"))
    assert found.strengths == pytest.approx([strength])
    D2, r = strength**2, float(r)
    if r > D2**2:
        assert len(found.places) == 0
        return
    assert found.places == pytest.approx([(1 + D2) * (r + D2) / D2], rel=1e-8)
    assert found.alignments[0, 1] == pytest.approx(1 - (r + D2) / (D2 * (D2 + 1)), rel=1e-6, abs=1e-8)
    assert found.alignments[0, 0] == pytest.approx(0, abs=1e-12)


@pytest.mark.checks("overlaps")
@pytest.mark.parametrize(("layer", "gradient"), [("gaussian", "labels"), ("gaussian", "residual"), ("sign", "labels")])
def test_overlaps_are_shares(layer, gradient):
    """Overlaps with orthogonal vectors lie in [0, 1] and add up to less than 1; outliers grow with the step."""
    largest = []
    for alpha in (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45):
        found = pencil_spectrum(example(second_layer=layer), n=2000, alpha=alpha, gradient=gradient)
        assert (found.alignments >= 0).all()
        assert (found.alignments.sum(axis=1) < 1).all()
        assert (np.diff(found.outliers) < 0).all()
        assert found.outliers[-1] > found.edges[-1][1]
        largest.append(found.outliers[0])
    assert (np.diff(largest) > 0).all()


def test_no_step_has_no_outlier():
    assert len(pencil_spectrum(example(), n=2000, eta=0).outliers) == 0
    assert len(pencil_spectrum(example(), n=2000, eta=1e-12).outliers) == 0


def sized(sizes):
    """Return the arguments of a Problem for n, d and N."""
    return dict(zip(("n", "d", "N"), sizes, strict=True))


def sphere(rng, N, d):
    W = rng.standard_normal((N, d))
    return W / np.linalg.norm(W, axis=1, keepdims=True)


def relu(z):
    return np.maximum(z, 0) - 1 / sqrt(2 * pi)


def spiked(rng, sigma, c, eta, sizes, included=False):
    """F₀ + Σ_k c_1^k c_k η^k (X̃β)^k (a^k)ᵀ, with real features and the real direction, its h, and X̃."""
    n, d, N = sizes
    W, a = sphere(rng, N, d), rng.standard_normal(N) / sqrt(N)
    X, X2 = rng.standard_normal((2, n, d))
    y = hermeval(X[:, 0], [0, 1, sqrt(0.5)]) + 0.5 * rng.standard_normal(n)
    beta = X.T @ (y - sigma(X @ W.T) @ a if included else y) / n
    projected = X2 @ beta
    spikes = sum(c[1] ** k * c[k] * eta**k * np.outer(projected**k, a**k) for k in range(1, len(c)))
    return sigma(X2 @ W.T) + spikes, projected / np.linalg.norm(beta), X2


def observed(F, h, choose, degree):
    """The chosen eigenvalues of FFᵀ/n in falling order, and the squared overlaps of their vectors."""
    z, vectors = np.linalg.eigh(F @ F.T / len(F))
    H = np.stack([hermeval(h, [0] * k + [1]) / sqrt(len(h) * factorial(k)) for k in range(degree + 1)], axis=1)
    chosen = choose(z)[::-1]
    return np.concatenate([z[chosen], ((vectors[:, chosen].T @ H) ** 2).ravel()])


def away(draws, places, alignments):
    """Return by how many standard errors the theory is off; beside them 1 % is allowed for a finite n."""
    draws = np.array(draws)
    expected = np.concatenate([places, np.ravel(alignments)])
    error = draws.std(axis=0, ddof=1) / sqrt(len(draws))
    allowed = np.concatenate([0.01 * np.asarray(places), np.full(np.size(alignments), 0.01)])
    return (draws.mean(axis=0) - expected) / np.hypot(error, allowed)


@pytest.mark.slow
@pytest.mark.checks("outliers", "overlaps")
@pytest.mark.parametrize(("eta", "powers", "count"), [(3.0, 1, 1), (14.0, 2, 2)])
@pytest.mark.parametrize("gradient", GradientTarget)
def test_spiked_matrices(gradient, eta, powers, count):
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", ridge="1/10", noise="1/2", **sized(SIZES))
    found = pencil_spectrum(problem, eta=eta, gradient=gradient, powers=powers)
    assert len(found.outliers) == count
    rng = np.random.default_rng(2)
    c = tc.activation("relu").coefficients(powers)
    draws = [
        observed(F, h, lambda z: range(len(z) - count, len(z)), powers)
        for F, h, _ in (spiked(rng, relu, c, eta, SIZES, gradient == "residual") for _ in range(DRAWS))
    ]
    z = away(draws, found.outliers, found.alignments)
    assert np.abs(z).max() < 4, z


@pytest.mark.slow
@pytest.mark.checks("outliers", "overlaps")
def test_outliers_in_the_gap():
    """c_1 ≫ c_{>1}: between the bulks of the rest and of the linear part lie the quadratic spike and that of ‖x‖²."""
    sizes, c = (600, 60, 300), [0, 1, 1 / 14]
    problem = tc.Problem("H1 + H2/14", "H1 + H2/sqrt(2)", ridge="1/10", noise="1/2", **sized(sizes))
    found = pencil_spectrum(problem, eta=6, gradient="labels", powers=2)
    (_, low), (high, _) = found.edges
    assert found.outliers[0] > found.edges[1][1]
    assert low < found.outliers[2] < found.outliers[1] < high
    rng = np.random.default_rng(4)
    draws = [
        observed(F, h, lambda z: np.flatnonzero(z < 0.9 * high)[-2:], 2)
        for F, h, _ in (spiked(rng, lambda z: hermeval(z, c), c, 6.0, sizes) for _ in range(DRAWS))
    ]
    z = away(draws, found.outliers[1:], found.alignments[1:])
    assert np.abs(z).max() < 4, z


@pytest.mark.slow
@pytest.mark.checks("norm_spike")
def test_the_norm_of_the_inputs_is_a_spike_of_its_own():
    """Along 1 the neurons see θ/(1 + ζ), and not θ; where ζ = −1 the features have an outlier before any step."""
    rng, lam = np.random.default_rng(6), 0.1
    n, d, N = SIZES
    traces = tc.traces(phi=d / n, psi=d / N, ridge=lam, c1=0.5, c_rest=float(tc.activation("relu").c_rest))
    s = n / N * traces.m1
    theta = 1 - n / N * (1 - lam * s)
    zeta = 2 * tc.activation("relu").coefficients(2)[2] ** 2 * s * theta / (d / N)
    values = []
    for _ in range(DRAWS):
        F = relu(rng.standard_normal((n, d)) @ sphere(rng, N, d).T)
        values.append(lam * n * np.linalg.inv(F.T @ F + lam * n * np.eye(N)).sum() / N)
    error = np.std(values, ddof=1) / sqrt(DRAWS)
    assert abs(np.mean(values) - theta / (1 + zeta)) < 4 * error
    assert abs(np.mean(values) - theta) > 10 * error


def norm_overlap(problem):
    """1/∂_λ(1/w_0), 1/w_0 = 1/s + 2c_2²θ/ψ, at the λ where w_0 is infinite: from ∫ρ/(z + λ)^j, by quadrature."""
    found = tc.spectrum(problem)
    ((low, high),) = found.edges
    angles = (np.arange(4000) + 0.5) * pi / 8000
    z = low + (high - low) * np.sin(angles) ** 2
    weights = found.density(z) * (high - low) * np.sin(2 * angles) * pi / 8000
    lam = -pencil_spectrum(problem, n=800, eta=0).outliers[0]
    s, s_rate = (np.sum(weights / (z + lam) ** j) + found.atom / lam**j for j in (1, 2))
    phi, psi = float(problem.phi), float(problem.psi)
    theta_rate = psi / phi * np.sum(weights * z / (z + lam) ** 2)  # θ = 1 − (ψ/φ)(1 − λs)
    return 1 / (s_rate / s**2 + 2 * 1.5**2 * theta_rate / psi)


@pytest.mark.slow
@pytest.mark.checks("norm_spike")
def test_an_outlier_before_any_step():
    sizes = (800, 120, 600)
    problem = tc.Problem("H1 + 3*H2/2", "H1", ridge="1/10", **sized(sizes))
    found = pencil_spectrum(problem, eta=0)
    assert len(found.outliers) == 1
    assert np.abs(found.alignments).max() < 1e-12
    rng = np.random.default_rng(8)
    draws = [
        np.linalg.norm(hermeval(rng.standard_normal((800, 120)) @ sphere(rng, 600, 120).T, [0, 1, 1.5]), 2) ** 2 / 800
        for _ in range(DRAWS)
    ]
    dressed = tc.spectrum(problem, eta=0)
    for places in (found.outliers, dressed.outliers):
        (place,) = places
        z = (np.mean(draws) - place) / np.hypot(np.std(draws) / sqrt(DRAWS), 0.02 * place)
        assert abs(z) < 4
    assert dressed.edge_after == pytest.approx(found.edges[-1][1], rel=1e-5)
    gaussian = tc.Problem("H1 + 3*H2/2", "H1", ridge="1/10", first_layer="gaussian", **sized(sizes))
    both = pencil_spectrum(gaussian, n=sizes[0], eta=0)  # rows of fluctuating length do the same for the constant
    assert both.outliers == pytest.approx([found.outliers[0]] * 2)
    assert both.alignments[0, 0] == pytest.approx(both.alignments.sum())
    assert both.alignments[0, 0] == pytest.approx(norm_overlap(problem), rel=1e-6)


def test_sizes_and_steps_that_are_refused():
    problem = example()
    with pytest.raises(tc.ArgumentError, match="needs n="):
        tc.spectrum(tc.Problem("relu", "H1", 1, 1, 1), alpha="0.3")
    with pytest.raises(tc.ArgumentError, match=r"either alpha= .* or eta="):
        tc.spectrum(problem, n=2000)
    with pytest.raises(tc.DomainError, match="method='dressing' is not known"):
        tc.spectrum(problem, n=2000, alpha="0.3", method="dressing")
    with pytest.raises(tc.DomainError, match="eta=-1"):
        tc.spectrum(problem, n=2000, eta=-1)
    with pytest.raises(tc.DomainError, match="more than 12 powers"):
        pencil_spectrum(problem, n=2000, alpha="1/2")
    with pytest.raises(tc.ArgumentError, match="takes a Problem"):
        tc.spectrum("relu")
    moments = tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1"], 1, 1, 1)
    with pytest.raises(tc.DomainError, match=r"need the activation itself.* or use method='pencil'"):
        tc.spectrum(moments, n=1000, alpha="0.3")
    with pytest.raises(tc.DomainError, match="c_2 of moments"):
        pencil_spectrum(moments, n=1000, alpha="0.3")
    assert len(pencil_spectrum(moments, n=1000, alpha="0.2").strengths) == 1


def test_alpha_and_eta_are_the_same_step():
    by_alpha = pencil_spectrum(example(), n=2000, alpha="0.3")
    by_eta = pencil_spectrum(example(), n=2000, eta=2000**0.3, d=1000, N=1500)
    np.testing.assert_allclose(by_alpha.outliers, by_eta.outliers, rtol=1e-12)
    assert [row["power"] for row in by_alpha.rows if row["kind"] == "spike"] == [1, 2]
    assert "outlier" in repr(by_alpha)

"""The bulk of several kinds of neurons: one kind, matrices, moments, gaps, and a law of biases."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.bulk import bulk_of, density_of
from theorycalc.theory.kind_bulk import density_at, kind_bulk, linear_excess, place_at, tightness
from theorycalc.theory.kinds import KindMoments, kind_equations

TWO = [KindMoments(0.25, 0.9, 0.2), KindMoments(0.75, 0.3, 0.5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "numbers", [(0.5, 2 / 3, 0.5, 0.3), (0.25, 0.1, 1.0, 0.1), (0.5, 0.5, 0.5, 0.3), (0.5, 0.3, 0.7, 0.0)]
)
def test_equal_kinds_have_the_bulk_of_one(numbers):
    """Edges, gaps, the mass at 0 and the density, with a hard edge and without c_{>1}."""
    phi, psi, c1, c_rest = numbers
    wanted, found = bulk_of(*numbers), kind_bulk([KindMoments(share, c1, c_rest) for share in (0.25, 0.75)], phi, psi)
    edges = [[end for interval in bulk.intervals for end in interval[:2]] for bulk in (found, wanted)]
    assert edges[0] == pytest.approx(edges[1], rel=1e-12)
    assert (found.atom, found.mean) == pytest.approx((wanted.atom, wanted.mean))
    z = np.concatenate([np.linspace(low, high, 50)[1:-1] for low, high, *_ in wanted.intervals])
    np.testing.assert_allclose(density_at(found, z), density_of(wanted, z), rtol=1e-9)


@pytest.mark.checks("kind_bulk")
def test_points_of_the_curves_solve_the_equations():
    """At σ = 1/s, k = t/s and λ = −z both equations of the traces hold; z has the slope that the tightness says."""
    sigma, phi, psi = -4.0, 0.5, 2 / 3
    k = _root(lambda k: linear_excess(TWO, sigma, k, psi), 1.0, 3.0)
    z = place_at(TWO, sigma, k, phi / psi)
    assert max(map(abs, kind_equations(TWO, 1 / sigma, k / sigma, phi, psi, -z))) < 1e-12
    step = 1e-6
    beside = _root(lambda k: linear_excess(TWO, sigma + step, k, psi), 1.0, 3.0)
    slope = (place_at(TWO, sigma + step, beside, phi / psi) - z) / step
    found = tightness(TWO, sigma, k, phi, psi)
    assert slope == pytest.approx(found.points - 1, rel=1e-4)
    assert found.rows < 1


def _root(function, low: float, high: float) -> float:
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low


def eigenvalues(kinds, n: int, d: int, N: int, seed: int) -> np.ndarray:
    """Return the eigenvalues of FFᵀ/n for F = c_1XWᵀ + c_{>1}·noise, by a numpy matrix of its own."""
    rng = np.random.default_rng(seed)
    counts = [round(kind.share * N) for kind in kinds]
    c1, c_rest = (np.repeat([getattr(kind, name) for kind in kinds], counts) for name in ("c1", "c_rest"))
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1)[:, None]
    F = rng.standard_normal((n, d)) @ (W * c1[:, None]).T + c_rest * rng.standard_normal((n, N))
    return np.linalg.eigvalsh(F @ F.T / n)


@pytest.mark.slow
@pytest.mark.checks("kind_bulk")
def test_the_density_is_that_of_matrices():
    """Shares of eigenvalues in ten windows by standard errors; one kind with the mean energies is refuted."""
    n, d, N = 600, 300, 450
    found = kind_bulk(TWO, d / n, d / N)
    (low, high, *_) = found.intervals[0]
    cuts = np.linspace(low, high, 11)
    draws = [eigenvalues(TWO, n, d, N, seed) for seed in range(6)]
    shares = np.array([np.histogram(values, cuts)[0] / n for values in draws])
    error = np.maximum(shares.std(axis=0, ddof=1) / np.sqrt(len(draws)), 0.5 / n)
    nodes, weights = np.polynomial.legendre.leggauss(100)

    def predicted(bulk, low, high):
        angle = np.pi / 4 * (1 + nodes)  # z = low + (high − low) sin²: the density has roots at the edges
        z = low + (high - low) * np.sin(angle) ** 2
        return float(np.sum(weights * density_at(bulk, z) * (high - low) * np.sin(2 * angle)) * np.pi / 4)

    inside = np.array([predicted(found, *cuts[i : i + 2]) for i in range(10)])
    assert inside.sum() == pytest.approx(1 - found.atom, abs=1e-4)
    assert np.all(np.abs(shares.mean(axis=0) - inside) < 4 * error)
    one = KindMoments(1.0, *(np.sqrt(sum(k.share * getattr(k, name) ** 2 for k in TWO)) for name in ("c1", "c_rest")))
    wrong = np.array([predicted(kind_bulk([one], d / n, d / N), *cuts[i : i + 2]) for i in range(10)])
    assert np.abs((shares.mean(axis=0) - wrong) / error).max() > 10
    assert max(values[-1] for values in draws) < 1.05 * high


@pytest.mark.slow
def test_a_nearly_dead_kind_makes_a_gap():
    kinds = [KindMoments(0.5, 0.8, 0.6), KindMoments(0.5, 0.01, 0.02)]
    found = kind_bulk(kinds, 0.25, 0.2)
    values = eigenvalues(kinds, 1200, 300, 1500, seed=1)
    assert len(found.intervals) == 2
    gap = found.intervals[0].high, found.intervals[1].low
    assert not np.any((values > 1.1 * gap[0]) & (values < gap[1] / 1.1))
    assert density_at(found, np.array([np.sqrt(gap[0] * gap[1])]))[0] == 0


@pytest.mark.slow
def test_a_law_has_no_gaps_between_the_nodes_of_its_rule():
    sizes = {"teacher": "H1", "phi": "1/2", "psi": "2/3", "ridge": 1, "intercept": True}
    found = tc.spectrum(tc.Problem("tanh", **sizes, biases="normal(1)"))
    assert len(found.edges) == 1
    assert found.atom == pytest.approx(0.25)

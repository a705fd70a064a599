"""The bulk: its mass and moments, its edges by another method, known laws, and real matrices."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise
from math import pi, sqrt

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.matrices import mean_and_error
from tests.helpers.problems import log_fractions
from theorycalc.theory.bulk import _newton, _polish, _roots, bulk_of, density_of, steepness, traces_on
from theorycalc.theory.solver import float_traces

NODES, WEIGHTS = np.polynomial.legendre.leggauss(300)

#: φ, ψ, c_1, c_{>1}: the example, two intervals, N = n, linear (d, N or n smallest; d = N), almost no linear part
CASES = [
    ("1/2", "2/3", 0.5, 0.3014),
    ("1/10", "1/5", 1.0, 0.1),
    ("1/100", "1/50", 1.0, 0.1),
    ("2", "2", 1.0, 0.5),
    ("1/2", "1/3", 1.0, 0.0),
    ("3", "4", 2.0, 0.0),
    ("3/2", "1/2", 1.0, 0.0),
    ("1/2", "1", 1.0, 0.0),
    ("1/2", "3", 1e-5, 1.0),
    ("1000", "1/1000", 0.1, 3.0),
]


def bulk(phi, psi, c1, c_rest):
    return bulk_of(Fraction(phi), Fraction(psi), c1, c_rest)


def integral(found, function=np.ones_like):
    """∫ function·density, by z = low + (high − low) sin²: roots at the edges become smooth."""
    angles, weights = (NODES + 1) * pi / 4, WEIGHTS * pi / 4
    total = 0.0
    for low, high, *_ in found.intervals:
        z = low + (high - low) * np.sin(angles) ** 2
        total += np.sum(weights * function(z) * density_of(found, z) * (high - low) * np.sin(2 * angles))
    return total


@pytest.mark.checks("bulk_density", "bulk_atom", "bulk_edges")
@pytest.mark.parametrize("case", CASES)
def test_mass_and_two_moments(case):
    """E z = E σ² N/n, and E z² = (N/n)(E τ² + (N/n)(E τ)²), τ the eigenvalues of c_{>1}² + c_1²W₀W₀ᵀ."""
    found = bulk(*case)
    phi, psi, c1, c_rest = (float(Fraction(x)) for x in case)
    ratio, size = phi / psi, c1**2 + c_rest**2
    assert integral(found) == pytest.approx(1 - found.atom, abs=1e-11)
    assert integral(found, lambda z: z) == pytest.approx(found.mean, rel=1e-11)
    assert found.mean == pytest.approx(ratio * size, rel=1e-14)
    assert integral(found, np.square) == pytest.approx(ratio * (size**2 + c1**4 / psi + ratio * size**2), rel=1e-11)


@pytest.mark.checks("bulk_atom")
@pytest.mark.parametrize(
    ("case", "atom"),
    [
        (("1/2", "2/3", 0.5, 0.3), 1 / 4),
        (("1/2", "1/3", 0.5, 0.3), 0),
        (("1/2", "2/3", 0.5, 0.0), 1 / 2),  # d < N < n
        (("3/4", "3/2", 0.5, 0.0), 1 / 2),  # N < d < n
        (("2", "1", 0.5, 0.0), 0),  # n < d, N
    ],
)
def test_the_atom_is_what_the_rank_leaves(case, atom):
    found = bulk(*case)
    assert found.atom == atom
    n = 120
    d, N = (round(n * float(x)) for x in (Fraction(case[0]), Fraction(case[0]) / Fraction(case[1])))
    rng = np.random.default_rng(0)
    F = case[2] * rng.standard_normal((n, d)) @ rng.standard_normal((d, N)) + case[3] * rng.standard_normal((n, N))
    assert 1 - np.linalg.matrix_rank(F) / n == pytest.approx(atom)


@pytest.mark.checks("bulk_curve")
def test_it_is_the_equation_of_the_traces():
    for y in (0.7, 3.0, 40.0):
        found = bulk("1/2", "2/3", 0.5, 0.3)
        traces, lam = traces_on(y, found.curve)
        assert lam > 0
        np.testing.assert_allclose(traces, float_traces(0.5, 2 / 3, lam, 0.5, 0.3), rtol=1e-12)


@pytest.mark.checks("bulk_density")
def test_below_the_axis_the_transform_is_the_trace():
    """∫ρ/(z + λ) + atom/λ = (ψ/φ)m_1 at λ > 0: the density belongs to the right branch."""
    for case in CASES:
        phi, psi, c1, c_rest = (float(Fraction(x)) for x in case)
        found = bulk(*case)
        lam = found.mean
        m1 = tc.traces(phi=phi, psi=psi, ridge=lam, c1=c1, c_rest=c_rest).m1
        transform = integral(found, lambda z, lam=lam: 1 / (z + lam)) + found.atom / lam
        assert transform == pytest.approx(psi / phi * m1, rel=1e-11)


@pytest.mark.checks("bulk_density")
def test_roots_are_polished():
    """Eigenvalues of a companion matrix leave the last six digits of a bulk far below the other to Newton's method."""
    found = bulk("1/1000", "1/500", 1.0, 1e-4)
    curve, (low, high, *_) = found.curve, found.intervals[0]
    z = np.linspace(low, high, 9)[1:-1]
    rough = _roots(curve, z)
    before, after = (np.abs(_newton(curve, z[:, None], y)[1] / y) for y in (rough, _polish(curve, z[:, None], rough)))
    bent = rough.imag != 0
    assert after[bent].max() < 1e-3 * before[bent].max()


def marchenko_pastur(z, ratio, size):
    """The law of the eigenvalues of GGᵀ/n, G of n × rn entries of variance ``size``, without its atom."""
    low, high = size * (1 - sqrt(ratio)) ** 2, size * (1 + sqrt(ratio)) ** 2
    return np.sqrt(np.maximum((high - z) * (z - low), 0)) / (2 * pi * size * z)


@pytest.mark.checks("bulk_density", "bulk_edges")
@pytest.mark.parametrize(
    ("case", "ratio", "size"),
    [
        (("1/2", "2/3", 1e-9, 1.5), 0.75, 2.25),  # no linear part: noise
        (("1/2", "1/5", 1e-9, 0.7), 2.5, 0.49),
        (("10000000000000", "40000000000000", 0.6, 0.8), 0.25, 1.0),  # d ≫ n, N: a linear part is as good as noise
        (("1/3", "1/30000000000000", 2.0, 0.0), 1 / 3, 4 * 3e13),  # linear, N ≫ n, d: X̃X̃ᵀ/n times c_1²N/d
    ],
)
def test_marchenko_pastur(case, ratio, size):
    found = bulk(*case)
    ((low, high, *_),) = found.intervals
    assert (low, high) == pytest.approx((size * (1 - sqrt(ratio)) ** 2, size * (1 + sqrt(ratio)) ** 2), rel=1e-5)
    z = np.linspace(low, high, 41)[1:-1]
    np.testing.assert_allclose(density_of(found, z), marchenko_pastur(z, ratio, size), rtol=2e-5)


@pytest.mark.checks("bulk_edges")
@pytest.mark.parametrize(("phi", "psi"), [("2", "2"), ("3", "3")])
def test_as_many_neurons_as_samples_have_a_bulk_down_to_zero(phi, psi):
    assert bulk(phi, psi, 1.0, 0.5).intervals[0].low == 0
    assert bulk(phi, "1/2", 1.0, 0.5).intervals[0].low > 0


@pytest.mark.slow
@pytest.mark.checks("bulk_edges", "bulk_curve")
@pytest.mark.parametrize("case", [("1/2", "2/3", "1/2", "3/10"), ("1/10", "1/5", "1", "1/10"), ("5", "3", "1/4", "2")])
def test_edges_are_double_roots_of_the_quartic(case):
    """The discriminant of the printed equations' quartic in m_1 vanishes at every edge, by sympy at 60 digits."""
    phi, psi, c1, c_rest = map(sp.Rational, case)
    x, z = sp.symbols("x z")
    gamma, K = -z * psi / phi, phi**2 / psi
    t = x * (phi / psi - 1 + gamma * x)
    quartic = sp.expand(
        (phi * c_rest**2 * t - K * (1 - gamma * x)) * (K + c1**2 * t) + phi * c1**2 * K * t
    )  # docs/theory/traces.md#one-monotone-equation, its denominator cleared
    roots = sp.Poly(sp.discriminant(sp.Poly(quartic, x)), z).nroots(n=60, maxsteps=500)
    real = [float(sp.re(root)) for root in roots if abs(sp.im(root)) < 1e-25]
    found = bulk(case[0], case[1], float(c1), float(c_rest))
    for interval in found.intervals:
        for edge in interval[:2]:
            assert min(abs(root / edge - 1) for root in real) < 5e-16


def test_two_intervals_merge_as_the_rest_grows():
    counts = [len(bulk("1/10", "1/5", 1.0, c_rest).intervals) for c_rest in (0.01, 0.1, 0.5, 0.9, 2.0)]
    assert counts[0] == 2
    assert counts[-1] == 1
    assert counts == sorted(counts, reverse=True)
    found = bulk("1/10", "1/5", 1.0, 0.1)
    assert found.intervals[0].high < found.intervals[1].low
    gap = np.linspace(found.intervals[0].high, found.intervals[1].low, 20)
    assert not density_of(found, gap).any()
    upper = found.intervals[1]
    shares = integral(found) - integral(type(found)(found.curve, (upper,), found.atom))
    assert shares == pytest.approx(0.4, abs=1e-12)  # the linear part has d of n eigenvalues, the rest N − d


def test_without_the_rest_the_lower_interval_becomes_the_atom():
    almost, linear = bulk("1/10", "1/5", 1.0, 1e-7), bulk("1/10", "1/5", 1.0, 0.0)
    assert almost.intervals[1][:2] == pytest.approx(linear.intervals[0][:2], rel=1e-11)
    assert almost.intervals[0].high < 1e-12
    assert linear.atom == 0.9


@pytest.mark.checks("bulk_edges")
def test_edges_of_the_balance():
    """z does not change with y at an edge: the steepness vanishes, relative to its terms."""
    for case in CASES:
        found = bulk(*case)
        for interval in found.intervals:
            assert abs(steepness(interval.high_y, found.curve)) < 1e-13 * interval.high_y**2 * max(1, found.curve.ratio)


def features(rng, n, d, N):
    """F₀ of ReLU, centred, on the sphere."""
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    return np.maximum(rng.standard_normal((n, d)) @ W.T, 0) - 1 / sqrt(2 * pi)


@pytest.mark.slow
def test_eigenvalues_of_real_features():
    """n = 1000, four draws: in every tenth of the bulk the count is right to a few of 1000 eigenvalues."""
    n, d, N = 1000, 500, 750
    found = tc.spectrum(tc.Problem("relu", "H1", n=n, d=d, N=N, ridge="1/10"))
    ((low, high),) = found.edges
    bins = np.concatenate([[1e-6], low + (high - low) * np.linspace(0, 1, 11)[1:-1], [2 * high]])
    rng = np.random.default_rng(5)
    draws = [np.linalg.svd(features(rng, n, d, N), compute_uv=False) ** 2 / n for _ in range(4)]
    counts = np.array([np.histogram(z, bins)[0] for z in draws])
    expected = []
    for a, b in pairwise(bins):
        inside = lambda z, a=a, b=b: (z >= a) & (z < b)  # noqa: E731
        fine = low + (high - low) * np.sin((np.arange(40_000) + 0.5) * pi / 80_000) ** 2
        step = (high - low) * np.sin((np.arange(40_000) + 0.5) * pi / 40_000) * pi / 80_000
        expected.append(n * np.sum(found.density(fine) * step * inside(fine)))
    assert sum(expected) == pytest.approx(750, abs=1e-3)
    error = np.sqrt(counts.var(axis=0, ddof=1).mean() / len(draws))
    assert np.abs(counts.mean(axis=0) - expected).max() < 4 * error + 1  # the limit is off by O(1) eigenvalues
    second = np.mean([np.sum(z**2) / n for z in draws])
    assert second == pytest.approx(integral(found.bulk, np.square), rel=0.01)


SIZES = st.tuples(log_fractions(-2, 2), log_fractions(-2, 2))


@settings(max_examples=15)
@given(SIZES, log_fractions(-2, 1), log_fractions(-2, 1), st.sampled_from([1.0, 0.1, 7.0]))
def test_properties(sizes, c1, c_rest, scale):
    found = bulk_of(*sizes, float(c1), float(c_rest))
    ends = [edge for interval in found.intervals for edge in interval[:2]]
    assert ends == sorted(ends)
    assert ends[0] >= 0
    assert len(set(ends)) == len(ends)
    z = np.linspace(-ends[-1], 2 * ends[-1], 200)
    values = density_of(found, z)
    assert (values >= 0).all()
    assert np.isfinite(values).all()
    assert integral(found) == pytest.approx(1 - found.atom, abs=1e-8)
    scaled = bulk_of(*sizes, scale * float(c1), scale * float(c_rest))
    np.testing.assert_allclose([e for i in scaled.intervals for e in i[:2]], scale**2 * np.array(ends), rtol=1e-12)


def test_the_public_spectrum():
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    found = tc.spectrum(problem)
    assert found.outliers is None
    assert found.atom == 0.25
    assert isinstance(found.density(1), float)
    assert found.density([[0.5, 1.0]]).shape == (1, 2)
    assert [(row["low"], row["high"]) for row in found.rows if row["kind"] == "bulk"] == list(found.edges)
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("Spectrum of F₀F₀ᵀ/n, before any step\n  bulk  0.0028")


@pytest.mark.parametrize(
    ("z", "message"),
    [(np.nan, "z=nan is not a finite"), ([1.0, np.inf], r"z\[1\]=inf"), ("1", "not a real number"), (1j, "not a real")],
)
def test_places_that_are_refused(z, message):
    with pytest.raises(tc.DomainError, match=message):
        tc.spectrum(tc.Problem("relu", "H1", 1, 2, 1)).density(z)


@pytest.mark.slow
@pytest.mark.checks("dressed_outliers", "unit_step")
@pytest.mark.parametrize(
    "options",
    [
        {"corrupt_step": "1/2", "corrupt_fit": "1/4", "intercept": True},
        {"first_scale": "3/2", "second_scale": 2, "second_layer": "uniform"},
    ],
)
def test_outliers_of_networks_with_options(options):
    """The largest eigenvalue within 3.5 standard errors; without the options the theory is more than five off."""
    plain = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", n=400, d=200, N=300, ridge="1/10", noise="1/2")
    problem = dataclasses.replace(plain, **options)
    run = tc.simulate(problem, n=400, eta=12, replicates=16, seed=3, spectrum=True)
    mean, error = mean_and_error([record["spectrum"]["top"][0] for record in run.records])
    found, other = (tc.spectrum(case, eta=12).outliers[0] for case in (problem, plain))
    assert abs(mean - found) < 3.5 * error
    assert abs(mean - other) > 5 * error

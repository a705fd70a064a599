"""A second layer that is uniform on ±√(3/N): its polynomials, its rule, the pencil, and real networks."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.matrices import mean_and_error
from tests.independent.literal_network import Built, gains
from theorycalc.theory.dressed.responses import uniform_rule
from theorycalc.theory.pencil.equations import law_in_polynomials, law_norm


def problem(second_layer="uniform", **options):
    sizes = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
    return tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/5", second_layer=second_layer, **sizes | options)


@pytest.mark.checks("pencil_gains", "second_layer")
def test_polynomials_have_the_moments_of_the_law():
    """E z^p z^q = 3^{(p+q)/2}/(p + q + 1), exactly; the first polynomials are 1 and z itself."""
    for p in range(13):
        for q in range(p % 2, 13, 2):
            one, other = (law_in_polynomials(k, "uniform") for k in (p, q))
            found = sum(one[j] * other[j] * law_norm(j, "uniform") for j in one.keys() & other.keys())
            assert found == Fraction(3 ** ((p + q) // 2), p + q + 1)
    assert law_in_polynomials(1, "uniform") == {1: 1}
    assert law_norm(0, "uniform") == law_norm(1, "uniform") == 1


@pytest.mark.parametrize("focus", [2.0, 0.3, 0.01])
def test_the_rule_integrates_what_varies_near_zero(focus):
    """∫ du/(1 + (u/f)²) over ±√3 is 2f atan(√3/f)."""
    for step, accuracy in ((0.385, 1e-5), (0.19, 1e-9)):
        nodes, weights = uniform_rule(step, focus)
        found = weights @ (1 / (1 + (nodes / focus) ** 2))
        assert found == pytest.approx(focus * math.atan(math.sqrt(3) / focus) / math.sqrt(3), rel=accuracy)
    assert len(nodes) < 200


def test_limits_are_those_of_a_gaussian_layer():
    """Powers of a have different right vectors under both laws, and the limit asks for nothing else."""
    for network in ("theorem", "literal"):
        found, gaussian = (tc.predict(problem(law), ell=3, network=network) for law in ("uniform", "gaussian"))
        assert found.spikes == gaussian.spikes == (1, 2, 3)
        assert found.test_gain == gaussian.test_gain
    unmet = [str(c) for c in tc.predict(problem(), ell=2).conditions if c.holds is False]
    assert "FAILS: second layer a Gaussian" in unmet


@pytest.mark.checks("pencil_gains")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_dressed_features_tend_to_the_pencil(gradient):
    """By Gauss–Legendre nodes and by Legendre polynomials, as η²/N → 0; the polynomials of other laws are rejected."""
    where = {"n": 10**8, "alpha": 0.2, "gradient": gradient}
    dressed, pencil = (tc.step(problem(), method=method, **where) for method in ("isotropic", "pencil"))
    assert dressed.test_gain == pytest.approx(pencil.test_gain, rel=2e-5)
    for law in ("gaussian", "sign"):
        assert dressed.test_gain != pytest.approx(tc.step(problem(law), method="pencil", **where).test_gain, rel=2e-4)


def test_digits_of_the_pencil_are_proven():
    found = tc.step(problem(), n=300, eta=5, method="pencil", digits=20)
    assert float(found.test_gain) == pytest.approx(float(tc.step(problem(), n=300, eta=5, method="pencil").test_gain))


def test_outliers_of_small_steps():
    found, pencil = (tc.spectrum(problem(), n=10**6, alpha=0.2, method=m) for m in ("dressed", "pencil"))
    assert found.outliers == pytest.approx(pencil.outliers, rel=0.01)


@pytest.mark.slow
def test_real_networks():
    """Within 3.5 standard errors up to η = n^0.56; with random signs in the theory, more than five."""
    sizes, etas, ridges = (300, 150, 225), (4.0, 10.0, 25.0), (0.05, 1.0)
    shape = dict(zip("ndN", sizes, strict=True)) | {"ridge": 1, "noise": "1/4"}
    cases = {law: tc.Problem("tanh(x + 1)", "H1 + H2", **shape, second_layer=law) for law in ("uniform", "sign")}
    mean = float(cases["uniform"].activation.mean)
    built = Built(lambda z: np.tanh(z + 1) - mean, lambda z: 1 / np.cosh(z + 1) ** 2, second_layer="uniform")
    rng = np.random.default_rng(3)
    draws = [gains(rng, built, lambda t: t + t**2 - 1, sizes, etas, ridges, 0.25) for _ in range(80)]
    means, errors = mean_and_error(draws)
    worst = {}
    for law, case in cases.items():
        found = tc.step(case, eta=np.array(etas)[:, None], ridge=ridges)
        worst[law] = np.abs((means - np.stack([found.train_gain, found.test_gain], axis=-1)) / errors).max()
    assert worst["uniform"] < 3.5
    assert worst["sign"] > 5

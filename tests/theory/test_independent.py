"""The untrained network by other people's formulas: Mei and Montanari's, Adlam and Pennington's, and draws."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.untrained import ours
from tests.independent import adlam_pennington, by_hand, mei_montanari
from tests.independent.cases import (
    by_adlam_pennington,
    by_mei_montanari,
    by_mei_montanari_in_digits,
    log_uniform,
    near_interpolation,
)


def worst(cases, theirs):
    return max(abs(b / a - 1) for case in cases for a, b in zip(ours(case), theirs(case), strict=True))


def difference(theirs, proven):
    """The relative difference of two long numbers, in more digits than they have."""
    with mpmath.workdps(80):
        return abs(mpmath.mpf(theirs) / mpmath.mpf(proven) - 1)


@pytest.mark.parametrize("decades", [0.5, 2, 8])
def test_mei_and_montanari_agree(decades):
    cases = log_uniform(1, 100, decades)
    assert {case.phi > case.psi for case in cases} == {True, False}  # both sides of N = n
    assert worst(cases, by_mei_montanari) < 1e-13


def test_adlam_and_pennington_agree():
    """At ordinary ratios: their difference τ_2 − τ_1 loses digits beyond."""
    cases = log_uniform(2, 100, 0.5)
    assert {case.phi > case.psi for case in cases} == {True, False}
    assert worst(cases, by_adlam_pennington) < 1e-12


@pytest.mark.parametrize("cases", [log_uniform(3, 10, 8), near_interpolation(3, 10)], ids=["wide", "N near n"])
def test_forty_digits_agree(cases):
    """Where float64 of either may round, 40 proven digits and theirs in high precision are the same number."""
    for case in cases:
        for proven, theirs in zip(ours(case, digits=40), by_mei_montanari_in_digits(case, 40), strict=True):
            assert difference(theirs, proven) < 1e-39


def test_the_limit_of_no_ridge_agrees():
    """Our test loss at λ = 0 is where theirs goes, with fewer neurons than samples and with more."""
    cases = log_uniform(8, 20, 0.5)
    assert {case.phi > case.psi for case in cases} == {True, False}
    for case in cases:
        vanishing = by_mei_montanari_in_digits(case._replace(ridge=1e-60), 40)
        assert difference(vanishing.test, ours(case._replace(ridge=0), digits=30).test) < 1e-25


def test_a_wrong_translation_is_noticed():
    """Their penalty is (N/d)λ‖a‖², and their test error leaves the noise out."""
    (case,) = log_uniform(4, 1, 0.5)
    assert float(tc.ridge_from("mei_montanari", case.ridge * case.psi, psi=case.psi)) == pytest.approx(case.ridge)
    wrong = by_mei_montanari(case._replace(ridge=case.ridge * case.psi))
    assert abs(wrong.test / ours(case)[1] - 1) > 1e-3


def simulated(rng, n, d, N, lam, linear, quadratic, noise):
    """Both errors of one draw in Mei and Montanari's setting: everything on spheres, centred ReLU, (N/d)λ‖a‖²."""

    def sphere(rows):
        points = rng.standard_normal((rows, d))
        return points * np.sqrt(d) / np.linalg.norm(points, axis=1, keepdims=True)

    W, X, T = sphere(N), sphere(n), sphere(4 * n)
    F, FT = (np.maximum(Z @ W.T / np.sqrt(d), 0) - 1 / np.sqrt(2 * np.pi) for Z in (X, T))
    y, yT = (linear * Z[:, 0] + quadratic * (Z[:, 0] ** 2 - 1) / np.sqrt(2) for Z in (X, T))
    y = y + noise * rng.standard_normal(n)
    a = np.linalg.solve(F.T @ F / n + N / d * lam * np.eye(N), F.T @ y / n)
    return np.mean((y - F @ a) ** 2) + N / d * lam * a @ a, np.mean((y - F @ a) ** 2), np.mean((yT - FT @ a) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d", "N"), [(600, 300, 400), (300, 200, 600)], ids=["N < n", "N > n"])
def test_their_formulas_describe_their_networks(n, d, N):
    """Without theorycalc: the penalised and the plain training error, and the test error, each against draws."""
    lam, linear, other, noise = 0.1, 1.0, 0.7, 0.5
    rng = np.random.default_rng(5)
    draws = np.array([simulated(rng, n, d, N, lam, linear, other, noise) for _ in range(40)])
    mean, error = draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    mu_1, mu_star = 0.5, np.sqrt(0.25 - 1 / (2 * np.pi))
    mei = mei_montanari.errors(N / d, n / d, lam, mu_1, mu_star, linear, other, noise)
    gamma = lam * N / d * n / N  # K = FFᵀ/N + γ
    adlam = adlam_pennington.errors(d / n, d / N, gamma, mu_1**2 + mu_star**2, mu_1**2, linear**2, other**2 + noise**2)
    assert np.abs((mean[[0, 2]] - mei) / error[[0, 2]]).max() < 4
    assert np.abs((mean + np.array([0, 0, noise**2]) - adlam) / error).max() < 4
    assert np.abs((mean[[0, 2]] - np.array(mei) * 1.1) / error[[0, 2]]).min() > 4  # ten per cent would be seen


def test_by_hand_is_typed_right():
    """What is done by hand agrees with ours where it can: failures elsewhere are those of the tools."""
    case = log_uniform(6, 1, 0.2)[0]
    assert by_hand.by_scipy_root(case, "lm") == pytest.approx(ours(case), rel=1e-6)
    assert by_hand.by_scipy_root(case, "hybr") == pytest.approx(ours(case), rel=1e-6)
    assert by_hand.by_brentq(case) == pytest.approx(ours(case), rel=1e-6)
    for theirs, proven in zip(by_hand.by_mpmath(case), ours(case, digits=30), strict=True):
        assert difference(theirs, proven) < 1e-25
    expected = tc.coefficients("tanh", 3)[3]
    assert by_hand.coefficient_by_quad(math.tanh, 3) == pytest.approx(expected, rel=1e-9)
    assert by_hand.coefficient_by_gauss(math.tanh, 3) == pytest.approx(expected, rel=1e-9)
    assert float(by_hand.coefficient_by_mpmath(mpmath.tanh, 3)) == pytest.approx(expected, rel=1e-14)


def test_they_are_independent():
    """Neither the formulas nor their translation import theorycalc."""
    for path in Path(mei_montanari.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", ())] + [getattr(node, "module", None) or ""]
            assert not any(name.startswith("theorycalc") for name in names), path

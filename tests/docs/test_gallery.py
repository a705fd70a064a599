"""Figures of papers: our curves are those of the papers' own formulas, and the stored numbers are explained."""

from __future__ import annotations

import math
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest

import theorycalc as tc
from benchmarks.gallery import adlam_pennington, ba, cui, gerace, mei_montanari, moniri
from benchmarks.gallery.__main__ import MAKERS, main
from benchmarks.gallery.networks import Setting, means
from benchmarks.pages import read_between
from tests.helpers.docs_code import same
from tests.independent import cui as of_cui
from tests.independent import gerace as of_gerace
from tests.independent import mei_montanari as of_mei

pytestmark = pytest.mark.slow


def apart(ours, theirs):
    return float(np.max(np.abs(np.divide(ours, theirs) - 1)))


@pytest.mark.parametrize(("samples", "penalty", "noise"), mei_montanari.curves().values())
def test_double_descent_is_that_of_mei_and_montanari(samples, penalty, noise):
    ratios = (0.1, 0.7, 1.4, 10)
    found = [mei_montanari.ours(samples, r, penalty, noise) for r in ratios]
    expected = [mei_montanari.paper(samples, r, penalty or 1e-14, noise) for r in ratios]
    assert apart(found, expected) < (1e-13 if penalty else 1e-10)


@pytest.mark.parametrize("samples", [0.5, 3, 10])
def test_a_wide_network_is_their_kernel(samples):
    zeta_2 = (mei_montanari.MU_1 / mei_montanari.MU_STAR) ** 2
    bias, variance = of_mei.wide(zeta_2, samples, 0.2)
    found = [mei_montanari.ours(samples, 1e12, 0.2 * mei_montanari.MU_STAR**2, noise) for noise in (0, 1)]
    assert apart([found[0], found[1] - found[0]], [bias, variance]) < 1e-10
    assert of_mei.critical_snr(zeta_2, samples) == pytest.approx(zeta_2, rel=1e-13)  # whatever n/d is


def test_the_best_penalty_of_a_wide_network_is_known():
    for snr in (0.5, 2):
        best = (mei_montanari.MU_1**2 / snr - mei_montanari.MU_STAR**2) / 3
        least, *others = (mei_montanari.ours(3, 1e12, best * x, 1 / math.sqrt(snr)) for x in (1, 0.98, 1.02))
        assert least < min(others)


@pytest.mark.parametrize("gamma", adlam_pennington.GAMMAS)
def test_random_features_are_those_of_adlam_and_pennington(gamma):
    ratios = (0.1, 0.5, 1, 2, 10)
    found, bias = np.transpose([adlam_pennington.ours(r, gamma) for r in ratios])
    assert apart(found, [adlam_pennington.paper(r, gamma) for r in ratios]) < 1e-13
    assert np.all(np.diff(bias) < 0)


def test_two_networks_share_the_bias():
    """Drawn networks, without theorycalc, and a bias that is a fifth too large."""
    n, d, N = 200, 100, 100
    seen = means(Setting(n, d, N, np.tanh, lambda t: t, adlam_pennington.NOISE, 0.1 * N / n), 100, 1)["shared"]
    _, bias = adlam_pennington.ours(N / n, 0.1)
    assert abs(seen.value - bias) < 4 * seen.error
    assert abs(seen.value - 1.2 * bias) > 4 * seen.error


@pytest.mark.parametrize("penalty", [1e-4, 1.0])
def test_wrong_signs_are_those_of_gerace(penalty):
    ratios = (0.1, 0.5, 1, 2, 5)
    assert apart([gerace.ours(r, penalty) for r in ratios], [gerace.paper(r, penalty) for r in ratios]) < 1e-12
    wrong = of_gerace.errors(2, 2 / 3, penalty, 0.99 * gerace.KAPPA_1, gerace.KAPPA_STAR, 1, gerace.KAPPA_1)
    assert apart(gerace.ours(0.5, penalty)[2], wrong.test) > 1e-4  # the comparison can tell


def test_a_small_step_has_the_closed_form_of_one_spike():
    found = ba.step(ba.SMALL, ba.NEARLY_INFINITE)
    expected = [ba.small_step(eta) for eta in ba.SMALL]
    assert apart(found.test_gain, [gain.test for gain in expected]) < 1e-6
    assert apart(found.train_gain, [gain.training for gain in expected]) < 1e-6
    limit = tc.predict(ba.PROBLEM, ell=1)
    assert ba.small_step(1e5).test == pytest.approx(limit.test_gain, rel=1e-6)
    root = math.sqrt(ba.width())
    assert limit.test_loss > ba.step(0.65 * root).test_loss > ba.BEST_LINEAR > ba.step(0.67 * root).test_loss


def test_the_outlier_of_the_weights_is_that_of_a_spiked_matrix():
    for eta in ba.SMALL:
        found = tc.weight_spectrum(ba.PROBLEM, n=ba.NEARLY_INFINITE, eta=eta, gradient="labels")
        expected = ba.theirs.outlier(
            ba.PHI, ba.PSI, ba.Moments.linear, ba.Moments.linear, ba.Moments.labels, eta
        )  # fmt: skip
        assert (found.outlier is None) == (expected is None)
        if expected is not None:
            assert found.outlier == pytest.approx(expected.place, rel=1e-8)


@pytest.mark.parametrize("name", moniri.SETTINGS)
def test_the_printed_matrix_is_our_closed_form(name):
    teacher, noise = moniri.SETTINGS[name]
    case = (moniri.PHI, moniri.PSI, moniri.RIDGE, *moniri.moments(), teacher, noise)
    printed = [moniri.theirs.training_gain(*case, ell) for ell in moniri.STAIRS]
    assert apart([moniri.ours(name, ell).train_gain for ell in moniri.STAIRS], printed) < 1e-12


@pytest.mark.parametrize("samples", cui.CURVE)
def test_isotropic_features_are_the_equations_of_cui(samples):
    found = cui.ours(cui.OF_THE_CURVE, samples, cui.NEARLY_INFINITE, "isotropic")
    expected = cui.paper(cui.OF_THE_CURVE, samples).error
    assert apart(found.test_loss, expected) < 10 * max(found.error, 1e-8)
    assert apart(found.test_loss, cui.paper(cui.OF_THE_CURVE, samples, stored=True).error) > 1e-3  # another c is seen


def test_the_stored_curve_has_no_features_along_the_spike():
    stored = {"1/5": (0.0237288, 0.0147017, 1.0996516), "9/10": (0.0557748, 0.0490208, 1.1309281)}  # q_1, q_2, m
    for samples, printed in cui.CURVE.items():
        run = cui.paper(cui.OF_THE_CURVE, samples, along=False, stored=True)
        assert apart(run.error, printed) < 2e-3
        assert samples == "1/5" or apart(cui.paper(cui.OF_THE_CURVE, samples, stored=True).error, printed) > 1e-2
        if samples in stored:
            assert apart((run.q_1, run.q_2, run.m), stored[samples]) < 2e-3


def test_stored_networks_scatter_about_our_step():
    for samples, fits in cui.NETWORKS.items():
        found = cui.ours(cui.OF_THE_NETWORKS, samples, cui.THEIR_SIZE)
        train, test = np.mean(fits, axis=0)
        assert abs(test - found.test_loss) < found.spread.test_loss  # of one network
        assert abs(test - found.test_loss_initial) > 4 * found.spread.test_loss
        assert abs(train / found.train_error - 1) < found.spread.train_loss / found.train_loss


def test_a_spike_of_no_strength_is_random_features():
    """Cui's equations without a step are those of Gerace: the same network, by two sets of equations."""
    z, weights = of_cui.nodes()
    linear, energy = float(weights @ (1 - np.tanh(z) ** 2)), float(weights @ np.tanh(z) ** 2)
    slope = float(weights @ (z * np.sin(z)))
    after = of_cui.Spike(1.0, 0.0, 0.0)
    found = of_cui.solve(1.5, 0.1, after, of_cui.conditioned(np.tanh, np.sin, after), along=False)
    expected = of_gerace.errors(
        1.5, 1, 0.1, linear, math.sqrt(energy - linear**2), float(weights @ np.sin(z) ** 2), slope
    )  # fmt: skip
    assert found.error == pytest.approx(expected.test, rel=1e-11)


def test_pages_show_what_is_computed():
    assert [*MAKERS] == ["mei_montanari", "adlam_pennington", "gerace", "ba", "moniri", "cui"]
    for module in (ba, cui):
        assert same("\n".join(module.differences()), "\n".join(read_between(module.PAGE, "difference")))
    for module in (mei_montanari, adlam_pennington, gerace, ba, cui):
        root = ElementTree.fromstring(module.PAGE.with_suffix(".svg").read_bytes())
        assert len([node for node in root.iter() if node.get("id", "").startswith("text_")]) > 5
        for row in read_between(module.PAGE, "networks")[2:]:
            assert "±" in row


def test_an_unknown_page_is_named():
    with pytest.raises(SystemExit, match="no such page: nobody"):
        main(["nobody"])


def test_samples_are_those_of_the_notebook():
    places = [float(Fraction(samples)) for samples in cui.NETWORKS]
    assert places == pytest.approx(np.linspace(0.2, 3, 7), rel=1e-12)

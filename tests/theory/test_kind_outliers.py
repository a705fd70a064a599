"""Spectra of neurons with biases after a step: one kind, small steps, raw neurons, networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc

SIZES = {"teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}
LABELS = {"gradient": "labels"}


@pytest.mark.slow
@pytest.mark.checks("outliers")
@pytest.mark.parametrize(
    ("activation", "options"),
    [
        ("relu", {}),
        ("H1 + 3*H2/2", {}),  # F₀ itself has an outlier
        ("H1 + H2/2", {"first_layer": "gaussian"}),
        ("tanh(x + 1)", {"second_layer": "constant"}),
        ("tanh(x + 1)", {"centred_labels": False, "teacher": "1 + H1"}),
    ],
)
def test_one_kind_has_the_outliers_of_the_pencil(activation, options):
    one = tc.Problem(activation, **SIZES | options)
    how = {"n": 10**4, "alpha": 0.4, "gradient": "residual", "method": "pencil"}
    wanted, found = tc.spectrum(one, **how), tc.spectrum(replace(one, biases={0: 1}), **how)
    assert found.outliers == pytest.approx(wanted.outliers, rel=1e-9)
    np.testing.assert_allclose(found.alignments, wanted.alignments, atol=1e-9)
    assert found.strengths == pytest.approx(np.abs(wanted.strengths))


@pytest.mark.slow
@pytest.mark.checks("outliers")
def test_pencil_and_dressed_features_agree_for_small_steps():
    """The first outlier, up to η²/N; of one kind with the mean numbers they do not."""
    biased = tc.Problem("tanh", **SIZES, biases={0: 1, 2: 1})
    how = {"n": 10**7, "alpha": 0.2, **LABELS}
    pencil, dressed = (tc.spectrum(biased, **how, method=method) for method in ("pencil", "dressed"))
    assert pencil.outliers[0] == pytest.approx(dressed.outliers[0], rel=2e-4)
    assert pencil.alignments[0, :2] == pytest.approx(dressed.alignments[0, :2], abs=2e-4)
    without = tc.spectrum(replace(biased, biases=None), **how)
    assert abs(without.outliers[0] / dressed.outliers[0] - 1) > 0.1


@pytest.mark.slow
def test_outliers_of_networks():
    """Places and overlaps by standard errors; neurons without biases are refuted, and raw ones have a constant."""
    biased = tc.Problem("relu", **SIZES, biases={-1: 1, 1: 1}, centred=False)
    how = {"n": 300, "eta": 8, **LABELS}
    found = tc.spectrum(biased, **how)
    run = tc.simulate(biased, **how, replicates=12, spectrum=True)
    count = len(found.outliers)
    assert count == 2
    places = np.array([record["spectrum"]["top"][:count] for record in run.records])
    error = places.std(axis=0, ddof=1) / np.sqrt(len(places))
    assert np.all(np.abs(places.mean(axis=0) - found.outliers) < 3.5 * error)
    seen = np.array([record["spectrum"]["alignments"][count - 1][0] for record in run.records])
    assert abs(seen.mean() - found.alignments[-1, 1]) < 3.5 * seen.std(ddof=1) / np.sqrt(len(seen)) + 0.01
    wrong = tc.spectrum(replace(biased, biases=None), **how).outliers[-1]
    assert abs(places.mean(axis=0)[-1] - wrong) > 5 * error[-1]


@pytest.mark.slow
def test_raw_features_keep_their_mean_beside_an_intercept():
    """FFᵀ does not know the intercept, whatever the method."""
    raw = tc.Problem("relu", **SIZES | {"intercept": False}, centred=False)
    for method in ("dressed", "pencil"):
        fitted, alone = (
            tc.spectrum(problem, n=1000, eta=6, **LABELS, method=method)
            for problem in (replace(raw, intercept=True), raw)
        )
        assert len(alone.outliers) == 2
        assert fitted.outliers == pytest.approx(alone.outliers, rel=1e-9)


@pytest.mark.slow
@pytest.mark.checks("weights_outlier", "weights_overlaps", "weight_outlier")
def test_weights_of_networks_with_biases():
    """Place and overlaps by standard errors; the left vector is nearly a∘c_1(b), and that with a is refuted."""
    biased = tc.Problem("relu", **SIZES, biases={-1: 1, 1: 1})
    found = tc.weight_spectrum(biased, n=400, eta=6)
    (row,) = tc.simulate(biased, n=400, eta=6, replicates=12, spectrum=True).rows
    expected = {"top_singular_value": found.outlier} | {
        name: getattr(found, name) for name in ("overlap_a", "overlap_direction", "overlap_teacher")
    }
    for name, value in expected.items():
        room = 0.03 * (found.outlier if name == "top_singular_value" else 1)
        assert abs(row[name] - value) < max(3 * row[f"{name}_se"], room)
    leading = tc.weight_spectrum(biased, n=400, eta=6, method="pencil")
    assert leading.overlap_a == pytest.approx(found.overlap_a, abs=0.02)
    c1 = np.array([float(kind.c1) for kind in biased.unit_kinds])
    assert abs(found.overlap_a / (c1.mean() ** 2 / (c1**2).mean()) - row["overlap_a"]) > 20 * row["overlap_a_se"]


@pytest.mark.slow
@pytest.mark.checks("weights_bulk", "weights_rows")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform", "sign"])
def test_one_kind_has_the_weights_of_the_shifted_activation(second_layer):
    shifted = tc.Problem("tanh(x + 1)", **SIZES, second_layer=second_layer)
    for biases in ({1: 1}, {1: 1, "1 + 1e-12": 2}):
        biased = tc.Problem("tanh", **SIZES, second_layer=second_layer, biases=biases)
        wanted, found = (tc.weight_spectrum(one, n=600, eta=9) for one in (shifted, biased))
        for name in ("outlier", "overlap_a", "overlap_direction", "overlap_teacher", "mean"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-7)
        assert found.edges[0] == pytest.approx(wanted.edges[0], rel=1e-7)
        z = np.linspace(*wanted.edges[0], 30)[1:-1]
        np.testing.assert_allclose(found.density(z), wanted.density(z), rtol=1e-6)


@pytest.mark.slow
def test_the_density_of_the_weights_of_two_kinds_is_complete():
    found = tc.weight_spectrum(tc.Problem("relu", **SIZES, biases={-1: 1, 1: 2}), n=600, eta=12)
    sigma = np.linspace(found.edges[0][0], 1.3 * found.edges[0][1], 20_001)
    values = found.density(sigma)
    assert np.trapezoid(values, sigma) == pytest.approx(1 - found.atom, abs=2e-4)
    assert np.trapezoid(values * sigma**2, sigma) == pytest.approx(found.mean, rel=2e-3)


MEAN = SIZES | {"teacher": "1 + H1 + H2/2", "centred_labels": False}


@pytest.mark.slow
@pytest.mark.checks("weights_bulk", "weights_rows")
@pytest.mark.parametrize("second_layer", ["gaussian", "uniform"])
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_the_density_of_weights_after_labels_with_a_mean(second_layer, gradient):
    """It is complete, has the mean of σ², and a mean of nearly 0 makes the density of none."""
    turned = tc.Problem("relu", **MEAN, second_layer=second_layer)
    found = tc.weight_spectrum(turned, n=600, eta=10, gradient=gradient)
    sigma = np.linspace(0.9 * found.edges[0][0], 2 * found.edges[0][1], 20_001)
    values = found.density(sigma)
    assert np.trapezoid(values, sigma) == pytest.approx(1 - found.atom, abs=1e-3)
    assert np.trapezoid(values * sigma**2, sigma) == pytest.approx(found.mean, rel=5e-3)
    none, little = (
        tc.weight_spectrum(replace(turned, teacher=teacher), n=600, eta=10, gradient=gradient)
        for teacher in ("H1 + H2/2", "1e-7 + H1 + H2/2")
    )
    places = np.linspace(*none.edges[0], 40)[1:-1]
    np.testing.assert_allclose(little.density(places), none.density(places), rtol=1e-4)
    assert abs(found.edges[0][1] - none.edges[0][1]) > 0.05


@pytest.mark.slow
@pytest.mark.checks("weights_outlier", "weights_overlaps", "weights_rows")
def test_weights_of_networks_after_labels_with_a_mean():
    """Place and overlaps by standard errors; rows that keep their length have another edge than the draws."""
    turned = tc.Problem("relu", **MEAN)
    found = tc.weight_spectrum(turned, n=400, eta=10, gradient="labels")
    run = tc.simulate(turned, n=400, eta=10, gradient="labels", replicates=12, spectrum=True)
    (row,) = run.rows
    assert abs(row["top_singular_value"] - found.outlier) < 3 * row["top_singular_value_se"]
    for name in ("overlap_a", "overlap_direction", "overlap_teacher"):
        assert abs(row[name] - getattr(found, name)) < max(3 * row[f"{name}_se"], 0.04)
    second = np.array([record["spectrum"]["weights"]["top"][1] for record in run.records])
    without = tc.weight_spectrum(
        replace(turned, teacher="H1 + H2/2", noise="1.118034"), n=400, eta=10, gradient="labels"
    )
    error = second.std(ddof=1) / np.sqrt(len(second))
    assert second.mean() - without.edges[0][1] > 5 * error  # of the same E r², of which nothing is a mean

"""Moments of labels given h."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.dressed.labels import labels_given, signal_given
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of

RATIOS = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}


def networks(**options):
    problem = tc.Problem("relu", options.pop("teacher", "H1 + H2/sqrt(2)"), **RATIOS, **options)
    return network_after(step_of(problem, 300, "labels"), np.ones(1), Resolution())


def test_without_options_labels_are_the_signal_and_noise():
    network = networks()
    signal, labels = signal_given(network, 0), labels_given(network, 0)
    for name in ("mean", "along", "across"):
        assert np.array_equal(getattr(signal, name), getattr(labels, name))
    assert np.allclose(labels.square, signal.square + 0.25, rtol=1e-15)


def test_the_moments_of_a_quadratic_teacher():
    network = networks()
    rho, other = network.step.toward
    h, found = network.h, signal_given(network, 0)
    assert np.allclose(found.mean, rho * h + rho**2 * (h**2 - 1) / np.sqrt(2), atol=1e-9)
    linear = other * (1 + np.sqrt(2) * rho * h)  # E[y g']
    assert np.allclose(found.along[0], rho * h * found.mean + other * linear, atol=1e-8)
    assert np.allclose(found.along[1], other * h * found.mean - rho * linear, atol=1e-8)
    assert np.allclose(found.across, np.sqrt(2) * other**2, atol=1e-8)


@pytest.mark.parametrize(
    ("options", "kept", "mean"),
    [
        ({"corrupt_fit": "1/4", "flip_fit": "1/10"}, 0.6, 0.0),
        ({"teacher": "2*H0 + H1 + H2/sqrt(2)", "centred": False, "centred_labels": False}, 1.0, 2.0),
        ({"teacher": "2*H0 + H1 + H2/sqrt(2)", "intercept": True, "centred_labels": False}, 1.0, 0.0),
    ],
)
def test_labels_that_are_corrupted_or_have_a_mean(options, kept, mean):
    network = networks(**options)
    signal, labels = signal_given(network, 0), labels_given(network, 0)
    weights, along = network.h_weights, np.stack([d * network.h for d in network.step.toward])
    assert np.allclose(labels.mean, kept * signal.mean + mean)
    assert np.allclose(labels.along, kept * signal.along + mean * along)
    assert np.allclose(labels.across, kept * signal.across)
    assert weights @ labels.square == pytest.approx(2 + 0.25 + mean**2)  # whatever happens to labels keeps their square

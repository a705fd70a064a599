"""Losses on fresh points against drawn labels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from theorycalc.simulation.draws import Channel, Labels, Source, draw_direction, draw_labels
from theorycalc.simulation.fresh import fresh_losses
from theorycalc.simulation.network import Ladder
from theorycalc.simulation.ridge import Fit

D, N, DRAWS = 4, 3, 2000
LADDER = Ladder(np.linspace(-1.0, 1.0, N * D).reshape(N, D), np.cos, "float64", 0.0, 0.0)
HEADS = np.array([[0.3, -1.0], [0.8, 0.2], [-0.4, 0.5]])
FIT = Fit(HEADS, np.zeros(2), np.zeros(2), "lanczos", 0.0, None, np.array([0.2, -0.7]))


def labels(noise=0.3):
    return Labels(lambda z: z + z**2, draw_direction(np.random.default_rng(3), D), noise, offset=0.4)


def fit_tested(channel, inputs="gaussian", test_samples=1300, replicate=0):
    law = {"input_law": inputs, "input_scales": None, "d": D, "fit_channel": Channel(*channel)}
    settings = SimpleNamespace(ridges=(0.1, 1.0), test_samples=test_samples, **law)
    return fresh_losses(settings, Source(1, replicate), labels(), LADDER, {"initial": FIT})["initial"]


@pytest.mark.parametrize("inputs", ["gaussian", "rademacher"])
@pytest.mark.parametrize("channel", [(0.0, 0.0), (0.4, 0.0), (0.0, 0.3), (0.5, 0.2), (1.0, 0.0)], ids=str)
def test_losses_are_those_of_drawn_labels(channel, inputs):
    """Labels with a mean, of which one draw is one point of its batch; both are means over independent draws."""
    rng = np.random.default_rng(0)
    found = np.array([fit_tested(channel, inputs, 40, replicate).losses for replicate in range(300)])
    x = rng.standard_normal((DRAWS, 20, D)) if inputs == "gaussian" else 2.0 * rng.integers(0, 2, (DRAWS, 20, D)) - 1
    drawn = []
    for points in x:
        y = draw_labels(rng, labels(), Channel(*channel), inputs, points)[:, None]
        drawn.append(np.mean((y - np.cos(points @ LADDER.initial.T) @ HEADS - FIT.intercepts) ** 2, axis=0))
    errors = [np.std(values, axis=0, ddof=1) / len(values) ** 0.5 for values in (found, drawn)]
    assert np.all(np.abs(np.mean(found, axis=0) - np.mean(drawn, axis=0)) < 4 * np.hypot(*errors))


def test_clean_losses_are_those_of_a_clean_channel():
    clean, corrupted = fit_tested((0.0, 0.0)), fit_tested((0.5, 0.0))
    assert np.array_equal(clean.losses, clean.clean_losses)
    assert np.array_equal(clean.losses, corrupted.clean_losses)
    assert np.all(corrupted.losses != clean.losses)


def test_error_rates_count_signs():
    x = np.concatenate(list(_points(1300)))
    z = labels().signal(x)[:, None] + 0.4
    predicted = np.cos(x @ LADDER.initial.T) @ HEADS + FIT.intercepts + 0.4
    np.testing.assert_allclose(fit_tested((0.5, 0.0)).error_rates, np.mean(z * predicted < 0, axis=0), rtol=1e-12)


def _points(count):
    rng = Source(1, 0).stream("test_inputs")
    while count:
        size = min(count, 512)
        count -= size
        yield rng.standard_normal((size, D))

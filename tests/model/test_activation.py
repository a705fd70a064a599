"""Activations made from text or from functions: their coefficients, derivatives and conditions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import theorycalc as tc


def test_an_activation_is_a_function():
    act = tc.activation("leaky_relu(0.1)")
    x = np.array([-2.0, 0.5])
    np.testing.assert_allclose(act(x), [-0.2, 0.5], rtol=1e-15)
    np.testing.assert_allclose(act.derivative(x), [0.1, 1.0], rtol=1e-15)
    mean = 0.9 / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(act.centered()(x), [-0.2 - mean, 0.5 - mean], rtol=1e-14)
    assert act.centered().coefficients(1)[0] == 0
    assert act.kinks == (0,)
    assert tc.activation("max(x**2 - 2, 0)").kink_floats == (-np.sqrt(2), np.sqrt(2))
    assert (act.parity, act.centered().parity) == (None, None)
    assert tc.activation("sigmoid").parity is None
    assert tc.activation("sigmoid").centered().parity == "odd"
    assert float(act.c1) == 0.55
    assert float(act.c_rest) == pytest.approx(np.sqrt(0.505 - mean**2 - 0.55**2), rel=1e-14)


def test_activation_and_its_numbers_can_be_sent_to_another_process():
    act = pickle.loads(pickle.dumps(tc.activation("gelu")))
    assert act.spikes(4) == (1, 2, 4)
    assert float(act.c_rest) == float(tc.activation("gelu").c_rest)

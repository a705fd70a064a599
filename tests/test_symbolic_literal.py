"""The limit of literal networks: gaps in K, and its formulas in symbols, which are those of predict."""

from __future__ import annotations

import pytest

import theorycalc as tc

GAPS = [(1, 4), (1, 6), (1, 4, 8), (1, 2, 6), (1, 5), (1, 3, 7)]


def with_spikes(spikes, **given):
    """Return a problem whose activation has these c_k, and whose teacher has all."""
    activation = tc.Activation.from_coefficients([f"1/{k}" if k in spikes else 0 for k in range(1, spikes[-1] + 1)])
    options = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/3"} | given
    return tc.Problem(activation, [f"1/{k}" for k in range(1, 9)], **options)


@pytest.mark.parametrize("spikes", GAPS)
def test_gains_and_losses_add_up_where_lengthened_spikes_have_gaps(spikes):
    """Directions that gaps leave out have no constant; their zeros, rounded, would hide them from the losses."""
    found = tc.predict(with_spikes(spikes), ell=8, network="literal", digits=30)
    assert found.spikes == spikes
    for part in ("train", "test"):
        before, gain, after = (getattr(found, f"{part}_{name}") for name in ("loss_initial", "gain", "loss"))
        assert abs(before - gain - after) < abs(before) * found.m1.context.mpf("1e-28")

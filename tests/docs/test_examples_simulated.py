"""What the examples that simulate rest on: the theory that one of them derives itself."""

from __future__ import annotations

import pytest

import theorycalc as tc


@pytest.mark.slow
def test_corrupted_labels_are_a_weaker_teacher_with_more_noise():
    """Before any step the claim of examples/label_corruption.py is about two losses; both are simulated here."""
    fraction, noise, second_moment, ridge = 0.4, 0.5, 2.0, 0.1
    kept = 1 - fraction
    more_noise = noise**2 + (1 - kept**2) * second_moment
    shape = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    weaker = tc.predict(tc.Problem("tanh(x + 1)", [kept, kept / 2**0.5], noise=more_noise**0.5, **shape), ell=0)
    trace = (2 / 3) / (1 / 2) * weaker.m1
    signal = weaker.train_loss / ridge / trace - more_noise  # E[g(g − f̂)], g the weaker teacher
    clean = weaker.test_loss - more_noise + 2 * fraction / kept * signal + fraction**2 * second_moment + noise**2

    corrupt = {"corrupt_step": fraction, "corrupt_fit": fraction}
    whole = tc.Problem("tanh(x + 1)", [1, 1 / 2**0.5], noise=noise, **shape, **corrupt)
    (row,) = tc.simulate(whole, n=300, eta=1e-9, replicates=100, seed=1).rows
    far = 4  # standard errors
    losses = {"train_loss": weaker.train_loss, "test_loss": weaker.test_loss, "test_loss_clean": clean}
    for name, predicted in losses.items():
        assert abs(row[name] - predicted) < far * row[f"{name}_se"], (name, predicted, row[name])
    assert abs(row["test_loss_clean"] - weaker.test_loss) > far * row["test_loss_clean_se"]  # the check can tell them

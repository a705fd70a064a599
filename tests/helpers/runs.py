"""A small simulation that several tests repeat."""

from __future__ import annotations

import theorycalc as tc

PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
SMALL = {"n": 30, "alpha": [0.1, 0.3], "replicates": 4, "seed": 5}
VALUES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial", "train_gain", "test_gain"),
    *("train_loss", "train_error", "test_loss"),
)

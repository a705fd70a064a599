"""A small simulation that several tests repeat."""

from __future__ import annotations

from tests.helpers.problems import NETWORK

PROBLEM = NETWORK
SMALL = {"n": 30, "alpha": [0.1, 0.3], "replicates": 4, "seed": 5}
VALUES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial", "train_gain", "test_gain"),
    *("train_loss", "train_error", "test_loss"),
)

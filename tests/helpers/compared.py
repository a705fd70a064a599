"""A problem on which theories are told apart by a run, and the quantities that are compared."""

from __future__ import annotations

from tests.helpers.problems import problem

# One spike is all that a linear activation makes, at any step: a large one is the limit of a strong spike.
LINEAR = problem("x", "H1 + H2/sqrt(2)")
QUANTITIES = [
    *("train_loss_initial", "test_loss_initial", "train_gain", "test_gain"),
    *("train_loss", "test_loss", "train_error_initial", "train_error"),
]

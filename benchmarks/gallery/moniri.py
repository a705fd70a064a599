"""Moniri and others' staircase: the training gain as the theorem prints it beside ours; the pictures are examples."""

from __future__ import annotations

import math

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table
from tests.independent import moniri as theirs
from tests.independent.cui import nodes

PAGE = DOCS / "gallery" / "moniri.md"
PHI, PSI, RIDGE = 0.5, 2 / 3, 0.1
#: The coefficients c_⋆k of the teacher and the noise.
SETTINGS = {"1": ([1.0], 1.0), "2": ([1.0, 1 / math.sqrt(2)], 0.0), "cubic": ([1.0, 0.5, 1 / 6], 0.5)}
STAIRS = range(1, 6)


def moments() -> tuple[float, float]:
    """Return c_1 and c_{>1} of tanh(x + 1), by the trapezoidal rule."""
    z, weights = nodes()
    values = np.tanh(z + 1)
    values -= weights @ values
    c_1 = float(weights @ (z * values))
    return c_1, math.sqrt(float(weights @ values**2) - c_1**2)


def ours(name: str, ell: int) -> tc.Prediction:
    """Return our prediction of one stair."""
    teacher, noise = SETTINGS[name]
    return tc.predict(tc.Problem("tanh(x + 1)", teacher, PHI, PSI, RIDGE, noise), ell=ell)


def differences() -> list[str]:
    """Return our closed form beside the printed matrix."""
    rows = []
    for name, (teacher, noise) in SETTINGS.items():
        pairs = [
            (float(ours(name, ell).train_gain), theirs.training_gain(PHI, PSI, RIDGE, *moments(), teacher, noise, ell))
            for ell in STAIRS
        ]
        worst = max(abs(a / b - 1) for a, b in pairs)
        rows.append((name, *(f"{gain:.5f}" for gain, _ in pairs), f"{worst:.0e}"))
    return table(
        f"setting | {' | '.join(f'Δ_{ell}' for ell in STAIRS)} | largest relative difference from the printed form",
        rows,
    )

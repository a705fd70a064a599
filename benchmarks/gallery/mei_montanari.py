"""Mei and Montanari's double descent: test error against N/n, with a small and with no penalty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import theorycalc as tc
from benchmarks.gallery.networks import Mean, Setting, means
from benchmarks.pages import DOCS, beside, table
from tests.independent import mei_montanari as theirs
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS

PAGE = DOCS / "gallery" / "mei_montanari.md"
MU_1, MU_STAR = 0.5, math.sqrt(1 / 4 - 1 / (2 * math.pi))  # of ReLU
RATIOS = np.geomspace(0.1, 10, 120)  # N/n; N = n is none of them
PENALTIES = {"10⁻⁸": 1e-8, "10⁻³": 1e-3}  # theirs
SAMPLES = {"d/2": 0.5, "d": 1.0, "3d": 3.0, "10d": 10.0}  # n of the curves without a penalty
NOISE = math.sqrt(1 / 2)  # signal-to-noise ratio 2
DRAWN = (0.2, 0.5, 0.8, 1.25, 2, 4)  # N/n of the networks
SIZES = (900, 300)  # n, d
DRAWS = 20


def ours(samples: float, ratio: Any, penalty: float, noise: float) -> float:
    """Return their test error by our code: the noise of the fresh label left out; no penalty is the limit λ → 0."""
    psi = 1 / (samples * ratio)
    ridge = tc.ridge_from("mei_montanari", penalty, psi=psi)
    problem = tc.Problem("relu", "H1", phi=1 / samples, psi=psi, ridge=ridge, noise=noise)
    return float(tc.predict(problem, ell=0).test_loss) - noise**2


def paper(samples: float, ratio: float, penalty: float, noise: float) -> float:
    """Return the same by the paper's formula."""
    return float(theirs.errors(samples * ratio, samples, penalty, MU_1, MU_STAR, 1, 0, noise).test)


def curves() -> dict[str, tuple[float, float, float]]:
    """Return n/d, the penalty and the noise of every curve, by name."""
    named = {f"n = 3d, λ = {name}, no noise": (3.0, penalty, 0.0) for name, penalty in PENALTIES.items()}
    return named | {f"n = {name}, λ → 0, SNR 2": (samples, 0.0, NOISE) for name, samples in SAMPLES.items()}


def differences() -> list[str]:
    """Return the largest relative difference of our curve and the paper's formula, curve by curve."""
    rows = []
    for name, (samples, penalty, noise) in curves().items():
        instead = penalty or 1e-14  # their formula needs a penalty; the limit is linear in it
        pairs = [(ours(samples, r, penalty, noise), paper(samples, r, instead, noise)) for r in RATIOS]
        rows.append((name, len(pairs), f"{max(abs(a / b - 1) for a, b in pairs):.0e}"))
    return table("curve | points | largest relative difference", rows)


def networks() -> dict[str, list[Mean]]:
    """Return the test errors of drawn networks, for each penalty of the left panel."""
    n, d = SIZES

    def relu(x: Any) -> Any:
        return np.maximum(x, 0)

    return {
        name: [
            means(Setting(n, d, N, relu, lambda t: t, 0, penalty * N / d), DRAWS, N)["test"]
            for N in (round(n * ratio) for ratio in DRAWN)
        ]
        for name, penalty in PENALTIES.items()
    }


def seen_table(seen: dict[str, list[Mean]]) -> list[str]:
    """Return networks beside the curve."""
    rows = []
    for name, found in seen.items():
        for ratio, mean in zip(DRAWN, found, strict=True):
            rows.append((name, f"{ratio:g}", *beside(ours(3, ratio, PENALTIES[name], 0), *mean)))
    return table("λ | N/n | curve | networks ± s.e. | z", rows)


def picture(seen: dict[str, list[Mean]], axes: Sequence[Any]) -> None:
    """Draw both panels."""
    left, right = axes
    for i, (name, found) in enumerate(seen.items()):
        curve = [ours(3, r, PENALTIES[name], 0) for r in RATIOS]
        left.plot(RATIOS, curve, color=COLOURS[i], ls=LINES[i], label=f"λ = {name}")
        values, errors = zip(*found, strict=True)
        left.errorbar(DRAWN, values, errors, fmt=MARKERS[i], color=COLOURS[i], label="networks ± s.e.")
    for i, (name, samples) in enumerate(SAMPLES.items()):
        curve = [ours(samples, r, 0, NOISE) for r in RATIOS]
        right.plot(RATIOS, curve, color=COLOURS[i], ls=LINES[i], label=f"n = {name}")
    for axis, title in ((left, "n = 3d, no noise"), (right, "λ → 0, signal-to-noise ratio 2")):
        axis.axvline(1, color=INK, lw=0.6, ls=":")
        axis.set(xscale="log", xlabel="N/n, neurons per sample", ylabel="test error", title=title)
        axis.legend()
    left.set_ylim(0, 3)
    right.set_ylim(0, 4)

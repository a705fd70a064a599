"""Adlam and Pennington's random features: test error, bias and variance against the width."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import theorycalc as tc
from benchmarks.gallery.networks import Mean, Setting, means
from benchmarks.pages import DOCS, beside, table
from tests.independent import adlam_pennington as theirs
from tests.independent.cui import nodes
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS

PAGE = DOCS / "gallery" / "adlam_pennington.md"
PHI = 0.5
NOISE = 0.5
GAMMAS = (1e-3, 1e-1)  # theirs, added to the kernel
RATIOS = np.geomspace(0.1, 10, 121)  # n_1/m, our N/n
DRAWN = (0.25, 0.5, 1, 2, 4)
SIZES = (300, 150)  # n, d
DRAWS = 40


def moments() -> tuple[float, float]:
    """Return their η = E σ² and ζ = (E σ')² of tanh."""
    z, weights = nodes()
    return float(weights @ np.tanh(z) ** 2), float(weights @ (1 - np.tanh(z) ** 2)) ** 2


def ours(ratio: float, gamma: float) -> tuple[float, float]:
    """Return the test error, noise included, and the squared bias (m_2/m_1)², with so many neurons per sample."""
    psi = PHI / ratio
    ridge = tc.ridge_from("sum_scaled_features", gamma, phi=PHI, psi=psi)
    found = tc.predict(tc.Problem("tanh", "H1", phi=PHI, psi=psi, ridge=ridge, noise=NOISE), ell=0)
    return float(found.test_loss), float(found.m2 / found.m1) ** 2


def paper(ratio: float, gamma: float) -> float:
    """Return the test error by the paper's equations of τ_1 and τ_2."""
    return theirs.errors(PHI, PHI / ratio, gamma, *moments(), 1.0, NOISE**2).test


def differences() -> list[str]:
    """Return the largest relative difference of our curve and the paper's equations."""
    rows = []
    for gamma in GAMMAS:
        worst = max(abs(ours(r, gamma)[0] / paper(r, gamma) - 1) for r in RATIOS)
        rows.append((f"{gamma:g}", len(RATIOS), f"{worst:.0e}"))
    return table("γ | points | largest relative difference", rows)


def networks() -> dict[float, list[dict[str, Mean]]]:
    """Return what drawn networks show, for each γ."""
    n, d = SIZES
    return {
        gamma: [
            means(Setting(n, d, N, np.tanh, lambda t: t, NOISE, gamma * N / n), DRAWS, N)
            for N in (round(n * ratio) for ratio in DRAWN)
        ]
        for gamma in GAMMAS
    }


def seen_table(seen: dict[float, list[dict[str, Mean]]]) -> list[str]:
    """Return networks beside the curves; the test error here is without the noise."""
    rows = []
    for gamma, found in seen.items():
        for ratio, mean in zip(DRAWN, found, strict=True):
            test, bias = ours(ratio, gamma)
            cells = [f"{gamma:g}", f"{ratio:g}"]
            rows.append([*cells, *beside(test - NOISE**2, *mean["test"]), *beside(bias, *mean["shared"])])
    return table("γ | $n_1/m$ | test error − σ_ε² | networks ± s.e. | z | bias | networks ± s.e. | z", rows)


def picture(seen: dict[float, list[dict[str, Mean]]], axes: Sequence[Any]) -> None:
    """Draw a panel for each γ."""
    for axis, (gamma, found) in zip(axes, seen.items(), strict=True):
        test, bias = np.transpose([ours(r, gamma) for r in RATIOS])
        error = test - NOISE**2
        for i, (label, curve) in enumerate({"test error": error, "bias": bias, "variance": error - bias}.items()):
            axis.plot(RATIOS, curve, color=COLOURS[i], ls=LINES[i], label=label)
        for i, name in enumerate(("test", "shared")):
            values, errors = zip(*(mean[name] for mean in found), strict=True)
            label = "networks ± s.e." if i == 0 else None
            axis.errorbar(DRAWN, values, errors, fmt=MARKERS[i], color=COLOURS[i], label=label)
        axis.axvline(1, color=INK, lw=0.6, ls=":")
        top = math.ceil(10 * max(error)) / 10
        axis.set(xscale="log", xlabel="$n_1/m$, neurons per sample", ylabel="error without noise", ylim=(0, top))
        axis.set_title(f"γ = {gamma:g}")
    axes[0].legend()

"""Gerace and others' square loss: the share of wrong signs and the training error against p/n."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

import theorycalc as tc
from benchmarks.gallery.networks import Mean, Setting, means
from benchmarks.pages import DOCS, beside, table
from tests.independent import gerace as theirs
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS

PAGE = DOCS / "gallery" / "gerace.md"
SAMPLES = 3  # n/d
SMALL = 1e-4  # their λ
KAPPA_1, KAPPA_STAR = math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi)  # of sign
RATIOS = np.geomspace(0.1, 5, 81)  # p/n, our N/n
DRAWN = (0.2, 0.5, 1, 2, 4)
SIZES = (450, 150)  # n, d
DRAWS = 20


def ours(ratio: float, penalty: float) -> tuple[float, float, float]:
    """Return the error rate, the mean squared residual in training, and the mean squared test error.

    Their problem has sign features of Gaussian latent inputs, and labels sign(t).
    """
    phi, psi = 1 / SAMPLES, 1 / SAMPLES / ratio
    ridge = tc.ridge_from("sum_scaled_features", penalty, phi=phi, psi=psi)
    asked = tc.Problem("sign", "sign(x)", phi=phi, psi=psi, ridge=ridge)
    losses = tc.predict(asked, ell=0)
    return float(tc.error_rate(asked, ell=0).error_rate), float(losses.train_error), float(losses.test_loss)


def paper(ratio: float, penalty: float) -> tuple[float, float, float]:
    """Return the same by the replica equations."""
    found = theirs.errors(1 / ratio, 1 / (SAMPLES * ratio), penalty, KAPPA_1, KAPPA_STAR, 1, KAPPA_1)
    return found.error_rate, found.training, found.test


def best_penalty(ratio: float) -> float:
    """Return their λ with the least error rate."""
    found = minimize_scalar(
        lambda x: ours(ratio, math.exp(x))[0], bounds=(-7, 5), method="bounded", options={"xatol": 1e-6}
    )
    return float(math.exp(found.x))


def differences() -> list[str]:
    """Return the largest relative differences of our curves and theirs."""
    rows = []
    for name, penalties in (("10⁻⁴", [SMALL] * len(RATIOS)), ("best", [best_penalty(r) for r in RATIOS])):
        pairs = [(ours(r, x), paper(r, x)) for r, x in zip(RATIOS, penalties, strict=True)]
        worst = np.abs(np.array([np.divide(a, b) - 1 for a, b in pairs])).max(axis=0)
        rows.append((name, len(pairs), *(f"{x:.0e}" for x in worst)))
    return table("λ | points | error rate | training error | test error", rows)


def networks() -> dict[str, list[tuple[float, dict[str, Mean]]]]:
    """Return what drawn networks show, with the penalty of each."""
    n, d = SIZES

    def shown(best: bool) -> list[tuple[float, dict[str, Mean]]]:
        found = []
        for ratio in DRAWN:
            N, penalty = round(n * ratio), best_penalty(ratio) if best else SMALL
            found.append((penalty, means(Setting(n, d, N, np.sign, np.sign, 0, penalty * N / n), DRAWS, N)))
        return found

    return {"λ = 10⁻⁴": shown(False), "best λ": shown(True)}


def seen_table(seen: dict[str, list[tuple[float, dict[str, Mean]]]]) -> list[str]:
    """Return networks beside the curves."""
    rows = []
    for found in seen.values():
        for ratio, (penalty, mean) in zip(DRAWN, found, strict=True):
            cells = [f"{penalty:.4g}", f"{ratio:g}"]
            wrong, train, _ = ours(ratio, penalty)
            rows.append([*cells, *beside(wrong, *mean["wrong"]), *beside(train, *mean["train"])])
    return table("λ | p/n | error rate | networks ± s.e. | z | training error | networks ± s.e. | z", rows)


def picture(seen: dict[str, list[tuple[float, dict[str, Mean]]]], axes: Sequence[Any]) -> None:
    """Draw the error rate, and the training error."""
    for i, (label, found) in enumerate(seen.items()):
        penalties = [SMALL if i == 0 else best_penalty(r) for r in RATIOS]
        curves = np.transpose([ours(r, x) for r, x in zip(RATIOS, penalties, strict=True)])
        for axis, curve, name in zip(axes, curves, ("wrong", "train"), strict=False):
            axis.plot(RATIOS, curve, color=COLOURS[i], ls=LINES[i], label=label)
            values, errors = zip(*(mean[name] for _, mean in found), strict=True)
            axis.errorbar(DRAWN, values, errors, fmt=MARKERS[i], color=COLOURS[i], label="networks ± s.e.")
    for axis, words in zip(axes, ("share of wrong signs", "training error"), strict=True):
        axis.axvline(1, color=INK, lw=0.6, ls=":")
        axis.set(xscale="log", xlabel="p/n, features per sample", ylabel=words)
    axes[0].legend()
    axes[1].set_ylim(bottom=0)

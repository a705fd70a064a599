"""Ba and others' learning rates: test loss after a small step, and after one of order √N."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import erf

import theorycalc as tc
from benchmarks.pages import DOCS, beside, table
from tests.independent import ba as theirs
from tests.independent.cui import nodes
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS

PAGE = DOCS / "gallery" / "ba.md"
PHI, PSI, RIDGE, NOISE = 0.1, 0.5, 0.01, 0.1
PROBLEM = tc.Problem("erf", "erf(x)", phi="1/10", psi="1/2", ridge="1/100", noise="1/10")
SIZE = 2000  # n, so that d = 200 and N = 400
NEARLY_INFINITE = 10**10
SMALL = (0.5, 1.0, 2.0, 4.0, 8.0)  # η
LARGE = (0.25, 0.5, 1.0, 2.0, 4.0)  # η/√N
DRAWS = 40


class Moments:
    """Moments of erf, the activation and the teacher: μ_1 and what is left; labels have the same and the noise."""

    z, weights = nodes()
    linear = float(weights @ (z * erf(z)))
    energy = float(weights @ erf(z) ** 2)
    rest = math.sqrt(energy - linear**2)
    labels = energy + NOISE**2


#: No linear function of the inputs has a smaller test loss: what is not linear in the teacher, and the noise.
BEST_LINEAR = Moments.rest**2 + NOISE**2


def small_step(eta: float) -> theirs.Gains:
    """Return the gains of a step of order one, by the closed form."""
    return theirs.gains(PHI, PSI, RIDGE, Moments.linear, Moments.rest, Moments.linear, Moments.labels, eta)


def step(eta: Any, n: int = SIZE) -> tc.FiniteStep:
    """Return our step; the network's own output is of order 1/√N in their scaling, so the labels alone count."""
    return tc.step(PROBLEM, n=n, eta=eta, gradient="labels")


def differences() -> list[str]:
    """Return the closed form beside our step of a nearly infinite network, and the outlier of the weights."""
    rows = []
    for eta, ours in zip(
        SMALL, np.transpose([step(SMALL, NEARLY_INFINITE).test_gain, step(SMALL).test_gain]), strict=True
    ):
        closed = small_step(eta).test
        weights = tc.weight_spectrum(PROBLEM, n=NEARLY_INFINITE, eta=eta, gradient="labels")
        place = theirs.outlier(PHI, PSI, Moments.linear, Moments.linear, Moments.labels, eta)
        shown = ("none", "none") if place is None else (f"{place.place:.7f}", f"{float(weights.outlier or 0):.7f}")
        rows.append((f"{eta:g}", f"{closed:.7f}", f"{ours[0]:.7f}", f"{ours[1]:.6f}", *shown))
    return table(
        "η | gain, closed form | `tc.step`, n = 10¹⁰ | `tc.step`, n = 2000 | outlier of W | `tc.weight_spectrum`", rows
    )


def networks() -> dict[float, dict[str, Any]]:
    """Return simulated networks, by their η."""
    etas = [0.0, *SMALL, *(x * math.sqrt(width()) for x in LARGE)]
    run = tc.simulate(PROBLEM, n=SIZE, eta=etas, replicates=DRAWS, seed=0, gradient="labels", test_samples=4 * SIZE)
    return dict(zip(etas, run.rows, strict=True))


def width() -> int:
    """Return N."""
    return round(SIZE * PHI / PSI)


def seen_table(seen: dict[float, dict[str, Any]]) -> list[str]:
    """Return networks beside our step."""
    rows = []
    for eta, row in seen.items():
        if eta:
            cells = (
                f"{eta:.4g}",
                f"{eta / math.sqrt(width()):.3g}",
                f"{row['test_loss']:.4f} ± {row['test_loss_se']:.4f}",
            )
            rows.append((*cells, *beside(float(step(eta).test_gain), row["test_gain"], row["test_gain_se"])))
    return table("η | η/√N | test loss, networks | gain, `tc.step` | gain, networks ± s.e. | z", rows)


def picture(seen: dict[float, dict[str, Any]], axes: Sequence[Any]) -> None:
    """Draw small steps on the left, large ones on the right."""
    before = float(tc.predict(PROBLEM, ell=0).test_loss)
    small, large = np.linspace(0, 9, 91), np.linspace(0, 4.2, 85)
    left, right = axes
    left.plot(
        small,
        [before - small_step(x).test for x in small],
        color=COLOURS[1],
        ls=LINES[1],
        label="n → ∞, closed form",
    )
    left.plot(small, step(small).test_loss, color=COLOURS[0], label=f"n = {SIZE}")
    plateau = before - float(tc.predict(PROBLEM, ell=1).test_gain)
    left.axhline(plateau, color=COLOURS[1], lw=0.7, ls=":")
    left.text(0, plateau, "its limit η → ∞", color=COLOURS[1], va="bottom")
    right.plot(large, step(large * math.sqrt(width())).test_loss, color=COLOURS[0], label=f"n = {SIZE}")
    many = 10 * SIZE
    etas = large * math.sqrt(10 * width())
    right.plot(large, step(etas, many).test_loss, color=COLOURS[2], ls=LINES[2], label=f"n = {many}")
    for axis, places, scale in ((left, SMALL, 1.0), (right, LARGE, math.sqrt(width()))):
        rows = [seen[0.0], *(seen[x * scale] for x in places)]
        values, errors = ([row[name] for row in rows] for name in ("test_loss", "test_loss_se"))
        axis.errorbar([0, *places], values, errors, fmt=MARKERS[0], color=INK, label=f"networks, {DRAWS} draws ± s.e.")
        axis.axhline(BEST_LINEAR, color=INK, lw=0.7, ls="--")
        axis.text(axis.get_xlim()[1], BEST_LINEAR, "best linear", ha="right", va="bottom")
        axis.set(ylabel="test loss", ylim=(0.02, 0.11))
        axis.legend()
    left.set_xlabel("η, of order one")
    right.set_xlabel(r"$\eta/\sqrt{N}$")

"""The staircase: what is gained in each window ℓ, and its ceiling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from theorycalc.plots.style import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    TEST,
    TRAIN,
    case_title,
    check_drawable,
    house_style,
    label_ends,
    number_label,
    panels,
)

if TYPE_CHECKING:
    from theorycalc.plots.figure import HouseFigure
    from theorycalc.prediction import Prediction
    from theorycalc.theory.problem import Problem


class Stairs(Protocol):
    """Predictions of one problem for ℓ = 0, 1, …, and for ℓ → ∞ where that is known."""

    @property
    def problem(self) -> Problem:
        """The problem they are of."""

    @property
    def predictions(self) -> Sequence[Prediction]:
        """One for each ℓ, in rising order."""

    @property
    def ceiling(self) -> Prediction | None:
        """The one for ℓ → ∞."""


def staircase_figure(result: Stairs) -> HouseFigure:
    """Draw the gains against ℓ with their ceilings; a hollow marker is a window that adds nothing since c_ℓ = 0."""
    for p in (*result.predictions, *([] if result.ceiling is None else [result.ceiling])):
        check_drawable(p, ("test_gain", "train_gain"))
    ells = [int(p.ell) for p in result.predictions]
    new = [ell == 0 or ell in p.spikes for ell, p in zip(ells, result.predictions, strict=True)]
    with house_style():
        figure, (axes,) = panels(height=2.4)
        ends = []
        for name, words, style in (
            ("test_gain", r"test, $\Lambda_\ell$", TEST),
            ("train_gain", r"training, $\Delta_\ell$", TRAIN),
        ):
            gains = [float(getattr(p, name)) for p in result.predictions]
            colour = COLOURS[style]
            known = dict(zip(ells, gains, strict=True))
            steps = range(ells[0], ells[-1] + 1)  # an ℓ that was not asked for leaves a gap
            edges = [ell - 0.5 for ell in (*steps, ells[-1] + 1)]
            heights = [known.get(ell, math.nan) for ell in steps]
            axes.stairs(heights, edges, baseline=None, color=colour, lw=1.3, ls=LINES[style])
            for ell, gain, adds in zip(ells, gains, new, strict=True):
                axes.plot(ell, gain, MARKERS[style], color=colour, mfc=colour if adds else "white")
            ends.append((gains[-1], words, colour))
            if result.ceiling is not None:
                top = float(getattr(result.ceiling, name))
                axes.axhline(top, color=colour, lw=0.9, ls=LINES[2])
                ends.append((top, f"ceiling {number_label(top)}", colour))
        axes.set(xlabel=r"ℓ, number of the window of α, step $\eta = n^\alpha$", ylabel="loss gained, printed limit")
        axes.set_title(case_title(result.problem))
        axes.set_xlim(ells[0] - 0.5, ells[-1] + 0.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(0, 1.08 * max(height for height, _, _ in ends) or 1.0)  # 1 where nothing is gained
        label_ends(axes, ends)
        if not all(new):
            axes.plot([], [], "o", color=INK, mfc="white", label=r"$c_\ell = 0$: nothing new")
            axes.legend(loc="lower right", handletextpad=0.1)
        return figure

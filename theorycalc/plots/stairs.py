"""The staircase: what is gained in each window ℓ, and its ceiling."""

from __future__ import annotations

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
    finished,
    house_style,
    number_label,
    panels,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def staircase_figure(result: Stairs) -> Figure:
    """Draw the gains against ℓ with their ceilings; a hollow marker is a window that adds nothing since c_ℓ = 0."""
    ells = [int(p.ell) for p in result.predictions]
    new = [ell == 0 or ell in p.spikes for ell, p in zip(ells, result.predictions, strict=True)]
    with house_style():
        figure, (axes,) = panels(height=2.5)
        for name, words, style in (
            ("test_gain", r"test, $\Lambda_\ell$", TEST),
            ("train_gain", r"training, $\Delta_\ell$", TRAIN),
        ):
            gains = [float(getattr(p, name)) for p in result.predictions]
            colour = COLOURS[style]
            edges = [ell - 0.5 for ell in ells] + [ells[-1] + 0.5]
            axes.stairs(gains, edges, baseline=None, color=colour, lw=1.3, ls=LINES[style])
            for ell, gain, adds in zip(ells, gains, new, strict=True):
                axes.plot(ell, gain, MARKERS[style], color=colour, mfc=colour if adds else "white")
            axes.annotate(
                words, (ells[-1], gains[-1]), (0, -5), textcoords="offset points", ha="right", va="top", color=colour
            )
            if result.ceiling is not None:
                top = float(getattr(result.ceiling, name))
                axes.axhline(top, color=colour, lw=0.9, ls=LINES[2])
                text = rf"ceiling $\ell \to \infty$: {number_label(top)}"
                how = {"textcoords": "offset points", "ha": "right", "fontsize": 7.5}
                axes.annotate(text, (ells[-1] + 0.5, top), (-2, 2), **how)
        axes.set(
            xlabel=r"ℓ, window of the step: $\frac{\ell-1}{2\ell} < \alpha < \frac{\ell}{2\ell+2}$, $\eta = n^\alpha$"
        )
        axes.set(ylabel="loss gained, limit n → ∞", xlim=(ells[0] - 0.5, ells[-1] + 0.5), xticks=ells)
        axes.set_title(case_title(result.problem))
        axes.set_ylim(bottom=0)
        axes.margins(y=0.12)
        if not all(new):
            axes.plot([], [], "o", color=INK, mfc="white", label=r"$c_\ell = 0$: nothing new")
            axes.legend(loc="lower right", handletextpad=0.1)
        return finished(figure)

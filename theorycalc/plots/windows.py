"""The windows of α behind a curve: shaded, labelled, with their limits as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theorycalc.plots.style import INK, PALE, SHADES
from theorycalc.theory.windows import window_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 4  # windows that are wide enough for a number
SHOWN = 12  # windows whose limits are drawn; those beyond are narrower than a line is thick


def shade_windows(axes: Axes, named: bool) -> None:
    """Shade the windows ℓ = 1, 2, … up to α = 1/2 in two turns, with their numbers above if ``named``."""
    for ell in range(1, SHOWN + 1):
        low, high = map(float, window_bounds(ell))
        axes.axvspan(low, high, color=SHADES[ell % 2], lw=0, zorder=0)
        if named and ell <= _NAMED:
            _above(axes, (low + high) / 2, f"ℓ = {ell}" if ell <= 2 else str(ell))
    rest = float(window_bounds(SHOWN)[1])
    axes.axvspan(rest, 0.5, color=SHADES[1], lw=0, zorder=0)
    axes.axvline(0.5, color=PALE, lw=0.6, zorder=1)
    if named:
        _above(axes, (float(window_bounds(_NAMED)[1]) + 0.5) / 2, "…")


def _above(axes: Axes, place: float, text: str) -> None:
    across = axes.get_xaxis_transform()
    axes.text(place, 1.01, text, transform=across, ha="center", va="bottom", fontsize=7.5, color=INK)


def draw_limits(axes: Axes, limits: dict[int, float], ceiling: float | None) -> None:
    """Draw the limit of each window as a step, and the ceiling of all as a thin line."""
    for ell, value in limits.items():
        low, high = map(float, window_bounds(ell))
        axes.plot([low, high], [value, value], color=INK, lw=2.0, solid_capstyle="butt", zorder=4)
    if ceiling is not None:
        axes.axhline(ceiling, color=INK, lw=0.6, ls=(0, (1, 2)), zorder=1)
        axes.annotate(r"$\ell \to \infty$", (0, ceiling), (2, 1.5), textcoords="offset points", fontsize=7.5)

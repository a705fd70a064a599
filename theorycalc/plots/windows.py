"""The windows of α behind a curve: shaded, labelled, with their limits as steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.plots.canvas import Look
from theorycalc.plots.style import PALE, SHADE, SHADES, ink, thin
from theorycalc.plots.words import ELL
from theorycalc.theory.windows import window_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_NAMED = 4  # windows that are wide enough for a number
SHOWN = 12  # windows whose limits are drawn; those beyond are narrower than a line is thick


def shade_windows(axes: Axes, named: bool, inside: bool = False) -> None:
    """Shade the windows ℓ = 1, 2, … up to α = 1/2 in two turns, if ``named`` with their numbers above or ``inside``.

    Axes that have them already stay as they are.
    """
    if any(patch.get_gid() == "window:1" for patch in axes.patches):
        return
    for ell in range(1, SHOWN + 1):
        low, high = map(float, window_bounds(ell))
        axes.axvspan(low, high, color=SHADE, alpha=SHADES[ell % 2], lw=0, zorder=0, gid=f"window:{ell}")
        if named and ell <= _NAMED:
            _name(axes, (low + high) / 2, f"{ELL} = {ell}" if ell <= 2 else str(ell), f"window:{ell}:label", inside)
    rest = float(window_bounds(SHOWN)[1])
    axes.axvspan(rest, 0.5, color=SHADE, alpha=SHADES[1], lw=0, zorder=0, gid="window:rest")
    axes.axvline(0.5, color=PALE, lw=thin(0.5), zorder=1, gid="window:end")
    if named:
        _name(axes, (float(window_bounds(_NAMED)[1]) + 0.5) / 2, "…", "window:rest:label", inside)


def _name(axes: Axes, place: float, text: str, gid: str, inside: bool) -> None:
    across = axes.get_xaxis_transform()
    how: Look = {"transform": across, "ha": "center", "fontsize": "small", "gid": gid, "clip_on": inside}
    axes.text(place, 0.99 if inside else 1.01, text, va="top" if inside else "bottom", **how)


def draw_limits(axes: Axes, limits: dict[int, float], ceiling: float | None, name: str = "limit", **how: Any) -> Line2D:
    """Draw the limits of the windows as steps, one line with gaps, and their ceiling as a thin one; return the steps.

    ``name`` is the gid of the steps, and that of the ceiling is ``name:ceiling``; ``how`` are properties of the steps.
    """
    places = [(*map(float, window_bounds(ell)), np.nan) for ell in limits]
    heights = [(value, value, np.nan) for value in limits.values()]
    style: Look = {"color": ink(), "lw": thin(1.5), "solid_capstyle": "butt", "zorder": 4, "gid": name}
    (steps,) = axes.plot(np.ravel(places), np.ravel(heights), **(style | how))
    if ceiling is not None:
        axes.axhline(ceiling, color=ink(), lw=thin(0.5), ls=(0, (1, 2)), zorder=1, gid=f"{name}:ceiling")
        how = {"textcoords": "offset points", "fontsize": "small", "gid": f"{name}:ceiling:label"}
        axes.annotate(r"$\ell \to \infty$", (0, ceiling), (2, 1.5), **how)
    return steps

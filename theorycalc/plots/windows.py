"""The windows of α, the limits drawn on them as steps, and the curves of finite steps beside these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.model.sizes import difference
from theorycalc.numbers.exact import Floats
from theorycalc.plots.canvas import Look
from theorycalc.plots.style import BAND, PALE, SHADE, SHADES, ink, thin
from theorycalc.plots.words import ELL, number_label
from theorycalc.results.step_result import FiniteStep
from theorycalc.theory.windows import window_bounds

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.typing import ColorType

    from theorycalc.model.problem import Problem
    from theorycalc.results.prediction import Prediction

_NAMED = 4  # windows that are wide enough for a number
LIMIT = "limit of each window (theorem)"
LITERAL = "limit of literal networks"
ONE_RUN = "± one standard deviation of a single run"
SHOWN = 12  # windows whose limits are drawn; those beyond are narrower than a line is thick


def shade_windows(axes: Axes, named: bool, inside: bool = False) -> None:
    """Shade the windows ℓ = 1, 2, … up to α = 1/2 in two alternating tones, ``named`` by number above or ``inside``.

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


def draw_spread(axes: Axes, x: Floats, middle: Floats, spread: Floats, colour: ColorType, name: str) -> Artist:
    """Draw a band of one standard deviation of a single run on both sides of a curve; return its legend's entry."""
    how: Look = {"color": colour, "alpha": BAND, "lw": 0, "zorder": 1.5, "label": ONE_RUN, "gid": f"{name}:spread"}
    return axes.fill_between(x, middle - spread, middle + spread, **how)


class Stairs(Protocol):
    """Predictions of one problem for ℓ = 0, 1, …, and for ℓ → ∞ where that is known, as a Staircase has them."""

    @property
    def problem(self) -> Problem:
        """The problem they are of."""

    @property
    def predictions(self) -> Sequence[Prediction]:
        """One for each ℓ, in rising order."""

    @property
    def ceiling(self) -> Prediction | None:
        """The one for ℓ → ∞."""


class StepCurve(NamedTuple):
    """A finite step over α, in rising order: its sizes as words and as a gid, and the order of its points."""

    found: FiniteStep
    words: str
    gid: str
    alpha: Floats
    order: Floats

    def values(self, name: str) -> Floats:
        """Return a quantity in the order of α."""
        found: Floats = np.asarray(getattr(self.found, name), dtype=float)
        return np.asarray(found[self.order])

    def spread(self, name: str) -> Floats:
        """Return the standard deviation of a quantity over draws, in the order of α."""
        found: Floats = np.asarray(getattr(self.found.spread, name), dtype=float)
        return np.asarray(found[self.order])


def curve_of(found: object) -> StepCurve:
    """Return a finite step as a curve over α; steps η = 0, which are n^−∞, are left out."""
    if not isinstance(found, FiniteStep):
        raise ArgumentError(f"a curve is a FiniteStep, as step() returns, not {type(found).__name__}", argument="steps")
    if np.shape(found.test_gain) != np.shape(found.eta) or np.ndim(found.eta) != 1:
        raise ArgumentError("a curve over α needs a FiniteStep of a list of steps, at one ridge", argument="steps")
    n = found.sizes.n
    if n == 1:
        raise ArgumentError("the finite step has n = 1: a step has an exponent α for n ≥ 2 only", argument="steps")
    eta = np.asarray(found.eta, dtype=float)
    with np.errstate(divide="ignore"):
        alpha = np.log(eta) / math.log(n) if found.alpha is None else np.asarray(found.alpha, dtype=float)
    order = np.argsort(alpha, kind="stable")
    order = order[np.isfinite(alpha[order])]
    return StepCurve(found, f"n = {number_label(n)}", f"n={n}", alpha[order], order)


def check_step(found: FiniteStep, problem: Problem) -> None:
    """Refuse a finite step of another problem than the one whose limits are drawn."""
    other = difference(problem, found.problem, [float(ridge) for ridge in np.ravel(found.ridge)])
    if other is not None:
        raise ArgumentError(f"the limits and the finite step are of different problems: {other}", argument="steps")


def check_literal(literal: Stairs, problem: Problem) -> None:
    """Refuse the limits of literal networks of another problem."""
    if not isinstance(getattr(literal, "predictions", None), (list, tuple)):
        raise ArgumentError(
            f"literal must be a Staircase, as tc.staircase(problem, network='literal') returns, not "
            f"{type(literal).__name__}",
            argument="literal",
        )
    if literal.problem != problem:
        raise ArgumentError(
            "the limits of literal networks are of another problem than the theorem's", argument="literal"
        )

"""Figures of a problem over its ratios: double descent, and the phase diagram."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumberLike, NumbersLike, listed, read_rational
from theorycalc.plots.canvas import Look, canvas, check_curves, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, plain_numbers
from theorycalc.plots.style import COLUMN, PALE, ink, thin
from theorycalc.plots.words import ELL, QUANTITIES, number_label, numbers_of, subject
from theorycalc.results.prediction import predict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RIDGES = ("1/10000", "1/100", "1")
_RATIOS = np.geomspace(0.1, 10, 301)  # N/n, with N = n in the middle
_PANELS = ("test_loss", "train_loss", "train_error")
_SHARE = "9/10"
_FACTORS = (1e-2, 1.0, 1e2)  # of the problem's ridge, unless ridges are given
_GRID = np.geomspace(0.05, 20, 61)
_LABEL = (1 / 2.1, 1 / 5.5)  # a cell, in halves of the height and the width of a label
_MOST = 8  # windows that have a colour of their own


@checked_call
@figure_of(
    ax="One Axes to draw into, for the test loss, or three, also for training loss (with penalty) and error (without).",
    refused=", an argument is out of its range, the theory has no limit for the problem",
)
def double_descent(problem: Problem, ell: Any = 0, ridge: Any = _RIDGES, ax: Any = None, **style: Any) -> Figure:
    r"""Draw test loss, training loss and training error against N/n at the problem's φ, for up to six ridges λ > 0.

    Parameters
    ----------
    problem : Problem
        The network and its data; N/n and the ridge replace its ψ and λ.
    ell : int or "inf", default 0
        Number of spikes; 0 is the network before the step.
    ridge : number or sequence of up to six, λ > 0, default 1/10000, 1/100 and 1
        Ridges, one for each curve.

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    >>> [axes.get_ylabel().replace("\n", " ") for axes in double_descent(problem, ell=2).axes]
    ['test loss', 'training loss, with penalty', 'training error, no penalty']
    """
    check_problem(problem, "double_descent")
    ridges = listed(ridge, "ridge")
    check_curves("ridge", len(ridges))
    psi = float(problem.phi) / _RATIOS  # N/n = φ/ψ
    curves = [predict(problem, ell=ell, psi=psi, ridge=value) for value in ridges]
    strengths = [float(np.ravel(np.asarray(curve.overrides["ridge"]))[0]) for curve in curves]
    if min(strengths) == 0:
        reason = "double_descent() needs ridge > 0: without a ridge the test loss is infinite at N = n"
        raise DomainError(reason, argument="ridge")
    with canvas(ax, style, len(_PANELS), 1, height=5.3, sharex=True) as sheet:
        for axes, name in zip(sheet.axes, _PANELS, strict=False):
            ends = []
            for number, (curve, strength) in enumerate(zip(curves, strengths, strict=True)):
                look = next_curve(axes, number) | {"marker": ""}
                how = sheet.main(f"λ = {number_label(strength)}", gid=f"{name}:ridge={strength:g}", **look)
                ends += axes.plot(_RATIOS, np.asarray(getattr(curve, name)), **how)
            axes.axvline(1, color=PALE, lw=thin(0.5), zorder=0, gid=f"{name}:N=n")
            axes.set_xscale("log")
            axes.margins(x=0)
            entitle(axes, y=QUANTITIES[name].replace(", ", ",\n"))
            if name == "test_loss" and axes.get_ylim()[1] > 20 * max(axes.get_ylim()[0], 1e-300):
                axes.set_yscale("log")
                plain_numbers(axes.yaxis)
            else:
                axes.set_ylim(bottom=0, auto=None)
            explain(sheet, axes, ends)
        when = "before the step" if curves[0].ell == 0 else f"after the step, limit n → ∞, {ELL} = {curves[0].ell}"
        first = sheet.axes[0]
        place = {"xycoords": first.get_xaxis_transform(), "textcoords": "offset points", "va": "top"}
        first.annotate("N = n", (1, 1), (2, -1), gid="test_loss:N=n:label", **place)
        entitle(first, title=f"{subject(problem)}\n{when}\n{numbers_of(problem, without=('psi', 'ridge'))}")
        entitle(sheet.axes[-1], x="N/n, neurons per sample")
        return sheet.figure


@checked_call
def phase_diagram(
    problem: Problem,
    share: NumberLike = _SHARE,
    ridge: NumbersLike | None = None,
    ax: object = None,
) -> Figure:
    """Draw a map over φ and ψ, for up to three ridges, of the smallest ℓ with Λ_ℓ ≥ share · Λ_∞.

    In the theorem's limit on the sphere gains do not fall with ℓ, so there the largest step is the best, and this says
    which step is large enough.

    Parameters
    ----------
    problem : Problem
        The network and its data; a star marks its φ and ψ.
    share : number, 0 < share < 1, default 9/10
        Share of the largest gain Λ_∞ that is enough.
    ridge : number or sequence of up to three, λ > 0, optional
        Ridges, one for each panel.  Default: the problem's times 1/100, 1 and 100.
    ax : matplotlib Axes or sequence of Axes, optional
        Axes to draw into: one for the first ridge, or one for each.  Default: those of a new figure.

    Raises
    ------
    TheoryError
        An argument is out of its range, nothing is gained at any ℓ, or the theory has no limit for the problem.

    >>> problem = Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> len(phase_diagram(problem, ridge="1/10").axes)
    1
    """
    check_problem(problem, "phase_diagram")
    part = float(read_rational(share, "share"))
    if not 0 < part < 1:
        raise DomainError(f"share={share} must lie between 0 and 1", argument="share")
    ridges = _ridges(problem, ridge)
    shares = [gained_shares(problem, value) for value in ridges]
    phases = [smallest_windows(gained, part) for gained in shares]
    levels = sorted({int(x) for phase in phases for x in np.unique(phase)})
    width = COLUMN if len(ridges) == 1 else 1.1 + 2.0 * len(ridges)
    with canvas(ax, {}, 1, len(ridges), height=2.7, width=width, sharey=True) as sheet:
        from matplotlib import colormaps, rcParams

        colours = dict(zip(levels, colormaps[rcParams["image.cmap"]](np.linspace(0.2, 1, len(levels))), strict=True))
        for axes, gained, phase, value in zip(sheet.axes, shares, phases, ridges, strict=False):
            axes.set_facecolor(colours[levels[-1]])
            for level in reversed(levels):  # a region lies inside that of the next level
                if level <= _MOST:
                    region = axes.contourf(_GRID, _GRID, gained[level], [part, 2.0], colors=[colours[level]])
                    region.set_gid(f"region:{level}")
                    border = axes.contour(_GRID, _GRID, gained[level], [part], colors=[ink()], linewidths=thin(0.5))
                    border.set_gid(f"region:{level}:border")
            for level in levels:
                _name(axes, phase == level, _words(level), f"region:{level}:label")
            axes.set(xscale="log", yscale="log")
            if float(value) == float(problem.ridge):
                star = {"color": "white", "mec": "black", "mew": thin(0.5), "ms": 8, "ls": "", "label": "the problem"}
                keys = axes.plot(float(problem.phi), float(problem.psi), "*", gid="problem", **star)
                explain(sheet, axes, keys=keys)
            axes.set(xlim=_GRID[[0, -1]], ylim=_GRID[[0, -1]])
            entitle(axes, x="φ = d/n", y="ψ = d/N" if axes is sheet.axes[0] else "")
            entitle(axes, title=f"λ = {number_label(float(value))}")
        what = rf"smallest $\ell$ with $\Lambda_\ell \geq {part:g}\,\Lambda_\infty$ (test loss gained)"
        if sheet.own:
            between = "\n" if len(ridges) == 1 else ": "
            sheet.figure.suptitle(f"{subject(problem)}{between}{what}", fontsize="medium")
        return sheet.figure


def gained_shares(problem: Problem, ridge: NumberLike) -> dict[int, Floats]:
    """Return Λ_ℓ/Λ_∞ for ℓ = 1, …, 8 over ψ (rows) and φ (columns)."""

    def gained(ell: int | str) -> Floats:
        return np.asarray(predict(problem, ell=ell, phi=_GRID[None, :], psi=_GRID[:, None], ridge=ridge).test_gain)

    reachable = gained("inf")
    if not np.all(reachable > 0):
        raise DomainError("nothing is gained at any ℓ, so no ℓ reaches a share of it", argument="teacher")
    return {ell: gained(ell) / reachable for ell in range(1, _MOST + 1)}


def smallest_windows(gained: dict[int, Floats], share: float) -> Floats:
    """Return the smallest ℓ that reaches a sufficient share of the gain, or 9 if none of 1, …, 8 does."""
    found = np.full(gained[1].shape, _MOST + 1)
    for ell in range(_MOST, 0, -1):
        found[gained[ell] >= share] = ell
    return found


def _ridges(problem: Problem, ridge: NumbersLike | None) -> list[Fraction | float]:
    if ridge is None:
        ridge = [float(problem.ridge) * factor for factor in _FACTORS]
    ridges = listed(ridge, "ridge")
    if not 1 <= len(ridges) <= len(_FACTORS):
        reason = f"ridge has {len(ridges)} values; a diagram has 1 to {len(_FACTORS)} panels"
        raise ArgumentError(reason, argument="ridge")
    numbers = [read_rational(value, "ridge") for value in ridges]
    if 0 in numbers:
        reason = "phase_diagram() needs ridge > 0: without a ridge gains may be infinite at N = n"
        raise DomainError(reason, argument="ridge")
    return numbers


def _words(level: int) -> str:
    return f"{ELL} = {level}" if level <= _MOST else f"{ELL} > {_MOST}"


def _name(axes: Axes, inside: Floats, text: str, gid: str) -> None:
    """Write the name of a region where it has most room, if there is enough."""
    from scipy.ndimage import distance_transform_edt

    depth = distance_transform_edt(np.pad(inside, 1), sampling=_LABEL)[1:-1, 1:-1]
    row, column = np.unravel_index(int(np.argmax(depth)), depth.shape)
    if depth[row, column] < 1:
        return
    box = {"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.85}
    how: Look = {"ha": "center", "va": "center", "fontsize": "small", "color": "black", "bbox": box, "gid": gid}
    axes.text(_GRID[column], _GRID[row], text, **how)

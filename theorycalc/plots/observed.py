"""Run.plot() and Comparison.plot(): observations with error bars, and theory against them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import Canvas, Look, canvas, entitle, error_points, figure_of, next_curve
from theorycalc.plots.labels import explain, wide_scale
from theorycalc.plots.style import COLOURS, LINES, PALE, SHADE, SHADES, ink, thin
from theorycalc.plots.words import QUANTITIES, number_label, parameter_words, plain, subject
from theorycalc.results.quantities import MEASURED

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from theorycalc.comparison.verdict import ComparedRow, Comparison
    from theorycalc.simulation.run import Run

_PANELS = ("test_loss", "train_loss", "train_error")
_Means = dict[str, Any]
_LARGE = 10.0  # |z| beyond which the axis is logarithmic


@figure_of(
    "run : Run", "One Axes, for the test loss, or three, also for training loss (with penalty) and error (without)."
)
def run_figure(run: Run, ax: Any = None, **style: Any) -> Figure:
    r"""Draw mean losses and training errors after the step with one standard error; dotted lines show them before it.

    The axis is that of the steps or of the ridges, whichever are more; there is a curve for each value of the other,
    and for each model.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    >>> run = tc.simulate(problem, n=60, alpha=[0.1, 0.2], replicates=3)
    >>> [axes.get_ylabel() for axes in run_figure(run).axes]
    ['test loss', 'training loss,\nwith penalty', 'training error,\nno penalty']
    """
    rows = list(run.rows)
    if not rows:
        raise ArgumentError("the run has no finished replicate: there is nothing to draw", argument="run")
    name = _axis(run)
    groups = _curves(rows, name)
    if len(groups) > len(COLOURS):
        raise ArgumentError(
            f"the run has {len(groups)} curves, for {', '.join(list(groups)[:2])}, …; they can be told apart for up to "
            f"{len(COLOURS)}: simulate fewer steps, ridges or models, or draw run.rows yourself",
            argument="run",
        )
    with canvas(ax, style, len(_PANELS), 1, kind="errorbar", height=5.4, sharex=True) as sheet:
        for axes, quantity in zip(sheet.axes, _PANELS, strict=False):
            drawn = []
            for number, (words, found) in enumerate(groups.items()):
                found.sort(key=lambda row: row[name])
                x, means, before = (
                    np.array([row[key] for row in found], dtype=float)
                    for key in (name, quantity, f"{quantity}_initial")
                )
                errors = [np.nan if row[f"{quantity}_se"] is None else row[f"{quantity}_se"] for row in found]
                gid = f"{quantity}:{number + 1}"
                how = sheet.main(words or "after the step", **next_curve(axes, number), elinewidth=thin(0.7))
                drawn.append(error_points(axes, x, means, errors, str(how.pop("gid", gid)), **how))
                level = {"color": drawn[-1].lines[0].get_color(), "lw": thin(0.6), "ls": LINES[2]}
                level |= {"marker": "_", "ms": 12} if len(x) == 1 else {}  # one point has no line
                label = "before the step" if number == 0 else None
                axes.plot(x, before, gid=f"{quantity}_initial:{number + 1}", label=label, **level)
            wide_scale(axes, [row[name] for row in rows])
            entitle(axes, y=QUANTITIES[quantity].replace(", ", ",\n"))
            keys = axes.get_legend_handles_labels()[0]
            explain(sheet, axes, keys=keys if axes is sheet.axes[-1] else ())
        entitle(sheet.axes[-1], x=parameter_words(name))
        entitle(sheet.axes[0], title=_title(run, rows))
        return sheet.figure


def _axis(run: Run) -> str:
    """Return whichever varies more: the step, as α if all steps have one, or the ridge."""
    steps = run.settings.steps_taken
    if len(run.settings.ridges) > len(steps):
        return "ridge"
    return "eta" if any(step.alpha is None for step in steps) else "alpha"


def _curves(rows: list[_Means], name: str) -> dict[str, list[_Means]]:
    """Return the rows of each curve, keyed by the words that distinguish it from the others."""
    several = {key: len({row[key] for row in rows}) > 1 for key in ("model", "eta", "ridge")}
    groups: dict[str, list[_Means]] = {}
    for row in rows:
        step = f"η = {number_label(row['eta'])}" if row["alpha"] is None else f"α = {number_label(row['alpha'])}"
        words = [str(row["model"])] if several["model"] else []
        if name == "ridge":
            words += [step] if several["eta"] else []
        elif several["ridge"]:
            words.append(f"λ = {number_label(row['ridge'])}")
        groups.setdefault(", ".join(words), []).append(row)
    return groups


def _title(run: Run, rows: list[_Means]) -> str:
    sizes, counts = run.settings, [row["replicates"] for row in rows]
    draws = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"
    words = "1 draw" if max(counts) == 1 else f"{draws} draws ± s.e."
    return f"{subject(run.problem)}\nn = {sizes.n}, d = {sizes.d}, N = {sizes.N}, {words}"


@figure_of("comparison : Comparison", "One Axes, for z, or two to draw into.")
def comparison_figure(comparison: Comparison, ax: object = None, **style: object) -> Figure:
    """Draw z for every row by quantity, with the band of agreement, and observed against predicted values.

    Rows are told apart by the theory if there are several, else by the step, else by the ridge.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh(x + 1)", "H1", phi="1/2", psi="2/3", ridge="1/10")
    >>> run = tc.simulate(problem, n=60, alpha=0.1, replicates=3)
    >>> figure = comparison_figure(tc.compare(run, tc.predict(problem, ell=1)))
    >>> figure.axes[0].get_xlabel()
    '$z$ = (observed − predicted) / standard error'
    """
    groups = _groups(comparison.rows)
    with canvas(ax, style, 2, 1, height=5.1, height_ratios=[1.15, 1]) as sheet:
        keys = _draw_z(sheet, sheet.axes[0], comparison, groups)
        if len(sheet.axes) > 1:
            _draw_pairs(sheet, sheet.axes[1], groups)
        for axes in sheet.axes:
            explain(sheet, axes, keys=keys if axes is sheet.axes[-1] else ())
        return sheet.figure


def _groups(rows: Sequence[ComparedRow]) -> dict[str, list[ComparedRow]]:
    """Return the rows grouped by a property that distinguishes them and has no more values than there are colours."""
    words: tuple[Callable[[ComparedRow], str], ...] = (
        lambda row: str(row["theory"]),
        lambda row: f"η = {row['eta']:.4g}" if row["alpha"] is None else f"α = {row['alpha']:.4g}",
        lambda row: f"λ = {row['ridge']:.4g}",
    )
    for word in words:
        groups: dict[str, list[ComparedRow]] = {}
        for row in rows:
            groups.setdefault(word(row), []).append(row)
        if 1 < len(groups) <= len(COLOURS):
            return groups
    return {str(rows[0]["theory"]) if len({row["theory"] for row in rows}) == 1 else "all rows": list(rows)}


def bands(comparison: Comparison) -> list[float]:
    """Return the sizes of z beyond which a judged row differs: a single one, unless the numbers of draws vary."""
    return sorted({float(row["critical"]) for row in comparison.judged})


def _draw_z(sheet: Canvas, axes: Axes, comparison: Comparison, groups: dict[str, list[ComparedRow]]) -> list[Artist]:
    names = list(dict.fromkeys(row["quantity"] for row in comparison.rows))
    names.sort(key=_place)
    edge, band = _scale_z(axes, comparison)
    differing = {id(row) for row in comparison.differing}
    keys: list[Line2D] = []
    for number, (word, rows) in enumerate(groups.items()):
        look = next_curve(axes, number) | {"linestyle": "", "clip_on": False, "gid": f"z:{number + 1}"}
        places = _places(rows, names, number, len(groups))
        z = np.array([row["z"] for row in rows])
        inside = np.isfinite(z)
        how = sheet.main(plain(word), **(look | {"markerfacecolor": axes.get_facecolor()}))
        keys += axes.plot(z[inside], places[inside], **how)
        same: Look = {"color": keys[-1].get_color(), "ls": "", "clip_on": False}
        filled = inside & np.array([id(row) in differing for row in rows])
        if filled.any():
            axes.plot(z[filled], places[filled], marker=keys[-1].get_marker(), gid=f"z:{number + 1}:differs", **same)
        for side, marker in ((-1, "<"), (1, ">")):
            beyond = ~inside & (np.sign(z) == side)
            if beyond.any():
                ends = np.full(beyond.sum(), side * edge)
                axes.plot(ends, places[beyond], marker=marker, gid=f"z:{number + 1}:infinite", **same)
    words = [MEASURED[name].heading for name in names]
    axes.set(yticks=range(len(names)), yticklabels=list(reversed(words)))
    axes.set_ylim(-0.6, len(names) - 0.4, auto=None)
    axes.set_xlim(-edge, edge, auto=None)
    axes.tick_params(axis="y", length=0)
    count = len(comparison.differing)
    verdict = "none differs" if not count else f"{count} (filled) differ{'s' if count == 1 else ''}"
    verdict = "too few draws to tell" if comparison.verdict == "too few draws" else verdict
    about = "" if comparison.problem is None else f"{subject(comparison.problem)}\n"
    title = f"{about}{comparison.looks} judged, {verdict} (level {comparison.level:g})"
    entitle(axes, x="z = (observed − predicted) / standard error", title=title)
    return [*keys, band]


def _place(name: str) -> tuple[bool, bool, int]:
    """Return the rank of a quantity from the top down: gains, then losses after the step, then losses before it."""
    return not name.endswith("_gain"), name.endswith("_initial"), list(MEASURED).index(name)


def _scale_z(axes: Axes, comparison: Comparison) -> tuple[float, Artist]:
    """Draw the bands of agreement and scale the z-axis; return its end, and the widest band."""
    for number, widest in enumerate(bands(comparison)):  # one, unless the numbers of draws differ
        how: Look = {"color": SHADE, "alpha": SHADES[0], "lw": 0, "zorder": 0}
        band = axes.axvspan(-widest, widest, gid="band" if number == 0 else f"band:{number + 1}", **how)
    band.set_label(f"agreement, |z| < {widest:.1f}")
    axes.axvline(0, color=PALE, lw=thin(0.5), zorder=1, gid="zero")
    largest = max((abs(row["z"]) for row in comparison.rows if math.isfinite(row["z"])), default=0.0)
    edge = 1.15 * max(largest, widest)
    if edge > _LARGE:
        axes.set_xscale("symlog", linthresh=3.0, linscale=1.0)
        edge *= 1.6
        top = int(math.log10(edge))
        sizes = [3, *(10**k for k in range(1, top + 1, 1 + top // 4))]
        ticks = [0, *(side * size for size in sizes for side in (-1, 1))]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
    return edge, band


def _places(rows: Sequence[ComparedRow], names: Sequence[str], number: int, groups: int) -> NDArray[np.float64]:
    """Return the heights of rows: a line for each quantity from the top down, within it by group, then by row."""
    count = {name: sum(row["quantity"] == name for row in rows) for name in names}
    seen = dict.fromkeys(names, 0)
    heights = []
    for row in rows:
        name = row["quantity"]
        share = (number + (seen[name] + 0.5) / count[name]) / groups
        heights.append(len(names) - 1 - names.index(name) + 0.32 - 0.64 * share)
        seen[name] += 1
    return np.array(heights)


def _draw_pairs(sheet: Canvas, axes: Axes, groups: dict[str, list[ComparedRow]]) -> None:
    for number, (word, rows) in enumerate(groups.items()):
        pairs = np.array([[row["predicted"], row["observed"], row["standard_error"]] for row in rows])
        look = next_curve(axes, number) | {"linestyle": "", "markerfacecolor": axes.get_facecolor()}
        how = sheet.main(plain(word), elinewidth=thin(0.6), **look)
        gid = str(how.pop("gid", f"pairs:{number + 1}"))
        error_points(axes, pairs[:, 0], pairs[:, 1], pairs[:, 2], gid, **how)
    low, high = axes.get_ylim()
    left, right = axes.get_xlim()
    ends = [min(low, left), max(high, right)]
    axes.plot(ends, ends, color=ink(), lw=thin(0.5), zorder=0, gid="pairs:equal")
    entitle(axes, x="predicted", y="observed ± standard error")
    axes.set_xlim(*ends, auto=None)
    axes.set_ylim(*ends, auto=None)

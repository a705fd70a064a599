"""Run.plot(): losses and training errors that a simulation observed, over its steps or ridges, with error bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import canvas, entitle, error_points, figure_of, next_curve
from theorycalc.plots.labels import explain, wide_scale
from theorycalc.plots.style import COLOURS, LINES, thin
from theorycalc.plots.words import QUANTITIES, number_label, parameter_words, subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.simulation.run import Run

_PANELS = ("test_loss", "train_loss", "train_error")
_Row = dict[str, Any]


@figure_of(
    "run : Run", "One Axes, for the test loss, or three, also for training loss (with penalty) and error (without)."
)
def run_figure(run: Run, ax: Any = None, **style: Any) -> Figure:
    r"""Draw mean losses and training errors after the step with one standard error, and those before it dotted.

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
    groups = _groups(rows, name)
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
    """Return whichever varies more: the step, by α where all steps have one, or the ridge."""
    steps = run.settings.steps_taken
    if len(run.settings.ridges) > len(steps):
        return "ridge"
    return "eta" if any(step.alpha is None for step in steps) else "alpha"


def _groups(rows: list[_Row], name: str) -> dict[str, list[_Row]]:
    """Return the rows of each curve by the words that tell it from the others."""
    several = {key: len({row[key] for row in rows}) > 1 for key in ("model", "eta", "ridge")}
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        step = f"η = {number_label(row['eta'])}" if row["alpha"] is None else f"α = {number_label(row['alpha'])}"
        words = [str(row["model"])] if several["model"] else []
        if name == "ridge":
            words += [step] if several["eta"] else []
        elif several["ridge"]:
            words.append(f"λ = {number_label(row['ridge'])}")
        groups.setdefault(", ".join(words), []).append(row)
    return groups


def _title(run: Run, rows: list[_Row]) -> str:
    sizes, counts = run.settings, [row["replicates"] for row in rows]
    draws = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}–{max(counts)}"
    words = "1 draw" if max(counts) == 1 else f"{draws} draws ± s.e."
    return f"{subject(run.problem)}\nn = {sizes.n}, d = {sizes.d}, N = {sizes.N}, {words}"

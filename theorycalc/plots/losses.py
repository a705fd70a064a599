"""Losses before and after a step: one pair of each as a dumbbell, many as curves over a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.plots.canvas import canvas, entitle, next_curve
from theorycalc.plots.labels import explain, given_legend, wide_scale
from theorycalc.plots.style import LINES, PALE, TEST, TRAIN, ink, thin
from theorycalc.plots.words import QUANTITIES, check_drawable, number_label, parameter_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = (("test", TEST), ("train", TRAIN))
_WORDS = {"test": QUANTITIES["test_loss"], "train": QUANTITIES["train_loss"].replace(", ", ",\n")}
_SHORT = {"test": "test", "train": "training"}
_GAINS = {"test": "gain Λ", "train": "gain Δ"}
_DRAWN = ("test_loss_initial", "test_loss", "train_loss_initial", "train_loss")
LOSS = "loss (training loss with penalty)"


def change_figure(result: Any, title: str, noise: float, ax: Any, style: Mapping[str, Any]) -> Figure:
    """Draw the losses of a result before and after the step, and the gain between them."""
    check_drawable(result, _DRAWN)
    with canvas(ax, style, height=2.0) as sheet:
        axes = sheet.axes[0]
        hollow = axes.get_facecolor()
        for kind, number in _KINDS:
            look = next_curve(axes, number) | {"linestyle": ""}
            height = 1 - number
            before, after = float(getattr(result, f"{kind}_loss_initial")), float(getattr(result, f"{kind}_loss"))
            (point,) = axes.plot(after, height, **sheet.main(f"{_SHORT[kind]} loss", gid=f"{kind}_loss", **look))
            colour = point.get_color()
            same = {"color": colour, "marker": point.get_marker(), "markerfacecolor": hollow}
            axes.plot(before, height, linestyle="", gid=f"{kind}_loss_initial", **same)
            if before != after:
                how = {"arrowstyle": "-|>", "color": colour, "lw": thin(0.9), "shrinkA": 3, "shrinkB": 2.5}
                axes.annotate("", (after, height), (before, height), arrowprops=how, gid=f"{kind}_gain:arrow")
            side = 1 if before >= after else -1  # where before is
            for loss, way, name in ((before, side, f"{kind}_loss_initial"), (after, -side, f"{kind}_loss")):
                place = {"textcoords": "offset points", "va": "center", "ha": "left" if way > 0 else "right"}
                axes.annotate(f"{loss:.4g}", (loss, height), (6 * way, 0), gid=f"{name}:label", **place)
            words = f"{_GAINS[kind]} = {float(getattr(result, f'{kind}_gain')):.4g}"
            place = {"textcoords": "offset points", "ha": "center", "gid": f"{kind}_gain:label"}
            axes.annotate(words, ((before + after) / 2, height), (0, 7.5), **place)
        keys = []
        for words, fill in (("before the step", hollow), ("after the step", ink())):
            how = {"color": ink(), "marker": "o", "linestyle": "", "markerfacecolor": fill, "label": words}
            keys += axes.plot([], [], gid=f"key:{words.split()[0]}", **how)
        if noise > 0:
            words = rf"label noise $\sigma_\varepsilon^2$ = {number_label(noise)}"
            keys.append(axes.axvline(noise, color=PALE, lw=thin(0.6), ls=LINES[2], gid="noise", label=words))
        entitle(axes, x=LOSS, title=title)
        axes.set(yticks=range(2), yticklabels=[_WORDS[kind] for kind, _ in reversed(_KINDS)])
        axes.set_ylim(-0.6, 1.6, auto=None)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.18)
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]), auto=None)
        axes.spines["left"].set_visible(False)
        if sheet.own:
            explain(sheet, axes, keys=keys)
        else:
            given_legend(sheet, axes, keys)
        return sheet.figure


def curves_figure(result: Any, name: str, places: Any, title: str, ax: Any, style: Mapping[str, Any]) -> Figure:
    """Draw the losses of a result over one parameter: before the step dashed, after it solid, the gain between."""
    check_drawable(result, _DRAWN)
    order = np.argsort(np.asarray(places, dtype=float))
    x = np.asarray(places, dtype=float)[order]
    with canvas(ax, style) as sheet:
        axes = sheet.axes[0]
        ends = []
        for kind, number in _KINDS:
            look = next_curve(axes, number) | {"linestyle": "-"}
            before, after = (
                np.broadcast_to(np.asarray(getattr(result, key), dtype=float), x.shape)[order]
                for key in (f"{kind}_loss_initial", f"{kind}_loss")
            )
            some = {"markersize": thin(2.4), "markevery": ([0.1, 0.2][number], 0.25)}  # told apart in grey
            (line,) = axes.plot(x, after, **sheet.main(f"{_SHORT[kind]}, after", gid=f"{kind}_loss", **some, **look))
            same = {"color": line.get_color(), "marker": line.get_marker(), "markerfacecolor": axes.get_facecolor()}
            words = sheet.named(f"{_SHORT[kind]}, before")
            how = {"ls": LINES[1], "lw": thin(0.8), "label": words, "gid": f"{kind}_loss_initial"}
            (dashed,) = axes.plot(x, before, **some, **same, **how)
            axes.fill_between(x, after, before, color=line.get_color(), alpha=0.15, lw=0, gid=f"{kind}_gain")
            ends += [dashed, line]
        entitle(axes, x=parameter_words(name), y=LOSS.replace(" (", "\n("), title=title)
        wide_scale(axes, x)
        axes.margins(x=0)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]), auto=None)
        explain(sheet, axes, ends)
        return sheet.figure

"""Losses before and after a step: one pair of each as a dumbbell, many as curves over a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.plots.style import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    PALE,
    TEST,
    TRAIN,
    check_drawable,
    house_style,
    label_ends,
    number_label,
    panels,
    plain,
)

if TYPE_CHECKING:
    from theorycalc.plots.figure import HouseFigure

LOSS = "loss"

#: What the axis of a parameter says.
PARAMETERS = {
    "phi": "φ = d/n, inputs per sample",
    "psi": "ψ = d/N, inputs per neuron",
    "ridge": "λ, ridge",
    "noise": r"$\sigma_\varepsilon$, standard deviation of the label noise",
    "eta": "η, size of the step",
}
_KINDS = (("test", TEST), ("train", TRAIN))
_WORDS = {"test": "test loss", "train": "training loss"}
_SYMBOLS = {"test": "gain Λ", "train": "gain Δ"}
_SIGNS = {"test": ("○", "●"), "train": ("□", "■")}  # the markers of TEST and TRAIN, before the step and after it
_DRAWN = ("test_loss_initial", "test_loss", "train_loss_initial", "train_loss")
_WIDE = 20  # a parameter that spans more than this factor has a logarithmic axis


def change_figure(result: Any, title: str, noise: float) -> HouseFigure:
    """Draw the losses of a result before and after the step, and what is gained between them."""
    check_drawable(result, _DRAWN)
    with house_style():
        figure, (axes,) = panels(height=1.7)
        for height, (kind, style) in enumerate(reversed(_KINDS)):
            before, after = float(getattr(result, f"{kind}_loss_initial")), float(getattr(result, f"{kind}_loss"))
            colour = COLOURS[style]
            if before != after:
                how = {"arrowstyle": "-|>", "color": colour, "lw": 1.2, "shrinkA": 3, "shrinkB": 2.5}
                axes.annotate("", (after, height), (before, height), arrowprops=how)
            side = 1 if before >= after else -1  # where before is
            for loss, way, fill in ((before, side, "white"), (after, -side, colour)):
                axes.plot(loss, height, MARKERS[style], color=colour, mfc=fill)
                place = {"textcoords": "offset points", "va": "center", "ha": "left" if way > 0 else "right"}
                axes.annotate(f"{loss:.4g}", (loss, height), (6 * way, 0), **place)
            words = f"{_SYMBOLS[kind]} = {float(getattr(result, f'{kind}_gain')):.4g}"
            axes.annotate(words, ((before + after) / 2, height), (0, 7.5), textcoords="offset points", ha="center")
        if noise > 0:
            axes.axvline(noise, color=PALE, lw=0.8, ls=LINES[2])
            axes.annotate(
                rf"noise $\sigma_\varepsilon^2$ = {number_label(noise)}",
                (noise, -0.55),
                (3, 0),
                textcoords="offset points",
                va="center",
                color=INK,
                fontsize=7.5,
            )
        axes.plot([], [], "o", color=INK, mfc="white", label="before the step")
        axes.plot([], [], "o", color=INK, label="after")
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, handletextpad=0.1, columnspacing=1, borderpad=0)
        axes.set(xlabel=LOSS, ylim=(-0.8, 1.6), yticks=range(2), title=plain(title))
        axes.set_yticklabels([_WORDS[kind] for kind, _ in reversed(_KINDS)])
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.18)
        axes.set_xlim(left=0)
        axes.spines["left"].set_visible(False)
        return figure


def curves_figure(result: Any, name: str, places: Any, title: str) -> HouseFigure:
    """Draw the losses of a result over one parameter: before the step dashed, after it solid, the gain between."""
    check_drawable(result, _DRAWN)
    order = np.argsort(np.asarray(places, dtype=float))
    x = np.asarray(places, dtype=float)[order]
    with house_style():
        figure, (axes,) = panels()
        ends = []
        for kind, style in _KINDS:
            colour = COLOURS[style]
            before, after = (
                np.broadcast_to(np.asarray(getattr(result, key), dtype=float), x.shape)[order]
                for key in (f"{kind}_loss_initial", f"{kind}_loss")
            )
            axes.fill_between(x, after, before, color=colour, alpha=0.15, lw=0)
            some = {"marker": MARKERS[style], "ms": 3, "markevery": ([0.1, 0.2][style], 0.25)}  # told apart in grey
            axes.plot(x, before, color=colour, ls=LINES[1], lw=1.0, mfc="white", **some)
            axes.plot(x, after, color=colour, **some)
            hollow, full = _SIGNS[kind]
            ends += [(before[-1], f"{hollow} {kind}, before", colour), (after[-1], f"{full} {kind}, after", colour)]
        axes.set(xlabel=PARAMETERS[name], ylabel=LOSS, title=plain(title))
        if x[0] > 0 and x[-1] > _WIDE * x[0]:
            axes.set_xscale("log")
        axes.set_xlim(x[0], x[-1])
        axes.set_ylim(bottom=0)
        label_ends(axes, ends)
        return figure

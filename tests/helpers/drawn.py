"""What the tests of plots draw: a problem, its staircase, and a simulation of it."""

from __future__ import annotations

import re
from itertools import combinations
from types import SimpleNamespace

import numpy as np
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import theorycalc as tc
from tests.helpers.problems import problem as example

PROBLEM = example("relu", "H1 + H2/2 + H3/6")
ALPHAS = [0.1, 0.3, 0.4]


def simulated() -> tc.Run:
    return tc.simulate(PROBLEM, n=100, alpha=ALPHAS, replicates=3, seed=1, spectrum=True)


def stairs(problem, top=4):
    predictions = [tc.predict(problem, ell=ell) for ell in range(top + 1)]
    return SimpleNamespace(problem=problem, predictions=predictions, ceiling=tc.predict(problem, ell="inf"))


def artist(place, gid):
    """Return the one artist of a figure or of axes that has this gid."""
    (found,) = place.findobj(lambda one: one.get_gid() == gid)
    return found


LOSSES = ("test_loss", "train_loss", "train_error")


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]


def heights(place, gid):
    return np.asarray(artist(place, gid).get_ydata(), dtype=float)


def boxes_of_text(figure):
    """Return what is written in a figure, but for numbers of ticks, with the boxes on the page, and the legends'."""
    figure.draw_without_rendering()
    texts = [text for axes in figure.axes for text in axes.texts if text.get_visible()]
    for axes in figure.axes:
        texts += [axes.xaxis.label, axes.yaxis.label, axes.title, axes._left_title, axes._right_title]
    texts += [] if figure._suptitle is None else [figure._suptitle]
    boxes = [(text.get_text().replace("\n", " / "), Text.get_window_extent(text)) for text in texts if text.get_text()]
    return boxes, [("legend", one.get_window_extent()) for one in legends_of(figure)]


def legends_of(figure):
    return [*figure.legends, *(one for one in (axes.get_legend() for axes in figure.axes) if one is not None)]


def overlaps(figure):
    """Return the pairs of texts and legends that share a part of the page, and the data that a legend covers."""
    texts, legends = boxes_of_text(figure)
    inner = [(name, box.padded(-1.0)) for name, box in (*texts, *legends)]
    found = [
        (one, other)
        for (one, box), (other, its) in combinations(inner, 2)
        if min(box.x1, its.x1) > max(box.x0, its.x0) and min(box.y1, its.y1) > max(box.y0, its.y0)
    ]
    for name, box in legends:
        for axes in figure.axes:
            inside = Bbox.intersection(box, axes.get_window_extent())
            points = [
                line.get_transform().transform(line.get_xydata()) for line in axes.lines if len(line.get_xydata())
            ]
            if inside is not None and any(inside.contains(*point) for some in points for point in some):
                found.append((name, axes.get_ylabel()))
    return found


def symbols_in_words(figure):
    """Return texts with a Greek letter or ℓ that matplotlib's mathematics does not set."""
    written = [text.get_text() for text in figure.findobj(Text)]
    outside = [re.sub(r"\$.*?\$", "", text) for text in written]
    return [text for text in outside if re.search("[\u0370-\u03ff\u2113]", text)]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]

"""Ranking.plot(): the test loss of every activation before and after the step, the best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorycalc.plots.canvas import Look, canvas, entitle, next_curve
from theorycalc.plots.labels import explain
from theorycalc.plots.style import TEST, thin
from theorycalc.plots.words import QUANTITIES, check_drawable, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.ranking_result import Ranking

_LINE = 0.16  # inches of height for each activation


def ranking_figure(ranking: Ranking, ax: object = None, **style: object) -> Figure:
    """Draw a line for each activation from its test loss before the step, hollow, to the one after it, filled.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    >>> figure = ranking_figure(tc.rank_activations(problem, ["relu", "tanh"], ell=1))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['tanh', 'relu']
    """
    entries = [entry for entry in ranking.entries if entry.reason is None]
    after, gain = (np.array([getattr(e, name) for e in entries], dtype=float) for name in ("test_loss", "test_gain"))
    before = after + gain
    places = range(len(entries))
    for entry in entries:
        check_drawable(entry, ("test_loss", "test_gain"))
    with canvas(ax, style, height=1.3 + _LINE * len(entries)) as sheet:
        axes = sheet.axes[0]
        look = next_curve(axes, TEST) | {"linestyle": ""}
        (last,) = axes.plot(after, places, **sheet.main("after the step", gid="test_loss", **look))
        axes.hlines(places, after, before, color=last.get_color(), lw=thin(1.0), gid="test_gain")
        hollow: Look = {"color": last.get_color(), "marker": last.get_marker(), "ls": ""}
        hollow |= {"mfc": axes.get_facecolor(), "label": "before the step", "gid": "test_loss_initial"}
        (first,) = axes.plot(before, places, **hollow)
        axes.set_yticks(places, [plain(entry.activation) for entry in entries])
        axes.invert_yaxis()
        entitle(axes, x=QUANTITIES["test_loss"], title=f"{ranking.subject}\n{ranking.each}")
        explain(sheet, axes, keys=[first, last])
        return sheet.figure

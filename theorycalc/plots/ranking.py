"""Ranking.plot(): the test loss of every activation before and after the step, the best on top."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.plots.style import COLOURS, MARKERS, TEST, check_drawable, house_style, panels, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.ranking_result import Ranking

_LINE = 0.16  # inches of height for each activation


def ranking_figure(ranking: Ranking, ax: Any = None) -> Figure:
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
    with house_style() if ax is None else nullcontext():
        axes = panels(height=0.9 + _LINE * len(entries))[1][0] if ax is None else ax
        colour = COLOURS[TEST]
        axes.hlines(places, after, before, color=colour, lw=1.0)
        axes.plot(before, places, MARKERS[TEST], color=colour, mfc="white", label="before the step")
        axes.plot(after, places, MARKERS[TEST], color=colour, label="after")
        axes.set_yticks(places, [plain(entry.activation) for entry in entries])
        axes.invert_yaxis()
        axes.set(xlabel="test loss", title=f"{ranking.subject}\n{ranking.each}")
        axes.legend(loc="best")
        figure: Figure = axes.figure
        return figure

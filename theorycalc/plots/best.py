"""Best.plot() and Ranking.plot(): the test loss over the range searched, and that of every activation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theorycalc.plots.canvas import Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, wide_scale
from theorycalc.plots.style import LINES, TEST, thin
from theorycalc.plots.words import QUANTITIES, check_drawable, number_label, parameter_words, plain, subject, symbol_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.ranking import Ranking
    from theorycalc.results.search import Best

_LINE = 0.16  # inches of height for each activation of a ranking


@figure_of("best : Best")
def best_figure(best: Best, ax: object = None, **style: object) -> Figure:
    r"""Draw the test loss over the range searched, and its minimum; the best step may be none at all, η = 0.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")
    >>> best_figure(tc.best_ridge(problem, n=500, alpha=0.3)).axes[0].get_xlabel()
    '$\\lambda$, ridge (weight decay)'
    """
    place = float(getattr(best, best.over))
    symbol = symbol_of(best.over)
    with canvas(ax, style, height=2.2) as sheet:
        axes = sheet.axes[0]
        look = next_curve(axes, 0) | {"marker": ""}
        (line,) = axes.plot(best.grid, best.losses, **sheet.main("predicted test loss", gid="test_loss", **look))
        mark: Look = {"color": next_curve(axes, 1)["color"], "gid": "best"}
        edge = ", at the edge of the range" if best.at_edge and place > 0 else ""
        words = f"least: {symbol} = {number_label(place)}, test loss = {best.test_loss:.4g}{edge}"
        if place > 0:
            (least,) = axes.plot(place, best.test_loss, marker="*", ms=9, ls="", label=words, zorder=5, **mark)
        else:  # a logarithmic axis has no 0
            least = axes.axhline(best.test_loss, ls=LINES[2], lw=thin(0.8), label=words, **mark)
        wide_scale(axes, best.grid)
        axes.margins(x=0)
        other = f"η = {number_label(best.eta)}" if best.over == "ridge" else f"λ = {number_label(best.ridge)}"
        if len(best.chosen) > 1:
            other = "each step at its best λ"
        entitle(axes, x=parameter_words(best.over), y=QUANTITIES["test_loss"])
        entitle(axes, title=f"{subject(best.problem)}\nn = {best.n}, {other}")
        return explain(sheet, axes, keys=[line, least])


@figure_of("ranking : Ranking")
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
        return explain(sheet, axes, keys=[first, last])

"""Figures of one panel: coefficients, searches, rankings, and curves over one parameter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError
from theorycalc.plots.canvas import Look, canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, plain_numbers, wide_scale
from theorycalc.plots.style import LINES, PALE, TEST, ink, thin
from theorycalc.plots.words import (
    ELL,
    QUANTITIES,
    activation_words,
    check_drawable,
    number_label,
    parameter_words,
    plain,
    subject,
    symbol_of,
)
from theorycalc.results.quantities import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.model.activation import Activation
    from theorycalc.results.error_rates import ErrorRate
    from theorycalc.results.ranking import Ranking
    from theorycalc.results.scaling_law import ScalingLaw
    from theorycalc.results.search import Best
    from theorycalc.results.trace_solver import TraceResult


_LINE = 0.16  # inches of height for each activation of a ranking


@figure_of("best : Best")
def best_figure(best: Best, ax: object = None, **style: object) -> Figure:
    r"""Draw the test loss over the range searched, and its minimum; the best step may be η = 0, no step at all.

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
        edge = ", at the edge of the range" if best.over in best.at_ends and place > 0 else ""
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
    """Draw a line for each activation, from a hollow marker at its test loss before the step to a filled one after it.

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


_MARGIN = 3.0  # room below the smallest coefficient, as a factor


@figure_of("act : name, formula or Activation")
def coefficients_figure(act: Activation | str, k: int = 12, ax: object = None, **style: object) -> Figure:
    r"""Draw ``|c_j|√(j!)``, whose squares sum to E σ(Z)², for j = 0, …, k on a logarithmic axis.

    A filled triangle up is a positive coefficient, a hollow one down a negative one; a cross on the axis is a
    coefficient that is exactly zero, a question mark one that was not told from zero.

    Parameters
    ----------
    k : int, default 12
        The last coefficient.

    >>> coefficients_figure("relu", 6).axes[0].get_title(loc="left")
    'relu: $c_k = \\mathrm{E}\\,\\sigma(Z)H_k(Z)/k!$'
    """
    from theorycalc.model.reading import activation

    known = activation(act)
    values = np.asarray(known.coefficients(k), dtype=float)
    undecided = set(known.undecided(len(values) - 1))
    roots = np.exp([math.lgamma(j + 1) / 2 for j in range(len(values))])
    sizes = np.abs(values) * roots
    shown = [j for j, size in enumerate(sizes) if size > 0 and j not in undecided]
    zeros = [j for j, size in enumerate(sizes) if size == 0 and j not in undecided]
    floor = min((sizes[j] for j in shown), default=1.0) / _MARGIN
    with canvas(ax, style, height=2.5) as sheet:
        axes = sheet.axes[0]
        axes.set_yscale("log")
        keys = []
        for number, (positive, marker, words) in enumerate(((True, "^", "$c_k > 0$"), (False, "v", "$c_k < 0$"))):
            places = [j for j in shown if (values[j] > 0) == positive]
            look = next_curve(axes, number) | {"marker": marker, "linestyle": ""}
            if places:
                name = "positive" if positive else "negative"
                fill = {} if positive else {"markerfacecolor": axes.get_facecolor()}
                how = sheet.main(words, gid=f"coefficients:{name}", **look, **fill)
                keys += axes.plot(places, sizes[places], **how)
                stems = {"color": keys[-1].get_color(), "lw": thin(0.9), "ls": "-" if positive else (0, (2, 1))}
                axes.vlines(places, floor, sizes[places], gid=f"coefficients:{name}:stems", **stems)
        on_the_axis = {"ls": "", "clip_on": False, "zorder": 5}
        if zeros:
            how = {"color": ink(), "marker": "x", "label": "exactly 0", "gid": "coefficients:zero"}
            keys += axes.plot(zeros, [floor] * len(zeros), **how, **on_the_axis)
        if undecided:
            how = {"color": PALE, "marker": "$?$", "label": "not told from 0", "gid": "coefficients:undecided"}
            keys += axes.plot(sorted(undecided), [floor] * len(undecided), **how, **on_the_axis)
        estimated = ", estimated" if known.guarantee == "estimated" else ""
        title = rf"{activation_words(known)}{estimated}: $c_k = \mathrm{{E}}\,\sigma(Z)H_k(Z)/k!$"
        size = r"size of the coefficient, $|c_k|\sqrt{k!}$"
        entitle(axes, x="k, degree of the Hermite polynomial", y=size, title=title)
        axes.set_ylim(floor, max((sizes[j] for j in shown), default=1.0) * 2.2, auto=None)
        axes.xaxis.get_major_locator().set_params(integer=True)
        return explain(sheet, axes, keys=keys)


@figure_of("found : ErrorRate")
def error_rate_figure(found: ErrorRate, ax: object = None, **style: object) -> Figure:
    r"""Draw error rates before and after the step: a pair of points, or a list as curves over α, η or λ.

    >>> import theorycalc as tc
    >>> found = tc.error_rate(tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10"), ell=1, ridge=[0.01, 0.1, 1])
    >>> error_rate_figure(found).axes[0].get_xlabel()
    '$\\lambda$, ridge (weight decay)'
    """
    name, places = _places(found)
    order = np.argsort(places)
    x = places[order]
    how: dict[str, Any] = {} if len(x) > 1 else {"linestyle": ""}
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        after, before = (
            np.broadcast_to(np.ravel(getattr(found, key)), x.shape)[order]
            for key in ("error_rate", "error_rate_initial")
        )
        look = next_curve(axes, 0) | how
        ends = axes.plot(x, after, **sheet.main("after the step", gid="error_rate", **look))
        pale: dict[str, Any] = {
            "color": ends[0].get_color(),
            "mfc": axes.get_facecolor(),
            "lw": thin(0.8),
            "linestyle": LINES[1],
        }
        words = sheet.named("before the step")
        ends += axes.plot(x, before, gid="error_rate_initial", marker="o", label=words, **pale | how)
        axes.axhline(0, lw=0, gid="zero")  # a rate is seen beside 0
        entitle(axes, x=parameter_words(name), y=QUANTITIES["error_rate"], title=_title(found, name))
        wide_scale(axes, x)
        return explain(sheet, axes, ends)


def _places(found: ErrorRate) -> tuple[str, Any]:
    """Return the parameter that varies, or for a single point its ridge, and its values."""
    varying = [name for name in ("alpha", "eta", "ridge") if np.size(np.asarray(getattr(found, name))) > 1]
    if "alpha" in varying and "eta" in varying:
        varying.remove("eta")  # which follows from α
    if len(varying) > 1 or np.ndim(found.error_rate) > 1:
        reason = "plot() draws one step, or a list of steps or of ridges"
        detail = f"these rates have an array of shape {np.shape(found.error_rate)}"
        raise ArgumentError(f"{reason}; {detail}", argument="ridge")
    name = varying[0] if varying else "ridge"
    return name, np.ravel(np.asarray(getattr(found, name), dtype=float))


def _title(found: ErrorRate, name: str) -> str:
    if found.sizes is None:
        where = f"limit n → ∞, {ELL} = {shown(found.ell)}"
    else:
        where = f"n = {found.sizes.n}"
        if name == "ridge":
            where += f", η = {number_label(float(np.ravel(np.asarray(found.eta))[0]))}"
    if name != "ridge":
        where += f", λ = {number_label(float(np.ravel(np.asarray(found.ridge))[0]))}"
    return f"{subject(found.problem)}\n{where}"


@figure_of("found : TraceResult")
def traces_figure(found: TraceResult, ax: object = None, **style: object) -> Figure:
    r"""Draw m_1 and m_2 over the parameter given as a list.

    >>> import theorycalc as tc
    >>> found = tc.traces(phi="1/2", psi="2/3", ridge=[0.1, 1, 10], c1="1/2", c_rest="3/10")
    >>> traces_figure(found).axes[0].get_xlabel()
    '$\\lambda$, ridge (weight decay)'
    """
    varying = {name: value for name, value in found.parameters.items() if np.size(np.asarray(value)) > 1}
    if len(varying) != 1 or np.ndim(found.m1) != 1:
        raise ArgumentError(
            f"plot() draws traces over a list of one parameter; these are of shape {np.shape(found.m1)}"
            + (f" over {', '.join(varying)}" if varying else ""),
            argument=next(iter(varying), None),
        )
    check_drawable(found, ("m1", "m2"))
    ((name, places),) = varying.items()
    order = np.argsort(np.asarray(places, dtype=float))
    x = np.asarray(places, dtype=float)[order]
    with canvas(ax, style) as sheet:
        axes = sheet.axes[0]
        ends = []
        for number, trace in enumerate(("m1", "m2")):
            look = next_curve(axes, number) | {"marker": ""}
            heights = np.asarray(getattr(found, trace), dtype=float)[order]
            ends += axes.plot(x, heights, **sheet.main(QUANTITIES[trace].split()[-1], gid=trace, **look))
            wide_scale(axes, heights, "y")
        wide_scale(axes, x)
        axes.margins(x=0)
        fixed = {key: float(np.ravel(np.asarray(value))[0]) for key, value in found.parameters.items() if key != name}
        title = ", ".join(f"{symbol_of(key)} = {number_label(value)}" for key, value in fixed.items())
        entitle(axes, x=parameter_words(name), y="traces $m_1$, $m_2$", title=title)
        return explain(sheet, axes, ends)


@figure_of("found : ScalingLaw")
def scaling_law_figure(found: ScalingLaw, ax: object = None, **style: object) -> Figure:
    """Draw the excess of the test loss over its infimum against n or N; a dashed line has the known exponent.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("x", "H1", n=10**9, d=2000, N=10**9, ridge="1e-18", inputs="power(3/2, 2)")
    >>> scaling_law_figure(tc.scaling_law(problem, "n", [20, 40, 80])).axes[0].get_xlabel()
    '$n$, number of samples'
    """
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        number = sum(str(line.get_gid()).startswith("excess") for line in axes.lines)
        words = "after the step" if found.ell else "before the step"
        ends = axes.plot(
            found.sizes, found.excess, **sheet.main(words, gid=f"excess:{number}", **next_curve(axes, number))
        )
        if found.known is not None:
            known: dict[str, Any] = {"color": PALE, "lw": thin(0.8), "linestyle": LINES[1], "gid": f"known:{number}"}
            middle = len(found.sizes) // 2
            line = found.excess[middle] * (found.sizes / found.sizes[middle]) ** -found.known
            ends += axes.plot(found.sizes, line, label=sheet.named(f"exponent {found.known:.3g}"), **known)
        axes.set(xscale="log", yscale="log")
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if high < 100 * low:  # more decades have ticks enough
                plain_numbers(axis)
        entitle(axes, x=parameter_words(found.growing), y="test loss beyond its least", title=subject(found.problem))
        return explain(sheet, axes, ends)

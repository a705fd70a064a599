"""The house style: how every figure of theorycalc looks, and the few things that all of them draw.

Figures are made without pyplot, so that they need no screen and belong to nobody else.  Colours are those of Okabe
and Ito, which the colour-blind tell apart; what a colour says, a line style or a marker says too, for prints in grey.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from theorycalc.errors import ArgumentError, DomainError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from theorycalc.plots.figure import HouseFigure


COLUMN = 3.4  # inches: the width of a column of a paper
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1, 1.2)),
    (0, (5, 1.4, 1, 1.4)),
    (0, (9, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
)
MARKERS = ("o", "s", "D", "^", "v", "P")
INK = "#1a1a1a"
PALE = "#8a8a8a"
SHADES = ("#eef1f4", "#dfe4ea")  # of neighbouring windows
TRAIN, TEST = 1, 0  # which colour, line and marker the two losses have

_SMALL = 7.0  # points
_LONGEST_NAME = 28  # characters of an activation in a title
HOUSE: dict[str, Any] = {
    "font.family": ["STIXGeneral", "DejaVu Serif"],  # both come with matplotlib; the first has the widths of Times
    "mathtext.fontset": "stix",
    "font.size": 8.5,
    "axes.labelsize": 8.5,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "xtick.labelsize": _SMALL + 0.5,
    "ytick.labelsize": _SMALL + 0.5,
    "legend.fontsize": _SMALL + 0.5,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "errorbar.capsize": 1.5,
    "hatch.linewidth": 0.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "theorycalc",  # the same figure has the same ids
    "pdf.fonttype": 42,
}
_LOCK = threading.RLock()  # matplotlib keeps its parameters for the whole process


@contextmanager
def house_style() -> Iterator[None]:
    """Draw, or write, in the house style, whatever matplotlib was told before; one thread at a time."""
    try:
        from matplotlib import style
    except ImportError:
        raise ArgumentError("plots need matplotlib: pip install 'theorycalc[plots]'") from None
    with _LOCK, style.context(["default", HOUSE]):
        yield


def panels(
    rows: int = 1, columns: int = 1, height: float = 2.4, width: float = COLUMN, **how: Any
) -> tuple[HouseFigure, list[Any]]:
    """Return a new figure and its axes in one list; ``how`` is passed to ``Figure.subplots``."""
    from theorycalc.plots.figure import HouseFigure as NewFigure

    figure = NewFigure(figsize=(width, height))
    axes = figure.subplots(rows, columns, squeeze=False, **how)
    return figure, list(axes.ravel())


def plain(text: str) -> str:
    r"""Return a user's text so that matplotlib shows it as it is.

    >>> plain("cost in $")
    'cost in \\$'
    """
    return text.replace("$", r"\$")


def check_drawable(result: Any, names: Sequence[str]) -> None:
    """Refuse numbers that have no place on paper: losses and gains are infinite at λ = 0, N = n."""
    import numpy as np

    for name in names:
        if not np.isfinite(np.asarray(getattr(result, name), dtype=float)).all():
            raise DomainError(f"{name} is infinite, and cannot be drawn; with ridge > 0 it is finite")


def case_title(problem: Any) -> str:
    """Return the problem in one line: the activation, and the numbers."""
    name = problem.activation.name
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    ratios = f"φ = {float(problem.phi):.3g}, ψ = {float(problem.psi):.3g}, λ = {number_label(float(problem.ridge))}"
    noise = rf", $\sigma_\varepsilon$ = {number_label(float(problem.noise))}" if float(problem.noise) else ""
    return f"{plain(short)}, {ratios}{noise}"


def number_label(value: float) -> str:
    r"""Return a number as a label has it: few digits, powers of ten as powers.

    >>> number_label(0.25), number_label(1e-6), number_label(2000), number_label(3e5)
    ('0.25', '$10^{-6}$', '2000', '$3 \\times 10^{5}$')
    """
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.4g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    power = f"10^{{{int(exponent)}}}"
    digits = mantissa.rstrip("0").rstrip(".")
    return f"${power}$" if digits == "1" else rf"${digits} \times {power}$"


def plain_numbers(axis: Axis) -> None:
    """Write the ticks 1, 2, 5, 10, … of a logarithmic axis as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def label_ends(axes: Axes, ends: Sequence[tuple[float, str, Any]]) -> None:
    """Write labels to the right of the axes, each beside its height and clear of the others.

    ``ends`` are the height in data coordinates, the text and the colour of each curve's end.
    """
    box = axes.get_position()
    inches = box.height * axes.figure.bbox.height / axes.figure.get_dpi()
    low, high = axes.get_ylim()
    forward = axes.get_yaxis().get_transform().transform
    bottom, top = (float(forward(edge)) for edge in (low, high))
    wanted = [(float(forward(height)) - bottom) / (top - bottom) for height, _, _ in ends]
    gap = 1.25 * _SMALL / 72 / inches
    for place, (_, text, colour) in zip(spread(wanted, gap), ends, strict=True):
        axes.annotate(
            text,
            (1.0, place),
            xycoords="axes fraction",
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=_SMALL + 0.5,
            annotation_clip=False,
        )


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Return heights in [0, 1] at least ``gap`` apart, near those wanted and in their order.

    >>> [round(x, 6) for x in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    >>> [round(x, 6) for x in spread([0.0, 0.01], 0.1)]
    [0.0, 0.1]
    """
    groups: list[tuple[list[int], float]] = []  # members from below, and the height of the lowest
    for i in sorted(range(len(wanted)), key=lambda i: wanted[i]):
        members = [i]
        lowest = _lowest(members, wanted, gap)
        while groups and groups[-1][1] + len(groups[-1][0]) * gap > lowest + 1e-12:
            members = groups.pop()[0] + members
            lowest = _lowest(members, wanted, gap)
        groups.append((members, lowest))
    places = [0.0] * len(wanted)
    for members, lowest in groups:
        for rank, i in enumerate(members):
            places[i] = lowest + rank * gap
    return places


def _lowest(members: Sequence[int], wanted: Sequence[float], gap: float) -> float:
    """Return where a stack of labels begins that is centred on what its members want, inside [0, 1]."""
    height = (len(members) - 1) * gap
    middle = sum(wanted[i] for i in members) / len(members)
    return max(0.0, min(middle - height / 2, 1.0 - height))

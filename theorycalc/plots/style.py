"""The house style: how theorycalc's figures look, unless the user has configured matplotlib otherwise.

Figures are made without pyplot, so that they need no screen and belong to nobody else.  Colours are those of Okabe
and Ito, which the colour-blind tell apart; where a colour has a meaning, a line style or a marker has it, too, for
prints in grey.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from theorycalc.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from theorycalc.plots.figure import HouseFigure


RcValue: TypeAlias = str | float | bool | list[str]  # of an rcParam
LineStyle: TypeAlias = str | tuple[int, tuple[float, ...]]

COLUMN = 3.4  # inches: the width of a column of a paper
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINES: tuple[LineStyle, ...] = (
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
SHADE, SHADES = "#708090", (0.12, 0.22)  # the colour of neighbouring windows, and how opaque they are
BAND = 0.2  # how opaque the scatter of single runs is
TEST, TRAIN, ERROR = 0, 1, 2  # which colour, line and marker test loss, training loss and training error have

HOUSE: dict[str, RcValue] = {
    "font.family": ["STIXGeneral", "DejaVu Serif"],  # both come with matplotlib; the first has the widths of Times
    "mathtext.fontset": "stix",
    "font.size": 9.0,
    "axes.titlesize": "medium",  # other sizes are relative to font.size, so that one number changes them all
    "axes.titlelocation": "left",
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), "small"),
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("xtick.minor.width", "ytick.minor.width"), 0.4),
    "axes.prop_cycle": f"cycler('color', {list(COLOURS)})",
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "errorbar.capsize": 1.5,
    "hatch.linewidth": 0.5,
    "image.cmap": "cividis",
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.08,  # inches: paper around the figure, which keeps it on dark pages
    "figure.constrained_layout.w_pad": 0.08,
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "svg.fonttype": "path",  # letters as outlines: no program needs the font
    "svg.hashsalt": "theorycalc",  # the same figure has the same ids
    "pdf.fonttype": 42,
}
_FONTS = ("font.family", "mathtext.fontset")  # belong together
_LOCK = threading.RLock()  # matplotlib keeps its parameters for the whole process


def need_matplotlib() -> None:
    """Raise :class:`ArgumentError` if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ArgumentError("plots need matplotlib: pip install 'theorycalc[plots]'") from None


def _cycle() -> dict[str, Any]:
    """Return the colours as an object: matplotlib would evaluate a text."""
    from cycler import cycler

    return {"axes.prop_cycle": cycler(color=COLOURS)}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever matplotlib's settings were; one thread at a time.

    For your own figures in the style of results: make, draw and save them inside.  Reports, ``--plot`` and the
    examples are drawn in this way, so that everybody gets the same files.

    Returns
    -------
    context manager
        Inside, matplotlib has the rcParams of the house; afterwards, those that it had before.

    Raises
    ------
    ArgumentError
        matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> with house_style():
    ...     figure, axes = plt.subplots()
    ...     axes.plot([1, 2])[0].get_color()
    '#0072B2'
    >>> plt.close(figure)
    """
    need_matplotlib()
    from matplotlib import style

    with _LOCK, style.context(["default", {**HOUSE, **_cycle()}]):
        yield


@contextmanager
def own_style() -> Iterator[None]:
    """Draw in the house style, except for rcParams set by the user; one thread at a time.

    An rcParam counts as set if it is not matplotlib's default, so inside :func:`house_style` the house's all are.
    """
    need_matplotlib()
    with _LOCK:
        unset = {name: value for name, value in (HOUSE | _cycle()).items() if is_default(name)}
        if not all(is_default(name) for name in _FONTS):
            unset = {name: value for name, value in unset.items() if name not in _FONTS}
        with rc_params(unset):
            yield


@contextmanager
def rc_params(params: Mapping[str, RcValue]) -> Iterator[None]:
    """Set some rcParams temporarily; one thread at a time."""
    from matplotlib import rc_context

    known: Any = params  # their names are a type of matplotlib's
    with _LOCK, rc_context(known):
        yield


def is_default(name: str) -> bool:
    """Return whether an rcParam has matplotlib's default.

    >>> is_default("lines.linewidth")
    True
    """
    import matplotlib

    known: Any = name  # is a type of matplotlib's
    return bool(matplotlib.rcParams[known] == matplotlib.rcParamsDefault[known])


def thin(share: float) -> float:
    """Return a line width as a fraction of that of curves."""
    from matplotlib import rcParams

    return share * float(rcParams["lines.linewidth"])


def ink() -> str:
    """Return the colour of text, also used for lines that belong to no curve."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def panels(
    rows: int = 1, columns: int = 1, height: float = 2.4, width: float = COLUMN, **how: Any
) -> tuple[HouseFigure, list[Axes]]:
    """Return a new figure and a flat list of its axes; ``how`` is passed to ``Figure.subplots``.

    The figure has the given size in inches, unless the user has set ``figure.figsize``.
    """
    from theorycalc.plots.figure import HouseFigure as NewFigure

    figure = NewFigure(figsize=(width, height) if is_default("figure.figsize") else None)
    axes = figure.subplots(rows, columns, squeeze=False, **how)
    return figure, list(axes.ravel())

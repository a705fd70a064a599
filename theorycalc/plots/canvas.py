"""The axes into which a result is drawn, in a new figure or the user's own, and the user's style for its curves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np

from theorycalc.errors import ArgumentError, suggestion
from theorycalc.numbers.exact import Floats
from theorycalc.plots.style import COLOURS, LINES, MARKERS, is_default, need_matplotlib, own_style, panels
from theorycalc.plots.words import typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.text import Text

#: Properties of an artist, by name: matplotlib knows the type of each.
Look: TypeAlias = dict[str, Any]
_Series: TypeAlias = "Sequence[float] | Floats"
#: Data that each kind of main artist can be drawn with, to try a style.
_TRIALS: dict[str, tuple[object, ...]] = {
    "plot": ([0.0], [0.0]),
    "errorbar": ([0.0], [0.0], [1.0]),
    "pcolormesh": (np.zeros((1, 1)),),
}
_LINE = 0.19  # inches of a title's line
F = TypeVar("F", bound=Callable[..., object])


#: The figures of results, by the name of the class that each draws.
_FIGURES: dict[str, Callable[..., Figure]] = {}

#: The sections that the docstrings of all figures share.
_SECTIONS = """
Parameters
----------
{listed}
ax : matplotlib Axes or sequence of Axes, optional
    {ax}  Default: a new figure.
style : optional
    Properties of the main points or curves, such as ``color``.

Returns
-------
matplotlib.figure.Figure
    The figure that was drawn into.

Raises
------
TheoryError
    There is nothing to draw{refused}, or a property is unknown to matplotlib.
"""


def figure_of(parameter: str = "", ax: str = "An Axes to draw into.", refused: str = "") -> Callable[[F], F]:
    """Add to a figure's docstring the sections common to all figures, and register it for one kind of result.

    ``parameter`` is the first one with the class of the result, if the figure is of one; a section Parameters in the
    docstring has those between it and ``ax``, and ``refused`` names further errors.

    >>> @figure_of("outcome : Outcome")
    ... def outcome_figure(outcome, k=12, ax=None, **style):
    ...     '''Draw an outcome.
    ...
    ...     Parameters
    ...     ----------
    ...     k : int, default 12
    ...         The last coefficient.
    ...     '''
    >>> outcome_figure.__doc__.splitlines()[4:8]
    ['outcome : Outcome', '    The result that is drawn.', 'k : int, default 12', '    The last coefficient.']
    """

    def add(function: F) -> F:
        if parameter:
            _FIGURES[parameter.rpartition(" ")[2]] = cast("Callable[..., Figure]", function)
        if function.__doc__ is not None:  # Python was not started with -OO
            words, mark, examples = inspect.cleandoc(function.__doc__).partition("\n>>>")
            words, _, own = words.rstrip().partition("\n\nParameters\n----------\n")
            first = f"{parameter}\n    The result that is drawn." if parameter else ""
            listed = "\n".join(filter(None, (first, own)))
            function.__doc__ = f"{words}\n{_SECTIONS.format(listed=listed, ax=ax, refused=refused)}{mark}{examples}"
        return function

    return add


def draw(result: object, ax: object = None, **style: object) -> Figure:
    """Return the matplotlib figure of a result; each kind has its own options in addition to ``ax`` and style.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> draw(tc.predict(problem, ell=2)).axes[0].get_xlabel()
    'loss or error'
    """
    kinds = [kind.__name__ for kind in type(result).__mro__]
    for kind in kinds:
        if kind in _FIGURES:
            return _FIGURES[kind](result, ax=ax, **style)
    name = f"{'an' if kinds[0][0] in 'AEIOU' else 'a'} {kinds[0]}"
    instead = ", only of each activation in it" if kinds[0] == "ActivationList" else ""
    raise ArgumentError(f"there is no figure of {name}{instead}", argument="result")


@dataclass(frozen=True)
class Canvas:
    """Axes to draw into, whether the figure is ours, and the user's style for the main artists."""

    figure: Figure
    axes: Sequence[Any]  # matplotlib Axes
    own: bool
    style: Mapping[str, object]

    def main(self, words: str | None = None, **ours: object) -> Look:
        """Return the properties of a main artist: ours, overridden by the user's; ``words`` name the artist."""
        return {**ours, **self.style, **({} if words is None else {"label": self.named(words)})}

    def named(self, words: str) -> str:
        """Return the label of an artist: the given words, preceded by the user's label if there is one."""
        label = self.style.get("label")
        return f"{label}, {words}" if label else words


@contextmanager
def canvas(
    ax: object,
    style: Mapping[str, object],
    rows: int = 1,
    columns: int = 1,
    *,
    kind: str = "plot",
    **how: Any,
) -> Iterator[Canvas]:
    """Yield the canvas for a figure of ``rows`` × ``columns`` panels.

    Parameters
    ----------
    ax : None, a matplotlib Axes, or a sequence of them
        None makes a new figure, in the house style where the user has not set rcParams.  One Axes is for the first
        panel alone; a sequence has one for every panel.  Given axes are drawn into with the rcParams as they are.
    style : mapping
        Properties of the main artists, which are those that the method ``kind`` of an Axes makes.
    how
        Passed to :func:`theorycalc.plots.style.panels`.

    Raises
    ------
    ArgumentError
        If ``ax`` is something else, or matplotlib does not know a property or its value.
    """
    need_matplotlib()
    given = None if ax is None else _given(ax, rows * columns)
    known = checked_style(style, kind)
    with own_style() if given is None else nullcontext():
        if given is None:
            figure, axes = panels(rows, columns, **how)
            sheet = Canvas(figure, axes, True, known)
        else:
            sheet = Canvas(given[0].figure.figure, given, False, known)  # the figure, also of a subfigure
        before = {text: text.get_text() for text in _texts(sheet.figure)}
        yield sheet
        for text in _texts(sheet.figure):
            if text.get_text() != before.get(text):
                text.set_text(typeset(text.get_text()))
        if sheet.own and is_default("figure.figsize"):
            lines = sheet.axes[0].get_title("left").count("\n") + 1
            width, height = sheet.figure.get_size_inches()
            sheet.figure.set_size_inches(width, height + max(0, lines - 2) * _LINE)  # so that axes keep their height


def _texts(figure: Figure) -> list[Text]:
    from matplotlib.text import Text as Written

    return [text for text in figure.findobj(Written) if isinstance(text, Written)]


def _given(ax: object, count: int) -> list[Axes]:
    from matplotlib.axes import Axes

    listed = [ax] if isinstance(ax, Axes) else list(np.ravel(np.asarray(ax, dtype=object)))
    for one in listed:
        if not isinstance(one, Axes):
            reason = f"ax must be a matplotlib Axes or a sequence of them, not {type(one).__name__}"
            raise ArgumentError(reason, argument="ax")
    if len(listed) not in {1, count}:
        panels = "1 panel: give one Axes" if count == 1 else f"{count} panels: give one Axes for the first, or {count}"
        raise ArgumentError(f"ax has {len(listed)} axes, and this figure {panels}", argument="ax")
    return listed


def checked_style(style: Mapping[str, object], kind: str = "plot") -> Look:
    """Return the style under matplotlib's long names, after trying each on an artist that is never shown.

    >>> checked_style({"lw": 2, "c": "red"})
    {'linewidth': 2, 'color': 'red'}
    >>> checked_style({"colour": "red"})
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: plot() has no argument 'colour', and a matplotlib Line2D no such property; \
did you mean 'color'?
    """
    if not style:
        return {}
    from matplotlib import artist, cbook, collections, lines
    from matplotlib.figure import Figure

    made = collections.QuadMesh if kind == "pcolormesh" else lines.Line2D
    try:
        known = cbook.normalize_kwargs(dict(style), made)
    except TypeError as error:  # the same property by two names
        raise ArgumentError(f"plot(): {error}") from None
    axes = Figure().subplots()
    for name, value in known.items():
        try:
            getattr(axes, kind)(*_TRIALS[kind], **{name: value})
        except AttributeError:
            names = artist.ArtistInspector(made).get_setters()
            raise ArgumentError(
                f"plot() has no argument {name!r}, and a matplotlib {made.__name__} no such property"
                f"{suggestion(name, names)}",
                argument=name,
            ) from None
        except (TypeError, ValueError, LookupError) as error:
            reason = str(error).partition("\n")[0]
            raise ArgumentError(f"plot(): {name}={value!r} is refused by matplotlib: {reason}", argument=name) from None
    return known


def check_curves(name: str, count: int, others: int = 0) -> None:
    """Refuse more values of an argument than there are distinct curves left besides ``others``."""
    if not 1 <= count <= len(COLOURS) - others:
        most = len(COLOURS) - others
        raise ArgumentError(f"{name} has {count} values; curves can be told apart for 1 to {most}", argument=name)


def next_curve(axes: Axes, number: int) -> Look:
    """Return the colour, line style and marker of the next curve in some axes; the first has number 0.

    The colour is the next of the axes' property cycle, and so are line style and marker where the cycle has them;
    else they are the house's.
    """
    (scout,) = axes.plot([], [])
    scout.remove()
    line, marker = scout.get_linestyle(), scout.get_marker()
    return {
        "color": scout.get_color(),
        "linestyle": LINES[number % len(LINES)] if line in {"-", "None"} else line,
        "marker": MARKERS[number % len(MARKERS)] if marker in {"", "None", None} else marker,
    }


def entitle(axes: Axes, *, x: str = "", y: str = "", title: str = "", pad: float | None = None) -> None:
    """Write labels and title where the axes have none, so that the user's own stay."""
    if not axes.get_xlabel():
        axes.set_xlabel(x)
    if not axes.get_ylabel():
        axes.set_ylabel(y)
    if not any(axes.get_title(loc) for loc in ("left", "center", "right")):
        axes.set_title(title, pad=pad)


def error_points(axes: Axes, x: _Series, y: _Series, errors: _Series, gid: str, **how: Any) -> ErrorbarContainer:
    """Draw points with error bars; the points have the given gid, the bars and caps ``gid:error``."""
    drawn = axes.errorbar(x, y, errors, **how)
    points, caps, bars = drawn.lines
    points.set_gid(gid)
    for artist in (*caps, *bars):
        artist.set_gid(f"{gid}:error")
    return drawn

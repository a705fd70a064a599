"""What a command answers: text for a person, JSON or CSV for a program, a picture; and how a terminal shows it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = (".svg", ".pdf", ".png")
_BOLD, _DIM, _PLAIN = "\033[1m", "\033[2m", "\033[0m"
_DIMMED = ("  note  ", "  condition assumed: ", "  limit ", "  numerics: ")  # and not: a condition that fails


class Answer(NamedTuple):
    """Text with an exit status; ``styled`` text is for a person and its title is bold on a terminal.

    The picture is drawn after the text is printed, so that nothing that was computed is lost if it cannot be.
    """

    text: str
    status: int = 0
    styled: bool = False
    draw: Callable[[], Figure] | None = None
    picture: str | None = None


def add_output(command: argparse.ArgumentParser, csv: str, plot: str | None = None) -> argparse._ArgumentGroup:
    """Add --json, --csv and, where there is a picture, --plot; return the group of options."""
    how = command.add_argument_group("how it is shown")
    how.add_argument("--json", action="store_true", help="print JSON: everything that is known, with all digits")
    how.add_argument("--csv", action="store_true", help=f"print CSV with all digits: {csv}")
    if plot is not None:
        how.add_argument("--plot", metavar="FILE", help=f"draw {plot}; a .svg, .pdf or .png file")
    return how


def check_output(options: argparse.Namespace) -> None:
    """Refuse, before any work, what could not be answered after it."""
    if getattr(options, "json", False) and getattr(options, "csv", False):
        raise ArgumentError("give --json or --csv, not both")
    path = getattr(options, "plot", None)
    if path is None:
        return
    check_writable(path, "--plot", PICTURES)
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ArgumentError("--plot needs matplotlib: pip install 'theorycalc[plots]'")


def check_writable(path: str, option: str, endings: Sequence[str]) -> None:
    """Refuse a file that cannot be written, before the work that would fill it."""
    if not path.lower().endswith(tuple(endings)) or "\0" in path:
        ending, wanted = os.path.splitext(path)[1], f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise ArgumentError(f"{option} {path!r} ends in {ending!r}; it must end in {wanted}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ArgumentError(f"{option} {path!r}: the folder {folder!r} does not exist")
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise ArgumentError(f"{option} {path!r} cannot be written")


def answer(
    options: argparse.Namespace,
    *,
    data: Callable[[], Mapping[str, object]],
    rows: Callable[[], Iterable[Mapping[str, object]]],
    text: Callable[[], str],
    draw: Callable[[], Figure] | None = None,
    status: int = 0,
) -> Answer:
    """Answer as the options ask: with JSON of ``data``, CSV of ``rows``, or ``text``, and a picture beside it."""
    picture = getattr(options, "plot", None)
    if options.json:
        return Answer(as_json(data()), status, False, draw, picture)
    if options.csv:
        from theorycalc.results.table import Table, columns_of

        return Answer(Table("", columns_of(list(rows()))).csv(), status, False, draw, picture)
    return Answer(text(), status, True, draw, picture)


def as_json(data: Mapping[str, object]) -> str:
    """Write data for machines, the version first; a NaN would be an error of ours.

    Letters are written as letters, or as escapes where the output cannot carry them.

    >>> print(as_json({"note": "ℓ"}).splitlines()[2])
      "note": "ℓ"
    """
    import json

    content = {"theorycalc": __version__} | dict(data)
    text = json.dumps(content, allow_nan=False, indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(content, allow_nan=False, indent=2)
    return text


def for_a_terminal() -> bool:
    """Say whether a person reads the answer on a terminal; else a file or a program gets it, with all digits."""
    return sys.stdout is not None and sys.stdout.isatty()


def styled(text: str) -> str:
    """Return text with its title bold and its notes dim, for a terminal that is not told otherwise."""
    if not for_a_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    first, *rest = text.split("\n")
    lines = (f"{_DIM}{line}{_PLAIN}" if line.startswith(_DIMMED) else line for line in rest)
    return "\n".join([f"{_BOLD}{first}{_PLAIN}", *lines])


def draw_picture(draw: Callable[[], Figure], path: str) -> None:
    """Draw the picture into its file in the house style, and say so where it does not mix with the answer."""
    from theorycalc.plots import save
    from theorycalc.plots.style import house_style
    from theorycalc.running.terminal import waiting

    with waiting("drawing"), house_style():
        save(draw(), path)
    if sys.stderr is not None:
        print(f"wrote {path}", file=sys.stderr)

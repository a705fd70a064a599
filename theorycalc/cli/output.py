"""The output of a command: text for a person, JSON or CSV for a program, and a picture."""

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

    from theorycalc.results.base import Result

PICTURES = (".svg", ".pdf", ".png")
_BOLD, _DIM, _PLAIN = "\033[1m", "\033[2m", "\033[0m"
_DIMMED = ("  note  ", "  condition assumed: ", "  limit ", "  numerics: ")  # and not: a condition that fails


class Shown(NamedTuple):
    """A result in every form that a command prints, each made only when asked for, and the exit status."""

    data: Callable[[], Mapping[str, object]]  # for JSON
    rows: Callable[[], Iterable[Mapping[str, object]]]  # for CSV
    text: Callable[[bool], str]  # for a person; True: with all rows and digits
    draw: Callable[[], Figure] | None = None
    status: int = 0


def shown(found: Result, status: int = 0) -> Shown:
    """Return a result of the library as a command prints it."""
    return Shown(found.to_dict, lambda: found.rows, lambda full: found.table(full).text(), found.plot, status)


def printed(found: Shown, options: argparse.Namespace) -> str:
    """Return the form chosen by the options: JSON, CSV or text."""
    if options.json:
        return as_json(found.data())
    if options.csv:
        from theorycalc.results.table import Table, columns_of

        return Table("", columns_of(list(found.rows()))).csv()
    return styled(found.text(not for_a_terminal()))


def check_output(options: argparse.Namespace) -> None:
    """Refuse output that cannot be produced, before any work is done."""
    if getattr(options, "json", False) and getattr(options, "csv", False):
        raise ArgumentError("give --json or --csv, not both")
    path = getattr(options, "plot", None)
    if path is None:
        return
    check_writable(path, "--plot", PICTURES)
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise ArgumentError("--plot needs matplotlib: pip install 'theorycalc[plots]'")


def check_one_list(options: argparse.Namespace, values: Mapping[str, Sequence[object]]) -> None:
    """Refuse a picture of two parameters that both have several values, before any work is done."""
    several = {name: len(listed) for name, listed in values.items() if len(listed) > 1}
    if options.plot is None or len(several) < 2:
        return
    *others, last = (f"--{name} has {count} values" for name, count in several.items())
    raise ArgumentError(
        f"--plot draws a list over one option, and {', '.join(others)} and {last}: leave --plot out, give one value of "
        "all but one, or draw two as a heat map in Python, by sweep(…).plot()"
    )


def check_writable(path: str, option: str, endings: Sequence[str]) -> None:
    """Refuse a file that cannot be written, before doing the work that would fill it."""
    if not path.lower().endswith(tuple(endings)) or "\0" in path:
        ending, wanted = os.path.splitext(path)[1], f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise ArgumentError(f"{option} {path!r} ends in {ending!r}; it must end in {wanted}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ArgumentError(f"{option} {path!r}: the folder {folder!r} does not exist")
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise ArgumentError(f"{option} {path!r} cannot be written")


def as_json(data: Mapping[str, object]) -> str:
    """Return data as JSON, starting with the version; letters that the output cannot carry become escapes.

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
    """Return whether a person reads the answer on a terminal; files and programs get all digits."""
    return sys.stdout is not None and sys.stdout.isatty()


def styled(text: str) -> str:
    """Return text with a bold title and dim notes, unless the terminal is set to show plain text."""
    if not for_a_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    first, *rest = text.split("\n")
    lines = (f"{_DIM}{line}{_PLAIN}" if line.startswith(_DIMMED) else line for line in rest)
    return "\n".join([f"{_BOLD}{first}{_PLAIN}", *lines])


def draw_picture(draw: Callable[[], Figure], path: str) -> None:
    """Draw the picture into its file in the house style, and name the file on stderr."""
    from theorycalc.plots import save
    from theorycalc.plots.style import house_style
    from theorycalc.running.terminal import waiting

    with waiting("drawing"), house_style():
        save(draw(), path)
    if sys.stderr is not None:
        print(f"wrote {path}", file=sys.stderr)

"""A matplotlib figure that keeps the look it was made in, and figures as the content of files."""

from __future__ import annotations

import io
from typing import Any

from matplotlib import rcParams
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from theorycalc.plots.style import HOUSE, rc_params
from theorycalc.plots.vectors import inline_svg, whole_svg

#: What would make two files of one figure differ: the date, and in PNG the version.
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


class HouseFigure(Figure):
    """A figure that keeps the look it was made in; notebooks show it as vectors, and no pyplot is needed."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        known: Any = rcParams  # whose names are a type of matplotlib's
        self._look = {name: known[name] for name in HOUSE}

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure with the rcParams it was made with: ticks are made when they are drawn."""
        with rc_params(self._look):
            super().draw(renderer)

    def savefig(self, fname: Any, **how: Any) -> None:
        """Write the figure as ``Figure.savefig`` does, with the rcParams it was made with."""
        with rc_params(self._look):
            super().savefig(fname, **how)

    def _repr_svg_(self) -> str:
        return rendered(self, "svg").decode("utf-8")


def rendered(figure: Figure, kind: str) -> bytes:
    """Return a figure as the content of an svg, pdf or png file, the same each time."""
    content = _written(figure, kind)
    return whole_svg(content) if kind == "svg" else content


def inline(figure: Figure, prefix: str, description: str) -> str:
    """Return a figure as SVG inside a page, its ids with the prefix."""
    return inline_svg(_written(figure, "svg"), prefix, description)


def _written(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
    return buffer.getvalue()

"""A matplotlib figure that is written in the house style wherever it is shown."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

from theorycalc.plots.style import house_style
from theorycalc.plots.vectors import inline_svg, whole_svg

#: What would make two files of one figure differ: the date, and in PNG the version.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


class HouseFigure(Figure):
    """A figure in the house style; notebooks show it as vectors, and no pyplot is needed."""

    def savefig(self, fname: Any, **how: Any) -> None:
        """Write the figure as ``Figure.savefig`` does, in the house style."""
        with house_style():
            super().savefig(fname, **how)

    def rendered(self, kind: str) -> bytes:
        """Return the figure as the content of an svg, pdf or png file, the same each time."""
        content = self._written(kind)
        return whole_svg(content) if kind == "svg" else content

    def inline(self, prefix: str, description: str) -> tuple[str, dict[str, str]]:
        """Return the figure as part of a page, its ids with the prefix, and the letters that the page must bring."""
        return inline_svg(self._written("svg"), prefix, description)

    def _written(self, kind: str) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format=kind, metadata=_METADATA[kind])
        return buffer.getvalue()

    def _repr_svg_(self) -> str:
        return self.rendered("svg").decode("utf-8")

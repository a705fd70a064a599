"""A matplotlib figure that keeps its style, and figures as files: SVG with outlined letters (docs/decisions/0011)."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

from matplotlib import rcParams
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from theorycalc.plots.style import HOUSE, rc_params

#: What would make two files of one figure differ: the date, and in PNG the version.
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_FINER = re.compile(r"(?<=\.\d\d)\d+")  # than a hundredth of a point
_ON_PAGES = 1.25  # times as large as in print
_LINES = "*{stroke-linejoin: round; stroke-linecap: butt}"


class HouseFigure(Figure):
    """A figure that keeps the style it was made in; notebooks show it as vector graphics, without pyplot."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        known: Any = rcParams  # whose names are a type of matplotlib's
        self._look = {name: known[name] for name in HOUSE}

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure with the rcParams it was made with, since ticks are only created when drawn."""
        with rc_params(self._look):
            super().draw(renderer)

    def savefig(self, fname: Any, **how: Any) -> None:
        """Write the figure, as ``Figure.savefig`` does, with the rcParams it was made with."""
        with rc_params(self._look):
            super().savefig(fname, **how)

    def _repr_svg_(self) -> str:
        return rendered(self, "svg").decode("utf-8")


def rendered(figure: Figure, kind: str) -> bytes:
    """Return a figure as the reproducible content of an svg, pdf or png file."""
    if kind != "svg":
        return _written(figure, kind)
    root = _tidied(figure)
    style = ElementTree.Element(f"{{{_SVG}}}style")
    style.text = _LINES
    root.insert(0, style)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + _serialised(root)


def inline(figure: Figure, prefix: str, description: str) -> str:
    """Return a figure as SVG for a page with several figures: its ids begin with the prefix."""
    root = _tidied(figure)
    _rename(root, prefix)
    width, height = (float(root.attrib.pop(name).removesuffix("pt")) for name in ("width", "height"))
    root.set("style", f"width: {_ON_PAGES * width / 72:.4g}in; aspect-ratio: {width:g} / {height:g}")
    root.set("role", "img")
    title = ElementTree.Element(f"{{{_SVG}}}title")
    title.text = description
    root.insert(0, title)
    return _serialised(root).decode("utf-8")


def _written(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
    return buffer.getvalue()


def _tidied(figure: Figure) -> ElementTree.Element:
    """Return the drawing without comments, metadata, styles and invisible digits."""
    root = ElementTree.fromstring(_written(figure, "svg"))
    for element in list(root):
        if element.tag == f"{{{_SVG}}}metadata" or element.find(f"{{{_SVG}}}style") is not None:
            root.remove(element)
    for element in root.iter():
        if element.tag == f"{{{_SVG}}}path":
            element.set("d", _FINER.sub("", " ".join(element.get("d", "").split())))
    return root


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Return the drawing with the prefix before every id and every reference; ids without references are dropped."""
    used = set()
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == _HREF and value.startswith("#"):
                element.set(name, f"#{prefix}{value[1:]}")
                used.add(value[1:])
            elif value.startswith("url(#"):
                element.set(name, f"url(#{prefix}{value[5:]}")
                used.add(value[5:-1])
    for element in root.iter():
        name = element.attrib.pop("id", "")
        if name in used:
            element.set("id", f"{prefix}{name}")


def _serialised(root: ElementTree.Element) -> bytes:
    for element in root.iter():
        if element.tag not in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan", f"{{{_SVG}}}title", f"{{{_SVG}}}style"):
            element.text = None
        element.tail = None
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return bytes(ElementTree.tostring(root, encoding="utf-8"))

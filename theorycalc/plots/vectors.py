"""SVG that looks the same in every program and on every machine: its letters are outlines (docs/decisions/0011)."""

from __future__ import annotations

import re
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_FINER = re.compile(r"(?<=\.\d\d)\d+")  # than a hundredth of a point
_ON_PAGES = 1.25  # times as large as in print
_LINES = "*{stroke-linejoin: round; stroke-linecap: butt}"


def whole_svg(source: bytes) -> bytes:
    """Return matplotlib's SVG as a file of its own."""
    root = _tidied(source)
    style = ElementTree.Element(f"{{{_SVG}}}style")
    style.text = _LINES
    root.insert(0, style)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + _written(root)


def inline_svg(source: bytes, prefix: str, description: str) -> str:
    """Return matplotlib's SVG for a page that has several: its ids begin with the prefix."""
    root = _tidied(source)
    _rename(root, prefix)
    width, height = (float(root.attrib.pop(name).removesuffix("pt")) for name in ("width", "height"))
    root.set("style", f"width: {_ON_PAGES * width / 72:.4g}in; aspect-ratio: {width:g} / {height:g}")
    root.set("role", "img")
    title = ElementTree.Element(f"{{{_SVG}}}title")
    title.text = description
    root.insert(0, title)
    return _written(root).decode("utf-8")


def _tidied(source: bytes) -> ElementTree.Element:
    """Return the drawing without comments, metadata and styles, and without digits that nobody sees."""
    root = ElementTree.fromstring(source)
    for element in list(root):
        if element.tag == f"{{{_SVG}}}metadata" or element.find(f"{{{_SVG}}}style") is not None:
            root.remove(element)
    for element in root.iter():
        if element.tag == f"{{{_SVG}}}path":
            element.set("d", _FINER.sub("", " ".join(element.get("d", "").split())))
    return root


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Put the prefix before every id and every reference to one; ids that nothing refers to are dropped."""
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


def _written(root: ElementTree.Element) -> bytes:
    for element in root.iter():
        if element.tag not in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan", f"{{{_SVG}}}title", f"{{{_SVG}}}style"):
            element.text = None
        element.tail = None
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return bytes(ElementTree.tostring(root, encoding="utf-8"))

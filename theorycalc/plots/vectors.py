"""SVG that looks the same on every machine: text stays text, and brings the letters it is set in.

matplotlib names its font and leaves it at that; where the font is missing, labels would be set in another one and
run into each other.  So the letters that occur, a few kilobytes, are put into the file.
"""

from __future__ import annotations

import base64
import functools
import io
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_FONT = "STIXGeneral"
_FILES = {"normal": "STIXGeneral.ttf", "italic": "STIXGeneralItalic.ttf"}
_FAMILY = f"font-family: '{_FONT}', 'Times New Roman', Times, serif"
_FINER = re.compile(r"(?<=\.\d\d)\d+")  # than a hundredth of a point
_ON_PAGES = 1.25  # times as large as in print
_LINES = "*{stroke-linejoin: round; stroke-linecap: butt}"


def whole_svg(source: bytes) -> bytes:
    """Return matplotlib's SVG as a file of its own, with its letters."""
    root = _tidied(source)
    style = ElementTree.Element(f"{{{_SVG}}}style")
    style.text = _LINES + font_css(letters(root))
    root.insert(0, style)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + _written(root)


def inline_svg(source: bytes, prefix: str, description: str) -> tuple[str, dict[str, str]]:
    """Return matplotlib's SVG for a page that has several, with ids of its own, and the letters the page must bring."""
    root = _tidied(source)
    _rename(root, prefix)
    width, height = (float(root.attrib.pop(name).removesuffix("pt")) for name in ("width", "height"))
    root.set("style", f"width: {_ON_PAGES * width / 72:.4g}in; aspect-ratio: {width:g} / {height:g}")
    root.set("role", "img")
    title = ElementTree.Element(f"{{{_SVG}}}title")
    title.text = description
    root.insert(0, title)
    return _written(root).decode("utf-8"), letters(root)


def letters(root: ElementTree.Element) -> dict[str, str]:
    """Return the letters that occur upright and in italics, each once and in order."""
    found: dict[str, set[str]] = {name: set() for name in _FILES}
    for element in root.iter():
        if element.tag in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan"):
            style = element.get("style", "")
            if _FONT in style:  # text in a font that the user chose is left alone
                name = "italic" if "font-style: italic" in style else "normal"
                found[name].update((element.text or "").strip())
    return {name: "".join(sorted(characters)) for name, characters in found.items()}


def joined(several: Iterable[dict[str, str]]) -> dict[str, str]:
    """Return the letters of several figures.

    >>> joined([{"normal": "ab", "italic": ""}, {"normal": "bc", "italic": "x"}])
    {'normal': 'abc', 'italic': 'x'}
    """
    listed = list(several)
    return {name: "".join(sorted(set().union(*(found[name] for found in listed)))) for name in _FILES}


def font_css(found: dict[str, str]) -> str:
    """Return the rules that bring the letters."""
    return "".join(
        f"@font-face{{font-family:'{_FONT}';font-style:{name};"
        f"src:url(data:font/woff;base64,{_subset(_FILES[name], characters)}) format('woff')}}"
        for name, characters in found.items()
        if characters
    )


@functools.lru_cache(maxsize=64)
def _subset(file: str, characters: str) -> str:
    """Return the letters of one of matplotlib's font files, as a font in base64."""
    import matplotlib
    from fontTools import subset

    options = subset.Options(flavor="woff", hinting=False, layout_features=[], notdef_outline=True, name_IDs=[])
    options.drop_tables += ["FFTM"]  # when the font was made
    with subset.load_font(str(Path(matplotlib.get_data_path(), "fonts", "ttf", file)), options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=characters)
        subsetter.subset(font)
        buffer = io.BytesIO()
        subset.save_font(font, buffer, options)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _tidied(source: bytes) -> ElementTree.Element:
    """Return the drawing without comments, metadata and styles, and with fonts to fall back on."""
    root = ElementTree.fromstring(source)
    for element in list(root):
        if element.tag == f"{{{_SVG}}}metadata" or element.find(f"{{{_SVG}}}style") is not None:
            root.remove(element)
    for element in root.iter():
        style = element.get("style")
        if style is not None and "STIX" in style:
            element.set("style", re.sub(r"font-family: [^;]*", _FAMILY, style))
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

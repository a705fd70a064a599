"""draw(): the link from results and activations, which have ``.plot()``, to the room of plots above them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PAINTER = "theorycalc.plots.canvas"  # loaded with matplotlib, when the first figure is asked for


def draw(shown: object, **options: object) -> Figure:
    """Return the matplotlib figure of an activation or a result, drawn by the room of plots.

    >>> from theorycalc.model.activation import Activation
    >>> len(draw(Activation.from_text("relu"), k=3).axes)
    1
    """
    figure: Figure = import_module(_PAINTER).draw(shown, **options)
    return figure

"""save(): write a figure to a file, completely or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from theorycalc.errors import ArgumentError, about
from theorycalc.model.signatures import checked_call
from theorycalc.plots.style import need_matplotlib
from theorycalc.running.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = ("svg", "pdf", "png")


@checked_call
def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure to a file, completely or not at all, and return its path.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, as ``.plot()`` returns it.
    path : str or Path
        The file.  Its ending says how to write: .svg, .pdf (vectors) or .png (``savefig.dpi``, 300 dots per inch).

    Raises
    ------
    TheoryError
        The path has another ending or cannot be written, or there is no matplotlib figure.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    >>> save(tc.predict(problem, ell=2).plot(), "figure.jpeg")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: a figure is saved as .svg, .pdf or .png; 'figure.jpeg' ends in '.jpeg'
    """
    if not isinstance(path, (str, Path)):
        raise ArgumentError(f"path must be a text or a Path, not {type(path).__name__}", argument="path")
    target = Path(path)
    kind = target.suffix.lower().removeprefix(".")
    if kind not in _KINDS:
        reason = f"a figure is saved as .svg, .pdf or .png; {str(path)!r} ends in {target.suffix!r}"
        raise ArgumentError(reason, argument="path")
    need_matplotlib()
    from matplotlib.figure import Figure

    from theorycalc.plots.figure import rendered

    if not isinstance(figure, Figure):
        reason = f"save() takes a matplotlib figure, as .plot() returns it, not {type(figure).__name__}"
        raise ArgumentError(reason, argument="figure")
    with about("path"):
        return write_atomically(target, rendered(figure, kind))

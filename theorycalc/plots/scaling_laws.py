"""ScalingLaw.plot(): the loss against n or N on logarithmic scales, beside the known exponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theorycalc.plots.canvas import canvas, entitle, figure_of, next_curve
from theorycalc.plots.labels import explain, plain_numbers
from theorycalc.plots.style import LINES, PALE, thin
from theorycalc.plots.words import parameter_words, subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.scaling_law import ScalingLaw


@figure_of("found : ScalingLaw")
def scaling_law_figure(found: ScalingLaw, ax: object = None, **style: object) -> Figure:
    """Draw the test loss beyond its least against n or N; a dashed line has the known exponent.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("x", "H1", n=10**9, d=2000, N=10**9, ridge="1e-18", inputs="power(3/2, 2)")
    >>> scaling_law_figure(tc.scaling_law(problem, "n", [20, 40, 80])).axes[0].get_xlabel()
    '$n$, number of samples'
    """
    with canvas(ax, style, height=2.6) as sheet:
        axes = sheet.axes[0]
        number = sum(str(line.get_gid()).startswith("excess") for line in axes.lines)
        words = "after the step" if found.ell else "before the step"
        ends = axes.plot(
            found.sizes, found.excess, **sheet.main(words, gid=f"excess:{number}", **next_curve(axes, number))
        )
        if found.known is not None:
            known: dict[str, Any] = {"color": PALE, "lw": thin(0.8), "linestyle": LINES[1], "gid": f"known:{number}"}
            middle = len(found.sizes) // 2
            line = found.excess[middle] * (found.sizes / found.sizes[middle]) ** -found.known
            ends += axes.plot(found.sizes, line, label=sheet.named(f"exponent {found.known:.3g}"), **known)
        axes.set(xscale="log", yscale="log")
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if high < 100 * low:  # more decades have ticks enough
                plain_numbers(axis)
        entitle(axes, x=parameter_words(found.growing), y="test loss beyond its least", title=subject(found.problem))
        explain(sheet, axes, ends)
        return sheet.figure

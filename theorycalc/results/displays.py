"""Numbers with their errors, and numbers and equations as LaTeX, which notebooks show."""

from __future__ import annotations

from collections.abc import Iterable

from theorycalc.results.quantities import number_text


def with_error(value: float, error: float | None, full: bool = False) -> str:
    """Return a mean with its standard error, to two digits of the latter, or in full.

    >>> with_error(0.123456, 0.0042), with_error(12.5, None), with_error(0.123456, 0.0042, full=True)
    ('0.1235 ± 0.0042', '12.5', '0.123456 ± 0.0042')
    """
    if full:
        return number_text(value) if error is None else f"{number_text(value)} ± {number_text(error)}"
    if not error:
        return f"{value:.4g}"
    decimals = max(0, 1 - int(f"{error:e}".partition("e")[2]))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def latex_number(text: str) -> str:
    r"""Return a number that was written for people as LaTeX.

    >>> latex_number("1.5e-07"), latex_number("−∞")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    mantissa, e, exponent = text.partition("e")
    found = rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else text
    return found.replace("−", "-").replace("∞", r"\infty")


def latex_display(lines: Iterable[str]) -> str:
    r"""Return equations as a LaTeX display, aligned at their ``&``.

    >>> print(latex_display(["a &= 1", "b &= 2"]))
    $$\begin{aligned}
    a &= 1 \\
    b &= 2
    \end{aligned}$$
    """
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"

"""Numbers and equations as LaTeX displays, which notebooks show."""

from __future__ import annotations

from collections.abc import Iterable


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

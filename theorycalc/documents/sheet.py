"""tc.sheet(): one problem on a page or two, as LaTeX, PDF or HTML."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from theorycalc.documents import contents
from theorycalc.documents.blocks import Passage
from theorycalc.documents.html import framed, to_html
from theorycalc.documents.tex import to_tex, write_pdf
from theorycalc.errors import ArgumentError, PrecisionError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import check_digits
from theorycalc.results.prediction import predict
from theorycalc.running.budget import one_budget
from theorycalc.running.files import write_atomically
from theorycalc.symbolic.cases import check_problem
from theorycalc.symbolic.symbols import index
from theorycalc.theory.checks import guarantee_of

_LARGEST_ELL = 40


@dataclass(frozen=True)
class Sheet:
    r"""A document about one problem, as :func:`sheet` returns it: look at it in a notebook, or :meth:`save` it.

    Parameters
    ----------
    title : str
        The activation and the window.
    blocks : tuple of blocks
        Headings, paragraphs, formulas and tables, which ``tex`` and ``html`` render.

    >>> made = sheet(Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"), ell=2)
    >>> made.title, made.tex.splitlines()[0]
    ('relu, ℓ = 2', '\\documentclass[11pt]{article}')
    """

    title: str
    blocks: tuple[Passage, ...]

    @property
    def tex(self) -> str:
        """The document as LaTeX source."""
        return to_tex(self.title, self.blocks)

    @property
    def html(self) -> str:
        """The document as one HTML file with MathML: no scripts, no external requests."""
        return to_html(self.title, self.blocks)

    @checked_call
    def save(self, path: str | Path) -> Path:
        """Write the document, completely or not at all, and return the path of the file.

        Parameters
        ----------
        path : str or Path
            The file; it ends in .tex, .html or, where a LaTeX is installed, .pdf.

        Raises
        ------
        TheoryError
            The file has another ending, cannot be written, or LaTeX fails.
        """
        if not isinstance(path, (str, Path)):
            raise ArgumentError(f"path must be a text or a Path, not {type(path).__name__}", argument="path")
        target = Path(path)
        match target.suffix.lower():
            case ".tex":
                return write_atomically(target, self.tex)
            case ".html" | ".htm":
                return write_atomically(target, self.html)
            case ".pdf":
                return write_pdf(target, self.tex)
            case ending:
                reason = f"a sheet is saved as .tex, .pdf or .html; {str(path)!r} ends in {ending!r}"
                raise ArgumentError(reason, argument="path")

    def __repr__(self) -> str:
        return f"<Sheet {self.title!r}: save it as .tex, .pdf or .html>"

    def _repr_html_(self) -> str:
        return framed(self.title, self.html)


@checked_call
@one_budget()
def sheet(
    problem: Problem, ell: int, digits: int | None = 20, *, network: str = "theorem", gradient: str | None = None
) -> Sheet:
    """Return the sheet of a problem in window ℓ: setting, conditions, coefficients, formulas, values and staircase.

    Parameters
    ----------
    ell : int
        The number ℓ of the window, from 1 to 40.
    digits : int, optional
        Number of proven digits of every value, 20 by default; None gives float64, for functions known by their values.

    Raises
    ------
    TheoryError
        An argument is out of its range, or the problem lacks something that ℓ needs.

    >>> sheet(Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"), ell=2)
    <Sheet 'relu, ℓ = 2': save it as .tex, .pdf or .html>
    """
    check_problem(problem, exact=False)
    if digits is not None and guarantee_of(problem, None) == "estimated":
        reason = f"a sheet has {digits} proven digits by default, and some numbers of this problem are estimates"
        raise PrecisionError(f"{reason}: take None as {spelled('digits')} for float64", argument="digits")
    check_problem(problem, exact=digits is not None)
    ell = index(ell, "ell", 1, _LARGEST_ELL)
    digits = None if digits is None else check_digits(digits)
    found = predict(problem, ell=ell, digits=digits, network=network, gradient=gradient)
    blocks: tuple[Passage, ...] = (
        *contents.setting(problem, network, gradient),
        *contents.conditions(found),
        *contents.coefficients(problem, ell, digits, network),
        *contents.formulas(problem, ell, network, gradient),
        *contents.values(found),
        *contents.staircase(problem, ell, network, gradient),
        *contents.colophon(ell, digits, network, gradient),
    )
    which = ": the limit of literal networks" if network == "literal" else ""
    return Sheet(f"{problem.activation.name}, ℓ = {ell}{which}", blocks)

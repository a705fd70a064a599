"""Fields, rows, table, inputs and step shared by the spectra of features and of weights."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.model.enums import GradientTarget, StepMethod
from theorycalc.model.figures import draw
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import LARGEST_ETA, Sizes, realised, step_size
from theorycalc.numbers.exact import NumberLike
from theorycalc.results.base import Result
from theorycalc.results.quantities import shown
from theorycalc.results.step_result import network_words, step_words, steps_words
from theorycalc.results.table import Row, Table, lines_table
from theorycalc.theory.checks import guarantee_of
from theorycalc.theory.pencil.outliers import StepSize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUMMED = "several steps count as one step of their sum, which misplaces outliers after large steps"


@dataclass(frozen=True, repr=False, eq=False)
class SpectrumResult(Result):
    """A bulk of eigenvalues or singular values and, after a step, its outliers."""

    _names: ClassVar[tuple[str, str]]  # of the values before and after a step, as titles begin
    _words: ClassVar[tuple[str, str, str]]  # of the edges of the bulk, of its values 0 and of its mean

    problem: Problem
    edges: tuple[tuple[float, float], ...]
    atom: float
    mean: float
    bulk: object = field(compare=False)  # determined by the problem, and that of weights by the step
    step: StepSize | None
    method: StepMethod | None
    notes: tuple[str, ...] = ()

    if TYPE_CHECKING:

        def _marks(self) -> tuple[list[Row], list[str]]:
            """Return the rows other than those of the bulk and of 0, and the columns that they add."""

        def _lines(self, full: bool) -> list[tuple[str, object, str]]:
            """Return the lines of the table about outliers."""

    def plot(self, ax: object = None, *, run: object = None, **style: object) -> Figure:
        """Draw the bulk, the outliers and a simulated run, and return the matplotlib figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into.
        run : Run, optional
            A simulation of the same problem with ``spectrum=True``.
        style : optional
            Properties of the density of the bulk.
        """
        return draw(self, ax=ax, run=run, **style)

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64) or "estimated" (c_k are estimates)."""
        return guarantee_of(self.problem, None)

    @property
    def rows(self) -> tuple[Row, ...]:
        """One dictionary for each interval of the bulk, for the value 0, and for each outlier and spike.

        >>> import theorycalc as tc
        >>> [row["kind"] for row in tc.spectrum(Problem("relu", "H1", "1/2", "2/3", "1/10")).rows]
        ['bulk', 'zero']
        """
        rows: list[Row] = [{"kind": "bulk", "low": low, "high": high} for low, high in self.edges]
        rows += [{"kind": "zero", "low": 0.0, "high": 0.0, "share": self.atom}] if self.atom else []
        marks, names = self._marks()
        where: dict[str, object] = {name: float(getattr(self.problem, name)) for name in ("phi", "psi")}
        where |= {name: getattr(self.problem, name) for name in ("n", "d", "N")}
        where |= {name: getattr(self.step, name, None) for name in ("alpha", "eta")}
        columns = ("kind", "low", "high", "share", *names)
        return tuple(where | {name: row.get(name) for name in columns} for row in [*rows, *marks])

    def _table(self, full: bool) -> Table:
        edges, zero, mean = self._words
        lines: list[tuple[str, object, str]] = [
            *(("bulk", f"{shown(low, full)} … {shown(high, full)}", edges) for low, high in self.edges),
            ("at 0", self.atom, zero),
            ("mean", self.mean, mean),
        ]
        title = f"{self._names[0]}, before any step"
        if self.step is not None:
            _, _, alpha, eta, gradient = self.step
            powers = getattr(self, "spikes", None)  # of the pencil
            spikes = "" if powers is None else f", spikes K = {{{', '.join(map(str, powers))}}}"
            of = f"{steps_words(self.problem)} of {network_words(self.problem, gradient)}"
            size = step_words(eta, alpha if eta else None, full)
            title = f"{self._names[1]} after {of}: {size} ({self.method}{spikes})"
            lines += self._lines(full)
            none = all(name != "outlier" for name, *_ in lines)
            lines += [("outlier", "none", "the step drives none out of the bulk")] if none else []
        return lines_table(title, lines, full, notes=self.notes)

    def _inputs(self) -> Row:
        gradient = None if self.step is None else self.step.gradient
        inputs = self.problem.to_dict() | {"gradient": gradient, "method": self.method}
        del inputs["ridge"]  # on which no value depends
        return inputs


def between_networks(deviation: float, full: bool = False) -> str:
    """Return, in words, how a place deviates from network to network.

    >>> between_networks(0.25)
    '± 0.25 between networks; '
    """
    return f"± {shown(deviation, full, '.2g')} between networks; "


def has_step(problem: Problem, n: NumberLike | None, given: Mapping[str, NumberLike | None]) -> bool:
    """Return whether a spectrum is after a step; refuse arguments of a step without sizes.

    >>> has_step(Problem("relu", "H1", 1, 1, 1), None, {"eta": None})
    False
    """
    if n is not None or (problem.has_sizes and any(given.get(name) is not None for name in ("alpha", "eta"))):
        return True
    for name, value in given.items():
        if value is not None:
            reason = f"{spelled(name)} describes a step of a finite network, which needs {spelled('n')}, too"
            raise ArgumentError(reason, argument=name)
    return False


def sized_step(
    problem: Problem, sizes: Sizes, alpha: NumberLike | None, eta: NumberLike | None, gradient: GradientTarget
) -> tuple[Problem, StepSize]:
    """Return the problem, at the ratios that its sizes realise, and the step."""
    exponent, size = step_size(sizes.n, alpha, eta)
    if size > LARGEST_ETA:
        reason = f"the step η = {size:g} is beyond {LARGEST_ETA:g}, the largest computed in float64 here"
        raise DomainError(reason, argument="eta" if alpha is None else "alpha")
    if exponent is None:
        if sizes.n == 1:
            raise DomainError(f"n=1: {spelled('eta')} is compared with powers of n, which needs n ≥ 2", argument="n")
        exponent = math.log(size) / math.log(sizes.n) if size else -math.inf
    return realised(problem, sizes), StepSize(sizes.n, sizes.N, exponent, size, gradient)

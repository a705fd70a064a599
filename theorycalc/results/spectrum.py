"""spectrum(): the eigenvalues of the features: their bulk, and the outliers that a step moves out of it.

See docs/theory/dressed.md#outliers and docs/theory/pencil.md#spikes-in-the-spectrum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from theorycalc.errors import about, one_of
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.enums import GradientTarget, StepMethod
from theorycalc.model.points import check_float_range, float_points, real_points
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import about_step, sizes_of
from theorycalc.model.supported import check_steps, check_supported
from theorycalc.numbers.balls import float_of
from theorycalc.numbers.exact import Floats, NumberLike, NumbersLike, whole
from theorycalc.numbers.systems import Array
from theorycalc.results.quantities import shown
from theorycalc.results.spectrum_steps import SUMMED, SpectrumResult, between_networks, has_step, sized_step
from theorycalc.results.table import Row
from theorycalc.running.budget import one_budget
from theorycalc.running.executors import one_blas_thread
from theorycalc.theory.bulk import Bulk, bulk_of
from theorycalc.theory.case import float_constants
from theorycalc.theory.checks import check_own_mean, checked_case
from theorycalc.theory.kind_bulk import KindBulk, density_at, kind_bulk
from theorycalc.theory.over_networks import BETWEEN
from theorycalc.theory.pencil.outliers import Outliers, StepSize, pencil_outliers
from theorycalc.theory.stepped_spectra import dressed

#: The functions that find outliers, of the problem, the bulk of F₀, the step and the largest power.
METHODS: dict[StepMethod, Callable[[Problem, Bulk | KindBulk, StepSize, int | None], Outliers]] = {
    StepMethod.DRESSED: dressed,
    StepMethod.PENCIL: pencil_outliers,
}

_LEADING = "the pencil keeps the leading term of each spike on the bulk before the step: right for small steps"
_INTERCEPT = "an intercept is not a feature of the network: FFᵀ contains neither it nor the centring of features"
_GAPS = "the bulk has a gap: these are the outliers above all of it"
_GAP = "the bulk has a gap: these are the outliers above it, and method='pencil' looks into the gap, too"


@dataclass(frozen=True, repr=False, eq=False)
class Spectrum(SpectrumResult):
    """Eigenvalues of FFᵀ/n: the bulk before the step and, if a step is given, its outliers and the edge after it.

    A large step widens the bulk.  ``edges`` and the density are those of F₀; ``edge_after`` is the upper edge after the
    step, above which an eigenvalue is an outlier, where the method follows it.

    ``alignments[i, k]`` is the squared overlap of the i-th outlier's left singular vector with H_k(h)/√(n k!), h the
    normalised projection of the samples on the step direction, k = 0, 1, ….
    """

    kind: ClassVar[str] = "spectrum"
    _names: ClassVar[tuple[str, str]] = ("Spectrum of F₀F₀ᵀ/n", "Spectrum of FFᵀ/n")
    _words: ClassVar[tuple[str, str, str]] = (
        "edges of the eigenvalues before the step",
        "share of eigenvalues that are 0",
        "of all eigenvalues before the step",
    )

    bulk: Bulk | KindBulk = field(compare=False)
    spikes: tuple[int, ...] | None = None
    strengths: Floats | None = None
    outliers: Floats | None = None
    alignments: Floats | None = None
    edge_after: float | None = None
    deviations: Floats | None = None  # of the outliers' places over networks; None where all are alike

    @checked_call
    def density(self, z: NumbersLike) -> float | Array:
        """Return the density of the bulk; including the atom at 0, it integrates to 1.

        Parameters
        ----------
        z : real number or array
            Eigenvalues.

        Returns
        -------
        float or array
            The density at each z.

        Raises
        ------
        DomainError
            z is not a finite real number.

        >>> found = spectrum(Problem("relu", "H1", "1/2", "2/3", "1/10"))
        >>> round(found.density(1.0), 6), found.density([-1, 3]).tolist()
        (0.143048, [0.0, 0.0])
        """
        places = real_points(z, "z")
        values = density_at(self.bulk, np.atleast_1d(places))
        return values if np.ndim(places) else float(values[0])

    def _marks(self) -> tuple[list[Row], list[str]]:
        after = self.edge_after
        rows: list[dict[str, object]] = [{"kind": "edge_after", "low": after, "high": after}] if after else []
        overlaps: list[str] = []
        if self.outliers is not None and self.alignments is not None:
            overlaps = [f"overlap_{k}" for k in range(self.alignments.shape[1])]
            for place, seen in zip(self.outliers.tolist(), self.alignments.tolist(), strict=True):
                rows.append({"kind": "outlier", "low": place, "high": place} | dict(zip(overlaps, seen, strict=True)))
            if self.deviations is not None:
                overlaps.append("deviation")
                for row, deviation in zip(rows[-len(self.outliers) :], self.deviations.tolist(), strict=False):
                    row["deviation"] = deviation
        if self.spikes is not None and self.strengths is not None:
            spikes = zip(self.spikes, self.strengths.tolist(), strict=True)
            rows += [{"kind": "spike", "power": power, "strength": strength} for power, strength in spikes]
        return [*rows], ["power", "strength", *overlaps]

    def _lines(self, full: bool) -> list[tuple[str, object, str]]:
        rows: list[tuple[str, object, str]] = []
        if self.edge_after is not None:
            rows.append(("edge", self.edge_after, "upper edge of the bulk after the step"))
        outliers, alignments = np.asarray(self.outliers), np.asarray(self.alignments)  # of a step
        for i, (place, overlaps) in enumerate(zip(outliers, alignments, strict=True)):
            between = "" if self.deviations is None else between_networks(float(self.deviations[i]), full)
            seen = ", ".join(f"H_{k}(h) {shown(x, full, '.4f')}" for k, x in enumerate(overlaps) if x >= 5e-5)
            rows.append(("outlier", float(place), f"{between}squared overlaps {seen}"))
        return rows

    def _details(self) -> Row:
        return {"mean": self.mean, "edge_after": self.edge_after}


@checked_call
@one_budget()
@one_blas_thread()
def spectrum(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
    method: str = StepMethod.DRESSED,
    powers: NumberLike | None = None,
) -> Spectrum:
    """Describe the eigenvalues of F₀F₀ᵀ/n, and with ``alpha`` or ``eta`` those of FFᵀ/n after that step.

    Parameters
    ----------
    problem : Problem
        The network and its data; its ridge plays no part.
    n, d, N : int, optional
        Numbers of samples, inputs and neurons.  d and N follow from φ and ψ, and all three from a problem with sizes.
    method : {"dressed", "pencil"}, default "dressed"
        "dressed" follows the network after a step of any size, and the bulk with it; "pencil" keeps the leading term of
        each spike on the bulk before the step, which is right for small steps, and looks into the gap of a bulk, too.
    powers : int ≥ 1, optional
        Largest power of the pencil; only with ``method="pencil"``, since dressed features are no series.  Default: all
        k with α > (k−1)/(2k), since more make spurious outliers.

    Returns
    -------
    Spectrum
        Edges and density of the bulk, its upper edge after the step, and the outliers with their overlaps.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    >>> [(round(low, 6), round(high, 6)) for low, high in spectrum(problem).edges]
    [(0.002831, 2.031642)]
    >>> found = spectrum(problem, n=2000, alpha="3/10", gradient="labels")
    >>> found.outliers.round(2), round(found.edge_after, 3)
    (array([13.81]), 2.08)
    >>> spectrum(problem, n=2000, alpha="3/10", gradient="labels", method="pencil").outliers.round(2)
    array([13.69])
    """
    check_problem(problem, "spectrum")
    check_supported(problem, "spectra")
    method, gradient = one_of(method, "method", METHODS), one_of(gradient, "gradient", GradientTarget)
    if not has_step(problem, n, {"alpha": alpha, "eta": eta, "d": d, "N": N, "powers": powers}):
        return _assemble(problem, _bulk(problem))
    check_steps(problem, gradient)
    check_own_mean(problem, gradient)
    problem, step = sized_step(problem, sizes_of(problem, n, d, N), alpha, eta, gradient)
    checked_case(with_few_kinds(problem), gradient)  # only for its refusals
    kept = None if powers is None else whole(powers, "powers")
    bulk = _bulk(problem)
    with about_step(alpha):
        outliers = METHODS[method](problem, bulk, step, kept)
    return _assemble(problem, bulk, step, method, outliers)


def _assemble(
    problem: Problem,
    bulk: Bulk | KindBulk,
    step: StepSize | None = None,
    method: StepMethod | None = None,
    found: Outliers | None = None,
) -> Spectrum:
    edges = tuple((interval.low, interval.high) for interval in bulk.intervals)
    before = Spectrum(problem, edges, bulk.atom, bulk.mean, bulk, step, method)
    if found is None:
        return before
    return replace(
        before,
        spikes=found.spikes,
        strengths=found.strengths,
        outliers=found.places,
        alignments=found.alignments,
        edge_after=found.edge,
        deviations=found.deviations,
        notes=(*_notes(problem, method, bulk, found), *found.notes),
    )


def _notes(problem: Problem, method: StepMethod | None, bulk: Bulk | KindBulk, found: Outliers) -> tuple[str, ...]:
    pencil = method == StepMethod.PENCIL
    notes = {
        SUMMED: problem.steps > 1 and (pencil or problem.teacher.directions > 1),
        _LEADING: pencil,
        _GAP: not pencil and len(bulk.intervals) > 1 and isinstance(bulk, Bulk),
        _GAPS: len(bulk.intervals) > 1 and (isinstance(bulk, KindBulk) or (pencil and found.deviations is not None)),
        BETWEEN: found.deviations is not None,
        _INTERCEPT: problem.intercept,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _bulk(problem: Problem) -> Bulk | KindBulk:
    float_points({"phi": problem.phi, "psi": problem.psi})  # only for its refusals
    if problem.biases is not None:
        kinds = float_constants(problem, GradientTarget.LABELS).kinds
        return kind_bulk(kinds, float(problem.phi), float(problem.psi), is_rule=problem.biases.law is not None)
    with about("activation"):
        moments = {name: float_of(getattr(problem.unit_activation, name), name) for name in ("c1", "c_rest")}
        for name, value in moments.items():
            check_float_range(value, name)
    return bulk_of(problem.phi, problem.psi, moments["c1"], moments["c_rest"])

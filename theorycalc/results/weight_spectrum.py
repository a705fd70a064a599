"""weight_spectrum(): the singular values of the weights W: their bulk, and those that steps move out of it.

See docs/theory/weights.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from theorycalc.errors import one_of
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.enums import GradientTarget, SecondLayer, StepMethod
from theorycalc.model.points import float_points, real_points
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import about_step, sizes_of
from theorycalc.model.supported import check_steps, check_supported
from theorycalc.numbers.exact import NumberLike, NumbersLike
from theorycalc.numbers.systems import Array
from theorycalc.results.quantities import OVERLAPS, WEIGHTS
from theorycalc.results.spectrum_steps import SUMMED, SpectrumResult, between_networks, has_step, sized_step
from theorycalc.results.table import Row
from theorycalc.running.budget import one_budget
from theorycalc.running.executors import one_blas_thread
from theorycalc.theory.checks import check_own_mean, checked_case
from theorycalc.theory.over_networks import BETWEEN
from theorycalc.theory.pencil.outliers import StepSize
from theorycalc.theory.plans import has_own_mean
from theorycalc.theory.stepped_spectra import MeanBulk, WeightsAfter, density_inside, even_noise, leading_order
from theorycalc.theory.weight_density import WeightBulk, bulk_before
from theorycalc.theory.weights import WeightOutlier

_EVEN = 0.1  # η²/N, up to which the rest of the gradient counts as even noise also for the edge of the bulk
_SOFT = (
    "with a Gaussian second layer the bulk has a tail and no sharp edge: the upper edge is that expected of N neurons"
)
_SEEN = "the teacher has several directions: its overlap is that with û, the direction that the step sees"
_TURNED = "all a_i are equal and c_2 ≠ 0: the gradient turns all neurons alike, which is neglected here"
_WIDER = "η²/N = {:.2g}{}: the gradient's rest counts as even noise; real bulks end above this edge"


@dataclass(frozen=True, repr=False, eq=False)
class WeightSpectrum(SpectrumResult):
    """Singular values σ of W, N × d: the bulk and, after a step, the outliers with their squared overlaps.

    They are counted as the N square roots of the eigenvalues of WWᵀ, N − d of which are 0 if N > d: ``density`` and
    ``atom`` add up to 1, and the min(N, d) values of a singular value decomposition have the density divided by
    1 − ``atom``.  ``mean`` is that of σ².  ``outliers`` are all above the bulk, in decreasing order: one step moves out
    one at most, several steps may move out more.  ``outlier`` and its overlaps are those of the first, or None.
    """

    kind: ClassVar[str] = "weights"
    _names: ClassVar[tuple[str, str]] = ("Singular values of the weights W₀", "Singular values of the weights W")
    _words: ClassVar[tuple[str, str, str]] = ("edges", "share of the N singular values that are 0", "of all σ²")

    bulk: WeightBulk | MeanBulk = field(compare=False)  # of rows of length 1
    outliers: tuple[WeightOutlier, ...] = ()
    deviations: tuple[float, ...] = ()  # of the places over networks; empty where all are alike

    @property
    def outlier(self) -> float | None:
        """The largest singular value, if the step moves it out of the bulk."""
        return self.outliers[0].place if self.outliers else None

    @property
    def overlap_a(self) -> float | None:
        """The squared overlap of its left vector with the second layer a."""
        return self.outliers[0].overlap_a if self.outliers else None

    @property
    def overlap_direction(self) -> float | None:
        """The squared overlap of its right vector with the direction of the step, or their sum over several steps."""
        return self.outliers[0].overlap_direction if self.outliers else None

    @property
    def overlap_teacher(self) -> float | None:
        """The squared overlap of its right vector with the teacher's direction β⋆."""
        return self.outliers[0].overlap_teacher if self.outliers else None

    @checked_call
    def density(self, sigma: NumbersLike) -> float | Array:
        """Return the density of the N singular values; including the atom at 0, it integrates to 1.

        The tail that a Gaussian second layer has beyond the upper edge is left out: less than 1/N.

        Parameters
        ----------
        sigma : real number or array
            Singular values σ of W, not their squares.

        Returns
        -------
        float or array
            The density at each σ, 0 outside the bulk.

        Raises
        ------
        DomainError
            sigma is not a finite real number.

        >>> found = weight_spectrum(Problem("relu", "H1", "1/2", "1", "1/10"))
        >>> round(found.density(1.0), 6), found.density([-1, 3]).tolist()  # √(4 − σ²)/π
        (0.551329, [0.0, 0.0])
        """
        places = real_points(sigma, "sigma")
        length = float(self.problem.first_scale)
        values = density_inside(self.bulk, np.atleast_1d(places) / length) / length
        return values if np.ndim(places) else float(values[0])

    def _marks(self) -> tuple[list[Row], list[str]]:
        rows: list[Row] = []
        for i, found in enumerate(self.outliers):
            overlaps = {name: getattr(found, name) for name in OVERLAPS}
            overlaps |= {"deviation": self.deviations[i]} if self.deviations else {}
            rows.append({"kind": "outlier", "low": found.place, "high": found.place} | overlaps)
        return rows, [*OVERLAPS, *(["deviation"] if self.deviations else [])]

    def _lines(self, full: bool) -> list[tuple[str, object, str]]:
        rows: list[tuple[str, object, str]] = []
        for i, one in enumerate(self.outliers):
            between = between_networks(self.deviations[i], full) if self.deviations else ""
            rows.append(("outlier", one.place, f"{between}singular value outside the bulk"))
            rows += [(WEIGHTS[name].heading, getattr(one, name), WEIGHTS[name].words) for name in OVERLAPS]
        return rows

    def _details(self) -> Row:
        return {"mean": self.mean}


#: The functions that find bulk and outliers, of the problem and the step.
WEIGHT_METHODS: dict[StepMethod, Callable[[Problem, StepSize], WeightsAfter]] = {
    StepMethod.ISOTROPIC: even_noise,
    StepMethod.PENCIL: leading_order,
}


@checked_call
@one_budget()
@one_blas_thread()
def weight_spectrum(
    problem: Problem,
    *,
    n: NumberLike | None = None,
    alpha: NumberLike | None = None,
    eta: NumberLike | None = None,
    d: NumberLike | None = None,
    N: NumberLike | None = None,
    gradient: str = GradientTarget.RESIDUAL,
    method: str = StepMethod.ISOTROPIC,
) -> WeightSpectrum:
    """Describe the singular values of the weights W₀ and, with ``alpha`` or ``eta``, those of W after that step.

    Parameters
    ----------
    problem : Problem
        The network and its data; its ridge plays no part.
    n, d, N : int, optional
        Numbers of samples, inputs and neurons.  d and N follow from φ and ψ, and all three from a problem with sizes.
    method : {"isotropic", "pencil"}, default "isotropic"
        "isotropic" counts the rest of the gradient as even noise, which lengthens the rows of W, and follows the
        initial output in the residual, and several steps one by one; "pencil" is the leading order: a rank-one step
        on W₀.

    Returns
    -------
    WeightSpectrum
        Edges and density of the bulk, and the outliers with their overlaps.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    >>> [(round(low, 6), round(high, 6)) for low, high in weight_spectrum(problem).edges]  # |1 − √c| and 1 + √c
    [(0.224745, 2.224745)]
    >>> found = weight_spectrum(problem, n=1000, eta=8)
    >>> round(found.outlier, 4), round(found.overlap_a, 4), round(found.overlap_teacher, 4)
    (6.2765, 0.9587, 0.4226)
    """
    check_problem(problem, "weight_spectrum")
    method, gradient = one_of(method, "method", WEIGHT_METHODS), one_of(gradient, "gradient", GradientTarget)
    float_points({"phi": problem.phi, "psi": problem.psi})  # only for its refusals
    if not has_step(problem, n, {"alpha": alpha, "eta": eta, "d": d, "N": N}):
        return _assemble(problem, WeightsAfter(bulk_before(1 / float(problem.psi)), ()), None, None)
    check_supported(problem, "spectra of weights")
    check_steps(problem, gradient)
    check_own_mean(problem, gradient)
    problem, step = sized_step(problem, sizes_of(problem, n, d, N), alpha, eta, gradient)
    checked_case(with_few_kinds(problem), gradient)  # only for its refusals
    with about_step(alpha):
        found = WEIGHT_METHODS[method](problem, step)
    return _assemble(problem, found, step, method)


def _assemble(
    problem: Problem, found: WeightsAfter, step: StepSize | None, method: StepMethod | None
) -> WeightSpectrum:
    length = float(problem.first_scale)
    low, high = found.bulk.edges
    return WeightSpectrum(
        problem=problem,
        edges=((length * low, length * high),),
        atom=max(0.0, float(1 - problem.psi)),
        mean=length**2 * found.bulk.mean,
        bulk=found.bulk,
        step=step,
        method=method,
        outliers=tuple(one._replace(place=length * one.place) for one in found.outliers),
        deviations=tuple(length * one for one in found.deviations),
        notes=_notes(problem, step, method),
    )


def _notes(problem: Problem, step: StepSize | None, method: StepMethod | None) -> tuple[str, ...]:
    if step is None or step.eta == 0:
        return ()
    several = problem.teacher.directions > 1
    mean = has_own_mean(problem, step.gradient)
    always = {_SEEN: several, BETWEEN: mean, SUMMED: problem.steps > 1 and (several or method == StepMethod.PENCIL)}
    seen = tuple(note for note, holds in always.items() if holds)
    if method != StepMethod.ISOTROPIC:
        return seen
    size = (step.eta * float(problem.step_scale)) ** 2 / step.N
    of_all, unit = (
        ("", " of all steps")[problem.steps > 1],
        ("", " with both scales 1")[problem.step_scale != problem.steps],
    )
    turned = problem.second_layer == SecondLayer.CONSTANT and problem.unit_activation.coefficients(2)[2] != 0
    notes = {
        _SOFT: problem.second_layer == SecondLayer.GAUSSIAN,
        _TURNED: turned,
        _WIDER.format(size, of_all + unit): size > _EVEN,
    }
    return *seen, *(note for note, holds in notes.items() if holds)

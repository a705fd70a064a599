"""The outlier of the weights against real networks: place and overlaps of W after a step, with standard errors.

``python -m benchmarks.weights`` writes its table and its counts into docs/theory/weights.md.  A place agrees within
three standard errors or 3 %, an overlap within three standard errors or 0.03.  Where no outlier is expected the largest
singular value is compared with the edge of the bulk, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from tests.helpers.matrices import mean_and_error
from theorycalc.numbers.exact import Floats
from theorycalc.results.quantities import WEIGHTS
from theorycalc.simulation.eigenvalues import weights_record
from theorycalc.simulation.network import descended
from theorycalc.simulation.replicate import _Draw, _draw
from theorycalc.simulation.settings import read_settings

ACTIVATIONS = ("relu", "tanh(x + 1)", "erf", "softplus", "mish")
GRADIENTS = ("residual", "labels")
STEPS = (2.0, 4.0, 8.0, 16.0, 40.0)
SHOWN = (4.0, 8.0, 40.0)
DRAWS = 20
_ERRORS = 3.0
_PLACE = 0.03  # relative
_OVERLAP = 0.03


class Cell(NamedTuple):
    """One network, and the gradient of its step."""

    activation: str
    gradient: str
    sizes: tuple[int, int, int] = (1000, 500, 750)
    first_layer: str = "sphere"
    second_layer: str = "gaussian"

    @property
    def turned(self) -> bool:
        """Whether the gradient turns all neurons alike."""
        return self.second_layer == "constant" and self.activation != "erf"

    @property
    def problem(self) -> tc.Problem:
        """The problem of the cell."""
        n, d, N = self.sizes
        layers = {"first_layer": self.first_layer, "second_layer": self.second_layer}
        return tc.Problem(self.activation, "H1 + H2/sqrt(2)", n=n, d=d, N=N, ridge="1/10", noise="1/2", **layers)


class Seen(NamedTuple):
    """Largest singular value and overlaps after one step: means, standard errors, theory, and leading order."""

    cell: Cell
    eta: float
    mean: Floats
    error: Floats
    expected: tc.WeightSpectrum
    leading: tc.WeightSpectrum
    second: float  # largest singular value
    median: float

    def agrees(self, theory: tc.WeightSpectrum) -> list[bool]:
        """Return whether place and overlaps agree with a theory."""
        if theory.outlier is None:
            return [bool(abs(self.mean[0] - theory.edges[0][1]) <= self._room(theory.edges[0][1], 0))]
        return [bool(abs(self.mean[i] - x) <= self._room(x, i)) for i, x in enumerate(_numbers(theory))]

    def _room(self, value: float, i: int) -> float:
        return max(_ERRORS * float(self.error[i]), _OVERLAP if i else _PLACE * value)


def _numbers(theory: tc.WeightSpectrum) -> list[float]:
    found = theory.outlier, theory.overlap_a, theory.overlap_direction, theory.overlap_teacher
    return [x for x in found if x is not None]


CELLS = (
    *(Cell(activation, gradient) for activation in ACTIVATIONS for gradient in GRADIENTS),
    *(
        Cell(activation, gradient, (600, 300, 450), *layers)
        for activation in ("relu", "tanh(x + 1)")
        for gradient in GRADIENTS
        for layers in (("sphere", "sign"), ("sphere", "constant"), ("gaussian", "gaussian"))
    ),
    *(Cell("erf", gradient, (600, 300, 450), "sphere", "constant") for gradient in GRADIENTS),
    *(
        Cell(activation, "residual", sizes)
        for activation in ("relu", "erf")
        for sizes in ((600, 400, 200), (800, 200, 600))
    ),
)


def networks(cell: Cell, seed: int, draws: int, steps: tuple[float, ...]) -> Iterator[tuple[_Draw, list[Floats]]]:
    """Yield independent networks, and the weights of each after steps of every size."""
    settings = read_settings(cell.problem, eta=1, gradient=cell.gradient, seed=seed)
    for index in range(draws):
        drawn = _draw(settings, index)
        yield drawn, [descended(drawn.ladder.initial, drawn.gradient.weights, eta) for eta in steps]


def draws_of(
    cell: Cell, seed: int, draws: int = DRAWS, steps: tuple[float, ...] = STEPS
) -> list[list[dict[str, object]]]:
    """Return the record of W for every draw and step."""
    return [
        [weights_record(W, drawn.second_layer, drawn.gradient.direction, drawn.labels.direction) for W in after]
        for drawn, after in networks(cell, seed, draws, steps)
    ]


def median_of(found: tc.WeightSpectrum) -> float:
    """Return the median of the singular values of the bulk that are not 0."""
    sigma = np.linspace(*found.edges[0], 4001)
    shares = np.cumsum(found.density(sigma))
    return float(sigma[np.searchsorted(shares, shares[-1] / 2)])


def measured(cell: Cell, seed: int) -> list[Seen]:
    """Return what is seen after every step."""
    records, found = draws_of(cell, seed), []
    for j, eta in enumerate(STEPS):
        values = np.array([[float(draw[j][name]) for name in WEIGHTS] for draw in records])  # type: ignore[arg-type]
        second = np.mean([np.asarray(draw[j]["top"], dtype=float)[1] for draw in records])
        bulks = (np.asarray(draw[j]["quantiles"], dtype=float) for draw in records)
        median = float(np.mean([np.median(values[values > 0]) for values in bulks]))
        theories = [
            tc.weight_spectrum(cell.problem, eta=eta, gradient=cell.gradient, method=method)
            for method in ("isotropic", "pencil")
        ]
        found.append(Seen(cell, eta, *mean_and_error(values), *theories, float(second), median))
    return found


def _row(seen: Seen) -> list[object]:
    pairs = zip(seen.mean, seen.error, _numbers(seen.expected), _numbers(seen.leading), strict=True)
    texts = [f"{x:.3f} ± {e:.3f}; {t:.3f} ({lead:.3f})" for x, e, t, lead in pairs]
    return [
        seen.cell.activation,
        f"{seen.eta:g}",
        *texts,
        f"{seen.second:.2f}; {seen.expected.edges[0][1]:.2f}",
        f"{seen.median:.2f}; {median_of(seen.expected):.2f}",
    ]


def _count(words: str, found: list[Seen], name: str) -> list[object]:
    places, overlaps = [], []
    for seen in found:
        first, *others = seen.agrees(getattr(seen, name))
        places.append(first)
        overlaps += others
    return [words, f"{sum(places)} of {len(places)}", f"{sum(overlaps)} of {len(overlaps)}"]


def main() -> None:
    """Measure, and write the table and the counts."""
    with threadpool_limits(1):
        found = [seen for seed, cell in enumerate(CELLS) for seen in measured(cell, seed)]
    page = DOCS / "theory" / "weights.md"
    shown = [seen for seen in found if seen.cell == Cell(seen.cell.activation, "residual") and seen.eta in SHOWN]
    head = "σ | η | σ_1 | with a | with the step | with β⋆ | σ_2; edge | median"
    write_between(page, "measured", table(head, map(_row, shown)))
    groups = {
        "residual": [seen for seen in found if seen.cell.gradient == "residual" and not seen.cell.turned],
        "labels": [seen for seen in found if seen.cell.gradient == "labels" and not seen.cell.turned],
        "turned alike": [seen for seen in found if seen.cell.turned],
    }
    rows = [
        _count(f"{group}, {words}", seen, name)
        for group, seen in groups.items()
        for words, name in (("default", "expected"), ("leading order", "leading"))
    ]
    write_between(page, "counts", table("networks, theory | places | overlaps", rows))
    for seen in found:
        if not all(seen.agrees(seen.expected)):
            print(seen.cell, seen.eta, seen.mean.round(4), seen.error.round(4), _numbers(seen.expected))


if __name__ == "__main__":
    main()

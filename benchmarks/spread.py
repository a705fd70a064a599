"""The scatter of single networks against its prediction: ``python -m benchmarks.spread``, some minutes.

It writes into docs/theory/finite_size.md, for every loss and gain, the quartiles over networks, steps and ridges of the
observed standard deviation over draws, divided by the predicted one.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from theorycalc.results.quantities import QUANTITIES
from theorycalc.results.step_result import Spread

PAGE = DOCS / "theory" / "finite_size.md"
ACTIVATIONS = ("tanh(x + 1)", "relu", "erf", "softplus", "gelu", "x + sin(2*x)/4")
TEACHERS = (("H1 + H2/sqrt(2)", "1/2"), ("sin(x)", "1/10"), ("H1 + H2/2 + H3/3", "1/2"))
SHAPES = ((400, 200, 300), (300, 450, 600), (600, 200, 250))
ALPHAS = (0.1, 0.3, 0.45)
RIDGES = (0.02, 0.1, 1.0)
DRAWS = 48
SEED = 100  # the fitted numbers have seen networks of other seeds


def ratios(problem: tc.Problem, seed: int, draws: int = DRAWS) -> dict[str, list[float]]:
    """Return observed over predicted standard deviations of one network, for every step and ridge."""
    where = {"alpha": list(ALPHAS), "ridge": list(RIDGES)}
    run = tc.simulate(problem, **where, replicates=draws, seed=seed)
    found = defaultdict(list)
    for cell, alpha in enumerate(ALPHAS):
        spread = tc.step(problem, alpha=alpha, ridge=np.array(RIDGES)).spread
        for row in (row for row in run.rows if row["cell"] == cell):
            place = RIDGES.index(row["ridge"])
            for name in Spread._fields:
                observed = row[f"{name}_se"] * math.sqrt(draws)
                found[name].append(observed / float(getattr(spread, name)[place]))
    return found


def main() -> None:
    """Measure, and write the table."""
    found = defaultdict(list)
    networks = list(itertools.product(ACTIVATIONS, range(len(TEACHERS))))
    for index, (activation, which) in enumerate(networks):
        teacher, noise = TEACHERS[which]
        n, d, N = SHAPES[index % len(SHAPES) - which]
        problem = tc.Problem(activation, teacher, n=n, d=d, N=N, ridge="1/10", noise=noise)
        for name, values in ratios(problem, SEED + index).items():
            found[name] += values
        print(f"{index + 1}/{len(networks)}", flush=True)
    rows = []
    for name, values in found.items():
        shares = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
        rows.append((QUANTITIES[name].heading, len(values), *(f"{x:.2f}" for x in shares)))
    head = "quantity | cells | 5 % | first quartile | median | third quartile | 95 %"
    write_between(PAGE, "spread", table(head, rows))


if __name__ == "__main__":
    main()

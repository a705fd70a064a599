"""Outliers of simulated networks against dressed features, with heavy tails, too, and the time of one spectrum.

``python -m benchmarks.spectra`` writes three tables into docs/spectrum_checks.md; it takes some minutes of one core.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import Ratio, end, forget, machine, ratio_of, ratio_table, rotation
from theorycalc.model.enums import GradientTarget
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.dressed.outliers import dressed_outliers

ACTIVATIONS = ("relu", "tanh(x + 1)", "softplus", "silu", "x + x**2/3", "max(0, x)**2")
ALPHAS = (0.2, 0.3, 0.4, 0.5)
N_SAMPLES = 800
DRAWS = 24
HEAVY = ("relu", "x + x**2/3", "x*abs(x)", "max(0, x)**2", "x + x**3/10", "H1 + H3/6", "x**3")
HEAVY_SAMPLES = 600
#: Activation, teacher, φ, ψ and n of problems that had no part in the bounds of heavy tails.
HELD_OUT = (
    ("elu", "tanh", "1/3", "1", 400),
    ("x + max(0, x)**2", "H1 + H3/6", "1/2", "1/2", 400),
    ("gelu(x)*x + x", "H1", "1", "3/2", 500),
    ("x + x**3/6", "tanh", "1/3", "1", 500),
    ("max(0, x)**3", "H1 + H2/2", "1/2", "2/3", 500),
    ("softplus(x)**2", "sin(x) + H2/3", "2/3", "1/2", 700),
    ("max(0, x)**2", "tanh", "1/3", "1", 900),
)
TIMED = ("tanh(x + 1)", "relu")
ROUNDS = 3
_ERROR = 0.01  # standard error, relative to the largest eigenvalue
TARGET = 10


class Seen(NamedTuple):
    """The largest eigenvalues of the draws, and a prediction of those outside the bulk."""

    found: tc.Spectrum
    tops: np.ndarray

    @property
    def visible(self) -> float:
        """The place above which the prediction counts an eigenvalue as an outlier."""
        assert self.found.edge_after is not None
        return float(self.found.edge_after * (1 + N_SAMPLES ** (-2 / 3)))

    @property
    def places(self) -> np.ndarray:
        """The predicted outliers."""
        return np.asarray(self.found.outliers)

    @property
    def mean(self) -> np.ndarray:
        """The mean over the draws of as many of the largest eigenvalues."""
        return np.asarray(self.tops.mean(axis=0)[: len(self.places)])

    @property
    def error(self) -> np.ndarray:
        """Its standard error."""
        return np.asarray(self.tops.std(axis=0, ddof=1)[: len(self.places)] / math.sqrt(len(self.tops)))

    @property
    def counted(self) -> float:
        """The share of draws with the predicted number of eigenvalues above the visible edge."""
        return float(np.mean((self.tops > self.visible).sum(axis=1) == len(self.places)))


def problem_of(activation: str) -> tc.Problem:
    """Return the problem of the tables."""
    return tc.Problem(activation, "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2")


def seen_by(activation: str) -> list[Seen]:
    """Return prediction and draws for every α."""
    problem = problem_of(activation)
    run = tc.simulate(problem, n=N_SAMPLES, alpha=list(ALPHAS), replicates=DRAWS, seed=11, spectrum=True)
    tops = {alpha: [one["spectrum"]["top"] for one in run.records if one["alpha"] == alpha] for alpha in ALPHAS}
    return [Seen(tc.spectrum(problem, n=N_SAMPLES, alpha=alpha), np.array(tops[alpha])) for alpha in ALPHAS]


def row(activation: str, alpha: float, seen: Seen) -> str:
    """Return one row of the table."""
    simulated = ", ".join(f"{m:.4g} ± {e:.2g}" for m, e in zip(seen.mean, seen.error, strict=True))
    predicted = ", ".join(f"{place:.4g}" for place in seen.places)
    cells = (f"`{activation}`", f"{alpha:g}", f"{seen.found.edge_after:.3f}", simulated, predicted)
    return " | ".join((*(cell or "none" for cell in cells), f"{seen.counted:.0%}"))


def verdict(everything: list[Seen]) -> str:
    """Return how many places are within three standard errors, or within 3 %."""
    off = np.concatenate([seen.mean - seen.places for seen in everything])
    error, places = (np.concatenate([getattr(seen, name) for seen in everything]) for name in ("error", "places"))
    within, near = np.abs(off) <= 3 * error, np.abs(off) <= 0.03 * places
    return (
        f"{int(within.sum())} of {len(off)} places are within three standard errors, {int((within | near).sum())} "
        "within that or 3 %."
    )


def heavy_row(problem: tc.Problem, n: int, gradient: str, alpha: float, draws: int, seed: int) -> str:
    """Return the share of rare values, and by how much the largest eigenvalue of draws is off, refused or not."""
    run = tc.simulate(problem, n=n, alpha=alpha, gradient=gradient, replicates=draws, seed=seed, spectrum=True)
    found = dressed_outliers(step_of(run.settings.problem, run.settings.N, gradient), n**alpha)
    case = f"`{problem.activation.name}`", gradient, f"{alpha:g}", f"{found.rare:.1%}"
    if not len(found.places):
        return " | ".join((*case, "none predicted", ""))
    off = np.array([one["spectrum"]["top"][0] for one in run.records]) / found.places[0] - 1
    error = off.std(ddof=1) / math.sqrt(len(off))
    return " | ".join((*case, f"{off.mean():+.0%} ± {error:.0%}", f"{np.median(off):+.0%}"))


def write_heavy() -> None:
    """Write the table with which the bounds were chosen, and that of other problems."""
    head = "activation | gradient | α | rare values, beyond linear | mean of the largest, off by | median, off by"
    rows = [
        heavy_row(problem_of(name), HEAVY_SAMPLES, gradient, alpha, DRAWS, 3)
        for name, gradient, alpha in itertools.product(HEAVY, GradientTarget, (0.2, 0.4))
    ]
    write_between(DOCS / "spectrum_checks.md", "tails", table(head, rows))
    rows = [
        heavy_row(tc.Problem(name, teacher, phi, psi, "1/10", noise="1/3"), n, gradient, alpha, 20, 101)
        for (name, teacher, phi, psi, n), gradient, alpha in itertools.product(HELD_OUT, GradientTarget, (0.25, 0.45))
    ]
    write_between(DOCS / "spectrum_checks.md", "held out", table(head, rows))


def time_ratio(activation: str) -> Ratio:
    """Time of a simulation that tells the largest eigenvalue to 1 % over the time of one spectrum."""
    problem = problem_of(activation)
    pilot = next(seen for alpha, seen in zip(ALPHAS, seen_by(activation), strict=True) if alpha == 0.3)
    draws = math.ceil(float((pilot.error[0] * math.sqrt(DRAWS) / pilot.mean[0] / _ERROR) ** 2))
    settings = read_settings(problem, n=N_SAMPLES, alpha=0.3, replicates=2, spectrum=True)
    steps = itertools.count(1)

    def fresh() -> None:
        forget()
        tc.spectrum(problem, n=N_SAMPLES, alpha=0.3 + 1e-6 * next(steps))

    times = rotation({"spectrum": fresh, "network": lambda: replicate(settings, 0, range(1))}, ROUNDS)
    return ratio_of(
        f"one spectrum, {activation}, nothing remembered",
        f"simulating it at n = {N_SAMPLES}, {draws} draws for 1 %",
        times["spectrum"],
        [draws * seconds for seconds in times["network"]],
        target=TARGET,
    )


def main() -> None:
    """Measure, write all tables, and fail where the aim is missed."""
    with threadpool_limits(1):
        found = {activation: seen_by(activation) for activation in ACTIVATIONS}
        rows = [row(name, *pair) for name, each in found.items() for pair in zip(ALPHAS, each, strict=True)]
        lines = table("activation | α | edge after | simulated | predicted | draws with that number", rows)
        everything = [seen for each in found.values() for seen in each]
        write_between(DOCS / "spectrum_checks.md", "networks", [*lines, "", verdict(everything)])
        write_heavy()
        ratios = [time_ratio(activation) for activation in TIMED]
    write_between(DOCS / "spectrum_checks.md", "speed", [*ratio_table(ratios, "s"), "", machine()])
    end(ratios)


if __name__ == "__main__":
    main()

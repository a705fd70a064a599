"""How well finite-step predictions agree with the real network: ``python -m benchmarks.held_out``.

The network with the true gradient, 24 draws a cell, against dressed features, their isotropic form, the pencil and the
limits; runs are kept in build/held_out, and a second call goes on where the first was stopped.  Writes
docs/finite_step_checks.md.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between

RUNS = DOCS.parent / "build" / "held_out"
PAGE = DOCS / "finite_step_checks.md"

ACTIVATIONS = ("tanh(x + 1)", "softplus", "gelu", "relu", "erf", "elu")
TEACHERS = (("H1 + H2/sqrt(2)", "1/2"), ("H1", "1"), ("H1 + H2/2 + H3/3", "1/2"))
SHAPES = ((1000, 500, 750), (600, 1200, 2400), (1600, 400, 400))
RIDGES = ("1/100", "1/10", "1")
DRAWS = 24


class Group(NamedTuple):
    """Steps that are simulated together, of the literal network or of one that learns from the labels alone."""

    name: str
    gradient: str
    alphas: tuple[str, ...]
    seed: int


LARGE = ("2/5", "9/20", "1/2", "11/20")
GROUPS = (
    Group("small", "residual", ("0", "1/10", "1/5", "3/10"), 778_000),
    Group("large", "residual", LARGE, 777_000),
    Group("labels", "labels", LARGE, 777_000),
)
THEORIES = {
    "dressed": "dressed features",
    "isotropic": "isotropic form",
    "pencil": "pencil",
    "limit": "limits n → ∞ of such networks",
}


class Score(NamedTuple):
    """How far one observed gain is from a theory, in standard errors."""

    gradient: str
    alpha: float
    theory: str
    z: float


def cases() -> list[tc.Problem]:
    """Each activation with each teacher, and the shapes in turn."""
    found = []
    for i, activation in enumerate(ACTIVATIONS):
        for j, (teacher, noise) in enumerate(TEACHERS):
            n, d, N = SHAPES[(i + j) % len(SHAPES)]
            found.append(tc.Problem(activation, teacher, n=n, d=d, N=N, ridge=RIDGES[1], noise=noise))
    return found


def scores(index: int, group: Group) -> list[Score]:
    """Return z for every step, ridge and gain of one case and every theory."""
    problem = cases()[index]
    run = tc.simulate(
        problem,
        n=problem.n,
        alpha=list(group.alphas),
        ridge=list(RIDGES),
        replicates=DRAWS,
        seed=group.seed + index,
        gradient=group.gradient,
        workers=2,
        output=RUNS / f"{group.name}{index}.json",
        resume=True,
    )
    ridges = np.array(run.settings.ridges)
    found = []
    for cell, step in enumerate(run.settings.steps_taken):
        rows = {row["ridge"]: row for row in run.rows if row["cell"] == cell}
        theories = {
            method: tc.step(problem, alpha=group.alphas[cell], ridge=ridges, gradient=group.gradient, method=method)
            for method in ("dressed", "isotropic", "pencil")
        }
        with contextlib.suppress(tc.DomainError):  # α may be outside every window
            theories["limit"] = tc.predict(
                problem, alpha=group.alphas[cell], ridge=ridges, network="literal", gradient=group.gradient
            )
        for name, theory in theories.items():
            for i, ridge in enumerate(ridges):
                for gain in ("train_gain", "test_gain"):
                    row = rows[float(ridge)]
                    z = (row[gain] - getattr(theory, gain)[i]) / row[f"{gain}_se"]
                    found.append(Score(group.gradient, step.alpha, name, float(z)))
    return found


def rows(found: list[Score]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one kind of network: each theory at all steps, then at each."""
    for name, title in THEORIES.items():
        mine = [score for score in found if score.theory == name]
        alphas = sorted({score.alpha for score in mine})
        parts = {f"**{title}**, all α": mine}
        parts |= {f"{title}, α = {alpha:g}": [score for score in mine if score.alpha == alpha] for alpha in alphas}
        for label, scores in parts.items():
            z = np.array([score.z for score in scores])
            within = f"{np.mean(np.abs(z) < 3):.1%}", f"{np.sqrt(np.mean(z**2)):.2f}"
            yield label, str(len(z)), *(within if len(z) else ("–", "–"))


def main() -> None:
    """Run everything, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found = []
    for group in GROUPS:
        for index in range(len(cases())):
            found += scores(index, group)
            print(f"{group.name}: {index + 1}/{len(cases())}", flush=True)
    for gradient in ("residual", "labels"):
        mine = rows([score for score in found if score.gradient == gradient])
        write_between(PAGE, gradient, table("theory and step | cells | within 3 standard errors | rms z", mine))


if __name__ == "__main__":
    main()

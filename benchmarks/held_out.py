"""How well finite-step predictions agree with the real network: ``python -m benchmarks.held_out``.

The network with the true gradient, 24 draws a cell, against dressed features, their isotropic form, the pencil and the
limits; runs are kept in build/held_out, and a second call goes on where the first was stopped.  Writes
docs/finite_step_checks.md.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

import theorycalc as tc

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "build" / "held_out"
PAGE = ROOT / "docs" / "finite_step_checks.md"

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
TITLES = {"residual": "The literal network", "labels": "A step on the labels alone"}


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


def line(title: str, z: np.ndarray) -> str:
    """Return a row of the table."""
    if not len(z):
        return f"| {title} | – | – | – |"
    return f"| {title} | {len(z)} | {np.mean(np.abs(z) < 3):.1%} | {np.sqrt(np.mean(z**2)):.2f} |"


def table(found: list[Score]) -> list[str]:
    """Return the rows of one kind of network."""
    lines = ["| theory and step | cells | within 3 standard errors | rms z |", "|---|---|---|---|"]
    for name, title in THEORIES.items():
        mine = [score for score in found if score.theory == name]
        lines.append(line(f"**{title}**, all α", np.array([score.z for score in mine])))
        lines += [
            line(f"{title}, α = {alpha:g}", np.array([score.z for score in mine if score.alpha == alpha]))
            for alpha in sorted({score.alpha for score in mine})
        ]
    return lines


def main() -> None:
    """Run everything, print it, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found = []
    for group in GROUPS:
        for index in range(len(ACTIVATIONS) * len(TEACHERS)):
            found += scores(index, group)
            print(f"{group.name}: {index + 1}/18", flush=True)
    rms = np.sqrt((DRAWS - 1) / (DRAWS - 3))
    lines = [
        "# Finite steps against the real network",
        "",
        "Written by `python -m benchmarks.held_out`. The network with the true gradient,",
        f"{DRAWS} draws a cell: six activations, three teachers, three shapes (n, d, N) in turn, three ridges,",
        "training and test gain. z = (observed − predicted)/standard error; where a theory is right, 99.4 % of",
        f"Student's z with {DRAWS - 1} degrees of freedom lie within 3, and their rms is {rms:.2f}. The six numbers of",
        "one case and step come from the same draws, so they miss together. The isotropic form counts",
        "the rest of the gradient as even noise; dressed features know its shape ([how](finite_steps.md)).",
    ]
    for gradient, title in TITLES.items():
        lines += ["", f"## {title}", "", *table([score for score in found if score.gradient == gradient])]
    text = "\n".join([*lines, ""])
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

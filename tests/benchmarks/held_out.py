"""How well finite-step predictions agree with the real network: ``python -m tests.benchmarks.held_out``.

The literal network with the true gradient, 24 draws a cell, against dressed features, the pencil and the limits; runs
are kept in build/held_out, and a second call goes on where the first was stopped.  Writes docs/finite_step_checks.md.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

import theorycalc as tc

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "build" / "held_out"
PAGE = ROOT / "docs" / "finite_step_checks.md"

ACTIVATIONS = ("tanh(x + 1)", "softplus", "gelu", "relu", "erf", "elu")
TEACHERS = (("H1 + H2/sqrt(2)", "1/2"), ("H1", "1"), ("H1 + H2/2 + H3/3", "1/2"))
SHAPES = ((1000, 500, 750), (600, 1200, 2400), (1600, 400, 400))
RIDGES = ("1/100", "1/10", "1")
ALPHAS = ("0", "1/10", "1/5", "3/10", "2/5", "1/2", "11/20")
DRAWS = 24
SEED = 20_261_116


def cases() -> list[tuple[tc.Problem, tuple[int, int, int]]]:
    """Each activation with each teacher, and the shapes in turn."""
    found = []
    for i, activation in enumerate(ACTIVATIONS):
        for j, (teacher, noise) in enumerate(TEACHERS):
            n, d, N = SHAPES[(i + j) % len(SHAPES)]
            problem = tc.Problem.from_sizes(activation, teacher, n, d, N, RIDGES[1], noise, initial_output="included")
            found.append((problem, (n, d, N)))
    return found


def scores(index: int, problem: tc.Problem, sizes: tuple[int, int, int]) -> list[tuple[float, str, float]]:
    """Return α, the theory's name and z for every ridge and both gains of one case."""
    n, d, N = sizes
    run = tc.simulate(
        problem,
        n=n,
        d=d,
        N=N,
        alpha=list(ALPHAS),
        ridge=list(RIDGES),
        replicates=DRAWS,
        seed=SEED + index,
        workers=2,
        output=RUNS / f"{index}.json",
        resume=True,
    )
    ridges = np.array(run.settings.ridges)
    found = []
    for cell, step in enumerate(run.settings.steps_taken):
        rows = {row["ridge"]: row for row in run.summary() if row["cell"] == cell}
        theories = {
            method: tc.step(problem, n=n, d=d, N=N, alpha=ALPHAS[cell], ridge=ridges, method=method)
            for method in ("dressed", "pencil")
        }
        with contextlib.suppress(tc.DomainError):  # α may be outside every window
            theories["limit"] = tc.predict(problem, alpha=ALPHAS[cell], ridge=ridges)
        for name, theory in theories.items():
            for i, ridge in enumerate(ridges):
                for gain in ("train_gain", "test_gain"):
                    row = rows[float(ridge)]
                    z = (row[gain] - getattr(theory, gain)[i]) / row[f"{gain}_se"]
                    found.append((step.alpha, name, float(z)))
    return found


def line(title: str, z: np.ndarray) -> str:
    """Return a row of the table."""
    if not len(z):
        return f"| {title} | – | – | – |"
    return f"| {title} | {len(z)} | {np.mean(np.abs(z) < 3):.1%} | {np.sqrt(np.mean(z**2)):.2f} |"


def main() -> None:
    """Run everything, print it, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found = []
    for index, (problem, sizes) in enumerate(cases()):
        found += scores(index, problem, sizes)
        print(f"{index + 1}/18: {problem.activation.name}, {sizes}", flush=True)
    rms = np.sqrt((DRAWS - 1) / (DRAWS - 3))
    alphas = sorted({alpha for alpha, _, _ in found})
    lines = [
        "# Finite steps against the real network",
        "",
        "Written by `python -m tests.benchmarks.held_out`. The literal network with the true gradient and the initial",
        f"output in it, {DRAWS} draws a cell: six activations, three teachers, three shapes (n, d, N) in turn, three",
        "ridges, training and test gain. z = (observed − predicted)/standard error; where a theory is right, 99.4 % of",
        f"Student's z with {DRAWS - 1} degrees of freedom lie within 3, and their rms is {rms:.2f}.",
        "",
        "| theory and step | cells | within 3 standard errors | rms z |",
        "|---|---|---|---|",
    ]
    for name, title in (("dressed", "dressed features"), ("pencil", "pencil"), ("limit", "limits n → ∞ (corrected)")):
        lines.append(line(f"**{title}**, all α", np.array([z for _, who, z in found if who == name])))
        lines += [
            line(f"{title}, α = {alpha:g}", np.array([z for a, who, z in found if who == name and a == alpha]))
            for alpha in alphas
        ]
    text = "\n".join([*lines, ""])
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

"""The network against the theory before the step, and the ladder of equivalents; writes docs/simulation_checks.md.

m_1, m_2, L_tr(F₀) and L_te(F₀) of five activations at three (φ, ψ, λ) each
(docs/theory/test_gain.md#before-the-step), and the losses after a moderate step of the network, of F_ℓ and of its
Gaussian version (docs/theory/windows.md#what-the-step-adds), on the same draws.
It takes about a quarter of an hour on two cores, ``python -m benchmarks.untrained``; the runs are kept in
build/untrained, and a second call goes on where the first was stopped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import theorycalc as tc

ACTIVATIONS = ("relu", "erf", "tanh", "gelu", "softplus")
CASES = (("1/2", "2/3", "1/10"), ("1/4", "1/6", "1/100"), ("3/4", "3/2", "1"))  # φ, ψ, λ
SIZES = (1000, 2000)
DRAWS = 20
ALPHA, ELL = 0.1, 2
QUANTITIES = ("m1", "m2", "train_loss_initial", "test_loss_initial")
LOSSES = ("train_loss", "test_loss")
EQUIVALENTS = ("spiked", "gaussian")
ROOT = Path(__file__).parents[1]
RUNS = ROOT / "build" / "untrained"
PAGE = ROOT / "docs" / "simulation_checks.md"


@dataclass(frozen=True)
class Mean:
    """A mean and its standard error."""

    value: float
    error: float

    @property
    def z(self) -> float:
        """The mean in standard errors."""
        return self.value / self.error

    def __str__(self) -> str:
        return f"{self.value:+.1e} ± {self.error:.1e} | {self.z:+.1f}"


def mean_of(values: np.ndarray) -> Mean:
    """Return the mean of independent draws."""
    return Mean(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


@dataclass(frozen=True)
class Sample:
    """One activation at one case and size: the draws of every quantity."""

    activation: str
    case: tuple[str, str, str]
    n: int
    problem: tc.Problem  # at the realised ratios
    draws: dict[tuple[str, str], np.ndarray]  # by model and name

    def deviation(self, name: str) -> Mean:
        """Mean of the simulated less the predicted."""
        return mean_of(self.draws["network", name] - getattr(tc.predict(self.problem, ell=1), name))

    def step_down(self, model: str, name: str) -> Mean:
        """Mean of an equivalent's loss less the network's on the same draws."""
        return mean_of(self.draws[model, name] - self.draws["network", name])

    def spread(self, model: str, name: str) -> float:
        """Standard error of that difference if the draws were not the same: what separate simulations can see."""
        return math.hypot(*(mean_of(self.draws[which, name]).error for which in ("network", model)))


def sample(activation: str, case: tuple[str, str, str], n: int, seed: int) -> Sample:
    """Run one sample, or read what is done of it; every sample has a seed, and so draws, of its own."""
    phi, psi, ridge = case
    problem = tc.Problem(activation, ["1", "1/2"], phi, psi, ridge, noise="1/2")
    RUNS.mkdir(parents=True, exist_ok=True)
    run = tc.simulate(
        problem,
        n=n,
        alpha=ALPHA,
        replicates=DRAWS,
        seed=seed,
        equivalent=("network", *EQUIVALENTS) if n == SIZES[0] else ("network",),
        ell=ELL,
        traces=True,
        workers=2,
        output=RUNS / f"{seed}.json",
        resume=True,
    )
    draws = {
        (row["model"], name): np.array([record["rows"][j][name] for record in run.records])
        for j, row in enumerate(run.records[0]["rows"])
        for name in (*QUANTITIES[2:], *LOSSES)
    }
    for name in QUANTITIES[:2]:
        draws["network", name] = np.array([record["traces"][0][name] for record in run.records])
    print(f"n = {n}: {activation} at φ, ψ, λ = {', '.join(case)}", flush=True)
    return Sample(activation, case, n, run.settings.problem, draws)


def samples() -> list[Sample]:
    """Run everything."""
    keys = [(activation, case, n) for n in SIZES for activation in ACTIVATIONS for case in CASES]
    return [sample(*key, seed) for seed, key in enumerate(keys)]


def extrapolated(small: Mean, large: Mean) -> Mean:
    """Return 2·large − small: a deviation at n and 2n without its part of order 1/n."""
    return Mean(2 * large.value - small.value, math.hypot(2 * large.error, small.error))


def beyond(scores: list[float]) -> str:
    """How many scores lie beyond 3 and 4, and their root mean square."""
    three, four = (sum(abs(z) > level for z in scores) for level in (3, 4))
    return f"{three} of {len(scores)} beyond 3, {four} beyond 4, rms {math.sqrt(np.mean(np.square(scores))):.2f}"


def untrained_lines(small: list[Sample], large: list[Sample]) -> list[str]:
    """The table of the network before the step."""
    lines = [
        "| σ | φ, ψ, λ | quantity | predicted | n = 1000 | z | n = 2000 | z | without the part of order 1/n | z |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    scores: dict[str, list[tuple[float, float, float]]] = {name: [] for name in QUANTITIES}
    for before, after in zip(small, large, strict=True):
        for name in QUANTITIES:
            predicted = getattr(tc.predict(after.problem, ell=1), name)
            pair = before.deviation(name), after.deviation(name)
            found = (*pair, extrapolated(*pair))
            scores[name].append(tuple(mean.z for mean in found))
            lines.append(
                f"| {after.activation} | {', '.join(after.case)} | {name} | {predicted:.5g} | "
                f"{' | '.join(map(str, found))} |"
            )
    lines.append("")
    for column, title in enumerate(("n = 1000", "n = 2000", "without the part of order 1/n")):
        chosen = {name: [row[column] for row in rows] for name, rows in scores.items()}
        lines.append(f"- {title}: {beyond([z for values in chosen.values() for z in values])}")
        lines += [f"  - {name}: {beyond(values)}" for name, values in chosen.items()]
    return lines


def ladder_lines(samples: list[Sample]) -> list[str]:
    """The table of the equivalents."""
    lines = [
        "| σ | φ, ψ, λ | loss | network | F_ℓ − network | z | Gaussian − network | z |",
        "|---|---|---|---|---|---|---|---|",
    ]
    paired: dict[str, list[float]] = {model: [] for model in EQUIVALENTS}
    separate: dict[str, list[float]] = {model: [] for model in EQUIVALENTS}
    for each in samples:
        for name in LOSSES:
            shown = []
            for model in EQUIVALENTS:
                shift = each.step_down(model, name)
                shown.append(str(shift))
                paired[model].append(shift.z)
                separate[model].append(shift.value / each.spread(model, name))
            mean = each.draws["network", name].mean()
            lines.append(f"| {each.activation} | {', '.join(each.case)} | {name} | {mean:.4f} | {' | '.join(shown)} |")
    summary = [f"- {model}, on the same draws: {beyond(values)}" for model, values in paired.items()]
    summary += [f"- {model}, by the errors of separate draws: {beyond(values)}" for model, values in separate.items()]
    return [*lines, "", *summary]


def main() -> None:
    """Run, print and write the page."""
    found = samples()
    small, large = ([each for each in found if each.n == n] for n in SIZES)
    lines = [
        "# The network against the theory",
        "",
        f"Written by `python -m benchmarks.untrained`: {DRAWS} draws each, mean ± standard error; teacher",
        "H_1 + H_2/2, σ_ε = 1/2, rows of W₀ on the sphere, theory at the realised ratios.",
        "",
        "## Before the step: simulated − predicted",
        "",
        "A trace fluctuates by the order 1/n, which is also the order of what a finite n changes in its mean: with 20",
        "draws that shows. Twice the deviation at n = 2000 less the one at n = 1000 is free of it, and is what the",
        "limit must explain.",
        "",
        *untrained_lines(small, large),
        "",
        f"## After a step n^{ALPHA}: the ladder of equivalents, ℓ = {ELL}, n = 1000, the same draws",
        "",
        *ladder_lines(small),
        "",
    ]
    text = "\n".join(lines)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

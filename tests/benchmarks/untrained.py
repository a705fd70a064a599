"""The network against the theory before the step, and the ladder of equivalents; writes docs/simulation_checks.md.

m_1, m_2, L_tr(F₀) and L_te(F₀) of five activations at three (φ, ψ, λ) each (theory sections 3 and 7), and the
losses after a moderate step of the network, of F_ℓ and of its Gaussian version (section 5), on the same draws.
It takes about a quarter of an hour on two cores: ``python -m tests.benchmarks.untrained``.
"""

from __future__ import annotations

import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import theorycalc as tc
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import Settings, read_settings

ACTIVATIONS = ("relu", "erf", "tanh", "gelu", "softplus")
CASES = (("1/2", "2/3", "1/10"), ("1/4", "1/6", "1/100"), ("3/4", "3/2", "1"))  # φ, ψ, λ
SIZES = (1000, 2000)
DRAWS = 20
ALPHA, ELL = 0.1, 2
QUANTITIES = ("m1", "m2", "train_loss_initial", "test_loss_initial")
LOSSES = ("train_loss", "test_loss")
EQUIVALENTS = ("spiked", "gaussian")
PAGE = Path(__file__).parents[2] / "docs" / "simulation_checks.md"


@dataclass(frozen=True)
class Sample:
    """One activation at one case and size: the draws of every quantity."""

    activation: str
    case: tuple[str, str, str]
    settings: Settings
    draws: dict[tuple[str, str], np.ndarray]  # by model and name

    def deviation(self, name: str) -> tuple[float, float]:
        """Mean of the simulated less the predicted, and its standard error."""
        predicted = getattr(tc.predict(self.settings.problem, ell=1), name)
        return self._mean(self.draws["network", name] - predicted)

    def step_down(self, model: str, name: str) -> tuple[float, float]:
        """Mean of an equivalent's loss less the network's on the same draws, and its standard error."""
        return self._mean(self.draws[model, name] - self.draws["network", name])

    def spread(self, model: str, name: str) -> float:
        """Standard error of that difference if the draws were not the same: what separate simulations can see."""
        return math.hypot(self._mean(self.draws["network", name])[1], self._mean(self.draws[model, name])[1])

    @staticmethod
    def _mean(values: np.ndarray) -> tuple[float, float]:
        return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def case_settings(activation: str, case: tuple[str, str, str], n: int, seed: int) -> Settings:
    """The settings of one sample; every sample has a seed, and so draws, of its own."""
    phi, psi, ridge = case
    problem = tc.Problem(activation, ["1", "1/2"], phi, psi, ridge, noise="1/2", initial_output="included")
    models = ("network", *EQUIVALENTS)
    return read_settings(
        problem, n=n, alpha=ALPHA, replicates=DRAWS, seed=seed, equivalent=models, ell=ELL, traces=True
    )


def samples() -> list[Sample]:
    """Run everything, one process a core."""
    keys = [(activation, case, n) for n in SIZES for activation in ACTIVATIONS for case in CASES]
    settings = [case_settings(*key, seed) for seed, key in enumerate(keys)]
    with ProcessPoolExecutor(2) as pool:
        futures = [[pool.submit(replicate, each, 0, index) for index in range(DRAWS)] for each in settings]
        found = []
        for (activation, case, _), each, group in zip(keys, settings, futures, strict=True):
            records = [future.result() for future in group]
            draws = {
                (row["model"], name): np.array([record["rows"][j][name] for record in records])
                for j, row in enumerate(records[0]["rows"])
                for name in (*QUANTITIES[2:], *LOSSES)
            }
            draws |= {
                ("network", name): np.array([record["traces"][0][name] for record in records])
                for name in QUANTITIES[:2]
            }
            found.append(Sample(activation, case, each, draws))
            print(f"n = {each.n}: {activation} at φ, ψ, λ = {', '.join(case)}", flush=True)
    return found


def beyond(scores: list[float]) -> str:
    """How many scores lie beyond 3 and 4, and their root mean square."""
    three, four = (sum(abs(z) > level for z in scores) for level in (3, 4))
    return f"{three} of {len(scores)} beyond 3, {four} beyond 4, rms {math.sqrt(np.mean(np.square(scores))):.2f}"


def untrained_lines(small: list[Sample], large: list[Sample]) -> list[str]:
    """The table of the network before the step."""
    lines = [
        "| σ | φ, ψ, λ | quantity | predicted | simulated − predicted | z | the same at n = 1000 | z |",
        "|---|---|---|---|---|---|---|---|",
    ]
    scores: dict[str, list[float]] = {name: [] for name in QUANTITIES}
    for before, after in zip(small, large, strict=True):
        for name in QUANTITIES:
            predicted = getattr(tc.predict(after.settings.problem, ell=1), name)
            (shift, error), (old, old_error) = after.deviation(name), before.deviation(name)
            scores[name].append(shift / error)
            lines.append(
                f"| {after.activation} | {', '.join(after.case)} | {name} | {predicted:.5g} "
                f"| {shift:+.1e} ± {error:.0e} | {shift / error:+.1f} | {old:+.1e} ± {old_error:.0e} "
                f"| {old / old_error:+.1f} |"
            )
    summary = [f"- {name}: {beyond(values)}" for name, values in scores.items()]
    return [*lines, "", *summary, f"- all: {beyond([z for values in scores.values() for z in values])}"]


def ladder_lines(large: list[Sample]) -> list[str]:
    """The table of the equivalents."""
    lines = [
        "| σ | φ, ψ, λ | loss | network | F_ℓ − network | z | Gaussian − network | z |",
        "|---|---|---|---|---|---|---|---|",
    ]
    paired: dict[str, list[float]] = {model: [] for model in EQUIVALENTS}
    separate: dict[str, list[float]] = {model: [] for model in EQUIVALENTS}
    for sample in large:
        for name in LOSSES:
            shown = []
            for model in EQUIVALENTS:
                shift, error = sample.step_down(model, name)
                shown.append(f"{shift:+.1e} ± {error:.0e} | {shift / error:+.1f}")
                paired[model].append(shift / error)
                separate[model].append(shift / sample.spread(model, name))
            mean = sample.draws["network", name].mean()
            lines.append(
                f"| {sample.activation} | {', '.join(sample.case)} | {name} | {mean:.4f} | {shown[0]} | {shown[1]} |"
            )
    summary = [f"- {model}, on the same draws: {beyond(values)}" for model, values in paired.items()]
    summary += [f"- {model}, by the errors of separate draws: {beyond(values)}" for model, values in separate.items()]
    return [*lines, "", *summary]


def main() -> None:
    """Run, print and write the page."""
    found = samples()
    small, large = ([s for s in found if s.settings.n == n] for n in SIZES)
    lines = [
        "# The network against the theory",
        "",
        f"Written by `python -m tests.benchmarks.untrained`: {DRAWS} draws each, mean ± standard error; teacher",
        "H_1 + H_2/2, σ_ε = 1/2, rows of W₀ on the sphere, theory at the realised ratios.",
        "",
        "## Before the step, n = 2000",
        "",
        *untrained_lines(small, large),
        "",
        f"## After a step n^{ALPHA}: the ladder of equivalents, ℓ = {ELL}, n = 2000, the same draws",
        "",
        *ladder_lines(large),
        "",
    ]
    text = "\n".join(lines)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

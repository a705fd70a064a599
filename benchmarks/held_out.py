"""How well finite-step predictions agree with real networks of every option: ``python -m benchmarks.held_out``.

Random networks with the true gradient, 32 draws each, against dressed features, their isotropic form, the pencil and
the limits.  Networks with a gain beyond three standard errors are drawn again, three times as often.  Runs are kept in
build/held_out, and a second call goes on where the first was stopped.  Writes docs/finite_step_checks.md.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between

RUNS = DOCS.parent / "build" / "held_out"
PAGE = DOCS / "finite_step_checks.md"

ACTIVATIONS = (
    *("tanh(x + 1)", "softplus", "gelu", "relu", "erf", "elu", "silu", "mish"),
    *("leaky_relu(0.1)", "x + sin(2*x)/4", "max(0, x)**2", "x + x**2/3"),
)
TEACHERS = (
    *(("H1", "1"), ("H1 + H2/sqrt(2)", "1/2"), ("H1 + H2/2 + H3/3", "1/2"), ("sin(x)", "1/10"), ("relu", "1/2")),
    *(("tanh(2*x)", "0"), ("H1 - H2/2", "1/4"), ("H1 + H3/2", "1/2"), ("abs(x) + x", "1/3"), ("H1/2 + H2", "1/2")),
)
OPTIONS: dict[str, tuple[dict[str, object], str]] = {
    "default": ({}, "residual"),
    "labels": ({}, "labels"),
    "sign": ({"second_layer": "sign"}, "residual"),
    "constant": ({"second_layer": "constant"}, "residual"),
    "constant_labels": ({"second_layer": "constant"}, "labels"),
    "gaussian": ({"first_layer": "gaussian"}, "residual"),
    "third": ({"step_samples": 1 / 3}, "residual"),  # times n
    "four": ({"step_samples": 4}, "residual"),
}
WORDS = {
    "default": "the literal network",
    "labels": "a step on the labels alone",
    "sign": "second layer of signs",
    "constant": "constant second layer",
    "constant_labels": "constant second layer, labels alone",
    "gaussian": "Gaussian first layer",
    "third": "a step on n/3 points",
    "four": "a step on 4n points",
}
NETWORKS = 2 * len(ACTIVATIONS)  # of each option
DRAWS = 32
AGAIN = 3  # times as many draws
FAR = 3  # standard errors
GAINS = ("train_gain", "test_gain")
LOSSES = ("train_loss", "test_loss")
BEFORE = ("train_loss_initial", "test_loss_initial")
METHODS = {"dressed": "dressed features", "isotropic": "isotropic form", "pencil": "pencil", "limit": "limits n → ∞"}
PLACE = 0.03  # of an outlier: as near counts as right, whatever its standard error


class Network(NamedTuple):
    """One random network: its problem, two steps, two ridges, and the target of its gradient."""

    problem: tc.Problem
    alphas: list[float]
    ridges: list[float]
    gradient: str
    activation: str


class Score(NamedTuple):
    """How far one observed quantity is from a theory, in standard errors."""

    option: str
    index: int
    activation: str
    alpha: float
    method: str
    quantity: str
    z: float


def network(option: str, index: int) -> Network:
    """Draw the ``index``-th network of an option: activations in turn, all else at random."""
    rng = np.random.default_rng([2029, list(OPTIONS).index(option), index])
    n = int(rng.integers(300, 800))
    phi = math.exp(rng.uniform(math.log(0.2), math.log(2.4)))
    width = math.exp(rng.uniform(math.log(0.5), math.log(2.2)))
    activation = ACTIVATIONS[index % len(ACTIVATIONS)]
    teacher, noise = TEACHERS[rng.integers(len(TEACHERS))]
    more, gradient = OPTIONS[option]
    if "step_samples" in more:
        more = {"step_samples": int(float(str(more["step_samples"])) * n)}
    sizes = {"n": n, "d": max(60, int(phi * n)), "N": int(width * n)}
    problem = tc.Problem(activation, teacher, **sizes, ridge="1/10", noise=noise, **more)
    alphas = sorted({round(float(rng.uniform(*ends)), 2) for ends in ((0, 0.35), (0.35, 0.65))})
    ridges = [round(math.exp(rng.uniform(math.log(0.01), math.log(0.3))), 3), 1.0]
    return Network(problem, alphas, ridges, gradient, activation)


def simulated(option: str, index: int, again: bool = False) -> tc.Run:
    """Return the draws of a network, from its file if that is complete; others, and more of them, ``again``."""
    chosen = network(option, index)
    return tc.simulate(
        chosen.problem,
        alpha=chosen.alphas,
        ridge=chosen.ridges,
        replicates=AGAIN * DRAWS if again else DRAWS,
        seed=180000 + 100 * index + list(OPTIONS).index(option) + (10_000 if again else 0),
        gradient=chosen.gradient,
        spectrum=not again,
        workers=2,
        output=RUNS / f"{option}_{index}{'_again' if again else ''}.json",
        resume=True,
    )


def scores(option: str, index: int, run: tc.Run) -> Iterator[Score]:
    """Yield z for every step, ridge, loss and gain of one network, and every theory."""
    problem, alphas, ridges, gradient, activation = network(option, index)
    for (cell, alpha), (name, _) in itertools.product(enumerate(alphas), METHODS.items()):
        with contextlib.suppress(tc.DomainError):  # α may be outside every window
            if name == "limit":
                theory = tc.predict(problem, alpha=alpha, ridge=ridges, network="literal", gradient=gradient)
            else:
                theory = tc.step(problem, alpha=alpha, ridge=ridges, gradient=gradient, method=name)
            quantities = (*GAINS, *LOSSES, *(BEFORE if cell == 0 else ()))  # both steps have the same losses before
            for i, quantity in itertools.product(range(len(ridges)), quantities):
                row = next(r for r in run.rows if r["cell"] == cell and math.isclose(r["ridge"], ridges[i]))
                z = (row[quantity] - getattr(theory, quantity)[i]) / row[f"{quantity}_se"]
                yield Score(option, index, activation, alpha, name, quantity, float(z))


class Outlier(NamedTuple):
    """Predicted outliers of one step beside the mean of the largest eigenvalues of its draws."""

    activation: str
    right: int = 0  # places within 3 standard errors or 3 %
    predicted: int = 0
    refused: bool = False  # as tails are too heavy for a typical place


def outliers(option: str, index: int, run: tc.Run) -> Iterator[Outlier]:
    """Yield the outliers after each step of one network."""
    problem, alphas, _, gradient, activation = network(option, index)
    for alpha in alphas:
        drawn = [r["spectrum"]["top"] for r in run.records if math.isclose(r["alpha"], alpha, abs_tol=1e-9)]
        try:
            places = tc.spectrum(problem, alpha=alpha, gradient=gradient, method="dressed").outliers
        except tc.DomainError:
            yield Outlier(activation, refused=True)
            continue
        mean, error = np.mean(drawn, axis=0), np.std(drawn, axis=0, ddof=1) / math.sqrt(len(drawn))
        off = np.abs(mean[: len(places)] - places)
        right = np.sum((off < 3 * error[: len(places)]) | (off < PLACE * places))
        yield Outlier(activation, int(right), len(places))


def row(label: str, found: Iterable[Score], keep: Callable[[Score], bool]) -> tuple[str, ...]:
    """Return a row of a table: cells, share within 3 standard errors, rms."""
    z = np.array([score.z for score in found if keep(score)])
    within = (f"{np.mean(np.abs(z) < FAR):.1%}", f"{np.sqrt(np.mean(z**2)):.2f}") if len(z) else ("–", "–")
    return label, str(len(z)), *within


def tables(found: list[Score], places: list[Outlier]) -> dict[str, str]:
    """Return the tables of the page by their names."""
    dressed = [score for score in found if score.method == "dressed"]
    head = " | cells | within 3 standard errors | rms z"
    gain = [score for score in dressed if score.quantity in GAINS]
    groups = {"gains": GAINS, "losses after the step": LOSSES, "losses before the step": BEFORE}
    options = [
        row(f"**all**, {kind}", dressed, lambda s, group=group: s.quantity in group) for kind, group in groups.items()
    ]
    options += [row(words, gain, lambda s, name=name: s.option == name) for name, words in WORDS.items()]
    steps = [(0, 0.2), (0.2, 0.35), (0.35, 0.5), (0.5, 0.66)]
    ends = [row(f"{low:g} ≤ α < {high:g}", gain, lambda s, a=low, b=high: a <= s.alpha < b) for low, high in steps]
    names = [row(f"`{name}`", gain, lambda s, name=name: s.activation == name) for name in ACTIVATIONS]
    theories = [
        row(words, found, lambda s, name=name: s.method == name and s.quantity in GAINS)
        for name, words in METHODS.items()
    ]
    fast = [place for place in places if place.activation == "max(0, x)**2"]
    kinds = {"all": places, "without `max(0, x)**2`": [place for place in places if place not in fast]}
    spikes = [
        (label, f"{sum(p.right for p in kept)} of {sum(p.predicted for p in kept)}", str(sum(p.refused for p in kept)))
        for label, kept in kinds.items()
    ]
    return {
        "theories": table(f"theory{head}", theories),
        "options": table(f"network{head}", options),
        "steps": table(f"step n^α{head}", ends),
        "activations": table(f"activation{head}", names),
        "outliers": table("networks | outliers within 3 standard errors or 3 % | spectra refused", spikes),
    }


def far_off(found: Iterable[Score]) -> dict[tuple[str, int], list[Score]]:
    """Return the gains of dressed features of every network with one beyond three standard errors."""
    gains: dict[tuple[str, int], list[Score]] = {}
    for score in found:
        if score.method == "dressed" and score.quantity in GAINS:
            gains.setdefault((score.option, score.index), []).append(score)
    return {which: scored for which, scored in gains.items() if any(abs(score.z) > FAR for score in scored)}


def drawn_again(found: list[Score]) -> list[str]:
    """Draw the networks that are far off again, and return the table of both."""
    rows, everything = [], []
    for (option, index), first in far_off(found).items():
        second = [
            score
            for score in scores(option, index, simulated(option, index, again=True))
            if score.method == "dressed" and score.quantity in GAINS
        ]
        everything += second
        cells = (f"{sum(abs(score.z) > FAR for score in scored)} of {len(scored)}" for scored in (first, second))
        worst = max((score.z for score in second), key=abs)
        rows.append((WORDS[option], f"`{first[0].activation}`", *cells, f"{worst:+.1f}"))
    z = np.array([score.z for score in everything])
    counts = f"{np.sum(np.abs(z) > FAR)} of {len(z)}", f"rms {np.sqrt(np.mean(z**2)):.2f}"
    head = "network | activation | gains beyond 3 | of new draws | the worst of these"
    return table(head, [*rows, ("**all**", "", "", *counts)])


def main() -> None:
    """Run everything, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found: list[Score] = []
    places: list[Outlier] = []
    for index, option in itertools.product(range(NETWORKS), OPTIONS):
        run = simulated(option, index)
        found += scores(option, index, run)
        places += outliers(option, index, run)
        print(f"{option}: {index + 1}/{NETWORKS}", flush=True)
    for name, text in (tables(found, places) | {"again": drawn_again(found)}).items():
        write_between(PAGE, name, text)


if __name__ == "__main__":
    main()

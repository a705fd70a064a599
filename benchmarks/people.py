"""How well finite steps agree with networks as people build them: ``python -m benchmarks.people [networks] [draws]``.

Random networks of every option that libraries and real labels bring, simulated with the true gradient, against
dressed features.  Runs are kept in build/people, and a second call goes on where the first was stopped, with more
networks or draws.  Writes docs/people_checks.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import theorycalc as tc
from benchmarks.held_out import ACTIVATIONS, TEACHERS
from benchmarks.pages import AGREEMENT, DOCS, agreement_row, table, write_between

RUNS = DOCS.parent / "build" / "people"
PAGE = DOCS / "people_checks.md"
NETWORKS, DRAWS = 4, 24  # of each option, and of each network
LARGEST_ALPHA = 0.55  # of the step that a network with unit scales would take

LIFTED = (("relu", "1/2"), ("abs(x) + x", "1/3"), ("H1 + H2/2 + 1/2", "1/2"), ("softplus", "0"))
DIRECTIONS = (
    *(("t1 + t1*t2", "1/2"), ("t1 + 7*t1*t2/10 + H2(t2)/2", "1/4"), ("t1 + relu(t2)", "1/2")),
    *(("t1*t2*t3 + t1 + t2/2", "1/3"), ("tanh(t1) + t2*t3/2", "0")),
)
SIGNS = (("sign(x)", "0"), ("sign(x)", "1/2"), ("sign(x - 1/2)", "0"))
TORCH = {"first_scale": "1/sqrt(3)", "second_scale": "1/sqrt(3)", "second_layer": "uniform"}
RAW = {"centred": False, "intercept": True}

Drawn = Callable[[Generator], dict[str, object]]


def _fixed(**options: object) -> Drawn:
    return lambda rng: dict(options)


def _scales(rng: Generator) -> dict[str, object]:
    return {"first_scale": round(rng.uniform(0.5, 2), 2), "second_scale": round(rng.uniform(0.3, 1.5), 2)}


def _shares(*names: str, most: float) -> Drawn:
    """Return a function that draws shares of labels for each name, some of them 0."""
    return lambda rng: {name: round(rng.uniform(0, most), 2) * int(rng.integers(0, 3) > 0) for name in names}


def _signs(rng: Generator) -> dict[str, object]:
    return {"intercept": True, "centred_labels": False} | _shares("corrupt_step", "corrupt_fit", most=0.3)(rng)


def _steps(rng: Generator) -> dict[str, object]:
    return {"steps": int(rng.integers(2, 5)), "step_samples": float(rng.choice([0.5, 1.0]))}


def _everything(rng: Generator) -> dict[str, object]:
    """Return torch's network, or another one with a fit like it, and labels that are corrupted."""
    layers = TORCH if rng.integers(2) else _scales(rng) | {"second_layer": str(rng.choice(["gaussian", "sign"]))}
    return layers | RAW | _shares("corrupt_step", "corrupt_fit", most=0.4)(rng)


class Kind(NamedTuple):
    """A kind of network: words for it, how its options are drawn, its teachers, and the target of its gradient."""

    words: str
    options: Drawn
    teachers: tuple[tuple[str, str], ...] = TEACHERS
    gradient: str = "residual"


KINDS = {
    "intercept": Kind("an intercept", _fixed(intercept=True)),
    "raw": Kind("raw activation and intercept", _fixed(**RAW)),
    "bare": Kind("raw activation without an intercept", _fixed(centred=False)),
    "lifted": Kind("labels with a mean, raw, intercept", _fixed(**RAW, centred_labels=False), LIFTED),
    "scales": Kind("other scales of both layers", _scales),
    "uniform": Kind("uniform second layer", _fixed(second_layer="uniform")),
    "torch": Kind("torch's scales and law, raw, intercept", _fixed(**TORCH, **RAW)),
    "corrupt": Kind("corrupted labels", _shares("corrupt_step", "corrupt_fit", most=0.6)),
    "flip": Kind("flipped labels", _shares("flip_step", "flip_fit", most=0.3)),
    "steps": Kind("two to four steps on the labels", _steps, gradient="labels"),
    "directions": Kind("teachers of several directions", _fixed(), DIRECTIONS),
    "directions_labels": Kind("the same, a step on the labels alone", _fixed(), DIRECTIONS, "labels"),
    "signs": Kind("labels ±1, corrupted, with an intercept", _signs, SIGNS),
    "everything": Kind("scales, laws, raw, intercept, corrupted labels", _everything),
}


class Network(NamedTuple):
    """One random network: its problem, its steps by their α with unit scales and by η, and its ridges."""

    problem: tc.Problem
    steps: dict[float, float]  # η of each α
    ridges: list[float]
    activation: str


class Score(NamedTuple):
    """How far one observed gain is from theory, in standard errors."""

    kind: str
    activation: str
    alpha: float
    quantity: str
    z: float


def network(kind: str, index: int) -> Network:
    """Draw the ``index``-th network of a kind: activations in turn, all else at random."""
    rng = np.random.default_rng([1911, list(KINDS).index(kind), index])
    n = int(rng.integers(400, 600))
    sizes = {"n": n, "d": int(n * rng.uniform(0.25, 1.5)), "N": int(n * rng.uniform(0.5, 2))}
    activation = ACTIVATIONS[(index + 5 * list(KINDS).index(kind)) % len(ACTIVATIONS)]
    teacher, noise = KINDS[kind].teachers[rng.integers(len(KINDS[kind].teachers))]
    options = KINDS[kind].options(rng)
    if "step_samples" in options:
        options["step_samples"] = int(float(str(options["step_samples"])) * n)
    problem = tc.Problem(activation, teacher, **sizes, ridge="1/10", noise=noise, **options)
    alphas = [round(float(rng.uniform(*ends)), 2) for ends in ((0.05, 0.3), (0.3, LARGEST_ALPHA))]
    ridges = [round(math.exp(rng.uniform(math.log(0.01), math.log(0.3))), 3), 1.0]
    return Network(problem, {alpha: n**alpha / float(problem.step_scale) for alpha in alphas}, ridges, activation)


def scores(kind: str, index: int, draws: int) -> Iterator[Score]:
    """Simulate one network, from its file where that is complete, and yield z of every step, ridge and gain."""
    problem, steps, ridges, activation = network(kind, index)
    run = tc.simulate(
        problem,
        eta=list(steps.values()),
        ridge=ridges,
        replicates=draws,
        seed=70000 + 100 * index + list(KINDS).index(kind),
        gradient=KINDS[kind].gradient,
        output=RUNS / f"{kind}_{index}.json",
        resume=True,
    )
    alphas, rows = list(steps), list(tc.compare(run).rows)
    if run.settings.has_sign_labels:
        rates = tc.error_rate(run.problem, eta=list(steps.values()), gradient=KINDS[kind].gradient)
        rows += tc.compare(run, rates).rows
    for row in rows:
        if "_gain" in row["quantity"]:
            yield Score(kind, activation, alphas[row["cell"]], row["quantity"], row["z"])


def tables(found: list[Score]) -> dict[str, list[str]]:
    """Return the tables of the page by their names."""
    kinds = [agreement_row("**all**", (s.z for s in found))]
    kinds += [agreement_row(kind.words, (s.z for s in found if s.kind == name)) for name, kind in KINDS.items()]
    steps = [
        agreement_row(f"{low:g} ≤ α < {high:g}", (s.z for s in found if low <= s.alpha < high))
        for low, high in pairwise((0, 0.2, 0.3, 0.45, LARGEST_ALPHA + 0.01))
    ]
    names = dict.fromkeys(score.quantity for score in found)
    gains = [agreement_row(f"`{name}`", (s.z for s in found if s.quantity == name)) for name in names]
    heads = {"kinds": ("network", kinds), "steps": ("step n^α", steps), "gains": ("gain", gains)}
    return {name: table(head + AGREEMENT, rows) for name, (head, rows) in heads.items()}


def main(networks: int = NETWORKS, draws: int = DRAWS) -> None:
    """Run everything, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found: list[Score] = []
    for index, kind in product(range(networks), KINDS):
        try:
            found += scores(kind, index, draws)
        except tc.TheoryError as error:
            print(f"{kind}, network {index}: {error}", flush=True)
        else:
            print(f"{kind}: {index + 1}/{networks}", flush=True)
    for name, text in tables(found).items():
        write_between(PAGE, name, text)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))

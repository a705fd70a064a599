"""How well theory agrees with networks whose inputs have a covariance: ``python -m benchmarks.covariances``.

Random spectra, teachers, networks and fits.  The network, simulated with the true gradient, is judged against finite
steps, and strong spikes on the same inputs against the limits.  Runs are kept in build/covariances, and a second call
goes on where the first was stopped; two arguments give more networks or draws.  Writes docs/covariance_checks.md.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import theorycalc as tc
from benchmarks.held_out import ACTIVATIONS, TEACHERS
from benchmarks.pages import AGREEMENT, DOCS, agreement_row, table, write_between
from theorycalc.numbers.exact import Floats

RUNS = DOCS.parent / "build" / "covariances"
PAGE = DOCS / "covariance_checks.md"
NETWORKS, DRAWS = 4, 24  # of each spectrum and preference, and of each network
LARGEST_ALPHA = 0.55
STRONG = 1000.0  # η of spikes that are as good as infinite
SPIKES = (1, 2)  # ℓ of the limits
MANY = 50  # directions that count, from which the step's direction is the same in every draw


def _two_levels(rng: Generator, d: int) -> Floats:
    upper = max(1, round(rng.uniform(0.1, 0.5) * d))
    return np.r_[np.full(upper, round(math.exp(rng.uniform(math.log(2), math.log(16))), 2)), np.ones(d - upper)]


#: Eigenvalues, the largest first, for d inputs.
SPECTRA: dict[str, Callable[[Generator, int], Floats]] = {
    "two levels": _two_levels,
    "exponential": lambda rng, d: np.exp(-np.arange(d) / (d * rng.uniform(0.2, 0.6))),
    "power law": lambda rng, d: np.arange(1, d + 1) ** -rng.uniform(0.1, 0.6),
}
#: The teacher's shares for these eigenvalues.
PREFERENCES: dict[str, Callable[[Floats], Floats]] = {
    "no direction": lambda tau: tau,
    "large eigenvalues": lambda tau: tau**3,
    "small eigenvalues": lambda tau: 1 / tau,
}
KINDS = tuple(itertools.product(SPECTRA, PREFERENCES))
GRADIENTS = ("residual", "labels")
FAST = ("max(0, x)**2", "x + x**2/3")  # activations that grow like x²


class Network(NamedTuple):
    """One random network: its problem, its steps, its ridges, the target of its gradient, and its eigenvalues."""

    problem: tc.Problem
    alphas: list[float]
    ridges: list[float]
    gradient: str
    activation: str
    eigenvalues: Floats


class Score(NamedTuple):
    """How far one observed gain is from theory, in standard errors, or a loss before the step, in parts of it."""

    spectrum: str
    preference: str
    activation: str
    gradient: str
    directions: float
    theory: str
    alpha: float  # of a finite step; NaN for strong spikes
    quantity: str
    z: float


def directions(tau: Floats, gradient: str) -> float:
    """Return how many directions count in the step's direction: that of equal eigenvalues is their number."""
    powers = (2,) if gradient == "labels" else (2, 3)
    return float(min(np.sum(tau**power) ** 2 / np.sum(tau ** (2 * power)) for power in powers))


def network(kind: tuple[str, str], index: int) -> Network:
    """Draw the ``index``-th network of a kind: activations and gradients in turn, all else at random."""
    place = KINDS.index(kind)
    rng = np.random.default_rng([2020, place, index])
    n = int(rng.integers(400, 600))
    sizes = {"n": n, "d": int(n * rng.uniform(0.25, 1.5)), "N": int(n * rng.uniform(0.5, 2))}
    tau = SPECTRA[kind[0]](rng, sizes["d"])
    activation = ACTIVATIONS[(index + 5 * place) % len(ACTIVATIONS)]
    teacher, noise = TEACHERS[rng.integers(len(TEACHERS))]
    layers = {"second_layer": str(rng.choice(["gaussian", "gaussian", "sign", "uniform"]))}
    layers |= {"first_layer": str(rng.choice(["sphere", "sphere", "gaussian"]))}
    problem = tc.Problem(
        activation,
        teacher,
        **sizes,
        **layers,
        ridge="1/10",
        noise=noise,
        inputs=tc.Inputs.given(tau, PREFERENCES[kind[1]](tau)),
    )
    alphas = [round(float(rng.uniform(*ends)), 2) for ends in ((0, 0.3), (0.3, LARGEST_ALPHA))]
    ridges = [round(math.exp(rng.uniform(math.log(0.01), math.log(0.3))), 3), 1.0]
    return Network(problem, alphas, ridges, GRADIENTS[(index + place) % 2], activation, tau)


def simulated(kind: tuple[str, str], index: int, draws: int, ell: int | None) -> tc.Run:
    """Return the network of finite steps, or strong spikes of a step on the labels for ``ell``, maybe from a file."""
    problem, alphas, ridges, gradient, *_ = network(kind, index)
    common = {"ridge": ridges, "replicates": draws, "seed": 80000 + 100 * index + KINDS.index(kind), "resume": True}
    name = f"{kind[0]}_{kind[1]}_{index}".replace(" ", "_")
    if ell is None:
        return tc.simulate(problem, alpha=alphas, gradient=gradient, output=RUNS / f"{name}.json", **common)
    spiked = {"eta": STRONG, "gradient": "labels", "equivalent": "spiked", "ell": ell}
    return tc.simulate(problem, **spiked, output=RUNS / f"{name}_{ell}.json", **common)


def scores(kind: tuple[str, str], index: int, draws: int) -> Iterator[Score]:
    """Yield z of the gains of every step and ridge of one network, and the losses before the step."""
    chosen = network(kind, index)
    where = (*kind, chosen.activation, chosen.gradient, directions(chosen.eigenvalues, chosen.gradient))
    for row in tc.compare(simulated(kind, index, draws, None)).rows:
        if "_gain" in row["quantity"]:
            yield Score(*where, "finite steps", chosen.alphas[row["cell"]], row["quantity"], row["z"])
        elif row["cell"] == 0 and row["quantity"] in ("train_loss_initial", "test_loss_initial"):
            relative = row["observed"] / row["predicted"] - 1
            yield Score(*where, "before the step", math.nan, row["quantity"], relative)


def limit_scores(kind: tuple[str, str], index: int, draws: int) -> Iterator[Score]:
    """Yield z of the gains of strong spikes."""
    chosen = network(kind, index)
    where = (*kind, chosen.activation, "labels", directions(chosen.eigenvalues, "labels"))
    for ell in SPIKES:
        run = simulated(kind, index, draws, ell)
        for row in tc.compare(run, tc.predict(chosen.problem, ell=ell, ridge=chosen.ridges)).rows:
            if "_gain" in row["quantity"]:
                yield Score(*where, f"limits, ℓ = {ell}", math.nan, row["quantity"], row["z"])


PARTS = {"finite steps": scores, "limits": limit_scores}


def tables(found: list[Score], networks: int, refused: dict[str, int]) -> dict[str, list[str]]:
    """Return the tables of the page by their names."""
    gains = [score for score in found if score.theory != "before the step"]
    finite = [score for score in gains if score.theory == "finite steps"]
    theories = [agreement_row("**all gains**", (s.z for s in gains))]
    names = dict.fromkeys(score.theory for score in gains)
    theories += [agreement_row(name, (s.z for s in gains if s.theory == name)) for name in names]
    slow = (s.z for s in finite if s.activation not in FAST)
    theories.append(agreement_row("finite steps, activations that grow slower than x²", slow))
    kinds = [agreement_row(f"eigenvalues: {name}", (s.z for s in gains if s.spectrum == name)) for name in SPECTRA]
    kinds += [
        agreement_row(f"the teacher prefers {name}", (s.z for s in gains if s.preference == name))
        for name in PREFERENCES
    ]
    kinds += [agreement_row(f"a step on the {name}", (s.z for s in finite if s.gradient == name)) for name in GRADIENTS]
    few = (s.z for s in gains if s.directions < MANY)
    kinds.append(agreement_row(f"fewer than {MANY} directions count", few))
    kinds.append(agreement_row(f"{MANY} or more", (s.z for s in gains if s.directions >= MANY)))
    steps = [
        agreement_row(f"{low:g} ≤ α < {high:g}", (s.z for s in finite if low <= s.alpha < high))
        for low, high in itertools.pairwise((0, 0.2, 0.3, 0.45, LARGEST_ALPHA + 0.01))
    ]
    names = dict.fromkeys(("train_gain", "test_gain"))
    steps += [agreement_row(f"`{name}`", (s.z for s in finite if s.quantity == name)) for name in names]
    before = []
    for name in ("train_loss_initial", "test_loss_initial"):
        off = np.abs([score.z for score in found if score.theory == "before the step" and score.quantity == name])
        before.append((f"`{name}`", str(len(off)), f"{np.median(off):.2%}", f"{np.max(off):.2%}"))
    return {
        "theories": table("theory" + AGREEMENT, theories),
        "kinds": table("inputs, teacher and step" + AGREEMENT, kinds),
        "steps": table("finite step n^α" + AGREEMENT, steps),
        "losses": table("loss | cells | median deviation of the mean | largest", before),
        "refused": table(
            "theory | networks | refused by the validity test", [(name, networks, refused[name]) for name in PARTS]
        ),
    }


def main(networks: int = NETWORKS, draws: int = DRAWS) -> None:
    """Run everything, and write the page."""
    RUNS.mkdir(parents=True, exist_ok=True)
    found: list[Score] = []
    refused = dict.fromkeys(PARTS, 0)
    for index, kind, (name, part) in itertools.product(range(networks), KINDS, PARTS.items()):
        try:
            found += part(kind, index, draws)
        except tc.DomainError as error:
            if error.argument != "inputs":
                raise
            refused[name] += 1
            print(f"{kind}, network {index}: {error}", flush=True)
        else:
            print(f"{', '.join(kind)}, {name}: {index + 1}/{networks}", flush=True)
    for name, text in tables(found, networks * len(KINDS), refused).items():
        write_between(PAGE, name, text)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))

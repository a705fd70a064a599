"""Cui and others' step of order √d: the curve and the networks that their notebooks store, beside ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table
from tests.independent import cui as theirs
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS

PAGE = DOCS / "gallery" / "cui.md"
#: theory.ipynb of SPOC-group/OneStepGD_asymptotics: n/d, and the test error that it prints.
CURVE = {
    "1/5": 0.048595388918,
    "9/10": 0.043118053299,
    "8/5": 0.038072437563,
    "23/10": 0.035111506600,
    "3": 0.033340014535,
}
#: Simulations.ipynb: n/d, and (training error, test error) of three fits to one network.
NETWORKS = {
    "1/5": ((0.00048209, 0.29907759), (0.00049318, 0.28985244), (0.00042927, 0.29418381)),
    "2/3": ((0.00370638, 0.32183658), (0.00366527, 0.31863129), (0.00385969, 0.31515986)),
    "17/15": ((0.01911932, 0.26713115), (0.01940206, 0.28851559), (0.01960466, 0.27541431)),
    "8/5": ((0.03937906, 0.19540339), (0.03981533, 0.21767984), (0.03873254, 0.20400605)),
    "31/15": ((0.05166781, 0.16899558), (0.05345443, 0.17510122), (0.05113409, 0.17240698)),
    "38/15": ((0.05999843, 0.15161511), (0.06118411, 0.15669649), (0.05964001, 0.15631226)),
    "3": ((0.06455004, 0.14265747), (0.06793999, 0.14221553), (0.06456052, 0.14854394)),
}
THEIR_SIZE, NEARLY_INFINITE = 2000, 10**10  # d


class Experiment(NamedTuple):
    """Student and teacher, samples of the step per input, its strength u, and their ridge."""

    student: str
    teacher: str
    step_samples: Fraction
    strength: float
    ridge: Fraction


OF_THE_CURVE = Experiment("tanh", "sin(x)", Fraction(20), 3.0, Fraction(1, 10))
OF_THE_NETWORKS = Experiment("tanh", "tanh(x)", Fraction(1, 2), 1.0, Fraction(1, 100))
FEW = OF_THE_CURVE._replace(step_samples=Fraction(1))  # where the theories differ most


class Simulated(NamedTuple):
    """An experiment, n/d, d and draws; and the mean test error with its standard error, once simulated."""

    case: Experiment
    samples: str
    d: int
    draws: int
    mean: float = 0.0
    error: float = 0.0


SIMULATED = (
    *(Simulated(OF_THE_CURVE, samples, 400, 80) for samples in CURVE),
    Simulated(OF_THE_CURVE, "1/5", 800, 20),
    Simulated(FEW, "3", 400, 150),
    Simulated(FEW, "3", 800, 30),
)


def problem(case: Experiment, samples: Any, d: int) -> tc.Problem:
    """Return our problem: N = d, a second layer of equal entries, their ridge times N/n."""
    n = int(Fraction(samples) * d)
    sizes = {"n": n, "d": d, "N": d, "step_samples": int(case.step_samples * d)}
    ridge = tc.ridge_from("sum_scaled_features", case.ridge, phi=Fraction(d, n), psi=1)
    return tc.Problem(case.student, case.teacher, ridge=ridge, second_layer="constant", **sizes)


def ours(case: Experiment, samples: Any, d: int, method: str = "dressed") -> tc.FiniteStep:
    """Return our step: it moves every neuron by the strength, and takes the labels alone."""
    return tc.step(problem(case, samples, d), eta=case.strength * math.sqrt(d), gradient="labels", method=method)


def paper(case: Experiment, samples: str, along: bool = True, stored: bool = False) -> theirs.Solution:
    """Return their equations for tanh and the teacher sin; ``stored`` has the notebook's c, with a factor h_1²."""

    def slope(x: Any) -> Any:
        return 1 - np.tanh(x) ** 2

    after = theirs.spike(slope, np.sin, float(case.step_samples), case.strength)
    if stored:
        z, weights = theirs.nodes()
        after = after._replace(c=1 + (after.c - 1) * float(weights @ slope(z)) ** 2)
    given = theirs.conditioned(np.tanh, np.sin, after)
    return theirs.solve(float(Fraction(samples)), float(case.ridge), after, given, along)


def networks() -> list[Simulated]:
    """Return what simulated networks show."""
    found = []
    for asked in SIMULATED:
        step: dict[str, Any] = {"eta": asked.case.strength * math.sqrt(asked.d), "gradient": "labels"}
        fitted = problem(asked.case, asked.samples, asked.d)
        (row,) = tc.simulate(fitted, **step, replicates=asked.draws, seed=0, test_samples=4000).rows
        found.append(asked._replace(mean=row["test_loss"], error=row["test_loss_se"]))
    return found


def differences() -> list[str]:
    """Return the stored curve beside their equations, and these beside our isotropic features."""
    rows = []
    for samples, printed in CURVE.items():
        run, whole = paper(OF_THE_CURVE, samples, along=False, stored=True).error, paper(OF_THE_CURVE, samples).error
        limit = ours(OF_THE_CURVE, samples, NEARLY_INFINITE, "isotropic").test_loss
        rows.append((f"{float(Fraction(samples)):g}", f"{printed:.6f}", f"{run:.6f}", f"{whole:.7f}", f"{limit:.7f}"))
    return table(
        "n/d | stored | their equations, θ = 0, $h_1^2$ in c | their equations | `tc.step`, isotropic, d = 10¹⁰", rows
    )


def seen_table(seen: list[Simulated]) -> list[str]:
    """Return networks beside our step and their equations."""
    rows = []
    for x in seen:
        expected = (float(ours(x.case, x.samples, x.d).test_loss), paper(x.case, x.samples).error)
        cells = [f"{theory:.4f} | {(x.mean - theory) / x.error:+.1f}" for theory in expected]
        shown = f"{x.mean:.4f} ± {x.error:.4f}"
        rows.append((x.case.step_samples, f"{float(Fraction(x.samples)):g}", x.d, x.draws, shown, *cells))
    return table("$n_0/d$ | n/d | d | draws | networks ± s.e. | `tc.step` | z | their equations | z", rows)


def stored_table() -> list[str]:
    """Return the networks that the notebook stores beside our step."""
    rows = []
    for samples, fits in NETWORKS.items():
        found = ours(OF_THE_NETWORKS, samples, THEIR_SIZE)
        train, test = np.mean(fits, axis=0)
        apart = (test - found.test_loss) / found.spread.test_loss
        cells = (f"{train:.5f}", f"{found.train_error:.5f}", f"{test:.4f}", f"{found.test_loss:.4f}")
        rows.append((f"{float(Fraction(samples)):.3g}", *cells, f"{found.spread.test_loss:.4f}", f"{apart:+.1f}"))
    return table(
        "n/d | training error, stored | `tc.step` | test error, stored | `tc.step` | sd of one network | apart, in sd",
        rows,
    )


def draw_curve(axis: Any, places: list[Fraction], seen: list[Simulated]) -> None:
    """Draw the curve of the first notebook, and simulated networks."""
    here = [ours(OF_THE_CURVE, x, THEIR_SIZE).test_loss for x in places]
    whole = [paper(OF_THE_CURVE, str(x)).error for x in places]
    lacking = [paper(OF_THE_CURVE, str(x), along=False, stored=True).error for x in places]
    for i, (label, curve) in enumerate(
        {"tc.step, d = 2000": here, "their equations": whole, "the same, θ = 0": lacking}.items()
    ):
        axis.plot(places, curve, color=COLOURS[i], ls=LINES[i], label=label)
    axis.plot([float(Fraction(x)) for x in CURVE], list(CURVE.values()), "x", color=INK, label="stored")
    drawn = [(float(Fraction(x.samples)), x.mean, x.error) for x in seen if x.case == OF_THE_CURVE and x.d == 400]
    at, values, errors = zip(*drawn, strict=True)
    axis.errorbar(at, values, errors, fmt=MARKERS[0], color=COLOURS[0], label="networks, d = 400 ± s.e.")
    axis.set_title("sin, $n_0 = 20d$, u = 3")


def draw_networks(axis: Any, places: list[Fraction]) -> None:
    """Draw the networks of the second notebook."""
    steps = [ours(OF_THE_NETWORKS, x, THEIR_SIZE) for x in places]
    axis.plot(places, [x.test_loss for x in steps], color=COLOURS[0], label="test, tc.step")
    axis.plot(places, [x.test_loss_initial for x in steps], color=COLOURS[0], ls=":", label="test, before the step")
    axis.plot(places, [x.train_error for x in steps], color=COLOURS[1], ls=LINES[1], label="training, tc.step")
    at = np.repeat([float(Fraction(x)) for x in NETWORKS], 3)
    train, test = np.reshape(list(NETWORKS.values()), (-1, 2)).T
    axis.plot(at, test, "x", color=COLOURS[0], ms=3, label="stored networks, d = 2000")
    axis.plot(at, train, "x", color=COLOURS[1], ms=3)
    axis.set_title("tanh, $n_0 = d/2$, u = 1")


def picture(seen: list[Simulated], axes: Sequence[Any]) -> None:
    """Draw both panels."""
    places = [Fraction(i, 10) for i in range(2, 31)]
    draw_curve(axes[0], places, seen)
    draw_networks(axes[1], places)
    for axis in axes:
        axis.set(xlabel="n/d, samples of the fit per input", ylabel="error")
        axis.legend()

"""Where the theory of inputs with a covariance holds: ``python -m benchmarks.covariance [draws]``.

Ridge fits with strong spikes, by numpy alone, for spectra in which ever fewer directions count.  Prints the table of
docs/theory/inputs.md#validity.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np

import theorycalc as tc
from benchmarks.pages import table
from tests.helpers.matrices import first_layer, mean_and_error
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import Array
from theorycalc.theory.covariance import check_self_averaging, directions_of
from theorycalc.theory.limits import Values, float_values
from theorycalc.theory.plans import Plan, Point, float_terms

DRAWS = 40
SHAPE = (600, 300, 450, 0.1)  # n, d, N and λ
NOISE = 0.5
TESTED = 4000
SPIKES = (1, 2)
SPECTRA: dict[str, Callable[[int], Array]] = {
    "j^−0.3": lambda d: np.arange(1, d + 1) ** -0.3,
    "j^−0.5": lambda d: np.arange(1, d + 1) ** -0.5,
    "j^−0.75": lambda d: np.arange(1, d + 1) ** -0.75,
    "j^−1": lambda d: 1 / np.arange(1, d + 1),
    "one of 6": lambda d: np.r_[6.0, np.ones(d - 1)],
    "one of 12": lambda d: np.r_[12.0, np.ones(d - 1)],
    "one of 30": lambda d: np.r_[30.0, np.ones(d - 1)],
    "20 of 12": lambda d: np.r_[np.full(20, 12.0), np.ones(d - 20)],
    "75 of 9": lambda d: np.r_[np.full(75, 9.0), np.ones(d - 75)],
}


def ridge_losses(F: Array, y: Array, there: Array, z: Array, free: tuple[Array, Array], lam: float) -> Array:
    """Return training and test loss with the columns of ``free``, of which there may be none, unpenalised."""
    (V, V_there), resolvent = free, np.linalg.inv(F @ F.T + lam * len(y) * np.eye(len(y)))
    RV = resolvent @ V
    b = np.linalg.solve(V.T @ RV, RV.T @ y)
    left = y - V @ b
    dual = resolvent @ left
    return np.array([lam * left @ dual, np.mean((z - V_there @ b - there @ (F.T @ dual)) ** 2)])


def draw(rng: np.random.Generator, tau: Array, gradient: str) -> Array:
    """Return κ, ρ, both losses before the step, and both gains by h and by h, h²."""
    n, d, N, lam = SHAPE
    W = first_layer(rng, N, d)
    a = rng.standard_normal(N) / math.sqrt(N)
    v = rng.standard_normal(d) * np.sqrt(tau)
    v *= np.sqrt(tau) / np.abs(v)  # each eigenvalue has its share of the trace exactly
    v /= np.linalg.norm(v)

    def batch(count: int) -> tuple[Array, Array, Array]:
        Z = rng.standard_normal((count, d))
        X, t = Z * np.sqrt(tau), Z @ v
        features = np.maximum(X @ W.T, 0) - 1 / math.sqrt(2 * math.pi)
        return X, t + (t**2 - 1) / 2 + NOISE * rng.standard_normal(count), features

    (X0, y0, F0), (X, y, F), (there, z, G) = batch(n), batch(n), batch(TESTED)
    beta = X0.T @ (y0 - F0 @ a if gradient == "residual" else y0) / n
    kappa = beta @ (tau * beta)
    rho = v @ (np.sqrt(tau) * beta) / math.sqrt(kappa)
    before = ridge_losses(F, y, G, z, (np.zeros((n, 0)), np.zeros((TESTED, 0))), lam)
    found = [kappa, rho, *before]
    right = np.stack([a**k for k in SPIKES], axis=1)
    for count in SPIKES:
        Q = np.linalg.qr(right[:, :count])[0]  # strong spikes take these directions from the neurons
        F_left, G_left = F - (F @ Q) @ Q.T, G - (G @ Q) @ Q.T
        h, h_there = (points @ beta / math.sqrt(kappa) for points in (X, there))
        free, free_there = (np.stack([at**k for k in SPIKES[:count]], axis=1) for at in (h, h_there))
        found += list(before - ridge_losses(F_left, y, G_left, z, (free, free_there), lam))
    return np.array(found)


def problem_of(tau: Array) -> tc.Problem:
    """Return the problem of these eigenvalues; each has its share of the trace in the teacher."""
    n, d, N, lam = SHAPE
    inputs = tc.Inputs.given(tau.tolist())
    return tc.Problem("relu", "H1 + H2/2", n=n, d=d, N=N, ridge=lam, noise=NOISE, inputs=inputs)


def predicted(problem: tc.Problem, gradient: str) -> Array:
    """Return what :func:`draw` measures, also of inputs that predict() refuses."""
    n, d, N, lam = SHAPE
    point = Point(*map(np.float64, (d / n, d / N, lam, NOISE)))
    found: list[float] = []
    for ell in SPIKES:
        plan = Plan(problem, Spikes.up_to(ell), "closed", None, gradient)
        values = Values(*float_values(plan, float_terms(plan), point))
        if not found:
            found += [values.kappa, values.rho, values.train_loss_initial, values.test_loss_initial]
        found += [values.train_gain, values.test_gain]
    return np.array(found)


def main(draws: int = DRAWS) -> None:
    """Simulate, and print the tables: by how much measured numbers differ, in per cent and in standard errors."""
    for which, gradient in enumerate(("labels", "residual")):
        rows = []
        for index, (name, spectrum) in enumerate(SPECTRA.items()):
            tau = spectrum(SHAPE[1])
            tau = tau / tau.mean()
            problem = problem_of(tau)
            seeds = [np.random.default_rng([11, which, index, i]) for i in range(draws)]
            mean, error = mean_and_error([draw(rng, tau, gradient) for rng in seeds])
            theory, refused = predicted(problem, gradient), "no"
            try:
                check_self_averaging(problem, gradient)
            except tc.DomainError:
                refused = "yes"
            off, z = mean / theory - 1, (mean - theory) / error
            cells = [f"{100 * off[i]:+.1f} % ({z[i]:+.1f})" for i in (0, 1, 3, 4, 5, 6, 7)]
            found = directions_of(problem, gradient)
            assert found is not None
            counts = f"{found.step:.0f}", f"{found.teacher:.0f}", f"{100 * found.largest:.1f} %"
            rows.append((name, *counts, refused, *cells))
        head = "spectrum | step | teacher | largest | refused | κ | ρ | L_te(F₀) | Δ_1 | Λ_1 | Δ_2 | Λ_2"
        print(f"A step on the {gradient}, {draws} draws:", *table(head, rows), sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

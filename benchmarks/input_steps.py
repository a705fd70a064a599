"""Gains of finite steps for inputs with a covariance against networks: ``python -m benchmarks.input_steps [SEED]``.

Problems are drawn at random, and only those that pass the validity test are simulated, each with its own seed.
"""

from __future__ import annotations

import sys

import numpy as np

import theorycalc as tc
from benchmarks.pages import agreement
from theorycalc.errors import TheoryError

PROBLEMS = 24
DRAWS = 24
ALPHAS = (0, 0.1, 0.2, 0.3, 0.4, 0.5)
QUANTITIES = ("train_gain", "test_gain")
ACTIVATIONS = ("relu", "softplus", "gelu", "tanh", "tanh(x + 1)", "erf")
TEACHERS = ("H1 + H2/sqrt(2)", "H1 + H3/6", "tanh(2*x)", "H1 - H2/3")
INPUTS = (
    "two_level(4, 1/2, 1/2)",
    "two_level(4, 1/2, 1)",
    "two_level(4, 1/2, 0)",
    "two_level(9, 1/4)",
    "power(1/3)",
    "power(1/2, 0)",
    "power(1/4, 1)",
    "3:1/3:1/3, 2:1/3:1/3, 1:1/3:1/3",
)
SHAPES = ((600, 300, 450), (600, 500, 700), (800, 250, 400), (600, 600, 300))
RIDGES = ("1/100", "1/10", "1")
OPTIONS: tuple[dict[str, object], ...] = ({}, {}, {}, {"intercept": True}, {"first_layer": "gaussian"})


def drawn(rng: np.random.Generator) -> tuple[tc.Problem, str]:
    """Return a problem and the target of its step, among those that are not refused."""
    while True:
        n, d, N = SHAPES[rng.integers(len(SHAPES))]
        activation, teacher, inputs, ridge, options = (
            values[rng.integers(len(values))] for values in (ACTIVATIONS, TEACHERS, INPUTS, RIDGES, OPTIONS)
        )
        problem = tc.Problem(activation, teacher, n=n, d=d, N=N, ridge=ridge, noise="1/2", inputs=inputs, **options)
        gradient = ("labels", "residual")[rng.integers(2)]
        try:
            tc.step(problem, eta=0, gradient=gradient)
        except TheoryError:
            continue
        return problem, gradient


def main(seed: int) -> None:
    """Simulate and print z of every gain, their root mean square, and the share within three standard errors."""
    rng, everything = np.random.default_rng(seed), []
    for index in range(PROBLEMS):
        problem, gradient = drawn(rng)
        run = tc.simulate(problem, alpha=ALPHAS, replicates=DRAWS, seed=1000 * seed + index, gradient=gradient)
        theory = tc.step(problem, alpha=ALPHAS, gradient=gradient)
        seen, errors = ([[row[name + kind] for name in QUANTITIES] for row in run.rows] for kind in ("", "_se"))
        z = np.subtract(seen, np.transpose([getattr(theory, name) for name in QUANTITIES])) / errors
        everything.append(z)
        words = ", ".join((problem.activation.name, str(problem.teacher.name), problem.inputs.words, gradient))
        print(f"{words}: training {z[:, 0].round(1)}, test {z[:, 1].round(1)}", flush=True)
    z = np.array(everything)
    print("{} of {} gains are within 3 standard errors, rms {:.2f}, largest {:.1f}".format(*agreement(z.ravel())))
    for name, part in zip(QUANTITIES, np.moveaxis(z, -1, 0), strict=True):
        print(f"{name}: rms {np.sqrt(np.mean(part**2, axis=0)).round(2)} at α = {ALPHAS}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)

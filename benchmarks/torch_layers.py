"""Networks with the layers that torch draws, against dressed features, with and without the intercept.

``python -m benchmarks.torch_layers`` writes its table into docs/theory/options.md: uniform weights, biases and second
layer, raw ReLU, a fit with an intercept, in plain NumPy that shares nothing with the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from tests.helpers.matrices import mean_and_error
from tests.independent.literal_network import Built, gains

SIZES = {"n": 800, "d": 400, "N": 600}
STEPS, RIDGES, DRAWS = (5.0, 20.0, 60.0), (0.03, 0.3), 24
GRADIENTS = {"labels": 1, "residual": 2}  # with the seeds of their draws
LENGTH = 3**-0.5
NETWORK = Built(
    lambda z: np.maximum(z, 0),
    lambda z: (z > 0) * 1.0,
    length=LENGTH,
    scale=LENGTH,
    first_layer="uniform",
    second_layer="uniform",
    biases=True,
    intercept=True,
)


def teacher(t: np.ndarray) -> np.ndarray:
    """Return H_1 + H_2/2."""
    return t + (t**2 - 1) / 2


def predicted(gradient: str, **options: bool) -> np.ndarray:
    """Return training and test gains by dressed features, over η and λ."""
    layers = tc.conventions.layers_from("torch")._asdict()
    problem = tc.Problem("relu", "H1 + H2/2", **SIZES, ridge=1, noise="1/2", **layers, **options)
    found = tc.step(problem, eta=np.array(STEPS)[:, None], ridge=RIDGES, gradient=gradient)
    return np.stack([found.train_gain, found.test_gain], axis=-1)


def rows(gradient: str, seed: int) -> Iterator[list[str]]:
    """Yield one row for each step, ridge and gain."""
    rng = np.random.default_rng(seed)
    sizes = (SIZES["n"], SIZES["d"], SIZES["N"])
    means, errors = mean_and_error(
        [gains(rng, NETWORK, teacher, sizes, STEPS, RIDGES, 0.5, gradient) for _ in range(DRAWS)]
    )
    theories = [predicted(gradient, **options) for options in ({"intercept": True, "centred": False}, {})]
    for at in np.ndindex(means.shape):
        eta, ridge, kind = STEPS[at[0]], RIDGES[at[1]], ("training", "test")[at[2]]
        cells = [f"{theory[at]:.4f} | {(means[at] - theory[at]) / errors[at]:+.1f}" for theory in theories]
        yield [gradient, f"{eta:g}", f"{ridge:g}", kind, f"{means[at]:.4f} ± {errors[at]:.4f}", *cells]


if __name__ == "__main__":
    head = "gradient | $\\eta$ | $\\lambda$ | gain | networks | theory | z | without intercept | z"
    with threadpool_limits(1):
        found = [row for gradient, seed in GRADIENTS.items() for row in rows(gradient, seed)]
    write_between(DOCS / "theory" / "options.md", "torch", table(head, found))

"""Predictions from a pool against fits to real images, memory and time; writes docs/own_features_checks.md.

``python -m benchmarks.own_features`` needs Fashion-MNIST (Debian's package dataset-fashion-mnist) and takes minutes.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

import theorycalc as tc
from benchmarks.pages import DOCS, table
from benchmarks.timing import seconds
from tests.helpers.memory import peak_memory
from theorycalc.numbers.exact import Floats
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.gathering import PoolRecord, gather, reduced
from theorycalc.pools.sources import blocks

IMAGES = Path("/usr/share/datasets/fashion-mnist")
PAGE = DOCS / "own_features_checks.md"
N, TRAINED_ON, POOL = 400, 10_000, 20_000
SIZES = {40: 200, 126: 100, 400: 40, 1265: 12, 4000: 6}  # n, and the number of draws
SHARES = (1e-3, 1e-2, 1e-1, 1.0)  # λ by the mean eigenvalue
STREAM = 200_000, 2000  # points and features of the stream whose memory is measured


class Cell(NamedTuple):
    """One network, n and λ: test loss of the fits, its standard error, and two predictions."""

    network: str
    n: int
    share: float
    observed: float
    error: float
    predicted: float
    equal: float  # with equal leverages


def pixels_and_classes() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the images, one in each row, and their classes from 0 to 9."""
    pixels, labels = [], []
    for part in ("train", "t10k"):
        with gzip.open(IMAGES / f"{part}-images-idx3-ubyte.gz") as file:
            pixels.append(np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784))
        with gzip.open(IMAGES / f"{part}-labels-idx1-ubyte.gz") as file:
            labels.append(np.frombuffer(file.read(), np.uint8, offset=8))
    return np.concatenate(pixels), np.concatenate(labels)


def images() -> tuple[Floats, Floats]:
    """Return all images in random order, a row each, and labels ±1: the first five classes, and the others."""
    pixels, y = pixels_and_classes()
    X = pixels / 255.0
    order = np.random.default_rng(7).permutation(len(X))
    return (X[order] - X.mean()) / (28 * X.std()), np.where(y[order] < 5, 1.0, -1.0)


def networks(X: Floats, y: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield ReLU features of a random network, after one gradient step, and after 2000 steps of both layers."""
    rng = np.random.default_rng(0)
    W, a = rng.standard_normal((784, N)), rng.standard_normal(N) / np.sqrt(N)
    yield "random", np.maximum(X @ W, 0)
    inputs, labels = X[:TRAINED_ON], y[:TRAINED_ON]

    def gradient(W: Floats, a: Floats, which: object) -> tuple[Floats, Floats]:
        hidden = inputs[which] @ W  # type: ignore[index]
        misfit = labels[which] - np.maximum(hidden, 0) @ a  # type: ignore[index]
        back = misfit[:, None] * (hidden > 0) * a
        return inputs[which].T @ back / len(misfit), np.maximum(hidden, 0).T @ misfit / len(misfit)  # type: ignore[index]

    yield "one step", np.maximum(X @ (W + 100 * gradient(W, a, slice(None))[0]), 0)
    for _ in range(2000):
        first, second = gradient(W, a, rng.integers(0, TRAINED_ON, 64))
        W, a = W + 0.5 * first, a + 0.025 * second
    yield "trained", np.maximum(X @ W, 0)


def cells(name: str, F: Floats, y: Floats) -> Iterator[Cell]:
    """Yield every n and λ of one network: the pool, the points of the fits and those of the tests are different."""
    pool_part, fit_part, test_part = (slice(TRAINED_ON + i * POOL, TRAINED_ON + (i + 1) * POOL) for i in range(3))
    pool = tc.features(F[pool_part], y[pool_part])
    ridges = [share * float(np.mean(pool.eigenvalues)) for share in SHARES]
    tested = np.column_stack([F[test_part], y[test_part]])
    mean, moments = tested.mean(axis=0), np.cov(tested.T, bias=True)
    rng = np.random.default_rng(1)
    predicted = pool.losses(list(SIZES), ridges).test_loss
    for i, (n, draws) in enumerate(SIZES.items()):
        losses = []
        for _ in range(draws):
            chosen = rng.choice(POOL, n, replace=False)
            X, labels = F[fit_part][chosen], y[fit_part][chosen]
            middle, centre = X.mean(axis=0), labels.mean()
            left, values, right = linalg.svd(X - middle, full_matrices=False)
            row = []
            for ridge in ridges:
                a = right.T @ (values / (values**2 + n * ridge) * (left.T @ (labels - centre)))
                misfit = np.append(-a, 1.0)
                bias = mean[-1] - centre - (mean[:-1] - middle) @ a
                row.append(misfit @ moments @ misfit + bias**2)
            losses.append(row)
        observed, error = np.mean(losses, axis=0), np.std(losses, axis=0, ddof=1) / np.sqrt(draws)
        equal = equal_points(pool.moments, np.full(len(ridges), float(n)), np.array(ridges))["test_loss"]
        for k, share in enumerate(SHARES):
            yield Cell(name, n, share, observed[k], error[k], float(predicted[i, k]), float(equal[k]))


def stream() -> Iterator[tuple[Floats, Floats]]:
    """Yield batches of the stream."""
    rng = np.random.default_rng(0)
    for _ in range(STREAM[0] // 5000):
        F = rng.standard_normal((5000, STREAM[1]), dtype=np.float32)
        yield F, F[:, 0] + rng.standard_normal(5000)


def measured_stream() -> str:
    """Return the memory and the time of a stream, and the time of its eigendecomposition beside scipy's."""
    before = peak_memory()
    gathered: list[PoolRecord] = []
    taken = seconds(lambda: gathered.append(gather(blocks(stream(), None), intercept=True, seed=0)))
    grown = peak_memory() - before
    matrix = gathered[0].sums[: STREAM[1], : STREAM[1]].copy()
    alone = seconds(lambda: linalg.eigh(matrix, lower=True))
    ratio = seconds(lambda: reduced(gathered[0], intercept=True)) / alone
    return (
        f"A stream of {STREAM[0]:,} points with {STREAM[1]:,} features needed {grown:.0f} MB beside Python, of which "
        f"{8 * STREAM[1] ** 2 / 2**20:.0f} MB are the sums, and {taken / STREAM[0] * 1e6:.0f} s for each million "
        f"points. What follows, one eigendecomposition above all, took {ratio:.2f} times as long as "
        f"`scipy.linalg.eigh` of the same matrix ({alone:.1f} s)."
    )


def page(found: list[Cell], streamed: str) -> str:
    """Return the page."""
    off, plain = (
        100 * np.array([getattr(cell, name) / cell.observed - 1 for cell in found]) for name in ("predicted", "equal")
    )
    rows = [
        f"{cell.network} | {cell.n} | {cell.share:g} | {cell.observed:.4f} ± {cell.error:.4f} | {cell.predicted:.4f} "
        f"| {more:+.1f} % | {other:+.1f} %"
        for cell, more, other in zip(found, off, plain, strict=True)
    ]
    head = "features | n | λ by mean eigenvalue | test loss | predicted | off | with equal leverages"
    lines = [
        "# Own features: checks on real images",
        "",
        "Written by `python -m benchmarks.own_features`. Images of Fashion-MNIST, labels ±1 for the first five classes",
        f"and the others; {N} ReLU features of a random network, after one gradient step, and after 2000 steps of both",
        f"layers, trained on {TRAINED_ON:,} images. The pool has {POOL:,} others, fits draw their points from {POOL:,}",
        f"more, and are tested on another {POOL:,}. λ is given by the mean eigenvalue of the features.",
        "",
        f"**Of {len(found)} test losses, the median prediction is off by {np.median(abs(off)):.1f} % and the worst by "
        f"{max(abs(off)):.1f} %.** As if all points had the same leverage, these would be "
        f"{np.median(abs(plain)):.1f} % and {max(abs(plain)):.1f} %.",
        "",
        *table(head, rows),
    ]
    return "\n".join([*lines, "", "## Memory and time", "", streamed, ""])


if __name__ == "__main__":
    streamed = measured_stream()
    X, y = images()
    checked = [cell for name, F in networks(X, y) for cell in cells(name, F, y)]
    PAGE.write_text(page(checked, streamed), encoding="utf-8")
    print(f"wrote {PAGE}")

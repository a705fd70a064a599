"""From sums of squares to the numbers that a pool keeps: eigenvalues, labels along eigenvectors, sampled points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from theorycalc.numbers.exact import Floats
from theorycalc.pools.gathering import PoolRecord
from theorycalc.pools.leverages import PoolSample
from theorycalc.pools.suspicions import conditions_of, even_sizes


def reduced(found: PoolRecord, intercept: bool) -> dict[str, Any]:
    """Return the fields of a FeaturePool, by one eigendecomposition."""
    N, M = found.features, found.points
    varying = found.varying
    products: Floats = found.sums[N:, :N].copy()
    total = float(np.sum(np.diagonal(found.sums)[N:]))
    values, vectors = linalg.eigh(found.sums[:N, :N], lower=True, check_finite=False)
    sigma, along = values[::-1], (products @ vectors)[:, ::-1]
    present = sigma > N * np.finfo(float).eps * sigma[0]
    sigma = np.where(present, sigma, 0.0)
    explained = np.where(present, np.sum(along**2, axis=0) / np.where(present, sigma, 1.0), 0.0)
    free = M - int(intercept) - int(np.count_nonzero(present))
    rest = max(total - float(np.sum(explained)), 0.0)
    constant = N - int(np.count_nonzero(varying[:N]))
    dead = f"{constant} of {N} features {'are constant' if intercept else 'are zero'}, and add nothing"
    coordinates = (found.sample[:, :N] - found.mean[:N]) @ vectors[:, ::-1][:, present]
    return {
        "M": M,
        "N": N,
        "outputs": found.outputs,
        "intercept": intercept,
        "eigenvalues": sigma / M,
        "signal": explained / M,
        "noise": rest / free,
        "label_variance": total / M,
        "conditions": (*conditions_of(found), even_sizes(coordinates**2)),
        "notes": (dead,) if constant else (),
        "sample": PoolSample(
            coordinates,
            found.sample[:, N:] - found.mean[N:],
            along[:, present].T / sigma[present][:, None],
        ),
    }

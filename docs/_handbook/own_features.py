"""Ridge fits on n points of any features, from a pool of them (docs/theory/own_features.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.pool_equations import PoolMoments, PoolSums, balance, test_loss, train_error, train_loss

_POOL = PoolMoments(np.array([300.0, 100.0]), np.array([40.0, 10.0]), 50.0, 100, True)


def _statement() -> str:
    n, m, nu, r, ridge = (named(letter) for letter in ("n", "m", r"\nu", "r", r"\lambda"))
    sums = PoolSums(*(named(x) for x in (r"\hat{d}", r"(m_P - \hat{d})", "B", "P", r"\mathrm{RSS}", "Q")))
    return lines(
        ("0", balance(nu, m, n * ridge, sums)),
        (r"L_{\mathrm{te}}", test_loss(n, m, r, sums)),
        (r"E_{\mathrm{tr}}", train_error(n, r, sums)),
        (r"L_{\mathrm{tr}}", train_loss(n, r, sums)),
    )


def _example() -> dict[str, Any]:
    found = equal_points(_POOL, np.array([10.0]), np.array([0.1]))
    return {"test loss and training error": (float(found["test_loss"][0]), float(found["train_error"][0]))}


OWN_FEATURES = {
    "own_features": HandbookEntry(
        "ridge fits on n points of any features, from a pool of M",
        "new",
        "theory/own_features.md#the-losses",
        NOT_IN_SOURCE,
        "λ ≥ 0, M > N; m = n − 1 and m_P = M − 1 with an intercept, else n and M; points of equal leverage",
        (
            "pools.pool_equations: pool_sums",
            "pools.pool_equations: balance",
            "pools.pool_equations: test_loss",
            "pools.pool_equations: train_error",
            "pools.pool_equations: train_loss",
        ),
        _statement,
        _example,
        "M = 100, σ = 300 and 100, label sums 40 and 10 along them, rest 50; n = 10, λ = 1/10",
    ),
}

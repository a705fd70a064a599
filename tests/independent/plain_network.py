"""A two-layer network, one gradient step and a ridge fit, in plain NumPy as one would type them from the paper."""

from __future__ import annotations

import numpy as np


def tanh_network(rng, n, d, N, etas, lam, noise, gradient="residual"):
    """Losses of one draw of the network tanh with labels sin(β·x) + noise·ε, after each step size.

    Returns for every η a dictionary of training losses (the ridge objective), training errors (its first term) and test
    losses, before (``_initial``) and after the step.  Step and fit have batches of their own.
    """
    beta = rng.standard_normal(d)
    beta /= np.linalg.norm(beta)
    W0 = rng.standard_normal((N, d))
    W0 /= np.sqrt((W0**2).sum(axis=1))[:, None]
    a = rng.standard_normal(N) / np.sqrt(N)

    def batch(size):
        x = rng.standard_normal((size, d))
        return x, np.sin(x @ beta) + noise * rng.standard_normal(size)

    (X, y), (X_fit, y_fit), (X_test, y_test) = batch(n), batch(n), batch(n)
    hidden = np.tanh(X @ W0.T)
    residual = y - hidden @ a if gradient == "residual" else y
    G = np.zeros_like(W0)
    for i in range(N):  # ∂/∂w_i of (1/2n) Σ (y − f)²
        G[i] = -(residual * a[i] * (1 - hidden[:, i] ** 2)) @ X / n

    def losses(W):
        F, F_test = np.tanh(X_fit @ W.T), np.tanh(X_test @ W.T)
        head = np.linalg.solve(F.T @ F / n + lam * np.eye(N), F.T @ y_fit / n)
        error = np.mean((y_fit - F @ head) ** 2)
        return {
            "train_error": error,
            "train_loss": error + lam * head @ head,
            "test_loss": np.mean((y_test - F_test @ head) ** 2),
        }

    before = {f"{name}_initial": value for name, value in losses(W0).items()}
    return [before | losses(W0 - eta * G) for eta in etas]

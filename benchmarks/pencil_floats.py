"""Part of ``make audit``: the pencil of finite steps in float64 against proven values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np

import theorycalc as tc
from benchmarks.keeping import kept
from theorycalc.model.parameters import GradientTarget
from theorycalc.theory.pencil.numerics import ball_gains, float_gains, pencil_of

ACTIVATIONS = ("tanh(x + 1)", "relu", "erf", "softplus")
NETWORKS = 400
PROVEN_DIGITS = 25


def errors() -> dict[str, Any]:
    """Return the relative errors of both gains, networks of every kind in turn."""
    rng = np.random.default_rng(10)
    found = []
    for i in range(NETWORKS):
        phi, psi, ridge = (Fraction(float(10 ** rng.uniform(-2, 2))) for _ in range(3))
        gradient = str(rng.choice(list(GradientTarget)))
        text = ACTIVATIONS[i % len(ACTIVATIONS)]
        problem = tc.Problem(text, "H1 + H2/2 + H3/6", phi, psi, ridge, noise="1/2")
        pencil = pencil_of(problem, int(rng.integers(50, 5000)), gradient)
        eta = float(10 ** rng.uniform(-2, 1.5))
        rounded = float_gains(pencil.up_to(int(rng.integers(2, 9))), np.array([eta]), np.array([float(ridge)]))
        proven = ball_gains(pencil, lambda eta=eta: flint.arb(eta), int(rounded.top[0]), PROVEN_DIGITS)
        gains = zip((rounded.train, rounded.test), proven, strict=True)
        found += [abs(float(x[0] / flint.arb(y) - 1)) for x, y in gains]
    return {"errors": sorted(found)}


def measured(so_far: bool = False) -> dict[str, Any] | None:
    """Return the errors, or only read them where they are kept."""
    return kept("pencil", {"networks": NETWORKS}, None if so_far else errors, ("pencil_floats",))


def section() -> list[str]:
    """Return what the page says of what is kept."""
    data = measured(so_far=True)
    if data is None:
        return []
    found = data["errors"]
    return [
        "## Finite steps in float64",
        "",
        f"The pencil's two gains for {NETWORKS} networks with 50 to 5000 neurons, φ, ψ, λ in 10^±2, steps from 0.01",
        f"to 30 and up to eight powers, against {PROVEN_DIGITS} proven digits of the same formula: the median relative",
        f"error is {found[len(found) // 2]:.1e}, and the worst {found[-1]:.1e}. No claim of 1e-14 is made here: the",
        "formula itself is the leading term of each spike.",
        "",
    ]

"""Cases of the untrained network, their translation into each paper's letters, and both losses in ours.

Our losses: the minimum of (1/n)‖y − Fa‖² + λ‖a‖², and the test error with the noise in it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mpmath
import numpy as np

from tests.independent import adlam_pennington, mei_montanari

_GUARD = 30  # digits that high precision has in reserve


class Case(NamedTuple):
    """φ = d/n, ψ = d/N, λ, the activation's c_1 and c_{>1}, the teacher's c_⋆1 and c_⋆2, the noise."""

    phi: float
    psi: float
    ridge: float
    c1: float
    c_rest: float
    linear: float
    quadratic: float
    noise: float


class Losses(NamedTuple):
    """The training loss, penalty included, and the test loss, noise included."""

    train: Any
    test: Any


def log_uniform(seed: int, size: int, decades: float) -> list[Case]:
    """Return cases whose φ, ψ and λ span so many decades around 1; the other numbers span one at most."""
    rng = np.random.default_rng(seed)
    spans = [decades] * 3 + [min(decades, 1.0)] * 5
    return [Case(*(float(10 ** rng.uniform(-s, s)) for s in spans)) for _ in range(size)]


def near_interpolation(seed: int, size: int) -> list[Case]:
    """Return cases with N = n up to a part in 10^2 to 10^8 and small ridges, where the test loss peaks."""
    rng = np.random.default_rng(seed)
    return [
        case._replace(psi=case.phi * (1 + 10 ** rng.uniform(-8, -2)), ridge=10 ** rng.uniform(-8, -2))
        for case in log_uniform(seed, size, 1)
    ]


def by_mei_montanari(case: Case) -> Losses:
    """Their λ is ours times d/N."""
    phi, psi, ridge, c1, c_rest, linear, quadratic, noise = case
    F_star = math.sqrt(2) * quadratic
    found = mei_montanari.errors(1 / psi, 1 / phi, ridge * psi, c1, c_rest, linear, F_star, noise)
    return Losses(found.training, found.test + noise**2)


def by_mei_montanari_in_digits(case: Case, digits: int) -> Losses:
    """Evaluate the same formulas with mpmath, from the floats of the case taken as exact."""
    with mpmath.workdps(digits + _GUARD):
        phi, psi, ridge, c1, c_rest, linear, quadratic, noise = map(mpmath.mpf, case)

        def root(function: Any, top: Any) -> Any:
            near = mei_montanari.scipy_root(lambda w: float(function(mpmath.mpf(w))), float(top))
            return mpmath.findroot(function, near)

        sizes = (1 / psi, 1 / phi, ridge * psi)
        found = mei_montanari.errors(*sizes, c1, c_rest, linear, mpmath.sqrt(2) * quadratic, noise, root, mpmath.sqrt)
        return Losses(found.training, found.test + noise**2)


def by_adlam_pennington(case: Case) -> Losses:
    """Their γ is our λn/N; what is not linear in the teacher is noise to them."""
    phi, psi, ridge, c1, c_rest, linear, quadratic, noise = case
    variance = 2 * quadratic**2 + noise**2
    found = adlam_pennington.errors(phi, psi, ridge * psi / phi, c1**2 + c_rest**2, c1**2, linear**2, variance)
    return Losses(found.penalised, found.test)

"""Limits of inputs with a covariance as a reader of the derivation would compute them: mpmath, and no theorycalc.

Both equations by a general solver, the spikes by the Gram matrix of the powers, slopes in λ by differences of many
digits.  The activation is ReLU, whose numbers are typed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import mpmath
from mpmath import mp

DIGITS = 60


class Setting(NamedTuple):
    """Sizes, the teacher's c_⋆1, c_⋆2, …, and levels of eigenvalue, weight and share."""

    phi: str
    psi: str
    ridge: str
    noise: str
    teacher: tuple[str, ...]
    levels: tuple[tuple[Any, Any, Any], ...]
    ell: int
    residual: bool = False
    gaussian_rows: bool = False


class Numbers(NamedTuple):
    """What both sides compute."""

    kappa: Any
    rho: Any
    train_loss_initial: Any
    test_loss_initial: Any
    train_gain: Any
    test_gain: Any


def power_law(a: Any, b: Any, d: int) -> tuple[tuple[Any, Any, Any], ...]:
    """Return levels τ_j ∝ j^−a with shares ∝ j^−b."""
    with mp.workdps(DIGITS):
        tau, share = ([mp.mpf(j) ** -mp.mpf(x) for j in range(1, d + 1)] for x in (a, b))
        return tuple((d * t / mp.fsum(tau), mp.mpf(1) / d, v / mp.fsum(share)) for t, v in zip(tau, share, strict=True))


def numbers_of(setting: Setting) -> Numbers:
    """Return all numbers to many digits."""
    with mp.workdps(DIGITS):
        return _numbers(setting)


def _numbers(given: Setting) -> Numbers:
    phi, psi, ridge, noise = (_number(x) for x in given[:4])
    teacher = [_number(c) for c in given.teacher]
    levels = [tuple(map(_number, level)) for level in given.levels]
    c1, c2, slope_variance = mp.mpf(1) / 2, 1 / (2 * mp.sqrt(2 * mp.pi)), mp.mpf(1) / 4
    rest = mp.mpf(1) / 4 - 1 / (2 * mp.pi)  # c_{>1}²
    energy = mp.fsum(mp.factorial(k) * c**2 for k, c in enumerate(teacher, 1))

    def mean(f: Any) -> Any:
        return mp.fsum(weight * f(tau) for tau, weight, _ in levels)

    def teacher_mean(f: Any) -> Any:
        return mp.fsum(share * f(tau) for tau, _, share in levels)

    scatter = phi * (energy + noise**2 + (c1**2 + rest if given.residual else 0))
    own = c1**2 if given.residual else 0
    linear = teacher[0]
    kappa = mean(lambda t: scatter * t**2 + own * t**3) + linear**2 * teacher_mean(lambda t: t**2)
    rho = linear * teacher_mean(lambda t: t) / mp.sqrt(kappa)
    spread = mean(lambda t: t**2) - (0 if given.gaussian_rows else 1)
    longer = slope_variance * scatter * mean(lambda t: t**2) / (c1**2 * kappa) if given.residual else mp.mpf(0)

    def forms(lam: Any) -> tuple[Any, Any, Any]:
        """Return s, yᵀR₀y and the part of it that the spikes explain."""

        def both(s: Any, theta: Any) -> list[Any]:
            b = theta * c1**2 / psi
            return [
                lam + phi / psi * rest * theta + phi * mean(lambda t: b * t / (1 + b * s * t)) - 1 / s,
                1 + rest * s + c1**2 * mean(lambda t: s * t / (1 + b * s * t)) - 1 / theta,
            ]

        s, theta = mpmath.findroot(both, (mp.mpf(5), mp.mpf(1) / 2), tol=mp.mpf(10) ** (-2 * DIGITS + 20))
        x = theta * c1**2 * s / psi
        k_star = teacher_mean(lambda t: 1 / (1 + x * t))
        k_h = mean(lambda t: (scatter * t**2 + own * t**3) / (1 + x * t)) + linear**2 * teacher_mean(
            lambda t: t**2 / (1 + x * t)
        )
        crossed = linear**2 * teacher_mean(lambda t: t / (1 + x * t)) / mp.sqrt(kappa)
        zeta = 2 * c2**2 * s * theta / psi * spread
        weight = [s / (1 + zeta), s * k_h / kappa, *(s * mp.factorial(k) for k in range(2, given.ell + 1))]
        along = [0, s * crossed] + [
            s * mp.factorial(k) * (teacher[k - 1] * rho**k if k <= len(teacher) else 0) for k in range(2, given.ell + 1)
        ]
        powers = [_power(k, longer, given.ell) for k in range(1, given.ell + 1)]
        P = mp.matrix([[_dot(f, g, weight) for g in powers] for f in powers])
        q = mp.matrix([_dot(f, along, [1] * len(along)) for f in powers])
        explained = (q.T * mp.lu_solve(P, q))[0]
        return s, s * (linear**2 * k_star + energy - linear**2 + noise**2), explained

    s, whole, explained = forms(ridge)
    step = mp.mpf(10) ** (-DIGITS // 3)
    above, below = forms(ridge + step), forms(ridge - step)
    slopes = [(up - down) / (2 * step) for up, down in zip(above[1:], below[1:], strict=True)]
    return Numbers(kappa, rho, ridge * whole, -slopes[0] / s**2, ridge * explained, -slopes[1] / s**2)


def _power(k: int, longer: Any, degree: int) -> list[Any]:
    """Return E_z(h + √τz)^k in Hermite polynomials, by their moments."""
    found = []
    for j in range(degree + 1):
        halves = (k - j) // 2
        there = k >= j and (k - j) % 2 == 0
        pairs = mp.factorial(k) / (mp.factorial(j) * mp.factorial(halves) * 2**halves) if there else 0
        found.append(pairs * (1 + longer) ** halves if there else mp.mpf(0))
    return found


def _dot(f: Sequence[Any], g: Sequence[Any], weights: Sequence[Any]) -> Any:
    return mp.fsum(a * b * w for a, b, w in zip(f, g, weights, strict=True))


def _number(text: Any) -> Any:
    if not isinstance(text, str):
        return mp.mpf(text)
    above, _, below = text.partition("/")
    return mp.mpf(above) / mp.mpf(below or 1)

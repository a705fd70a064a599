"""Limits of networks with an intercept, raw activations and corrupted labels, by a projection in high precision.

Only mpmath is used.  Forms of the resolvent weigh H_k by w_k; the gains are a projection by its Gram matrix, fitted in
the training metric and judged in the test metric, whose weights are numerical derivatives in λ; means over networks are
numerical integrals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mpmath import diff, factorial, findroot, inf, lu_solve, matrix, mp, mpf, npdf, quad, sqrt


@dataclass(frozen=True)
class Case:
    """Numbers of one network: of the activation, the teacher, the sizes, and the options."""

    phi: mpf
    psi: mpf
    ridge: mpf
    noise: mpf
    c: dict  # c_1, c_2, … ≠ 0 of the activation
    variance: mpf  # of σ(Z)
    c_star: tuple  # c_⋆1, c_⋆2, …
    mean: mpf = 0  # of the labels
    own_mean: mpf = 0  # g_a c_0, of the initial output
    included: bool = False  # whether the initial output takes part in the step
    scale: mpf = 1  # g_a
    told: tuple = (1, 1)  # a_s and a_f


def traces(case: Case, ridge: mpf) -> tuple:
    """s and k = m_2/m_1, from the two equations of m_1 and m_2."""
    c1, rest = case.c[1] ** 2, case.variance - case.c[1] ** 2
    phi, psi = case.phi, case.psi

    def equation(p):
        w = p * (p + phi / psi - 1)
        return rest * w / ridge + phi * (c1 * w / ridge) / (phi + c1 * w / ridge) - (1 - p)

    low = max(mpf(0), 1 - phi / psi)
    p = findroot(equation, (low, mpf(1)), solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 10), maxsteps=500)
    return p / ridge, phi / (phi + c1 * p * (p + phi / psi - 1) / ridge)


def weights(case: Case, ridge: mpf, degree: int) -> list:
    """w_k of H_k in ỹᵀRỹ."""
    s, k = traces(case, ridge)
    return [s, s * k, *(factorial(j) * s for j in range(2, degree + 1))]


def in_hermite(power: int, lifted: mpf) -> list:
    """E_z(h + √τ z)^p = Σ_j coefficients[j] H_j(h)."""
    coefficients = [mpf(0)] * (power + 1)
    for j in range(power % 2, power + 1, 2):
        half = (power - j) // 2
        coefficients[j] = factorial(power) / (2**half * factorial(half) * factorial(j)) * (1 + lifted) ** half
    return coefficients


def dot(weight: list, f: list, g: list) -> mpf:
    """The form of two functions."""
    return sum(w * a * b for w, a, b in zip(weight, f, g, strict=False))


def gains(case: Case, powers: tuple, lifted: mpf, rho: mpf, metrics: tuple) -> tuple:
    """Δ/λ and Λ of clean labels without noise, where 1 and the powers cost nothing."""
    train, test = metrics
    functions = [in_hermite(p, lifted) for p in (0, *powers)]
    label = [mpf(0), *(c * rho**k for k, c in enumerate(case.c_star, start=1))]
    P, G = (matrix([[dot(w, f, g) for g in functions] for f in functions]) for w in (train, test))
    q, r = (matrix([dot(w, f, label) for f in functions]) for w in (train, test))
    b = lu_solve(P, q)
    return (q.T * b)[0], (2 * b.T * r - b.T * G * b)[0]


def limit(case: Case, powers: tuple, slope_variance: mpf) -> dict:
    """Gains and losses after the step, means over networks where their initial outputs have a mean."""
    degree = max(*powers, len(case.c_star))
    train = weights(case, case.ridge, degree)
    s = train[0]
    test = [-diff(lambda x, j=j: weights(case, x, degree)[j], case.ridge) / s**2 for j in range(degree + 1)]
    a_s, a_f = case.told
    energy = sum(factorial(k) * c**2 for k, c in enumerate(case.c_star, start=1))

    @cache
    def at(z):
        second = energy + case.noise**2 + (case.mean - case.own_mean * z) ** 2
        own = case.scale**2 if case.included else 0
        scatter = case.phi * (second + own * case.variance)
        kappa = a_s**2 * case.c_star[0] ** 2 + scatter + own * case.c[1] ** 2
        lifted = slope_variance * scatter / (case.c[1] ** 2 * kappa)
        return gains(case, powers, lifted, a_s * case.c_star[0] / sqrt(kappa), (train, test))

    def mean(i):
        cuts = [-inf, *range(-12, 13, 2), inf]
        return quad(lambda z: npdf(z) * at(z)[i], cuts) if case.own_mean else at(mpf(0))[i]

    form, gain = mean(0), mean(1)
    label = [mpf(0), *case.c_star]
    noise = case.noise**2 + (1 - a_f**2) * energy
    test_loss = a_f**2 * (dot(test, label, label) - gain) + test[0] * noise
    resists = (dot(train, label, label) - form) / s
    return {
        "train_gain": case.ridge * a_f**2 * form,
        "test_gain": a_f**2 * gain,
        "test_loss": test_loss,
        "train_loss": case.ridge * (a_f**2 * (dot(train, label, label) - form) + s * noise),
        "test_loss_clean": test_loss - 2 * a_f * (1 - a_f) * (energy - resists),
        "test_gain_clean": a_f**2 * gain + 2 * a_f * (1 - a_f) * form / s,
    }

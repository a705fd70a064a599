"""The random-features limit of Mei and Montanari, in their letters and conventions.

S. Mei, A. Montanari, The generalization error of random features regression: precise asymptotics and the double
descent curve (arXiv 1908.05355): the fixed point of ν_1, ν_2, the test error and the penalised training error.
ψ_1 = N/d, ψ_2 = n/d; the fit minimises (1/n)‖y − Fa‖² + (N/d)λ‖a‖²; F_1² and F_⋆² are the linear and the non-linear
part of the teacher, τ² the noise; μ_1 and μ_⋆ the same of the activation. Their test error leaves the noise out.

The algebra is written for any kind of number; ``root`` is scipy's or mpmath's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from scipy.optimize import brentq


class Errors(NamedTuple):
    """Limits of the minimum of the penalised training error, and of the test error without the noise."""

    training: Any
    test: Any


def errors(
    psi_1: Any, psi_2: Any, lam: Any, mu_1: Any, mu_star: Any, F_1: Any, F_star: Any, tau: Any,
    root: Callable[..., Any] | None = None, sqrt: Callable[[Any], Any] = math.sqrt,
) -> Errors:  # fmt: skip
    """Return the two errors."""
    zeta_2 = (mu_1 / mu_star) ** 2
    lam_bar = lam / mu_star**2
    u = sqrt(psi_1 * psi_2 * lam_bar)  # ξ = iu, and there ν_1 = iv_1, ν_2 = iv_2
    v_1, v_2 = imaginary_parts(psi_1, psi_2, u, zeta_2, root or scipy_root, sqrt)
    chi = -v_1 * v_2
    bias, variance = bias_and_variance(chi, zeta_2, psi_1, psi_2)
    test = F_1**2 * bias + (F_star**2 + tau**2) * variance + F_star**2
    training = v_2 * sqrt(lam_bar * psi_1 / psi_2) * (F_1**2 / (1 - chi * zeta_2) + F_star**2 + tau**2)
    return Errors(training, test)


def imaginary_parts(
    psi_1: Any, psi_2: Any, u: Any, zeta_2: Any, root: Callable[..., Any], sqrt: Callable[[Any], Any]
) -> tuple[Any, Any]:
    """Return v_1, v_2 of v_1 = ψ_1/(u + v_2 + ζ²v_2/(1 + ζ²v_1v_2)), and the same with 1 and 2 exchanged.

    Both say uv + w + ζ²w/(1 + ζ²w) = ψ with w = v_1v_2: so v_1 − v_2 = (ψ_1 − ψ_2)/u, and one equation for w is left.
    """
    gap, least = abs(psi_1 - psi_2) / u, min(psi_1, psi_2)

    def smaller(w: Any) -> Any:
        return 2 * w / (gap + sqrt(gap**2 + 4 * w))

    w = root(lambda w: u * smaller(w) + w + zeta_2 * w / (1 + zeta_2 * w) - least, least)
    low = smaller(w)
    return (low + gap, low) if psi_1 > psi_2 else (low, low + gap)


def scipy_root(function: Callable[[float], float], top: float) -> float:
    """Return the root of a rising function between 0 and ``top``, by Brent's method to the last bits."""
    return float(brentq(function, 0.0, top, xtol=1e-300, rtol=4 * 2.0**-52, maxiter=2000))


def bias_and_variance(chi: Any, zeta_2: Any, psi_1: Any, psi_2: Any) -> tuple[Any, Any]:
    """Return B = E_1/E_0 and V = E_2/E_0, polynomials of χ, ζ², ψ_1 and ψ_2."""
    x, z, both = chi, zeta_2, psi_1 * psi_2
    E_0 = (
        -(x**5) * z**3
        + 3 * x**4 * z**2
        + (both - psi_2 - psi_1 + 1) * x**3 * z**3
        - 2 * x**3 * z**2
        - 3 * x**3 * z
        + (psi_1 + psi_2 - 3 * both + 1) * x**2 * z**2
        + 2 * x**2 * z
        + x**2
        + 3 * both * x * z
        - both
    )
    E_1 = psi_2 * x**3 * z**2 - psi_2 * x**2 * z + both * x * z - both
    E_2 = (
        x**5 * z**3
        - 3 * x**4 * z**2
        + (psi_1 - 1) * x**3 * z**3
        + 2 * x**3 * z**2
        + 3 * x**3 * z
        - (psi_1 + 1) * x**2 * z**2
        - 2 * x**2 * z
        - x**2
    )
    return E_1 / E_0, E_2 / E_0


def wide(zeta_2: Any, psi_2: Any, lam_bar: Any, sqrt: Callable[[Any], Any] = math.sqrt) -> tuple[Any, Any]:
    """Return B and V as ψ_1 → ∞, kernel ridge regression, by ω; λ̄ = λ/μ_⋆²."""
    w = omega(zeta_2, psi_2, lam_bar, sqrt)
    bottom = (psi_2 - 1) * w**3 + (1 - 3 * psi_2) * w**2 + 3 * psi_2 * w - psi_2
    return psi_2 * (w - 1) / bottom, w**2 * (w - 1) / bottom


def omega(zeta_2: Any, psi_2: Any, lam_bar: Any, sqrt: Callable[[Any], Any] = math.sqrt) -> Any:
    """Return the negative root ω of (λ̄ψ_2 + 1)ω² + (ψ_2ζ² − ζ² − λ̄ψ_2 − 1)ω = ψ_2ζ²."""
    top = psi_2 * zeta_2 - zeta_2 - lam_bar * psi_2 - 1
    return -(top + sqrt(top**2 + 4 * psi_2 * zeta_2 * (lam_bar * psi_2 + 1))) / (2 * (lam_bar * psi_2 + 1))


def critical_snr(zeta_2: Any, psi_2: Any, sqrt: Callable[[Any], Any] = math.sqrt) -> Any:
    """Return ρ_⋆, the signal-to-noise ratio above which no penalty is best as ψ_1 → ∞, as the paper writes it."""
    w = omega(zeta_2, psi_2, 0, sqrt)
    return w * (w - 1) / ((1 - psi_2) * w + psi_2)

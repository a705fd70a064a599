"""Δ_ℓ as the paper prints it, in terms of Ω, ξ and r_p, and the slides' Λ_1 and Λ_2.

See docs/theory/training_gain.md#the-printed-form and docs/theory/test_gain.md#what-the-slides-lack.

The same quadratic form, with the weights' λ-derivatives, gives Λ_ℓ; and with K ⊂ {1, …, ℓ} it is
the extension to missing coefficients.  It is an independent path to what
:mod:`~theorycalc.theory.gains` has in closed form.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.functions.algebra import xi
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.gains import Losses, train_error
from theorycalc.theory.traces import HermiteWeights, Weights, hermite_weights


def metrics(weights: Weights, zeta: Number) -> tuple[HermiteWeights, HermiteWeights]:
    """Return λw_k and g_k = −∂_λ w_k/s², the weights of H_k in the training and the test loss.

    See docs/theory/training_gain.md#forms-of-the-resolvent and docs/theory/options.md#gaussian-first-layer.

    On the sphere ζ = 0, and −∂_λ ζ = ζ/stiffness.
    """
    kept = 1 / (1 + zeta)
    constant = kept * (weights.test_rest - zeta * kept * weights.test_constant)
    train = hermite_weights(weights.train_rest, weights.train_linear, zeta)
    return train, HermiteWeights(constant, weights.test_linear, weights.test_rest)


def Omega_inverse(spikes: Sequence[int], weights: HermiteWeights, kappa: Number) -> list[list[Number]]:
    """Return [Ω⁻¹]_{ij} = κ^{(i+j)/2} Σ_k w_k ξ_{i,k} ξ_{j,k} for i, j ∈ K, as in the paper.

    >>> Omega_inverse((1, 2), HermiteWeights(1, 1, 1), kappa=4)
    [[4, 0], [0, 48]]
    """
    return [
        [
            kappa ** ((i + j) // 2)
            * sum(weights(k) * (xi(i, k) * xi(j, k)) for k in range(min(i, j) + 1) if xi(i, k) and xi(j, k))
            if (i + j) % 2 == 0
            else 0 * weights.rest
            for j in spikes
        ]
        for i in spikes
    ]


def r(p: int, weights: HermiteWeights, rho: Number) -> Number:
    """Return r_p = w_p ρ^p: (p! ψm_1/φ)ρ^p for p ≠ 1, (ψm_2/φ)ρ for p = 1, as in the paper."""
    return weights(p) * rho**p


def projections(
    spikes: Sequence[int], weights: HermiteWeights, c_star: Sequence[Number], rho: Number, root_kappa: Number
) -> list[Number]:
    """Return κ^{i/2} Σ_p ξ_{i,p} c_{⋆,p} r_p for i ∈ K."""
    return [
        root_kappa**i
        * sum(
            (xi(i, p) * (c_star[p - 1] * r(p, weights, rho)) for p in range(1, min(i, len(c_star)) + 1) if xi(i, p)),
            0 * weights.rest,
        )
        for i in spikes
    ]


def fit(
    ns: NumberSystem,
    spikes: Sequence[int],
    weights: HermiteWeights,
    c_star: Sequence[Number],
    rho: Number,
    root_kappa: Number = 1,
) -> tuple[list[Number], list[Number]]:
    """Return the projections q and the fitted coefficients b = Ωq; κ cancels in qᵀb, which is why it has a default."""
    q = projections(spikes, weights, c_star, rho, root_kappa)
    try:
        return q, ns.solve(Omega_inverse(spikes, weights, root_kappa**2), q)
    except PrecisionError as error:
        raise PrecisionError(
            f"{spelled('form', 'matrix')}: {error}, since Ω is as ill-conditioned as a moment matrix; "
            f"use {spelled('form', 'closed')}, or {spelled('digits')}",
            argument="form",
        ) from None


def Delta(
    ns: NumberSystem,
    spikes: Sequence[int],
    weights: HermiteWeights,
    c_star: Sequence[Number],
    rho: Number,
    root_kappa: Number = 1,
) -> Number:
    """Δ = Σ_{p,q} c_{⋆,p} c_{⋆,q} r_p r_q Σ_{i,j} Ω_{ij} κ^{(i+j)/2} ξ_{i,p} ξ_{j,q}, with λ in the weights."""
    return _dot(*fit(ns, spikes, weights, c_star, rho, root_kappa))


def Lambda(
    ns: NumberSystem,
    spikes: Sequence[int],
    train: HermiteWeights,
    test: HermiteWeights,
    c_star: Sequence[Number],
    rho: Number,
) -> Number:
    """Λ = 2bᵀq_G − bᵀP_G b, with b fitted in the train metric (docs/theory/missing_coefficients.md#the-projection)."""
    _, b = fit(ns, spikes, train, c_star, rho)
    P_b = [_dot(row, b) for row in Omega_inverse(spikes, test, 1)]
    return 2 * _dot(b, projections(spikes, test, c_star, rho, 1)) - _dot(b, P_b)


def _dot(x: Sequence[Number], y: Sequence[Number]) -> Number:
    return sum(a * b for a, b in zip(x, y, strict=True))


def matrix_losses(
    ns: NumberSystem,
    spikes: Sequence[int],
    metric: tuple[HermiteWeights, HermiteWeights],
    c_star: Sequence[Number],
    tail: Number,
    rho: Number,
    one_minus_t: Number,
    noise_variance: Number,
) -> Losses:
    """Return the losses, with gains from Ω and the rest from the residual of the fit."""
    train, test = metric
    _, b = fit(ns, spikes, train, c_star, rho)
    degree = max([len(c_star), *spikes])
    c = [0, *c_star, *([0] * (degree - len(c_star)))]
    t = rho**2

    def before(w: HermiteWeights) -> Number:
        return sum(w(k) * c[k] ** 2 for k in range(1, degree + 1)) + w.rest * (tail + noise_variance)

    def after(w: HermiteWeights) -> Number:
        total = w.rest * (tail + noise_variance)
        for k in range(degree + 1):
            residual = c[k] * rho**k - sum(xi(i, k) * x for i, x in zip(spikes, b, strict=True) if xi(i, k))
            total = total + w(k) * (residual**2 + c[k] ** 2 * one_minus_t * sum(t**j for j in range(k)))
        return total

    test_losses = before(test), after(test)
    errors = (train_error(train.rest, loss, operator.mul) for loss in test_losses)
    return Losses(
        before(train),
        test_losses[0],
        Delta(ns, spikes, train, c_star, rho),
        Lambda(ns, spikes, train, test, c_star, rho),
        after(train),
        test_losses[1],
        *errors,
    )


def slides_Lambda(
    ell: int, c_star_1: Number, c_star_2: Number, kappa: Number, m1: Number, m1_slope: Number, m2_slope: Number
) -> Number:
    """Λ_1, Λ_2 as the slides print them, without the factor φ/(ψm_1²) (docs/theory/test_gain.md#what-the-slides-lack).

    >>> slides_Lambda(1, 2, 0, 8, 1, -1, -3)
    6.0
    """
    if ell not in (1, 2):
        raise DomainError(
            f"{spelled('as_printed', True)}: the slides print Λ_1 and Λ_2 only, not ℓ = {ell}", argument="as_printed"
        )
    first = c_star_1**4 / kappa * -m2_slope
    if ell == 1:
        return first
    return first + 4 * c_star_1**4 * c_star_2**2 / (3 * kappa**2 * m1**2) * -m1_slope

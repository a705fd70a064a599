"""Finite steps to leading order in each spike: the pencil (docs/theory/pencil.md#how-it-is-computed).

After a step η the features are F₀ + Σ_p D_p h^p (a^{∘p})ᵀ, h the normalised projection on the step direction and
D_p = c_1^p c_p η^p κ^{p/2}.  In Hermite polynomials of h this is F₀ + Σ_k H_k(h) g_kᵀ, g_k = Σ_p ξ_{pk} D_p a^{∘p}, and

    Mid = [[ W, I + E, 0 ], [ (I + E)ᵀ, 0, −√θ Y ], [ 0, −√θ Yᵀ, I ]],      Y Yᵀ = (g_kᵀ g_l),

W = diag(w_0, w_1, …).  Neurons of several kinds have a √θ and a Y each, side by side
(docs/theory/kinds.md#the-pencil).  With z = Mid⁻¹Q the gains are λ Qᵀz and −∂_λ(Qᵀz)/s², where
∂_λ(Qᵀz) = 2Q'ᵀz − zᵀMid'z.  Neither the Gram matrix Y Yᵀ nor its inverse is formed, so strengths may be of any size.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from theorycalc.functions.algebra import xi
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array, Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.kinds import kind_theta
from theorycalc.theory.printed import r
from theorycalc.theory.traces import Traces, constant_spread, hermite_weights, in_resolvent
from theorycalc.theory.windows import amplitude

#: Y of each kind of neuron: a row for each H_k(h), a column for each polynomial of √N a.
Factors: TypeAlias = "list[list[list[Number]]]"


def strengths(
    spikes: Sequence[int], c: Sequence[Number], eta: Number, root_kappa: Number, root_N: Number
) -> list[Number]:
    """Return D_p N^{(1−p)/2} for p ∈ K, the size of each spike with a = z/√N."""
    return [amplitude(p, c[1], c[p], eta) * root_kappa**p / root_N ** (p - 1) for p in spikes]


def first_lift(c1: Number, c2: Number, residual_mean: Number, root_kappa: Number) -> Number:
    """Return 4c_2²E r/(c_1²√κ): if the residual has a mean, the first spike is h plus this constant.

    See docs/theory/turning.md#labels-with-a-mean.

    >>> first_lift(1, 2, 3, 4)
    12.0
    """
    return 4 * c2**2 * residual_mean / (c1**2 * root_kappa)


@functools.lru_cache(maxsize=256)
def law_in_polynomials(p: int, law: str) -> dict[int, Fraction]:
    """Return z^p in orthogonal polynomials of z = √N a, whose squared norms are those of :func:`law_norm`.

    They begin with z^j: for a Gaussian law they are Hermite polynomials, for a uniform law Legendre's, on ±√3.
    See docs/theory/options.md#other-second-layers.

    >>> {law: law_in_polynomials(3, law).get(1) for law in ("gaussian", "uniform", "sign", "constant")}
    {'gaussian': Fraction(3, 1), 'uniform': Fraction(9, 5), 'sign': Fraction(1, 1), 'constant': None}
    """
    if law not in ("gaussian", "uniform"):
        return {p % 2 if law == "sign" else 0: Fraction(1)}
    found = {0: Fraction(1)}
    for _ in range(p):  # z times the j-th polynomial is the next one, and norm ratio times the one before
        below = {j - 1: x * _norm_ratio(j, law) for j, x in found.items() if j}
        found = below | {j + 1: below.get(j + 1, 0) + x for j, x in found.items()}
    return dict(sorted(found.items()))


@functools.lru_cache(maxsize=256)
def law_norm(j: int, law: str) -> Fraction:
    """Return the squared norm of the j-th orthogonal polynomial of z.

    >>> law_norm(2, "gaussian"), law_norm(2, "uniform")
    (Fraction(2, 1), Fraction(4, 5))
    """
    return prod((_norm_ratio(i, law) for i in range(1, j + 1)), start=Fraction(1))


def _norm_ratio(j: int, law: str) -> Fraction:
    """Return the squared norm of the j-th polynomial divided by that of its predecessor."""
    return Fraction(3 * j**2, 4 * j**2 - 1) if law == "uniform" else Fraction(j)


def spike_factor(ns: NumberSystem, spikes: Sequence[int], sizes: Sequence[Number], law: str) -> list[list[Number]]:
    """Return Y, whose k-th row is g_k in orthonormal polynomials of z, so that Y Yᵀ = (g_kᵀ g_l)."""
    top = max(spikes)
    rows: list[list[Number]] = [[0 * sizes[0] for _ in range(top + 1)] for _ in range(top + 1)]
    for p, size in zip(spikes, sizes, strict=True):
        for j, weight in law_in_polynomials(p, law).items():
            entry = size * ns.rational(weight) * ns.sqrt(ns.rational(law_norm(j, law)))
            for k in range(p % 2, p + 1, 2):
                rows[k][j] = rows[k][j] + xi(p, k) * entry
    return rows


class Slice(NamedTuple):
    """The quantities of F₀ that the pencil needs at one λ: m_1, m_2, θ = 1 − (ψ/φ)(1 − γm_1), sθ/ψ and 1 − m_2/m_1.

    Each kind of neuron with a bias has its own: θ_b, sθ_b/ψ, and c_1²tθ_b/ψ, of which 1 − m_2/m_1 is the mean.
    """

    m1: Number
    m2: Number
    theta: Number
    spread: Number
    missed: Number


class Blocks(NamedTuple):
    """The blocks of Mid and Q at one λ."""

    weights: list[Number]  # W
    q: list[Number]
    couplings: tuple[Number, ...]  # of H_1(h) with the neurons' own a, for each kind: the factors of E


def theta_slope(traces: Traces, phi: Number, psi: Number, lam: Number) -> Number:
    """Return ∂θ/∂λ = (ψ/φ)² ∂(λm_1)/∂λ, where ∂(λm_1)/∂λ = m_1 χu/(1 + χ(p + u)) needs no subtraction.

    See docs/theory/traces.md#slopes-in-λ.
    """
    p = lam * in_resolvent(traces.m1, phi, psi)
    chi_u = traces.chi_p / p * (traces.theta * phi / psi)
    return (psi / phi) ** 2 * traces.m1 * chi_u * lam / traces.stiffness


def slice_of(traces: Traces, case: Case, lam: Number) -> Slice:
    """Return the slice at λ with its λ-derivatives.

    With k = m_2/m_1 = 1/(1 + c_1²sθ/ψ), ∂(sθ)/∂λ = −sθ/stiffness and ∂k/∂λ = k(1 − k)/stiffness: nothing cancels.
    """
    kept = traces.m2 / traces.m1
    spread = traces.m1 * traces.theta / case.phi
    missed = case.c1**2 * spread * kept
    return Slice(
        Dual(traces.m1, traces.m1_slope),
        Dual(traces.m2, traces.m2_slope),
        Dual(traces.theta, theta_slope(traces, case.phi, case.psi, lam)),
        Dual(spread, -spread / traces.stiffness),
        Dual(missed, -kept * missed / traces.stiffness),
    )


def kind_slices(traces: Traces, case: Case) -> tuple[Slice, ...]:
    """Return the slice of each kind of neuron with its λ-derivatives (docs/theory/kinds.md#the-pencil).

    θ_b is made of positive terms in s and t.
    """
    m1, m2 = Dual(traces.m1, traces.m1_slope), Dual(traces.m2, traces.m2_slope)
    s, t = (in_resolvent(m, case.phi, case.psi) for m in (m1, m2))
    thetas = [kind_theta(kind, s, t) for kind in case.kinds]
    return tuple(
        Slice(m1, m2, theta, s * theta / case.psi, kind.c1**2 * (t * theta) / case.psi)
        for kind, theta in zip(case.kinds, thetas, strict=True)
    )


def blocks_of(
    ns: NumberSystem, top: int, slices: Sequence[Slice], case: Case, intercept: bool = False, label_mean: Number = 0
) -> Blocks:
    """Return the blocks for H_0, …, H_top; an ``intercept`` takes H_0 = 1 out of every form.

    ``slices`` has one slice for each kind of neuron.  See docs/theory/pencil.md#how-it-is-computed,
    docs/theory/options.md#the-initial-output, docs/theory/pencil.md#with-an-intercept and, with biases,
    docs/theory/kinds.md#the-pencil.

    Called with numbers that carry a derivative, it returns the derivatives of the blocks, too.
    """
    phi, psi, at = case.phi, case.psi, slices[0]
    s, linear = in_resolvent(at.m1, phi, psi), in_resolvent(at.m2, phi, psi)
    weight = hermite_weights(s, linear, constant_spread(case.c2_gaussian, at.spread))
    teacher = [label_mean, *case.c_star[:top], *([0] * (top - len(case.c_star)))]
    q = [c * r(k, weight, case.rho) for k, c in enumerate(teacher)]
    weights = [weight(k) for k in range(top + 1)]
    if intercept:
        weights[0] = 0 * weights[0]
    if not case.included:
        return Blocks(weights, q, tuple(0 * kind.missed for kind in slices))
    # The direction contains −g_a W₀ᵀ(â∘c_1): of κ the part (g_a c_1)² weighs that times the limit of aᵀW₀X̃ᵀR₀X̃W₀ᵀa.
    kinds = case.as_kinds
    parts = [
        kind.share * (case.output_scale**2 * psi * (1 + s * kind.c_rest**2) * own.missed)
        for kind, own in zip(kinds, slices, strict=True)
    ]
    weights[1] = (case.without_own * linear + sum(parts[1:], parts[0])) / case.kappa
    couplings = (
        ns.sqrt(kind.share) * (-case.output_scale * psi * own.missed / ns.sqrt(case.kappa))
        for kind, own in zip(kinds, slices, strict=True)
    )
    return Blocks(weights, q, tuple(couplings))


def with_norm(
    ns: NumberSystem, blocks: Blocks, factors: Factors, s: Number, c2: Sequence[Number], psi: Number
) -> tuple[Blocks, Factors]:
    """Return the blocks with ‖x‖² added if all a_i are equal, so that a is the right vector of c_2(‖x‖²/d − 1).

    In units of the standard deviation √(2/d) of ‖x‖²/d that vector is c_2√(2/ψ) a, with the c_2 of each kind; ``c2``
    has them with the roots of their shares.  See docs/theory/options.md#other-second-layers.
    """
    more = Blocks([*blocks.weights, s], [*blocks.q, 0 * s], blocks.couplings)
    wider = []
    for Y, own in zip(factors, c2, strict=True):
        zero = 0 * Y[0][0]
        rows = [[*row, zero] for row in Y]
        wider.append([*rows, [own * ns.sqrt(2 / psi), *([zero] * len(rows))]])
    return more, wider


def matrix_of(blocks: Blocks, root_thetas: Sequence[Number], factors: Factors, own: int) -> list[list[Number]]:
    """Return Mid from √θ and Y of each kind; ``own`` is the index of the polynomial of z that equals a.

    In Y a kind has the root of its share; E has the whole share, and so ``couplings`` has the other root.
    """
    size = len(blocks.weights)
    zero = 0 * blocks.weights[0]
    whole = (2 + len(factors)) * size
    matrix = [[zero for _ in range(whole)] for _ in range(whole)]
    for k in range(size):
        matrix[k][k] = blocks.weights[k]
        matrix[k][size + k] = matrix[size + k][k] = zero + 1
    for k in range(2 * size, whole):
        matrix[k][k] = zero + 1
    for kind, (root_theta, coupling, Y) in enumerate(zip(root_thetas, blocks.couplings, factors, strict=True), start=2):
        for k in range(size):
            entry = matrix[1][size + k] + coupling * Y[k][own]
            matrix[1][size + k] = matrix[size + k][1] = entry
            for j in range(size):
                matrix[size + k][kind * size + j] = matrix[kind * size + j][size + k] = -root_theta * Y[k][j]
    return matrix


def form_of(weights: Dual, q: Dual, own: Dual, root_thetas: Sequence[Dual], factors: Sequence[Array]) -> Dual:
    """Return QᵀMid⁻¹Q, from √θ and Y of each kind of neuron.

    With M = I + E and C = √W M⁻ᵀ √θ Y it is q̂ᵀC(I + CᵀC)⁻¹Cᵀq̂, q̂ = q/√W: by the singular values σ of C a sum of
    σ²/(1 + σ²) ≤ 1, which is right for spikes of any size.  z = (x, y, v) = Mid⁻¹Q follows from the same sum.
    """
    root_W, shape = np.sqrt(weights.value), factors[0].shape
    inverse = np.broadcast_to(np.eye(shape[-1]), shape).copy()  # of M, whose second row is e_1 + own
    inverse[:, 1, :] = -own.value / (1 + own.value[:, 1:2])
    inverse[:, 1, 1] = 1 / (1 + own.value[:, 1])  # not 1 less the quotient, which cancels for strong spikes
    loaded = [part.value[:, None, None] * Y for part, Y in zip(root_thetas, factors, strict=True)]
    spread = np.swapaxes(inverse, -1, -2) @ np.concatenate(loaded, axis=-1)
    U, sigma, V = np.linalg.svd(root_W[:, :, None] * spread, full_matrices=False)
    free = np.broadcast_to(weights.value == 0, q.shape)  # H_0 of an intercept
    share = np.einsum("bki,bk->bi", U, np.where(free, 0.0, q.value / np.where(free, 1.0, root_W)))
    value = np.einsum("bi,bi->b", sigma**2 / (1 + sigma**2), share**2)
    v = np.einsum("bij,bi->bj", V, sigma / (1 + sigma**2) * share)
    x = np.einsum("bij,bj->bi", spread, v)
    left = np.einsum("bki,bi->bk", U, share / (1 + sigma**2)) * root_W  # q − Wx
    y = np.einsum("bij,bj->bi", inverse, left)
    slope = 2 * np.einsum("bi,bi->b", q.slope, x) - np.einsum("bi,bi->b", weights.slope, x**2)
    slope -= 2 * x[:, 1] * np.einsum("bi,bi->b", own.slope, y)
    for part, Y, one in zip(root_thetas, factors, np.split(v, len(factors), axis=-1), strict=True):
        slope += 2 * part.slope * np.einsum("bi,bij,bj->b", y, Y, one)
    return Dual(value, slope)

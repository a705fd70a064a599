"""Finite steps, to leading order in each spike: the pencil (docs/theory/pencil.md#how-it-is-computed).

After a step η the features are F₀ + Σ_p D_p h^p (a^{∘p})ᵀ, h the normalised projection on the step direction and
D_p = c_1^p c_p η^p κ^{p/2}.  In Hermite polynomials of h this is F₀ + Σ_k H_k(h) g_kᵀ, g_k = Σ_p ξ_{pk} D_p a^{∘p}, and

    Mid = [[ W, I + E, 0 ], [ (I + E)ᵀ, 0, −√θ Y ], [ 0, −√θ Yᵀ, I ]],      Y Yᵀ = (g_kᵀ g_l),

W = diag(w_0, w_1, …).  With z = Mid⁻¹Q the gains are λ Qᵀz and −∂_λ(Qᵀz)/s², where ∂_λ(Qᵀz) = 2Q'ᵀz − zᵀMid'z.
Neither the Gram matrix Y Yᵀ nor its inverse is formed, so strengths may be of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial
from typing import NamedTuple

from theorycalc.functions.algebra import xi
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.printed import r
from theorycalc.theory.traces import Traces, constant_spread, hermite_weights, in_resolvent
from theorycalc.theory.windows import amplitude


def strengths(
    spikes: Sequence[int], c: Sequence[Number], eta: Number, root_kappa: Number, root_N: Number
) -> list[Number]:
    """Return D_p N^{(1−p)/2} for p ∈ K: the size of each spike, with a = z/√N."""
    return [amplitude(p, c[1], c[p], eta) * root_kappa**p / root_N ** (p - 1) for p in spikes]


def first_lift(c1: Number, c2: Number, residual_mean: Number, root_kappa: Number) -> Number:
    """Return 4c_2²E r/(c_1²√κ): the first spike is h and this constant, if the residual has a mean.

    See docs/theory/turning.md#labels-with-a-mean.

    >>> first_lift(1, 2, 3, 4)
    12.0
    """
    return 4 * c2**2 * residual_mean / (c1**2 * root_kappa)


def law_in_polynomials(p: int, law: str) -> dict[int, Fraction]:
    """Return z^p in orthogonal polynomials of z = √N a, with their squared norms as in :func:`law_norm`.

    They begin with z^j: for a Gaussian law they are Hermite polynomials, for a uniform law Legendre's, on ±√3.
    See docs/theory/options.md#other-second-layers.

    >>> {law: law_in_polynomials(3, law).get(1) for law in ("gaussian", "uniform", "sign", "constant")}
    {'gaussian': Fraction(3, 1), 'uniform': Fraction(9, 5), 'sign': Fraction(1, 1), 'constant': None}
    """
    if law == "gaussian":
        return {j: Fraction(xi(p, j)) for j in range(p % 2, p + 1, 2)}
    if law == "uniform":
        return {j: _in_legendre(p, j) for j in range(p % 2, p + 1, 2)}
    return {p % 2 if law == "sign" else 0: Fraction(1)}


def law_norm(j: int, law: str) -> Fraction:
    """Return the squared norm of the j-th polynomial of z.

    >>> law_norm(2, "gaussian"), law_norm(2, "uniform")
    (Fraction(2, 1), Fraction(4, 5))
    """
    if law == "uniform":
        return Fraction(3**j, 2 * j + 1) / _leading(j) ** 2
    return Fraction(factorial(j) if law == "gaussian" else 1)


def _leading(j: int) -> Fraction:
    """Return the leading coefficient of Legendre's polynomial P_j."""
    return Fraction(comb(2 * j, j), 2**j)


def _in_legendre(p: int, j: int) -> Fraction:
    """Return the coefficient in z^p of the j-th polynomial, 3^{j/2} P_j(z/√3) over its leading coefficient."""
    half = (p - j) // 2
    odd = factorial(p + j + 1) // (2 ** ((p + j) // 2) * factorial((p + j) // 2))  # (p + j + 1)!!
    return Fraction(3**half * (2 * j + 1) * factorial(p), 2**half * factorial(half) * odd) * _leading(j)


def spike_factor(ns: NumberSystem, spikes: Sequence[int], sizes: Sequence[Number], law: str) -> list[list[Number]]:
    """Return Y: row k is g_k in orthonormal polynomials of z, so that Y Yᵀ = (g_kᵀ g_l)."""
    top = max(spikes)
    rows: list[list[Number]] = [[0 * sizes[0] for _ in range(top + 1)] for _ in range(top + 1)]
    for p, size in zip(spikes, sizes, strict=True):
        for j, weight in law_in_polynomials(p, law).items():
            entry = size * ns.rational(weight) * ns.sqrt(ns.rational(law_norm(j, law)))
            for k in range(p % 2, p + 1, 2):
                rows[k][j] = rows[k][j] + xi(p, k) * entry
    return rows


class Slice(NamedTuple):
    """The quantities of F₀ in the pencil at one λ: m_1, m_2, θ = 1 − (ψ/φ)(1 − γm_1), sθ/ψ and 1 − m_2/m_1."""

    m1: Number
    m2: Number
    theta: Number
    spread: Number
    missed: Number


class Blocks(NamedTuple):
    """The blocks of Mid and Q at one λ."""

    weights: list[Number]  # W
    q: list[Number]
    coupling: Number  # of H_1(h) with the neurons' own a: the factor of E


def theta_slope(traces: Traces, phi: Number, psi: Number, lam: Number) -> Number:
    """∂θ/∂λ = (ψ/φ)² ∂(λm_1)/∂λ, and ∂(λm_1)/∂λ = m_1 χu/(1 + χ(p + u)): no subtraction.

    See docs/theory/traces.md#slopes-in-λ.
    """
    p = lam * in_resolvent(traces.m1, phi, psi)
    chi_u = traces.chi_p / p * (traces.theta * phi / psi)
    return (psi / phi) ** 2 * traces.m1 * chi_u * lam / traces.stiffness


def slice_of(traces: Traces, case: Case, lam: Number) -> Slice:
    """Return the slice at λ, with its λ-derivatives.

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


def blocks_of(
    ns: NumberSystem, top: int, at: Slice, case: Case, intercept: bool = False, label_mean: Number = 0
) -> Blocks:
    """Return the blocks for H_0, …, H_top; an ``intercept`` takes H_0 = 1 out of every form.

    See docs/theory/pencil.md#how-it-is-computed, docs/theory/options.md#the-initial-output and
    docs/theory/pencil.md#with-an-intercept.

    Called with numbers that carry a derivative, it returns the derivatives of the blocks, too.
    """
    phi, psi = case.phi, case.psi
    s, linear = in_resolvent(at.m1, phi, psi), in_resolvent(at.m2, phi, psi)
    weight = hermite_weights(s, linear, constant_spread(case.c2_gaussian, at.spread))
    teacher = [label_mean, *case.c_star[:top], *([0] * (top - len(case.c_star)))]
    q = [c * r(k, weight, case.rho) for k, c in enumerate(teacher)]
    weights = [weight(k) for k in range(top + 1)]
    if intercept:
        weights[0] = 0 * weights[0]
    if not case.included:
        return Blocks(weights, q, 0 * at.missed)
    # The direction contains −g_a c_1W₀ᵀâ: of κ the part (g_a c_1)² weighs that times the limit of aᵀW₀X̃ᵀR₀X̃W₀ᵀa.
    own = case.output_scale**2 * psi * (1 + s * case.c_rest**2) * at.missed
    weights[1] = (case.without_own * linear + own) / case.kappa
    return Blocks(weights, q, -case.output_scale * psi * at.missed / ns.sqrt(case.kappa))


def with_norm(
    ns: NumberSystem, blocks: Blocks, Y: Sequence[Sequence[Number]], s: Number, c2: Number, psi: Number
) -> tuple[Blocks, list[list[Number]]]:
    """Add ‖x‖² to the functions of a point where all a_i are equal, so that a is the right vector of c_2(‖x‖²/d − 1).

    In units of the standard deviation √(2/d) of ‖x‖²/d that vector is c_2√(2/ψ) a.
    See docs/theory/options.md#other-second-layers.
    """
    zero = 0 * Y[0][0]
    loading = c2 * ns.sqrt(2 / psi)
    rows = [[*row, zero] for row in Y]
    more = Blocks([*blocks.weights, s], [*blocks.q, 0 * s], blocks.coupling)
    return more, [*rows, [loading, *([zero] * len(rows))]]


def matrix_of(blocks: Blocks, root_theta: Number, Y: Sequence[Sequence[Number]], own: int) -> list[list[Number]]:
    """Return Mid; ``own`` is the index of the polynomial of z that a itself is."""
    size = len(blocks.weights)
    zero = 0 * blocks.weights[0]
    matrix = [[zero for _ in range(3 * size)] for _ in range(3 * size)]
    for k in range(size):
        matrix[k][k] = blocks.weights[k]
        matrix[k][size + k] = matrix[size + k][k] = zero + 1
        matrix[2 * size + k][2 * size + k] = zero + 1
    for k in range(size):
        entry = matrix[1][size + k] + blocks.coupling * Y[k][own]
        matrix[1][size + k] = matrix[size + k][1] = entry
        for j in range(size):
            matrix[size + k][2 * size + j] = matrix[2 * size + j][size + k] = -root_theta * Y[k][j]
    return matrix

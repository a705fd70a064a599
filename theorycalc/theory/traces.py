"""The equations of m_1, m_2 and their λ-derivatives, and the weights of the losses (docs/theory/traces.md).

Dimensionless names used throughout, with s = (ψ/φ) m_1 the limit of tr R₀:

    p = λs = γ m_1                 the share of n that the fit leaves over, 0 < p < 1
    u = p + φ/ψ − 1                the same for the N columns, times φ/ψ
    k = m_2/m_1                    how much of a linear function the resolvent keeps
    χ = (c_{>1}² + c_1² k²)/λ

The printed system becomes one equation, a·pu + φ(1 − k) = 1 − p with k = φ/(φ + b·pu),
a = c_{>1}²/λ, b = c_1²/λ.  Solved for y = min(p, u), nothing in it cancels.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple, TypeAlias

from theorycalc.numbers.systems import Array, Number, NumberSystem


def coupling(m1: Number, m2: Number, phi: Number, psi: Number, lam: Number, c1: Number) -> Number:
    """Return Ψ = c_1² m_1 m_2 (λψm_1/φ − 1), which both equations of the paper share.

    >>> coupling(1, 1, 2, 1, 1, 1)
    -0.5
    """
    return c1**2 * m1 * m2 * (lam * psi * m1 / phi - 1)


def trace_equations(
    m1: Number, m2: Number, phi: Number, psi: Number, lam: Number, c1: Number, c_rest: Number
) -> tuple[Number, Number]:
    """Return the left sides of the paper's two equations for m_1, m_2; both vanish at the solution.

    >>> trace_equations(1, 1, 2, 1, 1, 1, 1)
    (-0.5, 1.5)
    """
    Psi = coupling(m1, m2, phi, psi, lam, c1)
    first = phi * (m1 - m2) * (c_rest**2 * m1 + c1**2 * m2) + Psi
    second = (phi / psi) * (c1**2 * m1 * m2 + phi * (m2 - m1)) + Psi
    return first, second


def in_resolvent(m: Number, phi: Number, psi: Number) -> Number:
    """Return (ψ/φ)m: for m_1 this is s = lim tr R₀, for m_2 lim tr(X̃ᵀR₀X̃)/d.

    >>> in_resolvent(3, 2, 4)
    6.0
    """
    return psi * m / phi


class Balance(NamedTuple):
    """The equation for y = min(p, u), as coefficients; ``wide`` says that y is p.

    gap = |φ − ψ|/ψ is the larger of p, u less the smaller; room = min(1, φ/ψ) is what
    p (or u) may not exceed; excess = φ − room, which changes sign where d = min(n, N).
    """

    gap: Number
    room: Number
    excess: Number
    phi: Number
    a: Number
    b: Number
    wide: Array | bool


def room_and_excess(ns: NumberSystem, wide: Array | bool, phi: Number, psi: Number) -> tuple[Number, Number]:
    """Return min(1, φ/ψ) and φ minus that, formed from φ − 1 or ψ − 1 so that nothing cancels."""
    return ns.where(wide, 1, phi / psi), ns.where(wide, phi - 1, phi * (psi - 1) / psi)


def slopes(m1: Number, m2: Number, k: Number, chi_p: Number, stiffness: Number) -> tuple[Number, Number]:
    """Return ∂m_1/∂λ and ∂m_2/∂λ, with stiffness = λ(1 + χ(p + u))."""
    return -m1 * ((1 + chi_p) / stiffness), -m2 * ((k + chi_p) / stiffness)


def balance_of(ns: NumberSystem, phi: Number, psi: Number, lam: Number, c1: Number, c_rest: Number) -> Balance:
    """Return the balance of a problem, formed without a difference of rounded numbers."""
    wide = phi >= psi
    gap = ns.where(wide, phi - psi, psi - phi) / psi
    room, excess = room_and_excess(ns, wide, phi, psi)
    return Balance(gap, room, excess, phi, a=c_rest * c_rest / lam, b=c1 * c1 / lam, wide=wide)


def balance(y: Number, equation: Balance) -> tuple[Number, Number]:
    """Return G(y) and G'(y), with G(y) = (aw + y − room)φ + (aw + y + excess)bw, w = y(y + gap).

    It is the reduced equation times φ + bw > 0: negative before its only positive root,
    positive, increasing and convex after it.
    """
    gap, room, excess, phi, a, b, _ = equation
    w = y * (y + gap)
    w_slope = 2 * y + gap
    bulk = a * w + y
    linear = b * w
    bulk_excess = bulk + excess
    value = (bulk - room) * phi + bulk_excess * linear
    slope = (1 + a * w_slope) * (phi + linear) + bulk_excess * (b * w_slope)
    return value, slope


def start(ns: NumberSystem, equation: Balance) -> Number:
    """Return an upper bound of the root, at most about 2.5 times the root.

    Each part of G alone bounds y.  Where excess < 0, either bulk ≤ 2|excess|, or the
    rest of G is at most twice room·φ.
    """
    gap, room, excess, phi, a, b, _ = equation
    bulk_slope = 1 + a * gap

    def where_bulk_is(level: Number) -> Number:
        return 2 * level / (bulk_slope + ns.sqrt(bulk_slope * bulk_slope + 4 * a * level))

    surplus, shortage = ns.maximum(excess, 0), ns.maximum(-excess, 0)
    load = ns.where(excess < 0, 2, 1) * room * phi / b
    cubic = ns.sqrt(2 * load / (ns.rough_cbrt(load) + gap))  # above the root of y·w = load, by about √2
    cubic_w = cubic * (cubic + gap)
    quartic = surplus + ns.sqrt(surplus * surplus + 4 * a * load)  # w(aw + surplus) = load
    w = 2 * load / ns.maximum(quartic, 2 * load / cubic_w)
    from_load = 2 * w / (gap + ns.sqrt(gap * gap + 4 * w))
    return ns.minimum(where_bulk_is(room), ns.maximum(where_bulk_is(2 * shortage), from_load))


class Traces(NamedTuple):
    """m_1, m_2, their slopes ∂/∂λ, and three by-products needed for the losses."""

    m1: Number
    m2: Number
    m1_slope: Number
    m2_slope: Number
    theta: Number  # θ = 1 − (ψ/φ)(1 − γm_1) = uψ/φ
    chi_p: Number  # χp
    stiffness: Number  # λ(1 + χ(p + u)), so that −∂_λ m_1/m_1 = (1 + χp)/stiffness


def kept(phi: Number, b: Number, w: Number) -> Number:
    """Return k = m_2/m_1 = φ/(φ + bw), with w = pu: the paper's second equation.

    >>> kept(1, 2, 3) * 7
    1.0
    """
    return phi / (phi + b * w)


def traces_at(ns: NumberSystem, y: Number, equation: Balance, phi: Number, psi: Number, lam: Number) -> Traces:
    """Return the traces at the root y of the balance, as sums of positive terms."""
    other = y + equation.gap
    p, u = ns.where(equation.wide, y, other), ns.where(equation.wide, other, y)
    k = kept(phi, equation.b, y * other)
    return traces_of(p, u, k, equation.a, equation.b, phi, psi, lam)


def traces_of(p: Number, u: Number, k: Number, a: Number, b: Number, phi: Number, psi: Number, lam: Number) -> Traces:
    """Return m_1, m_2 and all that follows from p, u and k, with a = c_{>1}²/λ and b = c_1²/λ."""
    chi = a + b * (k * k)
    chi_p = chi * p
    stiffness = lam * (1 + chi_p + chi * u)
    m1 = p * phi / (psi * lam)
    m2 = k * m1
    return Traces(m1, m2, *slopes(m1, m2, k, chi_p, stiffness), u * psi / phi, chi_p, stiffness)


class Weights(NamedTuple):
    """The weights of the losses; ``test_rest = test_constant + test_bulk``."""

    train_linear: Number
    train_rest: Number
    test_linear: Number
    test_rest: Number
    test_constant: Number  # 1/(s · stiffness)
    test_bulk: Number  # χp/(s · stiffness)
    spread: Number  # sθ/ψ: a Gaussian first layer adds ζ = 2c_2² · spread to S_M
    kept: Number  # k = m_2/m_1


#: The traces at a ridge, and the weights that follow from them.
Solved: TypeAlias = "tuple[Traces, Weights]"


class Alignment(NamedTuple):
    """The shares of a linear teacher's losses explained and left by h, in training and in a test."""

    train: Number
    train_left: Number
    test: Number
    test_left: Number


def weights_of(traces: Traces, phi: Number, psi: Number, lam: Number) -> Weights:
    """Return the weights for λ > 0.

    See docs/theory/test_gain.md#before-the-step and docs/theory/options.md#gaussian-first-layer.
    """
    m1, m2, m1_slope, m2_slope, theta, chi_p, stiffness = traces
    s = in_resolvent(m1, phi, psi)
    test_constant = 1 / (s * stiffness)
    return Weights(
        train_linear=lam * in_resolvent(m2, phi, psi),
        train_rest=lam * s,
        test_linear=-m2_slope / m1 / s,
        test_rest=-m1_slope / m1 / s,
        test_constant=test_constant,
        test_bulk=chi_p * test_constant,
        spread=s * theta / psi,
        kept=m2 / m1,
    )


def constant_spread(c2: Number, spread: Number) -> Number:
    """Return ζ = 2c_2² sθ/ψ, which a Gaussian first layer adds to S_M (docs/theory/options.md#gaussian-first-layer).

    >>> constant_spread(3, 2)
    36
    """
    return 2 * c2**2 * spread


class HermiteWeights(NamedTuple):
    """The weights of H_k: w_0, w_1, and w_k = k!·rest for k ≥ 2."""

    constant: Number
    linear: Number
    rest: Number

    def __call__(self, k: int) -> Number:
        """Return w_k."""
        return self.constant if k == 0 else self.linear if k == 1 else factorial(k) * self.rest


def hermite_weights(s: Number, linear: Number, zeta: Number) -> HermiteWeights:
    """Return w_0 = s/(1 + ζ), w_1 = (ψ/φ)m_2 and w_k = k! s, the weights of H_k (docs/theory/missing_coefficients.md).

    >>> hermite_weights(6, 2, 1)
    HermiteWeights(constant=3.0, linear=2, rest=6)
    """
    return HermiteWeights(s / (1 + zeta), linear, s)

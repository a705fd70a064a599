"""The formulas independent of any problem: Hermite polynomials, the traces m_1 and m_2, windows and spikes, Ω and r_p.

Each function calls the formula that computes the numbers, with symbols in place of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy

from theorycalc.errors import DomainError, spelled
from theorycalc.functions import algebra
from theorycalc.model.signatures import documented
from theorycalc.model.spikes import read_indices
from theorycalc.symbolic import symbols
from theorycalc.symbolic.symbols import c, c_1, c_rest, index, k, lam, m_1, m_2, p, phi, psi, public, u, w
from theorycalc.theory import printed, windows
from theorycalc.theory import traces as formulas
from theorycalc.theory.traces import Balance, HermiteWeights, Traces, Weights, weights_of

__all__ = [
    "H", "Omega", "Omega_inverse", "feature_expansion", "m2_of_m1", "quartic", "r", "reduced_equation", "slopes",
    "spike_order", "trace_equations", "window", "xi", "xi_inverse_matrix", "xi_matrix",
]  # fmt: skip

_ZERO = sympy.Integer(0)

#: Short names of the traces: p = λ lim tr R₀ is the samples' share, u the neurons'.
SHORT = {
    p: lam * formulas.in_resolvent(m_1, phi, psi),
    u: p + phi / psi - 1,
    w: p * u,
    symbols.a: c_rest**2 / lam,
    symbols.b: c_1**2 / lam,
    k: m_2 / m_1,
}


def read_spikes(ell: int, spikes: Iterable[int] | None) -> tuple[int, ...]:
    """Return the spikes K ⊂ {1, …, ℓ}, which must contain 1; all of them by default.

    >>> read_spikes(4, None), read_spikes(4, [3, 1])
    ((1, 2, 3, 4), (1, 3))
    """
    if spikes is None:
        return tuple(range(1, ell + 1))
    chosen = read_indices(spikes, "spikes")
    if chosen[:1] != (1,) or chosen[-1] > ell:
        reason = f"{spelled('spikes', chosen)} must contain 1 and none beyond {spelled('ell', ell)}"
        raise DomainError(f"{reason}: they are the k ≤ ℓ with c_k ≠ 0", argument="spikes")
    return chosen


# Hermite polynomials (docs/theory/hermite.md#powers-and-hermite-polynomials-ξ)


@public
def xi(p: int, i: int) -> sympy.Integer:
    """Return ξ_{p,i}, with x^p = Σ_i ξ_{p,i} H_i(x).

    >>> xi(5, 3)
    10
    """
    return sympy.Integer(algebra.xi(index(p, "p"), index(i, "i")))


@public
def xi_matrix(ell: int) -> sympy.ImmutableMatrix:
    """Return (ξ_{p,i}) for p, i = 0, …, ℓ.

    >>> xi_matrix(2)
    Matrix([
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 1]])
    """
    return _table(algebra.xi, ell)


@public
def xi_inverse_matrix(ell: int) -> sympy.ImmutableMatrix:
    """Return ξ⁻¹ for indices 0, …, ℓ, with the coefficients of H_p in powers of x in row p.

    >>> xi_inverse_matrix(3).row(3)
    Matrix([[0, -3, 0, 1]])
    """
    return _table(algebra.xi_inverse, ell)


def _table(entry: Callable[[int, int], int], ell: int) -> sympy.ImmutableMatrix:
    size = index(ell, "ell", most=symbols.LARGEST_ELL) + 1
    return sympy.ImmutableMatrix([[entry(p, i) for i in range(size)] for p in range(size)])


@public
def H(k: int) -> sympy.Expr:
    """Return the probabilists' Hermite polynomial H_k(x); sympy's ``hermite`` is the physicists'.

    >>> H(4)
    x**4 - 6*x**2 + 3
    """
    k = index(k, "k")
    return sympy.Add(*(algebra.xi_inverse(k, i) * symbols.x**i for i in range(k + 1)))


# The traces m_1 and m_2 (docs/theory/traces.md)


def in_full(expression: sympy.Basic) -> sympy.Basic:
    """Return an expression with the short names of the traces replaced by their definitions.

    >>> in_full(k * p)
    lambda*m_2*psi/phi
    """
    for _ in range(3):  # w is made of u, and u of p
        expression = expression.xreplace(SHORT)
    return expression


def coupling() -> sympy.Expr:
    """Return Ψ, the expression shared by the paper's two equations.

    >>> coupling()
    c_1**2*m_1*m_2*(lambda*m_1*psi/phi - 1)
    """
    return formulas.coupling(m_1, m_2, phi, psi, lam, c_1)


@documented
def trace_equations() -> sympy.Tuple:
    """Return the paper's two equations, with 0 on the right, whose only positive solution is m_1, m_2.

    >>> len(trace_equations())
    2
    """
    left_sides = formulas.trace_equations(m_1, m_2, phi, psi, lam, c_1, c_rest)
    return sympy.Tuple(*(sympy.Eq(side, 0) for side in left_sides))


def short_equation() -> sympy.Eq:
    """Return the reduced equation in its short names: (aw + p − 1)φ + (aw + p + φ − 1)bw = 0."""
    gap = w / p - p  # u − p, so that p(p + gap) is w
    value, _ = formulas.balance(p, Balance(gap, sympy.Integer(1), phi - 1, phi, symbols.a, symbols.b, wide=True))
    return sympy.Eq(value, 0)


@documented
def reduced_equation() -> sympy.Eq:
    """Return the equation for m_1 to which the paper's two reduce; it is increasing, with one positive root.

    It has 0 on its right.

    >>> sorted(map(str, reduced_equation().free_symbols))
    ['c_1', 'c_rest', 'lambda', 'm_1', 'phi', 'psi']
    """
    return in_full(short_equation())


@documented
def quartic() -> sympy.Eq:
    """Return the reduced equation as a polynomial in m_1 with coprime coefficients.

    It has 0 on its right; its degree is 4, or 3 if c_{>1} = 0.

    >>> sympy.degree(quartic().lhs, m_1)
    4
    """
    numerator, _ = sympy.fraction(sympy.together(reduced_equation().lhs))
    coefficients = [sympy.factor(coefficient) for coefficient in sympy.Poly(numerator, m_1).all_coeffs()]
    powers = reversed(range(len(coefficients)))
    return sympy.Eq(sympy.Add(*(value * m_1**j for value, j in zip(coefficients, powers, strict=True))), 0)


def short_m2() -> sympy.Expr:
    """Return m_2 = k m_1, with k in its short names."""
    return formulas.kept(phi, symbols.b, w) * m_1


@documented
def m2_of_m1() -> sympy.Expr:
    """Return m_2 as a function of m_1 and the parameters, from the paper's second equation.

    >>> m2_of_m1().subs({c_1: 0}) == m_1
    True
    """
    return in_full(short_m2())


def short_traces() -> Traces:
    """Return m_1, m_2, their slopes, θ = uψ/φ and the stiffness λ(1 + χ(p + u)), in the short names."""
    return formulas.traces_of(p, u, k, symbols.a, symbols.b, phi, psi, lam)


def short_slopes() -> tuple[sympy.Expr, sympy.Expr]:
    """Return ∂m_1/∂λ and ∂m_2/∂λ in terms of the short names, m_1 and m_2."""
    found = short_traces()
    return formulas.slopes(m_1, m_2, k, found.chi_p, found.stiffness)


@documented
def slopes() -> sympy.Tuple:
    """Return ∂m_1/∂λ and ∂m_2/∂λ, in this order, in terms of m_1, m_2 and the parameters.

    >>> len(slopes())
    2
    """
    return sympy.Tuple(*map(in_full, short_slopes()))


def weights(gaussian: bool = False) -> Weights:
    """Return the weights of the losses; the division of the test weight matters only for a Gaussian first layer."""
    found = Traces(
        m_1, m_2, symbols.m_1_slope, symbols.m_2_slope, symbols.theta, chi_p=_ZERO, stiffness=lam * symbols.D
    )
    weighed = weights_of(found, phi, psi, lam)
    constant = weighed.test_constant if gaussian else _ZERO
    return weighed._replace(test_constant=constant, test_bulk=weighed.test_rest - constant)


def hermite_weights(gaussian: bool = False) -> tuple[HermiteWeights, HermiteWeights]:
    """Return the weights of every H_k in the training and in the test loss."""
    return printed.metrics(weights(gaussian), symbols.zeta if gaussian else _ZERO)


# Windows and spikes (docs/theory/windows.md#what-the-step-adds)


@public
def feature_expansion(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.MatrixExpr:
    """Return F_ℓ = F₀ + Σ_k c_1^k c_k η^k (X̃β)^{∘k}(a^{∘k})ᵀ (docs/theory/windows.md).

    >>> feature_expansion(1)
    (c_1**2*eta)*X*beta*a.T + F_0
    """
    chosen = read_spikes(index(ell, "ell", 1, symbols.LARGEST_ELL), spikes)
    sizes = ((power, windows.amplitude(power, c_1, c(power), symbols.eta)) for power in chosen)
    terms = (
        size * _power(symbols.X * symbols.beta, power) * _power(symbols.a_vector, power).T for power, size in sizes
    )
    return sympy.MatAdd(symbols.F_0, *terms)


def _power(vector: sympy.MatrixExpr, exponent: int) -> sympy.MatrixExpr:
    return vector if exponent == 1 else sympy.HadamardPower(vector, exponent)


@public
def window(ell: int | None = None) -> sympy.Interval:
    """Return the open interval of α in which ℓ features appear (docs/theory/windows.md).

    >>> window(2)
    Interval.open(1/4, 1/3)
    """
    value = symbols.ell if ell is None else sympy.Integer(index(ell, "ell", 1))
    return sympy.Interval.open(*windows.window_ends(value))


@public
def spike_order(k: int) -> sympy.Expr:
    """Return the order of the k-th spike at a step n^α; the bulk has √n (docs/theory/windows.md).

    >>> spike_order(2)
    n**(2*alpha)
    """
    return symbols.n ** sympy.expand(windows.spike_exponent(sympy.Integer(index(k, "k", 1)), symbols.alpha))


# Ω and r_p as the paper prints them (docs/theory/training_gain.md#the-printed-form)


@public
def Omega_inverse(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.ImmutableMatrix:
    """Return Ω⁻¹ for i, j ∈ K, as in the paper (docs/theory/training_gain.md).

    >>> Omega_inverse(2)
    Matrix([
    [kappa*m_2*psi/phi,                       0],
    [                0, 3*kappa**2*m_1*psi/phi]])
    """
    chosen = read_spikes(index(ell, "ell", 1, symbols.LARGEST_MATRIX), spikes)
    return sympy.ImmutableMatrix(printed.Omega_inverse(chosen, _without_ridge(), symbols.kappa)).applyfunc(sympy.factor)


@public
def Omega(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.ImmutableMatrix:
    """Return Ω for i, j ∈ K (docs/theory/training_gain.md).

    >>> Omega(1)
    Matrix([[phi/(kappa*m_2*psi)]])
    """
    inverse = sympy.Matrix(Omega_inverse(ell, spikes=spikes)).to_DM().to_field().inv()
    return sympy.ImmutableMatrix(inverse.to_Matrix().applyfunc(sympy.factor))


@public
def r(p: int) -> sympy.Expr:
    """Return r_p, as in the paper (docs/theory/training_gain.md).

    >>> r(1), r(3)
    (m_2*psi*rho/phi, 6*m_1*psi*rho**3/phi)
    """
    return printed.r(index(p, "p"), _without_ridge(), symbols.rho)


def _without_ridge() -> HermiteWeights:
    """Return w_k, the training weight of H_k, without its factor λ."""
    train, _ = hermite_weights()
    return HermiteWeights(*(weight / lam for weight in train))

"""The traces for networks with different kinds of neurons, each with its own c_1 and c_{>1}.

See docs/theory/kinds.md#the-equations.

With s = lim tr R₀, t = (ψ/φ)m_2 = ks and θ_b = 1/(1 + c_{>1}²(b)s + c_1²(b)t), means E over the kinds b:

    λs + (φ/ψ) E[1 − θ] = 1            what the fit leaves over, and what the neurons take
    t/s + (1/ψ) E[c_1² t θ] = 1        the same for a linear function

The second has one root t for each s, which grows with s and is concave; then θ_b is convex in s, and the first has one
root, too.  One kind gives the equations of :mod:`~theorycalc.theory.traces`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from theorycalc.errors import DomainError, spelled
from theorycalc.model.biases import kind_numbers
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.traces import Traces


class KindMoments(NamedTuple):
    """One kind of neuron: its share of all neurons, c_1, c_{>1}, and c_2, needed for a constant second layer."""

    share: Number
    c1: Number
    c_rest: Number
    c2: Number = Fraction(0)


Kinds: TypeAlias = "Sequence[KindMoments]"


def mean_over(kinds: Kinds, value: Callable[[KindMoments], Number]) -> Number:
    """Return E_b, the mean over kinds weighted by their shares.

    >>> mean_over([KindMoments(0.25, 2, 1), KindMoments(0.75, 4, 1)], lambda kind: kind.c1)
    3.5
    """
    return sum(kind.share * value(kind) for kind in kinds)


def ball_kinds(problem: Problem) -> tuple[KindMoments, ...]:
    """Return share, c_1, c_{>1} and c_2 as balls for each kind of neuron with a bias, or nothing without biases.

    c_2 counts where a constant second layer brings it in, and is 0 elsewhere.
    """
    if problem.biases is None:
        return ()
    found = []
    for one in kind_numbers(problem.activation, problem.first_scale, problem.biases):
        c2 = one.c2 if problem.second_layer == "constant" else Fraction(0)
        if c2 is None:
            needed = f"{spelled('second_layer', 'constant')} with {spelled('biases')} needs c_2"
            raise DomainError(f"{needed}; make the activation with Activation.from_coefficients", argument="activation")
        found.append(KindMoments(*map(ball, (one.share, one.c1, one.c_rest, c2))))
    return tuple(found)


def root_mean_square(ns: NumberSystem, kinds: Kinds, name: str) -> Number:
    """Return the root mean square of c_1 or c_{>1} over the kinds, which determines f₀."""
    return ns.sqrt(mean_over(kinds, lambda kind: getattr(kind, name) ** 2))


def kind_theta(kind: KindMoments, s: Number, t: Number) -> Number:
    """Return θ_b = 1/(1 + c_{>1}²s + c_1²t), the part that the fit leaves of a neuron of one kind.

    >>> kind_theta(KindMoments(1, 1, 2), 1, 3)
    0.125
    """
    return 1 / (1 + (kind.c_rest**2 * s + kind.c1**2 * t))


def linear_load(kinds: Kinds, s: Number, t: Number, psi: Number) -> Number:
    """Return β = (1/ψ) E_b[c_1²θ], by which neurons fit a linear function, keeping k = 1/(1 + βs) of it.

    >>> linear_load([KindMoments(1, 2, 0)], 1, 1, 0.5)
    1.6
    """
    return mean_over(kinds, lambda kind: kind.c1**2 * kind_theta(kind, s, t)) / psi


def bulk_load(kinds: Kinds, s: Number, t: Number, phi: Number, psi: Number) -> Number:
    """Return (φ/ψ) E_b[c_{>1}²θ], by which neurons fit nonlinear functions.

    >>> bulk_load([KindMoments(1, 0, 2)], 1, 1, 1, 0.5)
    1.6
    """
    return phi * mean_over(kinds, lambda kind: kind.c_rest**2 * kind_theta(kind, s, t)) / psi


def kind_equations(kinds: Kinds, s: Number, t: Number, phi: Number, psi: Number, lam: Number) -> tuple[Number, Number]:
    """Return λ + (φ/ψ)E_b[c_{>1}²θ] + φβ/(1 + βs) − 1/s and s/(1 + βs) − t, which vanish at the solution.

    >>> kind_equations([KindMoments(1, 1, 0)], 0.5, 0.5, 1, 1, 1)
    (-0.5, -0.125)
    """
    beta = linear_load(kinds, s, t, psi)
    return lam + bulk_load(kinds, s, t, phi, psi) + phi * beta / (1 + beta * s) - 1 / s, s / (1 + beta * s) - t


class KindSums(NamedTuple):
    """Means over the kinds at one s and t, which give values and slopes of both equations."""

    left: Number  # E θ
    taken: Number  # E[1 − θ]
    linear: Number  # E[c_1² θ]
    linear_square: Number  # E[c_1² θ²]
    rest_square: Number  # E[c_{>1}² θ²]
    square: Number  # E θ²
    mixed: Number  # E[c_1² c_{>1}² θ²]
    fourth: Number  # E[c_1⁴ θ²]
    taken_square: Number  # E[(1 − θ)²]


def kind_sums(kinds: Kinds, s: Number, t: Number) -> KindSums:
    """Return the means over the kinds, in one loop.

    >>> kind_sums([KindMoments(1, 1, 1)], 1, 2)[:3]
    (0.25, 0.75, 0.25)
    """
    sums = [0 * s] * len(KindSums._fields)
    for kind in kinds:
        theta = kind_theta(kind, s, t)
        A, B = kind.c_rest**2, kind.c1**2
        square = kind.share * theta**2
        terms = (
            kind.share * theta,
            kind.share * ((A * s + B * t) * theta),
            kind.share * (B * theta),
            B * square,
            A * square,
            square,
            A * B * square,
            B**2 * square,
            (A * s + B * t) ** 2 * square,
        )
        sums = [total + term for total, term in zip(sums, terms, strict=True)]
    return KindSums(*sums)


def linear_balance(sums: KindSums, s: Number, t: Number, psi: Number) -> tuple[Number, Number, Number]:
    """Return t/s + (1/ψ)E[c_1²tθ] − 1 and its slopes in t and −s, both of which are positive."""
    value = t / s + t * sums.linear / psi - 1
    in_t = 1 / s + (sums.linear_square + s * sums.mixed) / psi
    return value, in_t, t / s**2 + t * sums.mixed / psi


def linear_slope(sums: KindSums, s: Number, t: Number, psi: Number) -> Number:
    """Return dt/ds along the solutions t of the second equation."""
    _, in_t, in_minus_s = linear_balance(sums, s, t, psi)
    return in_minus_s / in_t


def kind_load(sums: KindSums, slope: Number, phi: Number, psi: Number) -> Number:
    """Return (φ/ψ) E[(c_{>1}² + c_1² dt/ds)θ²], the slope in s of the load of all neurons."""
    return phi * (sums.rest_square + sums.linear_square * slope) / psi


def straight_part(sums: KindSums, in_t: Number, t: Number, psi: Number) -> Number:
    """Return t − s dt/ds = tE[c_1²θ²]/(ψ in_t), computed without that subtraction."""
    return t * sums.linear_square / (psi * in_t)


def fit_noise(sums: KindSums, s: Number, t: Number, phi: Number, psi: Number, lam: Number) -> tuple[Number, Number]:
    """Return −m_2'/(m_1s) − k² and −m_1'/(m_1s) − 1 at the solution (s, t), as sums of positive terms.

    They are the variances of f̂ for each unit of energy that is left over, linear or of degree ≥ 2.
    See docs/theory/kinds.md#the-scatter-of-the-fit.

    >>> fit_noise(kind_sums([KindMoments(1.0, 0.0, 0.0)], 0.5, 0.5), 0.5, 0.5, 1.0, 1.0, 2.0)  # nothing is fitted
    (0.0, 0.0)
    """
    _, in_t, _ = linear_balance(sums, s, t, psi)
    slope, k = linear_slope(sums, s, t, psi), t / s
    taken = phi * (sums.taken_square + sums.linear_square * straight_part(sums, in_t, t, psi)) / psi
    rest = taken / (s * (lam + kind_load(sums, slope, phi, psi)))
    return slope * rest + k * (s * sums.mixed + k * t * sums.fourth) / (psi * in_t), rest


def kind_traces_at(kinds: Kinds, s: Number, t: Number, phi: Number, psi: Number, lam: Number) -> Traces:
    """Return m_1, m_2, their slopes ∂/∂λ and by-products at the solution (s, t), as sums of positive terms.

    See docs/theory/kinds.md#derivatives.
    """
    sums = kind_sums(kinds, s, t)
    _, in_t, _ = linear_balance(sums, s, t, psi)
    slope = linear_slope(sums, s, t, psi)
    load = kind_load(sums, slope, phi, psi)
    falls = s / (lam + load)  # −∂s/∂λ
    chi_p = s * load * psi / (phi * (sums.square + straight_part(sums, in_t, t, psi) * sums.linear_square))
    return Traces(
        m1=phi * s / psi,
        m2=phi * t / psi,
        m1_slope=-phi * falls / psi,
        m2_slope=-phi * slope * falls / psi,
        theta=sums.left,
        chi_p=chi_p,
        stiffness=(1 + chi_p) * (lam + load),
    )

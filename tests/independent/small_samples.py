"""Terms of order 1/n of losses before the step, in many digits, and no theorycalc: differences of the action itself.

σ and σ⋆ are polynomials, lists of coefficients of 1, z, z², …; moments are sums of those of Z, the fluctuations of the
fixed point are the determinant of all second derivatives of the action, and slopes are differences of many digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from mpmath import mp

DIGITS = 60
_TINY = "1e-18"


class Network(NamedTuple):
    """Sizes, functions of mean 0, and options."""

    n: int
    d: int
    N: int
    ridge: str
    activation: Sequence[Any]
    teacher: Sequence[Any]
    noise: str  # variance
    gaussian_rows: bool = False
    intercept: bool = False


def losses(network: Network) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return training and test loss for n → ∞, and their terms of order 1/n."""
    with mp.workdps(DIGITS):
        h = mp.mpf(_TINY)

        def slope(nu: Any) -> Any:
            (up, more), (down, less) = (_action(network, tau, nu) for tau in (h, -h))
            return mp.matrix([(up - down) / (2 * h), (more - less) / (2 * h)])

        form, test = slope(mp.mpf(0)), (slope(h) - slope(-h)) / (2 * h)
        ridge = mp.mpf(network.ridge)
        return (ridge * form[0], test[0]), (ridge * form[1], test[1])


def _mean(*factors: Sequence[Any]) -> Any:
    """Return the mean of a product of polynomials over Z."""
    product = [mp.mpf(1)]
    for factor in factors:
        longer = [mp.mpf(0)] * (len(product) + len(factor) - 1)
        for i, a in enumerate(product):
            for j, b in enumerate(factor):
                longer[i + j] += a * mp.mpf(b)
        product = longer
    return mp.fsum(a * mp.fac2(k - 1) for k, a in enumerate(product) if k % 2 == 0)


_H = {1: [0, 1], 2: [-1, 0, 1], 3: [0, -3, 0, 1], 4: [3, 0, -6, 0, 1]}


def _action(net: Network, tau: Any, nu: Any) -> tuple[Any, Any]:
    """Return the action at its fixed point, and the terms of order 1."""
    n, d, N, ridge = net.n, net.d, net.N, mp.mpf(net.ridge)
    f, y, z = net.activation, net.teacher, _H[1]
    a, b, c = (_mean(f, _H[k]) / mp.factorial(k) for k in (1, 2, 3))
    A, B, C = (_mean(y, _H[k]) / mp.factorial(k) for k in (1, 2, 3))
    rest, left = _mean(f, f) - a**2, _mean(y, y) - A**2 + mp.mpf(net.noise)

    def ell(q: Any, q_hat: Any, P: Any, P_hat: Any) -> Any:
        points = n * mp.log(n * ridge + q_hat) + mp.log(1 + nu * q_hat)
        neurons = N * mp.log(1 + a**2 * P_hat + rest * q) + mp.log(1 + tau * (A**2 * P_hat + left * q))
        return points + neurons + d * mp.log(1 + q * P / d) - q * q_hat - P * P_hat

    q, theta = 1 / ridge, mp.mpf(1)
    for _ in range(4000):
        P = a**2 * N * theta + A**2 * tau / (1 + tau * (A**2 * q + left * q))
        k = 1 / (1 + q * P / d)
        tau_eff = tau / (1 + tau * (A**2 * q * k + left * q))
        P = a**2 * N * theta + A**2 * tau_eff
        q_hat = P * k + rest * N * theta + left * tau_eff
        change = n / (n * ridge + q_hat) + nu / (1 + nu * q_hat) - q
        q, theta = q + change, 1 / (1 + a**2 * q * k + rest * q)
        if abs(change) < mp.mpf(10) ** (8 - DIGITS) * q:
            break
    P_hat, g, p = q * k, 1 / (n * ridge + q_hat), N * theta
    # all second derivatives, of the network itself
    second = mp.matrix(4, 4)
    second[0, 0] = -N * (rest * theta) ** 2 - (P * k) ** 2 / d
    second[1, 1], second[2, 2], second[3, 3] = -n * g**2, -((q * k) ** 2) / d, -N * (a**2 * theta) ** 2
    for i, j, x in ((0, 1, -1), (2, 3, -1), (0, 2, k**2), (0, 3, -N * theta**2 * rest * a**2)):
        second[i, j] = second[j, i] = x
    found = mp.log(abs(mp.det(second))) / 2

    def norms(one: Any, cubic: Any, function: Sequence[Any]) -> tuple[Any, Any]:
        along = one * (one + 6 * cubic)  # the slope of c_1² in ‖x‖²
        return _mean(function, function, _H[2]) / 2 - along, along

    (u, u_line), (v, v_line) = norms(a, c, f), norms(A, C, y)
    in_norm = p * (u + k * u_line) + tau * (v + k * v_line)
    found -= n * g**2 / d * (in_norm**2 - (P * k) ** 2)
    rows = q * (u + k * u_line) if net.gaussian_rows else 0
    found -= N * theta**2 / d * (rows**2 - (a**2 * q * k) ** 2)
    less = [mp.mpf(x) for x in f]
    less[1] -= (1 - k) * a
    found -= (_mean(less, less, less, less) - 3 * _mean(less, less) ** 2) * n * g**2 * N * theta**2 / 2
    second_energy = q * (2 * b**2 * p + 2 * B**2 * tau)
    found += -((second_energy / d) ** 2) + mp.log(1 + second_energy / d) - second_energy / d
    found -= 18 * k * (q * (a * c * p + A * C * tau) / d) ** 2
    if net.gaussian_rows:
        energy = _mean(f, f, _H[4]) / 4
        linear = a * _mean(f, z, _H[4]) / 2
        constant = 2 * b**2 * p * q / d
        found += p * q / d * (linear * k + energy - linear - 18 * c**2 * (1 - k)) - constant
        found += 0 if net.intercept else mp.log(1 + constant)
    found += mp.log(q) if net.intercept else 0
    return ell(q, q_hat, P, P_hat), found

"""The same work as a careful reader of the paper would do it: numpy, scipy and mpmath, and no theorycalc.

The two printed equations for m_1, m_2 by a general solver, slopes in λ by differences, and the losses from them;
Hermite coefficients by quadrature. Whatever a method itself notices (no convergence, no finite number) is an
ArithmeticError.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mpmath
import numpy as np
from numpy.polynomial.hermite_e import hermegauss, hermeval
from scipy import integrate, optimize

from tests.independent.cases import Case, Losses

DIGITS = 50
_DIFFERENCE = 6e-6  # of λ, relative: the cube root of the rounding error, best for central differences


def printed_equations(m: Any, phi: Any, psi: Any, lam: Any, c1: Any, c_rest: Any) -> list[Any]:
    """Return the two sides that must vanish."""
    m_1, m_2 = m
    shared = c1**2 * m_1 * m_2 * (lam * psi * m_1 / phi - 1)
    return [
        phi * (m_1 - m_2) * (c_rest**2 * m_1 + c1**2 * m_2) + shared,
        phi / psi * (c1**2 * m_1 * m_2 + phi * (m_2 - m_1)) + shared,
    ]


def losses(case: Case, m: Any, slopes: Any) -> Losses:
    """Return both losses from m_1, m_2 and their slopes."""
    phi, psi, ridge, _, _, linear, quadratic, noise = case
    rest = 2 * quadratic**2 + noise**2
    train = ridge * psi / phi * (linear**2 * m[1] + rest * m[0])
    return Losses(train, -phi / (psi * m[0] ** 2) * (linear**2 * slopes[1] + rest * slopes[0]))


def by_scipy_root(case: Case, method: str) -> Losses:
    """Solve by ``scipy.optimize.root``."""
    return by_differences(case, lambda lam: scipy_traces(case, lam, method))


def scipy_traces(case: Case, lam: float, method: str) -> np.ndarray:
    """Return m_1, m_2 from the start that is right for large λ."""
    start = case.phi / (case.psi * lam)
    sizes = (case.phi, case.psi, lam, case.c1, case.c_rest)
    with complaints():
        found = optimize.root(printed_equations, [start, start], sizes, method=method)
    if not found.success:
        raise ArithmeticError(found.message)
    return found.x


def by_brentq(case: Case) -> Losses:
    """Solve for m_1 alone, with m_2 from the second equation, in the bracket where one knows the root to be."""
    phi, psi, c1, c_rest = case.phi, case.psi, case.c1, case.c_rest

    def traces(lam: float) -> np.ndarray:
        top = phi / (psi * lam)

        def second(m_1: float) -> float:
            return phi**2 / psi * m_1 / (phi**2 / psi + c1**2 * m_1 * (phi / psi - 1 + lam * psi / phi * m_1))

        def first(m_1: float) -> float:
            return printed_equations((m_1, second(m_1)), phi, psi, lam, c1, c_rest)[0] / second(m_1)

        bottom = max(0.0, 1 - phi / psi) * top
        try:
            m_1 = optimize.brentq(first, max(bottom, 1e-30 * top), top, xtol=1e-300, rtol=1e-15, maxiter=1000)
        except (ValueError, RuntimeError, ZeroDivisionError) as error:
            raise ArithmeticError(str(error)) from None
        return np.array([m_1, second(m_1)])

    return by_differences(case, traces)


def by_differences(case: Case, traces: Callable[[float], np.ndarray]) -> Losses:
    """Take slopes by central differences in λ."""
    step = _DIFFERENCE * case.ridge
    m = traces(case.ridge)
    return checked(losses(case, m, (traces(case.ridge + step) - traces(case.ridge - step)) / (2 * step)))


def by_mpmath(case: Case) -> Losses:
    """Solve by ``mpmath.findroot`` with 50 digits from scipy's root, slopes by central differences."""
    start = tuple(map(mpmath.mpf, scipy_traces(case, case.ridge, "lm")))
    with mpmath.workdps(DIGITS):
        exact = Case(*map(mpmath.mpf, case))
        step = exact.ridge * mpmath.mpf(10) ** (-DIGITS // 3)

        def traces(lam: Any) -> Any:
            sizes = (exact.phi, exact.psi, lam, exact.c1, exact.c_rest)
            return mpmath.findroot(lambda *m: printed_equations(m, *sizes), start)

        try:
            m, above, below = (traces(exact.ridge + shift) for shift in (0, step, -step))
        except (ValueError, ZeroDivisionError) as error:
            raise ArithmeticError(str(error)) from None
        return checked(losses(exact, m, (above - below) / (2 * step)))


def checked(found: Losses) -> Losses:
    """Return losses that can be right: finite and positive."""
    if not all(mpmath.isfinite(value) and value > 0 for value in found):
        raise ArithmeticError("a loss is not a positive number")
    return found


@contextmanager
def complaints() -> Iterator[None]:
    """Turn a solver's warnings into errors: a user who reads them would stop there."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        try:
            yield
        except RuntimeWarning as warning:
            raise ArithmeticError(str(warning)) from None


def coefficient_by_quad(function: Callable[[float], float], k: int) -> float:
    """Return c_k by ``scipy.integrate.quad`` over the whole line."""

    def integrand(x: float) -> float:
        return function(x) * hermeval(x, [0] * k + [1]) * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    with warnings.catch_warnings():
        warnings.simplefilter("error", integrate.IntegrationWarning)
        try:
            return float(integrate.quad(integrand, -np.inf, np.inf, limit=200)[0]) / math.factorial(k)
        except integrate.IntegrationWarning as warning:
            raise ArithmeticError(str(warning)) from None


_gauss_rule = functools.cache(hermegauss)


def coefficient_by_gauss(function: Callable[[Any], Any], k: int, nodes: int = 100) -> float:
    """Return c_k by numpy's Gauss–Hermite rule."""
    x, weights = _gauss_rule(nodes)
    values = np.array([function(point) for point in x]) * hermeval(x, [0] * k + [1])
    return float(weights @ values / math.sqrt(2 * math.pi)) / math.factorial(k)


def coefficient_by_mpmath(function: Callable[[Any], Any], k: int, digits: int = DIGITS) -> Any:
    """Return c_k by ``mpmath.quad``, split at 0, where kinks are."""
    with mpmath.workdps(digits):

        def hermite(x: Any) -> Any:
            before, now = mpmath.mpf(0), mpmath.mpf(1)
            for i in range(k):
                before, now = now, x * now - i * before
            return now

        total = mpmath.quad(lambda x: function(x) * hermite(x) * mpmath.npdf(x), [-mpmath.inf, 0, mpmath.inf])
        return total / mpmath.factorial(k)

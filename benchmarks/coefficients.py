"""Speed of the Hermite coefficients: ratios against named baselines in one run.

Part of ``make bench``.  The baselines take one k at a time and prove nothing (mpmath) or only the finite interval they
are given (acb.integral); slow ones are measured on a few k and scaled per k.  Gauss–Hermite quadrature takes all k at
once and is fast; what it is worth is its error.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import sympy
from flint import acb, arb
from numpy.polynomial.hermite_e import hermegauss
from sympy.core.cache import clear_cache

import theorycalc as tc
from benchmarks.timing import Ratio, forget, ratio
from theorycalc.functions.grammar import parse
from theorycalc.hermite import coefficients as engine
from theorycalc.numbers.balls import ball_precision, bits_for

FEW = (1, 31, 63)
GAUSS_INDEX = 20
GAUSS_NODES = (40, 160)


def ours(text: str, K: int, digits: int) -> None:
    """All c_k, k ≤ K, proven."""
    forget()
    engine.coefficients_balls(parse(text), K, digits)


def by_mpmath(k: int, digits: int) -> mpmath.mpf:
    """One unproven c_k of tanh: mpmath.quad on the line, cut where the integrand is negligible."""
    with mpmath.workdps(digits):

        def integrand(x: mpmath.mpf) -> mpmath.mpf:
            before, now = mpmath.mpf(0), mpmath.mpf(1)
            for j in range(k):
                before, now = now, x * now - j * before
            return mpmath.tanh(x) * now * mpmath.exp(-x * x / 2)

        end = math.sqrt(2 * math.log(10) * digits) + 4
        points = [0, end / 8, end / 4, end / 2, end]
        return 2 * mpmath.quad(integrand, points) / mpmath.sqrt(2 * mpmath.pi) / mpmath.factorial(k)


def by_acb_integral(k: int, digits: int) -> arb:
    """One c_k of tanh by Arb's own integrator on a finite interval."""
    with ball_precision(bits_for(digits) + 20):

        def integrand(z: acb, analytic: bool) -> acb:
            before, now = acb(0), acb(1)
            for j in range(k):
                before, now = now, z * now - j * before
            return z.tanh() * now * (-z * z / 2).exp()

        end = math.sqrt(2 * math.log(10) * digits) + 4
        total = 2 * acb.integral(integrand, acb(0), acb(end)).real
        return total / (2 * arb.pi()).sqrt() / arb(k).fac()


def tanh_ratios() -> list[Ratio]:
    """Tanh, all odd k ≤ 64, 100 digits; ours also gives the even ones, as exact zeros."""
    odd = 32
    return [
        ratio(
            "tanh, k ≤ 64, 100 digits, proven",
            baseline,
            lambda: ours("tanh", 64, 100),
            lambda single=single: [single(k, 100) for k in FEW],
            odd,
            len(FEW),
            rounds=3,
            target=target,
        )
        for baseline, single, target in (
            ("mpmath.quad, one k at a time", by_mpmath, 100),
            ("acb.integral, one k at a time", by_acb_integral, 10),
        )
    ]


def integrate_erf(k: int) -> sympy.Expr:
    """c_k of erf by sympy's general integrator."""
    z = sympy.Symbol("z", real=True)
    polynomial = sympy.expand(sympy.hermite(k, z / sympy.sqrt(2)) / sympy.sqrt(2) ** k)
    density = sympy.exp(-z * z / 2) / sympy.sqrt(2 * sympy.pi)
    return sympy.integrate(sympy.erf(z) * polynomial * density, (z, -sympy.oo, sympy.oo)) / sympy.factorial(k)


def exact_ratio() -> Ratio:
    """All exact c_k of erf up to 40, against c_1 alone, nothing remembered by sympy or by us."""
    tree = parse("erf(x)")

    def ours_exact() -> None:
        forget()
        clear_cache()
        engine.exact_coefficients(tree, 40)

    def theirs() -> None:
        clear_cache()
        integrate_erf(1)

    return ratio("erf, exact, all k ≤ 40", "sympy.integrate, k = 1 alone", ours_exact, theirs, rounds=3, target=1)


def by_hermegauss(function: Callable[[np.ndarray], np.ndarray], K: int, nodes: int) -> np.ndarray:
    """All c_k, k ≤ K, by numpy's Gauss–Hermite rule, with normalised polynomials so that nothing overflows."""
    x, weights = hermegauss(nodes)
    weighted = weights * function(x) / math.sqrt(2 * math.pi)
    before, now, found = np.zeros_like(x), np.ones_like(x), []
    for k in range(K + 1):  # now = H_k/√k!
        found.append(weighted @ now / math.sqrt(math.factorial(k)))
        before, now = now, (x * now - math.sqrt(k) * before) / math.sqrt(k + 1)
    return np.array(found)


def hermegauss_ratios() -> list[Ratio]:
    """c_k in float64, k ≤ 20, and how wrong the rule is: the largest error relative to c_k ≠ 0."""
    results = []
    for text, function in (("tanh", np.tanh), ("relu", lambda x: np.maximum(x, 0))):
        truth = tc.coefficients(text, GAUSS_INDEX)
        for nodes in GAUSS_NODES:
            found = by_hermegauss(function, GAUSS_INDEX, nodes)
            present = truth != 0
            error = np.max(np.abs(found[present] / truth[present] - 1))
            results.append(
                ratio(
                    f"{text}, k ≤ {GAUSS_INDEX}, float64, proven",
                    f"numpy hermegauss, {nodes} nodes",
                    lambda t=text: ours_floats(t, GAUSS_INDEX),
                    lambda f=function, n=nodes: by_hermegauss(f, GAUSS_INDEX, n),
                    target=None,
                    remark=f"its worst relative error is {error:.1e}, of which it gives no sign",
                )
            )
    return results


def ours_floats(text: str, K: int) -> None:
    """All c_k, k ≤ K, in float64."""
    forget()
    engine.coefficients_floats(parse(text), K)


def ratios() -> list[Ratio]:
    """All of them."""
    return [*tanh_ratios(), exact_ratio(), *hermegauss_ratios()]

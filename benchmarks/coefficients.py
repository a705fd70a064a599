"""Speed of the Hermite coefficients, part of ``make bench``: ratios against named baselines in one run.

The baselines take one k at a time and prove nothing (mpmath) or only the finite interval they are given
(acb.integral); slow ones are measured on a few k and scaled per k.  Quadrature in float64 is compared by
comparison.py, with its errors.
"""

from __future__ import annotations

import math
from functools import partial

import mpmath
import sympy
from flint import acb, arb
from sympy.core.cache import clear_cache

from benchmarks.timing import Ratio, forget, ratio
from tests.independent.by_hand import coefficient_by_mpmath
from theorycalc.functions.grammar import parse
from theorycalc.hermite import coefficients as engine
from theorycalc.numbers.balls import ball_precision, bits_for

FEW = (1, 31, 63)


def ours(text: str, K: int, digits: int) -> None:
    """All c_k, k ≤ K, proven."""
    forget()
    engine.coefficients_balls(parse(text), K, digits)


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
    return [
        ratio(
            "tanh, k ≤ 64, 100 digits, proven",
            baseline,
            lambda: ours("tanh", 64, 100),
            lambda single=single: [single(k, digits=100) for k in FEW],
            units=(32, len(FEW)),
            rounds=3,
            target=target,
        )
        for baseline, single, target in (
            ("mpmath.quad, one k at a time", partial(coefficient_by_mpmath, mpmath.tanh), 100),
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

    return ratio("erf, exact, all k ≤ 40", "sympy.integrate, k = 1 alone", ours_exact, theirs, rounds=3)


def ratios() -> list[Ratio]:
    """All of them."""
    return [*tanh_ratios(), exact_ratio()]

"""Speed of the Hermite coefficients: ratios against named baselines in one run, and how the cost grows.

Part of ``make bench``.  The baselines take one k at a time and prove nothing (mpmath) or
only the finite interval they are given (acb.integral); slow ones are measured on a few k and scaled per k.
"""

from __future__ import annotations

import math

import mpmath
import sympy
from flint import acb, arb

from tests.benchmarks.timing import Ratio, ratio, seconds
from theorycalc.balls import ball_precision, bits_for
from theorycalc.expressions.grammar import parse
from theorycalc.hermite import coefficients as engine
from theorycalc.hermite import legendre, strip

FEW = (1, 31, 63)


def forget() -> None:
    """Empty every cache of results and proofs, so that nothing is measured twice."""
    for cached in (engine._coefficients, engine._second_moments, strip.proven_strip, legendre._rule):
        cached.cache_clear()


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
    """All exact c_k of erf up to 40, against one c_5."""
    tree = parse("erf(x)")
    return ratio(
        "erf, exact, all k ≤ 40",
        "sympy.integrate, k = 5 alone",
        lambda: engine.exact_coefficients(tree, 40),
        lambda: integrate_erf(5),
        rounds=3,
        target=1,
    )


def growth() -> list[str]:
    """How the cost grows with the digits and with K."""
    lines = []
    for text in ("tanh", "tanh(x + 1)", "softsign", "gelu"):
        times = {
            digits: min(seconds(lambda d=digits, t=text: ours(t, 64, d)) for _ in range(2))
            for digits in (100, 300, 1000)
        }
        exponent = math.log(times[1000] / times[100]) / math.log(10)
        shown = ", ".join(f"{digits}: {1e3 * t:.0f} ms" for digits, t in times.items())
        lines.append(f"{text}, k ≤ 64, digits {shown}; exponent {exponent:.2f}")
        times = {K: min(seconds(lambda k=K, t=text: ours(t, k, 100)) for _ in range(2)) for K in (16, 64, 256)}
        exponent = math.log(times[256] / times[16]) / math.log(16)
        shown = ", ".join(f"{K}: {1e3 * t:.0f} ms" for K, t in times.items())
        lines.append(f"{text}, 100 digits, K {shown}; exponent {exponent:.2f}")
    return lines

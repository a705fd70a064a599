"""Speed of the Hermite coefficients, and how costs grow with points, digits, K, ℓ and n; part of ``make bench``.

The baselines take one k at a time and prove nothing (mpmath) or only the finite interval they are given
(acb.integral); slow ones are measured on a few k and scaled per k.  Quadrature in float64 is compared by
comparison.py, with its errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import sympy
from flint import acb, arb
from sympy.core.cache import clear_cache
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.timing import Ratio, forget, ratio, seconds
from tests.independent.by_hand import coefficient_by_mpmath
from theorycalc.functions.grammar import parse
from theorycalc.hermite import coefficients as engine
from theorycalc.numbers.balls import ball_precision, bits_for
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings

FEW = (1, 31, 63)
LONG = 5.0  # seconds: what takes longer is measured once


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


def ratios() -> list[Ratio]:
    """All of them, among which exact c_k of erf, k ≤ 40, against c_1 alone by sympy, with nothing remembered."""
    tree = parse("erf(x)")

    def ours_exact() -> None:
        forget()
        clear_cache()
        engine.exact_coefficients(tree, 40)

    def theirs() -> None:
        clear_cache()
        z = sympy.Symbol("z", real=True)
        density = sympy.exp(-z * z / 2) / sympy.sqrt(2 * sympy.pi)
        sympy.integrate(sympy.erf(z) * z * density, (z, -sympy.oo, sympy.oo))

    exact = ratio("erf, exact, all k ≤ 40", "sympy.integrate, k = 1 alone", ours_exact, theirs, rounds=3)
    return [*tanh_ratios(), exact]


def grown(what: str, sizes: Sequence[int], work: Callable[[int], object], rounds: int = 3) -> str:
    """Return the shortest time at every size, and the exponent between the ends."""
    times = []
    for size in sizes:
        first = seconds(lambda s=size: work(s))
        again = 0 if first > LONG else rounds - 1
        times.append(min([first, *(seconds(lambda s=size: work(s)) for _ in range(again))]))
    exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
    shown = ", ".join(f"{size}: {1e3 * t:.3g} ms" for size, t in zip(sizes, times, strict=True))
    return f"{what} {shown}; exponent {exponent:.2f}"


def _predictions_with(ell: int) -> None:
    """Twenty ridges, a teacher of degree ℓ, 50 digits."""
    teacher = [Fraction(1, math.factorial(k)) for k in range(1, ell + 1)]
    problem = tc.Problem(tc.Activation.from_moments("1/2", "3/10"), teacher, "1/2", "2/3", "1/10", "1/2")
    tc.predict(problem, ell=ell, ridge=[Fraction(1, k) for k in range(1, 21)], digits=50)


def _replicate_of(n: int) -> None:
    """One network with d = n/2 and N = 3n/4, twenty ridges."""
    problem = tc.Problem("tanh(x + 1)", ["1", "1/2"], "1/2", "2/3", "1/10", "1/2")
    replicate(read_settings(problem, n=n, alpha=0.3, ridge=tuple(np.geomspace(0.01, 1, 20))), 0)


def lines() -> Iterator[str]:
    """Measure, one line after the other."""
    curve = {"phi": 0.5, "psi": 2 / 3, "c1": 0.5, "c_rest": 0.3}
    exact = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "c1": "1/2", "c_rest": "3/10"}
    yield grown(
        "traces, points",
        (10**5, 10**6, 4 * 10**6),
        lambda points: tc.traces(ridge=np.geomspace(1e-6, 1e6, points), **curve),
    )
    yield grown("traces, digits", (1000, 10_000, 100_000), lambda digits: tc.traces(**exact, digits=digits))
    yield grown("predict, teacher of degree ℓ, 20 points of 50 digits, ℓ", (25, 100, 400), _predictions_with)
    for text in ("tanh", "tanh(x + 1)", "softsign", "gelu"):
        yield grown(f"{text}, k ≤ 64, digits", (100, 300, 1000), lambda d, t=text: ours(t, 64, d), 2)
        yield grown(f"{text}, 100 digits, K", (16, 64, 256), lambda K, t=text: ours(t, K, 100), 2)
    with threadpool_limits(limits=1, user_api="blas"):
        yield grown("one replicate, one thread, d = n/2, N = 3n/4, n", (500, 1000, 2000), _replicate_of)


def fresh(quantity: Callable[..., object], *given: object, **options: object) -> object:
    """Make a formula with nothing remembered from before."""
    forget()
    clear_cache()
    return quantity(*given, **options)


def waiting() -> Iterator[str]:
    """Say how many seconds the formulas of ℓ = 50 take."""
    for quantity, letter in ((tc.symbolic.Delta, "Δ"), (tc.symbolic.Lambda, "Λ")):
        made = seconds(lambda q=quantity: fresh(q, 50))
        written = seconds(lambda q=quantity: tc.latex(q(50)))
        yield f"symbolic {letter}_50: {made:.2f} s, its LaTeX another {written:.2f} s"

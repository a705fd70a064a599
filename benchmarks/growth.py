"""How the cost grows with the points, the digits, K, ℓ and n, and how long a person waits for many features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from sympy.core.cache import clear_cache
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.coefficients import ours as all_coefficients
from benchmarks.timing import forget, seconds
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings

LONG = 5.0  # seconds: what takes longer is measured once


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


def _traces_of(points: int) -> None:
    tc.traces(phi=0.5, psi=2 / 3, ridge=np.geomspace(1e-6, 1e6, points), c1=0.5, c_rest=0.3)


def _traces_with(digits: int) -> None:
    tc.traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10", digits=digits)


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
    yield grown("traces, points", (10**5, 10**6, 4 * 10**6), _traces_of)
    yield grown("traces, digits", (1000, 10_000, 100_000), _traces_with)
    yield grown("predict, teacher of degree ℓ, 20 points of 50 digits, ℓ", (25, 100, 400), _predictions_with)
    for text in ("tanh", "tanh(x + 1)", "softsign", "gelu"):
        yield grown(f"{text}, k ≤ 64, digits", (100, 300, 1000), lambda d, t=text: all_coefficients(t, 64, d), 2)
        yield grown(f"{text}, 100 digits, K", (16, 64, 256), lambda K, t=text: all_coefficients(t, K, 100), 2)
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

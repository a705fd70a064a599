"""``make bench``: every speed claim of the documentation, as a ratio against a named baseline in this run.

The results are printed and written to docs/benchmarks.md.
"""

from __future__ import annotations

import math
import os
import platform
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import mpmath
import numpy as np
from scipy import optimize
from scipy.optimize import elementwise

import theorycalc as tc
from tests.benchmarks import coefficients
from tests.benchmarks.timing import Ratio, ratio, seconds

POINTS = 10**6
LM_POINTS = 300
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def log_uniform(seed: int, size: int) -> dict[str, np.ndarray]:
    """Points over the whole domain of the accuracy claim."""
    rng = np.random.default_rng(seed)
    draw = {name: 10 ** rng.uniform(-8, 8, size) for name in ("phi", "psi", "ridge")}
    return draw | {name: 10 ** rng.uniform(-3, 3, size) for name in ("c1", "c_rest")}


def one_curve(size: int) -> dict[str, np.ndarray | float]:
    """A ridge path of one problem: what a user plots."""
    return {"phi": 0.5, "psi": 2 / 3, "ridge": np.geomspace(1e-6, 1e6, size), "c1": 0.5, "c_rest": 0.3}


def printed_system(m, phi, psi, lam, c1, c_rest):
    """The two printed equations, as a user would type them."""
    m1, m2 = m
    Psi = c1**2 * m1 * m2 * (lam * psi * m1 / phi - 1)
    return [
        phi * (m1 - m2) * (c_rest**2 * m1 + c1**2 * m2) + Psi,
        (phi / psi) * (c1**2 * m1 * m2 + phi * (m2 - m1)) + Psi,
    ]


def reduced(x, phi, psi, lam, c1, c_rest):
    """The reduced equation g(x), as a user would type it."""
    gamma, K = lam * psi / phi, phi**2 / psi
    t = x * (phi / psi - 1 + gamma * x)
    return phi * c_rest**2 * t + phi * c1**2 * K * t / (K + c1**2 * t) - K * (1 - gamma * x)


def by_root_lm(points: dict[str, np.ndarray]) -> None:
    """Solve point by point with the best general solver, from the best start."""
    for phi, psi, lam, c1, c_rest in zip(*points.values(), strict=True):
        start = phi / (psi * lam)
        optimize.root(printed_system, [start, start], args=(phi, psi, lam, c1, c_rest), method="lm")


def by_find_root(points: dict[str, np.ndarray]) -> None:
    """Solve the reduced equation with scipy's vectorised bracketing solver."""
    phi, psi, lam, c1, c_rest = points.values()
    top = phi / (psi * lam)
    result = elementwise.find_root(reduced, (np.maximum(0, 1 - phi / psi) * top, top), args=(phi, psi, lam, c1, c_rest))
    assert np.mean(result.success) > 0.9  # it fails on some points of the widest range


def broadcast(points: dict[str, np.ndarray | float], every: int = 1) -> dict[str, np.ndarray]:
    """Spread scalars over the points and keep every so many."""
    arrays = np.broadcast_arrays(*points.values())
    return {name: array[::every] for name, array in zip(points, arrays, strict=True)}


def float_ratios() -> list[Ratio]:
    """10^6 points in one call."""
    results = []
    for title, points in (("ridge path", one_curve(POINTS)), ("log-uniform", log_uniform(0, POINTS))):
        few = broadcast(points, POINTS // LM_POINTS)
        results.append(
            ratio(
                f"traces, 10^6 points, {title}",
                "scipy.optimize.root(lm)",
                lambda p=points: tc.traces(**p),
                lambda f=few: by_root_lm(f),
                POINTS,
                len(few["ridge"]),
                target=1000,
            )
        )
        results.append(
            ratio(
                f"traces, 10^6 points, {title}",
                "scipy elementwise.find_root",
                lambda p=points: tc.traces(**p),
                lambda p=points: by_find_root(p),
                POINTS,
                POINTS,
                rounds=3,
                target=8,
            )
        )
    curve = one_curve(POINTS)
    problem = tc.Problem(
        tc.Activation.from_moments(curve["c1"], curve["c_rest"]), ["1", "1/2"], curve["phi"], curve["psi"], 1, "1/2"
    )
    few = broadcast(curve, POINTS // LM_POINTS)
    results.append(
        ratio(
            "predict, 10^6 points, ridge path, ℓ = 2",
            "scipy.optimize.root(lm)",
            lambda: tc.predict(problem, ell=2, ridge=curve["ridge"]),
            lambda: by_root_lm(few),
            POINTS,
            len(few["ridge"]),
            target=600,
        )
    )
    return results


def proven_ratios() -> list[Ratio]:
    """Proven digits of all four traces, against unproven m_1 alone by mpmath from the float root."""
    results = []
    for digits, repeats, target in ((50, 200, 5), (1000, 50, 5), (10_000, 3, 10)):
        ours_points = [exact_point(i) for i in range(6 * repeats)]
        their_points = [(point, float_root(point)) for point in ours_points]

        def ours(digits: int = digits, repeats: int = repeats, points: list = ours_points) -> None:
            for _ in range(repeats):
                tc.traces(**points.pop(), digits=digits)

        def theirs(digits: int = digits, repeats: int = repeats, points: list = their_points) -> None:
            with mpmath.workdps(digits):
                for _ in range(repeats):
                    by_findroot(*points.pop())

        results.append(
            ratio(
                f"traces, {digits} digits", "mpmath.findroot", ours, theirs, repeats, repeats, rounds=5, target=target
            )
        )
    return results


def exact_point(i: int) -> dict[str, Fraction]:
    """A different exact problem for every i: nothing can be cached."""
    return {
        "phi": Fraction(1, 2) + Fraction(i, 10**6),
        "psi": Fraction(2, 3),
        "ridge": Fraction(1, 10) + Fraction(i, 10**7),
        "c1": Fraction(1, 2),
        "c_rest": Fraction(3, 10),
    }


def float_root(point: dict[str, Fraction]) -> float:
    """m_1 in float64: where the baseline starts, found before the clock runs."""
    return tc.traces(**{name: float(value) for name, value in point.items()}).m1


def by_findroot(point: dict[str, Fraction], start: float) -> mpmath.mpf:
    """Unproven m_1."""
    values = [mpmath.mpf(x.numerator) / x.denominator for x in point.values()]
    return mpmath.findroot(lambda x: reduced(x, *values), start)


def growth() -> list[str]:
    """How the cost grows: exponents of points, digits and ℓ, from doublings in one run."""
    lines = []
    times = [min(seconds(lambda n=n: tc.traces(**one_curve(n))) for _ in range(3)) for n in (10**5, 10**6, 4 * 10**6)]
    lines.append(f"points, 10^5 → 4·10^6: exponent {math.log(times[2] / times[0]) / math.log(40):.2f}")
    for low, high in ((1000, 10_000), (10_000, 100_000)):
        pair = [min(seconds(lambda d=d: tc.traces(**exact_point(1), digits=d)) for _ in range(3)) for d in (low, high)]
        lines.append(f"digits, {low} → {high}: exponent {math.log10(pair[1] / pair[0]):.2f}")
    activation = tc.Activation.from_moments("1/2", "3/10")
    pair = []
    for ell in (100, 400):
        teacher = [Fraction(1, math.factorial(k)) for k in range(1, ell + 1)]
        problem = tc.Problem(activation, teacher, "1/2", "2/3", "1/10", "1/2")
        ridge = [Fraction(1, k) for k in range(1, 21)]
        pair.append(
            min(seconds(lambda p=problem, e=ell, r=ridge: tc.predict(p, ell=e, ridge=r, digits=50)) for _ in range(3))
        )
    lines.append(
        f"ℓ, 100 → 400, teacher of degree ℓ, 50 digits: exponent {math.log(pair[1] / pair[0]) / math.log(4):.2f}"
    )
    return lines


def main() -> None:
    """Run everything, print it, and write the page."""
    ratios = [*float_ratios(), *proven_ratios(), *coefficients.tanh_ratios(), coefficients.exact_ratio()]
    lines = [
        "# Measured speed",
        "",
        "Written by `make bench`. Each row is the time of a named baseline divided by ours, per point, both measured",
        "in turn in one run: the median of the rounds, and the lowest and highest. Baselines of traces solve for m_1",
        "(and m_2) only; ours return m_1, m_2 and both slopes. Those of the coefficients prove nothing beyond a finite",
        "interval, and are timed at k = 1, 31, 63 and scaled by the number of k.",
        "",
        "| work | baseline | times faster | rounds | target | ours, µs |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.name} | {r.baseline} | **{r.median:.1f}** | {r.lowest:.1f} – {r.highest:.1f} | {r.target:g} "
        f"| {r.ours_us:.3g} |"
        for r in ratios
    ]
    lines += ["", "How the cost grows (cost ∝ size^exponent):", ""]
    lines += [f"- {line}" for line in [*growth(), *coefficients.growth()]]
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "mpmath", "python-flint"))
    lines += [
        "",
        f"Python {platform.python_version()}, {packages}; {platform.machine()}, {os.cpu_count()} cores; "
        f"mpmath's backend is {mpmath.libmp.BACKEND}.",
        "",
    ]
    text = "\n".join(lines)
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    missed = [r.name for r in ratios if r.median < r.target]
    raise SystemExit(f"below target: {missed}" if missed else 0)


if __name__ == "__main__":
    main()

"""Every speed claim of the documentation, as a ratio against a named baseline in this run; part of ``make bench``.

The results are printed and written to docs/benchmarks.md, section by section.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import mpmath
import numpy as np
from scipy import optimize
from scipy.optimize import elementwise

import theorycalc as tc
from benchmarks import coefficients
from benchmarks.pages import DOCS, write_between
from benchmarks.timing import Ratio, end, machine, ratio, ratio_table
from tests.independent.by_hand import printed_equations
from theorycalc.numbers.balls import ball_precision, bits_for

POINTS = 10**6
FEW_POINTS = 300
CLOSE = 1e-6  # a baseline's m_1 that is nearer than this, relatively, counts as found
PAGE = DOCS / "benchmarks.md"


def log_uniform(size: int) -> dict[str, np.ndarray]:
    """Points over the whole domain of the accuracy claim."""
    rng = np.random.default_rng(0)
    draw = {name: 10 ** rng.uniform(-8, 8, size) for name in ("phi", "psi", "ridge")}
    return draw | {name: 10 ** rng.uniform(-3, 3, size) for name in ("c1", "c_rest")}


def reduced(x, phi, psi, lam, c1, c_rest):
    """The reduced equation g(x), as a user would type it."""
    gamma, K = lam * psi / phi, phi**2 / psi
    t = x * (phi / psi - 1 + gamma * x)
    return phi * c_rest**2 * t + phi * c1**2 * K * t / (K + c1**2 * t) - K * (1 - gamma * x)


def one_by_one(solve: Callable[..., float], points: dict[str, np.ndarray]) -> np.ndarray:
    """m_1 point by point with a general solver, from the best start."""
    found = []
    with np.errstate(all="ignore"):
        for phi, psi, lam, c1, c_rest in zip(*points.values(), strict=True):
            found.append(solve([phi / (psi * lam)] * 2, (phi, psi, lam, c1, c_rest)))
    return np.array(found)


def m1_by(solver: Callable[..., Any], **how: object) -> Callable[[list[float], tuple[float, ...]], float]:
    """Return a function that takes m_1 from a general solver, whose complaints are dropped with its full output."""

    def solve(start: list[float], args: tuple[float, ...]) -> float:
        found = solver(printed_equations, start, args=args, **how)
        return float((found[0] if isinstance(found, tuple) else found.x)[0])

    return solve


def by_find_root(points: dict[str, np.ndarray]) -> np.ndarray:
    """m_1 by scipy's vectorised bracketing solver, from the reduced equation."""
    phi, psi, lam, c1, c_rest = points.values()
    top = phi / (psi * lam)
    bracket = (np.maximum(0, 1 - phi / psi) * top, top)
    result = elementwise.find_root(reduced, bracket, args=(phi, psi, lam, c1, c_rest))
    return np.where(result.success, result.x, np.nan)


def broadcast(points: dict[str, np.ndarray | float], every: int = 1) -> dict[str, np.ndarray]:
    """Spread scalars over the points and keep every so many."""
    arrays = np.broadcast_arrays(*points.values())
    return {name: array[::every] for name, array in zip(points, arrays, strict=True)}


def float_ratios() -> list[Ratio]:
    """10^6 points in one call: the traces, and a whole prediction."""
    results = []
    ridges = np.geomspace(1e-6, 1e6, POINTS)
    curve = {"phi": 0.5, "psi": 2 / 3, "ridge": ridges, "c1": 0.5, "c_rest": 0.3}  # one problem's, as a user plots it
    activation = tc.Activation.from_moments(curve["c1"], curve["c_rest"])
    problem = tc.Problem(activation, ["1", "1/2"], curve["phi"], curve["psi"], 1, "1/2")
    spread = log_uniform(POINTS)

    def predicted() -> object:
        return tc.predict(problem, ell=2, ridge=curve["ridge"])

    works: list[tuple[str, Callable[[], object], dict[str, Any], tuple[float, float | None]]] = [
        ("traces, 10^6 points, ridge path", lambda: tc.traces(**curve), curve, (1000, 8)),
        ("traces, 10^6 points, log-uniform", lambda: tc.traces(**spread), spread, (1000, 8)),
        ("predict, 10^6 points, ridge path, ℓ = 2", predicted, curve, (600, None)),
    ]
    for name, ours, points, (target, vector_target) in works:
        few, all_points = broadcast(points, POINTS // FEW_POINTS), broadcast(points)
        baselines: list[tuple[str, Callable[[], np.ndarray], int, float | None]] = [
            ("scipy.optimize.root(lm)", lambda f=few: one_by_one(m1_by(optimize.root, method="lm"), f), 7, target),
            ("scipy.optimize.fsolve", lambda f=few: one_by_one(m1_by(optimize.fsolve, full_output=True), f), 7, None),
            ("scipy elementwise.find_root", lambda p=all_points: by_find_root(p), 3, vector_target),
        ]
        for baseline, theirs, rounds, goal in baselines:
            found = theirs()
            truth = tc.traces(**(few if len(found) < POINTS else all_points)).m1
            right = np.mean(np.abs(found / truth - 1) < CLOSE)
            remark = f"finds m_1 at {right:.1%} of the points"
            results.append(
                ratio(name, baseline, ours, theirs, (POINTS, len(found)), rounds, target=goal, remark=remark)
            )
    return results


def proven_ratios() -> list[Ratio]:
    """Proven digits of all four traces, against m_1 alone by others."""
    results = []
    for digits, repeats, findroot_target in ((50, 200, 5), (1000, 50, 5), (10_000, 3, 10)):
        for baseline, single, target, remark in (
            ("mpmath.findroot", by_findroot, findroot_target, "not proven, from the float64 root"),
            ("flint, roots of the quartic", by_flint_roots, None, "proven"),
        ):
            exact = [exact_point(i) for i in range(12 * repeats)]
            starts = [tc.traces(**{name: float(value) for name, value in point.items()}).m1 for point in exact]
            found = iter(list(zip(exact, starts, strict=True)))  # starts in float64, before the clock runs
            ours = partial(
                _repeat, repeats, found, lambda point, start, digits=digits: tc.traces(**point, digits=digits)
            )
            theirs = partial(_repeat, repeats, found, partial(single, digits=digits))
            told = {"rounds": 5, "target": target, "remark": remark}
            results.append(ratio(f"traces, {digits} digits", baseline, ours, theirs, (repeats, repeats), **told))
    return results


def _repeat(repeats: int, points: Iterator[tuple[Any, float]], solve: Callable[..., object]) -> None:
    """Solve at so many points, each of which is taken once: nothing can be cached."""
    for point, start in itertools.islice(points, repeats):
        solve(point, start)


def exact_point(i: int) -> dict[str, Fraction]:
    """A different exact problem for every i: nothing can be cached."""
    return {
        "phi": Fraction(1, 2) + Fraction(i, 10**6),
        "psi": Fraction(2, 3),
        "ridge": Fraction(1, 10) + Fraction(i, 10**7),
        "c1": Fraction(1, 2),
        "c_rest": Fraction(3, 10),
    }


def by_findroot(point: dict[str, Fraction], start: float, digits: int) -> mpmath.mpf:
    """Unproven m_1."""
    with mpmath.workdps(digits):
        values = [mpmath.mpf(x.numerator) / x.denominator for x in point.values()]
        return mpmath.findroot(lambda x: reduced(x, *values), start)


def by_flint_roots(point: dict[str, Fraction], start: float, digits: int) -> flint.arb:
    """m_1 as the root nearest to the start of the quartic that g(x) is without its denominator."""
    phi, psi, lam, c1, c_rest = (flint.fmpq(x.numerator, x.denominator) for x in point.values())
    gamma, K = lam * psi / phi, phi**2 / psi
    t = flint.fmpq_poly([0, phi / psi - 1, gamma])
    denominator = K + c1**2 * t
    left = 1 - flint.fmpq_poly([0, gamma])
    quartic = phi * c_rest**2 * t * denominator + phi * c1**2 * K * t - K * left * denominator
    with ball_precision(bits_for(digits)):
        roots = [root for root, _ in quartic.numer().complex_roots()]
    return min(roots, key=lambda root: abs(complex(root) - start)).real


def symbolic_ratios() -> list[Ratio]:
    """The closed form of Δ_12 against the paper's, which solves with Ω, both with nothing remembered."""
    closed, matrix = (partial(coefficients.fresh, tc.symbolic.Delta, 12, form=form) for form in ("closed", "matrix"))
    return [ratio("symbolic Δ_12", "the printed form through Ω", closed, matrix, rounds=3)]


def main() -> None:
    """Run everything, and write the page after every section."""
    ratios: list[Ratio] = []
    for section in (float_ratios, proven_ratios, coefficients.ratios, symbolic_ratios):
        ratios += section()
        write_between(PAGE, "ratios", ratio_table(ratios))
    lines = [f"- {line}" for line in (*coefficients.lines(), *coefficients.waiting())]
    write_between(PAGE, "growth", [*lines, "", machine()])
    end(ratios)


if __name__ == "__main__":
    main()

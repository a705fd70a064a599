"""The second half of ``make audit``: results of many proven digits against results of more than twice as many.

Every ball must contain the better one, and every decimal digit that is stated must be right.  Results are kept in
build/audit: an audit that was stopped goes on, unless sources or versions changed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import flint
import numpy as np

import theorycalc as tc
from benchmarks.audit_problems import KINDS, draw, limit_of, problem_of
from benchmarks.pages import table
from benchmarks.timing import forget
from theorycalc.errors import PrecisionError
from theorycalc.functions.grammar import parse
from theorycalc.functions.primitives import activation_names
from theorycalc.hermite.coefficients import coefficients_balls
from theorycalc.model.enums import GradientTarget
from theorycalc.numbers.balls import ball, ball_precision, bits_for, mpf_context, to_mpf
from theorycalc.results.trace_solver import _ball_traces
from theorycalc.theory.checks import plan_of
from theorycalc.theory.limits import ball_values
from theorycalc.theory.pencil.numerics import ball_gains, pencil_of

FOLDER = Path(__file__).parents[1] / "build" / "audit"
#: Where the numbers come from: a change in any of it makes kept results void.
PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint")
SOURCES = ("theory/**/*.py", "hermite/*.py", "model/*.py", "functions/*.py", "numbers/*.py", "results/*.py")
HIGHEST_INDEX = 40
ACTIVATIONS = ("relu", "erf", "tanh(x + 1)", "softplus")  # those with closed forms first: 1000 digits take their time
#: For each number of digits, how many problems are solved.
COUNTS = {
    "predict, 14 outputs": {30: 2000, 100: 1000, 300: 400, 1000: 100},
    "traces, 4 outputs": {30: 1000, 100: 500, 300: 200, 1000: 100},
    f"coefficients, k ≤ {HIGHEST_INDEX}": {30: 100, 100: 100, 300: 8, 1000: 4},  # activations, of those there are
    "finite steps, 2 gains": {30: 40, 100: 12, 300: 4, 1000: 2},
}

MOST_REFUSED = 0.01  # of the problems of a row

#: A problem: its results with so many proven digits.
Solve = Callable[[int], list[flint.arb]]


def predictions() -> Iterator[Solve]:
    """Problems of every kind of the audit of float64, without activations of the library."""
    rng = np.random.default_rng(7)
    while True:
        for kind in KINDS:
            case = draw(rng, kind, named=0)  # their coefficients are judged below
            problem = problem_of(case, exact=True)
            ell = float("inf") if case["ell"] == "inf" else case["ell"]
            asked = limit_of(case)
            network, gradient = asked.get("network", "theorem"), asked.get("gradient", "labels")
            plan = plan_of(problem, ell, "closed", False, network, gradient)
            point = (problem.phi, problem.psi, problem.ridge, problem.noise)
            yield lambda digits, p=plan, x=point: ball_values(p, x, digits)


def trace_points() -> Iterator[Solve]:
    """φ, ψ, λ in 10^±8 and c's in 10^±3, as rational numbers of few digits."""
    rng = np.random.default_rng(8)
    while True:
        point = [Fraction(f"{10 ** rng.uniform(-size, size):.4g}") for size in (8, 8, 8, 3, 3)]
        yield lambda digits, x=point: _ball_traces(x, digits)


def activations() -> Iterator[Solve]:
    """Every activation with a name: those first whose coefficients have closed forms or are smooth."""
    first = ("tanh", "gelu", "relu", "erf", "softplus", "silu", "sigmoid", "elu")
    others = (name for name in activation_names() if name not in (*first, "threshold"))  # which has no defaults
    for name in (*first, *others):
        tree = parse(name)

        def solve(digits: int, tree: Any = tree) -> list[flint.arb]:
            forget()
            balls, guarantee = coefficients_balls(tree, HIGHEST_INDEX, digits)
            assert guarantee == "enclosed"
            return balls

        yield solve


def finite_steps() -> Iterator[Solve]:
    """Steps n^α of networks with 200 to 2000 neurons, by the pencil."""
    rng = np.random.default_rng(9)
    while True:
        for text in ACTIVATIONS:
            phi, psi, ridge = (Fraction(f"{10 ** rng.uniform(-1, 1):.3g}") for _ in range(3))
            gradient = str(rng.choice(list(GradientTarget)))
            problem = tc.Problem(text, "H1 + H2/2 + H3/6", phi, psi, ridge, noise="1/2")
            pencil = pencil_of(problem, int(rng.integers(200, 2000)), gradient)
            size = Fraction(f"{rng.uniform(1, 8):.3g}")
            top = max(k for k in pencil.spikes if k <= int(rng.integers(2, 7)))
            yield lambda digits, p=pencil, eta=size, top=top: ball_gains(p, lambda: ball(eta), top, digits)


PROBLEMS = dict(zip(COUNTS, (predictions, trace_points, activations, finite_steps), strict=True))


def judge(low: flint.arb, high: flint.arb, digits: int) -> str:
    """Compare a result with a better one: "right", "unrounded", "wrong digit" or "outside"."""
    if not low.is_finite() or low.is_zero():
        return "right" if high == low else "outside"
    with ball_precision(2 * bits_for(2 * digits + 20)):
        if not low.contains(high):
            return "outside"
        text = mpf_context(digits).nstr(to_mpf(low, digits), digits, min_fixed=1, max_fixed=0)
        mantissa, _, exponent = text.partition("e")
        unit = flint.arb(10) ** (int(exponent or 0) - digits + 1)
        units = abs(flint.arb(f"{mantissa}e{exponent or 0}") - high) / unit
        if not units < 1:
            return "wrong digit"
        return "right" if units < 0.5 else "unrounded"


def row(what: str, digits: int, count: int) -> dict[str, Any]:
    """Judge so many problems, solved twice."""
    tally = {"problems": 0, "refused": 0, "right": 0, "unrounded": 0, "wrong digit": 0, "outside": 0}
    start = time.process_time()
    for _, solve in zip(range(count), PROBLEMS[what](), strict=False):
        tally["problems"] += 1
        try:
            results = zip(solve(digits), solve(2 * digits + 20), strict=True)
        except PrecisionError:  # says that it cannot prove so many digits
            tally["refused"] += 1
            continue
        for low, high in results:
            tally[judge(low, high, digits)] += 1
    print(f"{what}, {digits} digits: {tally}, {time.process_time() - start:.0f} s", flush=True)
    return tally


def rows() -> Iterator[tuple[str, int]]:
    """Yield what is judged, with how many digits: the quickest first."""
    yield from sorted(((what, digits) for what, counts in COUNTS.items() for digits in counts), key=lambda row: row[1])


def measured(what: str, digits: int) -> dict[str, Any]:
    """Return a row, or read it where it is kept."""
    make = functools.partial(row, what, digits, COUNTS[what][digits])
    name = f"digits-{list(COUNTS).index(what)}-{digits}"
    return kept(name, {"count": COUNTS[what][digits]}, make, ("audit_problems", "audit_digits"))


def lines() -> tuple[list[str], list[str]]:
    """Return the table of the page, and what is wrong."""
    shown, failures = [], []
    for what, counts in COUNTS.items():
        for digits in counts:
            found = measured(what, digits)
            numbers = sum(found.values()) - found["problems"] - found["refused"]
            counted = [found[name] for name in ("problems", "refused", "outside", "wrong digit", "unrounded")]
            shown.append((what, digits, *counted[:2], numbers, *counted[2:]))
            failures += [f"{what}, {digits} digits: {failure}" for failure in failures_of(found)]
    head = "results | digits | problems | refused | numbers | outside | wrong digits | not the nearest"
    return table(head, shown), failures


def failures_of(found: dict[str, int]) -> list[str]:
    """Say what is wrong with a row: results, or too many problems without one."""
    wrong = [f"{found[name]} {name}" for name in ("outside", "wrong digit") if found[name]]
    too_many = found["refused"] > MOST_REFUSED * found["problems"]
    return [*wrong, f"{found['refused']} of {found['problems']} refused"] if too_many else wrong


@functools.cache
def fingerprint(made_by: tuple[str, ...]) -> str:
    """Return in short what the numbers come from: sources, the modules here that draw and judge, and versions."""
    package = Path(tc.__file__).parent
    files = [path for pattern in SOURCES for path in package.glob(pattern)]
    digest = hashlib.sha256()
    for path in [*sorted(set(files)), *(Path(__file__).with_name(f"{name}.py") for name in made_by)]:
        digest.update(path.read_bytes())
    digest.update(" ".join([platform.python_version(), *map(version, PACKAGES)]).encode())
    return digest.hexdigest()[:16]


def kept(
    name: str, settings: dict[str, Any], make: Callable[[], dict[str, Any]], made_by: tuple[str, ...]
) -> dict[str, Any]:
    """Return what ``make()`` found with these settings and sources, making it only where it is not kept."""
    key = settings | {"sources": fingerprint(made_by)}
    path = FOLDER / f"{name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if before.get("key") == key:
        return before["found"]  # type: ignore[no-any-return]
    text = json.dumps({"key": key, "found": make()})
    FOLDER.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return json.loads(text)["found"]  # type: ignore[no-any-return]

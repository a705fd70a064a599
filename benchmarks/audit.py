"""``make audit``: float64 against proven values at the same binary64 inputs, then many digits against more.

The worst relative error of every output, the worst problems and how the errors are spread are written to
docs/accuracy.md; build/audit/worst.json has the worst problem of each output in full.  The work is done in parts by
several processes, and kept in build/audit, so that an audit that was stopped goes on; a part counts only for the
sources and versions that it was made with.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from typing import Any

import flint
import numpy as np

import theorycalc as tc
from benchmarks import audit_digits
from benchmarks.audit_digits import FOLDER, kept
from benchmarks.audit_problems import KINDS, describe, draw, limit_of, problem_of
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine
from theorycalc.functions.primitives import activation_names
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.limits import Values
from theorycalc.theory.pencil.numerics import ball_gains, float_gains, pencil_of

CLAIM = 1e-14
PROVEN_DIGITS = 25
SHOWN = 3  # of the worst problems, on the page
SHARES = {"log-uniform": 0.4, "corners": 0.4, "nearly vanishing": 0.2}
HIGHEST_INDEX, COEFFICIENT_DIGITS = 40, 40
NETWORKS, ACTIVATIONS = 400, ("tanh(x + 1)", "relu", "erf", "softplus")
PAGE = DOCS / "accuracy.md"


def errors(case: dict[str, Any]) -> dict[str, float]:
    """Relative error of every output; infinite where a zero, an infinity or a sign is wrong.

    It is the larger one of a call with numbers and of a call with an array, in which the ridge stands between the ends
    of the domain.
    """
    problem = problem_of(case, exact=False)
    alone = tc.predict(problem, **limit_of(case))
    array = tc.predict(problem, **limit_of(case), ridge=np.array([1e-8, case["ridge"], 1e8]))
    proven = tc.predict(problem_of(case, exact=True), **limit_of(case), digits=PROVEN_DIGITS)
    return {name: _worse(getattr(alone, name), getattr(array, name), getattr(proven, name)) for name in Values._fields}


def _worse(alone: float, array: np.ndarray, truth: Any) -> float:
    within = float(np.broadcast_to(array, 3)[1])  # κ and ρ do not depend on the ridge
    return max(error_of(alone, truth), error_of(within, truth))


def error_of(value: float, truth: Any) -> float:
    """Return the relative error, infinite where a zero or an infinity is not met."""
    if math.isnan(value):
        return math.inf
    if truth == 0 or math.isinf(truth):
        return 0.0 if value == truth else math.inf
    return float(abs(value / truth - 1))


def worst_errors(seed: Any, problems: int, kind: str, histogram: Counter[str] | None = None) -> dict[str, Any]:
    """Return {output: (worst relative error, the problem where)}."""
    rng = np.random.default_rng(seed)
    worst: dict[str, Any] = dict.fromkeys(Values._fields, (0.0, None))
    for _ in range(problems):
        case = draw(rng, kind)
        for name, error in errors(case).items():
            if histogram is not None:
                histogram[bin_of(error)] += 1
            if not error <= worst[name][0]:
                worst[name] = (error, case)
    return worst


def bin_of(error: float) -> str:
    """Return the power of ten, in halves, that the error is below; "wrong" where nothing is right."""
    if not error < 1:
        return "wrong"
    return f"{math.floor(2 * math.log10(max(error, 1e-17))) / 2 + 0.5:.1f}"


def part(index: int, parts: int, problems: int, seed: int) -> dict[str, Any]:
    """Do one part of the problems, or read it where it was kept."""

    def make() -> dict[str, Any]:
        start, found = time.process_time(), {}
        for i, kind in enumerate(KINDS):
            histogram: Counter[str] = Counter()
            count = round(problems * SHARES[kind] / parts)
            worst = worst_errors([seed, i, index], count, kind, histogram)
            found[kind] = {"problems": count, "worst": worst, "histogram": histogram}
        error = max(w[0] for data in found.values() for w in data["worst"].values())
        print(f"part {index}/{parts}: {time.process_time() - start:.0f} s, worst {error:.2e}", flush=True)
        return found

    settings = {"problems": problems, "seed": seed}
    return kept(f"part-{index}-of-{parts}", settings, make, ("audit", "audit_problems"))


def merged(found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Put the parts together, kind by kind."""
    total: dict[str, Any] = {kind: {"problems": 0, "worst": {}, "histogram": Counter()} for kind in KINDS}
    for piece in found:
        for kind, data in piece.items():
            total[kind]["problems"] += data["problems"]
            total[kind]["histogram"].update(data["histogram"])
            worst = total[kind]["worst"]
            for name, here in data["worst"].items():
                worst[name] = here if name not in worst or not here[0] <= worst[name][0] else worst[name]
    return total


def coefficient_errors() -> dict[str, Any]:
    """Return the worst relative error of c_k, k ≤ 40, of every named activation, and which k it is."""
    found = {}
    for name in activation_names():
        if name == "threshold":  # which has no defaults
            continue
        rounded, proven = (tc.coefficients(name, HIGHEST_INDEX, digits=d) for d in (None, COEFFICIENT_DIGITS))
        found[name] = max((error_of(float(x), y), k) for k, (x, y) in enumerate(zip(rounded, proven, strict=True)))
    return found


def pencil_errors() -> dict[str, Any]:
    """Return the relative errors of the pencil's two gains, over networks of every kind in turn."""
    rng = np.random.default_rng(10)
    found = []
    for i in range(NETWORKS):
        phi, psi, ridge = (Fraction(float(10 ** rng.uniform(-2, 2))) for _ in range(3))
        gradient = str(rng.choice(list(GradientTarget)))
        text = ACTIVATIONS[i % len(ACTIVATIONS)]
        problem = tc.Problem(text, "H1 + H2/2 + H3/6", phi, psi, ridge, noise="1/2")
        pencil = pencil_of(problem, int(rng.integers(50, 5000)), gradient)
        eta = float(10 ** rng.uniform(-2, 1.5))
        rounded = float_gains(pencil.up_to(int(rng.integers(2, 9))), np.array([eta]), np.array([float(ridge)]))
        proven = ball_gains(pencil, lambda eta=eta: flint.arb(eta), int(rounded.top[0]), PROVEN_DIGITS)
        gains = zip((rounded.train, rounded.test), proven, strict=True)
        found += [abs(float(x[0] / flint.arb(y) - 1)) for x, y in gains]
    return {"errors": sorted(found)}


coefficients = functools.partial(kept, "coefficients", {"digits": COEFFICIENT_DIGITS}, coefficient_errors, ("audit",))
pencils = functools.partial(kept, "pencil", {"networks": NETWORKS}, pencil_errors, ("audit",))


def floats_lines(total: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the text of the page on float64, and the outputs whose errors are above the claim."""
    counts = ", ".join(f"{data['problems']} {kind}" for kind, data in total.items())
    worst_of = ((name, *(f"{data['worst'][name][0]:.1e}" for data in total.values())) for name in Values._fields)
    histogram: Counter[str] = sum((Counter(data["histogram"]) for data in total.values()), Counter())
    everything, below, rows = histogram.total(), 0, []
    for power in sorted(histogram, key=lambda name: math.inf if name == "wrong" else float(name)):
        below += histogram[power]
        label = power if power == "wrong" else f"{10 ** float(power):.1e}"
        rows.append((label, f"{histogram[power] / everything:.4%}", f"{below / everything:.5%}"))
    worst = sorted(
        ((*data["worst"][name], name, kind) for kind, data in total.items() for name in Values._fields),
        key=lambda found: found[0],
        reverse=True,
    )
    shown: dict[str, str] = {}
    for error, case, name, kind in worst:
        shown.setdefault(_where(case), f"- {error:.2e}, {name}, {kind}: {_where(case)}")
    lines = [
        f"{sum(data['problems'] for data in total.values())} problems ({counts}). Worst relative error of each output:",
        "",
        *table("output | " + " | ".join(total), worst_of),
        "",
        f"How the {everything} relative errors are spread:",
        "",
        *table("below | share | so far", rows),
        "",
        f"The {SHOWN} worst problems, each with its worst output:",
        "",
        *list(shown.values())[:SHOWN],
    ]
    return lines, [f"{name}, {kind}: {error:.2e}" for error, _, name, kind in worst if not error <= CLAIM]


def _where(case: dict[str, Any] | None) -> str:
    return "everywhere" if case is None else describe(case)  # no case is worse than another where all is exact


def coefficient_lines(found: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the text of the page on coefficients, and the activations whose errors are above the claim."""
    worst = max(found, key=lambda name: found[name][0])
    error, k = found[worst]
    said = f"All {len(found)} named activations: the worst relative error is {error:.1e}, of c_{k} of {worst}."
    return [said], [f"coefficients of {name}: {error:.1e}" for name, (error, _) in found.items() if not error <= CLAIM]


def work(tasks: Iterable[Callable[[], object]]) -> None:
    """Compute the parts that are not kept yet, in processes, where a warning is an error."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count() or 1, context, warnings.simplefilter, ("error",)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def main() -> None:
    """Run the missing parts of the audit and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", type=int, default=50)
    options = parser.parse_args()
    if not 1 <= options.parts <= options.problems // 5:
        parser.error("each part needs at least five problems")
    short = [functools.partial(part, i, **vars(options)) for i in range(1, options.parts + 1)]
    long = [functools.partial(audit_digits.measured, *row) for row in audit_digits.rows()]
    work([*reversed(long), pencils, coefficients, *short])
    total, pencil = merged(one() for one in short), pencils()["errors"]
    worst = {kind: data["worst"] for kind, data in total.items()}
    (FOLDER / "worst.json").write_text(json.dumps(worst, indent=1), encoding="utf-8")
    said = f"The median relative error is {pencil[len(pencil) // 2]:.1e}, and the worst {pencil[-1]:.1e}."
    sections = {
        "floats": floats_lines(total),
        "coefficients": coefficient_lines(coefficients()),
        "pencil": ([said], []),
        "digits": audit_digits.lines(),
        "machine": ([machine()], []),
    }
    for name, (lines, _) in sections.items():
        write_between(PAGE, name, lines)
    failures = [failure for _, found in sections.values() for failure in found]
    raise SystemExit(f"not as claimed: {failures}" if failures else 0)


if __name__ == "__main__":
    main()

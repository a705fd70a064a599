"""``make audit``: float64 against proven values at the same binary64 inputs, then many digits against more.

The worst relative error of every output, the worst problems and how the errors are spread are written to
docs/accuracy.md; build/audit/worst.json has the worst problem of each output in full.  The work is done in parts by
several processes, and kept in build/audit, so that an audit that was stopped goes on; a part counts only for the
sources and versions that it was made with.  ``--part 3`` does one part and writes no page.
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
from pathlib import Path
from typing import Any

import numpy as np

import theorycalc as tc
from benchmarks import audit_digits, coefficient_floats, pencil_floats
from benchmarks.audit_problems import HIGHEST, KINDS, NAMED, describe, draw, limit_of, problem_of
from benchmarks.keeping import FOLDER, kept
from benchmarks.timing import machine
from theorycalc.theory.limits import Values

CLAIM = 1e-14
PROVEN_DIGITS = 25
SHOWN = 3  # of the worst problems, on the page
SHARES = {"log-uniform": 0.4, "corners": 0.4, "nearly vanishing": 0.2}
PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"


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
    return max(_error(alone, truth), _error(within, truth))


def _error(value: float, truth: Any) -> float:
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


def part(index: int, parts: int, problems: int, seed: int, so_far: bool = False) -> dict[str, Any] | None:
    """Do one part of the problems, or read it where it was kept; ``so_far`` only reads."""

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
    return kept(f"part-{index}-of-{parts}", settings, None if so_far else make, ("audit", "audit_problems"))


def merged(found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Put the parts together, kind by kind."""
    total: dict[str, Any] = {}
    for piece in found:
        for kind, data in piece.items():
            into = total.setdefault(kind, {"problems": 0, "worst": {}, "histogram": Counter()})
            into["problems"] += data["problems"]
            into["histogram"].update(data["histogram"])
            for name, worst in data["worst"].items():
                if name not in into["worst"] or not worst[0] <= into["worst"][name][0]:
                    into["worst"][name] = worst
    return total


def floats_section(total: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the page on float64, and the outputs whose errors are above the claim."""
    count = sum(data["problems"] for data in total.values())
    counts = ", ".join(f"{data['problems']} {kind}" for kind, data in total.items())
    lines = [
        "## float64 against proven values",
        "",
        f"{count} problems ({counts}): float64 against {PROVEN_DIGITS} proven digits at the same binary64 inputs,",
        "called with numbers and, for the same ridge, with an array of ridges; the larger of both errors counts.",
        f"φ, ψ, λ in 10^±8 and λ = 0, c's in 10^±3 or (in {NAMED:.0%} of the first two kinds) of a named activation,",
        f"teachers up to degree {HIGHEST} and some that are no polynomials, ℓ to {HIGHEST} and ∞, thresholds, missing",
        "coefficients and every option of a Problem included, each drawn for itself, for the theorem and for literal",
        "networks. Where gains nearly vanish, spikes with gaps hardly see the teacher: ρ² is aimed at a zero of what",
        "they see. No warning was raised. Worst relative error of each output:",
        "",
        "| output | " + " | ".join(total) + " |",
        "|---" * (1 + len(total)) + "|",
    ]
    lines += [
        f"| {name} | " + " | ".join(f"{data['worst'][name][0]:.1e}" for data in total.values()) + " |"
        for name in Values._fields
    ]
    histogram: Counter[str] = sum((Counter(data["histogram"]) for data in total.values()), Counter())
    everything = sum(histogram.values())
    lines += [
        "",
        f"How the {everything} relative errors are spread:",
        "",
        "| below | share | so far |",
        "|---|---|---|",
    ]
    below = 0
    for power in sorted(histogram, key=lambda name: math.inf if name == "wrong" else float(name)):
        below += histogram[power]
        label = power if power == "wrong" else f"{10 ** float(power):.1e}"
        lines.append(f"| {label} | {histogram[power] / everything:.4%} | {below / everything:.5%} |")
    worst = sorted(
        ((*data["worst"][name], name, kind) for kind, data in total.items() for name in Values._fields),
        key=lambda found: found[0],
        reverse=True,
    )
    apart = {_where(case): f"- {error:.2e}, {name}, {kind}: " for error, case, name, kind in reversed(worst)}
    lines += ["", f"The {SHOWN} worst problems, each with its worst output:", ""]
    lines += [apart[where] + where for where in list(dict.fromkeys(_where(case) for _, case, _, _ in worst))[:SHOWN]]
    above = [f"{name}, {kind}: {error:.2e}" for error, _, name, kind in worst if not error <= CLAIM]
    return [*lines, ""], above


def _where(case: dict[str, Any] | None) -> str:
    return "everywhere" if case is None else describe(case)  # no case is worse than another where all is exact


def write_worst(total: dict[str, Any]) -> None:
    """Keep the worst problem of each output in full, and say them in short."""
    worst = {kind: data["worst"] for kind, data in total.items()}
    (FOLDER / "worst.json").write_text(json.dumps(worst, indent=1), encoding="utf-8")
    for kind, found in worst.items():
        for name, (error, case) in found.items():
            print(f"{error:.2e}, {name}, {kind}: {_where(case)}")


UNSEEN = [
    "## What is not audited",
    "",
    'Refusals, activations that are Python functions, `form="matrix"`, `as_printed=True`, the staircase, spectra and',
    "outliers, and dressed steps are not compared with proven values here: tests compare them with other routes to",
    "the same number and with simulations, at fewer points. The audit draws samples; it proves nothing of what lies",
    "between them.",
    "",
]


def work(tasks: list[Callable[[], object]], workers: int) -> None:
    """Do what is not kept yet, in processes, where a warning is an error."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, warnings.simplefilter, ("error",)) as pool:
        for future in [pool.submit(task) for task in tasks]:
            future.result()


def main() -> None:
    """Run what is missing of the audit and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", type=int, default=50)
    parser.add_argument("--part", type=int, help="only this one of the parts, and no page")
    parser.add_argument("--so-far", action="store_true", help="write the page of an audit that is not finished")
    options = parser.parse_args()
    if not 1 <= options.parts <= options.problems // 5:
        parser.error("each part needs at least five problems")
    if options.part is not None and not 1 <= options.part <= options.parts:
        parser.error(f"--part goes from 1 to {options.parts}")
    one_part = functools.partial(part, parts=options.parts, problems=options.problems, seed=options.seed)
    parts = range(1, options.parts + 1)
    if options.part is not None:
        warnings.simplefilter("error")
        one_part(options.part)
        return
    if not options.so_far:
        digits = [(what, digits) for what, counts in audit_digits.COUNTS.items() for digits in reversed(counts)]
        long = [functools.partial(audit_digits.measured, *row) for row in digits]
        short = [functools.partial(one_part, i) for i in parts]
        work([*long, pencil_floats.measured, coefficient_floats.measured, *short], os.cpu_count() or 1)
    done = [found for found in (one_part(i, so_far=True) for i in parts) if found is not None]
    if not done:
        parser.error("nothing is kept yet")
    total = merged(done)
    write_worst(total)
    text, failures = page(total, len(done), len(parts))
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    raise SystemExit(f"not as claimed: {failures}" if failures else 0)


def page(total: dict[str, Any], done: int, parts: int) -> tuple[str, list[str]]:
    """Return the page, and all that is not as claimed."""
    unfinished = f", of which {done} of {parts} parts were done; it goes on from there" if done < parts else ""
    floats, above = floats_section(total)
    coefficients, off = coefficient_floats.section(CLAIM)
    digits, wrong = audit_digits.section()
    lines = ["# Measured accuracy", "", f"Written by `make audit`{unfinished}.", "", *floats, *coefficients]
    lines += [*pencil_floats.section(), *digits, *UNSEEN, machine(), ""]
    return "\n".join(lines), [*above, *off, *wrong]


if __name__ == "__main__":
    main()

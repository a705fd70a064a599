"""``make audit``: float64 against proven values at the same binary64 inputs, then many digits against more.

The worst relative error of every output, where it is, and how the errors are spread are written to docs/accuracy.md.
The work is done in parts that are kept in build/audit, so that an audit that was stopped goes on; a part counts only
for the sources that it was made with.  ``--part 3`` does one part and writes no page.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import theorycalc as tc
from tests.benchmarks import audit_digits, pencil_floats
from tests.benchmarks.audit_problems import HIGHEST, KINDS, draw, problem_of
from tests.benchmarks.keeping import kept
from tests.benchmarks.timing import machine
from theorycalc.theory.evaluation import Values

CLAIM = 1e-14
PROVEN_DIGITS = 25
SHARES = {"log-uniform": 0.4, "corners": 0.4, "nearly vanishing": 0.2}
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


def errors(case: dict[str, Any]) -> dict[str, float]:
    """Relative error of every output; infinite where a zero, an infinity or a sign is wrong."""
    rounded = tc.predict(problem_of(case, exact=False), ell=case["ell"])
    proven = tc.predict(problem_of(case, exact=True), ell=case["ell"], digits=PROVEN_DIGITS)
    return {name: _error(getattr(rounded, name), getattr(proven, name)) for name in Values._fields}


def _error(value: float, truth: Any) -> float:
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
    return kept(f"part-{index}-of-{parts}", settings, None if so_far else make, ("audit_problems",))


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


def floats_section(total: dict[str, Any]) -> tuple[list[str], float]:
    """Return the page on float64, and the worst error of all."""
    count = sum(data["problems"] for data in total.values())
    counts = ", ".join(f"{data['problems']} {kind}" for kind, data in total.items())
    lines = [
        "## float64 against proven values",
        "",
        f"{count} problems ({counts}): float64 against {PROVEN_DIGITS} proven digits at the same binary64 inputs.",
        f"φ, ψ, λ in 10^±8 and λ = 0, c's in 10^±3, teachers up to degree {HIGHEST} and some that are no polynomials,",
        f"ℓ to {HIGHEST} and ∞, thresholds, missing coefficients and every option of a Problem included. Where gains",
        "nearly vanish, spikes with gaps hardly see the teacher: ρ² is aimed at a zero of what they see. No warning",
        "was raised. Worst relative error of each output:",
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
    worst = max((w for data in total.values() for w in data["worst"].values()), key=lambda found: found[0])
    lines += ["", f"The worst of all, {worst[0]:.2e}, is at", "", f"    {worst[1]}", ""]
    return lines, worst[0]


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
    warnings.simplefilter("error")
    if options.part is not None:
        part(options.part, options.parts, options.problems, options.seed)
        return
    so_far = options.so_far
    found = [part(i, options.parts, options.problems, options.seed, so_far) for i in range(1, options.parts + 1)]
    done = [piece for piece in found if piece is not None]
    if not done:
        parser.error("nothing is kept yet")
    lines, worst = floats_section(merged(done))
    digits_lines, wrong = audit_digits.section(so_far)
    head = ["# Measured accuracy", "", "Written by `make audit`.", ""]
    if so_far:
        head[2] = (
            f"Written by `make audit`, of which {len(done)} of {len(found)} parts were done; it goes on from there."
        )
    text = "\n".join([*head, *lines, *pencil_floats.section(so_far), *digits_lines, machine(), ""])
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    raise SystemExit(worst > CLAIM or wrong > 0)


if __name__ == "__main__":
    main()

"""``make audit``: float64 against proven values at the same binary64 inputs, over the whole domain.

φ, ψ, λ log-uniform in 10^±8, c's in 10^±3, teachers up to degree 12, corners, thresholds and missing coefficients
included.  The worst relative error of every output is printed and written to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import theorycalc as tc
from theorycalc.theory.evaluation import Values

CLAIM = 1e-14
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


def draw(rng: np.random.Generator, corners: bool) -> dict[str, Any]:
    """One problem, in binary64."""

    def log_uniform(low: float, high: float) -> float:
        if corners and rng.random() < 0.6:
            return float(10.0 ** rng.choice([low, 0, high]))
        return float(10 ** rng.uniform(low, high))

    phi = log_uniform(-8, 8) if rng.random() < 0.9 else float(rng.choice([1, 1 + 1e-13, 1 - 1e-10]))
    psi = log_uniform(-8, 8) if rng.random() < 0.8 else phi * float(rng.choice([1, 1 + 1e-12, 1 - 1e-9, 1.001]))
    degree = int(rng.integers(1, 13))
    kind = rng.integers(3)
    if kind == 0:
        teacher = rng.standard_normal(degree) / np.sqrt([math.factorial(k) for k in range(1, degree + 1)])
    elif kind == 1:
        teacher = np.array([log_uniform(-3, 3) * rng.choice([-1, 1]) for _ in range(degree)])
    else:  # small whole numbers: T(1) is often zero, or nearly
        teacher = rng.integers(-3, 4, degree).astype(float)
    if not teacher.any():
        teacher[0] = 1.0  # no teacher and no noise is an error
    present = None
    if rng.random() < 0.3:
        present = tuple(sorted({1, *map(int, rng.integers(2, 13, rng.integers(1, 6)))}))
    coefficients = None
    if rng.random() < 0.2:  # c_2 known: all options can be drawn
        coefficients = [log_uniform(-3, 3) * float(rng.choice([-1, 0, 1])) for _ in range(int(rng.integers(1, 6)))]
    return {
        "coefficients": coefficients,
        "c1": log_uniform(-3, 3) * float(rng.choice([-1, 1])),
        "c_rest": log_uniform(-3, 3),
        "present": present,
        "teacher": [float(c) for c in teacher],
        "phi": phi,
        "psi": psi,
        "ridge": 0.0 if rng.random() < 0.05 else log_uniform(-8, 8),
        "noise": 0.0 if rng.random() < 0.4 else log_uniform(-3, 3),
        "initial_output": str(rng.choice(["neglected", "included"])),
        "first_layer": "gaussian" if coefficients else "sphere",
        "second_layer": str(rng.choice(["gaussian", "gaussian", "sign", "constant"])) if coefficients else "gaussian",
        "step_samples": float(rng.choice([0.1, 1, 7])) if rng.random() < 0.2 else None,
        "ell": "inf" if rng.random() < 0.1 else int(rng.integers(0, 13)),
    }


def predict(case: dict[str, Any], exact: bool, **options: Any) -> tc.Prediction:
    """Predict the case from its floats, or from the rational numbers they are."""
    number = Fraction if exact else float
    if case["coefficients"] is None:
        activation = tc.Activation.from_moments(number(case["c1"]), number(case["c_rest"]), present=case["present"])
    else:
        c_rest = math.sqrt(sum(math.factorial(k) * c * c for k, c in enumerate(case["coefficients"], start=2)))
        present = tuple(k for k, c in enumerate([case["c1"], *case["coefficients"]], start=1) if c)
        c2 = number(case["coefficients"][0])
        activation = tc.Activation(number(case["c1"]), number(c_rest), present, c2, name="drawn")
    problem = tc.Problem(
        activation,
        [number(c) for c in case["teacher"]],
        **{name: number(case[name]) for name in ("phi", "psi", "ridge", "noise")},
        **{name: case[name] for name in ("initial_output", "first_layer", "second_layer")},
        step_samples=None if case["step_samples"] is None else number(case["step_samples"]),
    )
    return tc.predict(problem, ell=case["ell"], **options)


def errors(case: dict[str, Any]) -> dict[str, float]:
    """Relative error of every output; infinite where a zero, an infinity or a sign is wrong."""
    rounded = predict(case, exact=False)
    proven = predict(case, exact=True, digits=25)
    return {name: _error(getattr(rounded, name), getattr(proven, name)) for name in Values._fields}


def _error(value: float, truth: Any) -> float:
    if truth == 0 or math.isinf(truth):
        return 0.0 if value == truth else math.inf
    return float(abs(value / truth - 1))


def worst_errors(seed: int, problems: int, corners: bool, histogram: Counter[int] | None = None) -> dict[str, Any]:
    """Return {output: (worst relative error, the problem where)}."""
    rng = np.random.default_rng(seed)
    worst: dict[str, Any] = dict.fromkeys(Values._fields, (0.0, None))
    for _ in range(problems):
        case = draw(rng, corners)
        for name, error in errors(case).items():
            if histogram is not None:
                histogram[math.floor(math.log10(max(error, 1e-17)))] += 1
            if not error <= worst[name][0]:
                worst[name] = (error, case)
    return worst


def main() -> None:
    """Run the audit and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("error")
    histogram: Counter[int] = Counter()
    half = options.problems // 2
    results = [worst_errors(options.seed + corners, half, bool(corners), histogram) for corners in (0, 1)]
    lines = [
        "# Measured accuracy",
        "",
        f"Written by `make audit`: {2 * half} problems, half of them log-uniform and half at corners, float64 against",
        "25 proven digits at the same binary64 inputs. φ, ψ, λ in 10^±8 and λ = 0, c's in 10^±3, teachers up to degree",
        "12, ℓ to 12 and ∞, thresholds, missing coefficients and every option of a Problem included. No warning",
        "was raised. Worst relative error of each output:",
        "",
        "| output | log-uniform | corners |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {results[0][name][0]:.1e} | {results[1][name][0]:.1e} |" for name in Values._fields]
    total = sum(histogram.values())
    lines += ["", "How the relative errors are spread:", "", "| below | share |", "|---|---|"]
    below = 0
    for power in sorted(histogram):
        below += histogram[power]
        lines.append(f"| 1e{power + 1} | {below / total:.5%} |")
    worst = max((r[name] for r in results for name in Values._fields), key=lambda found: found[0])
    lines += ["", f"The worst of all, {worst[0]:.2e}, is at", "", f"    {worst[1]}", ""]
    text = "\n".join(lines)
    PAGE.write_text(text, encoding="utf-8")
    print(text)
    raise SystemExit(worst[0] > CLAIM)


if __name__ == "__main__":
    main()

"""Part of ``make audit``: Hermite coefficients in float64 against proven values."""

from __future__ import annotations

from typing import Any

import theorycalc as tc
from benchmarks.keeping import kept
from theorycalc.functions.primitives import activation_names

HIGHEST_INDEX = 40
PROVEN_DIGITS = 40


def errors() -> dict[str, Any]:
    """Return for every named activation its worst relative error and where; 1 where a zero is missing, or too many."""
    found = {}
    for name in activation_names():
        if name == "threshold":  # which has no defaults
            continue
        rounded = tc.coefficients(name, HIGHEST_INDEX)
        proven = tc.coefficients(name, HIGHEST_INDEX, digits=PROVEN_DIGITS)
        found[name] = max((_error(float(x), y), k) for k, (x, y) in enumerate(zip(rounded, proven, strict=True)))
    return found


def _error(value: float, truth: Any) -> float:
    return float(value != 0) if truth == 0 else float(abs(value / truth - 1))


def measured(so_far: bool = False) -> dict[str, Any] | None:
    """Return the errors, or only read them where they are kept."""
    return kept("coefficients", {"digits": PROVEN_DIGITS}, None if so_far else errors, ("coefficient_floats",))


def section(claim: float) -> tuple[list[str], list[str]]:
    """Return the page on what is kept, and the activations whose errors are above the claim."""
    found = measured(so_far=True)
    if found is None:
        return [], []
    worst = max(found, key=lambda name: found[name][0])
    error, k = found[worst]
    lines = [
        "## Hermite coefficients in float64",
        "",
        f"c_k, k ≤ {HIGHEST_INDEX}, of all {len(found)} named activations (threshold has no defaults) against",
        f"{PROVEN_DIGITS} proven digits, zeros included: the worst relative error is {error:.1e}, of c_{k} of {worst}.",
        "",
    ]
    return lines, [f"coefficients of {name}: {error:.1e}" for name, (error, _) in found.items() if not error <= claim]

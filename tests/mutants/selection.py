"""Which tests run for a mutant: those marked for its formula, or for the formulas of the code around a change."""

from __future__ import annotations

from collections.abc import Iterable

from docs._handbook import FORMULAS
from tests.checks import by_formula
from tests.mutants.generated import Change

_PROOFS = ("tests/test_bounds.py", "tests/test_coefficient_proofs.py", "tests/test_coefficients.py")

#: Modules that hold an algorithm and no formula.
ALGORITHMS = {
    "theory/solver.py": ("tests/test_traces.py",),
    "theory/engines.py": ("tests/test_traces.py", "tests/test_reference.py", "tests/test_ridgeless.py"),
    "theory/limits.py": (
        "tests/test_reference.py",
        "tests/test_gains.py",
        "tests/test_prediction.py",
        "tests/test_accuracy.py",
        "tests/test_lengthened.py",
    ),
    "model/sizes.py": (
        "tests/test_step.py",
        "tests/test_sizes.py",
        "tests/test_simulation_settings.py",
        "tests/test_refusals.py",
    ),
    "model/problem.py": ("tests/test_prediction.py", "tests/test_errors.py", "tests/test_sizes.py"),
    "model/compiled.py": (
        "tests/test_activation.py",
        "tests/test_activation_theory.py",
        "tests/test_cli_activations.py",
        "tests/test_simulation_network.py",
    ),
    "theory/dressed/rules.py": ("tests/test_dressed.py", "tests/test_turning.py"),
    "theory/dressed/accuracy.py": ("tests/test_dressed.py", "tests/test_turning.py"),
    "hermite/boxes.py": _PROOFS,
    "hermite/closed_numbers.py": _PROOFS,
    "hermite/estimate.py": _PROOFS,
    "hermite/enclosures.py": _PROOFS,
    "hermite/strip.py": _PROOFS,
    "hermite/tails.py": _PROOFS,
}


def checking(formulas: Iterable[str]) -> list[str]:
    """Return pytest's arguments for the tests that check some formulas."""
    names, marked = sorted(formulas), by_formula()
    files = sorted({f"tests/{check.file}" for name in names for check in marked[name]})
    return [*(f"--checks={name}" for name in names), *files]


def around(change: Change) -> list[str]:
    """Return pytest's arguments for a change: the formulas of its function, or of its module, and the doctests."""
    module = change.file.removesuffix(".py").replace("/", ".")
    places = {name: entry.code for name, entry in FORMULAS.items()}
    formulas = {name for name, code in places.items() if f"{module}: {change.function}" in code}
    if not formulas:
        if change.file in ALGORITHMS:
            return [*ALGORITHMS[change.file], f"theorycalc/{change.file}"]
        formulas = {name for name, code in places.items() if any(place.startswith(f"{module}: ") for place in code)}
    return [*checking(formulas), f"theorycalc/{change.file}"]

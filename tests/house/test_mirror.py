"""The tests of a module are found by its name: tests/<room>/test_<module>.py."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house.test_architecture import modules

TESTS = Path(__file__).parents[1]
_DRESSED = "parts of one computation, which are tested together"
_STEP = "the verb and its result are tested together"
#: Modules whose tests stand in a file of another name: its name, and the reason.
ELSEWHERE = {
    "model.enums": ("model/test_parameters.py", "the table of parameters shows them"),
    "model.figures": ("plots/test_drawing.py", "it only leads from model to plots"),
    "theory.bulk": ("theory/test_spectrum.py", "bulk and spectrum are one curve"),
    "theory.dressed.accuracy": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.direction_forms": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.fixed_point": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.forms": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.neurons": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.responses": ("theory/test_dressed.py", _DRESSED),
    "theory.dressed.residual": ("theory/test_turning.py", _DRESSED),
    "theory.dressed.solving": ("theory/test_level_turning.py", _DRESSED),
    "theory.weight_density": ("theory/test_weights.py", "the bulk beside its outlier"),
    "results.finite_step": ("results/test_step.py", _STEP),
    "results.rate_values": ("results/test_error_rates.py", "error_rate() shows these numbers"),
    "results.step_result": ("results/test_step.py", _STEP),
    "results.spectrum": ("theory/test_spectrum.py", "the verb shows the numbers of the theory"),
    "explorer.densities": ("explorer/test_answers.py", "spectra are parts of an answer"),
    "explorer.fields": ("explorer/test_answers.py", "a field is read for an answer"),
}


def has_code(path: Path) -> bool:
    """Whether a file defines a function or a class, and is no front door."""
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    return path.stem not in ("__init__", "__main__") and any(
        isinstance(node, ast.FunctionDef | ast.ClassDef) for node in nodes
    )


def test_every_module_has_its_tests():
    """A module without a file of tests, or an exception that is none, is named."""
    missing = set()
    for module, path in modules():
        room, _, rest = module.partition(".")
        if has_code(path) and not (TESTS / room / f"test_{(rest or room).rpartition('.')[2]}.py").exists():
            missing.add(module)
    assert missing == set(ELSEWHERE)


def test_tests_elsewhere_are_there():
    assert [file for file, _ in ELSEWHERE.values() if not (TESTS / file).exists()] == []

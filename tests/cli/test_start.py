"""``theorycalc --help`` starts fast because it imports little."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "numpy", "scipy", "sympy", "mpmath", "flint", "matplotlib", "shtab", "importlib.metadata", "inspect", "dataclasses",
    "difflib", "shutil", "fractions", "json", "email",
}  # fmt: skip


def imported(*command: str) -> set[str]:
    """Return the modules that a command imports, as Python itself lists them."""
    done = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_help_imports_nothing_heavy():
    found = imported("-m", "theorycalc", "--help")
    assert "theorycalc.cli" in found
    assert not found & HEAVY
    ours = {name for name in found if name.startswith("theorycalc.")}
    expected = ("_version", "errors", "cli", "cli.options", "cli.output", "cli.parsing")
    assert ours == {f"theorycalc.{name}" for name in expected}


def test_the_installed_command_imports_nothing_heavy():
    script = Path(sys.executable).with_name("theorycalc")
    if not script.exists():
        pytest.skip("theorycalc is not installed as a command beside this Python")
    found = imported(str(script), "--help")
    assert "theorycalc.cli" in found
    assert not found & HEAVY


def test_import_is_light():
    assert not imported("-c", "import theorycalc") & HEAVY

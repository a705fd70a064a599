"""The table of invariants is complete: each is checked, in each number system where it is asked."""

from __future__ import annotations

import importlib
import pkgutil

from tests import properties
from tests.properties import CHECKED, INVARIANTS, TESTS


def test_every_invariant_has_its_test_in_every_system():
    for module in pkgutil.iter_modules(properties.__path__):
        importlib.import_module(f"tests.properties.{module.name}")
    assert set(CHECKED) == set(INVARIANTS)
    missing = {name: set(systems) - CHECKED[name] for name, systems in INVARIANTS.items()}
    assert not {name: left for name, left in missing.items() if left}
    assert all(TESTS[name] for name in INVARIANTS)

"""Shared by the tests of all rooms."""

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"

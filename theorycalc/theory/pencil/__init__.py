"""Finite steps to leading order in each spike: the pencil (docs/theory/pencil.md)."""

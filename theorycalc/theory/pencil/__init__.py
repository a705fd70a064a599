"""Finite steps to leading order in each spike: the pencil (theory sections 9.1–9.3)."""

"""Hostile input: what may happen to it (checks), what watches over it (guards), and where it comes from (inputs)."""

"""Mutants that no test kills, read one by one: (function, kind) → how many there are, their class, and the reason."""

SURVIVORS: dict[tuple[str, str], tuple[int, str, str]] = {}

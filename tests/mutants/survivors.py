"""Generated mutants that no test kills, read one by one: (file, change) → (class, reason)."""

SURVIVORS: dict[tuple[str, str], tuple[str, str]] = {}

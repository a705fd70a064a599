"""``python -m benchmarks.gallery [NAME …]``: pictures and tables of docs/gallery, in some minutes."""

from __future__ import annotations

import sys
import time
from types import ModuleType

import theorycalc as tc
from benchmarks.gallery import adlam_pennington, ba, cui, gerace, mei_montanari, moniri
from benchmarks.pages import write_between
from theorycalc.plots.style import house_style, panels

MAKERS = {
    module.__name__.rpartition(".")[2]: module for module in (mei_montanari, adlam_pennington, gerace, ba, moniri, cui)
}


def make(module: ModuleType) -> None:
    """Draw the picture of a page, if networks are simulated for it, and write its tables."""
    tables = {"difference": module.differences}
    if hasattr(module, "networks"):
        seen = module.networks()
        with house_style():
            figure, axes = panels(1, 2, width=7.0, height=2.8)
            module.picture(seen, axes)
        tc.plots.save(figure, module.PAGE.with_suffix(".svg"))
        tables["networks"] = lambda: module.seen_table(seen)
    if hasattr(module, "stored_table"):
        tables["stored"] = module.stored_table
    for what, lines in tables.items():
        write_between(module.PAGE, what, lines())


def main(names: list[str]) -> None:
    """Make the pages of these names, or all of them."""
    if unknown := set(names) - set(MAKERS):
        raise SystemExit(f"no such page: {', '.join(sorted(unknown))}")
    for name in names or MAKERS:
        start = time.perf_counter()
        make(MAKERS[name])
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""``python -m benchmarks.gallery [NAME …]``: pictures and tables of docs/gallery, in some minutes."""

from __future__ import annotations

import sys
import time

from benchmarks.gallery import adlam_pennington, ba, cui, gerace, mei_montanari, moniri

MAKERS = {
    module.__name__.rpartition(".")[2]: module.main
    for module in (mei_montanari, adlam_pennington, gerace, ba, moniri, cui)
}


def main(names: list[str]) -> None:
    """Make the pages of these names, or all of them."""
    unknown = set(names) - set(MAKERS)
    if unknown:
        raise SystemExit(f"no such page: {', '.join(sorted(unknown))}")
    for name in names or MAKERS:
        start = time.perf_counter()
        MAKERS[name]()
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""``python -m benchmarks.walks``: how many modules six common calls pass through, and how often they switch.

A newcomer who follows a call with a debugger reads these modules; a switch is a call, or a return, from a function of
one module to that of another.  Each walk starts from text, in a process of its own; imports are not counted.
Whatever is remembered from a first call is seen in the second.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import FrameType

import theorycalc as tc

TEXTS = ("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2")
WALKS: dict[str, Callable[[], object]] = {
    "predict": lambda: tc.predict(tc.Problem(*TEXTS), ell=2).test_gain,
    "predict with digits": lambda: tc.predict(tc.Problem(*TEXTS), ell=2, digits=50).test_gain,
    "step": lambda: tc.step(tc.Problem(*TEXTS), n=1000, alpha=0.3).test_gain,
    "coefficients": lambda: tc.coefficients("tanh(x + 1)", 8),
    "simulate and compare": lambda: tc.compare(tc.simulate(tc.Problem(*TEXTS), n=60, alpha=0.2, replicates=8)).rows,
    "sweep": lambda: tc.sweep(tc.Problem(*TEXTS), over={"phi": [0.3, 0.5], "ell": [1, 2]}).rows,
}


def walked(walk: Callable[[], object]) -> tuple[int, int]:
    """Return the number of modules that a call passes through, and the number of switches between them."""
    modules: list[str] = []

    def notice(frame: FrameType, event: str, argument: object) -> None:
        inside = frame if event == "call" else frame.f_back if event == "return" else None
        if inside is None or inside.f_code.co_name == "<module>":
            return
        name = str(inside.f_globals.get("__name__", ""))
        if name.startswith("theorycalc.") and (not modules or modules[-1] != name):
            modules.append(name)

    sys.setprofile(notice)
    try:
        walk()
    finally:
        sys.setprofile(None)
    return len(set(modules)), len(modules) - 1


def main(names: list[str]) -> None:
    """Print a row for each walk."""
    if names:
        walk = WALKS[names[0]]
        print("| {} | {} | {} | {} | {} |".format(names[0], *walked(walk), *walked(walk)))
        return
    print("| walk | modules | switches | modules, again | switches, again |\n|---|---|---|---|---|", flush=True)
    for name in WALKS:
        subprocess.run([sys.executable, "-m", "benchmarks.walks", name], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

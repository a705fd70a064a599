"""How much memory a replicate needs, known before it starts, and how much the machine has."""

from __future__ import annotations

import os

from theorycalc.simulation.draws import BLOCK
from theorycalc.simulation.ridge import MOST_ITERATIONS

_FLOAT = 8


def memory_needed(
    n: int, d: int, N: int, step_samples: int, steps: int, ridges: int, models: int, decomposed: bool
) -> int:
    """Return a bound in bytes on the arrays that one replicate holds at a time.

    The gradient holds X, XWᵀ, W₀, the gradient itself, and copies for float32 products; those of further steps X̃, W
    and its next value, too.  The fit holds W₀, the gradient, W, X̃, one matrix of features and, beside it, the Krylov
    vectors or, where they are not enough, a singular value decomposition; for the spectrum or the traces
    (``decomposed``) an eigenvalue decomposition.  The test batch is drawn block by block.  Steps of different size
    follow one after another, so that their number does not count.

    >>> memory_needed(4000, 2000, 3000, step_samples=4000, steps=1, ridges=20, models=1, decomposed=False) // 10**6
    916
    """
    small = min(n, N)
    further = n * d + 3 * N * d if steps > 1 else 0
    step = step_samples * (d + N) + 3 * N * d + (step_samples + N) * d // 2 + further
    singular = 2 * n * N + small * (n + N) // 2 + 4 * small**2
    eigen = 4 * small**2 + 3 * max(n, N) * d if decomposed else 0
    heads = (2 * models + 1) * N * ridges + 3 * n * ridges
    fit = 3 * N * d + n * (d + N) + heads + max(MOST_ITERATIONS * N, singular, eigen)
    test = BLOCK * (d + 3 * N + 2 * ridges)
    return _FLOAT * (max(step, fit) + test)


def machine_memory() -> int | None:
    """Return the bytes of memory of this machine; None where the system does not say.

    >>> found = machine_memory()
    >>> found is None or found > 2**20
    True
    """
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    return pages * size if pages > 0 and size > 0 else None

"""How much memory a replicate needs, known before it starts, and how much the machine has."""

from __future__ import annotations

import os

from theorycalc.simulation.draws import BLOCK
from theorycalc.simulation.ridge import MOST_ITERATIONS

_FLOAT = 8


def memory_needed(n: int, d: int, N: int, step_samples: int, ridges: int, models: int) -> int:
    """Return a bound in bytes on the arrays that one replicate holds at a time.

    The step holds X, the pre-activations XWᵀ, W₀, the gradient and copies for the products; the fit holds
    X̃, one matrix of features, a Gram matrix, the Krylov vectors and, at worst, a singular value
    decomposition; the test batch goes by blocks.

    >>> memory_needed(n=4000, d=2000, N=3000, step_samples=4000, ridges=20, models=1) // 10**6
    739
    """
    small = min(n, N)
    layers = 2 * N * d
    step = step_samples * (d + N) + 2 * N * d + max(N * d, step_samples * d)
    decomposition = n * small + small * N + n * N + 3 * small**2
    fit = n * (d + N) + max(2 * small**2 + MOST_ITERATIONS * small, decomposition)
    heads = (2 * models + 1) * N * ridges + 3 * n * ridges
    test = BLOCK * (d + 3 * N + 2 * ridges)
    return _FLOAT * (max(step, layers + heads + max(fit, test)))


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

"""A replicate held to one BLAS thread, also where several run in the threads of one process."""

from __future__ import annotations

from theorycalc.blas import one_blas_thread
from theorycalc.simulation.records import Record
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import Settings


def pinned_replicate(settings: Settings, cell: int, index: int) -> Record:
    """Run one replicate, held to one BLAS thread whatever else this process computes."""
    with one_blas_thread():
        return replicate(settings, cell, index)

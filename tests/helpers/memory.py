"""Peak memory of a process, as Linux counts it."""

from __future__ import annotations


def peak_memory(process: int | str = "self") -> float:
    """Return the most memory that a process has had since it began, or since the peak was forgotten, in MB."""
    with open(f"/proc/{process}/status", "rb", buffering=0) as status:
        return int(status.read().partition(b"VmHWM:")[2].split(maxsplit=1)[0]) / 1024

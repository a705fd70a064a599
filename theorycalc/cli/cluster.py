"""Executors of long commands: this process, processes of this machine, or a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from theorycalc.cli.declare import argument
from theorycalc.cli.options import Arguments, whole_or_text
from theorycalc.errors import ArgumentError
from theorycalc.numbers.exact import whole

_CONNECT = "10s"
WORKERS = (
    argument("--workers", help="number of processes (default 1; with --dask local: one for each core)"),
    argument("--dask", metavar="ADDRESS", help="compute on the Dask cluster of this scheduler, or local"),
)


@contextmanager
def executor_of(options: Arguments) -> Iterator[tuple[Executor | None, Any]]:
    """Yield the executor of a Dask cluster with its number of threads, or None with the number of processes."""
    workers = whole_or_text(options.workers)
    if options.dask is None:
        yield None, 1 if workers is None else workers
        return
    local = options.dask == "local"
    if workers is not None and not local:
        raise ArgumentError("give --workers or --dask, not both: the cluster has its own workers")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ArgumentError("--dask needs Dask: pip install 'theorycalc[dask]'") from None
    for name in ("distributed", "distributed.client"):  # they would show a traceback beside our error
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        address = options.dask
        if local:
            count = None if workers is None else whole(workers, "workers", "a positive whole number")
            quiet = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
            address = stack.enter_context(LocalCluster(n_workers=count, **quiet))
        try:
            client = stack.enter_context(Client(address, timeout=_CONNECT))
        except (OSError, ValueError, ImportError) as error:
            raise ArgumentError(f"no Dask scheduler answers at {options.dask!r}: {error}") from None
        yield client.get_executor(pure=False), max(1, sum(client.nthreads().values()))

"""The values of a complete sweep in its file, read back: CSV, JSON or NetCDF."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.sweeps import netcdf
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.grid import Grid
from theorycalc.sweeps.text import REASON

_MOST = 10**7  # points that are read into memory
_NO_VALUE = "the file has no value here"


def read_values(path: Path, grid: Grid) -> Evaluated:
    """Return the values of every point of a grid from the file that has them, and why a point has none."""
    if grid.size > _MOST:
        raise ArgumentError(f"{path} has {grid.size} points, and up to {_MOST} are read into memory; read a part of it")
    try:
        if path.suffix.lower() == ".nc":
            return _of_netcdf(path, grid)
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file) if path.suffix.lower() == ".csv" else json.load(file)["rows"]
            return _of_rows(rows, grid)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DomainError(f"{path} is not the file of this sweep any more: {error}") from None


def _of_netcdf(path: Path, grid: Grid) -> Evaluated:
    where = netcdf.layout(grid)
    with path.open("rb") as file:
        if file.read(4) != where.header[:4]:
            raise ValueError("it is not NetCDF")
        values = np.empty((len(grid.quantities), grid.size))
        for row, begin in zip(values, where.begins, strict=True):
            file.seek(begin)
            row[:] = np.frombuffer(file.read(8 * grid.size), ">f8")
    missing = np.flatnonzero(np.isnan(values).all(axis=0)).tolist()
    return Evaluated(values, dict.fromkeys(missing, _NO_VALUE))


def _of_rows(rows: Iterable[Mapping[str, object]], grid: Grid) -> Evaluated:
    values, reasons = np.full((len(grid.quantities), grid.size), np.nan), {}
    done = 0
    for done, row in enumerate(rows, start=1):
        cells = [row[name] for name in grid.quantities]
        if all(cell in (None, "") for cell in cells):
            reasons[done - 1] = str(row.get(REASON) or _NO_VALUE)
        else:
            values[:, done - 1] = [float(str(cell)) for cell in cells]
    if done != grid.size:
        raise ValueError(f"it has {done} rows, not {grid.size}")
    return Evaluated(values, reasons)
